"""What would have to be otherwise: an observation that nothing leads to, if one thing were overlooked.

The step that an observation shows may be impossible because of one long before it that leaves no trace, such as a wait.
So each step that is refused is tried as if it were not, also one that should have been seen and was not, and what may
follow is searched for the observation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.formats.recording import Observation
from workbench.guided.names import is_named
from workbench.guided.report import Nearest
from workbench.kernel import Model, ModelError, State
from workbench.kernel.instances import ActionInstance, Outcome, outcome_label
from workbench.kernel.state import Reads

#: How many states are expanded.
_MOST_STATES = 1000


class Rules(NamedTuple):
    """What may happen before an observation, as in :class:`workbench.engines.guided.Wanted`.

    Attributes:
        kept: A step is hidden if it changes none of these cells; None if every step is visible.
        watched: Cells that no step changes unless the observation names them.
    """

    observation: Observation
    kept: Any
    watched: frozenset[int]

    def is_seen(self, cell: int) -> bool:
        """Whether a change of this cell is seen."""
        return cell in self.watched or (self.kept is not None and cell in self.kept)

    def visible(self, before: State, writes: Mapping[int, Any]) -> bool | None:
        """Whether a step is visible; None if it may not happen."""
        changed = {cell for cell, value in writes.items() if before.values[cell] != value}
        if any(cell in self.watched and cell not in self.observation.cells for cell in changed):
            return None
        return self.kept is None or any(cell in self.kept for cell in changed)

    def arrives(self, instance: ActionInstance, outcome: Outcome, after: State, visible: bool) -> bool:
        """Whether a step leads to the observation."""
        name = self.observation.action
        named = visible if name is None else is_named(name)(instance, outcome.choices)
        return named and self.observation.agrees(after)


class _RefusedStep(NamedTuple):
    """A step that one thing forbids, with what it would do; the larger the rank, the more it says.

    It is the number of cells that were looked at before it was refused. One is as good as none: who is not at a step
    at all is refused at once. In between are steps that are possible, and should have been seen.
    """

    rank: int
    near: Nearest
    instance: ActionInstance
    outcome: Outcome
    before: State
    taken: int


def overlooking(
    model: Model, reached: Sequence[tuple[int, State]], rules: Rules, most: int, pause: Callable[[], None]
) -> list[Nearest]:
    """Up to `most` steps of which each lacks one thing, and after which the observation follows.

    Args:
        reached: The states in which the model may be before the observation, with the visible steps taken since the
            last one.
        pause: Called again and again; may raise to stop.
    """
    refused = [step for taken, state in reached for step in _refused(model, taken, state, rules)]
    found: dict[Any, tuple[int, int, Nearest]] = {}
    searching = _Searching(model, rules, pause)
    for step in sorted(refused, key=lambda step: -step.rank):
        if len(found) >= most and all(step.rank < rank for rank, _, _ in found.values()):
            break
        if step.near.key not in found:
            then = searching.after(step)
            if then is not None:
                found[step.near.key] = (step.rank, len(then), step.near._replace(then=tuple(then)))
        if searching.left <= 0:
            break
    ranked = sorted(found.values(), key=lambda one: (-one[0], one[1]))
    return [near for _, _, near in ranked[:most]]


def _refused(model: Model, taken: int, state: State, rules: Rules) -> Iterator[_RefusedStep]:
    for instance in model.instances:
        reads = Reads(state.values)
        outcomes, _ = instance.run(model.draft(), reads)
        for outcome in outcomes:
            seen = tuple(
                model.layout.cells[cell]
                for cell, value in outcome.writes.items()
                if value != state.values[cell] and rules.is_seen(cell)
            )
            if seen and rules.kept is not None:
                near = Nearest(outcome_label(instance, outcome), [], unrecorded=seen)
                yield _RefusedStep(1, near, instance, outcome, state, taken)
        if outcomes:
            continue
        rank = len(reads) if len(reads) > 1 else 0
        for outcome, lacks in instance.overlooking(model.draft(), state.values):
            if len(lacks) == 1:
                near = Nearest(outcome_label(instance, outcome), [], tuple(lacks))
                yield _RefusedStep(rank, near, instance, outcome, state, taken)


class _Searching:
    """Looks for the observation, in no state twice."""

    def __init__(self, model: Model, rules: Rules, pause: Callable[[], None]) -> None:
        self.model, self.rules, self.pause, self.left = model, rules, pause, _MOST_STATES
        self._seen: set[tuple[State, int]] = set()

    def after(self, step: _RefusedStep) -> list[str] | None:
        """The labels of the steps that lead to the observation after a step that was refused; None if none do."""
        if step.near.unrecorded:
            begin = self._after(step.before, step.outcome), step.taken
        else:
            first = self._follow(step.instance, step.outcome, step.before, step.taken)
            if first is None or first[1]:
                return None if first is None else []
            begin = first[0]
        queue: list[tuple[State, int, list[str]]] = [(*begin, [])]
        for state, taken, labels in queue:
            if (state, taken) in self._seen:
                continue
            self._seen.add((state, taken))
            self.left -= 1
            self.pause()
            if self.left <= 0:
                return None
            for instance in self.model.instances:
                for outcome in self._outcomes(instance, state):
                    further = self._follow(instance, outcome, state, taken)
                    if further is not None:
                        there = [*labels, outcome_label(instance, outcome)]
                        if further[1]:
                            return there
                        queue.append((*further[0], there))
        return None

    def _outcomes(self, instance: ActionInstance, state: State) -> list[Outcome]:
        """What an instance may do in a state, which may be one that the model cannot be in: there its code may fail."""
        try:
            return instance.run(self.model.draft(), state.values)[0]
        except ModelError:
            return []

    def _follow(
        self, instance: ActionInstance, outcome: Outcome, before: State, taken: int
    ) -> tuple[tuple[State, int], bool] | None:
        """Where a step leads, with the visible steps by then, and whether that is the observation; None if nowhere."""
        visible = self.rules.visible(before, outcome.writes)
        if visible is None:
            return None
        after = self._after(before, outcome)
        if self.rules.arrives(instance, outcome, after, visible):
            return (after, taken), True
        taken += visible
        return ((after, taken), False) if taken < self.rules.observation.steps else None

    def _after(self, before: State, outcome: Outcome) -> State:
        values = list(before.values)
        for cell, value in outcome.writes.items():
            values[cell] = value
        return self.model.state(values)
