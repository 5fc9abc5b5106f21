"""TLC's CPU time and memory for a model, in a process of its own with one worker."""

import os
import resource
import signal
import subprocess
import tempfile
from typing import NamedTuple

from published import Example

#: TLC's exit status: no error, and the kinds of violations.
_ANSWERED = {0, 10, 11, 12, 13}
#: Enough to begin and to end with, beside the bound.
_MARGIN = 2


class Cost(NamedTuple):
    """What a search costs.

    Attributes:
        cpu: Seconds of CPU time of the whole process.
        megabytes: The most memory that it had.
        status: "" if it came to its end, ``stopped`` if the bound did, and else what the process ended with.
    """

    cpu: float
    megabytes: int
    status: str = ""


def cost_in_tlc(command: list[str], example: Example, seconds: float) -> Cost:
    """Run TLC on a model for so many seconds of CPU time.

    Args:
        command: What starts TLC, such as ``java -cp tla2tools.jar tlc2.TLC``, to which the model is added.
    """

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + _MARGIN))

    with tempfile.TemporaryDirectory() as scratch:
        options = ["-nowarning", "-workers", "1", "-metadir", scratch, "-config"]
        options.append(os.path.relpath(example.configuration, example.module.parent))
        options += [] if example.with_deadlock else ["-deadlock"]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(
            [*command, *options, example.module.stem],
            cwd=example.module.parent,
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            preexec_fn=bound,
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    cpu = used.ru_utime + used.ru_stime
    if code in (-signal.SIGXCPU, -signal.SIGKILL) or cpu >= seconds:
        return Cost(cpu, used.ru_maxrss >> 10, "stopped")
    return Cost(cpu, used.ru_maxrss >> 10, "" if code in _ANSWERED else f"status {code}")
