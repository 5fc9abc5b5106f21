"""The plain evaluator prints what TLC printed: the files in ``tests/tlaplus/rows``, whose heads say how they read."""

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

#: The community's modules have texts of their own, which are not in this repository.
OWN = [row for row in ROWS if row.file.stem in MODULES or row.file.stem.islower()]


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


@pytest.mark.parametrize("row", OWN, ids=lambda row: f"{row.file.stem}: {row.expression}")
def test_the_evaluator_prints_the_same(row: Row) -> None:
    assert printed_for(row) == row.printed
