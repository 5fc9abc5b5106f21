"""Enabledness of an action under fairness: ``ENABLED <<A>>_v``.

In an instance whose variables stand for expressions, as in a refinement, the next values of those variables are free:
A is enabled where the instantiated module has a step from the values of the expressions. So it is compiled again, in
the same module with variables of its own.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from workbench.kernel.meaning.state import Reader
from workbench.tlaplus.breaking import Condition
from workbench.tlaplus.cells import Cells
from workbench.tlaplus.judging import Test
from workbench.tlaplus.running import Once, is_enabled
from workbench.tlaplus.scopes import Meaning, Scope, Substituted, Variable
from workbench.tlaplus.syntax import Angle, Identifier, Operation
from workbench.tlaplus.terms import Term, Terms


def steps_of(condition: Condition) -> Term:
    """``<<A>>_v``."""
    action = condition.action
    return action.beside(Angle(action.node.at, action.node, condition.subscript.node))


def enabled(terms: Terms, cells: Cells, condition: Condition) -> Callable[[Reader], bool]:
    """Whether the action of a condition is enabled, as a predicate of states."""
    steps = steps_of(condition)
    instance: Scope | None = steps.scope
    while instance is not None and instance.apart is None:
        instance = instance.outer
    if instance is not None and instance.apart is not None:
        apart = instance.apart()
        inside = steps.scope.matching(apart.scopes)
        if inside is not None and not all(map(_is_variable, apart.variables.values())):
            return _EnabledApart(terms, cells, steps._replace(scope=inside), apart.variables)
    return Test(terms, cells, steps.beside(Operation(steps.node.at, "ENABLED", (steps.node,))))


def _is_variable(meaning: Meaning | None) -> bool:
    """Whether a name stands for a variable of the specification, possibly under another name."""
    while isinstance(meaning, Substituted) and isinstance(meaning.expression, Identifier):
        meaning = meaning.scope.find(meaning.expression.name)
    return isinstance(meaning, Variable)


class _EnabledApart:
    """Whether a module has a step from the image of a state under a refinement.

    Args:
        steps: They are the module's, with variables of its own.
        variables: Those, and what they stand for.
    """

    def __init__(self, terms: Terms, cells: Cells, steps: Term, variables: Mapping[Variable, Substituted]) -> None:
        self._terms, self._cells, self._at = terms, cells, steps.node.at
        numbers = {one: terms.compiler.number(one) for one in variables}
        more = max(numbers.values()) + 1 - len(cells.names)
        self._names = [*cells.names, *[""] * more]
        for one, number in numbers.items():
            self._names[number] = one.name
        self._function, self._values = terms.compiled("action", steps), tuple(steps.values.values())
        self._mapped = {numbers[one]: terms.image(meaning, steps.values) for one, meaning in variables.items()}

    def __call__(self, state: Reader) -> bool:
        now = _Mapped(self._cells.variables_of(state), self._mapped)
        return self._terms.evaluated(self._at, is_enabled, self._function, self._names, now, *self._values)


class _Mapped:
    """The values of the specification's variables, and of those that a refinement maps, computed on demand."""

    def __init__(self, now: Any, mapped: Mapping[int, Callable[[Any], Any]]) -> None:
        self._now = now
        self._mapped = {number: Once(partial(value, now)) for number, value in mapped.items()}

    def __getitem__(self, number: int) -> Any:
        return self._mapped[number]() if number in self._mapped else self._now[number]
