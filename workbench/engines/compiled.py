"""Kernels: functions that Numba compiles once per machine, and that Python interprets where that is sooner done.

Numba takes a while to be imported, and much longer where its cache is empty. A small space is searched before that: the
loops are plain Python, and come to the same, number by number. So :func:`interpreting` lets a thread interpret kernels,
up to :data:`MOST_CALLS` of them in all that its process does; what needs more ends with :class:`TooMuch`, and has to
begin again with compiled kernels.

Kernels therefore keep to what both understand, and treat unsigned words as words: nothing relies on overflow beyond 64
bits. ``tests/test_start.py`` says what may be loaded, and compares both ways.
"""

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

#: How many calls of kernels a process interprets: they take about a quarter of the time that loading Numba takes.
MOST_CALLS = 20_000


class TooMuch(Exception):
    """Ends what would take longer interpreted than compiled."""


class _Interpreter(threading.local):
    """Whether this thread interprets kernels."""

    on = False


_interpreter = _Interpreter()
_calls = 0


@contextmanager
def interpreting() -> Iterator[None]:
    """Within, this thread interprets kernels.

    Raises:
        TooMuch: When the process has had its share of that.
    """
    _interpreter.on = True
    try:
        with np.errstate(over="ignore"):  # hashes are added modulo 2**64
            yield
    finally:
        _interpreter.on = False


class Kernel:
    """A function over arrays and numbers; Numba is imported, and compiles it, when it is first called.

    Args:
        options: What ``numba.njit`` takes.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._options = function, options

    def __call__(self, *arguments: Any) -> Any:
        if not _interpreter.on:
            return self._compiled(*arguments)
        global _calls
        _calls += 1
        if _calls > MOST_CALLS:
            raise TooMuch
        return self._function(*arguments)

    @cached_property
    def _compiled(self) -> Any:
        from workbench.engines import numba_cache

        return numba_cache.compiled(self._function, self._options)

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes this for, in a kernel that calls it."""
        return self._compiled._numba_type_


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """``numba.njit``, but for when it happens."""
    return lambda function: Kernel(function, options)
