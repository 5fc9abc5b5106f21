r"""Expressions with values for the names around them: the parts of Next and of properties.

A definition is *unfolded* where its arguments are constants: then its body, with values for its parameters, means the
same. Arguments that depend on the state stay where they are, since an operator may prime them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.tlaplus.compiler.big_stack import deeper
from workbench.tlaplus.compiler.compiler import Compiler
from workbench.tlaplus.compiler.runtime import place_of
from workbench.tlaplus.names.alternatives import MOST_CASES, Alternatives
from workbench.tlaplus.names.levels import Level, Levels
from workbench.tlaplus.names.symbols import Defined, InstanceParameter, Meaning, Scope, Standard
from workbench.tlaplus.syntax.tree import (
    Bound,
    Conjunction,
    Declaration,
    Disjunction,
    Expression,
    Label,
    Lambda,
    Let,
    Operation,
    OperatorDefinition,
    Place,
    Qualified,
    Quantified,
)
from workbench.tlaplus.values.lazy import each, is_endless
from workbench.tlaplus.values.values import Evaluation, EvaluationError, Noticed, Order, evaluation, go_on_with

Values = Mapping[Declaration, Any]

T = TypeVar("T")


def failed(error: EvaluationError, at: Place) -> ModelError:
    """The error of a model whose text cannot be evaluated, with its place; if unknown, with the definition's."""
    return ModelError(f"{place_of(error) or at}: {error}")


class Closure(NamedTuple):
    """An expression, the scope of its names, and the values of the names bound around it."""

    node: Expression
    scope: Scope
    values: Values

    def inside(self, node: Expression, values: Values | None = None) -> "Closure":
        """The closure of a part of this expression, which its names reach; `values` has those of more names."""
        return Closure(node, self.scope.inside(self.node), {**self.values, **(values or {})})

    def beside(self, node: Expression) -> "Closure":
        """Another expression in the same scope."""
        return Closure(node, self.scope, self.values)


