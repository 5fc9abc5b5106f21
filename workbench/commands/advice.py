"""What to do next about a violation: see it, play with it, repair it."""

import shlex
from collections.abc import Sequence

from workbench.checking.questions.whatif import Attempt, flips
from workbench.commands.outputs import Output
from workbench.kernel import Result
from workbench.kernel.constants import as_arguments
from workbench.registry.configurations import neighbours

#: Repairs are looked for only in spaces of up to so many states, and until the changed ones have more together. It does
#: not count seconds: a busy machine gives the same advice.
_MOST_STATES = 300_000


def advice(target: str, given: Sequence[str], written: Sequence[Output], result: Result) -> list[str]:
    """Lines on the first violation of a model, with the commands to type.

    Args:
        target, given: The model's name, and its ``--set`` texts, as they were typed.
        written: The files that were asked for.
    """
    shown = result.shown
    if shown is None or shown.holds is not False:
        return []
    lines = []
    if not written:
        options = [*(word for text in given for word in ("--set", text)), "--property", shown.name]
        line = shlex.join(["workbench", "check", target, *options, "-o", f"{result.model.name}.html"])
        lines.append(f"  see it     {line}")
    model = result.model
    settings = ", ".join([repr(target), *as_arguments(model.differing(), model.declared.constants)])
    lines.append(f"  play it    Workbench({settings}), in a notebook")
    repair = _repair(result, shown.name)
    return ["", "Next", *lines, *([f"  repair it  {repair}"] if repair else [])]


def _repair(result: Result, name: str) -> str:
    """The single changes after which the property holds, those that break least first; "" if none is known."""
    if not result.complete:
        return ""
    mended = sorted((attempt for attempt in _tried(result) if name in attempt.mends), key=lambda attempt: attempt.price)
    told = [attempt.told for attempt in mended]
    return ", or ".join(told[:3] or [near.differs for near in neighbours(result.model, name, most=1)])


def _tried(result: Result) -> list[Attempt]:
    """The changes that are checked within :data:`_MOST_STATES`; those that go back to a default come first."""
    visited = 0

    def count(attempt: Attempt) -> None:
        nonlocal visited
        visited += 0 if attempt.result is None else attempt.result.distinct

    if result.distinct > _MOST_STATES:
        return []
    return flips(
        result.model,
        before=result,
        on_attempt=count,
        should_stop=lambda: visited > _MOST_STATES,
        symmetry=result.symmetry,
        max_states=_MOST_STATES,
    )
