"""The budget of a search, and the ways to stop it, with the same meaning in every engine."""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from workbench.kernel.errors import InputError, ModelError, brief
from workbench.kernel.given import plain
from workbench.kernel.values import counted

INTERRUPTED, OUT_OF_MEMORY = "interrupted", "memory is used up"
#: Engines number states in 32 bits.
_MOST_STATES = 2**32 - 1
#: The bytes that are kept for what follows a search that runs out of memory: its verdicts and traces.
_KEPT = 1 << 24
T = TypeVar("T")


class Stop(Exception):
    """Ends a search; the text says why. A MemoryError ends one too."""


_interrupted = threading.Event()
#: Within :func:`interruptible`, the previous signal handlers.
_handlers: dict[int, Any] = {}


def interrupted() -> bool:
    """Whether Ctrl-C was pressed within :func:`interruptible`; as in Python, only the main thread sees it."""
    return _interrupted.is_set() and threading.current_thread() is threading.main_thread()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the first Ctrl-C ask for a stop, at the next look at :func:`interrupted`; the second raises as usual.

    An exception may be raised between any two lines, where data is half-written; a flag is read where data is whole.
    Nothing changes in other threads, inside another such context, or where the signal is ignored. SIGTERM counts too
    where it has Ctrl-C's handler, as on the command line, or Ctrl-C is ignored, as there in the background.
    """
    if _handlers or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = signal.getsignal(signal.SIGINT)
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        if callable(handler) and pressed in (handler, signal.SIG_IGN):
            _handlers[number] = handler
            signal.signal(number, _note)
    try:
        yield
    finally:
        _restore()
        _handlers.clear()
        _interrupted.clear()


def _note(*_: Any) -> None:
    _restore()  # first: until then, another Ctrl-C comes here, within this one
    if not _interrupted.is_set():
        _interrupted.set()
        with suppress(OSError):  # past Python's buffer, which the signal may have interrupted
            os.write(2, b"stopping ...; once more ends it\n")


def _restore() -> None:
    for number, handler in _handlers.items():
        signal.signal(number, handler)


@dataclass(frozen=True)
class Budget:
    """Bounds on a search; None for no bound.

    Attributes:
        states: Distinct states. A space of exactly this size is searched completely; in a larger one, this many states
            are counted.
        bytes: Memory of the search's own data.

    Raises:
        InputError: For a bound that is not above 0.
    """

    states: int | None = None
    seconds: float | None = None
    bytes: int | None = None

    def __post_init__(self) -> None:
        for name, given in self.options.items():
            kind, types = ("a number", (int, float)) if name == "max_seconds" else ("an integer", (int,))
            value = plain(given)
            known = isinstance(value, types) and not isinstance(value, bool)
            if value is not None and not (known and value > 0 and not math.isnan(value)):
                raise InputError(f"{name} = {brief(given)} is not accepted; it takes {kind} above 0")
            object.__setattr__(self, name.removeprefix("max_"), value)

    @property
    def options(self) -> dict[str, Any]:
        """The same, as options of a check."""
        return {"max_states": self.states, "max_seconds": self.seconds, "max_bytes": self.bytes}


@dataclass(frozen=True)
class Progress:
    """The progress of a search.

    Attributes:
        level, states, frontier: The level being expanded, the distinct states so far, and those not expanded yet.
        decided: The properties known to be violated or reached.
        held: Bytes of the search's own data.
        levels: The sizes of the complete levels; the last one is that being expanded.
    """

    level: int
    states: int
    frontier: int
    seconds: float
    held: int
    decided: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()


class Limits:
    """Enforces budgets and stops. Its clock starts when it is made.

    An engine calls :meth:`room` before it adds a state, and :meth:`check` at short intervals. When either raises
    :class:`Stop`, the states added so far stay and are judged.

    Args:
        on_progress: Called with a :class:`Progress` at short intervals.
        should_stop: Called at short intervals; the search stops once it returns True.
        spent: Seconds that went into an earlier part of the search.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        on_progress: Callable[[Progress], object] | None = None,
        should_stop: Callable[[], bool] | None = None,
        spent: float = 0.0,
    ) -> None:
        self.budget = budget or Budget()
        self._on_progress, self._should_stop = on_progress, should_stop
        self._spent = spent
        self._told = 0
        self._timed = True
        self._kept = bytes(_KEPT)  # zeros are no memory, only addresses, until somebody reads them
        self.restart()

    def restart(self) -> None:
        """Restart the clock, and the search: the time so far was no part of it.

        What it had found before a stop, it finds again before it stops; and no progress is reported twice.
        """
        self._began = time.perf_counter() - self._spent
        self._known = self._told

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
        """The largest number of states that may be counted."""
        return min(self.budget.states or _MOST_STATES, _MOST_STATES)

    def why(self, stop: Stop | MemoryError | ModelError) -> str:
        """Why a search has ended. One that runs out of memory has some more from now on."""
        if isinstance(stop, ModelError):
            return f"an error of the model: {stop}"
        if isinstance(stop, Stop):
            return str(stop)
        self._kept = b""
        return OUT_OF_MEMORY

    def room(self, states: int) -> None:
        """Raise :class:`Stop` if there is no room for another state beside `states`."""
        if states >= self.most_states:
            raise Stop(f"the budget of {counted(self.most_states, 'state')} is used up")

    def enforce(self, held: Callable[[], int]) -> None:
        """Raise :class:`Stop` on request, or if time or memory is used up; `held` gives the bytes in use."""
        if interrupted():
            raise Stop(INTERRUPTED)
        if self._should_stop is not None and self._should_stop():
            raise Stop("stopped on request")
        if self._timed and self.budget.seconds is not None and self.seconds > self.budget.seconds:
            raise Stop(f"the budget of {self.budget.seconds:g} seconds is used up")
        if self.budget.bytes is not None and held() > self.budget.bytes:
            raise Stop(f"the budget of {self.budget.bytes / 2**20:,.1f} MiB is used up")

    def check(
        self,
        level: int,
        states: int,
        frontier: int,
        held: Callable[[], int],
        decided: Iterable[str] = (),
        levels: Iterable[int] = (),
    ) -> None:
        """Report progress and :meth:`enforce`, once a search that began again is as far as it was."""
        if states < self._known:
            return
        self._told = states
        if self._on_progress is not None:
            self._on_progress(Progress(level, states, frontier, self.seconds, held(), tuple(decided), tuple(levels)))
        self.enforce(held)


# Running again -------------------------------------------------------------------------------------------------------

#: The runs of a model's code that a search spends on finding out if it is impure: at least, and as a share of its own.
_RUNS, _SHARE = 400, 0.02
#: The processor's seconds for that, if the code is slow, and all seconds, if it waits.
_MOST, _MOST_WAITING = 0.1, 1.0


def how_often(known: int, runs: int = 1) -> int:
    """How often a search should run situations again.

    Args:
        known: The number of all situations.
        runs: Those of the model's code that a situation takes.
    """
    return max(_RUNS // runs, int(known * _SHARE), 1)


def again_and_again(situations: Iterable[T], times: int) -> Iterator[T]:
    """Each situation so many times, in one random order after another, while there is time."""
    some, order, made = list(situations), Random(0), list[object]()
    end, awaited = time.process_time() + _MOST, time.perf_counter() + _MOST_WAITING
    for _ in range(times):
        order.shuffle(some)
        for situation in some:
            if time.process_time() >= end or time.perf_counter() >= awaited:
                return
            made.append(object())  # what the code makes now is at other addresses
            yield situation
