"""Ordered domains: the engines say what the interpreter says, and the states are those of another way to merge them."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from tests.fizzbee.test_fizz_machine import of_engine, of_interpreter, quiet
from tests.places import ROOT
from workbench.fizzbee.machine.specification import machines_of
from workbench.fizzbee.meaning.steps import Meaning
from workbench.kernel.meaning.errors import InputError, ModelError

FILE = Path(__file__).with_name("ordered.txt")
ROWS = re.findall(r"^== (.*?): (\d+); (\d+|-)\n(.*?)(?=^== |\Z)", FILE.read_text(), re.M | re.S)


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize(("states", "recorded", "text"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_engines_say_what_the_interpreter_says(states, recorded, text, engine):
    expected = of_interpreter(quiet(text))
    assert expected[0] == int(states)
    assert recorded in (states, "-") or "reflection" in text
    assert of_engine(quiet(text), engine, symmetry=False) == expected
    exchanged = of_engine(quiet(text), engine)
    assert exchanged[1:] == expected[1:]
    assert (exchanged[0] < expected[0]) == ("nominal" in text or "bag" in text)


# As FizzBee merges states: the numbers go on and on, and two states are compared without them -------------------------


def compared(key, domains):
    """A state's key with small numbers in it; None if a domain does not allow them."""
    for name, domain in domains.items():
        numbers = sorted({Fraction(number) for number in re.findall(rf"\({name}@([-\d/]+)\)", key)})
        spread = numbers[-1] - numbers[0] if numbers and domain.kind == "interval" else 0
        if len(numbers) > domain.limit or spread > domain.divergence:
            return None
        small = {n: numbers.index(n) if domain.kind == "ordinal" else n - numbers[0] for n in numbers}
        key = re.sub(rf"\({name}@([-\d/]+)\)", lambda found, s=small, n=name: f"({n}@{s[Fraction(found[1])]})", key)
    return key


@pytest.mark.parametrize("text", [row[3] for row in ROWS if "set()" not in row[3]])
def test_there_are_so_many_states_where_nothing_is_renumbered(text):
    meaning = Meaning(quiet(text), "Cell.fizz")
    domains, meaning.ordered = meaning.domains, []
    queue = meaning.initial()
    seen = {compared(state.key, domains) for state in queue}
    for state in queue:  # grows
        for step in meaning.steps(state):
            key = compared(step.state.key, domains)
            if key is not None and key not in seen:
                seen.add(key)
                queue.append(step.state)
    assert len(seen) == of_interpreter(quiet(text))[0]


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("x = T.min() + 1", "+ does not go with symmetric_value and int"),
        ("x = T.min() - T.max()", "- does not go with symmetric_value and symmetric_value"),
        ("x = V.min() - T.min()", "- does not go with symmetric_value and symmetric_value"),
        ("x = V.min() * 2", "* does not go with symmetric_value and int"),
        ("x = 1 - V.min()", "- does not go with int and symmetric_value"),
        ("x = V.min() < T.min()", "symmetric_value and symmetric_value are not ordered"),
        ("x = V.min() < 1", "symmetric_value and int are not ordered"),
        ("x = range(3)[V.min()]", "a range of 3 has no such index"),
        ("x = str(V.min())", "a symmetric value has no text, which would tell it from the others"),
        ("x = T.min().index", "type symmetric_value has no index"),
        ("x = T.choose()", "type symmetry_domain has no choose"),
        ("x = V.segments()", "type symmetry_domain has no segments"),
        ("x = T.segments()", "a symmetry_segment is no value of a state"),
        ("x = T.segments(after = V.min())", "segments lie after and before values of t"),
        ("g = T.segments()[0]; x = [g.fresh(), g.fresh()]", "a segment has one fresh value"),
        (
            "D = symmetry.ordinal('d', 2); x = D.fresh()",
            "d is not nominal: it is a constant, and actions alone",
        ),
        ("x = symmetry.ordinal('d', 0)", "symmetry.ordinal takes a name, a positive limit and whether to reflect"),
        ("x = symmetry.ordinal('d', 2, materialize = True)", "symmetry.ordinal is not supported with materialize"),
        ("x = symmetry.interval('d')", "symmetry.interval takes a name, a divergence and a limit of at most one more"),
        ("x = symmetry.interval('d', 2, 4)", "symmetry.interval takes a name, a divergence and a limit of at most one"),
        ("x = symmetry.interval('d', 2, materialize = True)", "symmetry.interval is not supported with materialize"),
        ("x = R()", "a crash of R#0 would set a value of an ordered domain"),
    ],
)
def test_what_ordered_domains_refuse(statement, error):
    text = f"""T = symmetry.ordinal("t", 2); V = symmetry.interval("v", 2)
@state(ephemeral=["y"])
role R:
  action Init:
    self.y = T.fresh()
action Init:
  {statement}
"""
    with pytest.raises(ModelError, match=rf"^x\.fizz:[67]:\d+: {re.escape(error)}"):
        Meaning(text, "x.fizz").initial()


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("X = T.fresh()", "x.fizz:2:12: t is not nominal: it is a constant, and actions alone ask for its"),
        ("U = symmetry.nominal('t', 2)", "x.fizz:3:8: U: another domain, not a nominal one, is called t"),
        (
            "transition assertion Up(old, new):\n  return old.x <= new.x",
            "x.fizz:2:22: a transition compares two states, which number the values of t separately",
        ),
    ],
)
def test_a_text_that_numbers_would_mislead_is_refused(lines, error):
    with pytest.raises(InputError, match=f"^{re.escape(error)}"):
        machines_of(f'T = symmetry.ordinal("t", 2)\n{lines}\naction Init:\n  x = T.fresh()\n', "x")


def test_an_assertion_asks_no_ordered_domain_for_values():
    text = 'T = symmetry.ordinal("t", 2)\naction Init:\n  x = T.fresh()\nalways assertion A:\n  return x == T.min()\n'
    with pytest.raises(ModelError, match=r"^Cell\.fizz:8:20: t is not nominal"):
        of_interpreter(quiet(text))


@pytest.mark.parametrize(("name", "here", "there"), [row[:3] for row in ROWS if "as in" in row[0]])
def test_the_page_has_the_figures_of_what_is_as_in_fizzbee_s_examples(name, here, there):
    page = (ROOT / "docs" / "fizzbee.md").read_text()
    rows = [row.split(" | ") for row in re.findall(r"^\| (`16-.*) \|$", page, re.M)]
    example = name[-5:]
    (row,) = (row for row in rows if example in row[0] and row[2] != "refused")
    at = re.findall("`(.*?)`", row[0]).index(example)
    recorded, ours = (re.findall(r"\d+", cell) for cell in row[1:])
    assert (recorded[at], (ours or recorded)[at]) == (there, here)
