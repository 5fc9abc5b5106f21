"""Notes on evaluations that are not wrong, but probably not intended. TLC warns about the same."""

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from workbench.tlaplus.syntax.tree import Place
from workbench.tlaplus.values.values import Noticed, evaluation


def notice(tell: Callable[..., str], *arguments: Any) -> None:
    """Note ``tell(*arguments)`` about the expression being evaluated, unless it already has a note."""
    noticed = evaluation().noticed
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_of_module(frame.f_code):
        frame = frame.f_back
    if frame is not None and noticed is not None and (key := (frame.f_code, frame.f_lasti)) not in noticed:
        noticed[key] = tell(*arguments)


def as_lines(noticed: Noticed) -> Iterator[str]:
    """The notes, one for each place, in the order of the text."""
    first = {place_in(*key): text for key, text in reversed(list(noticed.items()))}
    return (f"{at}: {text}" for at, text in sorted(first.items()))


def is_of_module(code: CodeType) -> bool:
    """Whether code is that of a module's expression."""
    return code.co_filename.endswith(".tla")


def place_in(code: CodeType, instruction: int) -> Place:
    """The place in a module of an instruction of its code."""
    line, _, column, _ = next(islice(code.co_positions(), instruction // 2, None))
    return Place(code.co_filename.removesuffix(".tla"), line or code.co_firstlineno, (column or 0) + 1)
