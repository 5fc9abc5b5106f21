"""The two kinds of error - bad input, and a mistake in a model - with the wording of messages; and stops."""

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from workbench.kernel.meaning.text import printable

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

#: The default for words that a model's author may leave out.
NOT_SAID = "not said"
_OF_CELL = " of its cell)"
#: The packages of models that are installed, as libraries are, but written in the language; each adds itself.
AUTHORED: list[str] = []


class InputError(Exception):
    """Bad input: one line that names the thing, the value and what would be accepted."""


class ModelError(Exception):
    """A model breaks the rules of the modelling language (see ``docs/language.md``).

    Attributes:
        met: The place where a search met it, in the search's own terms.
        trace: The behaviour that ends with the state or step that causes it; None outside a search.
    """

    met: Any = None
    trace: Any = None


class Stop(Exception):
    """Ends a search, even in the middle of an evaluation. The text says why. A MemoryError ends a search too."""


class NoSuchVariable(ModelError, AttributeError):
    """A state has no attribute of that name; ``hasattr`` and ``getattr`` with a default take it for their answer."""


class NoSuchIndex(ModelError, KeyError):
    """A variable has no cell at that index; ``get`` takes it for its answer."""

    __str__ = Exception.__str__  # a KeyError would put quotes around its text


def blame(subject: str, error: BaseException, place: str = "") -> ModelError:
    """A ModelError for an exception that the model's code raised in `subject`, such as an action.

    It names the file and line of the exception, or `place` if no line of the model's code raised it.

    Raises:
        MemoryError: If that is the exception: the search has taken the memory.
        KeyboardInterrupt: If that is the exception: Ctrl-C was pressed.
        Stop: If that is the exception: the search is to end.
    """
    if isinstance(error, (MemoryError, KeyboardInterrupt, Stop)):
        raise error
    where = place_of(error) or place
    verb = ":" if isinstance(error, ModelError) else f" raised {type(error).__name__}:"
    return ModelError(f"{subject}{where}{verb} {text_of(error)}".removesuffix(": "))


