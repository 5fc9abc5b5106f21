"""JSON as it is defined, and no more: what Python's reader lets through beyond that is refused."""

import json
import math
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.errors import brief

#: Lists and objects in each other; deeper than anything that is written here, and than what Python can walk through.
MOST_NESTED = 400
_MOST_DIGITS = 4000  # Python refuses to read numbers that are a little longer


def read_json(text: str | bytes, what: str) -> Any:
    """The document that `text` holds; `what` it is supposed to be stands in the errors.

    Raises:
        InputError: For what is not JSON, such as NaN, a key that stands twice in an object, a number of thousands of
            digits or beyond all that floats can say, text that is not Unicode, and nesting beyond all bounds.

    Examples:
        >>> read_json('{"a": [1, 2], "a": 3}', "the trace")
        Traceback (most recent call last):
            ...
        workbench.kernel.errors.InputError: the trace is not accepted: the key 'a' stands twice in one object
    """
    try:
        text = text.decode() if isinstance(text, bytes) else text
        text.encode()
        document = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
        )
        _check_parts(document)
    except _Refused as why:
        raise InputError(f"{what} is not accepted: {why}") from None
    except UnicodeError:
        raise InputError(f"{what} is not UTF-8 text") from None
    except RecursionError:
        raise InputError(f"{what} is not accepted: it is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{what} is not JSON: {error}") from None
    return document


class _Refused(Exception):
    """Python's reader would let it through."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused(f"the key {brief(twice)} stands twice in one object")
    return document


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise _Refused(f"the number {brief(digits)} has {len(digits):,} digits; {_MOST_DIGITS:,} are read")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _Refused(f"the number {brief(digits)} is too large")
    return number


def _constant(name: str) -> Any:
    raise _Refused(f"{name} is not a number that JSON has")


def _check_parts(document: Any) -> None:
    """Refuse texts that are not Unicode, which JSON can spell by escapes, and nesting beyond the bound."""
    level = [document]
    for _ in range(MOST_NESTED + 1):
        for text in level:
            if isinstance(text, str):
                text.encode()
        wholes = [whole for whole in level if isinstance(whole, (list, dict))]
        if not wholes:
            return
        level = [part for whole in wholes for part in (whole if isinstance(whole, list) else (*whole, *whole.values()))]
    raise _Refused("it is nested too deeply")
