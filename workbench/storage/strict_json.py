"""Strict JSON: refuses the extensions that Python's reader accepts."""

import json
import math
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief

#: The deepest nesting of lists and objects: more than the workbench writes, and less than Python's recursion limit.
MOST_NESTED = 400
_MOST_DIGITS = 4000  # a little below Python's own limit


def read_json(text: str | bytes, subject: str) -> Any:
    """The document in `text`; errors call it `subject`.

    Raises:
        InputError: If it is not JSON, or has NaN, a repeated key, a number of thousands of digits or beyond the range
            of floats, text that is not Unicode, or too deep nesting.

    Examples:
        >>> read_json('{"a": [1, 2], "a": 3}', "the trace")
        Traceback (most recent call last):
            ...
        workbench.kernel.meaning.errors.InputError: the trace is not accepted: the key 'a' stands twice in one object
    """
    try:
        text = text.decode() if isinstance(text, bytes) else text
        text.encode()
        document = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
        )
        _check_parts(document)
    except _NotStrict as error:
        raise InputError(f"{subject} is not accepted: {error}") from None
    except UnicodeError:
        raise InputError(f"{subject} is not UTF-8 text") from None
    except RecursionError:
        raise InputError(f"{subject} is not accepted: it is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{subject} is not JSON: {error}") from None
    return document


class _NotStrict(Exception):
    """The text is not strict JSON, although Python's reader would accept it."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _NotStrict(f"the key {brief(twice)} stands twice in one object")
    return document


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise _NotStrict(f"the number {brief(digits)} has {len(digits):,} digits; {_MOST_DIGITS:,} are read")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _NotStrict(f"the number {brief(digits)} is too large")
    return number


def _constant(name: str) -> Any:
    raise _NotStrict(f"{name} is not a number that JSON has")


def _check_parts(document: Any) -> None:
    """Refuse texts that are not Unicode, which escapes can spell, and too deep nesting."""
    level = [document]
    for _ in range(MOST_NESTED + 1):
        for text in level:
            if isinstance(text, str):
                text.encode()
        wholes = [whole for whole in level if isinstance(whole, (list, dict))]
        if not wholes:
            return
        level = [part for whole in wholes for part in (whole if isinstance(whole, list) else (*whole, *whole.values()))]
    raise _NotStrict("it is nested too deeply")
