"""Kernels: functions that Numba compiles once per machine, and that Python interprets where that is faster.

Importing Numba takes a while, and compiling much longer. A search waits for neither: :func:`interpreting` lets a thread
interpret kernels, with the same results, number by number. The slowest have a form in NumPy, which does the same for
whole arrays (:mod:`workbench.checking.kernels.in_numpy`). A small space is searched within :data:`MOST_CALLS` calls,
before Numba is even loaded. A larger search ends with :class:`TooMuch` and starts again with compiled kernels, once
these are in Numba's cache (:mod:`workbench.checking.kernels.compiling_beside`).

Kernels therefore keep to what both understand, and treat unsigned words as words: nothing relies on overflow beyond 64
bits. ``tests/checking/test_start.py`` says what may be loaded, and compares both ways.
"""

import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from workbench.kernel.meaning.budget import OUT_OF_MEMORY
from workbench.kernel.meaning.errors import InputError

#: The calls of kernels that a process interprets in any case: about half of the time that loading Numba takes.
MOST_CALLS = 40_000
#: The cost of a NumPy form, counted in calls of kernels, and the number of elements that add one more call.
_CALLS_PER_FORM, _ELEMENTS_PER_CALL = 50, 16


class TooMuch(Exception):
    """Ends a computation that would take longer interpreted than compiled."""


class NotLoaded(InputError):
    """Numba cannot be loaded."""


class _Interpreter(threading.local):
    """The mode of this thread: whether it interprets kernels, and whether it may stop after :data:`MOST_CALLS`."""

    on = False
    ends: Callable[[], bool]
    forms: Mapping["Kernel", Callable[..., Any]]


_interpreter = _Interpreter()
_calls = 0


@contextmanager
def interpreting(
    forms: Mapping["Kernel", Callable[..., Any]], ends: Callable[[], bool] = lambda: True
) -> Iterator[None]:
    """Let this thread interpret kernels.

    Args:
        forms: Functions to run in the place of kernels; one that returns NotImplemented has done nothing.

    Raises:
        TooMuch: When the process has used up its calls, and `ends` is true.
    """
    _interpreter.on, _interpreter.ends, _interpreter.forms = True, ends, forms
    try:
        with np.errstate(over="ignore"):  # hashes are added modulo 2**64
            yield
    finally:
        _interpreter.on = False


@contextmanager
def not_interpreting() -> Iterator[None]:
    """Let this thread use compiled kernels within :func:`interpreting`."""
    _interpreter.on = False
    try:
        yield
    finally:
        _interpreter.on = True


def is_interpreted() -> bool:
    """Whether this thread interprets kernels; threads that it starts would not."""
    return _interpreter.on


def work(elements: int) -> None:
    """Charge a NumPy form for the `elements` of arrays that it goes through."""
    global _calls
    _calls += elements // _ELEMENTS_PER_CALL


class Kernel:
    """A function over arrays and numbers. The first call imports Numba and compiles it.

    Args:
        options: The options of ``numba.njit``.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._options = function, options

    def __call__(self, *arguments: Any) -> Any:
        if not _interpreter.on:
            return self._compiled(*arguments)
        global _calls
        form = _interpreter.forms.get(self)
        _calls += 1 if form is None else _CALLS_PER_FORM
        if _calls > MOST_CALLS and _interpreter.ends():
            raise TooMuch
        done = NotImplemented if form is None else form(*arguments)
        return self._function(*arguments) if done is NotImplemented else done

    @cached_property
    def _compiled(self) -> Any:
        if reason := _why_not_loaded():
            raise NotLoaded(reason)
        from workbench.checking.kernels import numba_cache

        return numba_cache.compiled(self._function, self._options)

    @property
    def _numba_type_(self) -> Any:
        """The type of this kernel in another kernel that calls it."""
        return self._compiled._numba_type_


@functools.cache
def _why_not_loaded() -> str:
    """Load Numba; if that fails, returns the reason, which is remembered."""
    try:
        from workbench.checking.kernels import numba_cache  # noqa: F401
    except Exception as error:  # without memory, imports fail in many ways
        return f"Numba cannot be loaded, perhaps for want of memory: {error.__context__ or error or OUT_OF_MEMORY}"
    return ""


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """``numba.njit``, delayed until the first call."""
    return lambda function: Kernel(function, options)
