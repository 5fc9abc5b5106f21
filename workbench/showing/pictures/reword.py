"""Rewrite the words of described things: real names in place of a model's, and suspicion in place of certainty."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.showing.pictures.things import BAD, ODD, Arrow, Badge, Box, Row, RowTable, Text

#: Marks suspected things, so that colour alone never carries meaning.
DOUBT = "? "

Reword = Callable[[str], str]


def renamer(names: Mapping[str, str]) -> Reword:
    """A function that replaces whole names in a text, the longest first.

    Examples:
        >>> renamer({"w1": "a writer", "w1-0": "data.parquet"})("append by w1: w1-0, w11")
        'append by a writer: data.parquet, w11'
    """
    if not names:
        return str
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(longest_first)})(?![\w-])")
    return lambda text: pattern.sub(lambda match: names[match.group()], text)


def renamed(things: Sequence[Any], reword: Reword) -> tuple[Any, ...]:
    """The things with all their texts reworded; ids and places stay."""

    def item(thing: Any) -> Any:
        match thing:
            case Text():
                return replace(thing, text=reword(thing.text))
            case Row():
                return replace(thing, cells=tuple(map(reword, thing.cells)), hover=reword(thing.hover))
            case RowTable():
                return replace(thing, rows=tuple(map(item, thing.rows)))
            case Badge():
                return replace(thing, text=item(thing.text), hover=reword(thing.hover))
            case Arrow():
                return replace(thing, text=reword(thing.text), hover=reword(thing.hover))
            case Box():
                title, aside = thing.title and item(thing.title), thing.aside and item(thing.aside)
                body = tuple(map(item, thing.body))
                return replace(thing, title=title, aside=aside, body=body, hover=reword(thing.hover))
        return thing

    return tuple(map(item, things))


def doubted(things: Sequence[Any], marked: Container[str]) -> tuple[Any, ...]:
    """The things with everything wrong in them as a suspicion: dashed, with a question mark, never in red.

    Args:
        marked: The ids of the things at fault; their boxes say that this is suspected.
    """

    def item(thing: Any) -> Any:
        is_wrong = thing.tone == BAD
        tone = ODD if is_wrong else thing.tone
        match thing:
            case Text():
                return replace(thing, text=DOUBT + thing.text, tone=tone) if is_wrong else thing
            case Row():
                *cells, last = thing.cells
                return replace(thing, cells=(*cells, DOUBT + last), tone=tone) if is_wrong else thing
            case RowTable():
                return replace(thing, rows=tuple(map(item, thing.rows)))
            case Badge():
                return replace(thing, text=item(replace(thing.text, tone=thing.tone)), tone=tone)
            case Arrow():
                return replace(thing, tone=tone, dashed=thing.dashed or is_wrong)
            case Box():
                title, body = thing.title and item(thing.title), [*map(item, thing.body)]
                if thing.id in marked:
                    body.append(Text(f"{DOUBT}suspected", bold=True, tone=ODD))
                dashed = thing.dashed or is_wrong
                return replace(thing, title=title, body=tuple(body), tone=tone, dashed=dashed)
        return thing

    return tuple(map(item, things))