class Closures:
    """Splits closures into parts, and compiles them.

    Each expression is compiled once, independently of the values of the names around it.

    Args:
        order: The order of strings and model values.
        noticed: Collects notes made during evaluation.
        has_view: Whether the configuration has a VIEW, with which the order of steps matters.
    """

    def __init__(self, compiler: Compiler, order: Order, noticed: Noticed, has_view: bool) -> None:
        self.compiler, self.has_view = compiler, has_view
        self._order, self._noticed = order, noticed
        self.levels = Levels()
        self.alternatives = Alternatives(self.levels)
        self._compiled: dict[Any, Callable[..., Any]] = {}
        self._curried: dict[tuple[Quantified, int], Quantified] = {}
        self._names: dict[Defined, Meaning | None] = {}

    def over(self, variables: Sequence[Any]) -> "Closures":
        """Closures of states of other variables; see :meth:`workbench.tlaplus.compiler.compiler.Compiler.over`."""
        return Closures(self.compiler.over(variables), self._order, self._noticed, self.has_view)

    def level(self, closure: Closure) -> Level:
        return self.levels.level(closure.node, closure.scope)

    # Functions ----------------------------------------------------------------------------------------------------

    def compiled(self, kind: str, closure: Closure) -> Callable[..., Any]:
        """An expression compiled to a function whose last arguments are the values of the names bound around it.

        Args:
            kind: The compiler's method: ``expression``, ``predicate``, ``members`` or ``action``.
        """
        key = kind, closure.node, closure.scope, tuple(closure.values)
        if key not in self._compiled:
            compile_it = getattr(self.compiler, kind)
            self._compiled[key] = compile_it(closure.node, closure.scope, tuple(closure.values))
        return self._compiled[key]

    def image(self, meaning: InstanceParameter, values: Values) -> Callable[[Any], Any]:
        """The substitute for a variable of an instance, as a function of the specification's variables.

        Args:
            values: Those of the names around it, the instance's parameters among them.
        """
        visible = meaning.scope.visible(values)
        function = self.compiled("expression", Closure(meaning.expression, meaning.scope, visible))
        return lambda now: function(now, None, *visible.values())

    def evaluated(self, at: Place, evaluate: Callable[..., T], *arguments: Any) -> T:
        """The result of `evaluate` with these arguments; it may be retried on a larger stack.

        Args:
            at: The place of what is evaluated, for an error that comes from no expression.

        Raises:
            ModelError: With the place, if something cannot be evaluated.
        """
        try:
            return self._begun(evaluate, *arguments)
        except EvaluationError as error:
            raise failed(error, at) from error

    def _begun(self, evaluate: Callable[..., T], *arguments: Any) -> T:
        """As :meth:`evaluated`, but an error has no place yet."""
        outer = current = evaluation()
        if outer.noticed is not self._noticed:  # the order may be that of several machines
            current = Evaluation(self._order, self._noticed)
            go_on_with(current)
        begins = not current.is_under_way
        if begins:
            current.is_under_way, current.looks = True, 0
        try:
            return evaluate(*arguments)
        except RecursionError:
            return deeper(self._begun, evaluate, *arguments)
        finally:
            if begins:
                current.is_under_way = False
                if outer.is_under_way:
                    go_on_with(outer)

    def value(self, closure: Closure, use: Callable[[Any], Any] = lambda value: value) -> Any:
        """The value of a constant expression, or what `use` makes of it: a lazy value belongs to its evaluation."""
        return self._constant("expression", closure, use)

    def is_true(self, closure: Closure) -> bool:
        """Whether a constant predicate holds."""
        return self._constant("predicate", closure, bool)

    def _constant(self, kind: str, closure: Closure, use: Callable[[Any], T]) -> T:
        return self._begun(lambda: use(self.compiled(kind, closure)(None, None, *closure.values.values())))

    # Parts --------------------------------------------------------------------------------------------------------

    def operands(self, closure: Closure, symbol: str) -> tuple[Closure, ...] | None:
        """The operands of an operator of TLA+ itself; None for any other expression."""
        called = closure.scope.applied(closure.node) if isinstance(closure.node, Operation) else None
        if called is None or not isinstance(called[0], Standard) or called[0].name != symbol:
            return None
        return tuple(map(closure.beside, called[1]))

    def unfolded(self, closure: Closure) -> Closure | None:
        """The expression that a name, a label, a LET or a list of one stands for; None if it cannot be unfolded.

        Raises:
            EvaluationError: If an argument has no value.
        """
        node, scope = closure.node, closure.scope
        if isinstance(node, (Label, Let)):
            return closure.inside(node.body)
        if isinstance(node, (Conjunction, Disjunction)) and len(node.operands) == 1:
            return closure.beside(node.operands[0])
        if isinstance(node, Qualified):
            reached = scope.reach(node)
            names = tuple(name for name, _ in reached.arguments)
            passed = self._passed(closure, names, tuple(value for _, value in reached.arguments))
            around = None if passed is None else {**closure.values, **passed}
            return None if around is None else self._body(closure, reached.meaning, node.arguments, around)
        called = scope.applied(node)
        return None if called is None else self._body(closure, *called, closure.values)

    def _body(
        self, closure: Closure, meaning: Meaning, arguments: tuple[Expression, ...], around: Values
    ) -> Closure | None:
        if isinstance(meaning, InstanceParameter) and not arguments and not meaning.arity:
            return Closure(meaning.expression, meaning.scope, meaning.scope.visible(around))
        if not isinstance(meaning, Defined) or meaning.recursive:
            return None
        definition = meaning.definition
        if not isinstance(definition, OperatorDefinition):
            return None
        passed = self._passed(closure, definition.parameters, arguments)
        scope, body = meaning.inner, definition.body
        if passed is not None:
            return Closure(body, scope, {**scope.visible(around), **passed})
        argument = _passed_as(self._named(body, scope), meaning, arguments)
        return None if argument is None else closure.beside(argument)

    def _named(self, node: Expression, scope: Scope) -> Meaning | None:
        """The name that an expression is, through LET, labels and operators that are their arguments; None else."""
        while isinstance(node, (Let, Label)):
            node, scope = node.body, scope.inside(node)
        meaning, arguments = scope.applied(node) or (None, ())
        if isinstance(meaning, Declaration) and not arguments:
            return meaning
        if not isinstance(meaning, Defined) or meaning.recursive:
            return None
        if meaning not in self._names:
            self._names[meaning] = self._named(meaning.body, meaning.inner)
        argument = _passed_as(self._names[meaning], meaning, arguments)
        return self._names[meaning] if argument is None else self._named(argument, scope)

    def _passed(
        self, closure: Closure, parameters: tuple[Declaration, ...], arguments: tuple[Expression, ...]
    ) -> dict[Declaration, Any] | None:
        """The values of the arguments; None if one of them is an operator or not a constant."""
        passed = dict[Declaration, Any]()
        for parameter, argument in zip(parameters, arguments, strict=True):
            actual = closure.beside(argument)
            if parameter.arity or isinstance(argument, Lambda) or self.level(actual) > Level.CONSTANT:
                return None
            passed[parameter] = self.value(actual)
        return passed

    def cases(self, closure: Closure) -> list[Closure] | None:
        r"""The body of a quantifier for the values of its names; None if its first set is no constant.

        As with TLC, the first name varies fastest. From the first set on that is not a small constant the names stay
        bound: of ``\A k \in Keys, t \in seen : P`` there is a case ``\A t \in seen : P`` for each key.
        """
        assert isinstance(closure.node, Quantified)
        node, valuations = closure.node, [dict[Declaration, Any]()]
        for number, bound in enumerate(node.bounds):
            more = self._with(valuations, closure, bound)
            if more is None:
                if not number:
                    return None
                outer = self._outer(node, number)
                return [closure.beside(outer).inside(outer.body, values) for values in valuations]
            valuations = more
        return [closure.inside(node.body, values) for values in valuations]

    def depends(self, closure: Closure, bound: Bound) -> bool:
        """Whether a bound's set depends on the state."""
        return bound.domain is not None and self.level(closure.beside(bound.domain)) > Level.CONSTANT

    def _outer(self, node: Quantified, number: int) -> Quantified:
        """A quantifier over the names of so many bounds, of one over the others; always the same object."""
        if (node, number) not in self._curried:
            inner = replace(node, bounds=node.bounds[number:])
            self._curried[node, number] = replace(node, bounds=node.bounds[:number], body=inner)
        return self._curried[node, number]

    def _with(
        self, valuations: list[dict[Declaration, Any]], closure: Closure, bound: Bound
    ) -> list[dict[Declaration, Any]] | None:
        """The values with those of a bound's names; None unless its set is a small constant."""
        if bound.domain is None or self.depends(closure, bound):
            return None
        try:
            listed = self.value(closure.beside(bound.domain), listed_if_few)
        except EvaluationError as error:
            raise InputError(str(failed(error, bound.domain.at))) from error
        if listed is None:
            return None
        for names in bound.patterns:
            valuations = [
                {**outer, **inner} for inner in _bindings(names, listed, bound.is_tuple) for outer in valuations
            ]
            if len(valuations) > MOST_CASES:
                return None
        return valuations

    def conjuncts(self, closure: Closure, above: Level) -> Iterator[Closure]:
        r"""The parts of a conjunction, through definitions and ``\A`` over constants.

        Args:
            above: Parts of this level, or of a lower one, are not taken apart.
        """
        node = closure.node
        if self.level(closure) <= above:
            yield closure
            return
        if isinstance(node, Conjunction):
            for operand in node.operands:
                yield from self.conjuncts(closure.beside(operand), above)
            return
        if isinstance(node, Quantified) and node.kind == "A":
            cases = self.cases(closure)
            if cases is not None:
                for case in cases:
                    yield from self.conjuncts(case, above)
                return
        inner = self.unfolded(closure)
        if inner is None:
            yield closure
        else:
            yield from self.conjuncts(inner, above)


def _passed_as(named: Meaning | None, meaning: Defined, arguments: tuple[Expression, ...]) -> Expression | None:
    """The argument for the parameter of this name; None if it is no parameter."""
    pairs = zip(meaning.definition.parameters, arguments, strict=True)
    return next((argument for parameter, argument in pairs if parameter is named), None)


def listed_if_few(members: Any) -> list[Any] | None:
    """The members of a set in TLC's order; None if it has no end, or more than :data:`MOST_CASES`."""
    if is_endless(members):
        return None
    few = list(islice(each(members), MOST_CASES + 1))
    return few if len(few) <= MOST_CASES else None


def _bindings(names: tuple[Declaration, ...], members: list[Any], is_tuple: bool) -> Iterator[Values]:
    for member in members:
        if not is_tuple:
            yield {names[0]: member}
        elif isinstance(member, tuple) and len(member) == len(names):
            yield dict(zip(names, member, strict=True))
        else:
            raise EvaluationError(f"a member of the set is not a tuple of {len(names)}")
