r"""A module with PlusCal: its algorithm, its present translation, and a fresh one.

The translation is between ``\* BEGIN TRANSLATION`` and ``\* END TRANSLATION``. Since 2020, pcal adds two checksums to
the first of these lines: of the algorithm and of the translation.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from workbench.kernel.meaning.errors import InputError
from workbench.pluscal import checksum
from workbench.pluscal.algorithm import Place
from workbench.pluscal.comments import STRING, comments_in, end_of_comment
from workbench.pluscal.comparison import defined, differing
from workbench.pluscal.labels import settle
from workbench.pluscal.layout import Line
from workbench.pluscal.names import Names
from workbench.pluscal.options import options_in
from workbench.pluscal.parser import parse
from workbench.pluscal.tokens import Mistake, Token, read
from workbench.pluscal.translator import Translator
from workbench.pluscal.written import Written, written

_TAB_STOP = 8
_BEGIN = re.compile(r"--(?:(fair)\s+)?algorithm\b")
_HEADER = re.compile(r"(?<!-)-{4,}\s*MODULE\b")
_MARKER = re.compile(r"\b(BEGIN|END) *TRANSLATION\b")
_SUM = r'(?:=\s*"([0-9a-fA-F]*)"|\\in\s*STRING)'
_SUMS = re.compile(
    rf"BEGIN TRANSLATION\s+\(\s*ch(?:ec)?ksum\(p(?:lus)?cal\)\s*{_SUM}\s*/\\\s*ch(?:ec)?ksum\(tla\+?\)\s*{_SUM}\s*\)",
    re.IGNORECASE,
)
_LANDMARK = re.compile(rf"{STRING}|\\\*[^\n]*|\(\*")
_VISIBLE = re.compile(r"[^\n]")
_PROCESS_FAIRNESS = {"wf": "WF", "sf": "SF"}


@dataclass(frozen=True)
class Checksums:
    """The two checksums as pcal writes them; "" for a missing one."""

    algorithm: str
    translation: str

    def __str__(self) -> str:
        return f'(chksum(pcal) = "{self.algorithm}" /\\ chksum(tla) = "{self.translation}")'


@dataclass(frozen=True)
class Source:
    """The algorithm in a module, and its present translation. Lines count from 1.

    Attributes:
        module: The text of the module.
        name: The module's name, for messages.
        start: The offset just after ``--algorithm``.
        end: The offset of the end of its comment; if it is above the module's header, that of the header.
        is_above: Whether it is above the module's header, where it need not be in a comment.
        is_fair: Whether it is a ``--fair algorithm``.
        begin: The line of ``BEGIN TRANSLATION``; 0 if there is none.
        finish: The line of ``END TRANSLATION``; 0 if there is none.
    """

    module: str
    name: str
    start: int
    end: int
    is_above: bool
    is_fair: bool
    begin: int
    finish: int

    @cached_property
    def rows(self) -> list[str]:
        """The module's lines."""
        return [row.removesuffix("\r") for row in self.module.split("\n")]

    @property
    def translation(self) -> list[str]:
        """The lines of the module's present translation."""
        return self.rows[self.begin : self.finish - 1] if self.finish else []

    @property
    def is_translated(self) -> bool:
        return any(line.strip() for line in self.translation)

    @property
    def checksums(self) -> Checksums:
        """The checksums recorded in the module."""
        sums = _SUMS.search(self.rows[self.begin - 1]) if self.begin else None
        return Checksums(sums[1] or "", sums[2] or "") if sums else Checksums("", "")

    @property
    def is_edited(self) -> bool:
        """Whether the checksum shows that the translation was edited after pcal wrote it."""
        return not checksum.is_absent_or(checksum.of_lines(self.translation), self.checksums.translation)

    @property
    def translated_range(self) -> str:
        """The lines of the translation, for messages."""
        return f"{self.begin + 1}-{self.finish - 1}"

    def line_of(self, offset: int) -> int:
        return self.module.count("\n", 0, offset) + 1

    @cached_property
    def algorithm_alone(self) -> str:
        """The algorithm at its original lines and columns, with everything around it blanked out."""
        before = _laid_out(self.module[: self.start])
        return _VISIBLE.sub(" ", before) + _laid_out(self.module[: self.end])[len(before) :]

    def words(self) -> list[Token]:
        """The words of the algorithm."""
        before, all_of_it = _laid_out(self.module[: self.start]), _laid_out(self.module[: self.end])
        column = len(before) - before.rfind("\n")
        return read(_without_comments(all_of_it[len(before) :]), self.line_of(self.start), column)

    def translate(self) -> "Translation":
        """Translate the algorithm, with the options given in the module.

        Raises:
            InputError: With the place of a mistake.
        """
        try:
            return self._translated
        except Mistake as mistake:
            place = f"{self.name}.tla:{mistake.line}:{mistake.column}"
            raise InputError(f"{place}: {mistake}") from None
        except RecursionError:
            raise InputError(
                f"{self.name}.tla:{self.line_of(self.start)}:1: the algorithm is nested too deep"
            ) from None

    @cached_property
    def _translated(self) -> "Translation":
        options = options_in(self.module)
        algorithm = parse(self.words(), self.is_fair)
        for process in algorithm.processes:
            process.fairness = process.fairness or _PROCESS_FAIRNESS.get(options.fairness, "")
        settle(algorithm, options.label, options.label_root)
        names = Names(algorithm)
        lines = Translator(algorithm, names.report, options).translation()
        sums = Checksums(
            checksum.of_algorithm(algorithm, self.is_fair), checksum.of_lines([line.text for line in lines])
        )
        lines_of_algorithm = f"{self.line_of(self.start)}-{algorithm.last_line}"
        alone = {
            action: process.name
            for process in algorithm.processes
            if process.is_equal
            for action in (process.name, *(step.label for step in process.steps))
        }
        return Translation(self, lines_of_algorithm, lines, sums, algorithm.warnings, alone, written(algorithm))


