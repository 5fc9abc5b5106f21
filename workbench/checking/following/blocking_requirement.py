"""Find the one requirement that blocks an observation, by overlooking a single one at a time.

An observed step may be impossible because of a hidden step long before it, such as a wait. So each refused step is
tried as if it were allowed, as is each step that should have been visible and was not recorded; then the search looks
for the observation behind them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.checking.following.names import is_named
from workbench.checking.following.report import Nearest
from workbench.formats.recording import Observation
from workbench.kernel import Machine, ModelError, State
from workbench.kernel.meaning.state import Reads, row_of
from workbench.kernel.meaning.steps import ActionInstance, Outcome
from workbench.kernel.meaning.values import is_same

#: The most states that are expanded.
_MOST_STATES = 1000


class Rules(NamedTuple):
    """The steps allowed before an observation, as in :class:`workbench.checking.following.recording_search.Target`.

    Attributes:
        kept: A step is hidden if it changes none of these cells; None if every step is visible.
        watched: Cells that no step may change unless the observation names them.
    """

    observation: Observation
    kept: Any
    watched: frozenset[int]

    def visible(self, before: State, writes: Mapping[int, Any]) -> bool | None:
        """Whether a step is visible; None if it is not allowed."""
        changed = {cell for cell, value in writes.items() if not is_same(row_of(before)[cell], value)}
        if any(cell in self.watched and cell not in self.observation.cells for cell in changed):
            return None
        return self.kept is None or any(cell in self.kept for cell in changed)

    def arrives(self, instance: ActionInstance, outcome: Outcome, after: State, visible: bool) -> bool:
        """Whether a step leads to the observation."""
        name = self.observation.action
        named = visible if name is None else is_named(name)(instance, outcome.choices)
        return named and self.observation.agrees(after)


class _RefusedStep(NamedTuple):
    """A step refused for a single reason, with its outcome if it were allowed; a higher rank explains more.

    The rank is the number of cells read before the refusal. One counts as none: a process that is not at the step is
    refused at its first cell. Possible steps that should have been visible rank in between.
    """

    rank: int
    near: Nearest
    instance: ActionInstance
    outcome: Outcome
    before: State
    taken: int


def overlooking(
    model: Machine, reached: Sequence[tuple[int, State]], rules: Rules, most: int, pause: Callable[[], None]
) -> list[Nearest]:
    """Up to `most` steps that lack one thing each, and after which the observation follows.

    Args:
        reached: The model's possible states before the observation, each with the number of visible steps since the
            last one.
        pause: Called again and again; may raise to stop.
    """
    refused = [step for taken, state in reached for step in _refused(model, taken, state, rules)]
    nearest: dict[Any, tuple[int, int, Nearest]] = {}
    searching = _Searching(model, rules, pause)
    for step in sorted(refused, key=lambda step: -step.rank):
        if len(nearest) >= most and all(step.rank < rank for rank, _, _ in nearest.values()):
            break
        if step.near.key not in nearest:
            then = searching.after(step)
            if then is not None:
                nearest[step.near.key] = (step.rank, len(then), step.near._replace(then=tuple(then)))
        if searching.left <= 0:
            break
    ranked = sorted(nearest.values(), key=lambda entry: (-entry[0], entry[1]))
    return [near for _, _, near in ranked[:most]]


def _refused(model: Machine, taken: int, state: State, rules: Rules) -> Iterator[_RefusedStep]:
    for instance in model.instances:
        reads = Reads(row_of(state))
        outcomes, _ = instance.run(reads)
        for outcome in outcomes if rules.kept is not None else ():
            seen = tuple(
                model.layout.cells[cell]
                for cell, value in outcome.writes.items()
                if not is_same(value, row_of(state)[cell]) and (cell in rules.watched or cell in rules.kept)
            )
            if seen:
                near = Nearest(instance.label_with(outcome.choices), [], unrecorded=seen)
                yield _RefusedStep(1, near, instance, outcome, state, taken)
        if outcomes:
            continue
        rank = len(reads) if len(reads) > 1 else 0
        for outcome, lacks in instance.overlooking(row_of(state)):
            if len(lacks) == 1:
                near = Nearest(instance.label_with(outcome.choices), [], tuple(lacks))
                yield _RefusedStep(rank, near, instance, outcome, state, taken)


class _Searching:
    """Searches for the observation, visiting no state twice."""

    def __init__(self, model: Machine, rules: Rules, pause: Callable[[], None]) -> None:
        self.model, self.rules, self.pause, self.left = model, rules, pause, _MOST_STATES
        self._seen: set[tuple[State, int]] = set()

    def after(self, step: _RefusedStep) -> list[str] | None:
        """The labels of the steps from a refused step to the observation; None if it is not reached."""
        if step.near.unrecorded:
            begin = self.model.after(step.before, step.outcome), step.taken
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
                        there = [*labels, instance.label_with(outcome.choices)]
                        if further[1]:
                            return there
                        queue.append((*further[0], there))
        return None

    def _outcomes(self, instance: ActionInstance, state: State) -> list[Outcome]:
        """An instance's outcomes in a state that may be unreachable, where the model's code may fail."""
        try:
            return instance.run(row_of(state))[0]
        except ModelError:
            return []

    def _follow(
        self, instance: ActionInstance, outcome: Outcome, before: State, taken: int
    ) -> tuple[tuple[State, int], bool] | None:
        """A step's target, the visible steps so far, and whether this is the observation; None if not allowed."""
        visible = self.rules.visible(before, outcome.writes)
        if visible is None:
            return None
        after = self.model.after(before, outcome)
        if self.rules.arrives(instance, outcome, after, visible):
            return (after, taken), True
        taken += visible
        return ((after, taken), False) if taken < self.rules.observation.steps else None
