"""Finds the comments of a module as SANY does; a PlusCal algorithm is inside one."""

import re
from collections.abc import Iterator
from typing import NamedTuple

#: A string of TLA+, as a regular expression.
STRING = r'"(?:\\.|[^"\\\r\n])*"'
_LANDMARK = re.compile(
    rf"(?P<begin>(?<!-)-{{4,}}\s*MODULE\b)|(?P<end>={{4,}})|{STRING}|(?P<line>\\\*[^\r\n]*)|(?P<block>\(\*)"
)
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")


class Comment(NamedTuple):
    """The range of a comment in a text, with its delimiters."""

    start: int
    end: int


def comments_in(text: str, depth: int = 0) -> Iterator[Comment]:
    """The comments inside modules. As in SANY, an unclosed comment and comments outside of modules do not count.

    Args:
        depth: How many modules are open where the text begins.
    """
    at = 0
    while landmark := _LANDMARK.search(text, at):
        at = landmark.end()
        if landmark["begin"]:
            depth += 1
        elif depth and landmark["end"]:
            depth -= 1
        elif depth and landmark["line"]:
            yield Comment(landmark.start(), at)
        elif depth and landmark["block"]:
            end = end_of_comment(text, landmark.start())
            if end is None:
                return
            yield Comment(landmark.start(), end)
            at = end


def end_of_comment(text: str, start: int) -> int | None:
    """The offset just after the comment that begins at `start`, nested ones included; None if it is never closed."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge.group() == "(*" else -1
        if not depth:
            return edge.end()
    return None
