"""The command line, run in this process; and scripts, run in fresh ones."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from workbench.commands.cli import main


class Done(NamedTuple):
    """The exit status, and what was printed."""

    status: Any
    out: str
    err: str


Run = Callable[..., Done]


def runner(capsys: Any) -> Run:
    def run(*arguments: object) -> Done:
        capsys.readouterr()
        try:
            status: Any = main([str(argument) for argument in arguments])
        except SystemExit as end:  # what is wrong with the arguments as such
            status = end.code
        return Done(status, *capsys.readouterr())

    return run


def python(
    script: str, *arguments: object, here: Path | None = None, check: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, in the folder `here`, with these variables beside those of this process.

    Args:
        check: Fail, with what it wrote to standard error, unless its exit status is 0.
    """
    command = [sys.executable, "-c", script, *map(str, arguments)]
    variables = os.environ | environment
    ended = subprocess.run(command, cwd=here, env=variables, capture_output=True, text=True)
    assert not (check and ended.returncode), f"exit status {ended.returncode}:\n{ended.stderr}"
    return ended


def complaints(err: str) -> list[str]:
    """The lines of a standard error, without those that a slow machine is told how far a check is with."""
    progress = re.compile(r"level |  about |.*; the search goes on \(")
    return [line for line in err.splitlines() if not progress.match(line)]
