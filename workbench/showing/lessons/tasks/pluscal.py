"""Exercises on an algorithm in PlusCal."""

import re

from workbench.showing.lessons.exercise import STORY, TEXT, Wrong, task
from workbench.showing.lessons.judging import expect, story_trace
from workbench.showing.lessons.lock_in_pluscal import CONFIGURATION, IN_TWO_STEPS, MODULE
from workbench.tlaplus.machine.specification import module_of_text


@task("11_pluscal", STORY, "Who tests the lock before it is set? A line is a step: `test(w1)`.")
def commit_lost(answer):
    """A commit is lost.

    Tell a story of this algorithm after which both writers have committed, and the table has one version. Each line is
    a step or a condition.
    """
    last = story_trace(module_of_text(MODULE, CONFIGURATION)(), answer).last
    if (last.commits, last.version) != (2, 1):
        raise Wrong(f"The story ends with {last.commits} commits, and version {last.version}.")
    return "Two commits, and one version: a commit is lost."


@task(
    "11_pluscal", TEXT, "A step goes from its label to the next one. In it, `if (lock) { goto take }` comes back to it."
)
def no_await(answer):
    """Without await.

    Most machines cannot wait for a condition, but test and set in one step. Write the steps that take the lock anew, as
    a text, without `await` or `when`, so that both properties hold, for two and for three writers.
    """
    if re.search(r"\b(await|when)\b", answer):
        raise Wrong("The task asks for steps without `await` and `when`.")
    module = module_of_text(MODULE.replace(IN_TWO_STEPS, answer), CONFIGURATION)
    expected = dict.fromkeys(("NothingLost", "Termination"), "holds")
    expect(module(), expected)
    return f"With three writers it holds in all {expect(module(Writers=3), expected).distinct:,} states."
