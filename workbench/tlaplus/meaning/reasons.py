r"""Explains why a formula is false in a state or a step: the smallest parts that make it false, and what they read.

In a conjunction the first false part is to blame, for ``\A`` the first member that violates it, for a definition its
body, and in a disjunction all parts. For a negation the question turns round: why is the operand true?
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from workbench.tlaplus.meaning import sets
from workbench.tlaplus.meaning.environment import Argument, Closure, Environment, States
from workbench.tlaplus.meaning.expressions import (
    bindings,
    body_of,
    called,
    chosen_arm,
    evaluate,
    holds,
    is_unchanged,
    value_of,
)
from workbench.tlaplus.meaning.values import EvaluationFailure, Function, brief, is_sequence
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import DEPTH, Defined, InstanceParameter, Standard, Variable
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, Node
from workbench.tlaplus.syntax.unparse import written
from workbench.tlaplus.syntax.visitor import parts

#: If more parts than this are to blame, the formula is named as a whole.
_MOST_PARTS = 3


class Contradicted(Exception):
    """The formula to be explained is not false after all."""


class Reason(NamedTuple):
    """A part of a formula that makes it false.

    Attributes:
        node: The part.
        head: Says that the part is false, and for which values of bound names.
        read: The values of its operands.
        cells: The variables in it, each with the argument that it is applied to, or None.
    """

    node: Expression
    head: str
    read: tuple[str, ...] = ()
    cells: tuple[tuple[str, Any], ...] = ()

    @property
    def text(self) -> str:
        return f"{self.head}: {', '.join(self.read)}" if self.read else self.head


def in_line(blamed: Iterable[Reason]) -> str:
    """Reasons with their places."""
    return "; ".join(f"{reason.text} ({reason.node.at})" for reason in blamed)


def reasons(node: Expression, env: Environment, states: States) -> list[Reason]:
    """The parts of a false formula that make it false.

    Raises:
        EvaluationFailure: If it has no value.
        Contradicted: If it is true.
    """
    if holds(node, env, states):
        raise Contradicted(f"{written(node)} is true")
    return Why(states, False).of(node, env)


class Why:
    """Explains why formulas are false in some states, or why they are true.

    Args:
        subscript: The subscript of an enclosing ``[A]_v``. If all of A is to blame, the reason says what changed in it.
    """

    def __init__(self, states: States, is_true: bool, subscript: tuple[Expression, Environment] | None = None) -> None:
        self.states, self.is_true, self.subscript = states, is_true, subscript

    def of(self, node: Expression, env: Environment) -> list[Reason]:
        """The reasons for a formula whose truth is known."""
        if isinstance(node, (tree.Conjunction, tree.Disjunction)):
            operands = [(operand, env) for operand in node.operands]
            return self._of_parts(node, env, operands, isinstance(node, tree.Conjunction))
        if isinstance(node, tree.Quantified):
            return self._of_quantified(node, env)
        if isinstance(node, tree.If):
            return self.of(node.then if holds(node.condition, env, self.states) else node.otherwise, env)
        if isinstance(node, tree.Case):
            return self.of(chosen_arm(node, env, self.states), env)
        if isinstance(node, tree.Let):
            return self.of(node.body, env.inside(node))
        if isinstance(node, tree.Label):
            return self.of(node.body, env)
        if isinstance(node, tree.Box) and not self.is_true:
            return Why(self.states, False, (node.subscript, env)).of(node.action, env)
        if isinstance(node, tree.Angle) and not self.is_true and not holds(node.action, env, self.states):
            return self.of(node.action, env)
        if isinstance(node, (tree.Identifier, tree.Apply, tree.Operation, tree.Qualified)):
            return self._of_name(node, env)
        return [self.atom(node, env)]

    def _of_name(self, node: Expression, env: Environment) -> list[Reason]:
        meaning, arguments, reached = called(node, env)
        if isinstance(meaning, Standard):
            return [self.atom(node, env)] if meaning.module else self._of_operator(node, env, meaning.name, arguments)
        if isinstance(meaning, InstanceParameter) and not arguments:
            return self.of(meaning.expression, reached.at(meaning.scope))
        if isinstance(meaning, Defined) and isinstance(meaning.definition, tree.OperatorDefinition):
            if self._is_wide(meaning.body):
                return [self.atom(node, env)]  # its name says more than a list of its parts
            return self.of(meaning.body, body_of(meaning, arguments, reached))
        passed = env.bound.get(meaning) if isinstance(meaning, tree.Declaration) else None
        if isinstance(passed, Closure) and not arguments:
            return self.of(passed.node, passed.environment)
        return [self.atom(node, env)]

    def _of_operator(
        self, node: Expression, env: Environment, name: str, arguments: Sequence[Argument]
    ) -> list[Reason]:
        operands = [(argument.node, argument.environment) for argument in arguments if isinstance(argument, Closure)]
        if name == "~":
            return self._otherwise.of(*operands[0])
        if name in ("/\\", "\\/"):
            return self._of_parts(node, env, operands, name == "/\\")
        if name == "=>" and (not self.is_true or holds(*operands[0], self.states)):
            return self.of(*operands[1])
        if name == "=>":
            return self._otherwise.of(*operands[0])
        return [self.atom(node, env)]

    @property
    def _otherwise(self) -> "Why":
        return Why(self.states, not self.is_true)

    def _of_parts(
        self,
        node: Expression,
        env: Environment,
        operands: Sequence[tuple[Expression, Environment]],
        is_conjunction: bool,
    ) -> list[Reason]:
        if is_conjunction is not self.is_true:  # one operand is enough
            return next(self.of(*operand) for operand in operands if holds(*operand, self.states) is self.is_true)
        if self._is_wide(node):
            return [self.atom(node, env)]
        return [reason for operand in operands for reason in self.of(*operand)]

    def _is_wide(self, node: Expression) -> bool:
        """Whether too many parts are to blame to list them all."""
        kind = tree.Conjunction if self.is_true else tree.Disjunction
        return isinstance(node, kind) and len(node.operands) > _MOST_PARTS

    def _of_quantified(self, node: tree.Quantified, env: Environment) -> list[Reason]:
        ways = (inner for inner, _ in bindings(node, env, self.states))
        if (node.kind == "A") is not self.is_true:  # one way is enough
            decisive = (inner for inner in ways if holds(node.body, inner, self.states) is self.is_true)
            return self.of(node.body, next(decisive))
        read = [*_operand_values(_domains(node), env, self.states)]
        if next(ways, None) is None:
            read = self._empty(node, env)
        read += self._changes()
        none = "no" if not self.is_true else "each"
        bounds, _, body = written(node)[len(r"\E ") :].partition(" : ")
        head = f"{none} {bounds} has {body}{_bound_values(node, env, self.states)}"
        return [Reason(node, head, tuple(read), self._cells(node, env))]

    def _changes(self) -> list[str]:
        """What the step changes of the subscript."""
        return [] if self.subscript is None else [*islice(_changed(*self.subscript, self.states), _MOST_PARTS)]

    def empty_in(self, node: tree.Quantified, env: Environment) -> Reason:
        """The reason that says that a quantifier's domain is empty."""
        return Reason(node, ", ".join(self._empty(node, env)) + _bound_values(node, env, self.states))

    def _empty(self, node: tree.Quantified, env: Environment) -> list[str]:
        return [f"{written(domain)} is empty" for domain in _domains(node) if not _members(domain, env, self.states)]

    def atom(self, node: Expression, env: Environment) -> Reason:
        """The reason for a part that is not a connective: it is false, or true."""
        truth = "true" if self.is_true else "false"
        head = f"{written(node)} is {truth}{_bound_values(node, env, self.states)}"
        if self.is_true and isinstance(node, tree.Operation) and node.symbol == "=":
            return Reason(node, head, (), self._cells(node, env))  # which says it all
        read = [*_difference(node, env, self.states)] if not self.is_true else []
        if not self.is_true and isinstance(node, tree.Operation) and node.symbol == "UNCHANGED":
            read = [*_changed(node.operands[0], env, self.states)]
        elif not read and isinstance(node, tree.Operation) and node.symbol != "\\cdot":  # whose operands are actions
            read = [*_operand_values(node.operands, env, self.states)]
        if not isinstance(node, tree.Operation):
            read += self._changes()
        if isinstance(node, tree.Angle) and is_unchanged(node.subscript, env, self.states):
            read = [f"{written(node.subscript)} does not change"]
        return Reason(node, head, tuple(read), self._cells(node, env))

    def _cells(self, node: Expression, env: Environment) -> tuple[tuple[str, Any], ...]:
        return tuple(dict.fromkeys(_cells_in(node, env, self.states, frozenset())))


