"""Where most members of a set cannot matter, whatever the state is, their cells are not read."""

import pytest

from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.kernel import ModelError
from workbench.kernel.meaning.state import Reads, row_of
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.machine import TlaMachine
from workbench.tlaplus.machine.specification import module_of_text

MESSAGES = module_of(
    r"""EXTENDS Naturals, FiniteSets
CONSTANT Strange
VARIABLES msgs, n, got
vars == <<msgs, n, got>>
IsAck(m) == m.type = "ack"
Init == msgs = {} /\ n = 0 /\ got = {}
Ask == n < 4 /\ msgs' = msgs \cup {[type |-> "ask", of |-> n]} /\ n' = n + 1 /\ UNCHANGED got
Odd == Strange /\ n = 2 /\ msgs' = msgs \cup {[kind |-> "odd"]} /\ UNCHANGED <<n, got>>
Answer == \E k \in {"ack"}, m \in msgs :
    m.type = "ask" /\ msgs' = msgs \cup {[type |-> k, of |-> m.of]} /\ UNCHANGED <<n, got>>
Acks == {m \in msgs : IsAck(m)}
Handle(least, m) == m.of > least /\ m \notin got /\ got' = got \cup {m} /\ UNCHANGED <<msgs, n>>
Take == \E least \in {0} : \E m \in Acks : Handle(least, m)
Next == Ask \/ Odd \/ Answer \/ Take
Spec == Init /\ [][Next]_vars
Bounded == \A m \in msgs : m.type = "ack" => m.of < n
Some == \E m \in msgs : m.type = "ack" /\ m.of = 2
NoThird == Cardinality({m \in msgs : m.type = "ack" /\ m.of \in 0 .. n}) < 3
"""
)


def machine(strange: bool = False) -> TlaMachine:
    cfg = "CONSTANT Strange = FALSE SPECIFICATION Spec INVARIANTS Bounded NoThird CHECK_DEADLOCK FALSE"
    return module_of_text(MESSAGES, cfg)(Strange=strange)


@pytest.fixture(params=[0, 4], ids=["one cell each", "spread"])
def cells(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(sample, "MOST_STATES", request.param)


def test_figures_and_verdicts_are_the_same(cells: None) -> None:
    result = check(machine())
    assert (result.distinct, result.depth, result.generated) == (81, 12, 380)  # TLC's
    assert {one.name: one.holds for one in result.verdicts} == {"Bounded": True, "NoThird": False}
    assert result["NoThird"].trace is not None
    assert len(result["NoThird"].trace) == 7


def test_a_member_for_which_the_test_has_no_value_counts_only_where_it_is(cells: None) -> None:
    with pytest.raises(ModelError, match="type"):
        check(machine(strange=True))


def test_only_cells_of_members_that_may_matter_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "MOST_STATES", 4)
    made = machine()
    (start,) = made.initial_states()
    for name, kind in {"Answer": "ask", "Handle": "ack"}.items():
        (instance,) = [one for one in made.instances if one.action.name == name]
        reads = Reads(row_of(start))
        assert instance.run(reads)[0] == []
        indices = [made.layout.cells[cell].index for cell in reads if made.layout.cells[cell].variable == "msgs"]
        members = [member for path in indices if path for member in path if member is not None]
        assert {member['"type"'] for member in members} == {f'"{kind}"'}
        assert min(member['"of"'] for member in members) == (1 if name == "Handle" else 0)
