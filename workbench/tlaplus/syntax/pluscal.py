r"""PlusCal in a module's comments: where an algorithm stands, and what became of its translation.

Algorithms are not translated here. A translation stands between ``\* BEGIN TRANSLATION`` and ``\* END TRANSLATION``,
where pcal, TLA+'s translator, has put it; since 2020 the first line tells its checksum.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

from workbench.tlaplus.syntax.columns import comments_in

_BEGIN = re.compile(r"--(?:fair\s+)?algorithm\s+\w+")
_END = re.compile(r"end\s+algorithm|\}")
_MARKER = re.compile(r"\\\*.*\b(BEGIN|END) *TRANSLATION\b")
_CHECKSUM = re.compile(r'\bch(?:ec)?ksum\(tla\+?\)\s*=\s*"([0-9a-fA-F]+)"', re.IGNORECASE)
#: Every translation has these, or may have.
_TRANSLATED = frozenset(["pc", "stack", "vars", "ProcSet", "Init", "Next", "Spec", "Terminating", "Termination"])


@dataclass(frozen=True)
class Algorithm:
    """An algorithm; all lines count from 1.

    Attributes:
        first: Its first line.
        last: Its last line.
        text: Its text, up to the end of the comment.
        begin: The line that begins its translation; 0 if there is none.
        translation: The lines of the translation.
        checksum: The checksum that pcal gave the translation; "" if it gave none.
    """

    first: int
    last: int
    text: str
    begin: int
    translation: tuple[str, ...]
    checksum: str

    @property
    def is_translated(self) -> bool:
        return any(line.strip() for line in self.translation)

    @property
    def is_edited(self) -> bool:
        """Whether somebody has changed the translation since pcal wrote it."""
        return bool(self.checksum) and int(self.checksum, 16) != crc32("".join(self.translation).encode())

    def would_define(self, name: str) -> bool:
        """Whether its translation may have a definition of that name."""
        return name in _TRANSLATED or name in self._words

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self.text))


def algorithm_in(text: str) -> Algorithm | None:
    """The algorithm in the comments of a module; None if it has none, the first one if it has several."""
    if not _BEGIN.search(text):  # as in most modules
        return None
    comments = [(comment.start, text[comment.start : comment.end]) for comment in comments_in(text)]
    found = (
        (start + opening.start(), comment[opening.start() :])
        for start, comment in comments
        if comment.startswith("(*") and (opening := _BEGIN.search(comment))
    )
    start, algorithm = next(found, (0, ""))
    if not algorithm:
        return None
    ends = [end.end() for end in _END.finditer(algorithm)]
    lines = [line.rstrip("\r") for line in text.split("\n")]

    def line_of(place: int) -> int:
        return text.count("\n", 0, place) + 1

    marks = [(mark[1], line_of(at), comment) for at, comment in comments if (mark := _MARKER.match(comment))]
    begin, head = next(((line, comment) for kind, line, comment in marks if kind == "BEGIN"), (0, ""))
    end = next((line for kind, line, _ in marks if kind == "END" and line > begin), begin + 1)
    checksum = _CHECKSUM.search(head)
    return Algorithm(
        line_of(start),
        line_of(start + (ends[-1] if ends else len(algorithm))),
        algorithm,
        begin,
        tuple(lines[begin : end - 1]),
        checksum[1] if checksum else "",
    )
