r"""Finds the comments of a module that describe its names.

For a declaration, that is the comment after it on its line, which may continue below in the same column; for a
definition, the one at its start, below ``Name ==``; failing these, the comment directly above, with no empty line
between. A comment counts only if it cannot be about anything else, so names that share a line have none. The lines of a
box, ``(*****)``, are not text.
"""

import re
from bisect import bisect_right
from typing import NamedTuple

from workbench.pluscal.comments import comments_in
from workbench.pluscal.written import Written

_KEYWORD = re.compile(r"\s*(?:LOCAL|CONSTANTS?|VARIABLES?)?\s*")
_DECLARED = re.compile(r"\w+(?:\([_,\s]*\))?\s*(,?)\s*")
_RULE = re.compile(r"[-=*~#_\s]{2,}.*|\W*")
#: What may stand before a variable or a label of an algorithm in its line.
_BEFORE = re.compile(r"\s*(?:variables?\b)?\s*")
#: What TLATeX sets as a formula; a name in it is one of the module.
_FORMULA = re.compile(r"\$([^$\n]+)\$")
#: A comment that begins so is what somebody left out, an assignment, an algorithm, or its translation.
_NO_TEXT = re.compile(
    r"/\\|\\/|\w+'? ==|\w+(?:\[[^]]*\])?\s*:=|-*\s*(?:BEGIN|END) TRANSLATION|--(?:fair )?algorithm|--fair\b"
)


class _Comment(NamedTuple):
    """A comment that ends its line.

    Attributes:
        first, last: Its first and last line.
        column: The column in which it begins.
        is_alone: Whether its lines contain nothing else.
    """

    first: int
    last: int
    column: int
    is_alone: bool
    text: str


class Remarks:
    r"""The comments of a module's text.

    Args:
        depth: The number of modules in which the text begins.

    Examples:
        >>> text = r'''---- MODULE M ----
        ... CONSTANT N  \* how many there are,
        ...             \* at most
        ... (* The first state. *)
        ... Init == TRUE
        ... ===='''
        >>> Remarks(text).of_declaration(2, 10), Remarks(text).of_definition(5)
        ('how many there are, at most', 'The first state.')
    """

    def __init__(self, text: str, depth: int = 0) -> None:
        self._lines = text.split("\n")
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._by_first, self._by_last = dict[int, _Comment](), dict[int, _Comment]()
        for start, end in comments_in(text, depth):
            first, last = bisect_right(starts, start), bisect_right(starts, end - 1)
            before, after = text[starts[first - 1] : start], self._lines[last - 1][end - starts[last - 1] :]
            if not after.strip():
                comment = _Comment(first, last, len(before) + 1, not before.strip(), text[start:end])
                self._by_first[first] = self._by_last[last] = comment

    def of_declaration(self, line: int, column: int) -> str:
        """The comment on the constant or variable that is declared at a place; "" if there is none."""
        written = self._lines[line - 1]
        behind = self._by_first.get(line)
        end = len(written) if behind is None else behind.column - 1
        keyword, declared = _KEYWORD.fullmatch(written, 0, column - 1), _DECLARED.fullmatch(written, column - 1, end)
        if keyword is None or declared is None:
            return ""
        if behind is not None:
            return _text_of([behind, *self._going_on(behind)])
        if declared[1] and keyword.group().strip():
            return ""
        return self._before(line)

    def of_definition(self, line: int) -> str:
        """The comment on the definition that begins in a line; "" if there is none."""
        inside = self._by_first.get(line + 1) if self._lines[line - 1].rstrip().endswith("==") else None
        if inside is not None and inside.is_alone and (remark := _text_of([inside, *self._going_on(inside)])):
            return remark
        return self._before(line)

    def _behind(self, line: int) -> str:
        """The comment at the end of a line, with its continuation below."""
        behind = self._by_first.get(line)
        return "" if behind is None or behind.is_alone else _text_of([behind, *self._going_on(behind)])

    def _going_on(self, behind: _Comment) -> list[_Comment]:
        """The comments below one at the end of a line, in the same column."""
        comments, at = list[_Comment](), behind.last + 1
        while (below := self._by_first.get(at)) and below.is_alone and below.column == behind.column:
            comments.append(below)
            at = below.last + 1
        return comments

    def _before(self, line: int) -> str:
        """The comments that end in the line above."""
        comments, at = list[_Comment](), line - 1
        while (above := self._by_last.get(at)) and above.is_alone:
            comments.insert(0, above)
            at = above.first - 1
        if above:  # those in which it goes on are not about this name
            comments = comments[len(self._going_on(above)) :]
        return _text_of(comments)


class AlgorithmRemarks(Remarks):
    """The comments of an algorithm, whose text stands alone."""

    def __init__(self, text: str) -> None:
        super().__init__(text, depth=1)

    def of(self, name: Written) -> str:
        """The comment on a variable, a step or a definition of the algorithm; "" if there is none."""
        if name.kind == "definition":
            return self.of_definition(name.line)
        before = _BEFORE.fullmatch(self._lines[name.line - 1], 0, name.column - 1)
        if before is None:
            return ""
        if name.is_whole and (behind := self._behind(name.line)):
            return behind
        return self._before(name.line) if name.is_last or not before.group().strip() else ""


def _text_of(comments: list[_Comment]) -> str:
    """The text of some comments, its paragraphs apart."""
    lines = [line for comment in comments for line in _lines_of(comment.text)]
    text = re.sub(r"\n{2,}", "\n\n", "\n".join("" if _RULE.fullmatch(line) else line for line in lines)).strip()
    text = _FORMULA.sub(lambda formula: f"`{formula[1]}`" if formula[1].isidentifier() else formula[1], text)
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return "" if any(map(_NO_TEXT.match, paragraphs)) else "\n\n".join(paragraphs)


def _lines_of(comment: str) -> list[str]:
    if comment.startswith("\\*"):
        return [comment[2:].strip()]
    return [line.strip().removeprefix("*").strip() for line in comment[2:-2].split("\n")]
