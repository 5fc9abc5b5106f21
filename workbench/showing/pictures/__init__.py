"""Pictures of states, for the protocols of the workbench and for your own models.

A picture is described by things, see :mod:`workbench.showing.pictures.things`, without their layout and style.
:func:`picture_of` declares the picture of a model, which does not know it; ``docs/pictures.md`` shows how to write one.

The ids of things follow from their subjects. This makes two pictures comparable, and lets a model blame places in the
state (``Fault``).
"""

from workbench.showing.pictures.drawing import Picture, Shown, describe, faults, pair, picture
from workbench.showing.pictures.registry import options_of, painting_of, picture_of
from workbench.showing.pictures.things import (
    BAD,
    BUSY,
    GOOD,
    ODD,
    PLAIN,
    QUIET,
    across,
    arrow,
    badge,
    card,
    chain,
    column,
    down,
    envelope,
    file,
    name,
    note,
    part,
    pile,
    queue,
    row,
    shelf,
    slot,
    table,
    text,
)

__all__ = [
    "BAD",
    "BUSY",
    "GOOD",
    "ODD",
    "PLAIN",
    "QUIET",
    "Picture",
    "Shown",
    "across",
    "arrow",
    "badge",
    "card",
    "chain",
    "column",
    "describe",
    "down",
    "envelope",
    "faults",
    "file",
    "name",
    "note",
    "options_of",
    "painting_of",
    "pair",
    "part",
    "picture",
    "picture_of",
    "pile",
    "queue",
    "row",
    "shelf",
    "slot",
    "table",
    "text",
]
