"""Decide whether a recording is a behaviour of a model; if not, at which observation it fails, and why.

A recording may show only some of the cells. So validation keeps the *set* of model states that agree with everything
recorded so far, which :mod:`workbench.checking.following.recording_search` computes; the recording is a behaviour as
long as that set is not empty.

Such a set is a *layer*. It is closed under hidden steps, which change no watched cell; the next observation bounds the
visible ones, and the states that agree with it form the next layer. Kernels expand nodes, each a state with a small
number: of visible steps so far, or of the scenario's lines passed
(:mod:`workbench.checking.following.scenario_search`). A layer keeps only its predecessor links; they yield one
behaviour, which the model runs again. If nothing follows, actions run as if they required nothing
(``ActionInstance.overlooking``): what they lack is the reason.
"""

import itertools
import math
from collections.abc import Collection
from typing import Any

from workbench.checking.following.blocking_requirement import Rules, overlooking
from workbench.checking.following.names import is_action, is_named
from workbench.checking.following.nearest import MOST_STATES, MOST_STEPS, nearest_states, nearest_steps, why_not
from workbench.checking.following.recording_search import Layers, Target, load_layers
from workbench.checking.following.report import BehaviourPath, Nearest, Report
from workbench.checking.kernels.compiling_beside import search_at_once
from workbench.checking.local.memory import within_memory
from workbench.checking.local.search import kernels_loaded
from workbench.checking.questions.variants import beginning_in
from workbench.formats.recording import Observation, Recording
from workbench.kernel import Machine
from workbench.kernel.meaning.budget import Budget, Limits, Stop, Watch
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.trace import Move, each_step, not_again
from workbench.registry import model_of


@interruptible()
def validate(
    model: AnyModel,
    recording: Recording,
    stutter: bool = False,
    *,
    budget: Budget = Budget(),
    watch: Watch = Watch(),
    explain: bool = True,
) -> Report:
    """Check that a recording is a behaviour of `model`.

    Args:
        stutter: Allow any number of *hidden* steps between two observations: steps that change none of the cells that
            the first one saw. Without it each observation is one step, or up to as many as it allows. A recording with
            watched cells always allows hidden steps, which change none of these.
        budget: As for :func:`workbench.checking.check.check`; a state counts once per observation. By default the
            search may use most of the memory.
        watch: Its ``on_progress`` is called with a :class:`workbench.kernel.meaning.budget.Progress`, whose level is
            the observation.
        explain: Whether to explain why an observation does not follow, which may take longer than the search itself.

    Returns:
        A report, undecided if a budget ran out or the search was stopped.

    Notes:
        An action that an observation names must be the last step before it. Returning to the loop is a step like any
        other; if the last observation is itself the loop, the behaviour stops for ever. Fairness is not judged.

    Examples:
        >>> from workbench import machine_of
        >>> from workbench.protocols.bakery.model import Bakery
        >>> model = machine_of(Bakery(Writers=2, MaxCrashes=0))
        >>> ticket = model.layout.positions["next_ticket"]
        >>> print(validate(model, Recording([Observation({ticket: n}) for n in (1, 2, 3)]), stutter=True))
        a behaviour of the model: 3 states
          20 states of the model agree with the last one recorded
          it can have happened in 340 ways
        >>> validate(model, Recording([Observation({ticket: n}) for n in (1, 3)]), stutter=True).failed
        2
    """
    model = model_of(model)
    recording.check(model)
    limits = Limits(within_memory(budget), watch)

    def followed() -> Report:
        return _Validation(model, recording, stutter, limits, explain).run().of(model)

    return search_at_once(followed, load_layers, limits, small=not kernels_loaded(), rare=True)


