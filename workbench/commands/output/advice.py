"""What to do next about a violation: see it, play with it, repair it."""

import shlex
from collections.abc import Sequence

from workbench.checking.check import check
from workbench.checking.questions.whatif import Attempt, flips
from workbench.commands.output.outputs import Output
from workbench.kernel import Result
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.constants import as_arguments
from workbench.registry.configurations import neighbours
from workbench.registry.programs import lacks_compiled

_MOST_TOLD = 3


def advice(
    target: str, assignments: Sequence[str], written: Sequence[Output], result: Result, repair: str
) -> list[str]:
    """Lines on the first violation of a model, with the commands to type.

    Args:
        target, assignments: The model's name, and its ``--set`` texts, as they were typed.
        written: The files that were asked for.
        repair: As :func:`repair_of` has it.
    """
    shown = result.shown
    if shown is None or shown.holds is not False:
        return []
    lines = []
    if not written:
        options = [*(word for text in assignments for word in ("--set", text)), "--property", shown.name]
        line = shlex.join(["workbench", "check", target, *options, "-o", f"{result.model.name}.html"])
        lines.append(f"  see it     {line}")
    model = result.model
    settings = ", ".join([repr(target), *as_arguments(model.differing(), model.declared.constants)])
    lines.append(f"  play it    Workbench({settings}), in a notebook")
    return ["", "Next", *lines, *([f"  repair it  {repair}"] if repair else [])]


def repair_of(result: Result) -> str:
    """The single changes after which the first property that is violated holds, the least harmful first.

    Returns:
        "" if none is known, or needed.
    """
    if result.shown is None or result.shown.holds is not False or not result.complete:
        return ""
    name = result.shown.name
    mended = [attempt for attempt in _tried(result) if name in attempt.mends]
    if not mended:
        return ", or ".join(near.differs for near in neighbours(result.model, name, most=1))
    best = [_also_broken(attempt) for attempt in sorted(mended, key=lambda attempt: attempt.price)[:_MOST_TOLD]]
    repairs = []
    for attempt, broken in sorted(best, key=lambda pair: len(pair[1])):
        repairs.append(attempt.in_line + (f" (but breaks {', '.join(broken)})" if broken else ""))
    return ", or ".join(repairs)


def _also_broken(attempt: Attempt) -> tuple[Attempt, list[str]]:
    """A change, with the properties that it breaks among those asked for and those checked by default."""
    assert attempt.result is not None  # it mends something
    changed, asked = attempt.result.model, {verdict.name for verdict in attempt.result.verdicts}
    others = [declared.name for declared in changed.select() if declared.name not in asked]
    if not others:
        return attempt, attempt.breaks
    model, symmetry = attempt.before.model, attempt.before.symmetry
    budget = Budget(states=model.most_tried)
    before = check(model, model.applicable(others), symmetry=symmetry, budget=budget)
    after = check(changed, others, symmetry=symmetry, budget=budget)
    return attempt, [*attempt.breaks, *Attempt(before, attempt.changes, after).breaks]


def _tried(result: Result) -> list[Attempt]:
    """The changes that are checked within the states that the model allows; changes back to a default come first.

    That does not count seconds: a busy machine gives the same advice. A number at its default is left alone: it is
    mostly a size, and a smaller space hides a violation.
    """
    visited, most = 0, result.model.most_tried

    def count(attempt: Attempt) -> None:
        nonlocal visited
        visited += 0 if attempt.result is None else attempt.result.distinct

    if result.distinct > most or lacks_compiled():  # the reference search would take minutes
        return []
    differing = result.model.differing()
    declared = result.model.declared.constants
    return flips(
        result.model,
        integers=True,
        constants=[
            name for name, constant in declared.items() if name in differing or constant.domain.kind != "integer"
        ],
        before=result,
        on_attempt=count,
        watch=Watch(should_stop=lambda: visited > most),
        symmetry=result.symmetry,
        budget=Budget(states=most),
    )
