"""Ctrl-C, which asks a search to stop, and pauses, in which a long evaluation checks whether to stop."""

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from typing import Any

_interrupted = threading.Event()
#: Whether this is the main thread within :func:`interruptible`, or a thread that works for it in its context.
_listens = ContextVar("listens", default=False)
#: The function that long evaluations call.
_pauses: ContextVar[tuple[Callable[[], object], ...]] = ContextVar("pauses", default=())
#: Within :func:`interruptible`, the previous signal handlers.
_handlers: dict[int, Any] = {}


def interrupted() -> bool:
    """Whether Ctrl-C was pressed within :func:`interruptible`; as in Python, only the main thread sees it."""
    return _interrupted.is_set() and _listens.get()


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
    listening = _listens.set(True)
    try:
        yield
    finally:
        _listens.reset(listening)
        _restore()
        _handlers.clear()
        _interrupted.clear()


@contextmanager
def pausing(pause: Callable[[], object]) -> Iterator[None]:
    """Within the block, long evaluations call `pause` now and then; it may end them by raising an exception."""
    before = _pauses.set((*_pauses.get(), pause))
    try:
        yield
    finally:
        _pauses.reset(before)


def pausing_at_most(most: int, error: type[Exception]) -> AbstractContextManager[None]:
    """Within the block, long evaluations may pause `most` times in all; one more pause raises `error`."""
    pauses = itertools.count()

    def count() -> None:
        if next(pauses) >= most:
            raise error

    return pausing(count)


def pause() -> None:
    """Run the callbacks of :func:`pausing`. A long evaluation calls this now and then, when its data is consistent."""
    for callback in _pauses.get():
        callback()


def _note(*_: Any) -> None:
    _restore()  # first: until then, another Ctrl-C comes here, within this one
    if not _interrupted.is_set():
        _interrupted.set()
        with suppress(OSError):  # past Python's buffer, which the signal may have interrupted
            os.write(2, b"stopping ...; once more ends it\n")


def _restore() -> None:
    for number, handler in _handlers.items():
        signal.signal(number, handler)
