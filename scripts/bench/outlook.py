"""How soon a search estimates the size of its space, and how well: all large spaces of ``specs/``."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.checking.check import check
from workbench.checking.outlook import held_in_all, states_in_all
from workbench.kernel.meaning.budget import Progress, Watch
from workbench.registry import configurations

_LARGE = 100_000


def large() -> Iterator[configurations.Configuration]:
    """The shipped configurations that expect a large space, by path."""
    for path in configurations.shipped().values():
        one = configurations.configuration(path)
        if one.expect.get("distinct", 0) > _LARGE:
            yield one


def searched(one: configurations.Configuration) -> list[Progress]:
    """Search a configuration's space; the progress at the end of each level, and in the end."""
    seen: dict[int, Progress] = {}

    def note(at: Progress) -> None:
        seen[len(at.levels)] = at

    check(one.model, [], symmetry=one.symmetry, engine="local", watch=Watch(on_progress=note))
    return list(seen.values())


def levels_of(one: configurations.Configuration) -> list[int]:
    """Search a configuration's space; the sizes of its levels."""
    return list(searched(one)[-1].levels)


def estimates(levels: Sequence[int]) -> dict[int, float]:
    """All estimates before the last level, as shares of the true size, by the number of levels known then."""
    sizes = {known: states_in_all(levels[:known]) for known in range(1, len(levels))}
    return {known: size / sum(levels) for known, size in sizes.items() if size is not None}


def bytes_estimated(seen: Sequence[Progress]) -> list[float]:
    """The estimates of the bytes that a search holds, as shares of those in the end."""
    sizes = [(at, states_in_all(at.levels)) for at in seen[:-1]]
    return [held_in_all(at, size) / seen[-1].held for at, size in sizes if size is not None]


def measure(one: configurations.Configuration) -> dict[str, Any]:
    seen = searched(one)
    levels = list(seen[-1].levels)
    shares, held = estimates(levels), bytes_estimated(seen)
    return {
        "space": one.name,
        "states": sum(levels),
        "levels": len(levels),
        "estimates": len(shares),
        "first at level": min(shares, default=None),
        "lowest": round(min(shares.values(), default=math.nan), 2),
        "highest": round(max(shares.values(), default=math.nan), 2),
        "bytes, lowest": round(min(held, default=math.nan), 2),
        "bytes, highest": round(max(held, default=math.nan), 2),
    }
