"""The entries to the distributed engine: from the initial states, a search in process, or a run directory."""

import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.checking.contract import Spark
from workbench.checking.local.search import LocalSearch
from workbench.checking.spark.cluster.executors import ready_session
from workbench.checking.spark.cluster.session import cores_of
from workbench.checking.spark.driver.engine import SparkSearch
from workbench.checking.spark.files.manifest import RUN, Run, RunManifest, last_whole_level
from workbench.checking.spark.files.messages import Task
from workbench.kernel import InputError, ModelError, Result
from workbench.kernel.meaning.budget import Budget, Limits, Watch
from workbench.kernel.meaning.conclusion import conclude
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.plan import Plan, key_in
from workbench.kernel.meaning.values import counted
from workbench.storage.folder import DamagedFolder, Folder, changing_folder, new_folder
from workbench.storage.identity import Identity
from workbench.storage.lock import writer_lock
from workbench.storage.places import Place, absolute

#: Buckets per core. More would even out the load, but every task costs about a tenth of a second.
BUCKETS_PER_CORE = 1
#: The prefix of temporary run directories, and how long one is kept if its search did not finish.
_TEMPORARY, _DAYS = "workbench-run-", 7


def search(plan: Plan, limits: Limits, engine: Spark) -> Result:
    """The engine ``spark``: carry out `plan` from the initial states."""
    with _new_search(plan, engine.session, engine.run_dir) as searching:
        searching.begin()
        return _finish(searching, limits, plan.fail_fast)


def go_on(plan: Plan, limits: Limits, engine: Spark, owned: list[LocalSearch]) -> Result:
    """Carry out `plan` from the last completed level of a search in this process.

    Args:
        owned: The search alone. It is removed once it is written, which frees its memory; if it cannot be written, it
            stays.
    """
    spark = ready_session(engine.session)
    note = f"moved from this process to Spark: {owned[0].stopped}"
    with _new_search(plan, spark, engine.run_dir, note) as searching:
        if owned[0].completed().levels:
            searching.take_over(owned[0], limits.seconds)
        else:
            searching.begin()
        owned.clear()
        return _finish(searching, limits, plan.fail_fast)


@interruptible()
def resume(
    run_dir: Place,
    model: ModelClass,
    *,
    spark: Any = None,
    budget: Budget = Budget(),
    fail_fast: bool = False,
    watch: Watch = Watch(),
    from_level: int | None = None,
) -> Result:
    """Resume a distributed search that was stopped or killed, from its last completed level.

    Args:
        run_dir: The run directory of the search.
        model: The model's class. It is not taken from the directory: nothing there is run.
        spark: A session; None starts a local one.
        budget, fail_fast, watch: As for :func:`workbench.check`; earlier states and seconds count too.
        from_level: A level to go back to, by the number in the names of its files. Those behind it are searched again;
            their files stay until the first of them has been.

    Raises:
        InputError: If the directory holds no search, a search of another model, or more states than the budget; if
            another process writes to it, or one of its files is damaged: with the last level to go back to.
    """
    with changing_folder(absolute(run_dir), RUN) as folder:
        if from_level is not None:
            _check_level(folder, from_level)
        task, run = _stored(folder, model, from_level)
        states = sum(run.done.sizes)
        limits = Limits(budget, watch, run.done.seconds)
        if budget.states is not None and states > budget.states:
            raise InputError(
                f"states = {budget.states} is not accepted; {str(run_dir)!r} has {counted(states, 'state')} already"
            )
        searching = SparkSearch(spark, folder, task, run.identity, run.done)
        if from_level is not None:
            searching.directory.go_back(from_level)
        return _finish(searching, limits, fail_fast)


def read_run(run_dir: Place, model: ModelClass, spark: Any = None) -> SparkSearch:
    """Open the search in a run directory for reading. It may still be running."""
    folder = Folder.open(absolute(run_dir), RUN)
    task, run = _stored(folder, model)
    return SparkSearch(spark, folder, task, run.identity, run.done)


