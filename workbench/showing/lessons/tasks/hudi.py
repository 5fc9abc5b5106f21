"""Exercises on Hudi."""

from workbench.registry import get_model
from workbench.showing.lessons.exercise import CONSTANTS, task
from workbench.showing.lessons.judging import expect, with_constants

_SMALL = {"Writers": 2, "Keys": 2, "Values": 1, "OpLimit": 2}


@task("02_hudi", CONSTANTS, "A duplicate needs two places to be in. How many are there?")
def one_group(answer):
    """One file group.

    `PrimaryKeyConflictCheck` stays off. Find constants for `hudi`, with two writers, two keys and two operations,
    under which no key is ever in two files: `NoDuplicateKeysAcrossFiles` and `ConsistentRead` hold.
    """
    model = with_constants(get_model("hudi"), answer, {**_SMALL, "PrimaryKeyConflictCheck": False})
    result = expect(model, {"NoDuplicateKeysAcrossFiles": "holds", "ConsistentRead": "holds"})
    return f"It holds in all {result.distinct:,} states, without any check."


@task("02_hudi", CONSTANTS, "The locks protect slices, but not the timeline. What else keeps two names apart?")
def locked_collision(answer):
    """A collision in spite of locks.

    With pessimistic locks (`ConcurrencyControl` = 2) no slice is overwritten. Reads still go wrong where timestamps
    collide (`MonotonicTs` off, two file groups). Find one more constant under which `ConsistentRead` holds.
    """
    fixed = {**_SMALL, "FileGroupCount": 2, "ConcurrencyControl": 2, "MonotonicTs": False}
    result = expect(with_constants(get_model("hudi"), answer, fixed), {"ConsistentRead": "holds"})
    return f"All {result.distinct:,} states read right: two operations with one timestamp no longer share an instant."


@task(
    "02_hudi", CONSTANTS, "A writer may fail while it holds a lock. Two constants matter: when it fails, and what then."
)
def lock_that_stays(answer):
    """The lock that stays.

    Find constants for `hudi`, with two writers, two keys and two operations, under which a writer waits for ever
    (`EventuallyWriterTerminates` is violated) although everything that is read is right (`ConsistentRead` holds).
    """
    model = with_constants(get_model("hudi"), answer, _SMALL)
    expected = {"ConsistentRead": "holds", "EventuallyWriterTerminates": "violated"}
    return f"{expect(model, expected)['EventuallyWriterTerminates'].why}."
