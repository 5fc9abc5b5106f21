"""Finds where a part of a module ends. A node knows only its beginning, so its unparsed text is matched from there."""

from collections.abc import Iterator, Mapping

from workbench.kernel.meaning.properties import Span
from workbench.tlaplus.syntax.tree import Expression
from workbench.tlaplus.syntax.unparse import written


def spans_of(node: Expression, sources: Mapping[str, str]) -> Iterator[Span]:
    """The spans of a part of a module, one for each line of it in the source.

    If the source differs from the unparsed part, as in PlusCal or around comments, the span ends with its first line.

    Args:
        sources: The texts by file. An expression that a person asks of a module is in none, and has no spans.
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
    """For each line, the column after the last of the given letters on it; blanks between them do not count."""
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
