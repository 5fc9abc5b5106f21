"""Whole processes, as a person starts them; and separate processes for measurements of memory."""

import itertools
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


def measure(title: str, arguments: list[str], runs: int = 5) -> dict[str, Any]:
    """The best of some runs of a command, with a warm compile cache."""
    seconds, processor = [], []
    for _ in range(runs):
        began, before = time.perf_counter(), os.times()
        done = subprocess.run([sys.executable, "-m", "workbench", *arguments], capture_output=True, check=False)
        seconds.append(time.perf_counter() - began)
        after = os.times()
        processor.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return {
        "what": title,
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
                [sys.executable, "-m", "workbench.checking.warm"],
                env=environment,
                capture_output=True,
                check=True,
            )
    return {
        "command": "workbench " + " ".join(arguments),
        "empty cache, s": round(seconds[0], 2),
        "full cache, s": round(seconds[1], 2),
        "times": round(seconds[0] / seconds[1], 2),
    }


#: Small grids: the model, the constants of all settings, and the values of the others.
SWEEPS: tuple[tuple[str, list[str], dict[str, list[str]]], ...] = (
    ("bakery", ["Writers=2"], {"MaxCrashes": ["0", "1"], "LazyReap": ["true", "false"]}),
    ("bakery_v2", ["AsyncParquet=true"], {"SafeAcks": ["true", "false"], "RestampPatch": ["true", "false"]}),
)


def measure_sweep(model: str, fixed: list[str], grid: dict[str, list[str]]) -> dict[str, Any]:
    """A sweep as one command, and a command for each of its settings."""
    values = [f"{name}={','.join(of)}" for name, of in grid.items()]
    settings = [[f"{n}={v}" for n, v in zip(grid, each, strict=True)] for each in itertools.product(*grid.values())]
    constants = [word for value in fixed for word in ("--set", value)]
    swept = measure("", ["sweep", model, *constants, "--grid", *values], 3)
    alone = [
        measure("", ["check", model, *constants, *(word for value in setting for word in ("--set", value))], 3)
        for setting in settings
    ]
    return {
        "command": swept["command"],
        "settings": len(settings),
        "sweep s": swept["seconds"],
        "separately s": round(sum(run["seconds"] for run in alone), 2),
        "times": round(swept["seconds"] / sum(run["seconds"] for run in alone), 2),
        "sweep CPU s": swept["CPU s"],
        "separately CPU s": round(sum(run["CPU s"] for run in alone), 2),
    }


def apart(module: str, *arguments: Any) -> dict[str, Any]:
    """The result of ``module.row(*arguments)`` in a separate process."""
    code = "import importlib, json, sys; m, a = json.load(sys.stdin); "
    code += "print(json.dumps(importlib.import_module(m).row(*a)))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps([module, arguments]), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])
