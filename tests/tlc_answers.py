r"""What the tables of TLA+ expressions share: each row is an expression, what it is here, and what TLC printed.

TLC's answers are those of its sources of 2026 for ``ASSUME PrintT(<<expression>>)``, "error" where it stopped. The
model values m1 and m2 come from the configuration. The words "a", "b", "c" and "m1" occur first in alphabetical order,
as strings and as fields, so that TLC's order of strings is alphabetical.
"""

from collections.abc import Callable
from typing import Any

from workbench.kernel.meaning.values import Name
from workbench.tlaplus.operators import choose, enumerated, record
from workbench.tlaplus.values import EvaluationError, shown, text

Row = tuple[str, Callable[[], Any], str]

M1, M2 = Name("m1"), Name("m2")
A, B, C = text("a"), text("b"), text("c")
AB = record({A: 1, B: 2})


def true(_: Any) -> bool:
    return True


def constant(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


def some(*members: Any) -> Any:
    return enumerated(members)


def first(members: Any) -> Any:
    return choose(members, true)


def answer(compute: Callable[[], Any]) -> str:
    try:
        return shown(compute())
    except EvaluationError:
        return "error"
