"""The engine ``auto``: begins in this process, and moves to Spark when that gets too small."""

from workbench.engines.contract import Resources, Room
from workbench.engines.local import LocalSearch, load
from workbench.kernel import InputError, Result
from workbench.kernel.budget import Limits
from workbench.kernel.conclusion import conclude
from workbench.kernel.memory import most_memory
from workbench.kernel.plan import Plan


def search(plan: Plan, limits: Limits, resources: Resources) -> Result:
    """Carry out `plan` in this process, or from some level on, where it outgrows that, on Spark."""
    states, most_bytes = resources.room
    if states == 0:
        from workbench.engines.spark.entry import search as search_on_spark  # pyspark loads here

        return search_on_spark(plan, limits, resources)
    if most_bytes is None:
        most_bytes = most_memory()
    load()
    limits.restart()
    searching = LocalSearch(plan)
    searching.run(limits, Room(states, most_bytes))
    if not searching.full:
        return conclude(plan, searching.exploration(), limits)

    from workbench.engines.spark.entry import go_on

    owned = [searching]  # what goes on from it takes it out of here, so that its memory is free
    del searching
    try:
        return go_on(plan, limits, resources, owned)
    except InputError as error:
        if not owned:
            raise
        owned[0].stopped = f"{owned[0].stopped}, and it cannot move to Spark: {error}"
        return conclude(plan, owned[0].exploration(), limits)
