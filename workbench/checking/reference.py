"""The engine ``reference``: the plain search that defines the result of the others.

A TLA+ text is evaluated without compiling it. Any other model, and a text that only the compiler supports, gets the
kernel's plain search, which runs every action in every state.
"""

from dataclasses import replace

from workbench.checking.contract import Reference
from workbench.checking.local.memory import peak_bytes
from workbench.kernel import InputError, Result
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.conclusion import conclude
from workbench.kernel.meaning.plan import Plan
from workbench.kernel.meaning.search import run
from workbench.registry.programs import lacks_compiled


def search(plan: Plan, limits: Limits, engine: Reference) -> Result:
    """Carry out `plan`, one state at a time."""
    result, lacking = _searched(plan, limits), lacks_compiled()
    notes = result.notes if lacking is None else [*result.notes, lacking]
    return replace(result, peak_bytes=peak_bytes(), notes=notes)


def _searched(plan: Plan, limits: Limits) -> Result:
    try:
        plain = plan.model.plain()
    except InputError as error:
        note = f"searched with what is compiled from the text, since the plain evaluator lacks a part of it: {error}"
        return run(replace(plan, notes=[*plan.notes, note]), limits)
    if plain is None:
        return run(plan, limits)
    return conclude(plan, plain.explore(plan, limits), limits)
