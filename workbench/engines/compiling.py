"""The one message when a process has to compile kernels: nothing else happens for half a minute."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_tell: Callable[[str], None] | None = None


@contextmanager
def telling(tell: Callable[[str], None]) -> Iterator[None]:
    """Has `tell` called with one line before the first kernel that is not in Numba's cache is compiled."""
    global _tell
    before, _tell = _tell, tell
    try:
        yield
    finally:
        _tell = before


def begins() -> None:
    """Report that a kernel is about to be compiled, if it is the first."""
    global _tell
    tell, _tell = _tell, None
    if tell is not None:
        tell("compiling the search kernels, only the first time on a machine: half a minute or so")
