"""The difference between two pictures, thing by thing: new, changed and gone."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.showing.pictures.layout import LOOKS, is_framed
from workbench.showing.pictures.things import QUIET, Arrow, Badge, Box, Row, RowTable, Text, Thing

NEW, CHANGED, GONE = "new", "changed", "gone"
#: The mark for differences between two pictures side by side.
DIFFERS = "differs"


@dataclass(frozen=True)
class Difference:
    """The later picture's things together with those that are gone, and how they changed.

    Attributes:
        changes: ``new``, ``changed`` or ``gone``, by id; without things inside a new one, or without a frame.
        fresh: The new lines of text of changed things, by id.
    """

    things: tuple[Any, ...]
    changes: dict[str, str]
    fresh: dict[str, frozenset[str]]


def children(thing: Any) -> tuple[Any, ...]:
    """The things in `thing`."""
    if isinstance(thing, Box):
        return tuple(item for item in thing.body if not isinstance(item, Text))
    return thing.rows if isinstance(thing, RowTable) else ()


def every(things: Sequence[Any], parent: str = "") -> Iterator[tuple[Any, str]]:
    """Every thing, nested ones included, with the id of the thing that contains it."""
    for thing in things:
        yield thing, parent
        yield from every(children(thing), thing.id)


def compare_things(before: Sequence[Thing], after: Sequence[Thing]) -> Difference:
    """The difference that leads to `after`."""
    old = {thing.id: (thing, parent) for thing, parent in every(before)}
    new = {thing.id: parent for thing, parent in every(after)}
    changes: dict[str, str] = {}
    fresh: dict[str, frozenset[str]] = {}
    for thing, parent in every(after):
        if thing.id not in old:
            if isinstance(thing, Arrow) or (is_framed(thing) and not _is_inside_new(parent, new, changes)):
                changes[thing.id] = NEW
        elif _own(thing) != _own(old[thing.id][0]):
            changes[thing.id] = CHANGED
            fresh[thing.id] = _texts(thing) - _texts(old[thing.id][0])
    went: _Went = {}
    _lost(before, "", frozenset(new), went)
    for lost in went.values():
        changes |= {thing.id: GONE for _, thing in lost}
    things = _with(went, "", tuple(after))
    lost_arrows = _lost_arrows(before, frozenset(new), {thing.id for thing, _ in every(things)})
    changes |= {arrow.id: GONE for arrow in lost_arrows}
    return Difference((*things, *lost_arrows), changes, fresh)


def differing(these: Sequence[Thing], others: Sequence[Thing]) -> dict[str, str]:
    """The ids of `these` that are missing or different among the `others`, each with ``differs``."""
    changes = compare_things(others, these).changes
    return {id: DIFFERS for id, change in changes.items() if change != GONE}


def _is_inside_new(id: str, parents: dict[str, str], changes: dict[str, str]) -> bool:
    """Whether the thing called `id`, or one around it, is new."""
    while id:
        if changes.get(id) == NEW:
            return True
        id = parents[id]
    return False


def _own(thing: Any) -> Any:
    """A thing's own content, without the things in it and without the aside."""
    if isinstance(thing, Box):
        texts = tuple(_words(item) for item in thing.body if isinstance(item, Text))
        return thing.kind, _words(thing.title), texts if LOOKS[thing.kind].own else (), thing.faded, thing.dashed
    if isinstance(thing, RowTable):
        return ()
    if isinstance(thing, Row):
        return thing.cells, thing.struck
    if isinstance(thing, Badge):
        return _words(thing.text), thing.faded
    return thing.source, thing.target, thing.text, thing.dashed


def _words(text: Text | None) -> Any:
    return None if text is None else (text.text, text.struck)


def _texts(thing: Any) -> frozenset[str]:
    if isinstance(thing, Box):
        return frozenset(text.text for text in (thing.title, thing.aside, *thing.body) if isinstance(text, Text))
    if isinstance(thing, Row):
        return frozenset(thing.cells)
    return frozenset((thing.text.text,)) if isinstance(thing, Badge) else frozenset()


def _lost_arrows(before: Sequence[Any], kept: frozenset[str], drawn: Container[str]) -> tuple[Arrow, ...]:
    """Ghosts of the arrows that are gone, between things that are drawn, ghosts included."""
    return tuple(
        replace(thing, faded=True, dashed=True, tone=QUIET, of=())
        for thing in before
        if isinstance(thing, Arrow) and thing.id not in kept and thing.source in drawn and thing.target in drawn
    )


#: By container, the things that are gone, each with the id of its predecessor there; None for the first.
_Went = dict[str, list[tuple[str | None, Any]]]


def _lost(things: Sequence[Any], parent: str, kept: frozenset[str], went: _Went) -> None:
    """Collect the outermost things that are gone, by container."""
    before = None
    for thing in things:
        if thing.id in kept:
            _lost(children(thing), thing.id, kept, went)
        elif not isinstance(thing, Arrow):
            ghost = _ghost(thing, kept)
            if is_framed(ghost) or children(ghost):
                went.setdefault(parent, []).append((before, ghost))
            _moved_out(children(thing), kept, went)
        before = thing.id


def _moved_out(things: Sequence[Any], kept: frozenset[str], went: _Went) -> None:
    """Collect the losses of things that moved out of one that is gone."""
    for thing in things:
        if thing.id in kept:
            _lost(children(thing), thing.id, kept, went)
        else:
            _moved_out(children(thing), kept, went)


def _ghost(thing: Any, kept: frozenset[str]) -> Any:
    """The drawing of a thing that is gone, without the things in it that are still there."""
    if isinstance(thing, Row):
        return replace(thing, faded=True, struck=True)
    if isinstance(thing, Badge):
        return replace(thing, faded=True, tone=QUIET)
    if isinstance(thing, RowTable):
        return replace(thing, rows=tuple(_ghost(row, kept) for row in thing.rows if row.id not in kept))
    body = tuple(
        item if isinstance(item, Text) else _ghost(item, kept)
        for item in thing.body
        if isinstance(item, Text) or item.id not in kept
    )
    return replace(thing, body=body, faded=True, dashed=True, tone=QUIET, of=())


def _with(went: _Went, parent: str, items: tuple[Any, ...]) -> tuple[Any, ...]:
    """`items` with the ghosts of those that are gone, each behind its predecessor."""
    rebuilt = [_refilled(went, item) for item in items]
    for before, ghost in went.get(parent, ()):
        ids = [None if isinstance(item, Text) else item.id for item in rebuilt]
        if before in ids and before is not None:
            rebuilt.insert(ids.index(before) + 1, ghost)
        else:
            rebuilt.insert(next((i for i, id in enumerate(ids) if id is not None), len(ids)), ghost)
    return tuple(rebuilt)


def _refilled(went: _Went, item: Any) -> Any:
    if not went or isinstance(item, (Text, Badge, Row, Arrow)):
        return item
    if isinstance(item, RowTable):
        return replace(item, rows=_with(went, item.id, item.rows))
    return replace(item, body=_with(went, item.id, item.body))
