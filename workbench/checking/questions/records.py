"""The results of a sweep, one file each, identified by their setting and written atomically."""

import re
import secrets
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from workbench.kernel import InputError, ModelError, Result
from workbench.kernel.meaning.budget import INTERRUPTED
from workbench.kernel.meaning.result import MARKS, WITHIN
from workbench.storage.atomic_files import make_folder
from workbench.storage.identity import Identity
from workbench.storage.schema import from_json
from workbench.storage.sealed import read_sealed, write_sealed

#: The words of verdicts that say yes, and no.
GOOD = ("holds", "reached", *(f"holds {words}" for words in WITHIN))
BAD = ("violated", "not reached", *(f"not reached {words}" for words in WITHIN))
_LEFT_OVER = re.compile(r"\.[0-9a-f]{32}\.json\.[0-9a-f]{16}\.partial")


def bounds_in(words: Collection[str]) -> str:
    """The bounds that limit some of these verdicts, such as "within the constraint"; "" if none is limited."""
    return " or ".join(bound for bound in WITHIN if any(word.endswith(bound) for word in words))


@dataclass(frozen=True)
class Word:
    """A verdict: its word, and the number of states in a shortest trace."""

    word: str
    states: int | None

    def __str__(self) -> str:
        """The verdict as its mark, in brackets if it is valid within a constraint or a view only."""
        mark = MARKS[True] if self.word in GOOD else MARKS[False] if self.word in BAD else self.word
        mark = f"({mark})" if self.word.endswith(WITHIN) else mark
        return mark if self.states is None else f"{mark} {self.states}"


@dataclass(frozen=True)
class SettingOutcome:
    """The outcome of checking a setting.

    Attributes:
        distinct, depth, seconds, complete, stopped: As in :class:`workbench.kernel.meaning.result.Result`.
        error: The reason why there is no result, or only the verdicts decided before an error of the model.
        final: Whether any other check, such as one with other budgets, would have the same outcome.
    """

    verdicts: dict[str, Word]
    distinct: int | None
    depth: int | None
    seconds: float | None
    complete: bool
    stopped: str | None
    error: str | None
    final: bool

    @property
    def why(self) -> str | None:
        """The reason why something is missing, in a few words."""
        if self.complete:
            return None
        return f"incomplete: {self.stopped}" if self.error is None else f"error: {self.error}"

    @property
    def holds(self) -> bool | None:
        """Whether everything holds; None if something is unknown, or nothing was checked."""
        words = [verdict.word for verdict in self.verdicts.values()]
        if any(word in BAD for word in words):
            return False
        return True if self.error is None and words and all(word in GOOD for word in words) else None

    @classmethod
    def of(cls, result: Result) -> "SettingOutcome":
        return cls(
            verdicts={verdict.name: Word(verdict.word, verdict.trace_states) for verdict in result.verdicts},
            distinct=result.distinct,
            depth=result.depth,
            seconds=result.seconds,
            complete=result.complete,
            stopped=result.stopped,
            error=None if result.error is None else of_model(result.error),
            final=result.complete or result.error is not None,
        )


#: The times that a setting is tried on which the checking process dies.
ATTEMPTS = 2


def of_model(error: ModelError) -> str:
    """A model error in the words of a :class:`SettingOutcome`: its type and its text."""
    return f"{type(error).__name__}: {error}"


def failed(reason: str, final: bool = False) -> SettingOutcome:
    """The outcome of a check without a result."""
    return SettingOutcome({}, None, None, None, complete=False, stopped=None, error=reason, final=final)


def unreached() -> SettingOutcome:
    """The outcome of a setting that was not reached before an interrupt."""
    return SettingOutcome({}, None, None, None, complete=False, stopped=INTERRUPTED, error=None, final=False)


def died() -> SettingOutcome:
    """The outcome of a setting on which the checking process has died each time."""
    return failed(f"the worker died {ATTEMPTS} times; it may need more memory than there is")


@dataclass(frozen=True)
class Record:
    """The stored result of a setting.

    Attributes:
        identity: The setting, and what was checked in it.
        job: Identifies the sweep that made it.
    """

    identity: Identity
    job: str
    budgets: dict[str, float | None]
    outcome: SettingOutcome


@dataclass(frozen=True)
class Records:
    """The records of one sweep's settings, in a folder, named by the keys of their identities.

    Attributes:
        identities: One per setting; a setting's number is its place here.
        budgets: The budgets of each check.
        job: Identifies this sweep.
    """

    folder: Path
    identities: list[Identity]
    budgets: dict[str, float | None]
    job: str = field(default_factory=lambda: secrets.token_hex(8))

    def kept(self, number: int) -> SettingOutcome | None:
        """The stored outcome of a setting; None if there is none, or a check with these budgets could improve it."""
        record = self._read(number)
        if record is None:
            return None
        good = record.outcome.final or (record.outcome.error is None and record.budgets == self.budgets)
        return record.outcome if good else None

    def outcome(self, number: int) -> SettingOutcome | None:
        """The outcome that this sweep has stored for a setting; None if it has stored none yet."""
        record = self._read(number)
        return None if record is None or record.job != self.job else record.outcome

    def _path(self, number: int) -> Path:
        return self.folder / f"{self.identities[number].key}.json"

    def _read(self, number: int) -> Record | None:
        """The record of a setting; None if there is none.

        Raises:
            InputError: If the file is damaged, or belongs to another setting.
        """
        path = self._path(number)
        try:
            document = read_sealed(path, "sweep record")
        except FileNotFoundError:
            return None
        record = from_json(Record, document, f"sweep record {str(path)!r}")
        record.identity.check_same(self.identities[number], f"sweep record {str(path)!r}")
        return record

    def write(self, number: int, outcome: SettingOutcome) -> None:
        """Write a setting's record, replacing an earlier one atomically."""
        make_folder(self.folder)
        document: Any = asdict(Record(self.identities[number], self.job, self.budgets, outcome))
        write_sealed(self._path(number), document)

    def clean(self) -> None:
        """Remove the partial files of killed writers. The caller must hold the lock."""
        for path in self.folder.iterdir():
            if _LEFT_OVER.fullmatch(path.name):
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise InputError(f"{str(path)!r} cannot be removed: {error.strerror}") from None
