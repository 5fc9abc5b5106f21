"""The results of a sweep, one file each, identified by their setting and written atomically."""

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workbench.kernel import InputError, Result
from workbench.kernel.result import WITHIN
from workbench.storage.identity import Identity
from workbench.storage.schema import from_json
from workbench.storage.sealed import read_sealed, write_sealed
from workbench.storage.whole import make_folder

#: The words of verdicts that say yes, and no.
GOOD, BAD = ("holds", "reached", f"holds {WITHIN}"), ("violated", "not reached", f"not reached {WITHIN}")
_LEFT_OVER = re.compile(r"\.[0-9a-f]{32}\.json\.[0-9a-f]{16}\.partial")


@dataclass(frozen=True)
class Word:
    """A verdict: its word, and the number of states in a shortest trace."""

    word: str
    states: int | None


@dataclass(frozen=True)
class SettingOutcome:
    """The outcome of checking a setting.

    Attributes:
        distinct, depth, seconds, complete, stopped: As in :class:`workbench.kernel.result.Result`.
        error: Why there is no result.
        final: Whether any other check, such as one with other budgets, would come to the same.
    """

    verdicts: dict[str, Word]
    distinct: int | None
    depth: int | None
    seconds: float | None
    complete: bool
    stopped: str | None
    error: str | None
    final: bool

    @classmethod
    def of(cls, result: Result) -> "SettingOutcome":
        return cls(
            verdicts={verdict.name: Word(verdict.word, verdict.trace_states) for verdict in result.verdicts},
            distinct=result.distinct,
            depth=result.depth,
            seconds=result.seconds,
            complete=result.complete,
            stopped=result.stopped,
            error=None,
            final=result.complete,
        )


def failed(why: str, final: bool = False) -> SettingOutcome:
    """The outcome of a check without a result."""
    return SettingOutcome({}, None, None, None, complete=False, stopped=None, error=why, final=final)


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
    """A folder of records, named by the keys of their identities."""

    folder: Path

    def _path(self, identity: Identity) -> Path:
        return self.folder / f"{identity.key}.json"

    def read(self, identity: Identity) -> Record | None:
        """The record of a setting; None if there is none.

        Raises:
            InputError: If the file is damaged, or belongs to another setting.
        """
        path = self._path(identity)
        try:
            document = read_sealed(path, "sweep record")
        except FileNotFoundError:
            return None
        record = from_json(Record, document, f"sweep record {str(path)!r}")
        record.identity.check_same(identity, f"sweep record {str(path)!r}")
        return record

    def write(self, record: Record) -> None:
        """Write a record, replacing an earlier one atomically."""
        make_folder(self.folder)
        document: Any = asdict(record)
        write_sealed(self._path(record.identity), document)

    def clean(self) -> None:
        """Remove the partial files of killed writers. The caller must hold the lock."""
        for path in self.folder.iterdir():
            if _LEFT_OVER.fullmatch(path.name):
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise InputError(f"{str(path)!r} cannot be removed: {error.strerror}") from None
