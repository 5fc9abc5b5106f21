"""What pictures are made of: a few kinds of things, each an immutable description with a stable id.

A thing says what there is to see, and nothing of where. Its id is derived from what it stands for, such as
``snapshot-3``, so that it is the same thing in the next state, where it may look different or be somewhere else. `of`
names the places in the state that it stands for; where an invariant blames one of them, the thing is marked.

Bodies take things, texts, plain strings, and None for nothing, so that descriptions can say ``x if condition else
None``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from workbench.kernel.declare import Place
from workbench.kernel.text import printable

#: How a thing looks: as usual; said quietly; done well; at work, or lit up; strange; wrong.
PLAIN, QUIET, GOOD, BUSY, ODD, BAD = "plain", "quiet", "good", "busy", "odd", "bad"


@dataclass(frozen=True)
class Text:
    """A line of text, or several where it is too long for one."""

    text: str
    bold: bool = False
    small: bool = False
    struck: bool = False
    tone: str = PLAIN


@dataclass(frozen=True)
class Badge:
    """A few words in a pill."""

    id: str
    text: Text
    tone: str = PLAIN
    of: tuple[Place, ...] = ()
    hover: str = ""
    faded: bool = False

    kind = "badge"


@dataclass(frozen=True)
class Row:
    """A row of a table; a struck one does not count any more."""

    id: str
    cells: tuple[str, ...]
    struck: bool = False
    tone: str = PLAIN
    of: tuple[Place, ...] = ()
    hover: str = ""
    faded: bool = False

    kind = "row"


@dataclass(frozen=True)
class Table:
    """Rows whose cells are aligned."""

    id: str
    rows: tuple[Row, ...]
    of: tuple[Place, ...] = ()
    hover: str = ""
    tone: str = PLAIN
    faded: bool = False

    kind = "table"


@dataclass(frozen=True)
class Box:
    """A thing with a body: everything from a card to a row of slots. `kind` says how it is framed and arranged."""

    id: str
    kind: str
    title: Text | None = None
    aside: Text | None = None
    body: tuple[Any, ...] = ()
    tone: str = PLAIN
    of: tuple[Place, ...] = ()
    hover: str = ""
    faded: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Arrow:
    """A line from one thing to another, both given by their ids."""

    id: str
    source: str
    target: str
    text: str = ""
    tone: str = PLAIN
    of: tuple[Place, ...] = ()
    hover: str = ""
    dashed: bool = False
    faded: bool = False

    kind = "arrow"


Thing = Badge | Row | Table | Box | Arrow
Of = Place | Iterable[Place]


def name(*parts: Any) -> str:
    """An id made of what a thing stands for; what is None is left out.

    Examples:
        >>> name("slice", "fg1", 2, None), name("key", "a key")
        ('slice-fg1-2', 'key-a.20.key')
    """
    text = "-".join(_shown(part) for part in parts if part is not None)
    return re.sub(r"[^\w.-]", lambda match: f".{ord(match.group()):x}.", text)


def _shown(words: object) -> str:
    return printable(str(words))


def text(*words: Any, bold: bool = False, small: bool = False, struck: bool = False, tone: str = PLAIN) -> Text:
    """A line of the `words`."""
    return Text(" ".join(_shown(word) for word in words), bold, small, struck, tone)


def note(*words: Any, tone: str = QUIET) -> Text:
    """A line in small letters."""
    return text(*words, small=True, tone=tone)


def badge(id: str, words: Any, *, tone: str = PLAIN, of: Of = (), hover: str = "", faded: bool = False) -> Badge:
    return Badge(id, _text(words), tone, _places(of), _shown(hover), faded)


def row(id: str, *cells: Any, struck: bool = False, tone: str = PLAIN, of: Of = (), hover: str = "") -> Row:
    """A row of a table."""
    return Row(id, tuple(map(_shown, cells)), struck, tone, _places(of), _shown(hover))


def table(id: str, rows: Iterable[Row], *, of: Of = ()) -> Table:
    return Table(id, tuple(rows), _places(of))


def arrow(
    id: str, source: str, target: str, words: Any = "", *, tone: str = PLAIN, of: Of = (), dashed: bool = False
) -> Arrow:
    return Arrow(id, source, target, _shown(words), tone, _places(of), _shown(words), dashed)


def _box(kind: str) -> Any:
    def build(
        id: str,
        title: Any = None,
        *body: Any,
        aside: Any = None,
        tone: str = PLAIN,
        of: Of = (),
        hover: str = "",
        faded: bool = False,
        dashed: bool = False,
    ) -> Box:
        heading = title if title is None or isinstance(title, Text) else text(title, bold=kind != "part")
        inside = tuple(_item(item) for item in body if item is not None)
        beside = None if aside is None else replace(_text(aside), small=True)
        return Box(id, kind, heading, beside, inside, tone, _places(of), _shown(hover), faded, dashed)

    return build


#: A framed thing with a title and a body: somebody, or something said in a few lines.
card = _box("card")
#: A card for what is stored, with a folded corner.
file = _box("file")
#: A card for what is sent.
envelope = _box("envelope")
#: A place for one thing, which may be empty.
slot = _box("slot")
#: A titled frame with things below each other.
column = _box("column")
#: A titled frame with things side by side.
shelf = _box("shelf")
#: Things side by side without a frame, in further lines where there are too many.
across = _box("across")
#: The same, with room for arrows between them.
chain = _box("chain")
#: Things below each other without a frame.
down = _box("down")
#: Things behind each other, the first one in front.
pile = _box("pile")
#: Things side by side, the first one at the head of the queue.
queue = _box("queue")
#: A part of the picture, with its title in the margin.
part = _box("part")


def _text(words: Any) -> Text:
    return words if isinstance(words, Text) else text(words)


def _item(item: Any) -> Any:
    return item if isinstance(item, (Text, Badge, Table, Box)) else text(item)


def _places(of: Of) -> tuple[Place, ...]:
    return (of,) if isinstance(of, Place) else tuple(of)
