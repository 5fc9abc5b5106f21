"""Exercises on a model of one's own."""

from workbench.showing.lessons.exercise import MODEL, STORY, Wrong, task
from workbench.showing.lessons.judging import expect, story_trace
from workbench.showing.lessons.lossy_log import LossyLog

_KEPT = ("NothingLost", "NothingTwice", "EverybodyIsDone", "write_unanswered", "writer")


@task("06_your_own_model", STORY, "A writer that has heard nothing begins again. A line is a step, such as `read(w1)`.")
def told_twice(answer):
    """An entry that is there twice.

    `LossyLog` is the log with compare-and-swap, over a network that may lose an answer: `write_unanswered` appends
    the entry, and its writer does not know. Tell a story that ends with two entries of one writer in the log. Each
    line is a step or a condition; `workbench.scenario(LossyLog(), text)` tries a story out.
    """
    trace = story_trace(LossyLog(), answer)
    log = trace.last.log
    if len(set(log)) == len(log):
        raise Wrong(f"The story ends with the log {' '.join(log) or 'empty'}, in which nobody has two entries.")
    return f"After {len(trace)} states the log is {' '.join(log)}: nothing refuses the second attempt."


@task("06_your_own_model", MODEL, "A writer that begins again reads the log. What can it see there?")
def written_once(answer):
    """Written once.

    Repair it: write a subclass of `LossyLog` in which `NothingLost` and `NothingTwice` hold and `EverybodyIsDone` is
    reached, for two and for three writers. Answers still get lost: `write_unanswered` and the properties stay as they
    are.
    """
    if not issubclass(answer, LossyLog):
        raise Wrong(f"`{answer.__name__}` is no subclass of `LossyLog`.")
    for name in _KEPT:
        if getattr(answer, name) is not getattr(LossyLog, name):
            raise Wrong(f"`{name}` is redefined, and should stay as it is.")
    expected = {"NothingLost": "holds", "NothingTwice": "holds", "EverybodyIsDone": "reached"}
    expect(answer(Writers=2), expected)
    result = expect(answer(Writers=3), expected)
    if "write_unanswered" in result.never_taken:
        raise Wrong("`write_unanswered` can never be taken any more, so no answer gets lost.")
    return f"With three writers it holds in all {result.distinct:,} states."
