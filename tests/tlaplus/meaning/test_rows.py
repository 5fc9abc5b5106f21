"""The plain evaluator prints what TLC printed: the files in ``tests/tlaplus/rows``, whose heads say how they read."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.tlaplus.test_tla_rows import CONSTANTS, ROWS, Row, rows_in
from tests.tlaplus.trees import module_of
from workbench.kernel import InputError
from workbench.tlaplus.meaning.opening import Opened, opened
from workbench.tlaplus.meaning.sets import Filtered, Functions, Interval, Subsets, listed
from workbench.tlaplus.meaning.standard import EXTENDED, MODULES
from workbench.tlaplus.meaning.values import EvaluationFailure
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.string_order import words_in
from workbench.tlaplus.syntax.cfg_parser import read_configuration

HERE = Path(__file__).parent
_NOT_RUN = "Not run: "


def reasons() -> dict[str, str]:
    """Why a row of ``apart.txt`` has another answer here than TLC's, by the name of its test."""
    found, reason = dict[str, str](), ""
    for line in (HERE / "apart.txt").read_text().splitlines():
        if line.startswith("# "):
            reason = line.removeprefix("# ")
        elif not line.startswith("\\*"):
            found[line] = reason
    return found


def name_of(row: Row) -> str:
    return f"{row.file.stem}: {row.expression}"


APART = reasons()
NAMES = Counter(map(name_of, ROWS))


@cache
def model_of(file: Path, alone: int = 0) -> Opened:
    """The file's module, which defines R7 for the row in line 7: for each row, or for one alone."""
    lines = file.read_text().splitlines()
    for row in rows_in(file):
        lines[row.line - 1] = f"R{row.line} == {row.expression}" if alone in (0, row.line) else ""
    library = Library((), MODULES, EXTENDED, {"M": module_of(*lines)})
    specification, cfg = load("M", library), read_configuration(CONSTANTS)
    return opened(specification, cfg, [*cfg.words, *words_in(specification.module, library)])


def printed_for(row: Row) -> str:
    try:
        model = model_of(row.file)
    except InputError:  # of some row, which is to hide no other
        model = model_of(row.file, row.line)
    try:
        value = model.value(f"R{row.line}")
        # TLC lists these as it prints them; a union of listed sets, and the like, must be a list before that.
        return str(listed(value) if isinstance(value, Filtered | Functions | Interval | Subsets) else value)
    except EvaluationFailure:
        return "error"


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_evaluator_prints_the_same(row: Row) -> None:
    reason = APART.get(name_of(row), "")
    if reason.startswith(_NOT_RUN):
        pytest.skip(reason.removeprefix(_NOT_RUN))
    assert (printed_for(row) == row.printed) is not bool(reason), reason


def test_every_exception_is_a_row() -> None:
    assert {name: NAMES[name] for name in APART} == dict.fromkeys(APART, 1)
