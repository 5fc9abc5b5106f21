"""What to do next about a violation: see it, play with it, repair it."""

import shlex
import time
from collections.abc import Sequence

from workbench.commands.outputs import Output
from workbench.kernel import Result
from workbench.kernel.constants import as_arguments
from workbench.questions.whatif import flips

#: Repairs are looked for only if a check is this quick, and for so long, in seconds.
_QUICK, _LONGEST = 0.5, 1.0


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
    settings = ", ".join([repr(target), *as_arguments(model.differing(), model.declared_constants)])
    lines.append(f"  play it    Workbench({settings}), in a notebook")
    repair = _repair(result, shown.name)
    return ["", "Next", *lines, *([f"  repair it  {repair}"] if repair else [])]


def _repair(result: Result, name: str) -> str:
    """The single changes after which the property holds, those that break least first; "" if none is found at once."""
    if not result.complete or result.seconds > _QUICK:
        return ""
    until = time.monotonic() + _LONGEST
    tried = flips(
        result.model,
        before=result,
        should_stop=lambda: time.monotonic() > until,
        symmetry=result.symmetry,
        engine="local",
    )
    mended = sorted((attempt for attempt in tried if name in attempt.mends), key=lambda attempt: attempt.price)
    return ", or ".join(attempt.told for attempt in mended[:3])
