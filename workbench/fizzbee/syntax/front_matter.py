"""The options at the top of a file, in a subset of YAML: nested keys and plain values."""

from collections.abc import Callable, Iterator
from typing import Any

from workbench.fizzbee.syntax.tree import Bounds, Options, Place, refuse
from workbench.kernel.meaning.errors import either

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
#: Whether assertions with ``eventually`` are decided; FizzBee has several algorithms for that.
_LIVENESS = {"strict": True, "enabled": True, "true": True, "eventual": True, "false": False}
#: The other spelling of an option.
_CAMEL = {
    "maxActions": "max_actions",
    "maxConcurrentActions": "max_concurrent_actions",
    "crashOnYield": "crash_on_yield",
    "deadlockDetection": "deadlock_detection",
    "actionOptions": "action_options",
}


def split(text: str) -> tuple[list[tuple[int, str]], str]:
    """The numbered lines of the front matter, and the text with blank lines in their place.

    Anything before the front matter is dropped, as FizzBee does.
    """
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if line.lstrip().startswith("---")][:2]
    if len(marks) < 2:
        return [], text
    first, last = marks
    rows = [(number + 1, lines[number]) for number in range(first + 1, last)]
    return rows, "\n".join([""] * (last + 1) + lines[last + 1 :])


def options(rows: list[tuple[int, str]], file: str) -> Options:
    """The options in the lines of a front matter.

    Raises:
        InputError: With the place of an unknown option, or of a value that an option does not accept.
    """
    result = Options()
    path: list[tuple[int, str]] = []
    concurrent = False
    for at, indent, key, text in _entries(rows, file):
        while path and path[-1][0] >= indent:
            path.pop()
        keys = [word for _, word in path] + [key]
        if not text:
            path.append((indent, key))
            if keys[0] not in ("options", "action_options") or len(keys) > 2:
                refuse(at, f"there is no option {'.'.join(keys)}")
            continue
        match keys:
            case ["deadlock_detection"]:
                result.deadlock_detection = _truth(at, text)
            case ["liveness"]:
                if text not in _LIVENESS:
                    refuse(at, f"liveness is {either(_LIVENESS)}, not {text[:40]!r}")
                result.liveness = _LIVENESS[text]
            case ["options", "max_actions"]:
                result.max_actions, result.is_bounded = _count(at, text), True
            case ["options", "max_concurrent_actions"]:
                result.max_concurrent_actions, concurrent = _count(at, text), True
            case ["options", "crash_on_yield"]:
                result.crash_on_yield = _truth(at, text)
            case ["action_options", action, ("max_actions" | "max_concurrent_actions" | "crash_on_yield") as option]:
                bounds = result.of_action.setdefault(action, Bounds())
                read: Callable[[Place, str], Any] = _truth if option == "crash_on_yield" else _count
                setattr(bounds, option, read(at, text))
            case _:
                refuse(at, f"there is no option {'.'.join(keys)}")
    if not concurrent:
        result.max_concurrent_actions = min(2, result.max_actions)
    return result


def _entries(rows: list[tuple[int, str]], file: str) -> Iterator[tuple[Place, int, str, str]]:
    for number, row in rows:
        text, quote = "", ""
        for sign in row.rstrip():
            if sign == "#" and not quote:
                break
            quote = "" if sign == quote else sign if sign in "'\"" and not quote else quote
            text += sign
        if not text.strip():
            continue
        indent = len(text) - len(text.lstrip())
        at = Place(file, number, indent + 1)
        key, colon, value = text.strip().partition(":")
        key = key.strip().strip("'\"")
        if not colon:
            refuse(at, "an option is a name, a colon and a value")
        yield at, indent, _CAMEL.get(key, key), value.strip().strip("'\"")


def _truth(at: Place, text: str) -> bool:
    if text.lower() not in _WORDS:
        refuse(at, f"{text[:40]!r} is neither true nor false")
    return _WORDS[text.lower()]


def _count(at: Place, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        refuse(at, f"{text[:40]!r} is no number of actions")
    return int(text)
