"""Modules with the translations that pcal has written; those in ``traps`` are not the same here.

The algorithms were written for these tests; their translations are the work of pcal 1.12 (tlaplus/tlaplus cc6b616, run
with ``-nocfg``). It wrote the same as this room, to the blank, for the 82 modules of its own test-model/pcal that it
translates.
"""

import re
from pathlib import Path

import pytest

from tests.pluscal.sources import source_in

HERE = Path(__file__).parent
TRANSLATIONS = sorted((HERE / "translations").glob("*.tla"))
_OLD = re.compile(r"\\\* BEGIN TRANSLATION.*\\\* END TRANSLATION *\n", re.DOTALL)


def text_of(path):
    return path.read_bytes().decode()


def translated(text):
    return source_in(text).translate()


@pytest.mark.parametrize("path", TRANSLATIONS, ids=lambda path: path.stem)
def test_the_text_is_that_of_pcal_to_the_blank(path):
    text = text_of(path)
    assert translated(text).module == text
    without, count = _OLD.subn("", text)
    assert (count, translated(without).module) == (1, text)


@pytest.mark.parametrize("path", TRANSLATIONS, ids=lambda path: path.stem)
def test_both_checksums_are_those_of_pcal_and_a_change_is_told_by_them(path):
    made = translated(text_of(path))
    assert made.checksums == made.source.checksums
    assert not made.source.is_edited
    assert not made.is_stale
    assert made.differences == []
    edited = source_in(text_of(path).replace("\nInit == ", "\nInit ==  "))
    assert edited.is_edited
    assert not edited.translate().is_stale


def test_all_of_the_data_is_tested():
    assert len(TRANSLATIONS) == 16


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tabs_and_line_ends_stay_as_they_are(end):
    lines = "---- MODULE M ----", "EXTENDS Naturals\t\\* tab", "(* --algorithm T", "variables\tx = 0;"
    text = end.join([*lines, "begin L:\tx := 1\t; end algorithm *)", "====", ""])
    made = translated(text)
    assert made.module.replace("\r\n", "\n").split("\n")[:5] == text.replace("\r\n", "\n").split("\n")[:5]
    assert made.module.count("\r\n") == (made.module.count("\n") if end == "\r\n" else 0)
    assert str(made.checksums) == '(chksum(pcal) = "1000e09e" /\\ chksum(tla) = "d14ef4d6")'  # of pcal, too
    again = translated(made.module)
    assert (again.module, again.is_stale, again.source.is_edited) == (made.module, False, False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("BEGIN TRANSLATION", "BEGIN TRANSLATION"),
        (
            'BEGIN TRANSLATION (chksum(pcal) = "1" /\\ chksum(tla) \\in STRING) a',
            'BEGIN TRANSLATION (chksum(pcal) = "7c28162a" /\\ chksum(tla) \\in STRING) a',
        ),
        (
            'BEGIN TRANSLATION (checksum(PlusCal) = "" /\\ CHKSUM(TLA+) = "a")',
            'BEGIN TRANSLATION (checksum(PlusCal) = "7c28162a" /\\ CHKSUM(TLA+) = "2a1af92d")',
        ),
        ("BEGIN TRANSLATION - the hash: PCal-12", "BEGIN TRANSLATION - the hash: PCal-12"),
    ],
    ids=["none", "one switched off", "in other words", "older"],
)
def test_checksums_are_renewed_where_they_stand(before, after):
    text = text_of(HERE / "traps/FairStale.tla")
    row = text.split("\n")[7]
    assert translated(text.replace(row, f"\\* {before}")).module.split("\n")[7] == f"\\* {after}"


def test_a_fair_algorithm_is_compared_by_its_definitions():
    """Its checksum is that of the word "fair"."""
    made = translated(text_of(HERE / "traps/FairStale.tla"))
    assert made.source.checksums.algorithm == made.checksums.algorithm == "7c28162a"
    assert (made.is_stale, made.differences) == (True, ["L"])


def test_a_call_with_goto_returns_to_the_label_by_its_new_name():
    """In pcal it returns to the old name, which is that of no step of the process."""
    made = translated(text_of(HERE / "traps/CallGoto.tla"))
    assert made.differences == ["b"]
    pushed = [line for line in made.texts if "pc        |->" in line]
    assert [line.split("|->")[1].strip() for line in pushed] == ['"a_" ] >>']


@pytest.mark.parametrize(("name", "step"), [("Self", "Q"), ("SelfInIf", "a")])
def test_a_tail_call_of_a_procedure_without_parameters_writes_no_empty_conjunct(name, step):
    """In pcal it does, and the module cannot be parsed. The checksum of the algorithm counts it all the same."""
    made = translated(text_of(HERE / f"traps/{name}.tla"))
    assert made.differences == [step]
    assert not any(line.endswith("/\\ ") for line in made.texts)
    assert any(line.endswith("/\\ ") for line in made.source.translation)
    assert made.checksums.algorithm == made.source.checksums.algorithm


def test_a_tail_call_that_forgets_parameters_is_warned_of():
    made = translated(text_of(HERE / "translations/TailCall.tla"))
    assert made.warnings == [((12, 10), "as in pcal, this leaves the parameters of q as they are: n")]
