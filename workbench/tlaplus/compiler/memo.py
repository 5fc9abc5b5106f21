"""Answers of definitions, remembered by the cells that they read.

What engines remember is the answer of a whole action or predicate. A part of it that depends on few cells, such as the
number of a cell's neighbours, has the same answer in many states that differ elsewhere.
"""

from collections.abc import Callable
from typing import Any

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.state import Reads, Values
from workbench.kernel.meaning.values import Name, identity
from workbench.tlaplus.layout.layout import VariableValues
from workbench.tlaplus.layout.views import FunctionView, SetView
from workbench.tlaplus.values.values import CONCRETE

#: A bound on the memoized answers of a definition, with the cells on the paths to them. If it is exceeded, and most
#: look-ups were misses, the definition is no longer memoized.
_MOST_NODES = 1 << 15
_ATOMS = frozenset({int, str, bool, Name})


class _Node:
    """A cell that an evaluation reads next, and what follows for each content, which is kept so that its id stays."""

    __slots__ = ("branches", "cell")

    def __init__(self, cell: int) -> None:
        self.cell = cell
        self.branches: dict[int, tuple[Any, Any]] = {}


class _Leaf:
    """An answer."""

    __slots__ = ("answer",)

    def __init__(self, answer: Any) -> None:
        self.answer = answer


class Memory:
    """Answers by a key and the contents of the cells that they depend on.

    Attributes:
        pays: Whether answers are kept.
    """

    def __init__(self) -> None:
        self.pays = True
        self._roots: dict[Any, Any] = {}
        self._asked = self._hits = self._nodes = 0

    def answer(self, key: Any, row: Values, evaluate: Callable[[Values], Any]) -> Any:
        """The answer for a key in a row; if it is not known, `evaluate` finds it, and reads no other cells.

        With an answer that is lazy no more are kept: it may be a view of this row.
        """
        if not self.pays:
            return evaluate(row)
        node = self._roots.get(key)
        while type(node) is _Node:
            branch = node.branches.get(id(row[node.cell]))
            node = None if branch is None else branch[1]
        self._asked += 1
        if node is not None:
            self._hits += 1
            return node.answer
        read = Reads(row)
        answer = evaluate(read)
        if type(answer) in CONCRETE:
            self._keep(key, read, answer)
        else:
            self.pays = False
        return answer

    def _keep(self, key: Any, read: Reads, answer: Any) -> None:
        if self._nodes >= _MOST_NODES:
            self.pays = 2 * self._hits > self._asked
            self._roots.clear()
            self._nodes = 0
        cells = [*read]
        following = [*map(_Node, cells), _Leaf(answer)]
        node = self._roots.setdefault(key, following[0])
        for cell, after in zip(cells, following[1:], strict=True):
            if type(node) is not _Node or node.cell != cell:
                raise _not_a_function()
            content = read[cell]
            _, node = node.branches.setdefault(id(content), (content, after))
        if type(node) is not _Leaf:
            raise _not_a_function()
        self._nodes += len(following)


def _not_a_function() -> ModelError:
    """As engines say it, whose trees have the same guard."""
    return ModelError("a definition is not a function of the state: after the same reads it read another cell, or none")


class Remembered:
    """A definition that depends on one state alone, as a function of the state, the next state, and its arguments.

    It is evaluated once for the same arguments within each evaluation that uses views; and, as far as that pays, once
    for the same contents of the cells that it reads. It does not pay where arguments are nested: to find out whether
    they are the same takes as long as the evaluation that it saves.
    """

    def __init__(self, definition: Callable[..., Any]) -> None:
        self._definition, self._memory = definition, Memory()

    def __call__(self, now: Any, then: Any, *arguments: Any) -> Any:
        if type(now) is not VariableValues:
            return self._definition(now, then, *arguments)
        key = self, *map(id, arguments)
        entry = now.answers.get(key)
        if entry is None:  # the arguments are kept so that no others get their ids
            entry = now.answers[key] = self._answer(now, then, arguments), arguments
        return entry[0]

    def _answer(self, now: VariableValues, then: Any, arguments: tuple[Any, ...]) -> Any:
        if not self._memory.pays or not all(_is_brief(value, now) for value in arguments):
            return self._definition(now, then, *arguments)
        key = tuple(
            [identity(value) if type(value) in CONCRETE else (type(value), id(value.shape)) for value in arguments]
        )

        def evaluate(row: Values) -> Any:
            over_row = [value if type(value) in CONCRETE else type(value)(value.shape, row) for value in arguments]
            return self._definition(now.over(row), then, *over_row)

        return self._memory.answer(key, now.row, evaluate)


def _is_brief(argument: Any, now: VariableValues) -> bool:
    """Whether an argument is an atom, a tuple of atoms, or a part of the state."""
    kind = type(argument)
    if kind is tuple:
        return _ATOMS.issuperset(map(type, argument))
    return kind in _ATOMS or ((kind is FunctionView or kind is SetView) and argument.row is now.row)
