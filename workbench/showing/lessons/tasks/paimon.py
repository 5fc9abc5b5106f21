"""Exercises on Paimon."""

from workbench.registry import get_model
from workbench.registry.configurations import configuration
from workbench.showing.lessons.exercise import CONSTANTS, STORY, Wrong, task
from workbench.showing.lessons.judging import expect, one_change, story_trace


@task("03_paimon", CONSTANTS, "A vector strikes out the old row of a key. Which operations leave an old row behind?")
def nothing_to_strike(answer):
    """Nothing to strike out.

    In the configuration `dangling` two compactors break both promises about deletion vectors. Change one constant,
    other than `NUM_COMPACTORS`, so that both hold: `NoDanglingDeletionVectors` and `OneValidRowPerKeyAboveLevel0`.
    Give that constant alone.
    """
    dangling = configuration("dangling").model
    if "NUM_COMPACTORS" in answer:
        raise Wrong("`NUM_COMPACTORS` stays as it is.")
    model = one_change(dangling, answer)
    result = expect(model, {"NoDanglingDeletionVectors": "holds", "OneValidRowPerKeyAboveLevel0": "holds"})
    return f"In none of the {result.distinct:,} states is there an old row to strike out."


@task("03_paimon", STORY, "A line is a step, such as `commit(w0)`, or a condition, such as `s.prepared['w0'] == 1`.")
def refused(answer):
    """The commit that is refused.

    Put-if-absent protects the commit. Show how: tell a story for `paimon` with its default constants in which both
    writers prepare the same snapshot number. One commits, and the last step is the other's commit, which is refused.
    `workbench.scenario(Paimon(), text)` tries a story out.
    """
    trace = story_trace(get_model("paimon")(), answer)
    before, after = trace.states[-2:] if len(trace) > 1 else (trace.last, trace.last)
    last = trace.steps[-1]
    if last.instance is None or last.instance.action.name != "commit" or after.latest != before.latest:
        raise Wrong(f"The last step is `{last.label}`, and that is no commit that is refused.")
    (writer,) = last.instance.arguments
    return f"After {len(trace)} states {writer} finds snapshot {before.prepared[writer]} there, and begins again."
