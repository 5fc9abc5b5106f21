"""Measure the engines: states per second, bytes per state, calls of Python - beside the plain reference search.

Every row is measured in this run, on this machine; the rate is the best of several runs, and the ratio is to the
reference search on the same model, which is stopped after a number of states that it can do in reasonable time.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from workbench.commands.options import console
from workbench.explore.check import check
from workbench.kernel import Model, Result
from workbench.models import get_model

NAME = "bench"


@dataclass(frozen=True)
class Case:
    """One search to measure.

    Attributes
    ----------
    section : str
        What it belongs to, for ``--only``.
    reference_states : int
        After how many states the reference search is stopped.
    """

    section: str
    model: str
    constants: dict[str, Any]
    symmetry: bool = False
    runs: int = 5
    reference_states: int = 20_000


CASES = (
    Case("small", "bakery", {}),
    Case("small", "bakery", {}, symmetry=True),
    Case("small", "bakery_v2", {"StepGranularity": "atomic"}, symmetry=True),
    Case("bakery", "bakery_v2", {}),
    Case("bakery", "bakery_v2", {"MaxCrashes": 1}),
    Case("bakery", "bakery_v2", {"MaxCrashes": 1}, symmetry=True),
    Case("bakery", "bakery_v2", {"MaxCrashes": 2, "AsyncParquet": True}, runs=2),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    sections = sorted({case.section for case in CASES} | {"process"})
    parser.add_argument("--only", action="append", choices=sections, metavar="SECTION", help=", ".join(sections))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to FILE too")


def run(arguments: argparse.Namespace) -> int:
    out = console()
    wanted = set(arguments.only or ())
    rows: dict[str, list[dict[str, Any]]] = {"searches": [], "processes": []}
    for case in CASES:
        if not wanted or case.section in wanted:
            rows["searches"].append(measure(case))
            print(".", end="", file=sys.stderr, flush=True)
    if not wanted or "process" in wanted:
        rows["processes"] = [measure_process(*command) for command in PROCESSES]
    print(file=sys.stderr)
    if rows["searches"]:
        out.print(_table("Searches, one core", rows["searches"]))
    if rows["processes"]:
        out.print(_table("Whole processes, compile cache warm", rows["processes"]))
    if arguments.json is not None:
        machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
        arguments.json.write_text(json.dumps({"machine": machine, **rows}, indent=1) + "\n")
    return 0


def _safety(model: Model) -> list[str]:
    return [p.name for p in model.select() if p.kind != "liveness"]


def best_of(runs: int, do: Callable[[], Result]) -> Result:
    """The result of the fastest of some runs."""
    return min((do() for _ in range(runs)), key=lambda result: result.seconds)


def measure(case: Case) -> dict[str, Any]:
    """One row: a search by the engine, and what the reference search does in the same run."""
    model = get_model(case.model)(**case.constants)
    names = _safety(model)
    check(model, names, symmetry=case.symmetry, max_states=100)  # so that nothing is compiled while the clock runs
    found = best_of(case.runs, lambda: check(model, names, symmetry=case.symmetry, engine="local"))
    plain = check(model, names, symmetry=case.symmetry, engine="reference", max_states=case.reference_states)
    rate, plain_rate = found.distinct / found.seconds, plain.distinct / plain.seconds
    return {
        "model": " ".join([case.model, *(f"{k}={json.dumps(v)}" for k, v in case.constants.items())]),
        "symmetry": ", ".join(found.symmetry) or "-",
        "distinct": found.distinct,
        "generated": found.generated,
        "seconds": round(found.seconds, 4),
        "states/s": round(rate),
        "reference states/s": round(plain_rate),
        "ratio": round(rate / plain_rate, 1),
        "bytes/state": round(found.figures["bytes_per_state"], 1),
        "tree MiB": round(found.figures["tree_bytes"] / 2**20, 2),
        "Python calls": int(found.figures["python_calls"]),
        "states/call": round(found.distinct / found.figures["python_calls"], 1),
    }


PROCESSES = (
    ("one small configuration", "check", "specs/bakery/v1.toml"),
    ("specs/bakery", "check", "specs/bakery"),
)


def measure_process(title: str, *arguments: str) -> dict[str, Any]:
    """The best of three runs of a whole command."""
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "workbench", *arguments], check=False, capture_output=True)
        seconds.append(time.perf_counter() - began)
    return {"what": title, "command": "workbench " + " ".join(arguments), "seconds": round(min(seconds), 2)}


def _table(title: str, rows: list[dict[str, Any]]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, (int, float)) else "left")
    for row in rows:
        table.add_row(*(f"{v:,}" if isinstance(v, (int, float)) else str(v) for v in row.values()))
    return table
