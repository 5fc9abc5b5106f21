"""Whole processes, as a person starts them; and separate processes for measurements of memory."""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

COMMANDS = (
    ("help", ["--help"]),
    ("the list of models", ["list"]),
    ("a small model", ["check", "peterson"]),
    ("a middle model", ["check", "bakery_v2", "--set", "MaxCrashes=1", "--symmetry"]),
    ("one small configuration", ["check", "specs/bakery/v1.toml"]),
    ("the folder specs/bakery", ["check", "specs/bakery"]),
    ("the folder specs/hudi", ["check", "specs/hudi"]),
    ("the folder specs/paimon", ["check", "specs/paimon"]),
)


def measure(what: str, arguments: list[str], runs: int = 5) -> dict[str, Any]:
    """The best of some runs of a command, with a warm compile cache."""
    seconds, processor = [], []
    for _ in range(runs):
        began, before = time.perf_counter(), os.times()
        done = subprocess.run([sys.executable, "-m", "workbench", *arguments], capture_output=True, check=False)
        seconds.append(time.perf_counter() - began)
        after = os.times()
        processor.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return {
        "what": what,
        "command": "workbench " + " ".join(arguments),
        "exit status": done.returncode,
        "seconds": round(min(seconds), 2),
        "CPU s": round(min(processor), 2),
    }


#: Commands of README.md and docs/start.md, as a newcomer starts them.
FIRST = (
    ["check", "bakery"],
    ["check", "hudi", "--set", "ConcurrencyControl=none"],
    ["check", "bakery_v2", "--set", "SafeAcks=false", "--property", "EventualProgress"],
)


def measure_first(arguments: list[str]) -> dict[str, Any]:
    """A command with an empty compile cache, and again with the full one, each as long as a person waits for it."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        seconds = []
        for _ in range(2):
            began = time.perf_counter()
            command = [sys.executable, "-m", "workbench", *arguments]
            subprocess.run(command, env=environment, capture_output=True, check=False)
            seconds.append(time.perf_counter() - began)
            # Waits for the process that the command has left behind.
            subprocess.run(
                [sys.executable, "-m", "workbench.engines.warm"], env=environment, capture_output=True, check=True
            )
    return {
        "command": "workbench " + " ".join(arguments),
        "empty cache, s": round(seconds[0], 2),
        "full cache, s": round(seconds[1], 2),
        "times": round(seconds[0] / seconds[1], 2),
    }


def apart(module: str, *arguments: Any) -> dict[str, Any]:
    """The result of ``module.row(*arguments)`` in a separate process."""
    code = "import importlib, json, sys; m, a = json.load(sys.stdin); "
    code += "print(json.dumps(importlib.import_module(m).row(*a)))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps([module, arguments]), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])
