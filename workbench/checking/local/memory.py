"""The memory that this process has used and may use."""

import os
import resource
import sys
from dataclasses import replace
from pathlib import Path

from workbench.kernel.meaning.arguments import check_kind
from workbench.kernel.meaning.budget import Budget

_STATUS = Path("/proc/self/status")
_GROUP = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")
#: The share of the memory that a search may take by default.
_MOST = 0.6


def peak_bytes() -> int:
    """The largest resident size of this process so far.

    ``getrusage`` includes the parent's size at the fork, so Linux's status file comes first.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def memory_limit() -> int:
    """The machine's memory, or the container's limit if that is lower."""
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_group_limits()])


def _group_limits() -> list[int]:
    """The limits of this process's control groups (versions 1 and 2) and of all groups that contain them."""
    if not _GROUP.exists():
        return []
    limits = []
    for line in _GROUP.read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "":
            root, file = _GROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            root, file = _GROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        inner = Path(root, group.lstrip("/"))  # in a container the name may be the host's: then only the root is there
        for folder in (inner, *inner.parents):
            limit = folder / file
            if limit.is_file() and (text := limit.read_text().strip()).isdigit():  # "max" is none
                limits.append(int(text))
            if folder == root:
                break
    return limits


def most_memory() -> int:
    """The bytes that a search may take by default."""
    return int(_MOST * memory_limit())


def within_memory(budget: Budget) -> Budget:
    """The budget, bounded by :func:`most_memory` if it does not bound the bytes."""
    return replace(budget, bytes=most_memory()) if check_kind("budget", budget, Budget).bytes is None else budget
