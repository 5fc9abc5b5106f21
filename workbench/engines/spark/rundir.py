"""The run directory: everything that a distributed search knows, durable after every level.

::

    run.pkl               the model, what is checked, and how (trusted input: it is a pickle)
    values-00003.pkl      the cell values first seen in level 3, in the order of their global numbers
    level-00003/*.parquet the states of level 3; which of these files count is said by the manifest
    manifest.json         the completed levels; replaced as a whole when a level is complete

Files are written under a name of their own and never changed, so that a task that is run twice does no harm. A level
exists once the manifest names it.
"""

import json
import os
import pickle
import uuid
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import cloudpickle

from workbench.kernel import InputError, Model


@dataclass(frozen=True)
class Task:
    """What is searched, and how.

    Attributes
    ----------
    model : Model
    properties : tuple of str
        Invariants and reachable properties.
    symmetry : tuple of str
    bits : {64, 128}
    buckets : int
        Parts into which fingerprints are divided.
    identity : str
        Tells this search from others that had the same run directory before.
    """

    model: Model
    properties: tuple[str, ...]
    symmetry: tuple[str, ...]
    bits: int
    buckets: int
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
    found : dict of str to list of int
        Where a property was decided: the level's position in `levels`, and the words of the state's fingerprint.
    prefix_found : dict of str to int
        The same for what was decided in the prefix: the state's number.
    """

    initial: int
    prefix: list[int] = field(default_factory=list)
    prefix_counts: list[list[int]] = field(default_factory=list)
    prefix_found: dict[str, int] = field(default_factory=dict)
    levels: list[Level] = field(default_factory=list)
    found: dict[str, list[int]] = field(default_factory=dict)
    seconds: float = 0.0
    complete: bool = False


class RunDirectory:
    """Reads and writes a run directory. The path must mean the same to the driver and to all workers."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def create(self, task: Task) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise InputError(f"run directory {str(self.path)!r} is not empty; give a new one, or resume it")
            self._write("run.pkl", cloudpickle.dumps(task))
        except (OSError, NotWritten) as error:
            raise InputError(f"run directory {str(self.path)!r} cannot be written: {_reason(error)}") from None

    def task(self) -> Task:
        try:
            return pickle.loads((self.path / "run.pkl").read_bytes())
        except (OSError, pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
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
            found = json.loads((self.path / "manifest.json").read_text())
            levels = [
                Level(**{**level, "files": [LevelFile(**f) for f in level["files"]]}) for level in found["levels"]
            ]
            return Manifest(**{**found, "levels": levels})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"run directory {str(self.path)!r} has no usable manifest: {_reason(error)}") from None

    # Values ------------------------------------------------------------------------------------------------------

    def write_values(self, level: int, values: list[list[Any]]) -> None:
        """Write the values that got their global numbers after `level`: for each cell a list."""
        self._write(f"values-{level:05}.pkl", pickle.dumps(values))

    def values(self, level: int) -> list[list[Any]]:
        return pickle.loads((self.path / f"values-{level:05}.pkl").read_bytes())

    # States ------------------------------------------------------------------------------------------------------

    def write_states(self, level: int, bucket: int, columns: dict[str, pa.Array], extras: Any) -> str:
        """Write the states of a bucket and return the file's name in the run directory.

        Raises
        ------
        NotWritten
            If that is not possible, as on a full disk.
        """
        table = pa.table(columns).replace_schema_metadata({b"extras": pickle.dumps(extras)})
        name = f"level-{level:05}/bucket-{bucket:05}-{uuid.uuid4().hex}.parquet"
        target = self.path / name
        try:
            target.parent.mkdir(exist_ok=True)
            pq.write_table(
                table,
                target,
                use_dictionary=False,
                write_statistics=False,
                compression="lz4",
                write_page_checksum=True,
                row_group_size=ROW_GROUP,
            )
        except OSError as error:
            raise NotWritten(f"{target}: {_reason(error)}") from None
        return name

    def read_states(self, name: str, columns: list[str] | None = None, row_group: int | None = None) -> pa.Table:
        """The states of a file; the pages' checksums are verified.

        Raises
        ------
        DamagedLevel
            If the file is not what was written.
        """
        try:
            with pq.ParquetFile(self.path / name, page_checksum_verification=True) as file:
                return file.read(columns) if row_group is None else file.read_row_group(row_group, columns)
        except (OSError, pa.ArrowException) as error:
            raise DamagedLevel(f"{self.path / name} cannot be read: {_reason(error)}") from None


ROW_GROUP = 1 << 17


class NotWritten(Exception):
    """A file could not be written."""


class DamagedLevel(Exception):
    """A file that the manifest names is missing or is not what was written."""


def extras_of(table: pa.Table) -> Any:
    """The values that a file numbers by itself: for each cell a list."""
    return pickle.loads(table.schema.metadata[b"extras"])


def _reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
