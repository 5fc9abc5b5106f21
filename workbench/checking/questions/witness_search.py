"""Find a shortest behaviour to a described state, from an initial state or from any other."""

from typing import Any

from workbench.checking.check import check
from workbench.checking.questions.variants import beginning_in, variant
from workbench.kernel import Machine, Result, Trace, invariant, machine_of, replay
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.state import Predicate

_GOAL = "NotThere"


def seek(
    model: AnyModel,
    predicate: Predicate,
    *,
    after: Trace | None = None,
    budget: Budget = Budget(),
    watch: Watch = Watch(),
) -> tuple[Trace | None, Result]:
    """A shortest behaviour to a state in which `predicate` is true.

    Args:
        predicate: A function of the state.
        after: Continue from its last state; by default the search starts in the initial states.
        budget, watch: As for :func:`workbench.checking.check.check`.

    Returns:
        The whole behaviour, including `after`, or None if no such state was found; and the result of the search. If
        that is complete, no such state exists.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> trace, _ = seek(Bakery(Writers=2), lambda s: s.decision["w2"] == "committed")
        >>> [step.label for step in trace.steps][-1], len(trace)
        ('commit(w2)', 6)
    """
    model = machine_of(model)

    def not_there(self: Machine, s: Any) -> bool:
        return not predicate(s)

    begins = model if after is None else beginning_in(model, [after.last])
    searching = variant(begins, **{_GOAL: invariant(not_there)})
    result = check(searching, [_GOAL], engine="local", fail_fast=True, budget=budget, watch=watch)
    way = result[_GOAL].trace
    if way is None:
        return None, result
    start, moves = (way.start, []) if after is None else (after.start, after.moves)
    return replay(model, start, [*moves, *way.moves]), result