def _check_level(folder: Folder, level: int) -> None:
    """Raise :class:`InputError` unless a search can be resumed from `level`."""
    last = len(Run.of(folder).done.levels) - 1
    if not 0 <= level <= last:
        raise InputError(f"from_level = {level} is not accepted; {folder} has the levels 0 to {last}")
    whole = last_whole_level(folder, level)
    if whole < level:
        raise InputError(f"from_level = {level} is not accepted; {_way_back(folder, whole)}")


def _way_back(folder: Folder, whole: int) -> str:
    """The level to go back to, and how."""
    if whole < 0:
        return "no level is whole: search again, in a new folder"
    return f"level {whole} is the last whole one: workbench check {shlex.quote(str(folder.path))} --from-level {whole}"


def _stored(folder: Folder, model: ModelClass, level: int | None = None) -> tuple[Task, Run]:
    """The task and the run in a run directory, as it was at a `level`; refused unless they belong to `model`."""
    run = Run.of(folder, level)
    made_by = run.identity
    rebuilt = made_by.rebuild(model, str(folder))
    key = key_in(run.fingerprint_key, f"fingerprint_key of {folder}")
    return Task(rebuilt, made_by.properties, made_by.symmetry, made_by.bits, key, run.buckets, run.notes), run


def _finish(searching: SparkSearch, limits: Limits, fail_fast: bool) -> Result:
    """The result. If the search is unfinished, the result or the error says how to resume it."""
    path = searching.directory.folder.path
    way_on = f"what was found is kept: workbench check {shlex.quote(str(path))}"
    try:
        searching.run(limits, fail_fast)
        result = conclude(searching.plan(fail_fast), searching.exploration(), limits)
    except ModelError:  # a faulty model will change, and then its search cannot be resumed
        searching.unfinished = False
        raise
    except DamagedFolder as error:
        searching.unfinished = bool(searching.manifest.levels)
        folder = Folder.open(path, RUN)  # a new one, without contents read before the damage
        raise InputError(f"{error}; {_way_back(folder, last_whole_level(folder))}") from error
    except BaseException as error:
        searching.unfinished = bool(searching.manifest.levels)
        if searching.unfinished and str(path) not in str(error):
            if isinstance(error, InputError):
                raise InputError(f"{error}; {way_on}") from error
            error.add_note(way_on)
        raise
    if searching.unfinished and searching.manifest.levels and Path(str(path)).name.startswith(_TEMPORARY):
        return replace(result, notes=[*result.notes, f"{way_on} (for {_DAYS} days)"])
    return result


@contextmanager
def _new_search(plan: Plan, spark: Any, run_dir: Place | None, *notes: str) -> Iterator[SparkSearch]:
    """A search in a new run directory, or in a temporary one."""
    names = tuple(p.name for p in plan.properties)
    buckets = BUCKETS_PER_CORE * cores_of(spark)
    task = Task(plan.model, names, plan.symmetry, plan.bits, plan.key, buckets, (*plan.notes, *notes))
    try:
        identity = Identity.of(plan.model, names, plan.symmetry, plan.bits)
    except ModelError as error:  # it could be searched in process
        raise InputError(str(error)) from None
    path = _temporary_folder() if run_dir is None else absolute(run_dir)
    searching = None
    try:
        with new_folder(path, RUN) as folder:
            searching = SparkSearch(spark, folder, task, identity, RunManifest())
            yield searching
    finally:
        if run_dir is None and not (searching and searching.unfinished and searching.manifest.levels):
            shutil.rmtree(path, ignore_errors=True)


def _temporary_folder() -> Path:
    """A new temporary run directory; removes those of searches that ended long ago."""
    for old in Path(tempfile.gettempdir()).glob(f"{_TEMPORARY}*"):
        with suppress(OSError, InputError):  # in use, or just removed
            there = old.lstat()
            if there.st_uid == os.getuid() and time.time() - there.st_mtime > _DAYS * 24 * 3600:
                with writer_lock(old, RUN.name):
                    shutil.rmtree(old)
    return Path(tempfile.mkdtemp(prefix=_TEMPORARY))
