"""The memory of growing searches: bytes per visited state beyond the frontier, and the peak of the whole process."""

from typing import Any

from bench.searches import safety, title
from workbench.checking.check import check
from workbench.checking.local.memory import peak_bytes
from workbench.kernel.meaning.budget import Budget
from workbench.registry import get_model

_MODEL, _CONSTANTS = "bakery_v2", {"MaxCrashes": 3, "AsyncParquet": True}
#: The states after which a search stops.
CASES = ((10**6,), (10**7,), (10**8,))


def row(states: int) -> dict[str, Any]:
    """One search; run it in a separate process."""
    model = get_model(_MODEL)(**_CONSTANTS)
    names = safety(model)
    check(model, names, engine="local", budget=Budget(states=100))  # compiles the kernels
    before = peak_bytes()
    result = check(model, names, engine="local", budget=Budget(states=states))
    return {
        "model": title(_MODEL, _CONSTANTS),
        "distinct": result.distinct,
        "seconds": round(result.seconds, 2),
        "states/s": round(result.distinct / result.seconds),
        "bytes/state": round(result.figures["bytes_per_state"], 1),
        "with the frontier": round((peak_bytes() - before) / result.distinct, 1),
    }
