"""State spaces as data: Parquet files that Spark, and anything else, can query.

::

    run.json       the model, its constants, the verdicts, the counts; written last, so that its presence says: whole
    states/        id, level, one column per variable (see `columns`), and per safety property the distance to a state
                   that decides it
    transitions/   source, target, action, parameters, process
"""

import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from workbench.engines.spark.session import spark_session
from workbench.kernel import InputError, Model, Result, State
from workbench.spaces.columns import StateColumns, as_text, unused_name
from workbench.spaces.space import StateSpace

_FORMAT = 1
_RUN = "run.json"
STATES, TRANSITIONS = _TABLES = ("states", "transitions")
_BATCH = 1 << 16  # rows that are converted at a time, and that become one row group


# Writing -------------------------------------------------------------------------------------------------------------


def save(space: StateSpace, folder: str | Path) -> Path:
    """Write the states and transitions of `space` to `folder`, as Parquet. A dataset that is there is replaced.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    InputError
        If the folder holds something else.
    """
    decided = {
        f"distance_{name}": distances(len(space), space.sources, space.targets, deciding)
        for name, deciding in _deciding_states(space).items()
    }
    columns = StateColumns(space.model.layout, space.values, ("id", "level", *decided))
    with new_dataset(folder) as writing:
        _write_states(writing, columns, space.rows, space.levels, decided)
        _write_transitions(writing, space)
        run = {**describe_run(space.result), "transitions": len(space.targets), "columns": columns.names}
        (writing / _RUN).write_text(json.dumps(run, indent=1) + "\n")
    return Path(folder)


def describe_run(result: Result) -> dict[str, Any]:
    """What ``run.json`` says of the check."""
    return {"format": _FORMAT, **result.as_dict(), "stopped": result.stopped, "levels": result.levels}


def _deciding_states(space: StateSpace) -> dict[str, np.ndarray]:
    """For each safety property whether a state decides it: violates the invariant, or has what must be reachable."""
    decided = {}
    for verdict in space.result.verdicts:
        if verdict.kind != "liveness":
            holds = space.holds(verdict.name)
            decided[verdict.name] = ~holds if verdict.kind == "invariant" else holds
    return decided


