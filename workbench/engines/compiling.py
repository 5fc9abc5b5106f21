"""What is said once, when a process has to compile kernels: for half a minute nothing else happens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_tell: Callable[[str], None] | None = None


@contextmanager
def telling(tell: Callable[[str], None]) -> Iterator[None]:
    """Within, `tell` is given one line when the first kernel is compiled that Numba's cache does not have."""
    global _tell
    before, _tell = _tell, tell
    try:
        yield
    finally:
        _tell = before


def begins() -> None:
    """A kernel is compiled now; who listens hears of the first one."""
    global _tell
    tell, _tell = _tell, None
    if tell is not None:
        tell("compiling the search kernels, only the first time on a machine: half a minute or so")
