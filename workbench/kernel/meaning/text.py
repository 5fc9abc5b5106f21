"""Text, made fit to print."""

import sys
import textwrap
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, zip_longest
from typing import Literal, NamedTuple

#: The signs that a line of a table may have; None for any number.
_room: ContextVar[int | None] = ContextVar("room", default=None)
#: A column is not made narrower than this.
_NARROWEST = 20

#: The style of a line's head: an answer, or a warning.
Style = Literal["yes", "no", "unknown", "warning"]


class Styled(NamedTuple):
    """A line whose head has a style, or None."""

    head: str
    style: Style | None
    rest: str

    def __str__(self) -> str:
        return self.head + self.rest


#: A line of an answer.
Line = str | Styled
#: A row of a table, with the style of its first cell.
StyledRow = tuple[Style | None, Sequence[str]]


@contextmanager
def fitting(width: int | None) -> Iterator[None]:
    """Has tables be no wider than a terminal of this `width`, as far as their longest column can be wrapped."""
    before = _room.set(width)
    try:
        yield
    finally:
        _room.reset(before)


def printable(text: str) -> str:
    r"""`text` as one line, with escapes for characters that are invisible or control a terminal.

    These are control characters, line and paragraph separators, marks that change the direction of writing, and
    unassigned code points.

    Examples:
        >>> printable("w1\x1b[2J\nholds")
        'w1\\x1b[2J\\nholds'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    r"""As :func:`printable`, but keeps line breaks.

    Examples:
        >>> printable_lines("one\ntwo\r\x07")
        'one\ntwo\\r\\x07'
    """
    return "\n".join(map(printable, text.split("\n")))


def columns(rows: Iterable[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """Rows as lines of aligned columns, those in `right` aligned to the right.

    Examples:
        >>> columns([("action", "taken"), ("commit", "1,200"), ("crash", "7")], right=[1])
        ['action  taken', 'commit  1,200', 'crash       7']
    """
    return list(chain.from_iterable(_aligned(rows, right)))


def styled_columns(rows: Sequence[StyledRow], right: Container[int] = ()) -> list[Line]:
    """As :func:`columns`, for rows whose first cells have styles."""
    lines: list[Line] = []
    for (style, (head, *_)), (first, *more) in zip(rows, _aligned([row for _, row in rows], right), strict=True):
        lines += [Styled(head, style, first[len(head) :]), *more]
    return lines


def _aligned(rows: Iterable[Sequence[str]], right: Container[int]) -> list[list[str]]:
    """The lines of each row."""
    table = [list(map(printable, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    too_much = sum(widths) + 2 * (len(widths) - 1) - (_room.get() or sys.maxsize)
    longest = max((at for at in range(len(widths)) if at not in right), key=lambda at: widths[at], default=0)
    narrow = too_much > 0 and widths[longest] > _NARROWEST
    if narrow:
        widths[longest] = max(_NARROWEST, widths[longest] - too_much)
    return [
        [
            "  ".join(f"{cell:{'>' if at in right else '<'}{widths[at]}}" for at, cell in enumerate(line)).rstrip()
            for line in (_wrapped(row, longest, widths[longest]) if narrow else [row])
        ]
        for row in table
    ]


def _wrapped(row: Sequence[str], at: int, width: int) -> Iterator[list[str]]:
    """A row as lines, in which one cell is no wider than `width`."""
    parts = textwrap.wrap(row[at], width) or [""]
    for first, part in zip_longest([row], parts):
        yield [*row[:at], part, *row[at + 1 :]] if first else ["" if n != at else part for n in range(len(row))]
