"""Pictures of states: of the protocols that come with the workbench, and of anybody's own models.

A picture is described by things, see :mod:`workbench.pictures.things`; where they go and how they look is not the
description's business. :func:`picture_of` declares one for a model, which does not know of it. ``docs/pictures.md``
shows how to write one.

Ids that follow from what a thing stands for make two pictures comparable, and let a model say what is at fault in its
own words (``Fault``, with places in the state).
"""

from workbench.pictures import bakery, hudi, paimon  # noqa: F401 - each declares its protocol's pictures
from workbench.pictures.drawing import Picture, Shown, describe, faults, pair, picture
from workbench.pictures.registry import options_of, painting_of, picture_of
from workbench.pictures.things import (
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
