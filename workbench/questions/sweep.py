"""Sweeps: one check per setting of a model's constants, each a Spark task, and a table of the outcomes."""

import json
import math
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.engines.shipping import receive, ship
from workbench.engines.spark.dataflow import Outgoing, on_spark
from workbench.engines.spark.executors import ready_session
from workbench.kernel import Model
from workbench.kernel.budget import INTERRUPTED, Budget, Stop, interrupted, interruptible
from workbench.kernel.given import names_in, plain
from workbench.questions.progress import line_in_notebook
from workbench.questions.records import Record, Records, SettingOutcome, failed
from workbench.questions.settings import (
    Grid,
    SettingPlan,
    check_setting,
    plans_of,
    settings_of,
    settings_table,
    varied_in,
)
from workbench.storage.identity import Identity
from workbench.storage.lock import writer_lock

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import SparkSession

_ATTEMPTS = 2  # at a setting on which the worker dies


@interruptible()
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
    spark: "SparkSession | None" = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> "pd.DataFrame":
    """Check `model` under many settings of its constants, in parallel on Spark.

    Args:
        model: The class, which may be defined in a notebook's cell.
        grid: Values for some constants, to check in all combinations; or the settings themselves.
        properties: Names of properties; by default those that the model checks by default. Settings in which a property
            does not apply have no verdict on it.
        constants: Constants that are the same in all settings.
        symmetry: As for :func:`workbench.check`.
        max_states, max_seconds, max_bytes: Budgets of each check.
        out: A folder for the results, one file each, written when a check is done; all Spark workers must see it, and
            one sweep at a time writes to it. An existing result is reused, unless other budgets cut it short, or it
            failed for a reason beyond the model and its constants; then a new one replaces it. By default a temporary
            folder.
        spark: By default the session of :func:`workbench.spark_session`.
        on_progress: Called with the number of finished settings and of all; by default a notebook shows them.

    Returns:
        One row per setting: its constants; for each property the verdict (a word; "error" if the check failed) and in
            column ``<property>_states`` the number of states in a shortest trace; then ``distinct``, ``depth``,
            ``seconds``, ``complete``, ``stopped`` (why it is incomplete) and ``error``. After an interrupt (Ctrl-C)
            unfinished settings are errors too. ``attrs`` holds the names of the properties, the symmetric sets, notes
            on how the checks were done, and the words for choices.

    Raises:
        InputError: For names or values that are not accepted, for a damaged result in `out`, and while another sweep
            writes there. Values that do not go together are an error of their setting.
    """
    settings = settings_of(model, grid, constants or {})
    budgets = Budget(max_states, max_seconds, max_bytes).options
    properties = None if properties is None else names_in("properties", properties)
    plans = plans_of(model, settings, properties, symmetry)
    outcomes = carry_out(model, settings, plans, budgets, out=out, spark=spark, on_progress=on_progress)
    return settings_table(model, varied_in(grid), settings, properties, plans, outcomes).frame()


def carry_out(
    model: type[Model],
    settings: Sequence[Mapping[str, Any]],
    plans: Sequence[SettingPlan],
    budgets: Mapping[str, Any],
    *,
    out: str | Path | None = None,
    spark: "SparkSession | None" = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[SettingOutcome]:
    """The outcome of each setting's check; parameters as for :func:`sweep`."""
    made_by = Identity.of_class(model, {}, ())
    questions = [_question(made_by, *it) for it in zip(settings, plans, strict=True)]
    finite = {name: None if most == math.inf else most for name, most in budgets.items()}
    temporary = tempfile.TemporaryDirectory() if out is None else nullcontext(str(out))
    with temporary as folder, writer_lock(folder, "sweep folder"):
        job = _SweepJob(model, finite, Records(Path(folder).absolute()))
        return _outcomes(job, questions, spark, on_progress or line_in_notebook("settings checked"))


def _outcomes(
    job: "_SweepJob",
    questions: Sequence["_Question"],
    spark: "SparkSession | None",
    on_progress: Callable[[int, int], None],
) -> list[SettingOutcome]:
    """The outcome of each question: the stored one, or else that of a Spark task."""
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

    def watch() -> None:
        report()
        if interrupted():
            raise Stop(INTERRUPTED)

    why = ""
    if waiting:
        job.tasks.extend(waiting.values())
        why = _run(job, ready_session(spark), watch)
    report()
    final = [None if question.key in waiting else kept[question.key] for question in questions]
    return [failed(why) if record is None else record.outcome for record in final]


def _is_final(record: Record | None, budgets: Mapping[str, float | None]) -> bool:
    """Whether a result exists that another check with these budgets would not improve."""
    if record is None:
        return False
    return record.outcome.final or (record.outcome.error is None and record.budgets == budgets)


# Work ----------------------------------------------------------------------------------------------------------------


class _Question(NamedTuple):
    """One setting, its plan, and the key of its result."""

    key: str
    identity: Identity
    constants: Mapping[str, Any]
    plan: SettingPlan


def _question(model: Identity, setting: Mapping[str, Any], plan: SettingPlan) -> _Question:
    """The question for a setting, given the identity of the model without constants."""
    constants = json.loads(json.dumps(setting, default=plain))
    identity = replace(model, constants=constants, properties=tuple(sorted(plan.names)), symmetry=plan.symmetry)
    return _Question(identity.key, identity, setting, plan)


@dataclass(frozen=True)
class _SweepJob:
    """A worker's input: the tasks, by number."""

    model: type[Model]
    budgets: dict[str, Any]
    records: Records
    tasks: list[_Question] = field(default_factory=list)
    name: str = field(default_factory=lambda: secrets.token_hex(8))

    def run(self, number: int, attempt: int) -> None:
        """Carry out a task, unless an earlier attempt has written its result."""
        question = self.tasks[number]
        made = self.records.read(question.identity)
        if made is None or made.job != self.name:
            if attempt < _ATTEMPTS:
                outcome = self._check(question)
            else:
                outcome = failed(f"the worker died {attempt} times; it may need more memory than there is")
            self.records.write(Record(question.identity, self.name, self.budgets, outcome))

    def _check(self, question: _Question) -> SettingOutcome:
        return check_setting(self.model, question.constants, question.plan, {**self.budgets, "workers": 1})[0]


def _carry_out(shipped: bytes, number: int) -> Outgoing:
    from pyspark import TaskContext

    job, context = receive(shipped), TaskContext.get()
    assert context is not None, "workers carry out tasks"
    job.run(number, context.attemptNumber())
    return ()


def _run(job: _SweepJob, spark: "SparkSession", watch: Callable[[], None]) -> str:
    """Carry out all tasks; returns why results may be missing."""
    from pyspark.errors import PythonException

    failure: Exception | None = None
    try:
        work, carry_out = range(len(job.tasks)), partial(_carry_out, ship(job, job.model.name))
        on_spark(spark, watch, lambda error: error, work, carry_out)
    except Stop as stop:
        return str(stop)
    except Exception as error:  # finished results are kept in any case
        failure = error
    if failure is None:
        return f"the worker left no result in {job.records.folder}; out must be a folder that all workers see"
    lines = str(failure).splitlines() or [type(failure).__name__]
    return lines[-1 if isinstance(failure, PythonException) else 0]  # a Python traceback ends with the error
