"""Translates the temporal formulas of a specification to formulas over the steps of its behaviours.

Anything that a state or a step decides becomes an atom, left to the evaluator. Boolean operators, quantifiers over
constants, definitions, instances, LET and the temporal operators are expanded here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.tlaplus.meaning.environment import Argument, Closure, Environment, States
from workbench.tlaplus.meaning.expressions import bindings, body_of, called, holds, is_true, is_unchanged
from workbench.tlaplus.meaning.formulas import (
    FALSE,
    TRUE,
    Formula,
    Literal,
    all_of,
    always,
    eventually,
    negated,
    some_of,
)
from workbench.tlaplus.names.levels import Level, Response
from workbench.tlaplus.names.symbols import Defined, InstanceParameter, Meaning, Standard, fail_at
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression


@dataclass(frozen=True)
class Atom:
    """A predicate of states or of steps."""

    node: Expression
    environment: Environment
    level: Level

    def holds(self, states: States) -> bool:
        """Whether the atom holds in a step. If v is unchanged, ``<<A>>_v`` is false without evaluating A.

        ``[A]_v`` evaluates A first.

        Raises:
            EvaluationFailure: If TLC could not evaluate it.
        """
        if isinstance(self.node, tree.Angle):
            keeps = states.now is states.then or is_unchanged(self.node.subscript, self.environment, states)
            return not keeps and holds(self.node.action, self.environment, states)
        return holds(self.node, self.environment, states)


@dataclass
class Atoms:
    """The atoms in the formulas of a specification, which a :class:`Literal` refers to by number.

    Attributes:
        fairness: The formulas of WF and SF.
    """

    predicates: list[Atom] = field(default_factory=list)
    fairness: set[Formula] = field(default_factory=set)

    def formula(self, node: Expression, env: Environment) -> Formula:
        """An expression as a formula.

        Raises:
            InputError: With the place of anything that our formulas cannot express.
            EvaluationFailure: If a constant in it cannot be evaluated.
        """
        level = level_of(node, env)
        if level is Level.CONSTANT:
            return TRUE if holds(node, env, States({})) else FALSE
        if level is Level.STATE or isinstance(node, (tree.Box, tree.Angle)):
            self.predicates.append(Atom(node, env, level))
            return Literal(len(self.predicates) - 1)
        return _CONSTRUCTS.get(type(node), _refused)(self, node, env)

    def of_argument(self, argument: Argument) -> Formula:
        """An argument as a formula."""
        if isinstance(argument, Closure):
            return self.formula(argument.node, argument.environment)
        return TRUE if is_true(argument, States({})) else FALSE


def level_of(node: Expression, env: Environment) -> Level:
    """The level of an expression, given what its bound names stand for."""
    return env.model.levels.level(node, env.scope, _responses(env))


def _responses(env: Environment) -> dict[tree.Declaration, Response]:
    levels = env.model.levels
    return {
        name: levels.response(argument.node, argument.environment.scope, _responses(argument.environment))
        for name, argument in env.bound.items()
        if isinstance(argument, Closure)
    }


def _refused(atoms: Atoms, node: Expression, env: Environment) -> Formula:
    fail_at(node.at, "this is no temporal formula that can be decided")


def _conjunction(atoms: Atoms, node: tree.Conjunction, env: Environment) -> Formula:
    return all_of(atoms.formula(operand, env) for operand in node.operands)


def _disjunction(atoms: Atoms, node: tree.Disjunction, env: Environment) -> Formula:
    return some_of(atoms.formula(operand, env) for operand in node.operands)


def _quantified(atoms: Atoms, node: tree.Quantified, env: Environment) -> Formula:
    for bound in node.bounds:
        if bound.domain is None or level_of(bound.domain, env) is not Level.CONSTANT:
            fail_at(bound.at, "a temporal formula takes bounds that are constant sets")
    inner = (atoms.formula(node.body, inside) for inside, _ in bindings(node, env, States({})))
    return some_of(inner) if node.kind == "E" else all_of(inner)


def _if(atoms: Atoms, node: tree.If, env: Environment) -> Formula:
    condition = atoms.formula(node.condition, env)
    return some_of(_arms(condition, node, atoms, env))


def _arms(condition: Formula, node: tree.If, atoms: Atoms, env: Environment) -> Iterator[Formula]:
    """The cases in which an IF is true. An arm that a constant condition rules out is not evaluated."""
    for chosen, arm in ((condition, node.then), (negated(condition), node.otherwise)):
        if chosen != FALSE:
            yield all_of([chosen, atoms.formula(arm, env)])


def _let(atoms: Atoms, node: tree.Let, env: Environment) -> Formula:
    return atoms.formula(node.body, env.inside(node))


def _label(atoms: Atoms, node: tree.Label, env: Environment) -> Formula:
    return atoms.formula(node.body, env)


def _fairness(atoms: Atoms, node: tree.Fairness, env: Environment) -> Formula:
    taken: Expression = tree.Angle(node.at, node.action, node.subscript)
    disabled = negated(atoms.formula(tree.Operation(node.at, "ENABLED", (taken,)), env))
    again = always(eventually(atoms.formula(taken, env)))
    fairness = some_of([always(eventually(disabled)) if node.kind == "WF" else eventually(always(disabled)), again])
    atoms.fairness.add(fairness)
    return fairness


def _name(atoms: Atoms, node: Expression, env: Environment) -> Formula:
    meaning, arguments, inner = called(node, env)
    return _applied(atoms, node, meaning, arguments, inner)


def _applied(
    atoms: Atoms, node: Expression, meaning: Meaning, arguments: Sequence[Argument], env: Environment
) -> Formula:
    """The formula that a name applied to these arguments stands for."""
    if isinstance(meaning, Defined):
        return atoms.formula(meaning.body, body_of(meaning, arguments, env))
    if isinstance(meaning, InstanceParameter):
        return _of_closure(atoms, Closure(meaning.expression, env.at(meaning.scope)), arguments)
    if isinstance(meaning, tree.Declaration) and isinstance(argument := env.bound[meaning], Closure):
        return _of_closure(atoms, argument, arguments)
    if isinstance(meaning, Standard) and meaning.name in _OPERATORS:
        return _OPERATORS[meaning.name](atoms, *arguments)
    return _refused(atoms, node, env)


def _of_closure(atoms: Atoms, closure: Closure, arguments: Sequence[Argument]) -> Formula:
    node, env = closure.node, closure.environment
    if not arguments:
        return atoms.formula(node, env)
    if isinstance(node, tree.Lambda):
        return atoms.formula(node.body, env.inside(node).binding(node.parameters, arguments))
    meaning, _, inner = called(node, env)
    return _applied(atoms, node, meaning, arguments, inner)


def _implies(atoms: Atoms, one: Argument, other: Argument) -> Formula:
    premise = negated(atoms.of_argument(one))
    return TRUE if premise == TRUE else some_of([premise, atoms.of_argument(other)])


def _equivalent(atoms: Atoms, one: Argument, other: Argument) -> Formula:
    left, right = atoms.of_argument(one), atoms.of_argument(other)
    return some_of([all_of([left, right]), all_of([negated(left), negated(right)])])


def _leads_to(atoms: Atoms, one: Argument, other: Argument) -> Formula:
    return always(some_of([negated(atoms.of_argument(one)), eventually(atoms.of_argument(other))]))


_OPERATORS: dict[str, Callable[..., Formula]] = {
    "[]": lambda atoms, operand: always(atoms.of_argument(operand)),
    "<>": lambda atoms, operand: eventually(atoms.of_argument(operand)),
    "~>": _leads_to,
    "~": lambda atoms, operand: negated(atoms.of_argument(operand)),
    "/\\": lambda atoms, *both: all_of(map(atoms.of_argument, both)),
    "\\/": lambda atoms, *both: some_of(map(atoms.of_argument, both)),
    "=>": _implies,
    "<=>": _equivalent,
}

_CONSTRUCTS: dict[type, Callable[..., Formula]] = {
    tree.Conjunction: _conjunction,
    tree.Disjunction: _disjunction,
    tree.Quantified: _quantified,
    tree.If: _if,
    tree.Let: _let,
    tree.Label: _label,
    tree.Fairness: _fairness,
    tree.Identifier: _name,
    tree.Apply: _name,
    tree.Operation: _name,
    tree.Qualified: _name,
}
