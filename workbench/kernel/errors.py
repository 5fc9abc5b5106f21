"""The two ways in which something can be wrong: with what a person asked for, or with a model."""

import difflib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from workbench.kernel.text import printable

#: What a model's code may raise that is reported as its mistake: sys.exit() in a model does not end the program.
RAISED = (Exception, SystemExit)

#: Stands where a model's author has left out the words for something.
NOT_SAID = "not said"


class InputError(Exception):
    """Bad input: one line that names the thing, the value and what would be accepted."""


class ModelError(Exception):
    """A model breaks the rules of the modelling language (see ``docs/modelling.md``)."""


def blame(what: str, error: BaseException) -> ModelError:
    """The error for what the model's code raised in `what`, such as an action: with the file and the line, if any."""
    where = _place(error)
    verb = ":" if isinstance(error, ModelError) else f" raised {type(error).__name__}:"
    return ModelError(f"{what}{where}{verb} {text_of(error)}".removesuffix(": "))


def text_of(error: BaseException) -> str:
    """What `error` says, in one line."""
    try:
        return printable(str(error).replace("\n", " "))
    except Exception as failure:
        return f"(its text is not known: that raised {type(failure).__name__})"


def _place(error: BaseException) -> str:
    """Where the model's code was when `error` was raised, as " (file:line)"; "" if it was not in the model's code."""
    place, traceback = "", error.__traceback__
    while traceback is not None:
        if _is_a_models(traceback.tb_frame):
            place = f" ({Path(traceback.tb_frame.f_code.co_filename).name}:{traceback.tb_lineno})"
        traceback = traceback.tb_next
    return place


def _is_a_models(frame: FrameType) -> bool:
    """Whether a frame runs what somebody wrote for a model: nothing of this package, of Python, or installed."""
    module = str(frame.f_globals.get("__name__", ""))
    top = module.partition(".")[0]
    if top == "workbench":
        return module.startswith("workbench.models")
    return top not in sys.stdlib_module_names and "site-packages" not in frame.f_code.co_filename


def defined_at(function: Callable[..., Any]) -> str:
    """Where a function of a model begins, as " (file:line)"; "" if that is not known."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f" ({Path(code.co_filename).name}:{code.co_firstlineno})"


def brief(value: object) -> str:
    """A value as an error names it: short, however long it is, and in any case."""
    try:
        text = hex(value) if isinstance(value, int) and value.bit_length() > 512 else repr(value)
    except Exception:  # nested too deep, an integer in it with too many digits, or a __repr__ that fails
        text = f"<a {type(value).__name__} that cannot be shown>"
    return text if len(text) <= 80 else text[:77] + "..."


def unknown(kind: str, name: object, known: Iterable[str]) -> InputError:
    """The error for a name that is not there, with the nearest one that is.

    Examples
    --------
    >>> str(unknown("constant", "SafeAck", ["Writers", "SafeAcks"]))
    "unknown constant 'SafeAck' (did you mean SafeAcks?); known: SafeAcks, Writers"
    """
    names = sorted(known)
    near = difflib.get_close_matches(name[:80], names, n=1) if isinstance(name, str) else []
    hint = f" (did you mean {near[0]}?)" if near else ""
    return InputError(f"unknown {kind} {brief(name)}{hint}; known: {listed(names)}")


def listed(names: Iterable[str], room: int = 400) -> str:
    """Names as an error lists them: as many as there is room for, and how many more there are.

    Examples
    --------
    >>> listed(["one", "two", "three"], room=10), listed([])
    ('one, two and 1 more', 'none')
    """
    shown: list[str] = []
    left = list(names)
    while left and sum(map(len, shown)) + len(left[0]) < room:
        shown.append(left.pop(0))
    if not left:
        return ", ".join(shown) or "none"
    return f"{', '.join(shown)} and {len(left)} more" if shown else f"{len(left)} with long names"
