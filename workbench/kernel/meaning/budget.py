"""The budget of a search, and the ways to stop it; they mean the same in every engine."""

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from workbench.kernel.meaning.arguments import check_kind, plain
from workbench.kernel.meaning.errors import InputError, ModelError, Stop, brief
from workbench.kernel.meaning.interrupts import interrupted, pausing
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.values import counted

INTERRUPTED, OUT_OF_MEMORY = "interrupted", "memory is used up"
#: Engines number states in 32 bits.
_MOST_STATES = 2**32 - 1
#: The bytes that are kept for what follows a search that runs out of memory: its verdicts and traces.
_KEPT = 1 << 24


@dataclass(frozen=True)
class Budget:
    """Bounds on a search; None for no bound.

    Attributes:
        states: Distinct states. A space of exactly this size is searched completely; in a larger one, this many states
            are counted.
        bytes: Memory of the search's own data.
        depth: Levels, the first of which has the initial states. Those of the last one are judged, and not expanded.

    Raises:
        InputError: For a bound that is not above 0.
    """

    states: int | None = None
    seconds: float | None = None
    bytes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        for name, limit in list(vars(self).items()):
            kind, types = ("a number", (int, float)) if name == "seconds" else ("an integer", (int,))
            value = plain(limit)
            is_number = isinstance(value, types) and not isinstance(value, bool)
            if value is not None and not (is_number and value > 0 and not math.isnan(value)):
                raise InputError(f"{name} = {brief(limit)} is not accepted; it takes {kind} above 0")
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Watch:
    """A caller's callbacks, with which it follows a search or another question and stops it; None for no callback.

    Attributes:
        on_progress: Called at short intervals with the progress. Its form depends on the question.
        should_stop: Called at short intervals; once it returns True, the work ends with what it has found.
    """

    on_progress: Callable[..., object] | None = None
    should_stop: Callable[[], bool] | None = None

    def tell(self, *progress: Any) -> None:
        """Pass on the progress."""
        if self.on_progress is not None:
            self.on_progress(*progress)

    @property
    def stops(self) -> bool:
        """Whether the caller now wants the work to stop."""
        return self.should_stop is not None and self.should_stop()


@dataclass(frozen=True)
class Decided:
    """A property that a search has decided before its end.

    Attributes:
        steps: The length of a shortest way to where it is violated or reached.

    Examples:
        >>> from workbench.kernel.meaning.properties import DEADLOCK
        >>> print(Decided(DEADLOCK, 4))
        Deadlock is violated after 4 steps
    """

    declared: Property
    steps: int

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def word(self) -> str:
        """``violated``, or ``reached`` for a reachable property."""
        return "reached" if self.declared.wanted else "violated"

    def __str__(self) -> str:
        where = f"after {counted(self.steps, 'step')}" if self.steps else "in an initial state"
        return f"{self.name} is {self.word} {where}"


def depth_of(number: int, levels: Sequence[int]) -> int:
    """The length of a shortest way to state `number`, in order of discovery, given the sizes of the levels so far."""
    return bisect_right(list(accumulate(levels)), number)


@dataclass(frozen=True)
class Progress:
    """The progress of a search.

    Attributes:
        level, states, frontier: The level being expanded, the distinct states so far, and those not expanded yet.
        decided: The properties known to be violated or reached, in the order of their discovery.
        held: Bytes of the search's own data.
        levels: The sizes of the complete levels; the last one is that being expanded.
    """

    level: int
    states: int
    frontier: int
    seconds: float
    held: int
    decided: tuple[Decided, ...] = ()
    levels: tuple[int, ...] = ()