class _Validation:
    def __init__(self, model: Machine, recording: Recording, stutter: bool, limits: Limits, explain: bool) -> None:
        begins = recording.begins
        self.model = model if isinstance(begins, str) else beginning_in(model, begins)
        self.recording, self.observations = recording, [self._possible(o) for o in recording.states]
        self.watched = recording.watched
        self.hidden = stutter or recording.watched is not None
        self.remarks = [
            f"{self.place(number)}: {observation.action!r} is not an action of the model, and is ignored"
            for number, (observation, kept) in enumerate(zip(recording.states, self.observations, strict=True))
            if number and observation is not kept
        ]
        self.limits, self.explain = limits, explain
        self.layers = Layers(self.model, limits, recording.watched, recording.irrelevant, is_named)
        self.explained = 0  # observations

    def _possible(self, observation: Observation) -> Observation:
        """The observation, without an action that the model lacks."""
        is_known = observation.action is None or is_action(self.model, observation.action)
        return observation if is_known else observation._replace(action=None)

    def place(self, index: int) -> str:
        return self.recording.states[index].source or f"state {index + 1}"

    def run(self) -> Report:
        try:
            with self.limits.in_force():
                report = self._begin() or self._follow() or self._go_round()
        except Stop as stop:
            return self._so_far(None, why=f"{stop}, at {self.place(min(self.explained, len(self.observations) - 1))}")
        self.layers.run_again()
        return report or self._explained

    # The search --------------------------------------------------------------------------------------------------

    def _begin(self) -> Report | None:
        """Make the first layer; returns a report if it is empty."""
        here, states = self.observations[0], self.model.each_initial_state()
        if self.recording.begins == "reachable":
            self.layers.begin(states)
            if self.layers.go_anywhere(here.cells):
                self.explained = 1
                return None
            where = f"in no state that {self.model.name} can reach"
            near = [("a state that it can reach", state) for _, state in self.layers.reached(here.cells, 1)]
        else:
            if self.layers.begin(states, here.agrees):
                self.explained = 1
                return None
            initial = self.recording.begins == "initial"
            where = f"not an initial state of {self.model.name}" if initial else "none of the states that it begins in"
            named = "initial state" if initial else "state to begin in"
            near = [(f"{named} {n}", state) for n, state in enumerate(self.model.each_initial_state(), start=1)]
        reason = f"{self.place(0)} is {where}"
        return Report(
            False, 0, failed=1, why=reason, closest=nearest_states(self.model, near, here), remarks=self.remarks
        )

    def _follow(self) -> Report | None:
        """Make a layer for each further observation; returns a report on the first that has none."""
        loop, last = self.recording.loop, len(self.observations) - 1
        self._at_loop = {self.layers.last()} if loop == 0 else set()
        for there in range(1, last + 1):
            if not self._advance(there - 1, there):
                return self._failure(there - 1, there)
            self.explained = there + 1
            if there == loop:
                self._at_loop.add(self.layers.last())
        self._explained = self._so_far(True)
        return None

    def _go_round(self) -> Report | None:
        """Follow the loop until the set of states at its beginning repeats; returns a report if it becomes empty."""
        loop, at, last = self.recording.loop, len(self.observations) - 1, len(self.observations) - 1
        if loop is None or loop == last:
            return None
        while True:
            there = loop if at == last else at + 1
            if not self._advance(at, there, closing=at == last):
                return self._failure(at, there, closing=at == last)
            if there == loop:
                now = self.layers.last()
                if now in self._at_loop:
                    return None
                self._at_loop.add(now)
            at = there

    def _advance(self, here: int, there: int, closing: bool = False) -> int:
        observation = self.observations[there]
        name = None if closing else observation.action
        return self.layers.advance(Target(observation.cells, self._kept(here), observation.steps, name))

    def _kept(self, here: int) -> Collection[int] | None:
        """The cells that a hidden step must not change; None if no step is hidden."""
        if self.watched is not None:
            return self.watched
        return self.observations[here].cells if self.hidden else None

    # Reports -----------------------------------------------------------------------------------------------------

    def _so_far(self, valid: bool | None, **more: Any) -> Report:
        """A report on the explained observations, with a behaviour that is run again to be sure."""
        if not self.explained:
            return Report(valid, 0, remarks=self.remarks, **more)
        start, parts = self.layers.path(0)
        moves = [move for part in parts for move in part]
        at = list(itertools.accumulate(map(len, parts), initial=0))[self.recording.begins == "reachable" :]
        self._run_again(start, moves, at)
        ways = self.layers.ways
        return Report(
            valid,
            self.explained,
            self.layers.candidates,
            None if ways is None else math.inf if math.inf in ways else sum(ways),
            BehaviourPath(self.model, start, moves),
            at[: self.explained],
            remarks=self.remarks,
            **more,
        )

    def _run_again(self, start: int, moves: list[Move], at: list[int]) -> None:
        """Raise :class:`ModelError` if the model, run again, contradicts what was memoized."""
        seen = dict(zip(at[: self.explained], self.observations, strict=False))
        for number, step in enumerate(each_step(self.model, start, moves)):
            if number in seen and not seen[number].agrees(step.state):
                raise not_again(step)

    def _failure(self, here: int, there: int, closing: bool = False) -> Report:
        """The report on why nothing follows the last layer."""
        observation, model = self.observations[there], self.model
        least = "no step leads" if observation.steps == 1 else f"no {observation.steps} steps lead"
        reason = f"{least} from {self.place(here)} {'back ' if closing else ''}to {self.place(there)}"
        if not self.explain:
            return self._so_far(False, failed=there + 1, why=reason)
        reached = self.layers.reached(observation.cells, MOST_STATES)
        states = [state for _, state in reached]
        named = observation if not closing else observation._replace(action=None)
        rules = Rules(named, self._kept(here), self.watched or frozenset())
        enabled, closest = self._closest(reached, rules)
        if named.action is not None:
            reason += f" by {named.action}: {why_not(model, named.action, states)}"
        elif enabled == []:
            reason += ": nothing is enabled"
        elif observation.cells == self.observations[here].cells and not self.hidden:
            reason += ", which is the same (a step that changes nothing counts only with stuttering allowed)"
        return self._so_far(False, failed=there + 1, why=reason, enabled=enabled or [], closest=closest)

    def _closest(self, reached: list[tuple[int, Any]], rules: Rules) -> tuple[list[str] | None, list[Nearest]]:
        """The enabled steps, and the closest ones, as far as the budget allowed."""
        enabled: list[str] | None = None
        closest: list[Nearest] = []
        states = [state for _, state in reached]
        try:
            enabled, closest = nearest_steps(self.model, states, rules.observation, rules.watched, self._pause)
            first = overlooking(self.model, reached, rules, MOST_STEPS, self._pause)
            keys = {near.key for near in first}
            closest = [*first, *(near for near in closest if near.key not in keys)][:MOST_STEPS]
        except Stop:
            pass  # that nothing follows is certain
        return enabled, closest

    def _pause(self) -> None:
        self.limits.enforce(lambda: self.layers.nbytes)