def _domains(node: tree.Quantified) -> list[Expression]:
    return [bound.domain for bound in node.bounds if bound.domain is not None]


def _members(domain: Expression, env: Environment, states: States) -> bool:
    return any(True for _ in sets.members_of(evaluate(domain, env, states)))


def _bound_values(node: Expression, env: Environment, states: States) -> str:
    """The values of the bound names and parameters in a formula, as text; empty if it has none."""
    text = ", ".join(f"{name} = {value}" for name, value in _bound_in(node, env, states))
    return f" for {text}" if text else ""


def _bound_in(node: Expression, env: Environment, states: States) -> Iterator[tuple[str, str]]:
    """The bound names and parameters that a formula mentions, with their values."""
    met = dict.fromkeys(declared for declared in _declared_in(node, env) if declared in env.bound)
    for declared in met:
        argument = env.bound[declared]
        if not declared.arity:
            with suppress(EvaluationFailure):  # TLC may never have evaluated it
                yield declared.name, brief(value_of(argument, states))


def _declared_in(node: Node, env: Environment) -> Iterator[tree.Declaration]:
    """The bound names and parameters that an expression mentions."""
    if isinstance(node, tree.Identifier):
        meaning, _ = env.model.meaning(node, env.scope)
        if isinstance(meaning, tree.Declaration):
            yield meaning
    for part in parts(node):
        yield from _declared_in(part.node, env.inside(node) if part.inside else env)


