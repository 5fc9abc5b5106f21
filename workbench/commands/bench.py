"""Measure the engines: states per second, bytes per state, calls of Python - beside the plain reference search.

Every row is measured in this run, on this machine. The rate of a search is the best of several runs, and its ratio is
to the reference search on the same model, which stops after as many states as it can visit in reasonable time.
"""

import argparse
import json
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.table import Table

from workbench.bench import processes, searches, versions
from workbench.commands.files import check_outputs
from workbench.commands.options import console
from workbench.kernel import InputError
from workbench.storage.whole import writing

Rows = list[dict[str, Any]]


def _each(module: str, cases: Any) -> Rows:
    return [processes.apart(f"workbench.bench.{module}", *case) for case in cases]


def _liveness() -> Rows:
    from workbench.bench import liveness  # loads the search kernels

    return _each("liveness", liveness.CASES)


def _logs() -> Rows:
    from workbench.bench import logs  # loads mappings and models

    return [logs.measure(*case) for case in logs.CASES]


def _recordings() -> Rows:
    from workbench.bench import recordings  # loads the search kernels

    return [recordings.measure(*case) for case in recordings.CASES]


def _sets() -> Rows:
    from workbench.bench import sets  # loads the search kernels

    return _each("sets", sets.CASES)


def _simulation() -> Rows:
    from workbench.bench import walks  # loads the search kernels

    return [walks.measure(*case) for case in walks.CASES]


def _cluster() -> Rows:
    from workbench.bench import cluster  # loads pyspark

    return _each("cluster", cluster.CASES)


SECTIONS: dict[str, tuple[str, Callable[[], Rows]]] = {
    "small": ("Small searches, one core", lambda: [searches.measure(case) for case in searches.SMALL]),
    "large": ("Large searches, one core", lambda: [searches.measure(case) for case in searches.LARGE]),
    "threads": ("Large searches, by threads", lambda: [searches.measure_threads(case) for case in searches.LARGE]),
    "process": ("Whole processes, compile cache warm", lambda: [processes.measure(*c) for c in processes.COMMANDS]),
    "liveness": ("Liveness, one core", _liveness),
    "logs": ("Logs validated, one core", _logs),
    "recordings": ("Recordings followed, one core", _recordings),
    "sets": ("Sets, in three ways, one core", _sets),
    "simulation": ("Random walks, all cores", _simulation),
    "spark": ("Spark, two cores, beside the process", _cluster),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument(
        "--against", metavar="COMMIT", help="instead, large searches at COMMIT of the repository and now, in turns"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to FILE too")


def run(arguments: argparse.Namespace) -> int:
    if arguments.json is not None:
        check_outputs([], {"--json": arguments.json})
    out, rows = console(), {}
    for name, (title, measure) in _chosen(arguments).items():
        if sys.stderr.isatty():
            print(f"measuring: {title} ...", file=sys.stderr)
        rows[name] = measure()
        out.print(_table(title, rows[name]))
        out.print()
    if arguments.json is not None:
        machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
        with writing(arguments.json) as file:
            file.write(json.dumps({"machine": machine, **rows}, indent=1) + "\n")
    return 0


def _chosen(arguments: argparse.Namespace) -> dict[str, tuple[str, Callable[[], Rows]]]:
    if arguments.against is None:
        return {name: SECTIONS[name] for name in arguments.only or SECTIONS}
    if arguments.only:
        raise InputError("--only is not accepted with --against, which measures large searches and whole processes")
    return {"versions": (f"{arguments.against} and now, one core", lambda: versions.measure(arguments.against))}


def _table(title: str, rows: Rows) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, (int, float)) else "left")
    for row in rows:
        table.add_row(*(f"{v:,}" if isinstance(v, (int, float)) else str(v) for v in row.values()))
    return table
