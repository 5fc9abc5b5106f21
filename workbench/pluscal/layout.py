"""The layout of a translation: where pcal breaks lines, and where their words come from."""

from dataclasses import dataclass, field

from workbench.pluscal import algorithm as pcal
from workbench.pluscal.expressions import Expression

WIDTH = 78


@dataclass
class Line:
    """A line of the translation, with the places in the PlusCal text of the words at some of its columns (from 0)."""

    text: str = ""
    places: list[tuple[int, pcal.Place]] = field(default_factory=list)


class Writer:
    """Lines, the last of which grows."""

    def __init__(self, begin: str = "", at: pcal.Place = (0, 0)) -> None:
        self.lines = [Line(begin)]
        if at[0]:
            self.lines[0].places.append((len(begin) - len(begin.lstrip()), at))

    @property
    def column(self) -> int:
        return len(self.lines[-1].text)

    def add(self, text: str, at: pcal.Place = (0, 0)) -> "Writer":
        if at[0]:
            self.lines[-1].places.append((self.column, at))
        self.lines[-1].text += text
        return self

    def new(self, text: str = "") -> "Writer":
        self.lines.append(Line(text))
        return self

    def expression(self, expression: Expression) -> "Writer":
        indent = self.column
        for index, (words, text) in enumerate(zip(expression.lines, expression.texts(), strict=True)):
            if index:
                self.new(" " * indent if words or indent else "")
            self.lines[-1].text += text
            for word in words:
                if word.line:
                    self.lines[-1].places.append((indent + word.column, (word.line, word.place)))
        return self


class Changed:
    def __init__(self, variables: list[str], counts: dict[str, int] | None = None) -> None:
        self.variables, self.counts = variables, dict(counts or {})

    def copy(self) -> "Changed":
        return Changed(self.variables, self.counts)

    def merge(self, other: "Changed") -> None:
        for name, count in other.counts.items():
            self.counts[name] = max(count, self.counts.get(name, 0))

    def unchanged(self, among: "Changed | None" = None) -> list[str]:
        return [x for x in self.variables if not self.counts.get(x) and (among is None or among.counts.get(x))]


def unchanged_conjunct(names: list[str], begin: str, width: int) -> list[str]:
    """The ``UNCHANGED`` conjunct for these variables, after the text `begin` of its first line."""
    if not names:
        return []
    if len(names) == 1:
        only = names[0]
        return [f"{begin}UNCHANGED {only}" if len(only) > 5 else f"{begin}{only}' = {only}"]
    room, rows, row = width - len(begin) - len("UNCHANGED << "), [], ""
    for index, name in enumerate(names):
        row += ", " if index else ""
        if len(row) + len(name) > room:
            if row:
                rows.append(row)
            row = name
        else:
            row += name
    rows.append(row)
    first = f"{begin}UNCHANGED << "
    return [
        (first if index == 0 else " " * len(first)) + row + (" >>" if index == len(rows) - 1 else "")
        for index, row in enumerate(rows)
    ]


def rows_of(names: list[str], width: int, keeps_length: bool) -> list[str]:
    rows, row = [], ""
    for name in names:
        if len(name) + 4 + len(row) > width and (row or keeps_length):
            rows.append(row)
            row = ""
        row += (" \\/ " if row else "") + name
    return rows + [row] if row else rows


def needs_parentheses(expression: Expression) -> bool:
    """Whether pcal puts an expression in parentheses. Its rule rereads the first line in place of each later one."""
    texts = expression.texts()
    depth, in_string = 0, False
    for _ in texts:
        text, at = texts[0], 0
        while at < len(text):
            char, after = text[at], text[at + 1] if at + 1 < len(text) else " "
            maybe = False
            if in_string:
                if char == '"':
                    in_string = False
                elif char == "\\":
                    at += 1
            elif char == '"':
                in_string = True
            elif char in "=#":
                maybe = True
            elif char in "<>":
                if after == char:
                    at += 1
                    depth += 1 if char == "<" else -1
                    if depth < 0:
                        return True
                else:
                    maybe = True
            elif char == "|":
                maybe = after == "-" or (at > 0 and text[at - 1] == "-")
            elif char == "\\":
                maybe = after not in " oX"
            elif char == "/":
                maybe = after == "\\"
            elif char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
                if depth < 0:
                    return True
            if maybe and depth == 0:
                return True
            at += 1
        if in_string:
            return True
    return False
