r"""The arithmetic of Naturals and Integers, within TLC's 32 bits.

``\div`` rounds down and ``%`` is never negative: (-7) \div 2 is -4, and -7 % 2 is 1.
"""

from collections.abc import Callable
from typing import Any

from workbench.tlaplus.syntax.literals import LARGEST, SMALLEST
from workbench.tlaplus.values.lazy import listed
from workbench.tlaplus.values.sets import Interval
from workbench.tlaplus.values.values import EvaluationError, brief


def number(value: Any, operator: str = "an operator") -> int:
    """An integer; everything else is an error where `operator` needs one."""
    if type(value) is int:
        return value
    value = listed(value)
    if type(value) is int:
        return value
    raise EvaluationError(f"{operator} needs an integer, not {brief(value)}")


def _small(result: int, one: int, operator: str, other: int) -> int:
    if SMALLEST <= result <= LARGEST:
        return result
    raise EvaluationError(f"{one} {operator} {other} does not fit into 32 bits")


def plus(one: Any, other: Any) -> int:
    """``one + other``."""
    if type(one) is not int or type(other) is not int:
        one, other = number(one, "+"), number(other, "+")
    result: int = one + other
    return result if SMALLEST <= result <= LARGEST else _small(result, one, "+", other)


def less(one: Any, other: Any) -> int:
    """``one - other``."""
    if type(one) is not int or type(other) is not int:
        one, other = number(one, "-"), number(other, "-")
    result: int = one - other
    return result if SMALLEST <= result <= LARGEST else _small(result, one, "-", other)


def times(one: Any, other: Any) -> int:
    """``one * other``."""
    one, other = number(one, "*"), number(other, "*")
    return _small(one * other, one, "*", other)


def negative(value: Any) -> int:
    """``-value``."""
    value = number(value, "-")
    return _small(-value, 0, "-", value)


def div(one: Any, other: Any) -> int:
    r"""``one \div other``."""
    one, other = number(one, "\\div"), number(other, "\\div")
    if other == 0:
        raise EvaluationError(f"{one} \\div 0: the second argument is 0")
    return _small(one // other, one, "\\div", other)


def mod(one: Any, other: Any) -> int:
    """``one % other``."""
    one, other = number(one, "%"), number(other, "%")
    if other <= 0:
        raise EvaluationError(f"{one} % {other}: the second argument is not positive")
    return int(one % other)


def power(one: Any, other: Any) -> int:
    """``one ^ other``."""
    one, other = number(one, "^"), number(other, "^")
    if other < 0:
        raise EvaluationError(f"{one} ^ {other}: the second argument is negative")
    if other == 0 and one == 0:
        raise EvaluationError("0 ^ 0 is not defined")
    if other > 31 and abs(one) > 1:  # Python would compute a very long number first
        return _small(LARGEST + 1, one, "^", other)
    return _small(one**other, one, "^", other)


def lt(one: Any, other: Any) -> bool:
    """``one < other``."""
    if type(one) is int and type(other) is int:
        return one < other
    return number(one, "<") < number(other, "<")


def leq(one: Any, other: Any) -> bool:
    r"""``one \leq other``."""
    if type(one) is int and type(other) is int:
        return one <= other
    return number(one, "\\leq") <= number(other, "\\leq")


def gt(one: Any, other: Any) -> bool:
    """``one > other``."""
    return lt(other, one)


def geq(one: Any, other: Any) -> bool:
    r"""``one \geq other``."""
    return leq(other, one)


def interval(low: Any, high: Any) -> Interval:
    """``low..high``."""
    return Interval(number(low, ".."), number(high, ".."))


#: "-." is the negation.
NATURALS: dict[str, tuple[int, Callable[..., Any]]] = {
    "+": (2, plus),
    "-": (2, less),
    "*": (2, times),
    "\\div": (2, div),
    "%": (2, mod),
    "^": (2, power),
    "<": (2, lt),
    "<=": (2, leq),
    ">": (2, gt),
    ">=": (2, geq),
    "..": (2, interval),
}
INTEGERS = {**NATURALS, "-.": (1, negative)}
