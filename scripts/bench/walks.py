"""Random walks in this process: steps per second on all cores and on one, and the cost of shortening traces."""

import time
from typing import Any

from bench.searches import safety, title
from workbench.checking.walks.result import WalkRule
from workbench.checking.walks.simulate import simulate
from workbench.registry import get_model

_SECONDS = 5.0

CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("bakery_v2", {}),
    ("bakery_v2", {"MaxCrashes": 1}),
    ("bakery_v2", {"AsyncParquet": True, "RestampPatch": False}),
    ("hudi", {"OpLimit": 4}),
    ("paimon", {"MAX_WRITE_OPS": 4, "MAX_COMPACTIONS": 4}),
)


def measure(name: str, constants: dict[str, Any]) -> dict[str, Any]:
    """Walks with all invariants for some seconds, on one core and on all; then again, with traces shortened."""
    model = get_model(name)(**constants)
    names = safety(model)
    simulate(model, names, rule=WalkRule(walks=1))  # compiles before the clock runs
    alone = simulate(model, names, rule=WalkRule(seconds=_SECONDS), workers=1, shorten=0)
    seen = simulate(model, names, rule=WalkRule(seconds=_SECONDS), shorten=0)
    began = time.perf_counter()
    again = simulate(model, names, rule=WalkRule(walks=max(1, seen.walks // 10)))
    decided = [verdict for verdict in again.verdicts if verdict.trace is not None]
    return {
        "model": title(name, constants),
        "steps": seen.steps,
        "steps/s": round(seen.steps / seen.seconds),
        "workers": seen.workers,
        "steps/s with one": round(alone.steps / alone.seconds),
        "Python calls": seen.calls,
        "distinct, about": round(float(f"{seen.distinct:.3g}")),
        "decided": len(decided),
        "s to shorten": round(time.perf_counter() - began - again.seconds, 2),
    }
