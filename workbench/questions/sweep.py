"""Sweeps: one check per setting of a model's constants, each a task of Spark's, and a table of what came of them."""

import itertools
import json
import math
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
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
from workbench.questions.progress import line_in_notebook
from workbench.questions.records import Outcome, Record, Records, failed
from workbench.storage.identity import Identity
from workbench.storage.lock import writer_lock

ERROR = "error"
_MEASURES = ("distinct", "depth", "seconds", "complete", "stopped", ERROR)
_ATTEMPTS = 2  # at a setting on which the worker dies

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]


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
        A folder for the results, one file each, written when a check is done; all of Spark's workers must see it, and
        one sweep at a time writes to it. A result that is there already is not computed again, unless it was cut short
        by other budgets, or failed for another reason than the model and its constants; then it is replaced when the
        new one is there. By default a temporary folder is used.
    spark : SparkSession, optional
        That of :func:`workbench.spark_session` for None.
    on_progress : callable, optional
        Called again and again with the number of finished settings and of all; by default a notebook shows them.

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
        For names or values that are not accepted, for a result in `out` that is damaged, and while another sweep writes
        there. Values that do not go together are an error of their setting.
    """
    settings = _settings(model, grid, constants or {})
    Budget(max_states, max_seconds, max_bytes)  # refuses what is none
    plans = _plans(model, settings, properties, symmetry)
    made_by = Identity.of_class(model, {}, ())
    questions = [_question(made_by, *it) for it in zip(settings, plans, strict=True)]
    given = {"max_states": max_states, "max_seconds": max_seconds, "max_bytes": max_bytes}
    budgets = {name: None if most == math.inf else most for name, most in given.items()}
    temporary = tempfile.TemporaryDirectory() if out is None else nullcontext(str(out))
    with temporary as folder, writer_lock(folder, "sweep folder"):
        job = _Job(model, budgets, Records(Path(folder).absolute()))
        outcomes = _outcomes(job, questions, spark, on_progress or line_in_notebook("settings checked"))
    varied = dict.fromkeys(grid if isinstance(grid, Mapping) else itertools.chain(*grid))
    asked_for = {name for plan in plans for name in plan.names}
    names = [name for name in properties or model.declared_properties if name in asked_for]
    table = _table([{n: setting[n] for n in varied} for setting in settings], names, plans, outcomes)
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


def _outcomes(
    job: "_Job", questions: Sequence["_Question"], spark: SparkSession | None, on_progress: Callable[[int, int], None]
) -> list[Outcome]:
    """What comes of each question: what is kept of it, or else what a job of Spark's makes of it."""
    job.records.clean()
    asked = {question.key: question for question in questions}
    kept = {key: job.records.read(question.identity) for key, question in asked.items()}
    waiting = {key: question for key, question in asked.items() if not _is_final(kept[key], job.budgets)}

    def report() -> None:
        for key, question in list(waiting.items()):
            record = job.records.read(question.identity)
            if record is not None and record.job == job.name:
                kept[key] = record
                del waiting[key]
        on_progress(sum(question.key not in waiting for question in questions), len(questions))

    why = ""
    if waiting:
        job.tasks.extend(waiting.values())
        why = _run(job, spark or spark_session(), report)
    report()
    final = [None if question.key in waiting else kept[question.key] for question in questions]
    return [failed(why) if record is None else record.outcome for record in final]


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
    settings: list[dict[str, Any]], names: Sequence[str], plans: list[_Plan], outcomes: list[Outcome]
) -> pd.DataFrame:
    taken = {*_MEASURES, *names}
    rows = []
    for setting, plan, outcome in zip(settings, plans, outcomes, strict=True):
        row = {name + "_" * (name in taken): value for name, value in setting.items()}
        for name in names:
            verdict = outcome.verdicts.get(name)
            row[name] = verdict.word if verdict else ERROR if name in plan.names else None
            row[f"{name}_states"] = verdict.states if verdict else None
        rows.append({**row, **{name: getattr(outcome, name) for name in _MEASURES}})
    counts = [f"{name}_states" for name in names] + ["distinct", "depth"]
    return pd.DataFrame(rows).astype(dict.fromkeys(counts, "Int64") | {"seconds": float, "complete": bool})


def _is_final(record: Record | None, budgets: Mapping[str, float | None]) -> bool:
    """Whether there is a result that another check with these budgets would not improve."""
    if record is None:
        return False
    return record.outcome.final or (record.outcome.error is None and record.budgets == budgets)


# Work ----------------------------------------------------------------------------------------------------------------


class _Question(NamedTuple):
    """One setting, and what is checked in it; under which key its result is kept."""

    key: str
    identity: Identity
    constants: Mapping[str, Any]
    plan: _Plan


def _question(model: Identity, setting: Mapping[str, Any], plan: _Plan) -> _Question:
    """That of a setting, given the identity of the model without any."""
    plain = json.loads(json.dumps(setting))
    identity = replace(model, constants=plain, properties=tuple(sorted(plan.names)), symmetry=plan.symmetry)
    return _Question(identity.key, identity, setting, plan)


@dataclass(frozen=True)
class _Job:
    """What a worker needs to carry out the tasks, by number."""

    model: type[Model]
    budgets: dict[str, Any]
    records: Records
    tasks: list[_Question] = field(default_factory=list)
    name: str = field(default_factory=lambda: secrets.token_hex(8))

    def run(self, number: int, attempt: int) -> None:
        """Carry out a task, unless an earlier attempt got as far as its result."""
        question = self.tasks[number]
        made = self.records.read(question.identity)
        if made is None or made.job != self.name:
            if attempt < _ATTEMPTS:
                outcome = self._check(question)
            else:
                outcome = failed(f"the worker died {attempt} times; it may need more memory than there is")
            self.records.write(Record(question.identity, self.name, self.budgets, outcome))

    def _check(self, question: _Question) -> Outcome:
        names, symmetry = question.plan.names, question.plan.symmetry
        try:
            checked = self.model(**question.constants)
            result = check(checked, names, symmetry=symmetry, engine="local", **self.budgets)
        except InputError as error:
            return failed(str(error), final=True)
        except ModelError as error:
            return failed(f"{type(error).__name__}: {error}", final=True)
        except Exception as error:  # whatever it is, it is the result of this setting and of no other
            return failed(f"{type(error).__name__}: {error}")
        return Outcome.of(result)


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
        return f"the worker left no result in {job.records.folder}; out must be a folder that all workers see"
    lines = str(failure).splitlines() or [type(failure).__name__]
    return lines[-1 if isinstance(failure, PythonException) else 0]  # the last line of a traceback of Python's
