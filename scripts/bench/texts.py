"""Published modules of TLA+ beside the models that are their ports: CPU time in one process, with its kernels warm."""

import time
from pathlib import Path
from typing import Any

from workbench.checking.check import check
from workbench.checking.contract import Local
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Budget
from workbench.registry import get_model
from workbench.tlaplus.machine.specification import open_module

#: A module, its configuration, and the port with its constants; the properties are those of the configuration.
Case = tuple[str, str, str, dict[str, Any]]
CASES: tuple[Case, ...] = (
    ("Bakery_v2.tla", "Bakery_v2_crash.cfg", "bakery_v2", {"MaxCrashes": 1}),
    ("hudi.tla", "hudi.cfg", "hudi", {"OpLimit": 4}),
)


def found(folder: Path | None) -> list[Case]:
    """The cases whose modules are in a folder, with the module's path.

    Raises:
        InputError: If there are none.
    """
    if folder is None:
        raise InputError("the section tla takes --texts FOLDER, with the published modules somewhere inside")
    cases = [
        (str(path), cfg, port, constants) for name, cfg, port, constants in CASES for path in sorted(folder.rglob(name))
    ]
    if not cases:
        raise InputError(f"{folder} contains none of {', '.join(name for name, *_ in CASES)}")
    return cases


def row(path: str, cfg: str, port: str, constants: dict[str, Any]) -> dict[str, Any]:
    """From the text to the verdict, and the same of the port."""
    check(get_model("peterson")(), engine=Local(workers=1), budget=Budget(states=100))  # loads the kernels
    began = time.process_time()
    machine = open_module(path, Path(path).with_name(cfg))()
    text = check(machine, engine=Local(workers=1))
    between = time.process_time()
    names = [verdict.name for verdict in text.verdicts if verdict.name != "Deadlock"]
    ported = check(get_model(port)(**constants), names, symmetry=bool(text.symmetry), engine=Local(workers=1))
    ended = time.process_time()
    return {
        "module": Path(path).name,
        "configuration": cfg,
        "distinct": text.distinct,
        "CPU s": round(between - began, 2),
        "Python calls": int(text.figures["python_calls"]),
        "port": port,
        "distinct, port": ported.distinct,
        "CPU s, port": round(ended - between, 2),
        "Python calls, port": int(ported.figures["python_calls"]),
        "times": round((between - began) / (ended - between), 1),
    }
