"""Liveness: the cost of deciding a property, per transition, and the memory of the whole check."""

import time
from typing import Any

from bench.searches import title
from workbench.checking.check import check
from workbench.checking.local.memory import peak_bytes
from workbench.checking.local.search import LocalSearch
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.conclusion import conclude
from workbench.kernel.meaning.plan import make_plan
from workbench.registry import get_model

CASES = (
    ("bakery_v2", {"SafeAcks": False}, "EventualProgress"),
    ("bakery_v2", {"MaxCrashes": 1}, "EventualProgress"),
    ("bakery_v2", {"MaxCrashes": 2}, "EventualProgress"),
    ("hudi", {"OpLimit": 4}, "EventuallyWriterTerminates"),
)


def row(name: str, constants: dict[str, Any], declared: str) -> dict[str, Any]:
    """One check of one liveness property; run it in a separate process."""
    small = get_model("bakery")(Writers=2)
    check(small, ["EventualProgress"], engine="local")  # compiles the kernels

    model = get_model(name)(**constants)
    plan, limits = make_plan(model, [declared]), Limits()
    search = LocalSearch(plan)
    search.run(limits)
    began = time.perf_counter()
    result = conclude(plan, search.exploration(), limits)
    seconds = time.perf_counter() - began
    transitions = len(search.store.transitions().targets)
    return {
        "model": title(name, constants),
        "property": f"{declared} {result[declared].word}",
        "states": result.distinct,
        "transitions": transitions,
        "search s": round(result.seconds - seconds, 2),
        "liveness s": round(seconds, 2),
        "ns/transition": round(1e9 * seconds / transitions),
        "peak MiB": peak_bytes() // 2**20,
    }
