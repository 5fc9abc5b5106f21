"""Expressions print what TLC printed for them: the files in ``rows``, whose heads say how they read."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.tlaplus.trees import module_of
from workbench.kernel import InputError
from workbench.tlaplus.config.closures import Closure
from workbench.tlaplus.machine.machine import TlaMachine
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.values.lazy import force
from workbench.tlaplus.values.sets import Filtered, Functions, Intersection, Interval, Subsets
from workbench.tlaplus.values.values import EvaluationError, shown

#: No operator of TLA+ reads like this one.
ARROW = " --> "
CONSTANTS = "CONSTANTS m1 = m1 m2 = m2 T_ = T_ T_1 = T_1 T_2 = T_2 U_1 = U_1"


class Row(NamedTuple):
    """An expression with TLC's answer, and the line of a file in which it stands."""

    file: Path
    line: int
    expression: str
    printed: str


def rows_in(file: Path) -> list[Row]:
    lines = enumerate(file.read_text().splitlines(), 1)
    return [Row(file, number, *line.split(ARROW)) for number, line in lines if ARROW in line]


ROWS = [row for file in sorted((Path(__file__).parent / "rows").iterdir()) for row in rows_in(file)]


@cache
def machine_of(file: Path, alone: int = 0) -> TlaMachine:
    """The machine of a file's module, which defines R7 for the row in line 7: for each row, or for one alone."""
    lines = file.read_text().splitlines()
    for row in rows_in(file):
        lines[row.line - 1] = f"R{row.line} == {row.expression}" if alone in (0, row.line) else ""
    return module_of_text(module_of(*lines), CONSTANTS)()


def printed_for(row: Row) -> str:
    try:
        machine = machine_of(row.file)
    except InputError:  # of some row, which is to hide no other
        machine = machine_of(row.file, row.line)
    meaning = machine.configured.scope.find(f"R{row.line}")
    try:
        return machine._closures.value(Closure(meaning.definition.body, meaning.scope, {}), as_printed)
    except EvaluationError:
        return "error"


def as_printed(value: object) -> str:
    """TLC lists these as it prints them; a union of listed sets, and the like, must be a list before that."""
    return shown(force(value) if isinstance(value, Filtered | Functions | Intersection | Interval | Subsets) else value)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.file.stem}: {row.expression}")
def test_tlc_prints_the_same(row: Row) -> None:
    assert printed_for(row) == row.printed
