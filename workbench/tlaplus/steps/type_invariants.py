r"""``x \in S`` as many small questions, for a variable x over several cells and a constant S.

A predicate is remembered by the cells that it reads. Whether a function is in [K -> T] depends on all of them, and each
of its values occurs with each of all others; whether the value for one argument is in T depends on few.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.layout.shapes import Function, Path, Shape
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Variable
from workbench.tlaplus.syntax.tree import Identifier
from workbench.tlaplus.values.lazy import has, isin
from workbench.tlaplus.values.operators import apply, domain
from workbench.tlaplus.values.sets import Functions, Records


class Question(NamedTuple):
    """A membership test of one part of a variable's value.

    A part that does not exist passes: then another question of the same formula fails.

    Attributes:
        number: The variable's number.
        path: The arguments that lead to the part.
        ask: Tests the part, which may be lazy.
    """

    number: int
    path: Path
    ask: Callable[[Any], bool]

    def answer(self, now: Any, _then: Any) -> bool:
        """Whether a state passes the test, given the values of its variables by number."""
        part = now[self.number]
        for key in self.path:
            if not has(domain(part), key):
                return True
            part = apply(part, key)
        return self.ask(part)


def questions(closures: Closures, cells: Cells, closure: Closure) -> list[Question]:
    r"""The questions that together decide ``x \in S``, in TLC's order; empty if the formula cannot be split so."""
    asked = closures.operands(closure, "\\in")
    if asked is None or closures.level(asked[1]) > Level.CONSTANT:
        return []
    number = _number(closures, asked[0])
    shape = None if number is None else cells.shapes[number]
    if number is None or shape is None:
        return []
    asks = closures.value(asked[1], lambda members: list(_within(members, shape)))
    parts = [Question(number, path, ask) for path, ask in asks]
    return parts if len(parts) > 1 else []


def _number(closures: Closures, closure: Closure) -> int | None:
    """The number of the variable that an expression stands for; None if it is not a variable."""
    inner: Closure | None = closure
    while inner is not None:
        closure, inner = inner, closures.unfolded(inner)
    meaning = closure.scope.find(closure.node.name) if isinstance(closure.node, Identifier) else None
    return closures.compiler.number(meaning) if isinstance(meaning, Variable) else None


def _within(members: Any, shape: Shape | None) -> Iterator[tuple[Path, Callable[[Any], bool]]]:
    if not isinstance(members, (Functions, Records)) or not isinstance(shape, Function):
        yield (), lambda part: isin(part, members)
        return
    yield (), members.fits
    for key, results in members.results():
        for path, ask in _within(results, shape.kid(key)):
            yield (key, *path), ask
