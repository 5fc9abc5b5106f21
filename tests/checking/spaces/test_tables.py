"""Traces and state spaces as tables of states."""

import sys
from typing import Any

import pytest

from workbench.checking.check import check
from workbench.checking.spaces.space import explore
from workbench.kernel import InputError, machine_of
from workbench.registry import get_model

Bakery = get_model("bakery")


def test_a_space_is_a_table_of_its_states() -> None:
    space = explore(Bakery(Writers=2, MaxCrashes=1))
    table = space.table()
    assert len(table) == len(space) > 100
    assert list(table.columns) == ["level", *map(str, machine_of(space.model).layout.cells)]
    for number in range(0, len(space), 37):
        row = table.iloc[number]
        assert {str(cell): value for cell, value in space.state(number).items()} == row.drop("level").to_dict()
        assert row["level"] == len(space.trace_to(number))


def test_a_trace_is_a_table_of_its_states() -> None:
    trace: Any = check(Bakery(Writers=2, LazyReap=False))["NonCrashedProgress"].trace
    table = trace.table()
    assert table["step"].to_list() == [step.label for step in trace.steps]
    assert table["actor"].to_list()[:2] == ["", trace.steps[1].lane]
    assert table["pc[w1]"].to_list() == [state.pc["w1"] for state in trace.states]


def test_without_pandas_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    space = explore(Bakery(Writers=1))
    monkeypatch.setitem(sys.modules, "pandas", None)
    for shown in (space, space.trace_to(3)):
        with pytest.raises(InputError, match=r"needs pandas, which is not installed: pip install '.*\[tables\]'$"):
            shown.table()
