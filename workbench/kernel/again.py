"""How much of what a model's Python did is run once more: what is no function of the state does something else then."""

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from workbench.kernel.errors import ModelError

T = TypeVar("T")

#: Seconds that a process has for that: some to begin with, and a share of its time; and the most for one search.
_FIRST, _SHARE, _MOST = 0.01, 0.02, 0.1
_began = time.perf_counter()
_spent = 0.0


def as_time_allows(situations: Iterable[T]) -> Iterator[T]:
    """The first of some situations: as many as there is time to run again."""
    global _spent
    began = time.perf_counter()
    end = began + min(_MOST, _FIRST + _SHARE * (began - _began) - _spent)
    if end <= began:
        return
    try:
        for situation in situations:
            if time.perf_counter() > end:
                return
            yield situation
    finally:
        _spent += time.perf_counter() - began


def impure(whose: str, difference: str = "") -> ModelError:
    """The error for what did something else when it was run again in one state."""
    return ModelError(
        f"{whose} is not a function of the state: run twice in one state it did two different things"
        f"{difference and f': {difference}'} (random numbers, the time, or something outside the state?)"
    )
