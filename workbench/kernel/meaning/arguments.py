"""Arguments from callers: numbers, NumPy's included, and names, or a single one."""

import re
from collections.abc import Iterable
from typing import Any, TypeVar

from workbench.kernel.meaning.errors import InputError, brief

Kind = TypeVar("Kind")

_INTEGER = re.compile(r"-?\d+(?:[,_]\d{3})*")
_POWER = re.compile(r"-?\d{1,15}e\d{1,2}")


def plain(value: Any) -> Any:
    """`value`, with NumPy's scalars as Python's: states, files and digests know no others.

    NumPy registers its integers as ``numbers.Integral``, but not its booleans, and importing it takes too long.
    """
    scalar = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
    return value.item() if scalar else value


def integer_in(raw: Any) -> Any:
    """The integer in a text such as ``1,000`` or ``1e6``; anything else unchanged."""
    if isinstance(raw, str) and _INTEGER.fullmatch(raw):
        return int(re.sub("[,_]", "", raw)) if len(raw) < 1000 else raw
    if isinstance(raw, str) and _POWER.fullmatch(raw.lower()):
        digits, _, zeros = raw.lower().partition("e")
        return int(digits) * 10 ** int(zeros)
    return raw


def check_integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """`value` as an integer.

    Raises:
        InputError: Unless it is one within the bounds.
    """
    number = plain(value)
    if type(number) is not int or number < least or (most is not None and number > most):
        takes = f"from {least} on" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} = {brief(value)} is not accepted; it takes an integer {takes}")
    return number


def check_kind(name: str, value: Any, kind: type[Kind], takes: str = "") -> Kind:
    """`value` itself, refused unless it is of the class `kind`.

    Raises:
        InputError: If it is not; often it is a bare number instead of the object with it.
    """
    if not isinstance(value, kind):
        raise InputError(f"{name} = {brief(value)} is not accepted; it takes {takes or f'{kind.__name__}(...)'}")
    return value


def names_in(parameter: str, names: str | Iterable[str]) -> tuple[str, ...]:
    """The names given for the parameter called `parameter`; a bare text is one name, not one per letter.

    Raises:
        InputError: If `names` is not iterable.
    """
    if isinstance(names, str):
        return (names,)
    try:
        return tuple(names)
    except TypeError:
        raise InputError(f"{parameter} = {brief(names)} is not accepted; it takes a name, or a list of names") from None
