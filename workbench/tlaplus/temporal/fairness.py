"""Fairness conditions, of the specification and in properties: which steps count for ``WF_v(A)`` and ``SF_v(A)``.

If A consists of disjuncts of Next, perhaps with state predicates, the steps of these disjuncts count. For any other A,
a step counts if it satisfies ``<<A>>_v``, whichever action takes it, and ``ENABLED <<A>>_v`` says where A is enabled.
Every action in a property is treated in this second way.
"""

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.notation import Notation
from workbench.kernel.meaning.properties import Formula
from workbench.kernel.meaning.state import Reader, Values
from workbench.kernel.meaning.steps import Fairness
from workbench.kernel.meaning.values import identity
from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Variable, fail_at
from workbench.tlaplus.steps.disjuncts import Disjunct, split
from workbench.tlaplus.steps.predicates import CompiledPredicate
from workbench.tlaplus.steps.step_memo import CountedSteps, RememberedStep, StepRow
from workbench.tlaplus.steps.steps import Counting, TextInstance
from workbench.tlaplus.syntax.tree import Angle, Apply, Conjunction, Identifier, Operation, Place, Prime, Qualified
from workbench.tlaplus.temporal.negation import Condition, FairnessGoal, Literal
from workbench.tlaplus.temporal.temporal import Promised, variables_in

#: A step has a label for the set of the conditions that count it. With more labels than this formulas are refused.
_MOST_LABELS = 1 << 20


