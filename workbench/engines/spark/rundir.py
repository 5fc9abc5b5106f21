"""The run directory: everything that a distributed search knows, durable after every level.

::

    run.pkl               the model, what is checked, and how (trusted input: it is a pickle), for who resumes the run
    values-00003.pkl      the cell values first seen in level 3, in the order of their global numbers
    level-00003/*.parquet the states of level 3; which of these files count is said by the manifest
    prefix-*.parquet      what was searched in process, where a search moved here: fingerprints by bucket, and links
    manifest.json         the completed levels; replaced as a whole when a level is complete

Files are written under a name of their own and never changed, so that a task that is run twice does no harm. A level
exists once the manifest names it.
"""

import json
import os
import pickle
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.kernel import InputError, Model


@dataclass(frozen=True)
class Task:
    """What is searched, and how.

    Attributes
    ----------
    model : Model
    properties : tuple of str
    symmetry : tuple of str
    bits : {64, 128}
    buckets : int
        Parts into which fingerprints are divided.
    notes : tuple of str
        What a person should know about how the check is done.
    identity : str
        Tells this search from others that had the same run directory before.
    """

    model: Model
    properties: tuple[str, ...]
    symmetry: tuple[str, ...]
    bits: int
    buckets: int
    notes: tuple[str, ...] = ()
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True)
class LevelFile:
    """The states of one bucket that one level added.

    Attributes
    ----------
    path : str
        Relative to the run directory.
    rows : int
    values_level : int
        Values numbered in or after this level are numbered by the file itself: see `extras`.
    """

    bucket: int
    path: str
    rows: int
    values_level: int


@dataclass
class Level:
    """A completed level.

    Attributes
    ----------
    files : list of LevelFile
    counts : list of list of int
        Enabled, generated and new, per action instance, of the step to this level.
    shuffled : int
        Bytes that went through the shuffle.
    seconds : float
    """

    files: list[LevelFile]
    counts: list[list[int]]
    shuffled: int = 0
    seconds: float = 0.0

    @property
    def states(self) -> int:
        return sum(file.rows for file in self.files)


@dataclass
class Manifest:
    """What has been completed.

    Attributes
    ----------
    initial : int
        Initial states, repetitions included.
    prefix : list of int
        The sizes of the levels that were searched in process before the search moved here; the last of them is the
        first of `levels`.
    prefix_counts : list of list of int
        The counts of the steps between these levels.
    decided : dict of str to list of int
        Where a property was decided: the level's position in `levels`, and the words of the state's fingerprint; or
        :data:`PREFIX` and the state's number.
    assigns : list of bool
        Per action instance, whether it ever assigned to a variable.
    """

    initial: int = 0
    prefix: list[int] = field(default_factory=list)
    prefix_counts: list[list[int]] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)
    decided: dict[str, list[int]] = field(default_factory=dict)
    assigns: list[bool] = field(default_factory=list)
    seconds: float = 0.0
    complete: bool = False

    @property
    def sizes(self) -> list[int]:
        """The states of each level from the first on."""
        return [*self.prefix[:-1], *(level.states for level in self.levels)]

    def files_of(self, bucket: int) -> list[str]:
        """The files whose states are the visited ones of a bucket."""
        before = [visited_file(bucket)] if self.prefix else []
        return before + [file.path for level in self.levels for file in level.files if file.bucket == bucket]


#: In place of a level: what was searched in process before the search moved here.
PREFIX = -1
#: The predecessors and steps of the states of these levels, by number.
PREFIX_LINKS = "prefix-links.parquet"


def visited_file(bucket: int) -> str:
    """The file of a bucket's fingerprints of the states that were visited in process."""
    return f"prefix-visited-{bucket:05}.parquet"


