"""Modules of our own, checked from their texts: the figures and verdicts are TLC's."""

from typing import Any, NamedTuple

import pytest

from tests.tla.trees import module_of
from workbench.checking.check import check
from workbench.tla.specification import module_of_text


class Row(NamedTuple):
    """A module M, its configuration, and what TLC says of it.

    Attributes:
        wrong: The properties that are violated, with the number of states of the trace; None for a lasso of any length.
    """

    text: str
    cfg: str
    distinct: int
    depth: int
    generated: int
    wrong: dict[str, int | None] = {}
    others: tuple[str, ...] = ()


LOCK = r"""EXTENDS Naturals, TLC
CONSTANTS Procs, Limit, None
VARIABLES pc, owner, count
vars == <<pc, owner, count>>
Init == /\ pc = [p \in Procs |-> "out"]
        /\ owner = None
        /\ count = 0
Ask(p) == pc[p] = "out" /\ pc' = [pc EXCEPT ![p] = "in"] /\ UNCHANGED <<owner, count>>
Enter(p) == /\ pc[p] = "in" /\ owner = None
            /\ owner' = p
            /\ pc' = [pc EXCEPT ![p] = "held"] /\ UNCHANGED count
Leave(p) == \/ pc[p] = "held" /\ owner' = None /\ pc' = [pc EXCEPT ![p] = "out"]
               /\ count' = (count + 1) % Limit
            \/ pc[p] = "held" /\ FALSE /\ UNCHANGED vars
Step(p) == Ask(p) \/ Enter(p) \/ Leave(p)
Next == \E p \in Procs : Step(p)
Spec == Init /\ [][Next]_vars
Fair == Spec /\ \A p \in Procs : WF_vars(Enter(p) \/ Leave(p))
Strong == Spec /\ \A p \in Procs : SF_vars(Enter(p)) /\ WF_vars(Leave(p))
Narrow == Spec /\ \A p \in Procs : SF_owner(Enter(p) /\ count >= 0) /\ WF_vars(Leave(p))
TypeOK == /\ owner \in Procs \cup {None}
          /\ \A p \in Procs : pc[p] \in {"out", "in", "held"}
          /\ count \in 0 .. Limit
Exclusive == \A p, q \in Procs : pc[p] = "held" /\ pc[q] = "held" => p = q
Small == count < 2
Served == \A p \in Procs : pc[p] = "in" ~> pc[p] = "held"
Boxed == [](\A p \in Procs : pc[p] = "in" => count < Limit)
Grows == [][count' >= count]_count
Wraps == [][count' = (count + 1) % Limit]_count
Again == []<>(owner = None)
Stays == <>[](count = 0)
Once == <>(count = 1)
Promised == \A p \in Procs : [](pc[p] = "in" => <>(owner = p))
Begins == count = 0 /\ owner = None
BeginsWrong == count = 1
Both == []TypeOK /\ []<>(owner = None)
Symmetric == Permutations(Procs)
Abs == INSTANCE Turns WITH who <- owner, Nobody <- None
Refined == Abs!Spec
Refuted == Abs!Eager
"""
TURNS = module_of(
    r"""CONSTANTS Procs, Nobody
VARIABLE who
Init == who = Nobody
Take == who = Nobody /\ who' \in Procs
Drop == who # Nobody /\ who' = Nobody
Spec == Init /\ [][Take \/ Drop]_who
Eager == who \in Procs /\ [][Take \/ Drop]_who
""",
    name="Turns",
)
HEAD = "CONSTANTS Procs = {p1, p2, p3} Limit = 3 None = None\nCHECK_DEADLOCK FALSE\n"

COUNTER = r"""EXTENDS Naturals
VARIABLES x, y
Init == x \in 0 .. 1 /\ y = 0
Up == x < 4 /\ x' = x + 1 /\ y' \in {y, 1 - y}
Next == Up \/ (x = 2 /\ x' = 0 /\ y' = y)
Bound == x < 3
Even == x % 2 = 0 \/ y >= 0
Never == x # 3
Spec == Init /\ [][Next]_<<x, y>>
"""


def lock(cfg: str, *figures: int, wrong: dict[str, int | None] | None = None) -> Row:
    """A row of the module above."""
    return Row(LOCK, HEAD + cfg, *(figures or (0, 0, 0)), wrong or {}, (TURNS,))  # type: ignore[arg-type]


ROWS = {
    "safety": lock("SPECIFICATION Spec INVARIANTS TypeOK Exclusive", 60, 11, 145),
    "an invariant that fails": lock("SPECIFICATION Spec INVARIANT Small", wrong={"Small": 7}),
    "symmetry": lock("SPECIFICATION Spec INVARIANT TypeOK SYMMETRY Symmetric", 21, 11, 55),
    "INIT and NEXT": lock("INIT Init NEXT Next INVARIANT TypeOK", 60, 11, 145),
    "weak fairness": lock("SPECIFICATION Fair PROPERTY Served", wrong={"Served": None}),
    "strong fairness": lock("SPECIFICATION Strong PROPERTIES Served Promised", 60, 11, 145),
    "fairness by itself": lock("SPECIFICATION Narrow PROPERTIES Served Again", 60, 11, 145),
    "no fairness": lock("SPECIFICATION Spec PROPERTY Again", wrong={"Again": None}),
    "<>[]": lock("SPECIFICATION Strong PROPERTY Stays", wrong={"Stays": None}),
    "<>": lock("SPECIFICATION Strong PROPERTY Once", wrong={"Once": None}),
    "[]P": lock("SPECIFICATION Spec PROPERTY Boxed", 60, 11, 145),
    "[][A]_v": lock("SPECIFICATION Spec PROPERTY Wraps", 60, 11, 145),
    "[][A]_v fails": lock("SPECIFICATION Spec PROPERTY Grows", wrong={"Grows": 10}),
    "of the initial state": lock("SPECIFICATION Spec PROPERTY Begins", 60, 11, 145),
    "of the initial state, fails": lock("SPECIFICATION Spec PROPERTY BeginsWrong", wrong={"BeginsWrong": 1}),
    "refinement": lock("SPECIFICATION Spec PROPERTY Refined", 60, 11, 145),
    "refinement that fails at once": lock("SPECIFICATION Spec PROPERTY Refuted", wrong={"Refuted": 1}),
    "deadlock": Row(COUNTER, "INIT Init NEXT Next", 10, 4, 20, {"Deadlock": 4}),
    "no deadlock asked": Row(COUNTER, "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Even", 10, 4, 20),
    "constraint": Row(COUNTER, "INIT Init NEXT Next CONSTRAINT Bound INVARIANT Even", 6, 3, 16),
    "outside of a constraint": Row(
        COUNTER, "INIT Init NEXT Next CONSTRAINT Bound INVARIANT Never", 6, 3, 16, {"Never": 3}
    ),
}


def checked(row: Row) -> Any:
    model = module_of_text(module_of(row.text), row.cfg, row.others)
    return check(model(), engine="local", symmetry="SYMMETRY" in row.cfg)


@pytest.mark.parametrize("name", ROWS)
def test_figures_and_verdicts_are_those_of_tlc(name):
    row = ROWS[name]
    result = checked(row)
    found = {verdict.name: verdict.trace_states for verdict in result.verdicts if verdict.holds is False}
    assert found.keys() == row.wrong.keys()
    assert all(states is None or found[name] == states for name, states in row.wrong.items())
    if not row.wrong:
        assert (result.distinct, result.depth, result.generated) == (row.distinct, row.depth, row.generated)
