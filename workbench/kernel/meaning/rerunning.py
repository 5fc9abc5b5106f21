"""The share of its time that a search spends on rerunning a model's code to detect impurity."""

import time
from collections.abc import Iterable, Iterator
from random import Random
from typing import TypeVar

T = TypeVar("T")
#: The runs of the model's code for that: the least number, and the share of the search's own runs.
_RUNS, _SHARE = 400, 0.02
#: The processor's seconds, if the code is slow, and all seconds, if it waits.
_MOST, _MOST_WAITING = 0.1, 1.0


def how_often(situations: int, runs: int = 1) -> int:
    """The number of times that a search should rerun situations.

    Args:
        situations: The number of all situations.
        runs: The runs of the model's code that a situation takes.
    """
    return max(_RUNS // max(runs, 1), int(situations * _SHARE), 1)


def again_and_again(situations: Iterable[T], times: int) -> Iterator[T]:
    """Each situation that many times, in one random order after another, as long as there is time."""
    some, order, kept = list(situations), Random(0), list[object]()
    end, awaited = time.process_time() + _MOST, time.perf_counter() + _MOST_WAITING
    for _ in range(times):
        order.shuffle(some)
        for situation in some:
            if time.process_time() >= end or time.perf_counter() >= awaited:
                return
            kept.append(object())  # the objects that the code makes now have other addresses
            yield situation
