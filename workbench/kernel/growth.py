"""Which cells take new values with every level: where a space has no end, they say why."""

from collections.abc import Sequence

from workbench.kernel.errors import listed
from workbench.kernel.state import Cell
from workbench.kernel.values import counted

#: In how many levels in a row a cell has to take new values, and in which part of all.
_LEAST, _PART = 8, 0.5


class Growth:
    """The cells of a search, and in how many levels in a row each has taken new values."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells, self._values = cells, [0] * len(cells)
        self._grown, self._levels = [0] * len(cells), 0

    def note(self, values: Sequence[int]) -> None:
        """Another level is complete; how many values each cell has had by now."""
        then = zip(self._grown, self._values, values, strict=True)
        self._grown = [grown + 1 if now > before else 0 for grown, before, now in then]
        self._values, self._levels = list(values), self._levels + 1

    @property
    def remarks(self) -> list[str]:
        """What to tell somebody whose search did not come to an end."""
        least = max(_LEAST, _PART * self._levels)
        growing = [at for at, grown in enumerate(self._grown) if grown >= least]
        if not growing:
            return []
        named = listed((str(self._cells[at]) for at in growing), room=60)
        takes, it = ("takes", "it") if len(growing) == 1 else ("take", "them")
        most = counted(max(self._values[at] for at in growing), "value")
        return [
            f"{named} {takes} new values with every level, {most} so far: unless something bounds {it}, "
            "the space has no end"
        ]
