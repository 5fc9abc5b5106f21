"""Evaluations that take long pause from time to time, so that a budget, Stop or Ctrl-C ends them too.

Whatever repeats something takes a *turn*: a loop over a set, a recursive definition. Once in many turns it looks up.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from workbench.kernel.meaning.interrupts import pause
from workbench.tlaplus.values.values import evaluation

_EVERY = 4096
#: Takes a turn; once in so many turns it is time to look up. Nothing in Python counts faster.
is_due = itertools.cycle([*[False] * (_EVERY - 1), True]).__next__


def look_up() -> None:
    """Pause, unless the evaluation is a short one: after a stop, those that judge the findings must still go on.

    Raises:
        Exception: Whatever ends the evaluation.
    """
    current = evaluation()
    current.looks += 1
    if current.looks > 1:
        pause()


def paced(members: Iterable[Any]) -> Iterator[Any]:
    """The members of a set that may be practically endless, with pauses."""
    return itertools.chain.from_iterable(_parts(iter(members)))


def _parts(members: Iterator[Any]) -> Iterator[Iterable[Any]]:
    yield itertools.islice(members, _EVERY)
    for member in members:
        look_up()
        yield itertools.chain((member,), itertools.islice(members, _EVERY - 1))
