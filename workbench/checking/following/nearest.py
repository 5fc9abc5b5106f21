"""Explain why nothing follows: find the steps closest to an observation, and the obstacle to each of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from workbench.checking.following.names import instances_of, why_none
from workbench.checking.following.report import CellDifference, Nearest
from workbench.formats.recording import Observation
from workbench.kernel import Machine, State
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.steps import ActionInstance
from workbench.kernel.meaning.values import is_same

#: The most states to try steps from, the most steps to report, and the most reasons to list.
MOST_STATES, MOST_STEPS, _MOST_REASONS = 100, 3, 6


def nearest_steps(
    model: Machine,
    states: Sequence[State],
    observation: Observation,
    watched: frozenset[int],
    pause: Callable[[], None],
) -> tuple[list[str], list[Nearest]]:
    """The steps enabled in any of `states`, and those closest to `observation`, closest first.

    Disabled steps count too, with what they lack. Changing a `watched` cell that the observation does not name is a
    difference. `pause` is called again and again, and may raise to stop.
    """
    enabled: dict[str, None] = {}
    named = None
    if observation.action is not None:
        named = set(instances_of(model, observation.action))
    ranked: dict[Any, tuple[int, int, int]] = {}
    for state in states:
        pause()
        for instance, label, writes, lacks in _options(model, state):
            if not lacks:
                enabled[label] = None
            if named and instance not in named:
                continue
            near, moves = _compare(model, label, state, writes, lacks, observation.cells, watched)
            rank = (not moves, len(near.differences) + len(lacks), len(lacks))
            key = (label, tuple(near.differences), near.lacks)
            ranked[key] = min(rank, ranked.get(key, rank))
    closest = sorted(ranked, key=lambda key: ranked[key])[:MOST_STEPS]
    return list(enabled), [Nearest(label, list(differences), lacks) for label, differences, lacks in closest]


def _options(model: Machine, state: State) -> Iterator[tuple[ActionInstance, str, Mapping[int, Any], tuple[str, ...]]]:
    """The outcomes of each instance in `state`; of a disabled one, those without requirements, and the unmet ones."""
    for instance in model.instances:
        outcomes, _ = instance.run(row_of(state))
        for outcome in outcomes:
            yield instance, instance.label_with(outcome.choices), outcome.writes, ()
        for outcome, lacks in instance.overlooking(row_of(state)):
            if lacks:
                yield instance, instance.label_with(outcome.choices), outcome.writes, tuple(lacks)


def _compare(
    model: Machine,
    label: str,
    state: State,
    writes: Mapping[int, Any],
    lacks: tuple[str, ...],
    recorded: Mapping[int, Any],
    watched: frozenset[int],
) -> tuple[Nearest, bool]:
    """The differences between a step and the recording, and whether the step would be visible."""
    cells, before, notation = model.layout.cells, row_of(state), model.layout.notation
    differences = [
        CellDifference(cells[cell], value, now, notation)
        for cell, value in recorded.items()
        if not is_same(value, now := writes.get(cell, before[cell]))
    ]
    differences += [
        CellDifference(cells[cell], before[cell], value, notation)
        for cell, value in writes.items()
        if cell in watched and cell not in recorded and not is_same(value, before[cell])
    ]
    moves = any(
        not is_same(value, before[cell]) for cell, value in writes.items() if cell in recorded or cell in watched
    )
    return Nearest(label, differences, lacks), moves


def nearest_states(model: Machine, options: Iterable[tuple[str, State]], observation: Observation) -> list[Nearest]:
    """The states that differ from `observation` in the fewest cells."""
    compared = [_compare(model, label, state, {}, (), observation.cells, frozenset())[0] for label, state in options]
    return sorted(compared, key=lambda near: len(near.differences))[:1]


def why_not(model: Machine, name: str, states: Iterable[State]) -> str:
    """The reason why the action called `name` leads from none of `states` to the observation."""
    named = instances_of(model, name)
    if not named:
        return why_none(model, name)
    disabled: dict[tuple[str, ...], tuple[ActionInstance, State]] = {}
    for state in states:
        for instance in named:
            outcomes, whys = instance.run(row_of(state))
            if outcomes:
                return "it is enabled, but leads elsewhere"
            disabled.setdefault(tuple(whys), (instance, state))
    reasons = ["; ".join(model.obstacles(*disabled[whys], whys)) for whys in [*disabled][:_MOST_REASONS]]
    more = f"; and {len(disabled) - _MOST_REASONS} other reasons" if len(disabled) > _MOST_REASONS else ""
    return "; ".join(reasons) + more
