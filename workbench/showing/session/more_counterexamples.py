"""A second counterexample or witness that differs from those that are known."""

from collections.abc import Sequence

import numpy as np

from workbench.checking.check import check
from workbench.checking.questions.variants import beginning_in
from workbench.checking.spaces.space import StateSpace
from workbench.kernel import Machine, Trace, Verdict, replay
from workbench.kernel.meaning.budget import Watch
from workbench.kernel.meaning.trace import Move


def another(
    space: StateSpace,
    verdict: Verdict,
    seen: Sequence[Trace] = (),
    watch: Watch = Watch(),
) -> Trace | None:
    """A behaviour that shows the same as the verdict's trace, and ends otherwise.

    Where a state decides the property, it ends with an action that ends none of the known traces, or else with another
    process's; it is a shortest such behaviour. Elsewhere, it departs from the verdict's trace as late as it can.

    Args:
        space: The states of the verdict's model, without symmetry.
        seen: Further traces that it must differ from.
        watch: Once it stops this, there is none.

    Examples:
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> from workbench.checking.spaces.space import explore
        >>> space = explore(BakeryV2(Writers=2, MaxCrashes=0, AsyncParquet=True, RestampPatch=False))
        >>> verdict = space.result["NoLakekeeperConflict"]
        >>> verdict.trace.steps[-1].label, another(space, verdict).steps[-1].label
        ('commit(w2)', 'commit(w1)')
    """
    if verdict.trace is None:
        return None
    seen = [verdict.trace, *seen]
    decided = space.model.declared.property_named(verdict.name).of_states
    return _ending(space, verdict, seen) if decided else _departing(space.model, verdict, seen, watch)


def _ending(space: StateSpace, verdict: Verdict, seen: Sequence[Trace]) -> Trace | None:
    shows = space.holds(verdict.name) == bool(verdict.holds)
    ends = np.flatnonzero(shows[space.targets] & ~shows[space.sources])
    ends = ends[np.argsort(space.levels[space.sources[ends]], kind="stable")]
    instances = space.model.instances
    of_action = [instance.action.name for instance in instances]
    of_lane = [instance.lane for instance in instances]
    last = [trace.steps[-1].move for trace in seen]
    for name_of in (of_action, of_lane):
        taken = {name_of[move.instance] for move in last if move is not None}
        for transition in ends[[name_of[instance] not in taken for instance in space.instances[ends]]].tolist():
            way = space.trace_to(int(space.sources[transition]))
            return replay(space.model, way.start, [*way.moves, space.move(transition)])
    return None


def _departing(model: Machine, verdict: Verdict, seen: Sequence[Trace], watch: Watch) -> Trace | None:
    trace, ways = seen[0], [shown.moves for shown in seen]
    for at, before in reversed(list(enumerate(trace.states))):
        for instance in model.instances:
            for ordinal, (_, after) in enumerate(model.outcomes(instance, before)):
                if after in trace.states:
                    continue
                result = check(beginning_in(model, [after]), [verdict.name], engine="local", watch=watch)
                way = result[verdict.name].trace
                if watch.stops:
                    return None
                if way is None or result[verdict.name].holds != verdict.holds:
                    continue
                moves = [*trace.moves[:at], Move(instance.number, ordinal), *way.moves]
                if moves not in ways:
                    return replay(model, trace.start, moves, None if way.loop is None else way.loop + at + 1)
    return None
