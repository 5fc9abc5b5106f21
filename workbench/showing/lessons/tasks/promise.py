"""Exercises on one promise for all protocols."""

from workbench.registry import get_model
from workbench.showing.lessons.exercise import CONSTANTS, MODEL, Wrong, task
from workbench.showing.lessons.judging import expect


@task("09_one_promise", CONSTANTS, "Which configuration of notebook 03 breaks a promise about files, and reads right?")
def nobody_notices(answer):
    """Nobody notices.

    A broken invariant need not break the promise. Find constants for `paimon` under which `NoDanglingDeletionVectors`
    is violated and `OneTable` holds: the fault is there, and readers who merge what they read cannot tell.
    """
    model = get_model("paimon")(**answer)
    result = expect(model, {"NoDanglingDeletionVectors": "violated", "OneTable": "holds"})
    return f"In all {result.distinct:,} states readers who merge get what was acknowledged."


@task("09_one_promise", MODEL, "Begin with `self.as_table(s)`, and take its `rows` from `s.slices` instead.")
def early_reader(answer):
    """A reader who is too early.

    Write a mapping that is wrong: a subclass of `Hudi` that redefines `OneTable` and nothing else, so that rows count
    as readable as soon as their slice is written. The check must find that `write_file_slice` is no step of the
    table.
    """
    hudi = get_model("hudi")
    if not issubclass(answer, hudi):
        raise Wrong(f"`{answer.__name__}` is no subclass of `Hudi`.")
    classes = answer.__mro__[: answer.__mro__.index(hudi)]
    others = {name for base in classes for name in vars(base) if not name.startswith("_")}
    others -= {"OneTable", "name", "declared"}
    if others:
        raise Wrong(f"`{answer.__name__}` also redefines {', '.join(sorted(others))}.")
    verdict = expect(answer(Values=1), {"OneTable": "violated"})["OneTable"]
    assert verdict.trace is not None
    last = verdict.trace.steps[-1]
    if last.instance is None or last.instance.action.name != "write_file_slice":
        raise Wrong(f"The step that is refused is `{last.label}`, and not `write_file_slice`.")
    return f"{verdict.why}."
