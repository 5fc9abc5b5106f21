"""A second counterexample that differs from the first."""

from typing import Any

import pytest

from workbench.checking.spaces.space import explore
from workbench.kernel import Trace
from workbench.showing.session import Session, opening
from workbench.showing.session.more_counterexamples import another


def found(name: str) -> tuple[Any, Any]:
    settings = opening(name, {})
    space = explore(settings.model(), settings.applicable())
    return space, space.result.violated[0]


def expected(trace: Trace | None) -> Trace:
    assert trace is not None
    return trace


def ends(trace: Any) -> str:
    return trace.steps[-1].label


def test_it_ends_with_another_action_or_else_with_another_process() -> None:
    space, verdict = found("paimon")
    known: list[Trace] = []
    for _ in range(3):
        known.append(expected(another(space, verdict, known)))
    assert [ends(verdict.trace), *map(ends, known)] == ["commit(w1)", "commit(w0)", "commit(c0)", "commit(c1)"]
    assert len(known[0]) == len(verdict.trace), "it is a shortest one"
    clauses = space.model.predicates(verdict.name)
    for trace in known:
        held = [all(one.holds(state) for one in clauses) for state in trace.states]
        assert held.index(False) == len(trace) - 1


def test_where_there_is_no_other_that_is_the_answer() -> None:
    space, verdict = found("hudi")
    first = expected(another(space, verdict))
    assert another(space, verdict, [first]) is None


def test_a_lasso_is_another_way_into_a_trap() -> None:
    space, verdict = found("bakery")
    assert verdict.kind == "liveness"
    first = expected(another(space, verdict))
    second = expected(another(space, verdict, [first]))
    assert first.loop is not None
    assert len({tuple(trace.moves) for trace in (verdict.trace, first, second)}) == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["DecisionsAreFinal", "IsTransactionCommit"])
def test_a_step_that_is_wrong_is_found_on_another_way(name: str) -> None:
    space, _ = found("two_phase_commit")
    verdict = space.result[name]
    other = expected(another(space, verdict))
    assert other.moves != verdict.trace.moves


@pytest.mark.slow
def test_the_session_makes_it_a_branch_and_says_when_there_is_no_other() -> None:
    session = Session(opening("hudi", {}))
    session.run()
    story = session.wait().violated[0].trace
    for tried in range(2):
        session.tell()
        session.tell_another()
        assert session.another.wait(60)
        leaves = list(session.stepper().history.leaves())
        assert len(leaves) == 2
        assert session.stepper().trace.steps[-1].label != ends(story)
        assert ("there is no other" in session.another.error) is bool(tried)
    session.run()
    session.wait()
    session.tell()
    session.tell_another()
    assert session.another.wait(60)
    assert session.another.error == "", "what was found of an earlier result is no longer known"
