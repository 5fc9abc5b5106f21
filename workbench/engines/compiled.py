"""Kernels: functions that Numba compiles once per machine, and that Python interprets where that is faster.

Importing Numba takes a while, and compiling much longer. A small space is searched before that: the loops are plain
Python, with the same results, number by number. So :func:`interpreting` lets a thread interpret kernels, up to
:data:`MOST_CALLS` calls per process. A search that needs more ends with :class:`TooMuch` and starts again with compiled
kernels.

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

#: The calls of kernels that a process interprets: about a quarter of the time that loading Numba takes.
MOST_CALLS = 20_000


class TooMuch(Exception):
    """Ends a computation that would take longer interpreted than compiled."""


class _Interpreter(threading.local):
    """Whether this thread interprets kernels."""

    on = False


_interpreter = _Interpreter()
_calls = 0


@contextmanager
def interpreting() -> Iterator[None]:
    """Lets this thread interpret kernels.

    Raises:
        TooMuch: When the process has used up its calls.
    """
    _interpreter.on = True
    try:
        with np.errstate(over="ignore"):  # hashes are added modulo 2**64
            yield
    finally:
        _interpreter.on = False


class Kernel:
    """A function over arrays and numbers. The first call imports Numba and compiles it.

    Args:
        options: Those of ``numba.njit``.
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
        """The type of this kernel in another kernel that calls it."""
        return self._compiled._numba_type_


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """``numba.njit``, delayed until the first call."""
    return lambda function: Kernel(function, options)
