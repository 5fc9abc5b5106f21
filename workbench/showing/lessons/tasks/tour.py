"""Exercises of the tour."""

from workbench.registry import get_model
from workbench.showing.lessons.exercise import CONSTANTS, task
from workbench.showing.lessons.judging import expect, with_constants


@task("00_tour", CONSTANTS, "What may happen to a writer, besides the steps of the protocol?")
def nobody_is_at_fault(answer):
    """Nobody is at fault.

    Find constants for `bakery_v2` with two writers under which `EventualProgress` is violated although every commit
    is right: `NoLakekeeperConflict` and `TicketOrderPreserved` hold. `SafeAcks` stays on.
    """
    model = with_constants(get_model("bakery_v2"), answer, {"Writers": 2, "SafeAcks": True})
    safe = {"NoLakekeeperConflict": "holds", "TicketOrderPreserved": "holds"}
    expect(model, {**safe, "EventualProgress": "violated"})
    return "A writer that has crashed never decides, and no protocol can help that."


@task("00_tour", CONSTANTS, "Tickets are times, and acks travel over a network. Either can go wrong.")
def another_race(answer):
    """Another race.

    Writing files early is not the only cause of a 409. Find constants for `bakery_v2` with two writers under which
    `NoLakekeeperConflict` is violated while `AsyncParquet` stays off.
    """
    model = with_constants(get_model("bakery_v2"), answer, {"Writers": 2, "AsyncParquet": False})
    conflict = expect(model, {"NoLakekeeperConflict": "violated"})["NoLakekeeperConflict"]
    return f"{conflict.why}. A shortest way there has {conflict.trace_states} states; the next notebook tells it."
