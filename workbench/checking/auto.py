"""The engine ``auto``: starts in this process, and moves to Spark when the search outgrows it.

It first interprets the kernels of the in-process engine: a small space is done before Numba is even loaded. A larger
space starts again with compiled kernels.
"""

from dataclasses import replace

from workbench.checking.contract import Auto, Room, Spark
from workbench.checking.kernels.compiling_beside import at_once, search_at_once
from workbench.checking.local.memory import most_memory
from workbench.checking.local.search import LocalSearch, kernels_loaded, load_kernels
from workbench.kernel import InputError, Result
from workbench.kernel.meaning.budget import Limits, Stop
from workbench.kernel.meaning.conclusion import conclude
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.plan import Plan


def search(plan: Plan, limits: Limits, engine: Auto) -> Result:
    """Carry out `plan` in this process, and on Spark from the level where it outgrows the process."""
    spark, most_bytes = Spark(engine.session, engine.run_dir), engine.hand_over_bytes
    if engine.hand_over_states == 0:
        from workbench.checking.spark.driver.entry import search as search_on_spark  # pyspark loads here

        return search_on_spark(plan, limits, spark)
    room = Room(engine.hand_over_states, most_memory() if most_bytes is None else most_bytes)

    def searched() -> Result | LocalSearch:
        """The result; or the search itself, if it has used up its room."""
        searching = LocalSearch(plan, workers=engine.threads)
        searching.run(limits, room)
        return searching if searching.full else conclude(plan, searching.exploration(), limits)

    outcome = search_at_once(searched, load_kernels, limits, small=not kernels_loaded())
    if isinstance(outcome, Result):
        return outcome if spark.run_dir is None else replace(outcome, notes=[*outcome.notes, _not_kept(spark)])

    owned = [outcome]  # go_on() empties the list, which frees the search's memory
    del outcome
    try:
        load_kernels()
        from workbench.checking.spark.driver.entry import go_on

        return go_on(plan, limits, spark, owned)
    except (InputError, Stop) as error:
        if not owned:
            raise
        owned[0].stopped = f"{owned[0].stopped}, and it cannot move to Spark: {error}"
        return at_once(lambda: conclude(plan, owned[0].exploration(), limits))


def _not_kept(spark: Spark) -> str:
    return f"nothing is kept in {brief(str(spark.run_dir))}: the search did not leave this process for Spark"