def call(subject: str, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    """Call a model's code; a ModelError names it as `subject`."""
    try:
        return function(*arguments, **named)
    except BaseException as error:
        raise blame(subject, error, defined_at(function)) from error


def checked(subject: str, function: Callable[..., Any], answer: Any, text: bool = False) -> Any:
    """The `answer` of a model's predicate: True or False, or, if `text` allows it, a text as one line.

    Raises:
        ModelError: For any other answer.
    """
    if answer is True or answer is False:
        return answer
    if text and isinstance(answer, str):
        return printable(answer)
    must = "True or False, or a text that says what is wrong" if text else "True or False"
    raise ModelError(f"{subject}{defined_at(function)} returned {brief(answer)}; it must return {must}")


def impure(whose: str, difference: str = "") -> ModelError:
    """The error for code that gave another result when it was run again in the same state."""
    return ModelError(
        f"{whose} is not a function of the state: run twice in one state it did two different things"
        f"{difference and f': {difference}'} (random numbers, the time, or something outside the state?)"
    )


def text_of(error: BaseException) -> str:
    """The text of `error`, in one line."""
    try:
        return printable(str(error).replace("\n", " "))
    except KeyboardInterrupt:
        raise
    except BaseException as failure:
        return f"(its text is not known: that raised {type(failure).__name__})"


def place_of(error: BaseException) -> str:
    """The innermost line of the model's code in the traceback of `error`, as " (file:line)"; "" if there is none."""
    places = [_spelt(frame.f_code, line) for frame, line in walk_tb(error.__traceback__) if _is_a_models(frame)]
    return places[-1] if places else ""


def with_its_cell(error: BaseException) -> str:
    """The text of `error` with the line of the notebook's cell that it comes from, such as " (line 3 of its cell)"."""
    places = [_spelt(frame.f_code, line) for frame, line in walk_tb(error.__traceback__)]
    cells = [place for place in places if place.endswith(_OF_CELL)]
    return str(error) if not cells or _OF_CELL in str(error) else f"{error}{cells[-1]}"


def here() -> str:
    """The line of a model's code that is running, as " (file:line)"; "" if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_a_models(frame):
        frame = frame.f_back
    return "" if frame is None else _spelt(frame.f_code, frame.f_lineno)


def calling_line() -> str:
    """The line that calls the function which calls this one, as " (file:line)"."""
    frame = sys._getframe(2)
    return _spelt(frame.f_code, frame.f_lineno)


_classes: WeakKeyDictionary[type, str] = WeakKeyDictionary()
_PLACE = re.compile(r" \([^()]+:\d+\)")


def note_class(owner: type) -> None:
    """Remember the current line as that of the class `owner`: Python keeps it nowhere else."""
    _classes[owner] = here()


@contextmanager
def placing(owner: type | None = None) -> Iterator[None]:
    """Adds a file and line to a ModelError that has none: those of the class `owner`, or of the calling model code."""
    try:
        yield
    except ModelError as error:
        if _PLACE.search(str(error)):
            raise
        raise ModelError(f"{error}{here() if owner is None else _classes.get(owner, '')}") from error.__cause__


#: Decorates functions that declare something: their errors name the line that calls them.
in_its_line = placing()


def of_its_class(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Decorates methods of models and machines: their errors name the line of the author's class."""

    @wraps(method)
    def placed(*arguments: Arguments.args, **named: Arguments.kwargs) -> Answer:
        with placing(type(getattr(arguments[0], "author", arguments[0]))):
            return method(*arguments, **named)

    return placed


def _spelt(code: CodeType, line: int) -> str:
    """A line as " (file:line)"; the files of a notebook's cells have made-up names, which mean nothing to people."""
    path = Path(code.co_filename)
    if path.parent.name.startswith("ipykernel_"):
        return f" (line {line}{_OF_CELL}"
    return f" ({short_name(path)}:{line})"


def short_name(path: Path) -> str:
    """The name of a model's file; in a package it includes the folder, since file names repeat across packages.

    Examples:
        >>> short_name(Path("counter.py")), short_name(Path(__file__))
        ('counter.py', 'meaning/errors.py')
    """
    return f"{path.parent.name}/{path.name}" if path.with_name("__init__.py").is_file() else path.name


def _is_a_models(frame: FrameType) -> bool:
    """Whether a frame runs code written for a model: not this package's, Python's, or an installed library's."""
    module = str(frame.f_globals.get("__name__", ""))
    if any(f"{module}.".startswith(f"{package}.") for package in AUTHORED):
        return True
    top = module.partition(".")[0]
    return top not in {"workbench", *sys.stdlib_module_names} and "site-packages" not in frame.f_code.co_filename


def defined_at(function: Callable[..., Any]) -> str:
    """The first line of a function, as " (file:line)"; "" if unknown."""
    code = getattr(function, "__code__", None)
    return "" if code is None else _spelt(code, code.co_firstlineno)


def brief(value: object) -> str:
    """A value as error messages show it: never long, and never an exception.

    A long text keeps its end, where paths differ. Paths - texts with a slash - get more room.

    Examples:
        >>> print(brief("k" * 100 + ".jsonl"))
        'kkkkkkkkkkkkkkkkkkk...kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk.jsonl'
    """
    try:
        text = hex(value) if isinstance(value, int) and value.bit_length() > 512 else repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # too deep, an integer with too many digits, or a __repr__ that fails
        text = f"<a {type(value).__name__} that cannot be shown>"
    room = 400 if isinstance(value, str) and "/" in value else 80
    if len(text) <= room:
        return text
    return f"{text[: room // 4]}...{text[3 - room * 3 // 4 :]}" if isinstance(value, str) else text[:77] + "..."


def unknown(kind: str, name: object, candidates: Iterable[str]) -> InputError:
    """The error for an unknown name; it suggests the nearest known one.

    Examples:
        >>> str(unknown("constant", "SafeAck", ["Writers", "SafeAcks"]))
        "unknown constant 'SafeAck' (did you mean SafeAcks?); known: SafeAcks, Writers"
    """
    names = sorted(candidates)
    return InputError(f"unknown {kind} {brief(name)}{did_you_mean(name, names)}; known: {listed(names)}")


def did_you_mean(name: object, candidates: Iterable[str], most: int = 1) -> str:
    """The known names that are nearest to `name` in any case, as " (did you mean SafeAcks?)"; "" if none is near.

    Examples:
        >>> did_you_mean("put_if_absnt", ["PUT_IF_ABSENT", "USE_LOCK"])
        ' (did you mean PUT_IF_ABSENT?)'
    """
    in_any_case: dict[str, list[str]] = {}
    for candidate in sorted(candidates):
        in_any_case.setdefault(candidate.casefold(), []).append(candidate)
    close = difflib.get_close_matches(name[:80].casefold(), in_any_case, n=most) if isinstance(name, str) else []
    near = [candidate for word in close for candidate in in_any_case[word]][:most]
    return f" (did you mean {', '.join(near)}?)" if near else ""


def either(words: Iterable[str]) -> str:
    """Alternatives, as error messages list them.

    Examples:
        >>> either(["auto", "local", "spark"]), either(["auto"])
        ('auto, local or spark', 'auto')
    """
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def listed(names: Iterable[str], room: int = 400) -> str:
    """Names, as error messages list them: as many as fit into `room` characters, and the number of the rest.

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
