"""The things that pictures are made of: immutable descriptions with stable ids.

A thing describes its content, not its position. Its id, such as ``snapshot-3``, follows from its subject, so that it is
the same thing in the next state, where it may look different or have moved. `of` names the places in the state that it
stands for; if an invariant blames one of them, the thing is marked.

Bodies take things, texts, plain strings, and None for nothing: ``x if condition else None``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from workbench.kernel.meaning.errors import ModelError, brief
from workbench.kernel.meaning.properties import Place
from workbench.kernel.meaning.text import printable

#: The tone of a thing: normal, muted, success, active or highlighted, suspicious, wrong.
PLAIN, QUIET, GOOD, BUSY, ODD, BAD = "plain", "quiet", "good", "busy", "odd", "bad"


@dataclass(frozen=True)
class Text:
    """A text, wrapped if it is too long for one line."""

    text: str
    bold: bool = False
    small: bool = False
    struck: bool = False
    tone: str = PLAIN


@dataclass(frozen=True, kw_only=True)
class Thing:
    """The common part of all things.

    Attributes:
        of: The places in the state that it stands for.
        hover: The text of its tooltip.
    """

    id: str
    kind: str
    tone: str = PLAIN
    of: tuple[Place, ...] = ()
    hover: str = ""
    faded: bool = False


@dataclass(frozen=True, kw_only=True)
class Badge(Thing):
    """A few words in a pill."""

    kind: str = "badge"
    text: Text


@dataclass(frozen=True, kw_only=True)
class Row(Thing):
    """A row of a table; a struck one does not count any more."""

    kind: str = "row"
    cells: tuple[str, ...]
    struck: bool = False


@dataclass(frozen=True, kw_only=True)
class RowTable(Thing):
    """Rows with aligned cells."""

    kind: str = "table"
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Box(Thing):
    """A thing with a body, from a card to a row of slots. `kind` sets its frame and arrangement."""

    title: Text | None = None
    aside: Text | None = None
    body: tuple[Any, ...] = ()
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Arrow(Thing):
    """A line from one thing to another, both given by their ids."""

    kind: str = "arrow"
    source: str
    target: str
    text: str = ""
    dashed: bool = False


Of = Place | Iterable[Place]


def name(*parts: Any) -> str:
    """An id made from `parts`; None is left out.

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
    """A few words in a pill."""
    return Badge(id=id, text=_text(words), tone=tone, of=_places(of), hover=_shown(hover), faded=faded)


def row(id: str, *cells: Any, struck: bool = False, tone: str = PLAIN, of: Of = (), hover: str = "") -> Row:
    """A row of a table."""
    words = tuple(map(_shown, cells))
    return Row(id=id, cells=words, struck=struck, tone=tone, of=_places(of), hover=_shown(hover))


def table(id: str, rows: Iterable[Row], *, of: Of = ()) -> RowTable:
    """Rows with aligned cells."""
    return RowTable(id=id, rows=tuple(rows), of=_places(of))


def arrow(
    id: str, source: str, target: str, words: Any = "", *, tone: str = PLAIN, of: Of = (), dashed: bool = False
) -> Arrow:
    """A line from the thing with the id `source` to the one with the id `target`."""
    label = _shown(words)
    return Arrow(id=id, source=source, target=target, text=label, tone=tone, of=_places(of), hover=label, dashed=dashed)


def _box(kind: str, doc: str) -> Any:
    """A function that makes boxes with a title."""

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
        if isinstance(title, Thing):
            raise ModelError(f"{kind}({brief(id)}, ...): the thing {brief(title.id)} is no title; give one, or None")
        heading = title if title is None or isinstance(title, Text) else text(title, bold=kind != "part")
        inside = tuple(_item(item) for item in body if item is not None)
        beside = None if aside is None else replace(_text(aside), small=True)
        return Box(
            id=id,
            kind=kind,
            title=heading,
            aside=beside,
            body=inside,
            tone=tone,
            of=_places(of),
            hover=_shown(hover),
            faded=faded,
            dashed=dashed,
        )

    return _named(build, kind, doc)


def _group(kind: str, doc: str) -> Any:
    """A function that makes boxes without a frame, which have no title."""

    def build(id: str, *body: Any, of: Of = (), faded: bool = False) -> Box:
        inside = tuple(_item(item) for item in body if item is not None)
        return Box(id=id, kind=kind, body=inside, of=_places(of), faded=faded)

    return _named(build, kind, doc)


def _named(build: Any, kind: str, doc: str) -> Any:
    build.__name__ = build.__qualname__ = kind
    build.__doc__ = doc
    return build


card = _box("card", "A framed thing with a title and a body.")
file = _box("file", "A card for something stored, with a folded corner.")
envelope = _box("envelope", "A card for a message.")
slot = _box("slot", "A place for one thing, which may be empty.")
column = _box("column", "A titled frame with things below each other.")
shelf = _box("shelf", "A titled frame with things side by side.")
part = _box("part", "A part of the picture, with its title in the margin.")
across = _group("across", "Things side by side without a frame, wrapped into lines.")
chain = _group("chain", "Things side by side without a frame, with room for arrows between them.")
down = _group("down", "Things below each other without a frame.")
pile = _group("pile", "Things behind each other, the first in front.")
queue = _group("queue", "Things side by side, the first at the head of the queue.")


def _text(words: Any) -> Text:
    return words if isinstance(words, Text) else text(words)


def _item(item: Any) -> Any:
    return item if isinstance(item, (Text, Badge, RowTable, Box)) else text(item)


def _places(of: Of) -> tuple[Place, ...]:
    return (of,) if isinstance(of, Place) else tuple(of)
