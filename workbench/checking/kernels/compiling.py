"""Handles kernels missing from Numba's cache: a process announces and compiles them, or refuses to."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: The end of the message where nothing else happens until the kernels are compiled.
WAITING = "half a minute or so, only the first time"


class Cold(Exception):
    """Ends a computation within :func:`only_cached` when it needs a kernel that is not in the cache."""


class _Thread(threading.local):
    only_cached = False


#: Whether this process compiles what its searches need; see :func:`compile_here`.
_here = False


def _print(text: str) -> None:
    print(text, file=sys.stderr)


_thread = _Thread()
_tell: Callable[[str], None] | None = _print


@contextmanager
def only_cached() -> Iterator[None]:
    """Keep this thread from compiling anything.

    Raises:
        Cold: When it would have to.
    """
    before, _thread.only_cached = _thread.only_cached, True
    try:
        yield
    finally:
        _thread.only_cached = before


def compile_here() -> None:
    """Allow this process to compile kernels before a search begins, silently, since its caller asked for it."""
    global _here, _tell
    _here, _tell = True, None


def compiles_here() -> bool:
    """Whether this process compiles what its searches need."""
    return _here


@contextmanager
def telling(tell: Callable[[str], None]) -> Iterator[None]:
    """Pass the line that announces compilation to `tell`, once, instead of printing it on standard error."""
    global _tell
    before, _tell = _tell, tell
    try:
        yield
    finally:
        _tell = before


def say(how: str) -> None:
    """Say, once, that kernels are being compiled, and `how`."""
    global _tell
    tell, _tell = _tell, None
    if tell is not None:
        tell(f"compiling the search kernels for this machine: {how}")


def begins(kept: bool = True) -> None:
    """Note that this thread is about to compile a kernel.

    Args:
        kept: Whether Numba keeps it. If not, no other process could compile it for this one.

    Raises:
        Cold: Within :func:`only_cached`.
    """
    if kept and _thread.only_cached:
        raise Cold
    say(WAITING)