class RunDirectory:
    """Reads and writes a run directory. The path must mean the same to the driver and to all workers."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def create(self, task: bytes) -> None:
        """Begin a run with the task as :func:`ship` gives it. Of two searches that begin at once, one is refused."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise FileExistsError
            with open(self.path / "run.pkl", "xb") as out:
                out.write(task)
                out.flush()
                os.fsync(out.fileno())
            self.write_manifest(Manifest())
        except FileExistsError:
            raise InputError(f"run directory {str(self.path)!r} is not empty; give a new one, or resume it") from None
        except (OSError, NotWritten) as error:
            raise InputError(f"run directory {str(self.path)!r} cannot be written: {_reason(error)}") from None

    def task(self) -> bytes:
        """What :meth:`create` was given."""
        try:
            return (self.path / "run.pkl").read_bytes()
        except OSError as error:
            raise InputError(f"run directory {str(self.path)!r} cannot be read: {_reason(error)}") from None

    def _write(self, name: str, content: bytes) -> None:
        """Write a file so that it is either there as a whole or not at all."""
        target = self.path / name
        temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        try:
            with open(temporary, "wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            temporary.replace(target)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise NotWritten(f"{target}: {_reason(error)}") from None

    def write_manifest(self, manifest: Manifest) -> None:
        self._write("manifest.json", json.dumps(asdict(manifest)).encode())

    def manifest(self) -> Manifest:
        try:
            stored = json.loads((self.path / "manifest.json").read_text())
            levels = [
                Level(**{**level, "files": [LevelFile(**f) for f in level["files"]]}) for level in stored["levels"]
            ]
            return Manifest(**{**stored, "levels": levels})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"run directory {str(self.path)!r} has no usable manifest: {_reason(error)}") from None

    # Values ------------------------------------------------------------------------------------------------------

    def write_values(self, level: int, values: list[list[Any]]) -> None:
        """Write the values that got their global numbers after `level`: for each cell a list."""
        self._write(f"values-{level:05}.pkl", pickle.dumps(values))

    def values(self, level: int) -> list[list[Any]]:
        return pickle.loads((self.path / f"values-{level:05}.pkl").read_bytes())

    # States ------------------------------------------------------------------------------------------------------

    def write_states(
        self, level: int, bucket: int, parts: Iterable[dict[str, pa.Array]], values_level: int, extras: Any
    ) -> LevelFile:
        """Write the states of a bucket, which are given in parts.

        Parameters
        ----------
        values_level : int
            The last level whose values have global numbers in `parts`.
        extras : list of list
            For each cell the values that are numbered by this file.

        Raises
        ------
        NotWritten
            If that is not possible, as on a full disk.
        """
        name = f"level-{level:05}/bucket-{bucket:05}-{uuid.uuid4().hex}.parquet"
        rows = self.write_table(name, parts, {b"extras": pickle.dumps(extras)})
        return LevelFile(bucket, name, rows, values_level)

    def write_table(
        self, name: str, parts: Iterable[dict[str, pa.Array]], metadata: dict[bytes, bytes] | None = None
    ) -> int:
        """Write columns that are given in parts, at least one, without holding more than a row group; the rows."""
        target = self.path / name
        groups = _row_groups(parts)
        first = next(groups).replace_schema_metadata(metadata)
        rows = len(first)
        try:
            target.parent.mkdir(exist_ok=True)
            with pq.ParquetWriter(target, first.schema, **_PARQUET) as writer:
                writer.write_table(first, ROW_GROUP)
                for group in groups:
                    writer.write_table(group.replace_schema_metadata(metadata), ROW_GROUP)
                    rows += len(group)
        except OSError as error:
            raise NotWritten(f"{target}: {_reason(error)}") from None
        return rows

    def read_states(self, name: str, columns: list[str] | None = None, row_group: int | None = None) -> pa.Table:
        """The states of a file, or of one of its row groups; the pages' checksums are verified.

        Raises
        ------
        DamagedLevel
            If the file is not what was written.
        """
        with self._open(name) as file:
            return file.read(columns) if row_group is None else file.read_row_group(row_group, columns)

    def row_groups(self, name: str, columns: list[str]) -> Iterator[pa.Table]:
        """The same row group by row group."""
        with self._open(name) as file:
            for row_group in range(file.num_row_groups):
                yield file.read_row_group(row_group, columns)

    @contextmanager
    def _open(self, name: str) -> Iterator[pq.ParquetFile]:
        try:
            with pq.ParquetFile(self.path / name, page_checksum_verification=True) as file:
                yield file
        except (OSError, pa.ArrowException) as error:
            raise DamagedLevel(f"{self.path / name} cannot be read: {_reason(error)}") from None


#: Rows of a row group; all of a file have as many, but for the last.
ROW_GROUP = 1 << 17
_PARQUET: dict[str, Any] = {
    "use_dictionary": False,
    "write_statistics": False,
    "compression": "lz4",
    "write_page_checksum": True,
}


def _row_groups(parts: Iterable[dict[str, pa.Array]]) -> Iterator[pa.Table]:
    """The rows of `parts` in tables of a row group each; at least one table."""
    waiting: list[pa.Table] = []
    written = False
    for part in parts:
        waiting.append(pa.table(part))
        while sum(map(len, waiting)) >= ROW_GROUP:
            together = pa.concat_tables(waiting)
            yield together[:ROW_GROUP]
            waiting, written = [together[ROW_GROUP:]], True
    rest = pa.concat_tables(waiting)
    if len(rest) or not written:
        yield rest


class NotWritten(Exception):
    """A file could not be written."""


class DamagedLevel(Exception):
    """A file that the manifest names is missing or is not what was written."""


def extras_of(table: pa.Table) -> Any:
    """The values that a file numbers by itself: for each cell a list."""
    return pickle.loads(table.schema.metadata[b"extras"])


def _reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
