"""``_POSSIBLE`` asks that a state be reached: by each engine what TLC says of the same configuration."""

import pytest

from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.kernel import InputError
from workbench.tlaplus.machine.specification import module_of_text

TEXT = r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 5 /\ x' = x + 1
Within == x < 3
Little == x' < 3
Odd == x \in {1, 3, 5}
Two == x = 2
Three == x = 3
Four == x = 4
Nine == x = 9
Wrap == x = 1 /\ x' = 2
Never == <>(x = 2)
Of(n) == x = n
"""
#: Statements, and the predicates that are never satisfied according to TLC (tlaplus/tlaplus cc6b616cf, a run for
#: each, since it stops at the first).
ROWS = [
    ("_POSSIBLE Two Three", set()),
    ("_POSSIBLE Two _POSSIBLE Nine", {"Nine"}),
    ("CONSTRAINT Within _POSSIBLE Two Three Four", {"Three", "Four"}),
    ("ACTION_CONSTRAINT Little _POSSIBLE Two Three Four", {"Four"}),
    ("ACTION_CONSTRAINT Little CONSTRAINT Within _POSSIBLE Two Three", {"Three"}),
]


def _opened(statements):
    return module_of_text(module_of(TEXT), f"INIT Init NEXT Next CHECK_DEADLOCK FALSE\n{statements}")()


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(("statements", "missing"), ROWS)
def test_it_is_reached_where_tlc_counts_it(statements, missing, engine):
    result = check(_opened(statements), engine=engine)
    assert {verdict.kind for verdict in result.verdicts} == {"reachable"}
    assert {verdict.name for verdict in result.verdicts if not verdict.holds} == missing
    for verdict in result.verdicts:
        assert verdict.holds is (verdict.trace is not None)
        assert verdict.trace is None or verdict.trace.states[-1].x == {"Two": 2, "Three": 3}[verdict.name]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_search_goes_on_after_a_witness_and_stops_at_a_violation(engine):
    result = check(_opened("INVARIANT Within _POSSIBLE Two Four"), engine=engine, fail_fast=True)
    assert [verdict.word for verdict in result.verdicts] == ["violated", "reached", "unknown"]


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ("_POSSIBLE Wrap", "Wrap is an action; _POSSIBLE takes a predicate of states"),
        ("_POSSIBLE Never", "Never is no predicate of states; it is temporal, and PROPERTY takes it"),
        ("_POSSIBLE Of", "Of takes 1 arguments"),
        ("_POSSIBLE Twp", r"unknown definition 'Twp' \(did you mean Two\?"),
        ("INVARIANT Odd _POSSIBLE Odd", "Odd is a property twice; _POSSIBLE takes a name of its own"),
        ("_POSSIBLE Odd POSTCONDITION Odd", "Odd is a property twice; POSTCONDITION takes a name of its own"),
    ],
)
def test_what_is_no_predicate_of_states_is_refused_with_its_line(statements, message):
    with pytest.raises(InputError, match=rf"^M\.cfg: line 2: {message}"):
        _opened(statements)
