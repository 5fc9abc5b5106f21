"""Specifications whose variables are spread over learned cells: nothing but the number of calls may change."""

from typing import Any

import pytest

from tests.tlaplus.exploring import calls_in
from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.state import cells_of, row_of
from workbench.kernel.meaning.values import Map, Name
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.values.values import text

VOTES = module_of(
    r"""EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Nodes, None, Limit
VARIABLES msgs, vote, won, log, queue, kept
vars == <<msgs, vote, won, log, queue, kept>>
Init == /\ msgs = {} /\ vote = [n \in Nodes |-> None] /\ won = [n \in Nodes |-> {}]
        /\ log = <<>> /\ queue = <<>> /\ kept = [n \in Nodes |-> [at |-> 0, by |-> None]]
Ask(n) == /\ ~ \E m \in msgs : m.type = "ask" /\ m.from = n
          /\ msgs' = msgs \cup {[type |-> "ask", from |-> n]}
          /\ UNCHANGED <<vote, won, log, queue, kept>>
Grant(n) == \E m \in msgs : /\ m.type = "ask"
                            /\ vote[n] = None
                            /\ vote' = [vote EXCEPT ![n] = [to |-> m.from, at |-> Cardinality(msgs)]]
                            /\ msgs' = msgs \cup {[type |-> "grant", from |-> n, to |-> m.from]}
                            /\ UNCHANGED <<won, log, queue, kept>>
Count(n) == \E m \in msgs : /\ m.type = "grant" /\ m.to = n /\ m.from \notin won[n]
                            /\ won' = [won EXCEPT ![n] = @ \cup {m.from}]
                            /\ msgs' = msgs \ {m}
                            /\ UNCHANGED <<vote, log, queue, kept>>
Lead(n) == /\ 2 * Cardinality(won[n]) > Cardinality(Nodes) /\ n \notin DOMAIN log /\ Len(queue) < Limit
           /\ log' = log @@ (n :> won[n]) /\ queue' = Append(queue, n)
           /\ kept' = [kept EXCEPT ![n].at = @ + 1, ![n].by = n]
           /\ UNCHANGED <<msgs, vote, won>>
Work == /\ queue # <<>> /\ queue' = Tail(queue)
        /\ kept' = [kept EXCEPT ![Head(queue)].at = 0]
        /\ UNCHANGED <<msgs, vote, won, log>>
Forget(n) == /\ vote[n] # None /\ vote[n].at > 1 /\ vote' = [vote EXCEPT ![n] = None]
             /\ UNCHANGED <<msgs, won, log, queue, kept>>
Next == Work \/ \E n \in Nodes : Ask(n) \/ Grant(n) \/ Count(n) \/ Lead(n) \/ Forget(n)
Spec == Init /\ [][Next]_vars
Types == /\ \A n \in Nodes : vote[n] = None \/ vote[n].to \in Nodes
         /\ DOMAIN log \subseteq Nodes /\ Len(queue) <= Limit /\ queue \in Seq(Nodes)
         /\ \A n \in Nodes : won[n] \subseteq Nodes
One == Cardinality(DOMAIN log) <= 1
Busy == \A n \in Nodes : kept[n].at = 0
Small == Cardinality(msgs) < 4
Symmetric == Permutations(Nodes)
"""
)
HEAD = "CONSTANTS Nodes = {a, b, c} None = None Limit = 1\nSPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nCONSTRAINT Small\n"


def model_of(cfg: str) -> Any:
    return module_of_text(VOTES, HEAD + cfg)()


def figures(cfg: str, engine: str = "local", **constants: Any) -> Any:
    result = check(model_of(cfg).changed(**constants), engine=engine, symmetry="SYMMETRY" in cfg)
    verdicts = [(verdict.name, verdict.holds, verdict.trace_states) for verdict in result.verdicts]
    return (result.distinct, result.generated, result.depth, verdicts), result.figures.get("python_calls")


@pytest.mark.slow
@pytest.mark.parametrize("cfg", ["INVARIANTS Types", "INVARIANTS One Busy", "INVARIANTS Types SYMMETRY Symmetric"])
@pytest.mark.parametrize("states", [1, 10, 300])
def test_the_figures_are_those_of_one_cell_per_variable(cfg, states, monkeypatch):
    monkeypatch.setattr(sample, "MOST_STATES", 0)
    expected, more_calls = figures(cfg)
    monkeypatch.setattr(sample, "MOST_STATES", states)
    found, calls = figures(cfg)
    assert found == expected
    assert states == 1 or calls < more_calls / 2


