"""The routes of arrows: right-angled, and if possible across no text and through no box."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from workbench.showing.pictures.layout import LOOKS, Placed
from workbench.showing.pictures.things import Arrow, Box, RowTable

Point = tuple[float, float]
#: The cost of a route: per crossed text or box, overlap with another arrow, bend, and unit of length.
TEXT, _BOX, _ARROW, _BEND, _LENGTH = 100.0, 30.0, 20.0, 4.0, 0.02
_NEAR = 3.0
_SHARES = (0.5, 0.25, 0.75)


class Area(NamedTuple):
    """A rectangle that an arrow should not cross, and the cost of doing so."""

    left: float
    top: float
    right: float
    bottom: float
    cost: float


def areas(placed: Sequence[Placed], *, but: frozenset[str]) -> list[Area]:
    """The obstacles: all texts and boxes, except those called `but`, and their contents and containers."""
    around = {id for box in placed if box.thing.id in but for id in box.inside}
    obstacles = []
    for box in placed:
        if box.thing.id in but or not but.isdisjoint(box.inside):
            continue
        for line in box.lines:
            obstacles.append(Area(line.x, line.y - line.size, line.x + line.width, line.y + 3, TEXT))
        framed = not isinstance(box.thing, Box) or LOOKS[box.thing.kind].framed
        if framed and box.thing.id not in around and not isinstance(box.thing, RowTable):
            obstacles.append(Area(box.x, box.y, box.x + box.w, box.y + box.h, _BOX))
    return obstacles


def route(arrow: Arrow, source: Placed, target: Placed, placed: Sequence[Placed], taken: list[Point]) -> list[Point]:
    """The corners of the cheapest of several routes; `taken` holds the segments of earlier arrows, pair by pair."""
    hindrances = areas(placed, but=frozenset((arrow.source, arrow.target)))
    best = _cheapest(_ways(source, target), hindrances, taken)
    if best[0] >= _BOX:
        outer = [next((box for box in placed if _encloses(box, end)), end) for end in (source, target)]
        best = min(best, _cheapest(_channels(source, target, *outer), hindrances, taken))
    for a, b in pairwise(best[1]):
        taken += (a, b)
    return best[1]


def _encloses(outer: Placed, inner: Placed) -> bool:
    """Whether `outer` is the outermost frame around a thing."""
    framed = isinstance(outer.thing, Box) and LOOKS[outer.thing.kind].framed
    return framed and outer.thing.id in inner.inside


def _cheapest(
    ways: Iterable[list[Point]], hindrances: Sequence[Area], taken: Sequence[Point]
) -> tuple[float, list[Point]]:
    best: tuple[float, list[Point]] = (math.inf, [])
    for way in ways:
        length = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in pairwise(way))
        cost = length * _LENGTH + _BEND * (len(way) - 2)
        for a, b in pairwise(way):
            if cost >= best[0]:
                break
            cost += sum(area.cost for area in hindrances if _crosses(a, b, area))
            cost += sum(_ARROW for c, d in zip(taken[::2], taken[1::2], strict=True) if _overlap(a, b, c, d))
        if cost < best[0]:
            best = cost, way
    return best


def _channels(source: Placed, target: Placed, outer: Placed, around: Placed) -> Iterator[list[Point]]:
    """Out of the frame around the source, along the gaps between frames, and into the frame around the target."""
    for out in (outer.x - 7, outer.x + outer.w + 7):
        leave = source.x if out < source.x else source.x + source.w
        y = source.y + source.h / 2
        for into in (around.x - 7, around.x + around.w + 7):
            for across in (min(outer.y, around.y) - 9, max(outer.y + outer.h, around.y + around.h) + 9):
                way = [(leave, y), (out, y)] if abs(out - into) < 1 else [(leave, y), (out, y), (out, across)]
                for end in _entries(target, into):
                    yield [*way, *([] if abs(out - into) < 1 else [(into, across)]), *end]


def _entries(target: Placed, x: float) -> Iterator[list[Point]]:
    """From a vertical line into the target: straight, or from below, or from above."""
    middle = target.x + target.w / 2
    y = target.y + target.h / 2
    yield [(x, y), (target.x if x < target.x else target.x + target.w, y)]
    below, above = target.y + target.h + 5, target.y - 5
    yield [(x, below), (middle, below), (middle, target.y + target.h)]
    yield [(x, above), (middle, above), (middle, target.y)]


def _ways(source: Placed, target: Placed) -> Iterator[list[Point]]:
    yield from _straight(source, target)
    yield from ([(y, x) for x, y in way] for way in _straight(_turned(source), _turned(target)))
    yield from _stepped(source, target)
    yield from ([(y, x) for x, y in way] for way in _stepped(_turned(source), _turned(target)))
    yield from _bent(source, target)
    yield from _around(source, target)


def _turned(box: Placed) -> Placed:
    return Placed(box.thing, box.y, box.x, box.h, box.w, [])


def _straight(source: Placed, target: Placed) -> Iterator[list[Point]]:
    """Horizontal lines, if both ends share a height."""
    low, high = max(source.y, target.y) + 5, min(source.y + source.h, target.y + target.h) - 5
    if low <= high:
        start, end = _facing(source, target)
        for share in _SHARES:
            y = low + (high - low) * share
            yield [(start, y), (end, y)]


def _facing(source: Placed, target: Placed) -> tuple[float, float]:
    if source.x + source.w / 2 <= target.x + target.w / 2:
        return source.x + source.w, target.x
    return source.x, target.x + target.w


def _stepped(source: Placed, target: Placed) -> Iterator[list[Point]]:
    """Sideways, up or down, and sideways again."""
    start, end = _facing(source, target)
    if abs(end - start) < 14 or (source.x < target.x + target.w and target.x < source.x + source.w):
        return
    for leave in _SHARES:
        for arrive in _SHARES:
            y1, y2 = source.y + source.h * leave, target.y + target.h * arrive
            for share in (0.5, 0.15, 0.85):
                x = start + (end - start) * share
                yield [(start, y1), (x, y1), (x, y2), (end, y2)]


def _bent(source: Placed, target: Placed) -> Iterator[list[Point]]:
    """Sideways, then up or down into the target; or the other way round."""
    start, _ = _facing(source, target)
    for share in _SHARES:
        y, x = source.y + source.h * share, target.x + target.w * share
        if not target.y - 10 < y < target.y + target.h + 10:
            yield [(start, y), (x, y), (x, target.y if y < target.y else target.y + target.h)]
        y, x = target.y + target.h * share, source.x + source.w * share
        if not source.y - 10 < y < source.y + source.h + 10:
            end = target.x if x < target.x else target.x + target.w
            yield [(x, source.y if y < source.y else source.y + source.h), (x, y), (end, y)]


def _around(source: Placed, target: Placed) -> Iterator[list[Point]]:
    """Out below both, or above both, and back in."""
    for share in _SHARES:
        x1, x2 = source.x + source.w * share, target.x + target.w * share
        below = max(source.y + source.h, target.y + target.h) + 9
        yield [(x1, source.y + source.h), (x1, below), (x2, below), (x2, target.y + target.h)]
        above = min(source.y, target.y) - 9
        yield [(x1, source.y), (x1, above), (x2, above), (x2, target.y)]


def _crosses(a: Point, b: Point, area: Area) -> bool:
    return (
        min(a[0], b[0]) < area.right
        and max(a[0], b[0]) > area.left
        and min(a[1], b[1]) < area.bottom
        and max(a[1], b[1]) > area.top
    )


def _overlap(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two segments overlap for some length."""
    for i in (0, 1):
        j = 1 - i
        if abs(a[i] - b[i]) < 0.1 and abs(c[i] - d[i]) < 0.1 and abs(a[i] - c[i]) < _NEAR:
            return min(max(a[j], b[j]), max(c[j], d[j])) - max(min(a[j], b[j]), min(c[j], d[j])) > _NEAR
    return False
