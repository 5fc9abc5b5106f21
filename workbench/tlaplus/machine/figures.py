"""What ``TLCGet`` knows after a search: its figures, alone and in the record ``TLCGet("stats")``."""

from collections.abc import Sequence
from typing import Any

from workbench.tlaplus.names.symbols import DEPTH, FIGURES
from workbench.tlaplus.values.operators import LazyFunction
from workbench.tlaplus.values.values import EvaluationError, spelling, text

#: The variables whose values are known only after a search.
AFTER = (*FIGURES, DEPTH)
#: The fields of TLC's record that a search here does not provide, and why.
_REFUSED = {"duration": "it depends on the clock", "worker": "it numbers TLC's own threads"}


def figures_of(levels: Sequence[int], generated: int, initial: int) -> tuple[Any, ...]:
    """The values of :data:`AFTER`, given what the search has counted.

    Args:
        levels: The number of new states at each depth.
        generated: The number of all states generated, initial ones included.
        initial: The number of initial states generated. As in TLC, one that Init yields twice counts twice.
    """
    counts = {"distinct": sum(levels), "generated": generated, "diameter": len(levels), "queue": 0}
    fields = {**counts, "initial": initial}

    def field(name: Any) -> int:
        if (spelled := spelling(name)) in _REFUSED:
            raise EvaluationError(f'TLCGet("stats").{spelled} is not supported: {_REFUSED[spelled]}')
        return fields[spelled]

    stats = LazyFunction(frozenset(map(text, (*fields, *_REFUSED))), field)
    return *counts.values(), stats, 0  # as in an ASSUME, no level
