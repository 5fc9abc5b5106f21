r"""Temporal formulas: what a specification consists of, and what a property asks for.

Both are conjunctions, through definitions, instances and ``\A`` over constants. A specification has initial predicates,
``[][Next]_v`` and conditions of fairness. A property has parts of which states, steps or whole behaviours decide each.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from workbench.tlaplus.levels import Level
from workbench.tlaplus.scopes import Variable, fail_at
from workbench.tlaplus.syntax import (
    Apply,
    Box,
    Expression,
    Fairness,
    Identifier,
    Label,
    Let,
    Operation,
    Qualified,
    TupleOf,
)
from workbench.tlaplus.terms import Term, Terms


class Steps(NamedTuple):
    """``[action]_subscript``; `box` is all of it."""

    action: Term
    subscript: Term
    box: Term


class Condition(NamedTuple):
    """``WF_subscript(action)``, or SF if it is strong."""

    is_strong: bool
    action: Term
    subscript: Term


class Promised(NamedTuple):
    """A formula of the kernel's, over state predicates.

    Attributes:
        kind: As :class:`workbench.kernel.meaning.properties.Formula` has it.
        trigger: None for the formulas that have none.
    """

    kind: str
    trigger: Term | None
    goal: Term


@dataclass
class Behaviour:
    """What a specification consists of."""

    initial: list[Term] = field(default_factory=list)
    steps: list[Steps] = field(default_factory=list)
    fairness: list[Condition] = field(default_factory=list)


@dataclass
class Asked:
    """What a property consists of.

    Attributes:
        initial: Predicates of initial states.
        always: Predicates of all states.
        steps: What every step must be.
        promised: Formulas of liveness.
    """

    initial: list[Term] = field(default_factory=list)
    always: list[Term] = field(default_factory=list)
    steps: list[Steps] = field(default_factory=list)
    promised: list[Promised] = field(default_factory=list)


def behaviour_of(terms: Terms, term: Term) -> Behaviour:
    """The parts of a specification.

    Raises:
        InputError: With the place, for a part that is something else.
    """
    found = Behaviour()
    for part in terms.conjuncts(term, Level.STATE):
        node = part.node
        if terms.level(part) <= Level.STATE:
            found.initial.append(part)
        elif isinstance(node, Fairness):
            found.fairness.append(_condition(part, node))
        elif (steps := _steps(part)) is not None:
            found.steps.append(steps)
        else:
            fail_at(node.at, "a specification has initial predicates, [][Next]_vars and WF or SF; this is none of them")
    return found


def asked_of(terms: Terms, term: Term) -> Asked:
    """The parts of a property.

    Raises:
        InputError: With the place, for a part that cannot be decided.
    """
    return _Asking(terms).of(term)


class _Asking:
    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.found = Asked()

    def of(self, term: Term) -> Asked:
        for part in self.terms.conjuncts(term, Level.STATE):
            self._part(part)
        return self.found

    def _part(self, part: Term) -> None:
        node = part.node
        if self._is_of_states(part):
            self.found.initial.append(part)
        elif isinstance(node, Operation) and node.symbol == "[]":
            self._always(part.beside(node.operands[0]))
        elif isinstance(node, Operation) and node.symbol == "<>":
            self._eventually(part.beside(node.operands[0]))
        elif isinstance(node, Operation) and node.symbol in ("~>", "=>"):
            self._leads_to(part, node)
        elif isinstance(node, Fairness):
            fail_at(node.at, f"{node.kind} as a property is not supported: only a specification's own is")
        else:
            self._refuse(node)

    def _always(self, inner: Term) -> None:
        """Take ``[]inner`` apart."""
        for part in self.terms.conjuncts(inner, Level.STATE):
            node = part.node
            if isinstance(node, Box):
                self.found.steps.append(Steps(part.beside(node.action), part.beside(node.subscript), part))
            elif self._is_of_states(part):
                self.found.always.append(part)
            elif isinstance(node, Operation) and node.symbol == "[]":
                self._always(part.beside(node.operands[0]))
            elif isinstance(node, Operation) and node.symbol == "~>":
                self._leads_to(part, node)
            elif isinstance(node, Operation) and node.symbol == "<>":
                self._promise("always_eventually", None, part.beside(node.operands[0]))
            elif isinstance(node, Operation) and node.symbol == "=>":
                goal = self._inside("<>", part.beside(node.operands[1]))
                self._promise("leads_to", part.beside(node.operands[0]), goal)
            else:
                self._refuse(node)

    def _eventually(self, inner: Term) -> None:
        """Take ``<>inner`` apart."""
        if self._is_of_states(inner):
            self._promise("eventually", None, inner)
        else:
            self._promise("eventually_always", None, self._inside("[]", inner))

    def _leads_to(self, part: Term, node: Operation) -> None:
        trigger, goal = map(part.beside, node.operands)
        if node.symbol == "~>":
            self._promise("leads_to", trigger, goal)
        else:
            self._promise("initially_leads_to", trigger, self._inside("<>", goal))

    def _promise(self, kind: str, trigger: Term | None, goal: Term) -> None:
        for one in (trigger, goal):
            if one is not None and not self._is_of_states(one):
                self._refuse(one.node)
        self.found.promised.append(Promised(kind, trigger, goal))

    def _inside(self, symbol: str, term: Term) -> Term:
        """The operand of ``[]`` or ``<>``, which may stand behind a definition."""
        while not isinstance(term.node, Operation):
            inner = self.terms.unfolded(term)
            if inner is None:
                break
            term = inner
        if isinstance(term.node, Operation) and term.node.symbol == symbol:
            return term.beside(term.node.operands[0])
        self._refuse(term.node)

    def _is_of_states(self, term: Term) -> bool:
        return self.terms.level(term) <= Level.STATE

    @staticmethod
    def _refuse(node: Expression) -> NoReturn:
        shapes = "[]P, [][A]_v, []<>P, <>[]P, <>P, P ~> Q and [](P => <>Q) of state predicates P and Q"
        fail_at(node.at, f"a formula of this shape is not supported; properties are conjunctions of {shapes}")


def _steps(part: Term) -> Steps | None:
    node = part.node
    if isinstance(node, Operation) and node.symbol == "[]" and isinstance(node.operands[0], Box):
        box = node.operands[0]
        return Steps(part.beside(box.action), part.beside(box.subscript), part.beside(box))
    return None


def _condition(part: Term, node: Fairness) -> Condition:
    return Condition(node.kind == "SF", part.beside(node.action), part.beside(node.subscript))


def variables_in(terms: Terms, subscript: Term) -> frozenset[Variable] | None:
    """The variables of a subscript that is a variable or a tuple of them, through definitions; None for any other."""
    node = subscript.node
    if isinstance(node, TupleOf):
        parts = [variables_in(terms, subscript.beside(item)) for item in node.items]
        return None if None in parts else frozenset().union(*filter(None, parts))
    if isinstance(node, Identifier):
        meaning = subscript.scope.meaning(node.name, node.at)
        if isinstance(meaning, Variable):
            return frozenset({meaning})
    inner = terms.unfolded(subscript) if isinstance(node, (Identifier, Apply, Qualified, Label, Let)) else None
    return None if inner is None else variables_in(terms, inner)
