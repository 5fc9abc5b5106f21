"""Drive real systems along the behaviours of a model."""

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path

from workbench.checking.driving.course import (
    Compared,
    Course,
    Driven,
    DrivenStep,
    Driver,
    StepRequest,
    compared,
    follow,
)
from workbench.checking.driving.processes import Actor, ActorAnswer, ActorError, Processes
from workbench.checking.driving.traces import covering
from workbench.kernel import InputError, Trace
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.interrupts import interruptible
from workbench.registry import having, protocol_of

__all__ = [
    "Actor",
    "ActorAnswer",
    "ActorError",
    "Compared",
    "Course",
    "Driven",
    "DrivenStep",
    "Driver",
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
    """Make real processes follow a trace, and compare the outcome with the model's predictions.

    Args:
        driver: Drives the system; by default the one of the model's protocol.
        keep: A new or empty folder, in which the system's files are kept.
        time_limit: In seconds, for the whole drive.

    Raises:
        InputError: If the trace cannot be driven, or the system is not installed.
    """
    driver = driver or _driver_of(trace)
    with ExitStack() as stack:
        if keep is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-drive-"))
        else:
            folder = _empty(keep)
        processes = stack.enter_context(Processes(driver.command()))  # they end before the folder is removed
        stack.enter_context(interruptible())
        return follow(trace, driver, processes, Path(folder), time_limit)


def _driver_of(trace: Trace) -> Driver:
    protocol = protocol_of(type(trace.model.author))
    if protocol is None or not protocol.driver:
        raise InputError(
            f"a trace of {trace.model.name} is not accepted: only {' and '.join(having('driver'))} is driven"
        )
    driver: Driver = protocol.part(protocol.driver)()
    return driver


def _empty(keep: str | os.PathLike[str]) -> str:
    """The path of an empty folder, made if it does not exist; any other folder is refused."""
    path = Path(keep)
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise InputError(f"{brief(os.fspath(keep))} is not empty; give a new folder")
    except OSError as error:
        raise InputError(f"{brief(os.fspath(keep))} cannot be used: {error.strerror}") from None
    return str(path.absolute())
