"""State spaces as data: Parquet files that Spark and other tools can query.

::

    manifest/      the model, its constants, the verdicts, the counts, and the size and checksum of every file
    states/        id, level, one column per variable (see `columns`), and per safety property the distance to the
                   nearest state that decides it
    transitions/   source, target, action, parameters, process (null if it is told by what a step changes)
"""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.registry.programs import needs

needs("tables", "a dataset", "pyarrow")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.checking.spaces.columns import StateColumns, as_text, unused_name
from workbench.checking.spaces.cube import Cube
from workbench.checking.spaces.space import StateSpace
from workbench.kernel import InputError, Machine, Result, State
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.state import Layout
from workbench.kernel.meaning.trace import Step
from workbench.kernel.meaning.values import counted
from workbench.storage.folder import Folder, replacing_folder
from workbench.storage.identity import Identity
from workbench.storage.places import Place, absolute, as_place
from workbench.storage.schema import from_json
from workbench.storage.sums import FileSum
from workbench.storage.versions import FolderKind

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

DATASET = FolderKind("dataset", 4)
STATES, TRANSITIONS = "states", "transitions"
_BATCH = 1 << 16  # rows converted at a time, and rows of a row group


@dataclass(frozen=True)
class DatasetContent:
    """The content of a dataset's manifest.

    Attributes:
        identity: The model and the check.
        run: The result.
        tables: The files of each table.
    """

    identity: Identity
    run: dict[str, Any]
    tables: dict[str, list[str]]

    @property
    def paths(self) -> set[str]:
        return {name for names in self.tables.values() for name in names}


# Writing -------------------------------------------------------------------------------------------------------------


def save(space: StateSpace, folder: Place) -> str | Path:
    """Write the states and transitions of `space` to `folder` as Parquet, replacing a dataset; returns the folder.

    Raises:
        InputError: If the folder holds something else.
    """
    decided = {}
    for verdict in space.result.verdicts:
        if verdict.kind in ("invariant", "reachable"):
            holds = space.holds(verdict.name)
            deciding = ~holds if verdict.kind == "invariant" else holds
            decided[f"distance_{verdict.name}"] = distances(len(space), space.sources, space.targets, deciding)
    columns = StateColumns(space.model.layout, space.values, ("id", "level", *decided))
    checked = [verdict.name for verdict in space.result.verdicts]
    identity = Identity.of(space.model, checked, space.result.symmetry)
    with replacing_folder(folder, DATASET) as writing:
        states, states_sum = _write_states(writing, columns, space.rows, space.levels, decided)
        transitions, transitions_sum = _write_transitions(writing, space)
        reads = {name.removeprefix("distance_"): _read_cells(space, name.removeprefix("distance_")) for name in decided}
        run = {**describe_run(space.result), "transitions": len(space.targets), "reads": reads}
        run |= {"columns": columns.names, "indexed": indexed_cells(space.model.layout)}
        content = DatasetContent(identity, run, {STATES: [states], TRANSITIONS: [transitions]})
        writing.commit(asdict(content), {states: states_sum, transitions: transitions_sum})
    return as_place(folder)


def describe_run(result: Result) -> dict[str, Any]:
    """The check's result in a dataset."""
    return {**result.as_dict(), "stopped": result.stopped, "levels": result.levels}


def indexed_cells(layout: Layout) -> dict[str, list[str]]:
    """For each variable with a cell per index the names of its cells, in the order of its column's maps."""
    where = layout.positions.items()
    return {name: [str(Cell(name, index)) for index in cells] for name, cells in where if not isinstance(cells, int)}


def _read_cells(space: StateSpace, name: str) -> list[str]:
    """The cells, as people see them, that a property reads."""
    shown = space.model.layout.shown_of
    return list(dict.fromkeys(str(shown[cell]) for cell in sorted(space.reads(name))))


