"""A search in a run directory whose levels are made in this process, by the functions that Spark's tasks call."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.engines.contract import Room
from workbench.engines.local import LocalSearch
from workbench.engines.spark.engine import SparkSearch
from workbench.engines.spark.handover import write_search
from workbench.engines.spark.manifest import RUN, Manifest
from workbench.engines.spark.messages import Task
from workbench.engines.spark.worker import NextLevel
from workbench.kernel import Model
from workbench.kernel.budget import Limits
from workbench.kernel.plan import make_plan
from workbench.storage.folder import new_folder
from workbench.storage.identity import Identity


class SearchHere(SparkSearch):
    """A search whose levels take no Spark."""

    def _next_level(self, limits: Limits) -> list[Any]:
        here, number = self._worker_here(), len(self.manifest.levels)
        decided = frozenset(self.manifest.decided)
        messages: dict[int, list[Any]] = {}
        for work in self._divide(self.manifest.levels[-1].files):
            for bucket, message in here.expand(work, number - 1, decided):
                messages.setdefault(bucket, []).append(message)
        visited = {bucket: self.manifest.files_of(bucket) for bucket in range(self.task.buckets)}
        level = NextLevel(number, visited, decided)
        return [here.admit(bucket, iter(sent), level) for bucket, sent in messages.items()]


def search_here(
    path: Path,
    model: Model,
    names: Sequence[str] | None = None,
    hand_over: int | None = None,
    part_states: int = 1 << 20,
    bits: int = 64,
    spark: Any = None,
) -> SearchHere:
    """A complete search, which has gone on from one in process of more than `hand_over` states, if that is given."""
    plan = make_plan(model, names, bits=bits)
    asked = tuple(p.name for p in plan.properties)
    task, identity = Task(model, asked, (), bits, 2), Identity.of(model, asked, (), bits)
    with new_folder(path, RUN) as folder:
        search = SearchHere(spark, folder, task, identity, Manifest())
        search.part_states = part_states
        local = LocalSearch(plan)
        if hand_over is not None:
            local.run(Limits(), Room(hand_over))
        if local.full:
            search.manifest = search.counted = write_search(search.directory, task, local, 0.0)
        search.begin()
        search.run(Limits())
    return search
