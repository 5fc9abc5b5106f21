"""Interrupts at a chosen place: as Ctrl-C, but before a given line of some files, counted from the beginning."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any


@contextmanager
def interrupted_before_line(number: int, *modules: ModuleType) -> Iterator[None]:
    """Within, this thread is interrupted before it executes a line of `modules` for the `number`-th time."""
    files, lines = {module.__file__ for module in modules}, 0

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        nonlocal lines
        if event == "line":
            lines += 1
            if lines == number:
                raise KeyboardInterrupt
        return trace if frame.f_code.co_filename in files else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def interrupts(*modules: ModuleType) -> Iterator[Any]:
    """Contexts that are interrupted one line later each time, until one is not interrupted any more."""
    number, ended = 0, False

    @contextmanager
    def one() -> Iterator[None]:
        nonlocal ended
        try:
            with interrupted_before_line(number, *modules):
                yield
            ended = True
        except KeyboardInterrupt:
            pass

    while not ended:
        number += 1
        yield one()
