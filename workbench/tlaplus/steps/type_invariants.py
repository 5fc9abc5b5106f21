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
    """What is asked of a part of a variable's value; if there is no such part, another question has the answer no.

    Attributes:
        number: The variable's.
        path: The arguments that lead to the part.
        ask: Whether the part, which may be lazy, is as it should be.
    """

    number: int
    path: Path
    ask: Callable[[Any], bool]

    def answer(self, now: Any, _then: Any) -> bool:
        """Whether the answer is yes in a state, given the values of the variables by number."""
        part = now[self.number]
        for key in self.path:
            if not has(domain(part), key):
                return True
            part = apply(part, key)
        return self.ask(part)


def questions(closures: Closures, cells: Cells, closure: Closure) -> list[Question]:
    r"""The questions of which ``x \in S`` consists, in the order in which TLC asks them; none for any other formula."""
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
    """The number of the variable that an expression is; None if it is none."""
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
