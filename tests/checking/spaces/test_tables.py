"""Traces and state spaces as tables of states."""

import sys
from typing import Any

import pytest

from workbench.checking.check import check
from workbench.checking.spaces.space import explore
from workbench.kernel import InputError, Map, machine_of
from workbench.language import Model, Variable, action, require
from workbench.registry import get_model
from workbench.tlaplus.machine.specification import module_of_text

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


class Shop(Model):
    stock = Variable(Map({"pear": 0, "plum": 2}))
    boxes = Variable((Map(),))
    step = Variable(0)

    @action
    def sell(self, s):
        require(s.stock["pear"] < 1, "one is all that is wanted")
        s.stock = s.stock.set("pear", 1)
        s.boxes = (Map({"pear": 1}), Map())


def test_a_map_shows_its_values() -> None:
    space = explore(Shop())
    for table in (space.table(), space.trace_to(1).table()):
        assert table["stock[pear]"].to_list() == [0, 1]
        assert table["stock[plum]"].to_list() == [2, 2]
        assert table["boxes"].to_list() == ["({})", "({pear: 1}, {})"]
    assert "sell" in space.trace_to(1).table().to_string()  # beside a variable called step


def test_functions_with_keys_of_other_kinds_are_not_tabulated_together() -> None:
    text = r"""---- MODULE M ----
VARIABLES f, x
Init == f = [c \in {0} |-> 3] /\ x = 0
Next == x = 0 /\ f' = [c \in {FALSE} |-> 4] /\ x' = 1
===="""
    space = explore(module_of_text(text, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE")())
    for table in (space.table(), space.trace_to(1).table()):
        assert table["f"].to_list() == ["(0 :> 3)", "(FALSE :> 4)"]


def test_a_modules_values_are_those_that_tlc_prints() -> None:
    text = r"""---- MODULE M ----
VARIABLES f, r, s
Init == f = [c \in {"a", "b"} |-> 0] /\ r = <<[n |-> 0]>> /\ s = {1}
Next == f["a"] = 0 /\ f' = [f EXCEPT !["a"] = 1] /\ r' = <<>> /\ s' = {TRUE}
===="""
    space = explore(module_of_text(text, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE")())
    for table in (space.table(), space.trace_to(1).table()):
        assert table[["f.a", "f.b", "r", "s"]].values.tolist() == [
            [0, 0, "<<[n |-> 0]>>", "{1}"],
            [1, 0, "<<>>", "{TRUE}"],
        ]