class FairSteps:
    """The conditions of fairness of a specification.

    Args:
        variables: All variables: a condition whose subscript has them all counts every step that changes the state.
        instances: The steps.
        disjuncts: The disjuncts that they are.

    Attributes:
        conditions: As engines ask for them.
    """

    def __init__(
        self,
        closures: Closures,
        cells: Cells,
        variables: Sequence[Variable],
        instances: Sequence[TextInstance],
        disjuncts: Sequence[Disjunct],
    ) -> None:
        self._closures, self._cells, self._variables = closures, cells, variables
        self._instances = instances
        self._numbers = dict[Any, list[int]]()
        for instance, disjunct in zip(instances, disjuncts, strict=True):
            self._numbers.setdefault(disjunct.key, []).append(instance.number)
        self.conditions: list[Fairness] = []
        self._counts: list[CountedSteps | None] = []
        self._own = Counter[int]()  # for each step, how many conditions may count it
        self._subscripts = dict[Any, RememberedStep]()
        self._added = set[tuple[bool, frozenset[int], frozenset[int]]]()
        self._too_many: Place | None = None

    def add(self, conditions: Sequence[Condition]) -> None:
        """Add conditions of the specification."""
        for condition in conditions:
            self._add(condition)
            if self._too_many is None and self._labels() > _MOST_LABELS:
                self._too_many = condition.action.node.at

    def _labels(self) -> int:
        """How many labels the steps may have."""
        return len(self._instances) << max(self._own.values(), default=0)

    def formula(self, promised: Promised) -> Formula:
        """The formula of liveness for a promise; its conditions are added.

        Raises:
            InputError: With a place, if there are too many conditions.
        """
        if self._too_many is not None:
            fail_at(self._too_many, "the specification has more conditions of fairness than a search decides with")
        trigger = self._all(promised.trigger, True) if promised.trigger else None
        unless = frozenset(map(self._add_goal, promised.goals))
        steps = frozenset(self._add_steps(step, None) for step in promised.never)
        region = self._all(promised.region, False, is_each=promised.kind == "always_eventually")
        all_steps = (*promised.never, *(goal.steps for goal in promised.goals))
        boxes = [step for step in all_steps if step and step.is_of_box]
        if boxes:
            region = _Asking([self._compiled(box.action) for box in boxes], region)
        return Formula(promised.kind, trigger, region, unless=unless, steps=steps)

    def tell(self) -> None:
        """Have steps tell which of the conditions count them, for a search that decides liveness."""
        for instance in self._instances:
            own = [number for number, condition in enumerate(self.conditions) if instance.number in condition.actions]
            if any(self._counts[number] is not None for number in own):
                instance.counting = self._counting(own)

    def counts(self, condition: int, before: Values, writes: Mapping[int, Any]) -> bool:
        """Whether a condition that may count a step, from a row that writes some cells, counts it."""
        counts = self._counts[condition]
        return counts is None or counts(self._step(before, writes))

    def _step(self, before: Values, writes: Mapping[int, Any]) -> StepRow:
        return StepRow(before, writes, len(self._cells.layout.cells))

    def _counting(self, own: Sequence[int]) -> Counting:
        tests = [(number, self._counts[number]) for number in own]

        def counting(before: Values, writes: Mapping[int, Any]) -> frozenset[int]:
            step = self._step(before, writes)
            return frozenset([number for number, counts in tests if counts is None or counts(step)])

        return counting

    def _add(self, condition: Condition) -> None:
        label = f"{'SF' if condition.is_strong else 'WF'}({_spoken(condition.action, self._cells.notation)})"
        guards, numbers = list[Closure](), self._disjuncts(condition.action)
        if numbers is None:
            guards, action = self._guarded(condition.action)
            numbers = self._disjuncts(action)
        watched = variables_in(self._closures, condition.subscript)
        if numbers is None or watched is None:
            self._add_steps(condition, self._enabled(condition), label, assumed=True)
            return
        places = self._places(watched)
        if not guards:  # the same may be asked under another name, or for several values that it does not depend on
            if (key := (condition.is_strong, numbers, frozenset(places))) in self._added:
                return
            self._added.add(key)
        counted = None
        if len(places) < len(self._variables) or guards:
            counted = CountedSteps(self._cells, [self._remembered(guard) for guard in guards], places, False)
        self._append(Fairness(label, condition.is_strong, numbers), counted)

    def _guarded(self, action: Closure) -> tuple[list[Closure], Closure]:
        r"""The predicates p, q of a state and the action A of ``p /\ A /\ q``; none for any other action."""
        inner = action
        while not isinstance(inner.node, Conjunction):
            unfolded = self._closures.unfolded(inner)
            if unfolded is None:
                return [], action
            inner = unfolded
        operands = [inner.beside(operand) for operand in inner.node.operands]
        guards = [operand for operand in operands if self._closures.level(operand) <= Level.STATE]
        others = [operand for operand in operands if self._closures.level(operand) > Level.STATE]
        return (guards, others[0]) if len(others) == 1 else ([], action)

    def _disjuncts(self, action: Closure) -> frozenset[int] | None:
        """The steps of Next that make up an action; None if it has other ones too."""
        keys = [disjunct.key for disjunct in split(self._closures, action, "")]
        is_of_next = all(key in self._numbers for key in keys)
        return frozenset(number for key in keys for number in self._numbers[key]) if is_of_next else None

    def _add_goal(self, goal: FairnessGoal) -> int:
        """Add a goal, which every behaviour that breaks a formula meets."""
        is_enabled = _All((), True) if goal.disabled is None else self._all(goal.disabled, False)
        if goal.steps is not None:
            return self._add_steps(goal.steps, is_enabled)
        return self._append(Fairness("a formula's", goal.is_strong, frozenset(), is_enabled, assumed=False), None)

    def _add_steps(
        self,
        condition: Condition,
        is_enabled: Callable[[Reader], bool] | None,
        label: str = "a formula's",
        assumed: bool = False,
    ) -> int:
        """Add a condition that counts the steps that satisfy ``<<A>>_v``, whichever action takes them."""
        if not assumed and len(self._instances) << sum(counts is not None for counts in self._counts) > _MOST_LABELS:
            fail_at(condition.action.node.at, "fairness and liveness speak of too many actions to be decided together")
        every = frozenset(range(len(self._instances)))
        watched = variables_in(self._closures, condition.subscript)
        tests = self._parts(condition.action)
        if watched is None:
            changes = self._changes(condition.subscript)
            ordered = [*tests, changes] if condition.is_of_box else [changes, *tests]
            counted = CountedSteps(self._cells, ordered, None, False)
        else:  # the action alone may read less than the subscript
            counted = CountedSteps(self._cells, tests, self._places(watched), condition.is_of_box)
        return self._append(Fairness(label, condition.is_strong, every, is_enabled, assumed), counted)

    def _parts(self, action: Closure) -> list[RememberedStep]:
        """The conjuncts of an action, each of which reads less than all together."""
        return [self._remembered(part) for part in self._closures.conjuncts(action, Level.STATE)]

    def _changes(self, subscript: Closure) -> RememberedStep:
        """Whether a step changes a subscript, which several conditions have."""
        while (inner := self._closures.unfolded(subscript)) is not None:
            subscript = inner
        node, at = subscript.node, subscript.node.at
        key = node, subscript.scope, identity(tuple(subscript.values.values()))
        if key not in self._subscripts:
            changes = subscript.beside(Operation(at, "#", (Prime(at, node), node)))
            self._subscripts[key] = self._remembered(changes)
        return self._subscripts[key]

    def _remembered(self, test: Closure) -> RememberedStep:
        return RememberedStep(self._cells, self._compiled(test).of_values)

    def _places(self, watched: Container[Variable]) -> list[int]:
        return [number for number, variable in enumerate(self._variables) if variable in watched]

    def _compiled(self, closure: Closure) -> CompiledPredicate:
        return CompiledPredicate(self._closures, self._cells, closure)

    def _enabled(self, condition: Condition) -> CompiledPredicate:
        """``ENABLED <<A>>_v``."""
        steps = _steps_of(condition)
        return self._compiled(steps.beside(Operation(steps.node.at, "ENABLED", (steps.node,))))

    def _append(self, condition: Fairness, counts: CountedSteps | None) -> int:
        self.conditions.append(condition)
        self._counts.append(counts)
        self._own.update(condition.actions)
        return len(self.conditions) - 1

    def _test(self, literal: Literal) -> Callable[[Reader], bool]:
        subject = literal.what
        test = self._enabled(subject) if isinstance(subject, Condition) else self._compiled(subject)
        return test if literal.holds else _All([test], False)

    def _all(self, literals: Sequence[Literal], holds: bool, is_each: bool = False) -> Callable[[Reader], bool]:
        """Whether some predicates are all true, or not; `is_each` evaluates each of them in each state."""
        if len(literals) == 1:
            return self._test(literals[0] if holds else literals[0].negated)
        return (_Each if is_each else _All)([self._test(literal) for literal in literals], holds)


