"""Exercises on a module of TLA+."""

from workbench.showing.lessons.exercise import STORY, TEXT, Wrong, task
from workbench.showing.lessons.judging import expect, story_trace
from workbench.showing.lessons.locked_table import CONFIGURATION, TABLE, WITHOUT_A_LOCK
from workbench.tlaplus.machine.specification import module_of_text


@task("10_published", STORY, "Which file is overwritten, and when must it be read? A line is a step: `Look(w1)`.")
def read_and_gone(answer):
    """Read, and gone.

    Tell a story of this module that ends with the reader holding data that no later read can return: `WhatWasReadStays`
    is false. Each line is a step or a condition.
    """
    last = story_trace(module_of_text(TABLE, CONFIGURATION)(), answer).last
    (seen,) = last.seen.values()
    if last.log[: len(seen)] == seen:
        raise Wrong("The story ends in a state in which all that was read is still there.")
    return f"The reader has read {', '.join(seen)} where the log now has {', '.join(last.log)}."


@task(
    "10_published",
    TEXT,
    "`lock` is a set: that of the writers that have it. At most one may, from its look to its put.",
)
def one_at_a_time(answer):
    """One at a time.

    A store without put-if-absent needs a lock. Write the definitions `Take(w)` and `Give(w)` anew, as a text, so that
    all three properties hold, for two and for three writers.
    """
    module = module_of_text(TABLE.replace(WITHOUT_A_LOCK, answer), CONFIGURATION)
    expected = dict.fromkeys(("NothingLost", "WhatWasReadStays", "EachCommits"), "holds")
    expect(module(), expected)
    return f"With three writers it holds in all {expect(module(Writers=3), expected).distinct:,} states."
