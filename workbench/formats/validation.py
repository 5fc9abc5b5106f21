"""Whether a recorded behaviour is one of a model; if not, at which state, and why.

A recording may show only some of the cells. What is kept while reading it is therefore the *set* of model states that
agree with everything recorded so far; the recording is a behaviour as long as that set is not empty.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbench.kernel import InputError, Map, Model, State, Trace, replay
from workbench.kernel.actions import ActionInstance, outcome_label
from workbench.kernel.state import Cell
from workbench.kernel.trace import Move
from workbench.kernel.values import counted, show, sort_key

MOST_CANDIDATES = 100_000
_MOST_SHOWN = 12


def is_same(recorded: Any, value: Any) -> bool:
    """Whether a value of a model is the one that was recorded: equal, and TRUE only where TRUE was recorded, and not 1.

    Examples
    --------
    >>> is_same((1, True), (1, True)), is_same((1, True), (1, 1))
    (True, False)
    """
    return bool(recorded == value) and _is_same_inside(recorded, value)


def _is_same_inside(one: Any, equal: Any) -> bool:
    if isinstance(one, int):
        return isinstance(one, bool) == isinstance(equal, bool)
    if isinstance(one, tuple):
        return all(map(_is_same_inside, one, equal))
    if isinstance(one, frozenset):
        return all(map(_is_same_inside, sorted(one, key=sort_key), sorted(equal, key=sort_key)))
    if isinstance(one, Map):  # which is iterated in the order of its keys
        return all(map(_is_same_inside, one, equal)) and all(map(_is_same_inside, one.values(), equal.values()))
    return True


class Observation(NamedTuple):
    """One recorded state: the cells that were seen, by position in the layout, and the action that led to it."""

    cells: dict[int, Any]
    action: str | None = None

    def agrees(self, state: State) -> bool:
        return all(is_same(value, state.values[cell]) for cell, value in self.cells.items())


class Recording(NamedTuple):
    """Recorded states in order, and the index of the one to which the behaviour returns after the last, if any."""

    states: list[Observation]
    loop: int | None = None


class Difference(NamedTuple):
    """A cell in which what was recorded is not what the model has."""

    cell: Cell
    recorded: Any
    model: Any


class Nearest(NamedTuple):
    """The step of the model that comes closest to a recorded state (no label: an initial state)."""

    label: str
    differences: list[Difference]


@dataclass(frozen=True)
class Report:
    """What :func:`validate` found.

    Attributes
    ----------
    valid : bool
    states : int
        How many states of the recording are a behaviour of the model.
    candidates : int
        How many states of the model agree with the recording up to the last of them.
    trace : Trace or None
        A behaviour of the model that agrees with those states.
    failed : int or None
        The number, from 1, of the first state that does not follow.
    why : str or None
        Why it does not, in one line.
    enabled : list of str
        The steps that the model may take instead.
    nearest : Nearest or None
    remarks : list of str
        What of the recording was not used.
    """

    valid: bool
    states: int
    candidates: int = 0
    trace: Trace | None = None
    failed: int | None = None
    why: str | None = None
    enabled: list[str] = field(default_factory=list)
    nearest: Nearest | None = None
    remarks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if self.valid:
            lines = [f"a behaviour of the model: {counted(self.states, 'state')}"]
            if self.candidates > 1:
                lines.append(f"  {self.candidates:,} states of the model agree with the last one recorded")
        else:
            lines = [f"not a behaviour of the model: {self.why}"]
            if self.enabled:
                more = f", and {len(self.enabled) - _MOST_SHOWN} more" if len(self.enabled) > _MOST_SHOWN else ""
                lines.append(f"  enabled there: {', '.join(self.enabled[:_MOST_SHOWN])}{more}")
            if self.nearest:
                lines.append(f"  nearest: {self.nearest.label}, but")
                for cell, recorded, value in self.nearest.differences:
                    lines.append(f"    {cell} is {show(value)}, recorded as {show(recorded)}")
        return "\n".join(lines + [f"  note: {remark}" for remark in self.remarks])


def validate(model: Model, recording: Recording, stutter: bool = False) -> Report:
    """Check that a recording is a behaviour of `model`: an initial state, then one step after the other.

    Parameters
    ----------
    stutter : bool
        Between two recorded states the model may take any number of steps, also none, that change nothing of what is
        recorded. For logs that are written at some steps only.

    Notes
    -----
    An action that a state names must be the step that leads to it. Returning to the loop is a step as any other; where
    the last state is itself the loop, the behaviour stops for ever. Fairness is not judged.
    """
    tracker = _Tracker(model, recording, stutter)
    here = recording.states[0]
    candidates: _Candidates = {s: _Origin(i) for i, s in enumerate(model.initial_states()) if here.agrees(s)}
    if not candidates:
        nearest = _nearest(model, ((f"initial state {i + 1}", s) for i, s in enumerate(model.initial_states())), here)
        why = f"state 1 is not an initial state of {model.name}"
        return Report(False, 0, failed=1, why=why, nearest=nearest, remarks=tracker.remarks)
    last = len(recording.states) - 1
    layers = [candidates]
    for index in range(1, last + 1):
        following = tracker.advance(layers[-1], index - 1, index)
        if not following:
            return tracker.failure(layers[-1], index - 1, index)
        layers.append(following)
    if recording.loop is not None and recording.loop < last:
        failure = tracker.go_round(layers, recording.loop)
        if failure:
            return failure
    trace = _witness(model, layers[-1])
    return Report(True, len(layers), len(layers[-1]), trace, remarks=tracker.remarks)


class _Origin(NamedTuple):
    """How a candidate was reached: from an initial state, or by a move from another candidate."""

    start: int
    before: "_Origin | None" = None
    move: Move | None = None


_Candidates = dict[State, _Origin]


class _Tracker:
    """Follows the states of a model that agree with a recording."""

    def __init__(self, model: Model, recording: Recording, stutter: bool) -> None:
        self.model, self.observations, self.stutter = model, recording.states, stutter
        self.remarks = []
        for number, observation in enumerate(self.observations[1:], start=2):
            if observation.action is not None and not self._is_ours(observation.action):
                self.remarks.append(f"state {number}: {observation.action!r} is no action of the model and is not used")

    def _is_ours(self, label: str) -> bool:
        return label.partition("(")[0] in self.model.declared_actions

    def steps(self, state: State) -> Iterator[tuple[Move, ActionInstance, str, State]]:
        for instance in self.model.instances:
            for ordinal, (outcome, successor) in enumerate(self.model.outcomes(instance, state)):
                yield Move(instance.number, ordinal), instance, outcome_label(instance, outcome), successor

    def advance(self, candidates: _Candidates, here: int, there: int, closing: bool = False) -> _Candidates:
        """The candidates for observation `there` that follow one for observation `here`."""
        observation, label = self.observations[there], None if closing else self.observations[there].action
        if label is not None and not self._is_ours(label):
            label = None
        following: _Candidates = {}
        for state, origin in self._reach(candidates, here).items():
            if self.stutter and label is None and observation.agrees(state):
                following.setdefault(state, origin)
            for move, instance, step, successor in self.steps(state):
                if observation.agrees(successor) and label in (None, step, instance.label, instance.action.name):
                    following.setdefault(successor, _Origin(origin.start, origin, move))
            self._check_bound(following, there)
        return following

    def _reach(self, candidates: _Candidates, here: int) -> _Candidates:
        """With stuttering also what the candidates lead to by steps that leave the observation as it is."""
        if not self.stutter:
            return candidates
        reached, queue, observation = dict(candidates), deque(candidates), self.observations[here]
        while queue:
            state = queue.popleft()
            for move, _, _, successor in self.steps(state):
                if successor not in reached and observation.agrees(successor):
                    reached[successor] = _Origin(reached[state].start, reached[state], move)
                    queue.append(successor)
            self._check_bound(reached, here)
        return reached

    def _check_bound(self, candidates: _Candidates, index: int) -> None:
        if len(candidates) > MOST_CANDIDATES:
            raise InputError(
                f"more than {MOST_CANDIDATES:,} states of {self.model.name} agree with the recording at state "
                f"{index + 1}; it takes one that shows more variables"
            )

    def go_round(self, layers: list[_Candidates], loop: int) -> Report | None:
        """Follow the loop until the candidates at its beginning repeat; what failed, if they run out."""
        seen: set[frozenset[State]] = set()
        candidates, at, last = layers[loop], loop, len(layers) - 1
        while at != loop or frozenset(candidates) not in seen:
            if at == loop:
                seen.add(frozenset(candidates))
            there = loop if at == last else at + 1
            following = self.advance(candidates, at, there, closing=at == last)
            if not following:
                return self.failure(candidates, at, there, closing=at == last)
            candidates, at = following, there
        return None

    def failure(self, candidates: _Candidates, here: int, there: int, closing: bool = False) -> Report:
        """Why nothing follows `candidates`."""
        observation = self.observations[there]
        reach = self._reach(candidates, here)
        steps = named = [step for state in reach for step in self.steps(state)]
        why = f"no step leads from state {here + 1} {'back ' if closing else ''}to state {there + 1}"
        if observation.action is not None and self._is_ours(observation.action) and not closing:
            why += f" by {observation.action}: {self._why_not(observation.action, reach)}"
            named = [step for step in steps if _may_be(step[1], observation.action)]
        elif not steps:
            why += ": nothing is enabled"
        elif observation.cells == self.observations[here].cells and not self.stutter:
            why += ", which is the same (a step that changes nothing counts only with stuttering allowed)"
        return Report(
            valid=False,
            states=len(self.observations) if closing else there,
            candidates=len(candidates),
            trace=_witness(self.model, candidates),
            failed=there + 1,
            why=why,
            enabled=list(dict.fromkeys(label for _, _, label, _ in steps)),
            nearest=_nearest(self.model, ((label, after) for _, _, label, after in named or steps), observation),
            remarks=self.remarks,
        )

    def _why_not(self, label: str, states: Iterable[State]) -> str:
        """What the model says against the action called `label`."""
        named = [i for i in self.model.instances if _may_be(i, label)]
        if not named:
            name = label.partition("(")[0]
            if name not in self.model.actions:
                return "these constants switch it off"
            known = [i.label for i in self.model.instances if i.action.name == name]
            return f"there is no such step; there is {', '.join(known[:_MOST_SHOWN])}"
        whys = [self.model.why_disabled(instance, state) for state in states for instance in named]
        if None in whys:
            return "it is enabled, but leads elsewhere"
        return "; ".join(dict.fromkeys(why for why in whys if why))


def _may_be(instance: ActionInstance, label: str) -> bool:
    """Whether `label` names the instance: alone, by its action, or with what was chosen in it."""
    with_choice = f"{instance.label[:-1]}, " if instance.arguments else f"{instance.label}("
    return label in (instance.label, instance.action.name) or label.startswith(with_choice)


def _nearest(model: Model, options: Iterable[tuple[str, State]], observation: Observation) -> Nearest | None:
    """The option that differs from the observation in the fewest cells."""
    cells = model.layout.cells

    def compare(label: str, state: State) -> Nearest:
        pairs = [(cell, value, state.values[cell]) for cell, value in observation.cells.items()]
        return Nearest(label, [Difference(cells[c], v, other) for c, v, other in pairs if not is_same(v, other)])

    compared = [compare(label, state) for label, state in options]
    return min(compared, key=lambda near: len(near.differences), default=None)


def _witness(model: Model, candidates: _Candidates) -> Trace:
    """A behaviour of the model that leads to one of the candidates."""
    origin: _Origin | None = next(iter(candidates.values()))
    assert origin is not None
    start, moves = origin.start, []
    while origin is not None and origin.move is not None:
        moves.append(origin.move)
        origin = origin.before
    return replay(model, start, moves[::-1])
