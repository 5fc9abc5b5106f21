"""The engine ``auto``: begins in this process, and moves to Spark when that gets too small.

It is the in-process engine, whose kernels Python interprets in a small space: what has to be loaded for more takes
longer than that, and comes to the same. In a larger one it begins again, with compiled kernels.
"""

from contextlib import suppress
from dataclasses import replace

from workbench.engines.compiled import TooMuch, interpreting
from workbench.engines.contract import Resources, Room
from workbench.engines.local import LocalSearch, load, loaded
from workbench.engines.memory import most_memory
from workbench.kernel import InputError, Result
from workbench.kernel.budget import Limits, Stop
from workbench.kernel.conclusion import conclude
from workbench.kernel.errors import brief
from workbench.kernel.plan import Plan


def search(plan: Plan, limits: Limits, resources: Resources) -> Result:
    """Carry out `plan` in this process, or from some level on, where it outgrows that, on Spark."""
    states, most_bytes = resources.room
    if states == 0:
        from workbench.engines.spark.entry import search as search_on_spark  # pyspark loads here

        return search_on_spark(plan, limits, resources)
    room = Room(states, most_memory() if most_bytes is None else most_bytes)
    found: Result | LocalSearch | None = None
    if not loaded() and limits.budget.seconds is None:  # within so many seconds more is found with compiled kernels
        with suppress(TooMuch), interpreting():
            found = _search(plan, limits, room, workers=1)
    if not isinstance(found, Result):
        load()
    if found is None:
        limits.restart()
        found = _search(plan, limits, room, resources.threads)
    if isinstance(found, Result):
        return found if resources.run_dir is None else replace(found, notes=[*found.notes, _not_kept(resources)])

    from workbench.engines.spark.entry import go_on

    owned = [found]  # what goes on from it takes it out of here, so that its memory is free
    del found
    try:
        return go_on(plan, limits, resources, owned)
    except (InputError, Stop) as error:
        if not owned:
            raise
        owned[0].stopped = f"{owned[0].stopped}, and it cannot move to Spark: {error}"
        return conclude(plan, owned[0].exploration(), limits)


def _not_kept(resources: Resources) -> str:
    return f"nothing is kept in {brief(str(resources.run_dir))}: the search did not leave this process for Spark"


def _search(plan: Plan, limits: Limits, room: Room, workers: int) -> Result | LocalSearch:
    """The result; or the search, where it has used up its `room`."""
    searching = LocalSearch(plan, workers=workers)
    searching.run(limits, room)
    return searching if searching.full else conclude(plan, searching.exploration(), limits)
