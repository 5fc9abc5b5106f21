"""Searches in this process: states per second, also by threads, bytes per state, calls into Python."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from workbench.checking.check import check
from workbench.checking.contract import Local
from workbench.checking.kernels.threads import usable_cores
from workbench.kernel import Result, machine_of
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.values import counted
from workbench.registry import get_model


@dataclass(frozen=True)
class Case:
    """One search to measure.

    Attributes:
        reference_states: The number of states after which the reference search stops.
    """

    model: str
    constants: dict[str, Any]
    symmetry: bool = False
    runs: int = 5
    reference_states: int = 20_000


SMALL = (
    Case("bakery", {}),
    Case("bakery", {}, symmetry=True),
    Case("bakery_v2", {"StepGranularity": "atomic"}, symmetry=True),
    Case("hudi", {"Values": 1, "FileGroupCount": 2}),
    Case("paimon", {}),
)
LARGE = (
    Case("bakery_v2", {}),
    Case("bakery_v2", {"MaxCrashes": 1}),
    Case("bakery_v2", {"MaxCrashes": 1}, symmetry=True),
    Case("bakery_v2", {"MaxCrashes": 2, "AsyncParquet": True}, runs=2),
    Case("hudi", {"OpLimit": 3}),
    Case("hudi", {"OpLimit": 4}),
    Case("hudi", {"OpLimit": 4}, symmetry=True),
    Case("paimon", {"MAX_WRITE_OPS": 3, "MAX_COMPACTIONS": 3, "MAX_COMPACTIONS_PER_COMPACTOR": 2}),
    Case(
        "paimon",
        {
            "MAX_WRITE_OPS": 4,
            "MAX_WRITE_OPS_PER_KEY": 4,
            "MAX_WRITE_OPS_PER_WRITER": 4,
            "MAX_COMPACTIONS": 4,
            "MAX_COMPACTIONS_PER_COMPACTOR": 3,
        },
        runs=1,
    ),
)


def title(name: str, constants: dict[str, Any]) -> str:
    """A model with its constants, as in ``bakery_v2 MaxCrashes=1``."""
    return " ".join([name, *(f"{k}={json.dumps(v)}" for k, v in constants.items())])


def safety(model: AnyModel) -> list[str]:
    """The names of a model's invariants and reachable properties."""
    return [p.name for p in machine_of(model).select() if p.kind != "liveness"]


def best_of(runs: int, do: Callable[[], Result]) -> Result:
    """The result of the fastest of some runs."""
    return min((do() for _ in range(runs)), key=lambda result: result.seconds)


def measure(case: Case) -> dict[str, Any]:
    """A search by the engine, and by the reference search in the same run."""
    model = get_model(case.model)(**case.constants)
    names = safety(model)
    few = Budget(states=100)
    check(model, names, symmetry=case.symmetry, engine="local", budget=few)  # nothing is compiled in what follows
    result = best_of(case.runs, lambda: check(model, names, symmetry=case.symmetry, engine=Local(workers=1)))
    plain = check(model, names, symmetry=case.symmetry, engine="reference", budget=Budget(states=case.reference_states))
    rate, plain_rate = result.distinct / result.seconds, plain.distinct / plain.seconds
    return {
        "model": title(case.model, case.constants),
        "symmetry": ", ".join(result.symmetry) or "-",
        "distinct": result.distinct,
        "generated": result.generated,
        "seconds": round(result.seconds, 4),
        "states/s": round(rate),
        "reference states/s": round(plain_rate),
        "ratio": round(rate / plain_rate, 1),
        "bytes/state": round(result.figures["bytes_per_state"], 1),
        "tree MiB": round(result.figures["tree_bytes"] / 2**20, 2),
        "Python calls": int(result.figures["python_calls"]),
        "states/call": round(result.distinct / result.figures["python_calls"], 1),
    }


def measure_threads(case: Case) -> dict[str, Any]:
    """States per second with one thread, two, four and so on, and the speed-up by all cores."""
    model = get_model(case.model)(**case.constants)
    names = safety(model)
    row: dict[str, Any] = {"model": title(case.model, case.constants), "symmetry": "yes" if case.symmetry else "-"}
    rates = []
    for workers in numbers_of_threads(usable_cores()):
        by_them = partial(check, model, names, symmetry=case.symmetry, engine=Local(workers=workers))
        result = best_of(case.runs, by_them)
        rates.append(result.distinct / result.seconds)
        row["distinct"] = result.distinct
        row[f"states/s, {counted(workers, 'thread')}"] = round(rates[-1])
    return {**row, "times": round(rates[-1] / rates[0], 2)}


def numbers_of_threads(cores: int) -> list[int]:
    """One, two, four and so on, and finally one per core.

    Examples:
        >>> numbers_of_threads(1), numbers_of_threads(6)
        ([1], [1, 2, 4, 6])
    """
    return [*(2**n for n in range(cores.bit_length()) if 2**n < cores), cores]
