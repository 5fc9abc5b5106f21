"""The workbench now beside some commit: the same searches on one core, in turns.

Each search is a separate process with the modules of one version; the versions alternate, so that other load on the
machine affects both.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import searches
from workbench.kernel import InputError

_ROOT = Path(__file__).parents[2]

# Code that both versions understand. The process is pinned to one core, however many a version would use.
_SEARCH = """
import json, os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from workbench import check, get_model
try:
    from workbench import Budget
    few = {"budget": Budget(states=100)}
except ImportError:  # a version before it
    few = {"max_states": 100}
name, constants, symmetry, properties = json.load(sys.stdin)
model = get_model(name)(**constants)
check(model, properties, symmetry=symmetry, engine="local", **few)
began = time.process_time()
result = check(model, properties, symmetry=symmetry, engine="local")
seconds = time.process_time() - began
print(json.dumps([result.levels, result.generated, seconds, result.figures["bytes_per_state"]]))
"""

_PROCESSES = (
    ["list"],
    ["check", "peterson"],
    ["check", "specs/bakery/v1.toml"],
    ["check", "bakery_v2", "--set", "MaxCrashes=1", "--symmetry"],
)


def measure(commit: str, runs: int = 3) -> list[dict[str, Any]]:
    """A row for each large search, and for some whole processes, at `commit` and now.

    Args:
        commit: A commit of this repository.
        runs: Per version; the least CPU time counts.

    Raises:
        InputError: If git or the commit is missing.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        before = Path(folder)
        _check_out(commit, before)
        rows = [_search_row(case, before, min(runs, case.runs)) for case in searches.LARGE]
        return [*rows, *(_process_row(words, before, runs) for words in _PROCESSES)]


def worse(rows: list[dict[str, Any]], percent: int) -> list[dict[str, Any]]:
    """The rows in which counts differ, or which take more than so many percent longer now."""
    return [row for row in rows if row["same counts"] == "NO" or row["times"] * (100 + percent) < 100]


def _check_out(commit: str, folder: Path) -> None:
    """Extract the repository at `commit`."""
    command = ["git", "-C", str(_ROOT), "archive", "--format=zip", f"{commit}^{{commit}}", "workbench", "specs"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise InputError(f"an earlier version cannot be read: git does not run ({error.strerror})") from None
    if done.returncode != 0:
        raise InputError(f"--against {commit!r} is not accepted; give a commit of the repository that holds {_ROOT}")
    with zipfile.ZipFile(io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder)


def _search_row(case: searches.Case, before: Path, runs: int) -> dict[str, Any]:
    model = searches.get_model(case.model)(**case.constants)
    asked = json.dumps([case.model, case.constants, case.symmetry, searches.safety(model)])

    def search(version: Path) -> tuple[float, Any]:
        levels, generated, took, per_state = json.loads(_run(version, ["-c", _SEARCH], asked))
        return took, (levels, generated, per_state)

    (seconds, then), (seconds_now, now) = _in_turns(search, before, runs)
    distinct = sum(now[0])
    return {
        "search": searches.title(case.model, case.constants) + (", symmetry" if case.symmetry else ""),
        "distinct": distinct,
        "same counts": "yes" if then[:2] == now[:2] else "NO",
        **_compared(seconds, seconds_now),
        "states/s": round(distinct / seconds_now),
        "bytes/state before": round(then[2], 1),
        "now": round(now[2], 1),
    }


def _process_row(words: list[str], before: Path, runs: int) -> dict[str, Any]:
    """A whole process, as a person waits for it."""

    def process(version: Path) -> tuple[float, None]:
        began = os.times()
        _run(version, ["-m", "workbench", *words], "")
        ended = os.times()
        return ended.children_user - began.children_user + ended.children_system - began.children_system, None

    (seconds, _), (seconds_now, _) = _in_turns(process, before, 1 + 3 * runs)  # the first of them may compile
    return {
        "search": f"workbench {' '.join(words)}, whole process",
        "distinct": "",
        "same counts": "",
        **_compared(seconds, seconds_now),
        "states/s": "",
        "bytes/state before": "",
        "now": "",
    }


def _in_turns(do: Callable[[Path], tuple[float, Any]], before: Path, runs: int) -> list[tuple[float, Any]]:
    """For each version, the least seconds of some runs, with that run's other results."""
    done = [[do(version) for version in (before, _ROOT)] for _ in range(runs)]
    return [min(of_one, key=lambda run: run[0]) for of_one in zip(*done, strict=True)]


def _compared(before: float, after: float) -> dict[str, Any]:
    return {"CPU s before": round(before, 3), "after": round(after, 3), "times": round(before / after, 2)}


def _run(version: Path, arguments: list[str], source: str) -> str:
    """The last line that Python prints, run in a version's folder with its modules."""
    environment = {**os.environ, "PYTHONPATH": str(version)}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=version, env=environment, input=source, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()[-1]
