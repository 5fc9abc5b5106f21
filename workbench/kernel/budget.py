"""What a search may use, and who may stop it: one enforcer, with one meaning in every engine."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from workbench.kernel.errors import InputError, brief
from workbench.kernel.given import plain
from workbench.kernel.values import counted

INTERRUPTED = "interrupted"
#: Engines number states in 32 bits.
_MOST_STATES = 2**32 - 1


class Stop(Exception):
    """Ends a search; the text says why."""


_interrupted = threading.Event()
#: Within :func:`interruptible`, the handlers of signals that were there before.
_handlers: dict[int, Any] = {}


def interrupted() -> bool:
    """Whether Ctrl-C was pressed within :func:`interruptible`. Only the main thread is told, as Python does."""
    return _interrupted.is_set() and threading.current_thread() is threading.main_thread()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the first Ctrl-C ask for a stop, at the next look at :func:`interrupted`; the second raises as usual.

    An exception may come up between any two lines, where data is half written; a flag is read where data is whole.
    Nothing changes in other threads, inside another such context, or where the signal is ignored. SIGTERM counts where
    it raises KeyboardInterrupt too, as on the command line.
    """
    if _handlers or threading.current_thread() is not threading.main_thread():
        yield
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        if handler is signal.default_int_handler or (number == signal.SIGINT and callable(handler)):
            _handlers[number] = handler
            signal.signal(number, _note)
    try:
        yield
    finally:
        _restore()
        _handlers.clear()
        _interrupted.clear()


def _note(*_: Any) -> None:
    _interrupted.set()
    _restore()


def _restore() -> None:
    for number, handler in _handlers.items():
        signal.signal(number, handler)


@dataclass(frozen=True)
class Budget:
    """What a search may use; None for no bound.

    Attributes:
        states: Distinct states. A space of just so many is searched completely; of a larger one just so many are
            counted.
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
        """The same as options of a check."""
        return {"max_states": self.states, "max_seconds": self.seconds, "max_bytes": self.bytes}


@dataclass(frozen=True)
class Progress:
    """Where a search is.

    Attributes:
        level, states, frontier: The level that is being expanded, distinct states so far, and those of them that are
            not expanded yet.
        decided: The invariants that are known to be violated, and the properties that are known to be reached.
    """

    level: int
    states: int
    frontier: int
    seconds: float
    decided: tuple[str, ...] = ()


class Limits:
    """The one enforcer of budgets and stops. Its clock starts when it is made.

    An engine asks :meth:`room` before it adds a state, and calls :meth:`check` again and again. What it has added when
    either of them raises :class:`Stop` stays, and is judged.

    Args:
        on_progress: Called with a :class:`Progress` again and again.
        should_stop: Asked again and again; the search stops once it returns True.
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
        self.restart()

    def restart(self) -> None:
        """Start the clock anew, where what came before was no part of the search. No progress is reported twice."""
        self._began = time.perf_counter() - self._spent
        self._known = self._told

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._began

    @property
    def most_states(self) -> int:
        """How many states may be counted."""
        return min(self.budget.states or _MOST_STATES, _MOST_STATES)

    def room(self, states: int) -> None:
        """Raise :class:`Stop` if there is no room for a state more than `states`."""
        if states >= self.most_states:
            raise Stop(f"the budget of {counted(self.most_states, 'state')} is used up")

    def enforce(self, held: Callable[[], int]) -> None:
        """Raise :class:`Stop` if somebody asks for it, or if time or memory is used up.

        Args:
            held: Gives the bytes that the search's data takes.
        """
        if interrupted():
            raise Stop(INTERRUPTED)
        if self._should_stop is not None and self._should_stop():
            raise Stop("stopped on request")
        if self.budget.seconds is not None and self.seconds > self.budget.seconds:
            raise Stop(f"the budget of {self.budget.seconds:g} seconds is used up")
        if self.budget.bytes is not None and held() > self.budget.bytes:
            raise Stop(f"the budget of {self.budget.bytes / 2**20:,.1f} MiB is used up")

    def check(
        self, level: int, states: int, frontier: int, held: Callable[[], int], decided: Iterable[str] = ()
    ) -> None:
        """Report where the search is and what it has found, and :meth:`enforce`."""
        if self._on_progress is not None and states >= self._known:
            self._told = states
            self._on_progress(Progress(level, states, frontier, self.seconds, tuple(decided)))
        self.enforce(held)
