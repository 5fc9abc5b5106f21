r"""Temporal formulas: the parts of a specification, and those of a property.

Both are conjunctions, once definitions, instances and ``\A`` over constants are expanded. A specification has initial
predicates, ``[][Next]_v``, fairness conditions, and perhaps other liveness such as ``[]<>P``. Each part of a property
is decided by states, by steps or by whole behaviours.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from workbench.kernel.meaning.errors import InputError
from workbench.kernel.meaning.properties import ALWAYS_KINDS
from workbench.tlaplus.config.closures import Closure, Closures, Values
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Variable, fail_at
from workbench.tlaplus.syntax.tree import (
    Apply,
    Box,
    Fairness,
    Identifier,
    Label,
    Let,
    Operation,
    Prime,
    Qualified,
    TupleOf,
)
from workbench.tlaplus.syntax.visitor import is_alike
from workbench.tlaplus.temporal.negation import Clause, Condition, FairnessGoal, Literal, Negation, refuse


class BoxedAction(NamedTuple):
    """``[action]_subscript``; `box` is all of it."""

    action: Closure
    subscript: Closure
    box: Closure


class Promised(NamedTuple):
    """A formula for the kernel, given by the behaviours that break it.

    Attributes:
        kind: As :class:`workbench.kernel.meaning.properties.Formula` has it.
        trigger: The predicates that hold where it begins to break it; () for none.
        region: The predicates that hold from there on; for a goal that must always hold, there or once later.
        never: The actions that no step from there on takes.
        goals: The conditions of fairness that it meets besides the specification's.
        values: The values of the names around the formula.
    """

    kind: str
    trigger: tuple[Literal, ...]
    region: tuple[Literal, ...]
    never: tuple[Condition, ...]
    goals: tuple[FairnessGoal, ...]
    values: Values


@dataclass
class Behaviour:
    """The parts of a specification. `assumed` has the liveness formulas other than fairness conditions."""

    initial: list[Closure] = field(default_factory=list)
    steps: list[BoxedAction] = field(default_factory=list)
    fairness: list[Condition] = field(default_factory=list)
    assumed: list[Closure] = field(default_factory=list)


@dataclass
class Asked:
    """The parts of a property.

    Attributes:
        initial: Predicates of initial states.
        always: Predicates of all states.
        steps: The formulas that every step must satisfy.
        promised: Formulas of liveness.
    """

    initial: list[Closure] = field(default_factory=list)
    always: list[Closure] = field(default_factory=list)
    steps: list[BoxedAction] = field(default_factory=list)
    promised: list[Promised] = field(default_factory=list)


def behaviour_of(closures: Closures, closure: Closure) -> Behaviour:
    """The parts of a specification.

    Raises:
        InputError: With the place, for a part that is something else.
    """
    behaviour = Behaviour()
    for part in closures.conjuncts(closure, Level.STATE):
        node = part.node
        if closures.level(part) <= Level.STATE:
            behaviour.initial.append(part)
        elif isinstance(node, Fairness):
            behaviour.fairness.append(Condition.of(part, node))
        elif (steps := _steps(part)) is not None:
            behaviour.steps.append(steps)
        elif _is_liveness(closures, part):
            behaviour.assumed.append(part)
        else:
            fail_at(node.at, "a specification has initial predicates, [][Next]_vars and liveness; this is none of them")
    return behaviour


def _is_liveness(closures: Closures, part: Closure) -> bool:
    """Whether a part rules out no state and no step, so that a search may ignore it, as TLC does.

    Such a part is about more than one state, so it does not restrict the initial states either.
    """
    try:
        asked = asked_of(closures, part)
    except InputError:  # it may say anything
        return False
    return not (asked.always or asked.steps or any(promised.kind in ALWAYS_KINDS for promised in asked.promised))


def asked_of(closures: Closures, closure: Closure) -> Asked:
    """The parts of a property.

    Raises:
        InputError: With the place, for a part that cannot be decided.
    """
    return _Asking(closures).of(closure)


class _Asking:
    def __init__(self, closures: Closures) -> None:
        self.closures, self.negation = closures, Negation(closures)
        self.asked = Asked()

    def of(self, closure: Closure) -> Asked:
        for part in self.closures.conjuncts(closure, Level.STATE):
            self._part(part)
        return self.asked

    def _part(self, part: Closure) -> None:
        node = part.node
        if self._is_of_states(part):
            self.asked.initial.append(part)
        elif isinstance(node, Operation) and node.symbol == "[]":
            self._always(part.beside(node.operands[0]))
        else:
            self._promise(part)

    def _always(self, inner: Closure) -> None:
        """Take ``[]inner`` apart."""
        for part in self.closures.conjuncts(inner, Level.STATE):
            node = part.node
            if isinstance(node, Box):
                self.asked.steps.append(BoxedAction(part.beside(node.action), part.beside(node.subscript), part))
            elif self._is_of_states(part):
                self.asked.always.append(part)
            elif isinstance(node, Operation) and node.symbol == "[]":
                self._always(part.beside(node.operands[0]))
            elif (stays := self._stays(part)) is not None:
                self.asked.steps.append(stays)
            else:
                self._promise(part.beside(Operation(node.at, "[]", (node,))))

    def _stays(self, part: Closure) -> BoxedAction | None:
        """The step formula ``[P => P']_P`` that ``P => []P``, required of every state, amounts to."""
        node = part.node
        if not isinstance(node, Operation) or node.symbol != "=>":
            return None
        now, then = node.operands
        if not isinstance(then, Operation) or then.symbol != "[]" or not self._is_of_states(part.beside(now)):
            return None
        if not is_alike(now, then.operands[0]):
            return None
        action = Operation(node.at, "=>", (now, Prime(node.at, now)))
        return BoxedAction(part.beside(action), part.beside(now), part.beside(Box(node.at, action, now)))

    def _promise(self, part: Closure) -> None:
        for case in self.negation.cases(part, False):
            if (possible := self._without_constants(case)) is not None:
                self.asked.promised.append(_promised(possible, part))

    def _without_constants(self, case: Clause) -> Clause | None:
        """The case without the constant predicates at its beginning; None if one of them does not hold."""
        varying = []
        for literal in case.now:
            if isinstance(literal.what, Condition) or self.closures.level(literal.what) > Level.CONSTANT:
                varying.append(literal)
            elif self.closures.is_true(literal.what) is not literal.holds:
                return None
        return replace(case, now=tuple(varying))

    def _is_of_states(self, closure: Closure) -> bool:
        return self.closures.level(closure) <= Level.STATE


def _promised(case: Clause, part: Closure) -> Promised:
    """The formula whose search finds a behaviour of one case.

    Raises:
        InputError: With the place, if none does.
    """
    settles = tuple(FairnessGoal(True, (literal,), None) for literal in case.settles)
    if case.later and case.passing == Clause(later=case.later[:1]) and not case.ceases and not case.later[0].takes:
        (begin,) = case.later
        if begin.breach is not None:
            return Promised("implies_always", begin.now, begin.breach, (), case.goals + settles, part.values)
        return Promised("leads_to", begin.now, begin.always, begin.never, case.goals + settles, part.values)
    if case.breach is not None and not case.ceases:
        return Promised("initially_implies_always", case.now, case.breach, (), case.goals + settles, part.values)
    if case.later or (case.passing != Clause() and case.ceases):
        refuse(part.node)
    if case.passing != Clause():
        kind = "initially_leads_to" if case.now else "eventually"
        return Promised(kind, case.now, case.always, case.never, case.goals + settles, part.values)
    if case == Clause(goals=case.goals) and len(case.goals) == 1:
        (again,) = case.goals
        if again.disabled and again.steps is None and not again.is_strong:
            return Promised("eventually_always", (), again.disabled, (), (), part.values)
    return Promised("always_eventually", (), case.settles, case.ceases, case.goals, part.values)


def _steps(part: Closure) -> BoxedAction | None:
    node = part.node
    if isinstance(node, Operation) and node.symbol == "[]" and isinstance(node.operands[0], Box):
        box = node.operands[0]
        return BoxedAction(part.beside(box.action), part.beside(box.subscript), part.beside(box))
    return None


def components(closures: Closures, subscript: Closure) -> frozenset[Variable | None]:
    """The variables of a subscript that is one or a tuple, through definitions; None for any other component."""
    node = subscript.node
    if isinstance(node, TupleOf):
        return frozenset().union(*(components(closures, subscript.beside(item)) for item in node.items))
    if isinstance(node, (Identifier, Apply)) and (called := subscript.scope.applied(node)) is not None:
        meaning, _ = called
        if isinstance(meaning, Variable):
            return frozenset({meaning})
    inner = closures.unfolded(subscript) if isinstance(node, (Identifier, Apply, Qualified, Label, Let)) else None
    return frozenset({None}) if inner is None else components(closures, inner)


def variables_in(closures: Closures, subscript: Closure) -> frozenset[Variable] | None:
    """The variables of a subscript that is a variable or a tuple of them, through definitions; None for any other."""
    variables = components(closures, subscript)
    return None if None in variables else frozenset(filter(None, variables))