def distances(states: int, sources: np.ndarray, targets: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The number of steps from each state to the nearest one in `goal`; -1 where none can be reached.

    Parameters
    ----------
    states : int
    sources, targets : integer arrays
        The transitions.
    goal : bool array
        By state.

    Examples
    --------
    >>> distances(4, np.array([0, 1, 0]), np.array([1, 2, 3]), np.array([False, False, True, False])).tolist()
    [2, 1, 0, -1]
    """
    order = np.argsort(targets, kind="stable")
    into = np.searchsorted(targets[order], np.arange(states + 1))  # those that lead to s: into[s] up to into[s + 1]
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


@contextmanager
def new_dataset(folder: str | Path) -> Iterator[Path]:
    """A folder to write a dataset to, which takes the place of `folder` once all is written.

    Raises
    ------
    InputError
        If `folder` is there and is neither empty nor a dataset.
    """
    target = Path(folder)
    if target.exists() and not (target.is_dir() and ((target / _RUN).is_file() or not any(target.iterdir()))):
        raise InputError(f"folder {str(target)!r} is not accepted; it takes a new folder, an empty one or a dataset")
    writing, old = (target.with_name(f".{target.name}.{uuid.uuid4().hex}") for _ in range(2))
    try:
        for table in _TABLES:
            (writing / table).mkdir(parents=True)
        yield writing
        if target.exists():
            target.rename(old)
        writing.rename(target)
    finally:
        for left in (writing, old):
            shutil.rmtree(left, ignore_errors=True)


def _write_states(
    folder: Path, columns: StateColumns, rows: np.ndarray, levels: np.ndarray, decided: dict[str, np.ndarray]
) -> None:
    fields = [("id", pa.int64()), ("level", pa.int32()), *columns.schema, *((name, pa.int32()) for name in decided)]

    def arrays(batch: slice) -> dict[str, pa.Array]:
        return {
            "id": pa.array(range(batch.start, batch.stop)),
            "level": pa.array(levels[batch]),
            **columns.arrays(rows[batch]),
            **{name: pa.array(distance[batch], mask=distance[batch] < 0) for name, distance in decided.items()},
        }

    _write_table(folder / "states", pa.schema(fields), len(rows), arrays)


def _write_transitions(folder: Path, space: StateSpace) -> None:
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
    _write_table(folder / "transitions", schema, len(space.steps), arrays)


_STEP_COLUMNS = {"action": pa.string(), "parameters": pa.map_(pa.string(), pa.string()), "process": pa.string()}


def describe_steps(
    model: Model, steps: np.ndarray, move: Callable[[int], tuple[int, int]], source: Callable[[int], State]
) -> dict[str, pa.Array]:
    """The action, parameters and process of each transition. What was chosen is among the parameters.

    Parameters
    ----------
    steps : integer array
        The memoised step of each transition; all that take the same one are described alike.
    move, source : callable
        The move and the source state of a transition, by its position.
    """
    _, example, step = np.unique(steps, return_index=True, return_inverse=True)
    said = [_describe_step(model, move(int(transition)), source(int(transition))) for transition in example]
    texts = {name: pa.array([one[name] for one in said], kind) for name, kind in _STEP_COLUMNS.items()}
    return {name: array.take(pa.array(step)) for name, array in texts.items()}


def _describe_step(model: Model, move: tuple[int, int], source: State) -> dict[str, Any]:
    instance = model.instances[move[0]]
    outcome, _ = model.outcomes(instance, source)[move[1]]
    used: set[str] = set()
    given = [*zip(instance.action.parameters, instance.arguments, strict=True), *outcome.choices]
    parameters = [(unused_name(name or "choice", used), as_text(value)) for name, value in given]
    return {"action": instance.action.name, "parameters": parameters, "process": instance.lane or None}


def _write_table(folder: Path, schema: pa.Schema, rows: int, arrays: Callable[[slice], dict[str, pa.Array]]) -> None:
    with pq.ParquetWriter(folder / "part-00000.parquet", schema) as out:
        for at in range(0, rows, _BATCH):
            columns = arrays(slice(at, min(at + _BATCH, rows)))
            out.write_table(pa.table([columns[field.name].cast(field.type) for field in schema], schema))


# Reading -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dataset:
    """A saved state space.

    Attributes
    ----------
    folder : Path
    run : dict
        What ``run.json`` says: model, constants, properties with their verdicts, counts.
    spark : SparkSession
    states, transitions : DataFrame
    """

    folder: Path
    run: dict[str, Any]
    spark: SparkSession
    states: DataFrame
    transitions: DataFrame

    def register(self) -> None:
        """Make ``states`` and ``transitions`` in the session's SQL stand for this dataset."""
        self.states.createOrReplaceTempView("states")
        self.transitions.createOrReplaceTempView("transitions")

    def sql(self, query: str) -> DataFrame:
        """The result of a query over ``states`` and ``transitions`` of this dataset, whichever was loaded last."""
        self.register()
        return self.spark.sql(query)

    def pandas(self, query: str, most: int = 100_000) -> pd.DataFrame:
        """The result of a query in memory.

        Raises
        ------
        InputError
            If it has more rows than `most`.
        """
        rows = self.sql(query).limit(most + 1).toPandas()
        if len(rows) > most:
            raise InputError(f"the result has more than {most:,} rows; use sql(), narrow the query, or raise most")
        return rows

    def __repr__(self) -> str:
        counts = f"{self.run['distinct']:,} states, {self.run['transitions']:,} transitions"
        return f"Dataset({str(self.folder)!r}: {self.run['model']}, {counts})"


def load(folder: str | Path, spark: SparkSession | None = None) -> Dataset:
    """Read a dataset; its tables are registered as the views ``states`` and ``transitions``.

    Parameters
    ----------
    folder : path
        A folder that :func:`save` has written, readable for this process and for Spark alike.
    spark : SparkSession, optional
        That of :func:`workbench.spark_session` for None.

    Raises
    ------
    InputError
        If there is no dataset, or one that is not whole.
    """
    folder = Path(folder).absolute()
    run = _read_run(folder)
    for table, rows in (("states", run["distinct"]), ("transitions", run["transitions"])):
        _check_table(folder / table, rows)
    session = spark or spark_session()
    states, transitions = (session.read.parquet(f"file://{folder / table}") for table in _TABLES)
    dataset = Dataset(folder, run, session, states, transitions)
    dataset.register()
    return dataset


def _read_run(folder: Path) -> dict[str, Any]:
    try:
        run = json.loads((folder / _RUN).read_text())
    except FileNotFoundError:
        raise InputError(f"folder {str(folder)!r} is no dataset: it has no {_RUN}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"dataset {str(folder)!r} is damaged: {_RUN} cannot be read ({error})") from None
    if run.get("format") != _FORMAT:
        raise InputError(f"dataset {str(folder)!r} has format {run.get('format')!r}; format {_FORMAT} is read")
    return run


def _check_table(folder: Path, rows: int) -> None:
    """Raise :class:`InputError` unless the files of a table can be read and have as many rows as there must be."""
    try:
        counted = sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"dataset {str(folder.parent)!r} is damaged: {str(error).splitlines()[0]}") from None
    if counted != rows:
        raise InputError(f"dataset {str(folder.parent)!r} is damaged: {folder.name} has {counted:,} rows of {rows:,}")
