"""The run directory: everything that a distributed search knows, durable after every level.

::

    manifest/*.json           the search's identity; then a version for each level, with the checksums of its files
    level-00003/*.parquet     the states of level 3, by bucket; see `states`
    level-00003/*.json        the cell values first seen in level 3, in the order of their global numbers
    transitions/*.parquet     the transition relation, for liveness; see `transitions`
    exchange/*.arrays         what tasks of the job under way send each other; see `exchange`
    prefix/*.parquet          the search in process, before it moved to Spark: fingerprints by bucket, and links

Files have unique names and never change, so retried tasks are harmless. The manifest names all files except those of
`exchange`; a level exists once the manifest names its files.
Reading a file never runs code from it: values are JSON.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.checking.spark.files.manifest import LevelFile, ManifestStep, Run, RunManifest, steps_to
from workbench.checking.spark.files.states import ROW_GROUP, States, groups
from workbench.kernel import InputError, Machine
from workbench.storage.encoding import Encoding
from workbench.storage.folder import DamagedFolder, Folder
from workbench.storage.strict_json import read_json
from workbench.storage.sums import FileSum
from workbench.storage.versions import Overtaken

#: For each cell values, in the order of their numbers.
CellValues = Sequence[Sequence[Any]]

_EXTRAS = b"extras"
_PARQUET: dict[str, Any] = {
    "use_dictionary": False,
    "write_statistics": False,
    "compression": "lz4",
    "write_page_checksum": True,
}


class NotWritten(InputError):
    """A file could not be written."""


class RunDirectory:
    """Reads and writes the files of a run. The path must mean the same to the driver and to all workers.

    Args:
        folder: The folder. The files known in it grow with the search: see :meth:`know`.
        bits ({64, 128}): The width of fingerprints.
    """

    def __init__(self, folder: Folder, model: Machine, bits: int) -> None:
        self.folder = folder
        self._words, self._cells = bits // 64, len(model.layout.cells)
        self._encoding = Encoding(model)
        self._committed: RunManifest | None = None if folder.content is None else Run.of(folder).done
        #: What a commit goes on from that replaces all versions before it; None if it adds to them.
        self._steps: list[ManifestStep] | None = [] if folder.content is None else None

    def know(self, sums: Mapping[str, FileSum]) -> None:
        """Add files that others have written."""
        self.folder.files.update(sums)

    def sums(self, names: Iterable[str]) -> dict[str, FileSum]:
        """The checksums of these files."""
        return {name: self.folder.files[name] for name in names}

    def go_back(self, level: int) -> None:
        """Make the next :meth:`commit` continue from an earlier level. Until then the later levels stay as they are."""
        self._steps, self._committed = steps_to(self.folder, level), Run.of(self.folder, level).done

    def commit(self, run: Run) -> None:
        """Make the directory hold `run` with its files; writes only the difference. Only this makes a level exist."""
        before, steps = self._committed, self._steps
        step = ManifestStep.between(before, run.done)
        with _writing():
            if steps is None:
                names = set(before.names()) if before else set()
                self.folder.add(asdict(step), self.sums(name for name in run.done.names() if name not in names))
            else:
                named = set(self.folder.files)
                self.folder.commit(run.head([*steps, step]), self.sums(run.done.names()))
                self.folder.remove(named if steps else ())
        self._committed, self._steps = run.done, None

    # Values ----------------------------------------------------------------------------------------------------------

    def write_values(self, level: int, values: CellValues) -> str | None:
        """Write the values that got global numbers after `level`, if any; returns the file's name."""
        return self._write(_name(level, "values.json"), self._encoded(values)) if any(values) else None

    def values(self, name: str | None) -> CellValues:
        """Read a file of :meth:`write_values`."""
        if name is None:
            return [[] for _ in range(self._cells)]
        return self._decoded(self.folder.read(name), name)

    def for_message(self, values: CellValues) -> Any:
        """`values` for other processes, which may be unable to import their classes."""
        return values if self._encoding.only_installed else self._encoded(values)

    def from_message(self, message: Any) -> CellValues:
        """Undo :meth:`for_message`."""
        return self._decoded(message, "a message") if isinstance(message, bytes) else message

    def _encoded(self, values: CellValues) -> bytes:
        return json.dumps([[self._encoding.encode(value) for value in of_cell] for of_cell in values]).encode()

    def _decoded(self, text: bytes, name: str) -> CellValues:
        where = f"{self.folder}: {name}"
        document = read_json(text, where)
        if not (isinstance(document, list) and len(document) == self._cells):
            raise InputError(f"{where} has not the values of {self._cells} cells")
        if not all(isinstance(of_cell, list) for of_cell in document):
            raise InputError(f"{where} has no lists of values")
        return [[self._encoding.decode(value, where) for value in of_cell] for of_cell in document]

    # States ------------------------------------------------------------------------------------------------------

    def write_level(
        self, level: int, bucket: int, parts: Iterable[States], values_level: int, extras: CellValues
    ) -> LevelFile:
        """Write the states of a bucket, in at least one part.

        Args:
            values_level: The last level whose values have global numbers in `parts`.
            extras: The values that this file numbers itself; they may grow until all parts are written.

        Raises:
            NotWritten: If it cannot be written, as on a full disk.
        """
        name, rows = self.write_states(
            _name(level, f"bucket-{bucket:05}.parquet"), parts, lambda: {_EXTRAS: self._encoded(extras)}
        )
        return LevelFile(bucket, name, rows, values_level)

    def write_states(
        self, name: str, parts: Iterable[States], metadata: Callable[[], dict[bytes, bytes]] = dict
    ) -> tuple[str, int]:
        """Write any states, holding no more than a row group; returns the file's name, and its rows."""
        rows = 0
        unmade: list[InputError] = []  # errors in making a part, rather than in writing it

        def tables() -> Iterator[pa.Table]:
            try:
                yield from groups(parts)
            except InputError as error:
                unmade.append(error)
                raise

        def write(out: Any) -> None:
            nonlocal rows
            writer = None
            for table in tables():
                writer = writer or pq.ParquetWriter(out, table.schema, **_PARQUET)
                writer.write_table(table, ROW_GROUP)
                rows += len(table)
            assert writer is not None, "there is at least one table"
            writer.add_key_value_metadata(metadata())
            writer.close()

        try:
            return self._write(name, write), rows
        except NotWritten:
            if unmade:
                raise unmade[0] from None
            raise

    def _write(self, name: str, content: Any) -> str:
        with _writing():
            written, summed = self.folder.write(name, content if callable(content) else lambda out: out.write(content))
        self.know({written: summed})
        return written

    def write_table(self, name: str, table: pa.Table) -> str:
        """Write a table to a file; returns its name."""

        def write(out: Any) -> None:
            with pq.ParquetWriter(out, table.schema, **_PARQUET) as writer:
                writer.write_table(table)

        return self._write(name, write)

    def table(self, name: str) -> pa.Table:
        """Read a table of :meth:`write_table`.

        Raises:
            InputError: If the file is damaged.
        """
        with self._open(name) as file:
            return file.read()

    def states(self, name: str, columns: Sequence[str], row_group: int | None = None) -> States:
        """Some columns of a file of states, or of one of its row groups.

        Raises:
            InputError: If the file is damaged.
        """
        with self._open(name) as file:
            table = file.read(columns) if row_group is None else file.read_row_group(row_group, columns)
        return States.from_arrow(table, self._words, self._cells)

    def rows(self, name: str) -> int:
        """The number of states in a file."""
        with self._open(name) as file:
            return int(file.metadata.num_rows)

    def each_part(self, name: str, columns: Sequence[str]) -> Iterator[States]:
        """Some columns of a file of states, row group by row group."""
        with self._open(name) as file:
            for row_group in range(file.num_row_groups):
                yield States.from_arrow(file.read_row_group(row_group, columns), self._words, self._cells)

    def extras(self, name: str) -> CellValues:
        """The values that a level's file numbers itself."""
        with self._open(name) as file:
            text = (file.metadata.metadata or {}).get(_EXTRAS, b"")
        return self._decoded(text, name)

    @contextmanager
    def _open(self, name: str) -> Iterator[pq.ParquetFile]:
        try:
            with pq.ParquetFile(self.folder.file(name), page_checksum_verification=True) as file:
                yield file
        except (OSError, pa.ArrowException) as error:
            raise DamagedFolder(f"{self.folder} is damaged: {name} cannot be read: {_first_line(error)}") from None


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except Overtaken:
        raise
    except InputError as error:
        raise NotWritten(str(error)) from None


def _name(level: int, name: str) -> str:
    return f"level-{level:05}/{name}"


def _first_line(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
