"""From a place in a translation back into the algorithm."""

import pytest

from tests.pluscal.sources import module_of, source_in

ALGORITHM = "--algorithm A\nvariables x = 0;\nbegin\nL: x := x + Foo;\nend algorithm"


def place_of(text, word):
    before, _, _ = text.partition(word)
    return before.count("\n") + 1, len(before) - before.rfind("\n")


@pytest.mark.parametrize("is_again", [False, True], ids=["first", "again"])
@pytest.mark.parametrize(
    ("word", "origin"),
    [("Foo\n     /\\ pc'", "Foo;"), ("x' = x + Foo", "x := x"), ("EXTENDS", "EXTENDS"), ("After", "After")],
)
def test_a_place_leads_back(word, origin, is_again):
    text = module_of(ALGORITHM).replace("====", "After == 1\n====")
    if is_again:
        text = source_in(text).translate().module
    made = source_in(text).translate()
    assert made.place(*place_of(made.module, word)) == place_of(text, origin)


@pytest.mark.parametrize("assertion", ["x = 1", "x = 1 /\\ y = 2 /\\ x + y = 3 /\\ y - x = 1 /\\ x * y = 2 /\\ TRUE"])
def test_lines_above_change_assertions_and_make_nothing_stale(assertion):
    text = module_of(f"--algorithm A\nvariables x = 0, y = 0;\nbegin\nL: assert {assertion};\nend algorithm")
    below = source_in(text).translate().module.replace("EXTENDS", "\nEXTENDS")
    made = source_in(below).translate()
    assert (made.is_stale, made.source.is_edited, made.module == below) == (False, False, False)


def test_variables_in_another_order_say_the_same():
    """Older versions wrote pc last, and Next with the disjunct inline."""
    text = source_in(module_of(ALGORITHM)).translate().module
    head = text.split("\n")[7]
    old = text.replace(head, "\\* BEGIN TRANSLATION").replace("pc, x", "x, pc")
    old = old.replace("           \\/ Terminating", '           \\/ (* to stutter *) (pc = "Done" /\\ UNCHANGED vars)')
    assert "x, pc" in old
    assert not source_in(old).translate().is_stale
    assert source_in(old.replace("x = 0", "x = 1", 2).replace("x = 1", "x = 0", 1)).translate().differences == ["Init"]
