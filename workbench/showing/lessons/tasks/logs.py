"""Exercises on real logs, and on stories."""

from workbench.checking.following.events import read_events
from workbench.checking.following.mapping import get_mapping
from workbench.checking.following.validate import validate
from workbench.kernel import machine_of
from workbench.registry import get_model
from workbench.registry.shipped import folder
from workbench.showing.lessons.exercise import NUMBER, STORY, Wrong, task
from workbench.showing.lessons.judging import story_trace


@task("08_real_logs", STORY, "Two conditions are enough: first `s.decision['w1']` is one thing, then another.")
def second_try(answer):
    """The second try.

    Here a living node may be taken for dead, and a writer that is told 409 may try again: `bakery_v2` with two
    writers, `MaxSuspicions` = 1 and `MaxRetries` = 1. Tell a story in which a writer is told 409 (`lk_409`), and has
    committed at the end.
    """
    trace = story_trace(get_model("bakery_v2")(Writers=2, MaxSuspicions=1, MaxRetries=1), answer)
    tried = [
        writer
        for writer, decision in trace.last.decision.items()
        if decision == "committed" and any(state.decision[writer] == "lk_409" for state in trace.states)
    ]
    if not tried:
        raise Wrong("At the end of the shortest such behaviour nobody has committed after a 409.")
    return f"After {len(trace)} states {tried[0]} has committed, at its second try."


@task("08_real_logs", NUMBER, "Later rows miss the one that is gone. Which row does no later one depend on?")
def unnoticed(answer):
    """What nobody misses.

    Not every loss is noticed. Which row of `bakery.jsonl` can be left out so that the model still accepts the log?
    Rows are counted from 0, as in `events[0]`.
    """
    events = read_events(folder("data") / "logs" / "bakery.jsonl")
    if not 0 <= answer < len(events):
        raise Wrong(f"The log has the rows 0 to {len(events) - 1}.")
    kept = get_mapping("coldfront").read([event for row, event in enumerate(events) if row != answer])
    model = machine_of(get_model(kept.model)(**kept.constants))
    if not validate(model, kept.record(model)).holds:
        raise Wrong(f"Without row {answer} the log is refused.")
    return "The model explains what is left: no later row needs this one."