def distances(states: int, sources: np.ndarray, targets: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The number of steps from each state to the nearest one in `goal`; -1 if none is reachable.

    Args:
        sources, targets: The transitions.
        goal: By state.

    Examples:
        >>> distances(4, np.array([0, 1, 0]), np.array([1, 2, 3]), np.array([False, False, True, False])).tolist()
        [2, 1, 0, -1]
    """
    order = np.argsort(targets, kind="stable")
    into = np.searchsorted(targets[order], np.arange(states + 1))  # the transitions to s: into[s] up to into[s + 1]
    steps_to = np.full(states, -1, np.int32)
    steps_to[goal] = 0
    reached, steps = np.flatnonzero(goal), 0
    while len(reached):
        steps += 1
        counts = into[reached + 1] - into[reached]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        before = sources[order[np.repeat(into[reached], counts) + within]]
        reached = np.unique(before[steps_to[before] < 0])
        steps_to[reached] = steps
    return steps_to


def _write_states(
    folder: Folder, columns: StateColumns, rows: np.ndarray, levels: np.ndarray, decided: dict[str, np.ndarray]
) -> tuple[str, FileSum]:
    fields = [("id", pa.int64()), ("level", pa.int32()), *columns.schema, *((name, pa.int32()) for name in decided)]

    def arrays(batch: slice) -> dict[str, pa.Array]:
        return {
            "id": pa.array(range(batch.start, batch.stop)),
            "level": pa.array(levels[batch]),
            **columns.arrays(rows[batch]),
            **{name: pa.array(distance[batch], mask=distance[batch] < 0) for name, distance in decided.items()},
        }

    return _write_table(folder, STATES, pa.schema(fields), len(rows), arrays)


def _write_transitions(folder: Folder, space: StateSpace) -> tuple[str, FileSum]:
    texts = describe_steps(
        space.model, space.steps, space.move, lambda transition: space.state(int(space.sources[transition]))
    )

    def arrays(batch: slice) -> dict[str, pa.Array]:
        return {
            "source": pa.array(space.sources[batch]),
            "target": pa.array(space.targets[batch]),
            **{name: array.slice(batch.start, batch.stop - batch.start) for name, array in texts.items()},
        }

    schema = pa.schema({"source": pa.int64(), "target": pa.int64(), **_STEP_COLUMNS})
    return _write_table(folder, TRANSITIONS, schema, len(space.steps), arrays)


_STEP_COLUMNS = {"action": pa.string(), "parameters": pa.map_(pa.string(), pa.string()), "process": pa.string()}


def describe_steps(
    model: Machine, steps: np.ndarray, move: Callable[[int], tuple[int, int]], source: Callable[[int], State]
) -> dict[str, pa.Array]:
    """The action, parameters and process of each transition. Choices count as parameters.

    Args:
        steps: The memoized step of each transition, which determines its description.
        move, source: The move and the source state of a transition, by position.
    """
    _, example, step = np.unique(steps, return_index=True, return_inverse=True)
    descriptions = [_describe_step(model, move(int(transition)), source(int(transition))) for transition in example]
    texts = {
        name: pa.array([description[name] for description in descriptions], kind)
        for name, kind in _STEP_COLUMNS.items()
    }
    return {name: array.take(pa.array(step)) for name, array in texts.items()}


def _describe_step(model: Machine, move: tuple[int, int], source: State) -> dict[str, Any]:
    instance = model.instances[move[0]]
    outcome, after = model.outcomes(instance, source)[move[1]]
    step = Step(after, instance, outcome.choices, move[1])
    used: set[str] = set()
    arguments = instance.named(step.choices)
    parameters = [(unused_name(name or "choice", used), as_text(value)) for name, value in arguments]
    return {"action": instance.action.name, "parameters": parameters, "process": step.lane or None}


def _write_table(
    folder: Folder, table: str, schema: pa.Schema, rows: int, arrays: Callable[[slice], dict[str, pa.Array]]
) -> tuple[str, FileSum]:
    def write(out: io.RawIOBase) -> None:
        with pq.ParquetWriter(out, schema) as writer:
            for at in range(0, rows, _BATCH):
                columns = arrays(slice(at, min(at + _BATCH, rows)))
                writer.write_table(pa.table([columns[field.name].cast(field.type) for field in schema], schema))

    return folder.write(f"{table}/part-00000.parquet", write)


# Reading -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dataset:
    """A saved state space.

    Attributes:
        identity: The digest of the model's code, its constants, and the check.
        run: The result: model, constants, properties with their verdicts, counts.
    """

    folder: str | Path
    identity: Identity
    run: dict[str, Any]
    spark: "SparkSession"
    states: "DataFrame"
    transitions: "DataFrame"

    def register(self) -> None:
        """Register this dataset's ``states`` and ``transitions`` as views in the session's SQL."""
        self.states.createOrReplaceTempView("states")
        self.transitions.createOrReplaceTempView("transitions")

    def sql(self, query: str) -> "DataFrame":
        """The result of a query over this dataset's ``states`` and ``transitions``, whatever was loaded since."""
        self.register()
        return self.spark.sql(query)

    def pandas(self, query: str, most: int = 100_000) -> "pd.DataFrame":
        """The result of a query in memory.

        Raises:
            InputError: If it has more rows than `most`.
        """
        from workbench.checking.spark.cluster.fetching_without_port import to_pandas

        rows = to_pandas(self.sql(query).limit(most + 1))
        if len(rows) > most:
            raise InputError(
                f"the result has more than {counted(most, 'row')}; use sql(), narrow the query, or raise most"
            )
        return rows

    def cube(self, fault: str | None = None) -> Cube:
        """The cube of :meth:`workbench.StateSpace.cube`, counted by Spark, with values as it writes them.

        Args:
            fault: An invariant; by default the first violated one whose distances the dataset has.

        Raises:
            InputError: If the dataset has no distances to what violates it, or is of a version that noted no indices.
        """
        from workbench.checking.spaces.cube_on_spark import cube_of_table

        if "indexed" not in self.run:
            raise InputError(
                f"{str(self.folder)!r} was saved by an earlier version, without what a cube needs; save it again"
            )
        invariants = [entry for entry in self.run["properties"] if entry["kind"] == "invariant"]
        measured = [entry for entry in invariants if f"distance_{entry['name']}" in self.states.columns]
        if fault is not None and fault not in [entry["name"] for entry in measured]:
            raise unknown("invariant with distances", fault, [entry["name"] for entry in measured])
        fault = fault or next((entry["name"] for entry in measured if entry["holds"] is False), None)
        reads = set() if fault is None else set(self.run["reads"][fault])
        return cube_of_table(self.states, self.run["columns"], self.run["indexed"], fault, reads)

    def __repr__(self) -> str:
        counts = f"{counted(self.run['distinct'], 'state')}, {counted(self.run['transitions'], 'transition')}"
        return f"Dataset({str(self.folder)!r}: {self.run['model']}, {counts})"


def load(folder: Place, spark: "SparkSession | None" = None) -> Dataset:
    """Read a dataset, and register its tables as the views ``states`` and ``transitions``.

    All files are first compared with their checksums.

    Args:
        folder: A folder written by :func:`save`, readable for this process and for Spark.
        spark: A session; None for that of :func:`workbench.spark_session`.

    Raises:
        InputError: If there is no dataset, a file is missing or damaged, or a file does not belong to it.
    """
    from workbench.checking.spark.cluster.session import spark_session

    stored = Folder.open(absolute(folder), DATASET)
    stored.check_nothing_else()
    if stored.content is None:
        raise InputError(f"{stored} is empty: its writer was stopped")
    content = from_json(DatasetContent, stored.content, f"the manifest of {stored}")
    for name in stored.files:
        stored.check(name)
    if set(content.tables) != {STATES, TRANSITIONS} or not content.paths <= stored.files.keys():
        raise InputError(f"the manifest of {stored} does not name the files of its tables")
    session = spark or spark_session()
    states, transitions = (_table(session, stored, content.tables[table]) for table in (STATES, TRANSITIONS))
    dataset = Dataset(stored.path, content.identity, content.run, session, states, transitions)
    dataset.register()
    return dataset


def _table(session: "SparkSession", stored: Folder, names: list[str]) -> "DataFrame":
    """The table in files of these names."""
    if isinstance(stored.path, Path):
        return session.read.parquet(*(_uri(stored.path / name) for name in names))
    from pyspark.sql.pandas.types import from_arrow_schema

    # Elsewhere Spark's own readers would need packages for Java, and would compare no checksums.
    files = {name: pq.ParquetFile(stored.file(name)) for name in names}
    parts = [(name, group) for name, file in files.items() for group in range(file.num_row_groups)]
    schema = files[names[0]].schema_arrow

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                name, group = parts[number]
                yield from pq.ParquetFile(stored.file(name)).read_row_group(group).cast(schema).to_batches()

    numbers = session.range(0, len(parts), 1, max(1, len(parts)))
    return numbers.mapInArrow(read, from_arrow_schema(schema))


def _uri(path: Path) -> str:
    """A path for Spark, with patterns escaped."""
    return "file://" + re.sub(r"([\\{}\[\]*?^])", r"\\\1", str(path))