def _operand_values(nodes: Sequence[Expression], env: Environment, states: States) -> Iterator[str]:
    """The values of the operands that depend on the state; if none does, of those that contain names."""
    varying = [node for node in nodes if env.model.levels.level(node, env.scope) is not Level.CONSTANT]
    for node in varying or (nodes if states.now.keys() <= {DEPTH} else ()):
        if (text := written(node)) != (value := brief(evaluate(node, env, states))):
            yield f"{text} is {value}"


def _cells_in(node: Node, env: Environment, states: States, around: frozenset[Defined]) -> Iterator[tuple[str, Any]]:
    """The variables in an expression and in the definitions that it uses, with their arguments if these have a value.

    Args:
        around: The definitions already entered, so that a recursive one ends.
    """
    if isinstance(node, tree.FunctionApplication) and len(node.arguments) == 1:
        meaning = called(node.function, env)[0] if isinstance(node.function, tree.Identifier) else None
        if isinstance(meaning, Variable):
            with suppress(EvaluationFailure, KeyError):  # names bound further inside have no value here
                yield meaning.name, sets.listed(evaluate(node.arguments[0], env, states))
                yield from _cells_in(node.arguments[0], env, states, around)
                return
    if isinstance(node, (tree.Identifier, tree.Apply, tree.Qualified)):
        meaning, arguments, inner = called(node, env)
        passed = env.bound.get(meaning) if isinstance(meaning, tree.Declaration) else None
        if isinstance(meaning, Variable):
            yield meaning.name, None
        elif isinstance(meaning, Defined) and meaning not in around and meaning.arity == len(arguments):
            yield from _cells_in(meaning.body, body_of(meaning, arguments, inner), states, around | {meaning})
        elif isinstance(meaning, InstanceParameter):
            yield from _cells_in(meaning.expression, inner.at(meaning.scope), states, around)
        elif isinstance(passed, Closure):
            yield from _cells_in(passed.node, passed.environment, states, around)
        return
    for part in parts(node):
        yield from _cells_in(part.node, env.inside(node) if part.inside else env, states, around)


def _changed(node: Expression, env: Environment, states: States) -> Iterator[str]:
    """The components of a tuple of variables that a step changes; those without a next value are left out."""
    if isinstance(node, tree.TupleOf):
        for item in node.items:
            yield from _changed(item, env, states)
        return
    meaning, arguments, inner = called(node, env) if isinstance(node, tree.Identifier) else (None, [], env)
    if isinstance(meaning, Defined) and isinstance(meaning.definition, tree.OperatorDefinition):
        yield from _changed(meaning.body, body_of(meaning, arguments, inner), states)
        return
    with suppress(EvaluationFailure):  # it has none yet
        if not is_unchanged(node, env, states):
            before, after = (brief(evaluate(node, env, moment)) for moment in (states, states.primed))
            yield f"{written(node)} changes from {before} to {after}"


# Where two values differ ----------------------------------------------------------------------------------------------


def _difference(node: Expression, env: Environment, states: States) -> Iterator[str]:
    r"""Where two values that should be equal differ, or which part of a value lies outside a set."""
    if not isinstance(node, tree.Operation) or node.symbol not in ("=", "\\in", "\\subseteq"):
        return
    one, other = (evaluate(operand, env, states) for operand in node.operands)
    left, right = map(written, node.operands)
    if node.symbol == "=" and isinstance(one, Function) and isinstance(other, Function):
        if one.arguments == other.arguments:
            differ = [key for key, value in one.pairs if not sets.equal(value, sets.apply(other, key))]
            if len(differ) == 1 < len(one.pairs):
                key = differ[0]
                yield f"they differ at {key}: {brief(sets.apply(one, key))} and {brief(sets.apply(other, key))}"
    elif node.symbol == "\\in" and isinstance(one, Function):
        yield from _outside(one, other, left)
    elif node.symbol == "\\subseteq":
        foreign = [member for member in sets.members_of(one) if not sets.has(other, member)]
        yield f"{brief(foreign[0])} is in {left} and not in {right}"


def _outside(value: Function, members: Any, name: str) -> Iterator[str]:
    """The part of a function that does not fit a set of functions or records."""
    if isinstance(members, sets.Sequences) and is_sequence(value):
        codomains = dict.fromkeys(value.arguments, members.parts[0])
    elif isinstance(members, sets.Functions):
        codomains = dict.fromkeys(value.arguments, members.parts[1])
        domain = sets.domain_of(value)
        if not sets.equal(domain, members.parts[0]):
            yield f"its domain is {brief(domain)}"
            return
    elif isinstance(members, sets.Records):
        codomains = dict(zip(members.names, members.parts, strict=True))
        if set(codomains) != set(value.arguments):
            yield f"its fields are {', '.join(argument.spelling for argument in value.arguments)}"
            return
    else:
        return
    for argument, result in value.pairs:
        if not sets.has(codomains[argument], result):
            part = f"{name}.{argument.spelling}" if isinstance(members, sets.Records) else f"{name}[{argument}]"
            inner = [*_outside(result, codomains[argument], part)] if isinstance(result, Function) else []
            yield from inner or [f"{part} is {brief(result)}"]
            return
