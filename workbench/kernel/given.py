"""What callers give: numbers, also NumPy's, and names, also a single one."""

from collections.abc import Iterable
from typing import Any

from workbench.kernel.errors import InputError, brief


def plain(value: Any) -> Any:
    """`value`; a scalar of NumPy as Python's own, which is the only kind that states, files and digests know.

    NumPy registers its integers as ``numbers.Integral``, but its booleans nowhere, and loading it takes too long.

    Examples:
        >>> import numpy as np
        >>> plain(np.int64(2)), plain(np.bool_(False)), plain("w1")
        (2, False, 'w1')
    """
    scalar = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
    return value.item() if scalar else value


def check_integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """`value` as an integer.

    Raises:
        InputError: Unless it is one in these bounds.
    """
    number = plain(value)
    if type(number) is not int or number < least or (most is not None and number > most):
        takes = f"from {least} on" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} = {brief(value)} is not accepted; it takes an integer {takes}")
    return number


def names_in(what: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """The names that a parameter called `what` is given; a bare text is one name, not one per letter.

    Raises:
        InputError: For what holds no names at all, such as a number.
    """
    if isinstance(given, str):
        return (given,)
    try:
        return tuple(given)
    except TypeError:
        raise InputError(f"{what} = {brief(given)} is not accepted; it takes a name, or a list of names") from None
