"""Steps by hand: which are possible in a state and which not, at random, or along a shortest way to a state."""

import itertools
import random
import threading
from collections.abc import Callable
from typing import Any, Literal

from workbench.checking.following.scenario import scenario
from workbench.checking.questions.witness_search import seek
from workbench.formats.expression import Expression
from workbench.formats.permalink import follow_permalink
from workbench.kernel import InputError, Machine, ModelError, State, Trace, replay
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.trace import Move, Options, options
from workbench.showing.session.events import Events
from workbench.showing.session.history import History
from workbench.showing.session.jobs import Aside, Job

#: The most initial states that a person is offered; others are reached by a condition, from the beginning.
MOST_STARTS = 200


class Stepper:
    """A history that grows step by step.

    Args:
        what: A model, or a behaviour to go on from.
        step: The index of the behaviour's state to begin at; by default, the last one.
        lock: The lock of the session that it belongs to.

    Attributes:
        history (History): Every state visited since the start, beginning with the chosen initial state.
        search (Aside): The search for a state to go to, if there is one.
        remark (str): A warning about the condition that led to the current state; "" for none.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> stepper = Stepper(Bakery(Writers=2))
        >>> stepper.take("node_startup(w1)")
        >>> stepper.undo()
        >>> stepper.take("node_startup(w2)")
        >>> [node.step.label for node in stepper.history.leaves()], stepper.trace.steps[-1].label
        (['node_startup(w1)', 'node_startup(w2)'], 'node_startup(w2)')
    """

    def __init__(self, what: AnyModel | Trace, step: int | None = None, lock: Any = None) -> None:
        self.lock = lock or threading.RLock()
        self.search = Aside(self.lock)
        self.search.on_change(self._search_changed)
        self._events = Events[Literal["moved"]]()
        self._histories: dict[int, History] = {}  # by the initial state that is their root
        self.remark = ""
        self.start(what, step)

    def on_move(self, call: Callable[[], None]) -> Callable[[], None]:
        """Call `call` whenever the state or the history changes. Returns a function that unsubscribes it."""
        return self._events.on("moved", call)

    def _moved(self, remark: str = "") -> None:
        self.remark = remark
        self._events.tell("moved")

    # Where one is --------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Machine:
        return self.history.model

    @property
    def at(self) -> int:
        """The index in :attr:`trace` of the present state."""
        return self.history.current.depth

    @property
    def state(self) -> State:
        """The present state."""
        return self.history.current.step.state

    @property
    def trace(self) -> Trace:
        """The branch in sight: the behaviour so far, and the steps undone last."""
        trace = self.history.trace(self.history.tip)
        return self._origin if self._origin.steps == trace.steps else trace

    @property
    def origin(self) -> Trace:
        """The behaviour that was begun with."""
        return self._origin

    def starts(self) -> dict[int, State]:
        """The initial states to choose from, by number: the first ones, and the one begun in."""
        first = itertools.islice(self.model.each_initial_state(), MOST_STARTS)
        return {**dict(enumerate(first)), self.history.start: self.history.nodes[0].step.state}

    def options(self, state: State | None = None) -> list[Options]:
        """The possible steps of each action instance, in `state` or in the present one."""
        return options(self.model, self.state if state is None else state)

    # Steps ---------------------------------------------------------------------------------------------------------

    def start(self, what: AnyModel | Trace, step: int | None = None) -> None:
        """Start over with a model, or with a behaviour to continue from."""
        with self.lock:
            self.search.cancel()
            trace = what if isinstance(what, Trace) else replay(what, 0, [])
            self._origin = trace  # the loop of a lasso is shown while the current state is on it
            self.history = History.along(trace, step)
            self._histories = {trace.start: self.history}
            self._moved()

    def show(self, trace: Trace, step: int) -> None:
        """Go to a step of a behaviour: as a branch if somebody has taken steps by hand, otherwise by starting over."""
        with self.lock:
            by_hand = len(self.history.nodes) > len(self._origin)
            if by_hand and self.model.constants == trace.model.constants:
                self.branch(trace, step)
            else:
                self.start(trace, step)

    def branch(self, trace: Trace, step: int) -> None:
        """Go to a step of a behaviour, which becomes a branch."""
        with self.lock:
            self.search.cancel()
            self._follow(trace, "")
            self._origin = trace
            self.jump(step)

    def begin(self, number: int) -> None:
        """Start from the initial state with this number. Branches from other initial states are kept for later.

        Raises:
            InputError: If there is no such state.
        """
        with self.lock:
            self.search.cancel()
            try:
                trace = replay(self.model, number, [])
            except ModelError as error:
                raise InputError(str(error)) from None
            self._root(trace)
            self._moved()

    def _root(self, trace: Trace) -> None:
        """Go to the initial state that `trace` begins in."""
        history = History(trace.model, trace.start, trace.steps[0])
        self.history = self._histories.setdefault(trace.start, history)
        self.history.go(0)

    def open(self, line: str) -> tuple[str, ...]:
        """Start over with the trace of a permalink; returns its watches, without running them.

        Raises:
            InputError: If the line is not a permalink of this model.
        """
        trace, link = follow_permalink(line, type(self.model.author))
        self.start(trace, link.step)
        return link.watches

    def take(self, step: str | Move) -> None:
        """Take one of the enabled steps, given as a move or by its label.

        Raises:
            InputError: If it is not enabled.
        """
        with self.lock:
            self.search.cancel()
            possible = [step for option in self.options() for step in option.steps]
            chosen = [candidate for candidate in possible if step in (candidate.label, candidate.move)]
            if not chosen:
                labels = ", ".join(candidate.label for candidate in possible)
                asked = repr(step) if isinstance(step, str) else f"number {step.instance}.{step.outcome}"
                raise InputError(f"step {asked} is not enabled; enabled: {labels or 'none'}")
            self.history.add(chosen[0])
            self._moved()

    def undo(self) -> None:
        """Go one step back."""
        self.jump(self.at - 1)

    def jump(self, index: int) -> None:
        """Go to the state with this index in :attr:`trace`; the states after it stay visible."""
        with self.lock:
            path = self.history.tip.path
            self.go_to(path[max(0, min(index, len(path) - 1))].number)

    def go_to(self, number: int) -> None:
        """Go to a node of the history."""
        with self.lock:
            self.history.go(number)
            self._moved()

    def name(self, number: int, name: str) -> None:
        """Name a node of the history; "" removes its name."""
        with self.lock:
            self.history.name(number, name)
            self._moved()

    def walk(self, steps: int, seed: int | None = None) -> None:
        """Take steps at random, until none is possible."""
        with self.lock:
            self.search.cancel()
            chance = random.Random(seed)
            for _ in range(steps):
                possible = [step for option in self.options() for step in option.steps]
                if not possible:
                    break
                self.history.add(chance.choice(possible))
            self._moved()

    def go(self, condition: str | Callable[[Any], Any], *, anew: bool = False, budget: Budget = Budget()) -> None:
        """Go to a state where `condition` is true, by a shortest path.

        Args:
            condition: A function of the state, or a Python expression over ``s`` and the constants.
            anew: Start in an initial state instead of the current one.
            budget: The budget of the search.

        Raises:
            InputError: For an expression that is not accepted, or if there is no such state.
        """
        self._follow(*self._way(condition, anew, Job(), budget))

    def find(self, condition: str, *, anew: bool = False) -> None:
        """:meth:`go` in a thread; :attr:`search` reports on it."""
        self.search.cancel()
        self.search.start(object(), "Searching", lambda job: self._way(condition, anew, job))

    def tell(self, lines: str, *, budget: Budget = Budget()) -> None:
        """Start over with a shortest behaviour that follows the lines of a scenario.

        Args:
            lines: Each a step or a condition; see :mod:`workbench.checking.following.scenario`.
            budget: The budget of the search.

        Raises:
            InputError: With the reason, for a line that is not accepted or cannot come next.
        """
        self._follow(*self._story(lines, Job(), budget))

    def find_story(self, lines: str) -> None:
        """:meth:`tell` in a thread; :attr:`search` reports on it."""
        self.search.cancel()
        self.search.start(object(), "Searching", lambda job: self._story(lines, job))

    def close(self) -> None:
        """End all work."""
        self.search.cancel()

    def _search_changed(self) -> None:
        if self.search.outcome is not None:
            self._follow(*self.search.outcome)

    def _follow(self, trace: Trace, remark: str) -> None:
        """Go to the end of a behaviour, along existing branches as far as they go."""
        with self.lock:
            self._root(trace)
            for step in trace.steps[1:]:
                self.history.add(step)
            self.history.tip = self.history.current
            self._moved(remark)

    def _way(self, condition: Any, anew: bool, job: Job, budget: Budget = Budget()) -> tuple[Trace, str]:
        model, remark, predicate = self.model, "", condition
        if isinstance(condition, str):
            expression = Expression(model, condition)
            predicate, remark = expression.holds, expression.remark or ""
        after = None if anew else self.history.trace(self.history.current)
        trace, result = seek(model, predicate, after=after, budget=budget, watch=job.watch())
        if trace is not None:
            return trace, remark
        where = "from the beginning" if anew else "from this state"
        if result.within is not None:
            where += f" within {result.within}"
        if result.complete:
            raise InputError(f"no such state can be reached {where}; there are {result.distinct:,} states")
        raise InputError(f"no such state was found {where} among {result.distinct:,} states: {result.stopped}")

    def _story(self, lines: str, job: Job, budget: Budget = Budget()) -> tuple[Trace, str]:
        story = scenario(self.model, lines, budget=budget, watch=job.watch())
        if story.holds is False or story.trace is None:
            raise InputError(story.head)
        return story.trace, "; ".join(
            f"state {at + 1}: {line.text}" for line, at in zip(story.lines, story.at, strict=True)
        )
