"""Whole processes, as a person starts them; and measurements that need a process of their own for their memory."""

import json
import subprocess
import sys
import time
from typing import Any

COMMANDS = (
    ("one small configuration", ["check", "specs/bakery/v1.toml"]),
    ("the folder specs/bakery", ["check", "specs/bakery"]),
    ("the folder specs/hudi", ["check", "specs/hudi"]),
    ("the folder specs/paimon", ["check", "specs/paimon"]),
)


def measure(what: str, arguments: list[str], runs: int = 3) -> dict[str, Any]:
    """The best of some runs of a command, the compile cache warm."""
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "workbench", *arguments], capture_output=True, check=False)
        seconds.append(time.perf_counter() - began)
    command = "workbench " + " ".join(arguments)
    return {"what": what, "command": command, "exit status": done.returncode, "seconds": round(min(seconds), 2)}


def apart(module: str, *arguments: Any) -> dict[str, Any]:
    """What ``module.row(*arguments)`` returns, run in a process of its own."""
    code = "import importlib, json, sys; m, a = json.load(sys.stdin); "
    code += "print(json.dumps(importlib.import_module(m).row(*a)))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps([module, arguments]), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])
