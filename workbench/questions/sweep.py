"""Sweeps: one check per setting of a model's constants, each a task of Spark's, and a table of what came of them."""

import itertools
import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
from pyspark import TaskContext
from pyspark.errors import PythonException
from pyspark.sql import SparkSession

from workbench.engines.check import check
from workbench.engines.spark.jobs import run_job
from workbench.engines.spark.session import spark_session
from workbench.engines.spark.shipping import receive, ship
from workbench.kernel import InputError, Model, ModelError
from workbench.kernel.budget import Budget
from workbench.kernel.errors import brief, unknown
from workbench.kernel.plan import make_plan
from workbench.storage.digest import model_digest

ERROR = "error"
_MEASURES = ("distinct", "depth", "seconds", "complete", "stopped", ERROR)
_ATTEMPTS = 2  # at a setting on which the worker dies

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]
Record = dict[str, Any]


def sweep(
    model: type[Model],
    grid: Grid,
    properties: Sequence[str] | None = None,
    *,
    constants: Mapping[str, Any] | None = None,
    symmetry: bool | Sequence[str] = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
    out: str | Path | None = None,
    spark: SparkSession | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Check `model` under many settings of its constants, side by side on Spark.

    Parameters
    ----------
    model : type of Model
        The class, which may be defined in a notebook's cell.
    grid : mapping, or sequence of mappings
        Values for some constants, of which all combinations are checked; or the settings themselves.
    properties : sequence of str, optional
        Names of properties; those that the model checks by default for None. A property is checked in the settings
        in which it applies, and has no verdict in the others.
    constants : mapping, optional
        Constants that are the same in all settings.
    symmetry : bool or sequence of str
        As for :func:`workbench.check`.
    max_states, max_seconds, max_bytes : optional
        Budgets of each check.
    out : path, optional
        A folder for the results, one file each, written when a check is done; all of Spark's workers must see it.
        A result that is there already is not computed again, unless it was cut short by other budgets, or failed for
        another reason than the model and its constants. By default a temporary folder is used.
    spark : SparkSession, optional
        That of :func:`workbench.spark_session` for None.
    on_progress : callable, optional
        Called again and again with the number of finished settings and of all.

    Returns
    -------
    DataFrame
        One row per setting: its constants; for each property the verdict (a word; "error" if the check failed) and in
        the column ``<property>_states`` the number of states of a shortest trace; then ``distinct``, ``depth``,
        ``seconds``, ``complete``, ``stopped`` (why it is not complete) and ``error``. An interrupt (Ctrl-C) ends the
        sweep with what there is; the settings that have not finished are errors too. ``attrs`` holds the names of the
        properties, the symmetric sets, and notes on how the checks were done.

    Raises
    ------
    InputError
        For names or values that are not accepted. Values that do not go together are an error of their setting.
    """
    settings = _settings(model, grid, constants or {})
    Budget(max_states, max_seconds, max_bytes)  # refuses what is none
    plans = _plans(model, settings, properties, symmetry)
    identity = [model_digest(model), version("lakehouse-workbench")]
    keys = [
        _key([*identity, sorted(plan.names), plan.symmetry], setting)
        for plan, setting in zip(plans, settings, strict=True)
    ]
    with tempfile.TemporaryDirectory() if out is None else nullcontext(out) as folder:
        results = _Results(Path(folder).absolute())
        budgets = {"max_states": max_states, "max_seconds": max_seconds, "max_bytes": max_bytes}
        asked = dict(zip(keys, map(_Question, settings, plans), strict=True))
        tasks = {key: question for key, question in asked.items() if not results.is_final(key, budgets)}
        for key in tasks:
            results.path(key).unlink(missing_ok=True)

        def report() -> None:
            if on_progress is not None:
                on_progress(sum(results.path(key).exists() for key in keys), len(keys))

        why = ""
        if tasks:
            job = _Job(model, budgets, results, list(tasks.items()))
            why = _run(job, spark or spark_session(), report)
        report()
        records = [results.read(key) or _failed(why) for key in keys]
    varied = dict.fromkeys(grid if isinstance(grid, Mapping) else itertools.chain(*grid))
    asked_for = {name for plan in plans for name in plan.names}
    names = [name for name in properties or model.declared_properties if name in asked_for]
    table = _table([{n: setting[n] for n in varied} for setting in settings], names, plans, records)
    sets, notes = ([*dict.fromkeys(word for plan in plans for word in getattr(plan, part))] for part in _TOLD)
    table.attrs = {"properties": names, "symmetry": sets, "notes": notes}
    return table


def _settings(model: type[Model], grid: Grid, fixed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All constants of every setting that `grid` stands for, as they were given."""
    if not (isinstance(model, type) and issubclass(model, Model)):
        raise InputError(f"model {model!r} is not accepted; it takes a class, such as Hudi, without constants")
    if isinstance(grid, Mapping):
        for name, values in grid.items():
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise InputError(f"grid: {name} = {brief(values)} is not accepted; it takes a list of values")
        varying = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    else:
        varying = [dict(setting) for setting in grid]
    if not varying:
        raise InputError(f"grid {brief(grid)} is not accepted; it takes at least one setting")
    declared = model.declared_constants
    for setting in [*varying, fixed]:
        for name, value in setting.items():
            if name not in declared:
                raise unknown(f"constant of {model.name}", name, declared)
            if name in fixed and setting is not fixed:
                raise InputError(f"constants: {name} = {brief(fixed[name])} is not accepted; the grid sets it")
            declared[name].parse(name, value)
    defaults = {name: constant.default for name, constant in declared.items()}
    return [{**defaults, **fixed, **setting} for setting in varying]


class _Plan(NamedTuple):
    """What is checked in one setting."""

    names: tuple[str, ...]
    symmetry: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


_TOLD = ("symmetry", "notes")


def _plans(
    model: type[Model],
    settings: Sequence[Mapping[str, Any]],
    properties: Sequence[str] | None,
    symmetry: bool | Sequence[str],
) -> list[_Plan]:
    """What is checked in each setting: of what was asked for that which applies with its constants."""
    for name in properties or ():
        if name not in model.declared_properties:
            raise unknown(f"property of {model.name}", name, model.declared_properties)
    plans: list[_Plan] = []
    for setting in settings:
        try:
            checked = model(**setting)
        except Exception:  # what is wrong becomes the setting's result
            plans.append(_Plan(tuple(properties or (n for n, p in model.declared_properties.items() if p.by_default))))
            continue
        applying = None if properties is None else [name for name in properties if name in checked.properties]
        plan = make_plan(checked, applying, symmetry)
        plans.append(_Plan(tuple(p.name for p in plan.properties), plan.symmetry, tuple(plan.notes)))
    return plans


def _table(
    settings: list[dict[str, Any]], names: Sequence[str], plans: list[_Plan], records: list[Record]
) -> pd.DataFrame:
    taken = {*_MEASURES, *names}
    rows = []
    for setting, plan, record in zip(settings, plans, records, strict=True):
        row = {name + "_" * (name in taken): value for name, value in setting.items()}
        for name in names:
            row[name], row[f"{name}_states"] = record["verdicts"].get(
                name, (ERROR if name in plan.names else None, None)
            )
        rows.append({**row, **{name: record[name] for name in _MEASURES}})
    counts = [f"{name}_states" for name in names] + ["distinct", "depth"]
    return pd.DataFrame(rows).astype(dict.fromkeys(counts, "Int64") | {"seconds": float, "complete": bool})


# Results -------------------------------------------------------------------------------------------------------------


def _key(identity: Sequence[Any], setting: Mapping[str, Any]) -> str:
    """What a setting's result is filed under: equal for equal models, properties, symmetry and constants."""
    text = json.dumps([*identity, setting], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _failed(why: str, final: bool = False) -> Record:
    return {"verdicts": {}, **dict.fromkeys(_MEASURES), "complete": False, ERROR: why, "final": final}


@dataclass(frozen=True)
class _Results:
    """A folder with a file per setting, which is there as a whole or not at all."""

    folder: Path

    def path(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def read(self, key: str) -> Record | None:
        """A result; None if there is none that can be read."""
        try:
            return json.loads(self.path(key).read_text())
        except (FileNotFoundError, ValueError):
            return None

    def is_final(self, key: str, budgets: Mapping[str, float | None]) -> bool:
        """Whether there is a result that another check with these budgets would not improve."""
        record = self.read(key)
        return record is not None and (record["final"] or (record[ERROR] is None and record["budgets"] == budgets))

    def write(self, key: str, record: Record) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / f".{key}.{uuid.uuid4().hex}"
        with open(temporary, "w") as out:
            json.dump(record, out)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(self.path(key))


# Work ----------------------------------------------------------------------------------------------------------------


class _Question(NamedTuple):
    """One setting, and what is checked in it."""

    constants: Mapping[str, Any]
    plan: _Plan


@dataclass(frozen=True)
class _Job:
    """What a worker needs to carry out the tasks, by number."""

    model: type[Model]
    budgets: dict[str, Any]
    results: _Results
    tasks: list[tuple[str, _Question]]

    def run(self, number: int, attempt: int) -> None:
        """Carry out a task, unless an earlier attempt got as far as its result."""
        key, question = self.tasks[number]
        if self.results.read(key) is None:
            if attempt < _ATTEMPTS:
                record = self._check(question)
            else:
                record = _failed(f"the worker died {attempt} times; it may need more memory than there is")
            record |= {"model": self.model.name, "constants": question.constants, "budgets": self.budgets}
            self.results.write(key, record)

    def _check(self, question: _Question) -> Record:
        names, symmetry = question.plan.names, question.plan.symmetry
        try:
            checked = self.model(**question.constants)
            result = check(checked, names, symmetry=symmetry, engine="local", **self.budgets)
        except InputError as error:
            return _failed(str(error), final=True)
        except ModelError as error:
            return _failed(f"{type(error).__name__}: {error}", final=True)
        except Exception as error:  # whatever it is, it is the result of this setting and of no other
            return _failed(f"{type(error).__name__}: {error}")
        verdicts = {verdict.name: (verdict.word, verdict.trace_states) for verdict in result.verdicts}
        measures = {name: getattr(result, name) for name in _MEASURES if name != ERROR}
        return {"verdicts": verdicts, **measures, ERROR: None, "final": result.complete}


def _worker(shipped: bytes) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        job, context = receive(shipped), TaskContext.get()
        assert context is not None, "workers carry out tasks"
        for batch in batches:
            for number in batch.column("id").to_pylist():
                job.run(number, context.attemptNumber())
            yield batch

    return run


def _run(job: _Job, spark: SparkSession, report: Callable[[], None]) -> str:
    """Carry out all tasks; returns why some have no result, if so."""
    worker, tasks = _worker(ship(job, job.model.name)), len(job.tasks)

    def work() -> Exception | None:
        try:
            spark.range(0, tasks, 1, tasks).mapInArrow(worker, "id long").collect()
        except Exception as error:  # whatever it is, what has finished is kept
            return error
        return None

    try:
        failure = run_job(spark, work, report)
    except KeyboardInterrupt:
        return "interrupted"
    if failure is None:
        return f"the worker left no result in {job.results.folder}; out must be a folder that all workers see"
    lines = str(failure).splitlines() or [type(failure).__name__]
    return lines[-1 if isinstance(failure, PythonException) else 0]  # the last line of a traceback of Python's
