"""How large this process has been."""

import os
import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")


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
    """How many bytes this process may use: the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