class _All:
    """Whether some predicates are all true, or not."""

    def __init__(self, tests: Sequence[Callable[[Reader], bool]], holds: bool) -> None:
        self._tests, self._holds = tests, holds

    def __call__(self, state: Reader) -> bool:
        return all(test(state) for test in self._tests) is self._holds


class _Each(_All):
    r"""The same, but every part is evaluated in each state, as TLC does for ``[]<>P \/ []<>Q``."""

    def __call__(self, state: Reader) -> bool:
        truths = [test(state) for test in self._tests]
        return all(truths) is self._holds


class _Asking:
    """A region whose states are asked some actions, of the step that keeps the state: it must have a value for TLC."""

    def __init__(self, actions: Sequence[CompiledPredicate], region: Callable[[Reader], bool]) -> None:
        self._actions, self._region = actions, region

    def __call__(self, state: Reader) -> bool:
        for action in self._actions:
            action(state, state)
        return self._region(state)


def _steps_of(condition: Condition) -> Closure:
    """``<<A>>_v``."""
    action = condition.action
    return action.beside(Angle(action.node.at, action.node, condition.subscript.node))


def _spoken(action: Closure, notation: Notation) -> str:
    """An action as people read it: its name, with the values bound around it."""
    node = action.node
    name = node.name if isinstance(node, (Identifier, Apply, Qualified)) else str(node.at)
    values = ", ".join(map(notation.show, action.values.values()))
    return f"{name}, {values}" if values else name
