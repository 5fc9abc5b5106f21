"""The two ways in which something can be wrong: with what a person asked for, or with a model."""

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from workbench.kernel.text import printable

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

#: What a model's code may raise that is reported as its mistake: sys.exit() in a model does not end the program.
RAISED = (Exception, SystemExit)

#: Stands where a model's author has left out the words for something.
NOT_SAID = "not said"


class InputError(Exception):
    """Bad input: one line that names the thing, the value and what would be accepted."""


class ModelError(Exception):
    """A model breaks the rules of the modelling language (see ``docs/modelling.md``).

    Attributes:
        met: Where a search met it, in the search's own terms.
        trace: The behaviour that leads to the state, or ends with the step, that causes it; None where no search met
            it.
    """

    met: Any = None
    trace: Any = None


def blame(what: str, error: BaseException, place: str = "") -> ModelError:
    """The error for what the model's code raised in `what`, such as an action, with the file and the line.

    `place` is where that code begins, for what was not raised in a line of it.
    """
    where = place_of(error) or place
    verb = ":" if isinstance(error, ModelError) else f" raised {type(error).__name__}:"
    return ModelError(f"{what}{where}{verb} {text_of(error)}".removesuffix(": "))


def text_of(error: BaseException) -> str:
    """What `error` says, in one line."""
    try:
        return printable(str(error).replace("\n", " "))
    except Exception as failure:
        return f"(its text is not known: that raised {type(failure).__name__})"


def place_of(error: BaseException) -> str:
    """Where the model's code was when `error` was raised, as " (file:line)"; "" if it was not in the model's code."""
    place, traceback = "", error.__traceback__
    while traceback is not None:
        if _is_a_models(traceback.tb_frame):
            place = _spelt(traceback.tb_frame.f_code, traceback.tb_lineno)
        traceback = traceback.tb_next
    return place


def here() -> str:
    """The line of a model's code that is being run, as " (file:line)"; "" if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_a_models(frame):
        frame = frame.f_back
    return "" if frame is None else _spelt(frame.f_code, frame.f_lineno)


_classes: WeakKeyDictionary[type, str] = WeakKeyDictionary()
_PLACE = re.compile(r" \([^()]+:\d+\)")


def note_class(owner: type) -> None:
    """Remember the line that is being run as that of the class `owner`: Python keeps it nowhere else."""
    _classes[owner] = here()


@contextmanager
def placing(owner: type) -> Iterator[None]:
    """What is wrong with the class `owner`, and is not said with a line, is said with that of the class."""
    try:
        yield
    except ModelError as error:
        raise _with_place(error, _classes.get(owner, "")) from error.__cause__


def of_its_class(method: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """`method` of a model; what is wrong, and is not said with a line, is said with that of the model's class."""

    @wraps(method)
    def placed(*given: Given.args, **named: Given.kwargs) -> Answer:
        with placing(type(given[0])):
            return method(*given, **named)

    return placed


def in_its_line(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """`function`, with which a model declares something; what is wrong is said with the line that calls it."""

    @wraps(function)
    def placed(*given: Given.args, **named: Given.kwargs) -> Answer:
        try:
            return function(*given, **named)
        except ModelError as error:
            raise _with_place(error, here()) from error.__cause__

    return placed


def _with_place(error: ModelError, place: str) -> ModelError:
    return error if _PLACE.search(str(error)) else ModelError(f"{error}{place}")


def _spelt(code: CodeType, line: int) -> str:
    return f" ({Path(code.co_filename).name}:{line})"


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
    return "" if code is None else _spelt(code, code.co_firstlineno)


def brief(value: object) -> str:
    """A value as an error names it: short, however long it is, and in any case.

    Texts keep their ends, which tell one path from another, and paths - texts with a slash - have more room.

    Examples:
        >>> print(brief("k" * 100 + ".jsonl"))
        'kkkkkkkkkkkkkkkkkkk...kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk.jsonl'
    """
    try:
        text = hex(value) if isinstance(value, int) and value.bit_length() > 512 else repr(value)
    except Exception:  # nested too deep, an integer in it with too many digits, or a __repr__ that fails
        text = f"<a {type(value).__name__} that cannot be shown>"
    room = 400 if isinstance(value, str) and "/" in value else 80
    if len(text) <= room:
        return text
    return f"{text[: room // 4]}...{text[3 - room * 3 // 4 :]}" if isinstance(value, str) else text[:77] + "..."


def unknown(kind: str, name: object, known: Iterable[str]) -> InputError:
    """The error for a name that is not there, with the nearest one that is.

    Examples:
        >>> str(unknown("constant", "SafeAck", ["Writers", "SafeAcks"]))
        "unknown constant 'SafeAck' (did you mean SafeAcks?); known: SafeAcks, Writers"
    """
    names = sorted(known)
    near = difflib.get_close_matches(name[:80], names, n=1) if isinstance(name, str) else []
    hint = f" (did you mean {near[0]}?)" if near else ""
    return InputError(f"unknown {kind} {brief(name)}{hint}; known: {listed(names)}")


def either(words: Iterable[str]) -> str:
    """Alternatives as an error lists them.

    Examples:
        >>> either(["auto", "local", "spark"]), either(["auto"])
        ('auto, local or spark', 'auto')
    """
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def listed(names: Iterable[str], room: int = 400) -> str:
    """Names as an error lists them: as many as there is room for, and how many more there are.

    Examples:
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
