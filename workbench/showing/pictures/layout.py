"""The layout: things become boxes, as large as their texts require, stacked and side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbench.showing.pictures.letters import width_of, wrap
from workbench.showing.pictures.things import QUIET, Badge, Box, Row, RowTable, Text, Thing

#: The width limit of a picture, its margin, and the column with the titles of parts.
WIDTH, MARGIN, GUTTER = 1060, 16, 104
SIZE, SMALL = 14, 12
#: The horizontal offset between neighbours in a pile.
_SHIFT = 10
#: Frames lower than this share of their line keep their height.
_LEVELLED = 0.62
#: The minimal width of remarks below a narrow picture.
_REMARKS = 480
_PART_GAP, _ASIDE_GAP, _CELL_GAP, _ROW_PAD = 20, 14, 16, 5


class BoxLook(NamedTuple):
    """The frame and arrangement of a kind of box.

    Attributes:
        pad, gap: The distance from the frame to the body, and between items of the body.
        least, most: The limits of its width.
        own: Whether its texts are its own content, rather than remarks on the things in it.
    """

    framed: bool = True
    across: bool = False
    pad: float = 10
    gap: float = 10
    least: float = 64
    most: float = 300
    own: bool = True


LOOKS = {
    "card": BoxLook(),
    "file": BoxLook(most=290, least=96),
    "envelope": BoxLook(least=96),
    "slot": BoxLook(most=290, least=96),
    "column": BoxLook(most=330, least=120, own=False),
    "shelf": BoxLook(across=True, most=WIDTH, least=120, gap=12, own=False),
    "across": BoxLook(framed=False, across=True, pad=0, gap=14, least=0, most=WIDTH),
    "chain": BoxLook(framed=False, across=True, pad=0, gap=28, least=0, most=WIDTH),
    "down": BoxLook(framed=False, pad=0, least=0, most=WIDTH),
    "pile": BoxLook(framed=False, pad=0, gap=-4, least=0, most=WIDTH),
    "queue": BoxLook(framed=False, across=True, pad=0, gap=24, least=0, most=WIDTH),
    "part": BoxLook(framed=False, across=True, pad=0, gap=14, least=0, most=WIDTH),
}


@dataclass
class Line:
    """A line of text, positioned by its left end (with `to_right` by its right end) and base line."""

    x: float
    y: float
    text: str
    width: float
    style: Text
    to_right: bool = False
    fresh: bool = False

    @property
    def size(self) -> int:
        return size_of(self.style)


@dataclass
class Block:
    """A thing with its size, and its contents with relative positions."""

    thing: Any
    w: float
    h: float
    lines: list[Line] = field(default_factory=list)
    inside: list[tuple[float, float, "Block"]] = field(default_factory=list)


@dataclass
class Placed:
    """A thing with its position in the picture.

    Attributes:
        lines: Its lines of text, with their positions in the picture.
        inside: The ids of the things around it, outermost first.
    """

    thing: Any
    x: float
    y: float
    w: float
    h: float
    lines: list[Line]
    inside: tuple[str, ...] = ()


def size_of(style: Text) -> int:
    return SMALL if style.small else SIZE


def height_of(style: Text) -> int:
    return 17 if style.small else 20


def place(
    things: Sequence[Thing],
    fresh: Mapping[str, frozenset[str]],
    above: Sequence[Thing] = (),
    below: Sequence[Thing] = (),
) -> tuple[list[Placed], float, float]:
    """Lay out all things but arrows.

    Args:
        fresh: The new lines of text, by the id of a thing.
        above, below: Remarks on the picture, which do not make it wider unless it is narrow.

    Returns:
        The things, those in front last, and the picture's width and height.
    """
    room: float = WIDTH - 2 * MARGIN
    drawn = [_lay(thing, room, fresh) for thing in things]
    wide = min(max([_REMARKS, *(block.w for block in drawn)]), room)
    head, foot = ([_lay(remark, wide, fresh) for remark in remarks] for remarks in (above, below))
    placed: list[Placed] = []
    y: float = MARGIN
    right: float = 0
    for block in (*head, *drawn, *foot):
        _settle(block, MARGIN, y, (), placed)
        y += block.h + _PART_GAP
        right = max(right, MARGIN + block.w)
    return placed, max(right, 120) + MARGIN, max(y - _PART_GAP, MARGIN) + MARGIN


def _settle(block: Block, x: float, y: float, inside: tuple[str, ...], placed: list[Placed]) -> None:
    for line in block.lines:
        _moved(line, x, y)
    placed.append(Placed(block.thing, x, y, block.w, block.h, block.lines, inside))
    in_front_last = block.inside[::-1] if block.thing.kind == "pile" else block.inside
    for dx, dy, inner in in_front_last:
        if isinstance(inner.thing, Text):  # it belongs to the surrounding box
            block.lines += [_moved(line, x + dx, y + dy) for line in inner.lines]
        else:
            _settle(inner, x + dx, y + dy, (*inside, block.thing.id), placed)


def _lay(thing: Any, room: float, fresh: Mapping[str, frozenset[str]]) -> Block:
    if isinstance(thing, Text):
        return _text(thing, room, frozenset())
    new = fresh.get(thing.id, frozenset())
    if isinstance(thing, Badge):
        return _badge(thing, room, new)
    if isinstance(thing, RowTable):
        return _table(thing, room, fresh)
    if thing.kind == "part":
        return _part(thing, room, fresh)
    return _box(thing, room, fresh)


def _text(style: Text, room: float, new: frozenset[str]) -> Block:
    block = Block(style, 0, 0)
    size, step = size_of(style), height_of(style)
    for words in wrap(style.text, room, size, style.bold):
        wide = width_of(words, size, style.bold)
        block.lines.append(Line(0, block.h + step * 0.74, words, wide, style, fresh=style.text in new))
        block.w = max(block.w, wide)
        block.h += step
    return block


def _badge(badge: Badge, room: float, new: frozenset[str]) -> Block:
    block = _text(badge.text, room - 16, new)
    for line in block.lines:
        line.x += 8
        line.y += 2
    return Block(badge, block.w + 16, block.h + 4, block.lines)


def _table(table: RowTable, room: float, fresh: Mapping[str, frozenset[str]]) -> Block:
    count = max((len(row.cells) for row in table.rows), default=0)
    widths = [0.0] * count
    for row in table.rows:
        for i, cell in enumerate(row.cells):
            widths[i] = max(widths[i], width_of(cell, SIZE))
    spare = room - 2 * _ROW_PAD - _CELL_GAP * max(count - 1, 0)
    if sum(widths) > spare:  # the widest columns give way
        share = spare / count
        slim = sum(min(w, share) for w in widths)
        over = [max(w - share, 0) for w in widths]
        widths = [min(w, share) + (spare - slim) * (o / sum(over)) for w, o in zip(widths, over, strict=True)]
    wide = sum(widths) + 2 * _ROW_PAD + _CELL_GAP * max(count - 1, 0)
    block = Block(table, wide, 0)
    for row in table.rows:
        inner = _row(row, widths, wide, bool(fresh.get(row.id)))
        block.inside.append((0, block.h, inner))
        block.h += inner.h
    return block


def _row(row: Row, widths: Sequence[float], wide: float, new: bool) -> Block:
    block = Block(row, wide, 22)
    x: float = _ROW_PAD
    style = Text("", struck=row.struck, tone=QUIET if row.struck or row.faded else row.tone)
    for cell, width in zip(row.cells, widths, strict=False):
        for i, words in enumerate(wrap(cell, width + 0.01, SIZE)):
            block.lines.append(Line(x, 16 + 18 * i, words, width_of(words, SIZE), style, fresh=new and words != ""))
            block.h = max(block.h, 22 + 18 * i)
        x += width + _CELL_GAP
    return block


def _part(part: Box, room: float, fresh: Mapping[str, frozenset[str]]) -> Block:
    new = fresh.get(part.id, frozenset())
    block = Block(part, room, 0)
    if part.title is not None:
        title = _text(part.title, GUTTER - 12, new)
        title.lines = [_moved(line, 0, 6) for line in title.lines]
        block.lines += title.lines
        block.h = title.h + 6
    inner = Block(part, 0, 0)
    _flow(inner, part, room - GUTTER, 0, fresh)
    block.inside = [(dx + GUTTER, dy, child) for dx, dy, child in inner.inside]
    block.w, block.h = inner.w + GUTTER, max(block.h, inner.h)
    return block


def _moved(line: Line, dx: float, dy: float) -> Line:
    line.x += dx
    line.y += dy
    return line


def _box(box: Box, room: float, fresh: Mapping[str, frozenset[str]]) -> Block:
    look = LOOKS[box.kind]
    new = fresh.get(box.id, frozenset())
    block = Block(box, 0, look.pad)
    inner_room = min(room, look.most) - 2 * look.pad
    _heading(block, box, look, inner_room, new)
    if look.across:
        _flow(block, box, inner_room, look.pad, fresh)
    else:
        _stack(block, box, inner_room, look, fresh)
    block.w = max(block.w, look.least - 2 * look.pad) + 2 * look.pad
    block.h += look.pad
    if not look.across:
        for _, _, inner in block.inside if box.kind != "pile" else ():
            _widen(inner, block.w - 2 * look.pad)
    elif look.framed and len(block.inside) == 1:
        _widen(block.inside[0][2], block.w - 2 * look.pad)
    _align(block, look)
    return block


def _heading(block: Block, box: Box, look: BoxLook, room: float, new: frozenset[str]) -> None:
    """The title, and the aside on its right, or below it if there is no room."""
    spared = 22 if box.kind == "envelope" else 0
    if box.title is not None:
        title = _text(box.title, room - spared, new)
        block.lines += [_moved(line, look.pad + spared, block.h) for line in title.lines]
        block.h += title.h
        block.w = title.w + spared
    if box.aside is not None:
        aside = _text(box.aside, room, frozenset())
        beside = len(block.lines) == 1 and block.w + _ASIDE_GAP + aside.w <= room and len(aside.lines) == 1
        top = block.h - height_of(box.title) + 1.5 if beside and box.title is not None else block.h
        for line in aside.lines:
            line.to_right = beside
            block.lines.append(_moved(line, look.pad, top))
        block.w = block.w + _ASIDE_GAP + aside.w if beside else max(block.w, aside.w)
        block.h += 0 if beside else aside.h


def _stack(block: Block, box: Box, room: float, look: BoxLook, fresh: Mapping[str, frozenset[str]]) -> None:
    """The items of the body below each other."""
    new = fresh.get(box.id, frozenset())
    before: Any = box.title
    for item in box.body:
        inner = _text(item, room, new) if isinstance(item, Text) else _lay(item, room, fresh)
        if before is not None:
            close = isinstance(before, Text) and isinstance(item, (Text, RowTable))
            block.h += 3 if close else look.gap - (3 if isinstance(before, Text) else 0)
        aslant = _SHIFT * len(block.inside) if box.kind == "pile" else 0
        block.inside.append((look.pad + aslant, block.h, inner))
        block.h += inner.h
        block.w = max(block.w, inner.w + aslant)
        before = item


def _flow(block: Block, box: Box, room: float, pad: float, fresh: Mapping[str, frozenset[str]]) -> None:
    """The items of the body side by side, wrapped into lines; the frames of a line have the same height."""
    new = fresh.get(box.id, frozenset())
    look = LOOKS[box.kind]
    line: list[tuple[float, float, Block]] = []
    x, top, tall = 0.0, block.h, 0.0
    if box.kind != "part" and (box.title is not None or box.aside is not None) and box.body:
        top += 7
    lower = 0 if all(isinstance(item, Text) for item in box.body) else 7  # aligned with the titles next to it
    for item in box.body:
        inner = _text(item, room, new) if isinstance(item, Text) else _lay(item, room, fresh)
        if line and x + inner.w > room:
            _level(line, tall)
            top, x, tall, line = top + tall + look.gap, 0.0, 0.0, []
        sinks = lower if isinstance(item, Text) else 0
        line.append((pad + x, top + sinks, inner))
        block.inside.append(line[-1])
        x += inner.w + look.gap
        tall = max(tall, inner.h + sinks)
        block.w = max(block.w, x - look.gap)
    _level(line, tall)
    block.h = top + tall


def _level(line: Iterable[tuple[float, float, Block]], tall: float) -> None:
    """Give frames side by side the same height, unless they would be mostly empty."""
    for _, _, inner in line:
        if _is_box(inner) and inner.h > _LEVELLED * tall:
            inner.h = tall


def _widen(block: Block, wide: float) -> None:
    """Make a frame in a column as wide as the column."""
    if isinstance(block.thing, RowTable):
        block.w = wide
        for _, _, row in block.inside:
            row.w = wide
    elif isinstance(block.thing, Box) and block.thing.kind == "down":
        block.w = wide
        for _, _, inner in block.inside:
            _widen(inner, wide)
    elif _is_box(block) and block.w < wide:
        more = wide - block.w
        block.w = wide
        for line in block.lines:
            if line.to_right:
                line.x += more
        look = LOOKS[block.thing.kind]
        if not look.across:
            for _, _, inner in block.inside:
                _widen(inner, wide - 2 * look.pad)


def _align(block: Block, look: BoxLook) -> None:
    for line in block.lines:
        if line.to_right:
            line.x = block.w - look.pad - line.width


def is_framed(thing: Any) -> bool:
    """Whether a thing has an outline of its own."""
    return isinstance(thing, (Badge, Row)) or (isinstance(thing, Box) and LOOKS[thing.kind].framed)


def _is_box(block: Block) -> bool:
    return isinstance(block.thing, Box) and LOOKS[block.thing.kind].framed
