"""Place a check's findings in the repository: at a property of a model, or at an expected figure."""

import inspect
import re
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from workbench.commands.output.figures import keys_of, lines_of
from workbench.kernel import Machine, Verdict
from workbench.kernel.meaning.properties import DEADLOCK
from workbench.registry.configurations import COUNTS, Configuration, Mismatch

_DEF = re.compile(r"\s*(async\s+)?def\b")


class FileLine(NamedTuple):
    """A line of a file, named from the top of the repository; None if unknown, or outside."""

    file: str | None = None
    line: int | None = None


def in_repository(path: str | Path) -> str | None:
    """A file's name within the repository around the working folder, or within that folder if there is none.

    None for a file that is elsewhere, or that was installed.
    """
    here, file = Path.cwd(), Path(path).resolve()
    top = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    installed = Path(sysconfig.get_path("purelib")).resolve()
    return None if not file.is_relative_to(top) or file.is_relative_to(installed) else file.relative_to(top).as_posix()


def of_property(model: Machine, verdict: Verdict) -> FileLine:
    """The line that defines a property, or its violated clause; for Deadlock that of ``@ends``."""
    function = _function_of(model, verdict)
    code: CodeType | None = getattr(function, "__code__", None)
    file = None if code is None else in_repository(code.co_filename)
    return FileLine() if code is None or file is None else FileLine(file, _line_of(code))


def of_difference(configuration: Configuration, different: Mismatch, verdict: Verdict | None) -> FileLine:
    """The line of a verdict's property; for a count, or a property from elsewhere, the line of the expected figure."""
    if different.name not in COUNTS and verdict is not None:
        place = of_property(configuration.model, verdict)
        if place.file is not None:
            return place
    lines = lines_of(configuration.path.read_text(encoding="utf-8-sig", errors="replace"))
    return FileLine(in_repository(configuration.path), lines.get(keys_of(different.name)))


def _function_of(model: Machine, verdict: Verdict) -> Callable[..., Any] | None:
    if verdict.name == DEADLOCK.name:
        return None if model.declared.ends is None else model.declared.ends.function
    declared = model.declared.properties.get(verdict.name)
    if declared is None:  # only a TLC configuration names it
        return None
    return declared.function


def _line_of(code: CodeType) -> int:
    """The line of the ``def``, below any decorators; without source, the first line that Python knows."""
    try:
        lines, first = inspect.getsourcelines(code)
    except OSError:
        return code.co_firstlineno
    return first + next((at for at, line in enumerate(lines) if _DEF.match(line)), 0)
