"""Small searches in run directories: all their levels are narrow ones, which take no Spark."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.checking.contract import Room
from workbench.checking.local.search import LocalSearch
from workbench.checking.spark.driver.engine import SparkSearch
from workbench.checking.spark.driver.handover import write_search
from workbench.checking.spark.files.manifest import RUN, RunManifest
from workbench.checking.spark.files.messages import Task
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.plan import Fingerprints, make_plan
from workbench.storage.folder import new_folder
from workbench.storage.identity import Identity


def search_here(
    path: Path,
    model: AnyModel,
    names: Sequence[str] | None = None,
    hand_over: int | None = None,
    part_states: int = 1 << 20,
    bits: int = 64,
    spark: Any = None,
) -> SparkSearch:
    """A complete search, which has gone on from one in process of more than `hand_over` states, if that is given."""
    plan = make_plan(model, names, fingerprints=Fingerprints(bits=bits))
    asked = tuple(p.name for p in plan.properties)
    task, identity = Task(plan.model, asked, (), bits, plan.key, 2), Identity.of(plan.model, asked, (), bits)
    with new_folder(path, RUN) as folder:
        search = SparkSearch(spark, folder, task, identity, RunManifest())
        search.part_states = part_states
        local = LocalSearch(plan)
        if hand_over is not None:
            local.run(Limits(), Room(hand_over))
        if local.full:
            search.manifest = search.counted = write_search(search.directory, task, local, 0.0)
        search.begin()
        search.run(Limits())
    return search
