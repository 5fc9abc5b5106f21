"""Where a part of a module ends: a tree has its beginning, and from there the text reads as the part is written."""

from collections.abc import Iterator, Mapping

from workbench.kernel.meaning.properties import Span
from workbench.tlaplus.syntax.tree import Expression
from workbench.tlaplus.syntax.unparse import written


def spans_of(node: Expression, sources: Mapping[str, str]) -> Iterator[Span]:
    """The lines of a part of a module, as somebody wrote it.

    Where the text reads otherwise than the part, as in PlusCal or with comments between, it is taken to the line's end.

    Args:
        sources: The texts by file; in what is asked of a module, nothing is marked.
    """
    file, (line, column) = f"{node.at.module}.tla", node.at.shown
    if file not in sources:
        return
    lines = sources[file].split("\n")
    ends = _ends(lines, line, column, "".join(written(node).split()))
    for number, end in ends.items():
        begin = column if number == line else len(lines[number - 1]) - len(lines[number - 1].lstrip()) + 1
        yield Span(file, number, begin, end)


def _ends(lines: list[str], line: int, column: int, letters: str) -> dict[int, int]:
    """By line, the column behind the last of the letters that stand there from a place on, whatever is between them."""
    ends, at = dict[int, int](), 0
    for number in range(line, len(lines) + 1):
        for index in range(column - 1 if number == line else 0, len(lines[number - 1])):
            letter = lines[number - 1][index]
            if letter.isspace():
                continue
            if letter != letters[at]:
                return {line: len(lines[line - 1].partition("\\*")[0].rstrip()) + 1}
            ends[number], at = index + 2, at + 1
            if at == len(letters):
                return ends
    return ends
