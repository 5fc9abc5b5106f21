"""Real systems, driven along the behaviours of a model."""

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path

from workbench.driving.course import Compared, Course, Driven, DrivenStep, Driver, StepRequest, compared, follow
from workbench.driving.paimon import PaimonDriver
from workbench.driving.processes import Actor, ActorAnswer, ActorError, Processes
from workbench.driving.traces import covering
from workbench.kernel import InputError, Trace
from workbench.kernel.errors import brief

__all__ = [
    "Actor",
    "ActorAnswer",
    "ActorError",
    "Compared",
    "Course",
    "Driven",
    "DrivenStep",
    "Driver",
    "PaimonDriver",
    "Processes",
    "StepRequest",
    "compared",
    "covering",
    "drive",
    "follow",
]


def drive(
    trace: Trace,
    driver: Driver | None = None,
    *,
    keep: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
) -> Driven:
    """Make real processes do what a trace says, and compare what comes of it with what the model predicts.

    Args:
        driver: How the system is driven; pypaimon by default.
        keep: A folder that is not there yet, or empty: what the system makes is kept in it.
        time_limit: In seconds, for all of it.

    Raises:
        InputError: If the trace cannot be driven, or the system is not there.
    """
    driver = driver or PaimonDriver()
    with ExitStack() as stack:
        if keep is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-drive-"))
        else:
            folder = _empty(keep)
        processes = stack.enter_context(Processes(driver.command()))  # which end before the folder goes
        return follow(trace, driver, processes, Path(folder), time_limit)


def _empty(keep: str | os.PathLike[str]) -> str:
    """The path of a folder that is new, or empty."""
    path = Path(keep)
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise InputError(f"{brief(os.fspath(keep))} is not empty; give a new folder")
    except OSError as error:
        raise InputError(f"{brief(os.fspath(keep))} cannot be used: {error.strerror}") from None
    return str(path.absolute())
