"""A module's text as SANY's columns lay it out: comments are blank, and a tab reaches to the next multiple of eight.

The columns decide which bullets belong together. Comments are blanked because the grammar reads PlusCal in them, and
refuses what it does not know there.
"""

import re
from typing import NamedTuple

from workbench.pluscal.comments import STRING, comments_in

_TAB_STOP = 8
_STRING_OR_TAB = re.compile(rf"{STRING}|\t")
_VISIBLE = re.compile(r"[^\t\r\n]")


class _Widening(NamedTuple):
    """Blanks that stand in a laid-out line, and not in the text."""

    column: int
    width: int


class Layout:
    """A text laid out for the grammar, line by line.

    Attributes:
        text: The laid-out text.
    """

    def __init__(self, text: str) -> None:
        self._widenings: dict[int, list[_Widening]] = {}
        lines = _without_comments(text).split("\n")
        for number, line in enumerate(lines, start=1):
            if "\t" in line:
                lines[number - 1], self._widenings[number] = _widened(line)
        self.text = "\n".join(lines)

    def original_column(self, line: int, column: int) -> int:
        """The column in the text, from a column here; all count from 1."""
        return column - sum(added.width for added in self._widenings.get(line, ()) if added.column < column)


def _without_comments(text: str) -> str:
    parts: list[str] = []
    at = 0
    for comment in comments_in(text):
        parts += text[at : comment.start], _VISIBLE.sub(" ", text[comment.start : comment.end])
        at = comment.end
    return "".join([*parts, text[at:]])


def _widened(line: str) -> tuple[str, list[_Widening]]:
    """The line with blanks for its tabs, and where they are too many. A string with tabs has its blanks behind it."""
    parts: list[str] = []
    widenings = []
    column = at = 0
    for match in _STRING_OR_TAB.finditer(line):
        parts.append(line[at : match.start()])
        column += match.start() - at
        at = match.end()
        kept = " " if match.group() == "\t" else match.group()
        width = len((" " * column + match.group()).expandtabs(_TAB_STOP)) - column
        parts.append(kept.ljust(width))
        widenings.append(_Widening(column + len(kept) + 1, width - len(kept)))
        column += width
    return "".join([*parts, line[at:]]), widenings
