"""Expressions: words laid out in lines and columns.

An expression is never parsed. The translation replaces words in it (a macro's parameter by its argument, ``x`` by
``x'`` or ``x[self]``) and moves the words to their right and below, so that bulleted lists stay aligned.
"""

from dataclasses import dataclass, field, replace

from workbench.pluscal.tokens import STRING, SYMBOL, Token, added, kind_of


@dataclass
class Expression:
    """Lines of words. A line is anchored to a word above it, by its indentation, and moves with that word."""

    lines: list[list[Token]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(self.lines)

    @property
    def words(self) -> list[Token]:
        return [word for line in self.lines for word in line]

    def copy(self) -> "Expression":
        """A copy whose leftmost line begins in column 0, without empty lines at its start and end."""
        lines = [[replace(word) for word in line] for line in self.lines]
        while lines and not lines[0]:
            del lines[0]
        while lines and not lines[-1]:
            del lines[-1]
        least = min((line[0].column for line in lines if line), default=0)
        for line in lines:
            for word in line:
                word.column -= least
        return Expression(lines)

    def anchors(self) -> list[Token | None]:
        """For each line, the word that it is aligned to.

        That is a word in the nearest line above that does not begin further right: the last one there that does not
        begin to the right of this line's first word.
        """
        anchors: list[Token | None] = []
        for index, line in enumerate(self.lines):
            anchor = None
            for above in reversed(self.lines[:index]) if line else ():
                if above and above[0].column <= line[0].column:
                    anchor = above[0]
                    for right in above[1:]:
                        if right.column > line[0].column:
                            break
                        anchor = right
                    break
            anchors.append(anchor)
        return anchors

    def replaced(self, by: dict[str, "Expression"], parentheses: bool) -> "Expression":
        """A copy with each occurrence of some names replaced by an expression, except where they name fields.

        Bound variables are replaced too: as the manual says, substitution works on the text.
        """
        source = self.copy()
        spots = source._occurrences(by)
        if not spots:
            return source
        words = source.words
        if len(words) == 1:
            return by[words[0].text].copy()
        moved: dict[int, int] = {}  # how far each word has moved, by its identity
        out: list[list[Token]] = []
        for line, anchor in zip(source.lines, source.anchors(), strict=True):
            shift = moved[id(anchor)] if anchor else 0
            row: list[Token] = []
            out.append(row)
            for token in line:
                start, end = token.column, token.end
                token.column += shift
                moved[id(token)] = shift
                if id(token) not in spots:
                    row.append(token)
                    continue
                new = by[token.text].copy()
                wrap = parentheses and len(new.words) > 1
                first = token.column + wrap
                if wrap:
                    row.append(added("(", SYMBOL, token.column))
                inner_moved: dict[int, int] = {}
                for index, (inner, inner_anchor) in enumerate(zip(new.lines, new.anchors(), strict=True)):
                    by_how_much = first if index == 0 else inner_moved[id(inner_anchor)] if inner_anchor else 0
                    if index:
                        row = []
                        out.append(row)
                    for word in inner:
                        inner_moved[id(word)] = by_how_much
                        word.column += by_how_much
                        row.append(word)
                    if not row[0].line and token.line and index == 0:
                        row[0].line, row[0].place = token.line, token.place
                if wrap:
                    row.append(added(")", SYMBOL, row[-1].end))
                shift = row[-1].end - end if row else start
        return Expression(out)

    def _occurrences(self, names: dict[str, "Expression"]) -> set[int]:
        words, occurrences, at = self.words, set(), 0
        while at < len(words):
            word = words[at]
            after = words[at + 2].text if at + 2 < len(words) else ""
            if word.kind != STRING and word.text == ".":
                at += 2
            elif word.kind != STRING and word.text in ("[", ",") and after in (":", "|->", "↦"):
                at += 3
            else:
                if word.kind != STRING and word.text in names:
                    occurrences.add(id(word))
                at += 1
        return occurrences

    def before(self, other: "Expression", blanks: int = 0) -> "Expression":
        """Followed by another expression on its last line."""
        first, second = self.copy(), other.copy()
        shift = first.lines[-1][-1].end + blanks
        moved: dict[int, int] = {}
        for index, (line, anchor) in enumerate(zip(second.lines, second.anchors(), strict=True)):
            by = shift if index == 0 else moved.get(id(anchor), 0)
            for word in line:
                word.column += by
                moved[id(word)] = by
        return Expression([*first.lines[:-1], first.lines[-1] + second.lines[0], *second.lines[1:]])

    def bracketed(self) -> "Expression":
        inner = self.copy()
        for word in inner.words:
            word.column += 1
        inner.lines[0].insert(0, added("["))
        inner.lines[-1].append(added("]", SYMBOL, inner.lines[-1][-1].end))
        return inner

    def texts(self) -> list[str]:
        rows = []
        for line in self.lines:
            row = ""
            for index, word in enumerate(line):
                gap = word.column if index == 0 else word.column - line[index - 1].end
                row += " " * gap + word.text
            rows.append(row)
        return rows

    def is_word(self, text: str) -> bool:
        words = [word.text for word in self.words]
        return len(self.lines) == 1 and words in ([text], ["(", text, ")"])


def sentence(*words: str | Token, blanks: int = 0) -> Expression:
    """A line of made up words."""
    row: list[Token] = []
    for word in words:
        token = replace(word) if isinstance(word, Token) else added(word, kind_of(word))
        token.column = row[-1].end + blanks if row else 0
        row.append(token)
    return Expression([row])
