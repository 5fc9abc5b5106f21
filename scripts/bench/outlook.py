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
        configuration = configurations.configuration(path)
        if configuration.expect.get("distinct", 0) > _LARGE:
            yield configuration


def searched(configuration: configurations.Configuration) -> list[Progress]:
    """Search a configuration's space; the progress at the end of each level, and in the end."""
    seen: dict[int, Progress] = {}

    def note(at: Progress) -> None:
        seen[len(at.levels)] = at

    check(configuration.model, [], symmetry=configuration.symmetry, engine="local", watch=Watch(on_progress=note))
    return list(seen.values())


def levels_of(configuration: configurations.Configuration) -> list[int]:
    """Search a configuration's space; the sizes of its levels."""
    return list(searched(configuration)[-1].levels)


def estimates(levels: Sequence[int]) -> dict[int, float]:
    """All estimates before the last level, as shares of the true size, by the number of levels known then."""
    sizes = {count: states_in_all(levels[:count]) for count in range(1, len(levels))}
    return {count: size / sum(levels) for count, size in sizes.items() if size is not None}


def bytes_estimated(seen: Sequence[Progress]) -> list[float]:
    """The estimates of the bytes that a search holds, as shares of those in the end."""
    sizes = [(at, states_in_all(at.levels)) for at in seen[:-1]]
    return [held_in_all(at, size) / seen[-1].held for at, size in sizes if size is not None]


def measure(configuration: configurations.Configuration) -> dict[str, Any]:
    seen = searched(configuration)
    levels = list(seen[-1].levels)
    shares, held = estimates(levels), bytes_estimated(seen)
    return {
        "space": configuration.name,
        "states": sum(levels),
        "levels": len(levels),
        "estimates": len(shares),
        "first at level": min(shares, default=None),
        "lowest": round(min(shares.values(), default=math.nan), 2),
        "highest": round(max(shares.values(), default=math.nan), 2),
        "bytes, lowest": round(min(held, default=math.nan), 2),
        "bytes, highest": round(max(held, default=math.nan), 2),
    }
