"""Recursion that is too deep for a thread's stack, continued in a thread with a larger one."""

import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.interrupts import pausing
from workbench.tlaplus.values.values import EvaluationError

T = TypeVar("T")
#: Python's frames, of which a level of recursion takes up to six; and bytes of the stack on which calls that lead
#: through C put theirs. The system provides memory for a stack only as far as it is used.
_FRAMES, _BYTES = 60_000, 1 << 28
_is_deep = ContextVar("is_deep", default=False)
#: Python's limits before each of the callers raised it; these change it one at a time.
_limits, _changing = list[int](), threading.Lock()


def deeper(evaluate: Callable[..., T], *arguments: Any) -> T:
    """After a RecursionError, evaluate again on a larger stack, with the same result or exception as `evaluate`."""
    returned, raised, given_up = list[T](), list[BaseException](), threading.Event()

    def pause() -> None:
        if given_up.is_set():
            raise SystemExit

    def run() -> None:
        _is_deep.set(True)
        try:
            with pausing(pause):
                returned.append(evaluate(*arguments))
        except BaseException as error:
            if isinstance(error, ModelError):  # it has its place; the cause would keep all frames
                error.__cause__ = error.__context__ = None
            raised.append(error)

    context = copy_context()
    try:
        _start(lambda: _with_frames(context.run, run)).join()
    except RuntimeError:  # there is not enough memory for the larger stack
        context.run(run)
    finally:
        given_up.set()  # in case Ctrl-C has ended the wait
    if raised:
        raise raised[0]
    return returned[0]


def too_deep(error: RecursionError) -> Exception:
    """The error to raise for a recursion that is endless or too deep for Python; `error` if more can be tried."""
    if not _is_deep.get():
        return error
    return EvaluationError("the recursion is too deep").with_traceback(error.__traceback__)


def _start(run: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=run, daemon=True)
    with _changing:
        usual = threading.stack_size(_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(usual)
    return thread


def _with_frames(call: Callable[..., None], *arguments: Any) -> None:
    """Call with a higher limit on frames, which applies to the whole process."""
    with _changing:
        _limits.append(sys.getrecursionlimit())
        sys.setrecursionlimit(max(_FRAMES, _limits[-1]))
    try:
        call(*arguments)
    finally:
        with _changing:
            first = _limits.pop()
            if not _limits:
                sys.setrecursionlimit(first)
