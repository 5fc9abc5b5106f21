"""The engine ``reference``: the kernel's plain search, which defines the result of the others."""

from dataclasses import replace

from workbench.checking.contract import Reference
from workbench.checking.local.memory import peak_bytes
from workbench.kernel import Result
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.plan import Plan
from workbench.kernel.meaning.search import run
from workbench.registry.programs import lacks_compiled


def search(plan: Plan, limits: Limits, engine: Reference) -> Result:
    """Carry out `plan`, one state at a time."""
    result, lacking = run(plan, limits), lacks_compiled()
    notes = result.notes if lacking is None else [*result.notes, lacking]
    return replace(result, peak_bytes=peak_bytes(), notes=notes)
