"""What Python and Java have used of this machine, as /proc says."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Usage(NamedTuple):
    """CPU time in seconds, and the largest resident set of any process in bytes.

    A process that has ended counts with its parent's CPU time, and no longer with its memory.
    """

    python_seconds: float
    java_seconds: float
    python_peak: int
    java_peak: int


class _Process(NamedTuple):
    pid: int
    parent: int
    name: str
    seconds: float
    peak: int


def usage(root: int) -> Usage:
    """The usage of a process and of all that it has started, directly or not. What is not Java counts as Python."""
    everything = list(_processes())
    tree = [process for process in everything if process.pid == root]
    for parent in tree:  # which grows meanwhile
        tree += [process for process in everything if process.parent == parent.pid]
    java = [process for process in tree if process.name == "java"]
    python = [process for process in tree if process.name != "java"]
    return Usage(
        sum(process.seconds for process in python),
        sum(process.seconds for process in java),
        max((process.peak for process in python), default=0),
        max((process.peak for process in java), default=0),
    )


def _processes() -> Iterator[_Process]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            start, _, rest = (folder / "stat").read_text().rpartition(")")
            status = (folder / "status").read_text()
        except OSError:  # it has ended
            continue
        fields = rest.split()
        seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        peaks = [int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")]
        yield _Process(int(folder.name), int(fields[1]), start.partition("(")[2], seconds, sum(peaks))
