"""Exercises on the bakery."""

from workbench.registry import get_model
from workbench.showing.lessons.exercise import CONSTANTS, task
from workbench.showing.lessons.judging import expect, with_constants


@task("01_bakery", CONSTANTS, "The ack is lost between the applier's two steps. What if it took only one?")
def one_step(answer):
    """In one step.

    `SafeAcks` stays off, and nobody crashes. Find constants for `bakery_v2` with two writers under which no ack is
    lost: `EventualProgress` holds, and so does `NoLakekeeperConflict`.
    """
    model = with_constants(get_model("bakery_v2"), answer, {"Writers": 2, "SafeAcks": False, "MaxCrashes": 0})
    result = expect(model, {"NoLakekeeperConflict": "holds", "EventualProgress": "holds", "EveryoneCommits": "reached"})
    return f"In all {result.distinct:,} states nothing comes between looking at the queue and answering."


@task("01_bakery", CONSTANTS, "What does a node forget while it is down? It takes two constants.")
def been_away(answer):
    """Back after a while.

    Raised clocks keep tickets safe as long as nobody is away. Find constants for `bakery_v2` with two writers,
    `MaxSkew` = 1 and `RaiseClocks` on, under which `NoLakekeeperConflict` is violated again. Nobody is taken for dead
    by mistake (`MaxSuspicions` stays 0), and files are written late (`AsyncParquet` stays off).
    """
    fixed = {"Writers": 2, "MaxSkew": 1, "RaiseClocks": True, "MaxSuspicions": 0, "AsyncParquet": False}
    model = with_constants(get_model("bakery_v2"), answer, fixed)
    conflict = expect(model, {"NoLakekeeperConflict": "violated"})["NoLakekeeperConflict"]
    return f"{conflict.why}. A node that comes back has forgotten which tickets it had seen."
