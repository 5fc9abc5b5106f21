"""Measure the engines: states per second, bytes per state, calls into Python - beside the plain reference search.

Every row is measured in this run, on this machine. The rate of a search is the best of several runs. Its ratio compares
it with the reference search on the same model, stopped after as many states as that one visits in reasonable time.
``make bench`` runs this, as ``python -m bench`` with scripts/ on the path.
"""

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

from bench import processes, searches, versions
from workbench.checking.kernels.threads import usable_cores
from workbench.commands.output.files import check_paths
from workbench.commands.output.rich_console import RichConsole
from workbench.kernel import InputError
from workbench.storage.atomic_files import writing

Rows = list[dict[str, Any]]


def _each(module: str, cases: Any) -> Rows:
    return [processes.apart(f"bench.{module}", *case) for case in cases]


def _audits() -> Rows:
    from bench import audits  # loads pyarrow

    return [audits.measure(*case) for case in audits.CASES]


def _liveness() -> Rows:
    from bench import liveness  # loads the search kernels

    return _each("liveness", liveness.CASES)


def _logs() -> Rows:
    from bench import logs  # loads mappings and models

    return [logs.measure(*case) for case in logs.CASES]


def _memory() -> Rows:
    from bench import memory  # loads the search kernels

    return _each("memory", memory.CASES)


def _outlook() -> Rows:
    from bench import outlook  # loads the search kernels

    return [outlook.measure(configuration) for configuration in outlook.large()]


def _recordings() -> Rows:
    from bench import recordings  # loads the search kernels

    return [recordings.measure(*case) for case in recordings.CASES]


def _sets() -> Rows:
    from bench import sets  # loads the search kernels

    return _each("sets", sets.CASES)


def _simulation() -> Rows:
    from bench import walks  # loads the search kernels

    return [walks.measure(*case) for case in walks.CASES]


def _cluster() -> Rows:
    from bench import cluster  # loads pyspark

    return _each("cluster", cluster.CASES)


def _machines(large: bool = False) -> Rows:
    from bench import machines  # loads pyspark

    return [row for case in (machines.LARGE if large else machines.CASES) for row in machines.measure(*case)]


def _texts(folder: Path | None = None) -> Rows:
    from bench import texts  # loads the search kernels

    return _each("texts", texts.found(folder))


def _tables(title: str, rows: Rows) -> Iterator[tuple[str, Rows]]:
    """The table of some rows, and another of the times within them."""
    times = [row.pop("microseconds") for row in rows if "microseconds" in row]
    yield title, rows
    if times:
        yield "Microseconds of CPU time per state", times


_MACHINES = f"Spark by worker processes of one core each: 1, 2 and 4 on the {usable_cores()} cores of this machine"
SECTIONS: dict[str, tuple[str, Callable[[], Rows]]] = {
    "small": ("Small searches, one core", lambda: [searches.measure(case) for case in searches.SMALL]),
    "large": ("Large searches, one core", lambda: [searches.measure(case) for case in searches.LARGE]),
    "threads": ("Large searches, by threads", lambda: [searches.measure_threads(case) for case in searches.LARGE]),
    "memory": ("Memory of growing searches, one core", _memory),
    "process": ("Whole processes, compile cache warm", lambda: [processes.measure(*c) for c in processes.COMMANDS]),
    "first": ("First checks, compile cache empty", lambda: [processes.measure_first(c) for c in processes.FIRST]),
    "sweep": ("Sweeps beside separate commands", lambda: [processes.measure_sweep(*c) for c in processes.SWEEPS]),
    "liveness": ("Liveness, one core", _liveness),
    "audits": ("Audits of tables that grow, one core", _audits),
    "logs": ("Logs validated, one core", _logs),
    "recordings": ("Recordings followed, one core", _recordings),
    "outlook": ("Estimated sizes of spaces, as shares of the true ones", _outlook),
    "sets": ("Sets, in three ways, one core", _sets),
    "simulation": ("Random walks, all cores", _simulation),
    "tla": ("Published modules of TLA+ beside their ports, one core", _texts),
    "spark": ("Spark, two cores, beside the process", _cluster),
    "machines": (_MACHINES, _machines),
    "machines-large": (_MACHINES, lambda: _machines(large=True)),
}
#: Takes many minutes, or texts that are not here, so it is measured only when named.
_ONLY_NAMED = {"machines-large", "tla"}


def main(words: list[str] | None = None) -> int:
    """Measure what the command line asks for; the exit status is 2 if it asks for nothing that exists."""
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--against", metavar="COMMIT", help="instead, compare large searches at COMMIT with those now")
    parser.add_argument(
        "--slower", type=int, metavar="PERCENT", help="with --against, fail above this, or if counts differ"
    )
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="published modules, for the section tla")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to FILE too")
    options = parser.parse_args(words)
    try:
        rows = _measure(options)
    except InputError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    worse = [] if options.slower is None else versions.worse(rows["versions"], options.slower)
    for row in worse:
        change = "other counts" if row["same counts"] == "NO" else f"{row['times']} times as fast"
        print(f"bench: {row['search']}: {change}", file=sys.stderr)
    return 1 if worse else 0


def _measure(arguments: argparse.Namespace) -> dict[str, Rows]:
    if arguments.json is not None:
        check_paths([], {"--json": arguments.json})
    out, rows = RichConsole(), {}
    for name, (title, measure) in _chosen(arguments).items():
        if sys.stderr.isatty():
            print(f"measuring: {title} ...", file=sys.stderr)
        for part, (heading, of_part) in enumerate(_tables(title, measure())):
            rows[f"{name}{' times' if part else ''}"] = of_part
            out.print(_table(heading, of_part))
            out.print()
    if arguments.json is not None:
        machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
        with writing(arguments.json) as file:
            file.write(json.dumps({"machine": machine, **rows}, indent=1) + "\n")
    return rows


def _chosen(arguments: argparse.Namespace) -> dict[str, tuple[str, Callable[[], Rows]]]:
    if arguments.against is None:
        if arguments.slower is not None:
            raise InputError("--slower is accepted with --against alone: it is slower than a commit")
        sections = {**SECTIONS, "tla": (SECTIONS["tla"][0], lambda: _texts(arguments.texts))}
        return {
            name: sections[name] for name in arguments.only or [name for name in sections if name not in _ONLY_NAMED]
        }
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


if __name__ == "__main__":
    sys.exit(main())
