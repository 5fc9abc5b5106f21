"""Exercises on many settings at once."""

from itertools import product

from workbench.checking.check import check
from workbench.registry import get_model
from workbench.showing.lessons.exercise import CONSTANTS, FUNCTION, Wrong, task
from workbench.showing.lessons.judging import expect, one_change

_PROTECTIONS = ("PUT_IF_ABSENT", "USE_LOCK", "ONE_WRITER_PER_BUCKET", "AsPublished")


@task("04_what_if", FUNCTION, "Sweep over the four switches. What does `AsPublished` do to the lock?")
def rule(answer):
    """A rule for sixteen settings.

    What do Paimon's commits need if the lock may also be the published one (`AsPublished`)? Write a function of
    `PUT_IF_ABSENT`, `USE_LOCK`, `ONE_WRITER_PER_BUCKET` and `AsPublished` that says whether `ConsistentRead` holds,
    with `MAX_COMPACTIONS` = 1. It is called with names, as in `answer(PUT_IF_ABSENT=True, ...)`, for all sixteen
    settings.
    """
    for values in product([True, False], repeat=len(_PROTECTIONS)):
        setting = dict(zip(_PROTECTIONS, values, strict=True))
        try:
            foretold = bool(answer(**setting))
        except Exception as error:
            raise Wrong(f"Your function raised {type(error).__name__}: {error}.") from error
        word = check(get_model("paimon")(MAX_COMPACTIONS=1, **setting), ["ConsistentRead"])["ConsistentRead"].word
        if foretold != (word == "holds"):
            raise Wrong(f"For {setting} your function says {foretold}, and the verdict is: {word}.")
    return "Your function and the checker agree on all sixteen settings."


@task("04_what_if", CONSTANTS, "`flips(Hudi(**small), safety)` tries every single change.")
def one_change_breaks(answer):
    """One change breaks it.

    Begin with the good setting `Hudi(**small)`, and change one constant so that `NoDuplicateKeysAcrossFiles` is
    violated while reads stay right: `ConsistentRead` holds. Give that constant alone.
    """
    small = get_model("hudi")(Writers=2, Keys=2, Values=1, FileGroupCount=2, OpLimit=2)
    result = expect(one_change(small, answer), {"NoDuplicateKeysAcrossFiles": "violated", "ConsistentRead": "holds"})
    return f"{result['NoDuplicateKeysAcrossFiles'].why}."