@dataclass(frozen=True)
class Translation:
    """A fresh translation of the algorithm in a module.

    Attributes:
        source: The module.
        algorithm_range: The line range of the algorithm, for messages.
        lines: The translated lines.
        checksums: The checksums of the algorithm and of the translation.
        warnings: The places where pcal's translation is not what a reader would expect, each with a message.
        alone: For each step of a process declared with ``=``, by the name of its definition, the name of the process.
        written: The places in the algorithm that the names defined by the translation come from.
    """

    source: Source
    algorithm_range: str
    lines: list[Line]
    checksums: Checksums
    warnings: list[tuple[Place, str]]
    alone: dict[str, str]
    written: dict[str, Written]

    @cached_property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]

    @cached_property
    def differences(self) -> list[str]:
        """The definitions in which the module's translation and this one differ."""
        return differing(self.source.translation, self.texts)

    @property
    def is_stale(self) -> bool:
        """Whether the module's translation belongs to another version of the algorithm.

        Equal checksums settle it, except for fair algorithms, which all have the same one. Otherwise the definitions
        are compared.
        """
        if not self.source.is_translated:
            return False
        sums = self.source.checksums.algorithm
        if sums and not self.source.is_fair and checksum.is_absent_or(self.checksums.algorithm, sums):
            return False
        return bool(self.differences)

    @property
    def defined(self) -> set[str]:
        """The names that the translation declares or defines."""
        return defined(self.texts)

    @cached_property
    def begin(self) -> int:
        """The line of :attr:`module`, from 1, on which the translation begins."""
        return (self.source.begin or self.source.line_of(self.source.end) + 1) + 1

    @cached_property
    def module(self) -> str:
        """The module as pcal would write it: this translation replaces the old one, or follows the algorithm.

        Raises:
            InputError: If there is nowhere to put the translation.
        """
        source = self.source
        rows, at = list(source.rows), source.begin
        if not at:
            at = source.line_of(source.end)
            if source.is_above:
                at = source.line_of(source.start)
                problem = "the module takes the lines \\* BEGIN TRANSLATION and \\* END TRANSLATION"
                raise InputError(f"{source.name}.tla:{at}:1: {problem}")
            rest = source.module[source.end :].split("\n", 1)[0].strip().removeprefix("*)").strip()
            if rest and not rest.startswith("\\*"):
                raise InputError(
                    f"{source.name}.tla:{at}:1: nothing but the end of the line may follow the algorithm's *)"
                )
            rows[at:at] = [f"\\* BEGIN TRANSLATION {self.checksums}", *self.texts, "\\* END TRANSLATION "]
        elif not source.finish:
            raise InputError(f"{source.name}.tla:{at}:1: BEGIN TRANSLATION without END TRANSLATION")
        else:
            rows[at - 1 : source.finish - 1] = [_with_sums(rows[at - 1], self.checksums), *self.texts]
        if rows[-1]:
            rows.append("")
        return ("\r\n" if "\r\n" in source.module else "\n").join(rows)

    def place(self, line: int, column: int) -> Place:
        """Map a place in :attr:`module` to the original text; one in the translation maps to the PlusCal behind it."""
        index = line - self.begin
        if index < 0:
            return line, column
        if index >= len(self.lines):
            new_markers = 0 if self.source.begin else 2
            return line - len(self.lines) - new_markers + len(self.source.translation), column
        for above in range(index, -1, -1):
            places = self.lines[above].places
            before = [place for at, place in places if at < column or above < index]
            if before:
                return before[-1]
        return self.source.line_of(self.source.start), 1


def find(module: str, name: str) -> Source | None:
    """The first algorithm in the comments of a module; None if there is none."""
    if not _BEGIN.search(module):  # as in most modules
        return None
    comments = list(comments_in(module))
    header = _HEADER.search(module)
    places = [(0, header.start(), header.start())] if header else []
    places += [(start, end, end - len("*)")) for start, end in comments if module.startswith("(*", start)]
    for start, behind, end in places:
        if head := _BEGIN.search(module, start, behind):
            markers = [
                (marker[1], module.count("\n", 0, marker.start()) + 1)
                for comment in comments
                if comment.start != start and (marker := _MARKER.search(module, comment.start, comment.end))
            ]
            begin = next((line for kind, line in markers if kind == "BEGIN"), 0)
            finish = next((line for kind, line in markers if kind == "END" and begin and line > begin), 0)
            return Source(module, name, head.end(), end, behind == end, bool(head[1]), begin, finish)
    return None


def _with_sums(row: str, sums: Checksums) -> str:
    """The line with its checksums renewed. A line may have both, one or none."""
    old = _SUMS.search(row)
    for group, new in ((2, sums.translation), (1, sums.algorithm)) if old else ():
        if old and old[group] is not None:
            row = row[: old.start(group)] + new + row[old.end(group) :]
    return row


def _laid_out(text: str) -> str:
    """The text as pcal sees it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(_TAB_STOP)


def _without_comments(text: str) -> str:
    """The text with its comments blanked out."""
    parts, at = [], 0
    while landmark := _LANDMARK.search(text, at):
        parts.append(text[at : landmark.start()])
        at = landmark.end()
        if landmark[0] == "(*":
            at = end_of_comment(text, landmark.start()) or len(text)
        part = text[landmark.start() : at]
        parts.append(part if part.startswith('"') else _VISIBLE.sub(" ", part))
    return "".join([*parts, text[at:]])
