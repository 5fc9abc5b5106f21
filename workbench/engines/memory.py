"""How large this process has been, and how large it may become."""

import os
import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")
_GROUP = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")
#: The part of the memory that a search may take if nothing else is said.
_MOST = 0.6


def peak_bytes() -> int:
    """The largest resident size of this process so far.

    What the system says of resource usage includes the parent's size at the time of the fork, hence Linux's status file
    where there is one.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def memory_limit() -> int:
    """The memory that this process may use: that of the machine, or the limit of its container if that is lower."""
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_group_limits()])


def _group_limits() -> list[int]:
    """The limits of this process's control groups and of the groups around these, versions 1 and 2."""
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
    """How many bytes a search may take where nobody says: most of what there is."""
    return int(_MOST * memory_limit())