@pytest.mark.slow
def test_the_reference_engine_finds_the_same(monkeypatch):
    monkeypatch.setattr(sample, "MOST_STATES", 10)
    cfg = "INVARIANTS Types Busy SYMMETRY Symmetric"
    assert figures(cfg, "reference", Nodes=2)[0] == figures(cfg, Nodes=2)[0]


def test_small_spaces_have_a_cell_for_each_variable():
    model = module_of_text(VOTES, HEAD.replace("{a, b, c}", "{a}"))()
    assert [str(cell) for cell in model.layout.cells] == ["msgs", "vote", "won", "log", "queue", "kept"]


@pytest.mark.slow
def test_cells_are_learned_once_for_all(monkeypatch):
    monkeypatch.setattr(sample, "MOST_STATES", 300)
    assert model_of("").layout.cells == model_of("").layout.cells


def test_a_renaming_maps_each_cell_to_that_of_the_image(monkeypatch):
    monkeypatch.setattr(sample, "MOST_STATES", 300)
    model = model_of("SYMMETRY Symmetric")
    cells = model.layout.cells
    swap = {"a": "b", "b": "a", "c": "c"}
    images = model.permuted_cells(swap)
    assert sorted(images) == list(range(len(cells)))
    a, b = Name("a"), Name("b")
    assert cells[images[cells.index(Cell("vote", (a, None)))]] == Cell("vote", (b, None))
    asked = [Map({text("type"): text("ask"), text("from"): name}) for name in (a, b)]
    assert cells[images[cells.index(Cell("msgs", (asked[0],)))]] == Cell("msgs", (asked[1],))
    assert cells[images[cells.index(Cell("msgs", None))]] == Cell("msgs", None)


def trace_of(states: int, monkeypatch: Any) -> Any:
    monkeypatch.setattr(sample, "MOST_STATES", states)
    result = check(model_of("INVARIANT Busy"), engine="local")
    return result.trace


@pytest.mark.slow
def test_people_see_variables_whole(monkeypatch):
    whole, spread = trace_of(0, monkeypatch), trace_of(300, monkeypatch)
    assert len(row_of(spread.last)) > len(row_of(whole.last)) == 6
    assert repr(spread) == repr(whole)
    assert spread.moves == whole.moves
    for one, other in zip(whole.states, spread.states, strict=True):
        assert list(cells_of(one)) == list(cells_of(other))
        assert other.msgs == one.msgs
        assert repr(other) == repr(one)
        assert other.changes_to(spread.last) == one.changes_to(whole.last)


def test_a_definition_that_goes_through_a_set_is_evaluated_once_in_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "MOST_STATES", 4)
    text = module_of(
        "EXTENDS Naturals",
        "VARIABLE f",
        "Init == f = [i \\in 1..3 |-> 0]",
        "Next == \\E i \\in 1..3 : f[i] < 3 /\\ f' = [f EXCEPT ![i] = @ + 1]",
        "Best(least) == CHOOSE i \\in 1..3 : f[i] >= least /\\ \\A j \\in 1..3 : f[i] >= f[j]",
        "Inv == \\A i \\in {n \\in 1..3 : f[n] >= 0} : f[Best(0)] >= f[i]",
    )
    made = module_of_text(text, "INIT Init NEXT Next INVARIANT Inv")()
    (judge,) = made.predicates("Inv")
    (state,) = made.initial_states()
    judge.judge(state)  # what is constant is evaluated
    assert calls_in("M.tla", lambda: judge.judge(state)) < 20  # 26 if it were evaluated for each i


@pytest.mark.parametrize("states", [0, 2])
def test_what_looks_at_the_next_state_is_evaluated_for_each_way(states, monkeypatch):
    """The answers of definitions that look at a state alone are remembered while it is stepped from."""
    monkeypatch.setattr(sample, "MOST_STATES", states)
    module = module_of(
        "EXTENDS Naturals",
        "VARIABLES x, f",
        "Init == x = 0 /\\ f = [i \\in {1, 2} |-> 0]",
        "Second == \\E i \\in {1, 2} : x' = 2 * i /\\ f[i] = f[i]",
        "Next == x' \\in {1, 2} /\\ f' = [f EXCEPT ![x'] = IF Second THEN 0 ELSE 2]",
    )
    result = check(module_of_text(module, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")())
    assert (result.distinct, result.depth, result.generated) == (4, 3, 9)