class Limits:
    """Enforces budgets and stops. Its clock starts when it is made.

    An engine calls :meth:`room` before it adds a state, :meth:`deeper` before it expands a level, :meth:`check` at
    short intervals, and the model's code inside :meth:`in_force`. When any of these raises :class:`Stop`, the states
    added so far stay and are judged.

    Args:
        watch: Its ``on_progress`` is called with a :class:`Progress`.
        spent: Seconds that went into an earlier part of the search.
    """

    def __init__(self, budget: Budget = Budget(), watch: Watch = Watch(), spent: float = 0.0) -> None:
        self.budget = check_kind("budget", budget, Budget)
        self._watch = check_kind("watch", watch, Watch)
        self._spent = spent
        self._reported = 0
        self._last: Progress | None = None
        self._decided: dict[str, Decided] = {}
        self._timed = True
        self._kept = bytes(_KEPT)  # zeros take up addresses, but no memory until they are read
        self.restart()

    def restart(self) -> None:
        """Restart the clock and the search. The time so far does not count.

        The search finds everything again before it may stop, and no progress is reported twice.
        """
        self._began = time.perf_counter() - self._spent
        self._reported_before = self._reported

    @contextmanager
    def off_the_clock(self) -> Iterator[None]:
        """Let time pass without using up the budget of seconds."""
        self._timed = False
        try:
            yield
        finally:
            self._timed = True

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._began

    @property
    def most_states(self) -> int:
        """The most states that the search may count: the budget's limit, or the built-in one if that is lower."""
        return min(self.budget.states or _MOST_STATES, _MOST_STATES)

    def why(self, stop: Stop | MemoryError | ModelError) -> str:
        """The reason why a search has ended. One that ran out of memory may use some more from now on."""
        if isinstance(stop, ModelError):
            return f"an error of the model: {stop}"
        if isinstance(stop, Stop):
            return str(stop)
        self._kept = b""
        return OUT_OF_MEMORY

    def room(self, states: int) -> None:
        """Raise :class:`Stop` if there is no room for another state besides `states`."""
        if states >= self.most_states:
            raise Stop(f"the budget of {counted(self.most_states, 'state')} is used up")

    def deeper(self, levels: int) -> None:
        """Raise :class:`Stop` if the last of so many `levels` is not to be expanded."""
        if self.budget.depth is not None and levels >= self.budget.depth:
            raise Stop(f"the budget of {counted(self.budget.depth, 'level')} is used up")

    def enforce(self, held: Callable[[], int] = lambda: 0) -> None:
        """Raise :class:`Stop` on request, or if time or memory is used up; `held` gives the bytes in use."""
        self._look(self._timed)
        if self.budget.bytes is not None and held() > self.budget.bytes:
            raise Stop(f"the budget of {self.budget.bytes / 2**20:,.1f} MiB is used up")

    def in_force(self) -> AbstractContextManager[None]:
        """Within the block, a long evaluation ends with :class:`Stop` on request or out of time, even off the clock.

        Until then it repeats the last report, which a caller may have passed over as an early one.
        """
        return pausing(self._pause)

    def _pause(self) -> None:
        self._look(timed=True)
        if self._last is not None:
            self._watch.tell(replace(self._last, seconds=self.seconds))

    def _look(self, timed: bool) -> None:
        if interrupted():
            raise Stop(INTERRUPTED)
        if self._watch.stops:
            raise Stop("stopped on request")
        if timed and self.budget.seconds is not None and self.seconds > self.budget.seconds:
            raise Stop(f"the budget of {self.budget.seconds:g} seconds is used up")

    def note(self, places: Mapping[str, Any], declared: Callable[[str], Property], steps: Callable[[Any], int]) -> None:
        """Note for the progress which properties are decided; called before :meth:`check`.

        Args:
            places: Where each of them is decided, by name.
            declared: Gives the property of a name.
            steps: Gives the length of a shortest way to a place; called once for each property.
        """
        if self._watch.on_progress is not None:
            for name, place in places.items():
                if name not in self._decided:
                    self._decided[name] = Decided(declared(name), steps(place))

    def check(
        self, level: int, states: int, frontier: int, held: Callable[[], int], levels: Iterable[int] = ()
    ) -> None:
        """Report progress and :meth:`enforce`; after a restart, only once the search is as far as it was before."""
        if states < self._reported_before:
            return
        self._reported = states
        if self._watch.on_progress is not None:
            decided = tuple(self._decided.values())
            self._last = Progress(level, states, frontier, self.seconds, held(), decided, tuple(levels))
            self._watch.tell(self._last)
        self.enforce(held)
