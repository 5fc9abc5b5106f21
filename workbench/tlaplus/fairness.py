"""Conditions of fairness: which steps count for ``WF_v(A)`` and ``SF_v(A)``, and where A is enabled.

Where A consists of disjuncts of Next, perhaps with predicates of the state beside them, their steps count. Any other A
is judged by itself: a step counts if it satisfies ``<<A>>_v``, whatever it is a step of, and ``ENABLED <<A>>_v`` says
where A is enabled.
"""

from collections.abc import Callable, Sequence
from typing import Any

from workbench.kernel.meaning.state import Values
from workbench.kernel.meaning.steps import Fairness
from workbench.kernel.meaning.values import is_same
from workbench.tlaplus.cells import Cells
from workbench.tlaplus.judging import Test
from workbench.tlaplus.levels import Level
from workbench.tlaplus.scopes import Variable
from workbench.tlaplus.splitting import Leaf, split
from workbench.tlaplus.steps import TextInstance
from workbench.tlaplus.syntax import Angle, Apply, Conjunction, Identifier, Operation, Qualified
from workbench.tlaplus.temporal import Condition, variables_in
from workbench.tlaplus.terms import Term, Terms
from workbench.tlaplus.values import shown

#: Whether a step counts, given the values of the variables before and after it.
_Counts = Callable[[Values, Sequence[Any]], bool]


class FairSteps:
    """The conditions of fairness of a specification.

    Args:
        variables: All variables: a condition whose subscript has them all counts every step that changes the state.
        instances: The steps.
        leaves: The disjuncts that they are.

    Attributes:
        conditions: As engines ask for them.
    """

    def __init__(
        self,
        terms: Terms,
        cells: Cells,
        variables: Sequence[Variable],
        instances: Sequence[TextInstance],
        leaves: Sequence[Leaf],
    ) -> None:
        self._terms, self._cells, self._variables = terms, cells, variables
        self._instances = instances
        self._numbers = dict[Any, list[int]]()
        for instance, leaf in zip(instances, leaves, strict=True):
            self._numbers.setdefault(leaf.key, []).append(instance.number)
        self.conditions: list[Fairness] = []
        self._counts: list[_Counts | None] = []

    def add(self, conditions: Sequence[Condition]) -> None:
        """Add conditions, and tell the steps which of them count them."""
        for condition in conditions:
            self._add(condition)
        for instance in self._instances:
            own = [number for number, one in enumerate(self.conditions) if instance.number in one.actions]
            if any(self._counts[number] is not None for number in own):
                instance.counting = self._counting(own)

    def _counting(self, own: Sequence[int]) -> Callable[[Values, Sequence[Any]], frozenset[int]]:
        tests = [(number, self._counts[number]) for number in own]
        return lambda now, then: frozenset(number for number, counts in tests if counts is None or counts(now, then))

    def _add(self, condition: Condition) -> None:
        label = f"{'SF' if condition.is_strong else 'WF'}({_spoken(condition.action)})"
        guards, numbers = list[Term](), self._disjuncts(condition.action)
        if numbers is None:
            guards, action = self._guarded(condition.action)
            numbers = self._disjuncts(action)
        watched = variables_in(self._terms, condition.subscript)
        if numbers is None or watched is None:
            self._add_by_itself(label, condition)
            return
        places = [number for number, one in enumerate(self._variables) if one in watched]
        tests = [Test(self._terms, self._cells, guard) for guard in guards]
        self.conditions.append(Fairness(label, condition.is_strong, numbers))
        self._counts.append(None if len(places) == len(self._variables) and not tests else _passing(tests, places))

    def _guarded(self, action: Term) -> tuple[list[Term], Term]:
        r"""The predicates p, q of a state and the action A of ``p /\ A /\ q``; none for any other action."""
        inner = action
        while not isinstance(inner.node, Conjunction):
            unfolded = self._terms.unfolded(inner)
            if unfolded is None:
                return [], action
            inner = unfolded
        operands = [inner.beside(operand) for operand in inner.node.operands]
        guards = [one for one in operands if self._terms.level(one) <= Level.STATE]
        others = [one for one in operands if self._terms.level(one) > Level.STATE]
        return (guards, others[0]) if len(others) == 1 else ([], action)

    def _disjuncts(self, action: Term) -> frozenset[int] | None:
        """The steps of Next that an action consists of; None if it has others, too."""
        keys = [leaf.key for leaf in split(self._terms, action, "")]
        known = all(key in self._numbers for key in keys)
        return frozenset(number for key in keys for number in self._numbers[key]) if known else None

    def _add_by_itself(self, label: str, condition: Condition) -> None:
        action, subscript = condition.action, condition.subscript
        angle = action.beside(Angle(action.node.at, action.node, subscript.node))
        enabled = action.beside(Operation(action.node.at, "ENABLED", (angle.node,)))
        every = frozenset(range(len(self._instances)))
        is_enabled = Test(self._terms, self._cells, enabled)
        self.conditions.append(Fairness(label, condition.is_strong, every, is_enabled))
        self._counts.append(Test(self._terms, self._cells, angle).of_values)


def _passing(guards: Sequence[Test], places: Sequence[int]) -> _Counts:
    """Whether guards hold before a step, and it changes one of some variables."""
    return lambda now, then: (
        all(guard.of_values(now, None) for guard in guards)
        and not all(is_same(now[place], then[place]) for place in places)
    )


def _spoken(action: Term) -> str:
    """An action as people read it: its name, with the values that are around it."""
    node = action.node
    name = node.name if isinstance(node, (Identifier, Apply, Qualified)) else str(node.at)
    values = ", ".join(map(shown, action.values.values()))
    return f"{name}, {values}" if values else name
