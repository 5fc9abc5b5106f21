"""Write expressions as Python's ``ast``: constructs, without names and calls (``calls.py``)."""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from workbench.tlaplus.compiler.context import Workshop
from workbench.tlaplus.compiler.environment import Held, Here
from workbench.tlaplus.compiler.guard_pushdown import Early, early_tests
from workbench.tlaplus.compiler.python_code import (
    any_of,
    call,
    conjunction,
    constant,
    disjunction,
    function_of,
    name,
    negated,
    placed,
    starred,
    tuple_of,
)
from workbench.tlaplus.layout.views import EarlyTest
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Standard, fail_at
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import At, Bound, Expression
from workbench.tlaplus.values.values import text

#: Nodes that are as cheap as a value that is remembered.
_CHEAP = (tree.Identifier, tree.Number, tree.String, tree.Boolean, tree.Lambda, tree.At)
_BOOLEAN = (tree.Boolean, tree.Conjunction, tree.Disjunction, tree.Quantified, tree.Box, tree.Angle)
#: Operators of TLA+ itself and of Naturals whose value is a boolean of Python.
TESTS = frozenset(
    {"=", "#", "\\in", "\\notin", "\\subseteq", "~", "=>", "<=>", "/\\", "\\/", "<", ">", "<=", ">=", "ENABLED"}
    | {"UNCHANGED"}
)
_CONCRETE = (tree.Number, tree.String, tree.Boolean, tree.TupleOf, tree.SetOf, tree.RecordOf)


class Expressions:
    """Writes expressions; what it writes evaluates to the value, which may be lazy."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        workshop.expressions = self
        self._writers: Mapping[type, Callable[[Any, Here], ast.expr]] = {
            tree.Number: lambda node, here: constant(node.value),
            tree.String: lambda node, here: constant(text(node.value)),
            tree.Boolean: lambda node, here: constant(node.value),
            tree.At: self._at,
            tree.Conjunction: lambda node, here: conjunction(self._conditions(node.operands, here)),
            tree.Disjunction: lambda node, here: disjunction(self._conditions(node.operands, here)),
            tree.Label: lambda node, here: self.value(node.body, here),
            tree.Quantified: self._quantified,
            tree.Choose: self._choose,
            tree.Filter: self._filter,
            tree.MapOver: lambda node, here: call("mapped", *reversed(self._over(node, here))),
            tree.FunctionOf: lambda node, here: call("function", *self._over(node, here)),
            tree.Let: lambda node, here: self.workshop.lets.value(node, here),
            tree.If: self._if,
            tree.Case: self._case,
            tree.TupleOf: self._tuple,
            tree.SetOf: lambda node, here: call("enumerated", tuple_of(self.values(node.items, here))),
            tree.FunctionSet: lambda node, here: call("Functions", *self.values((node.domain, node.codomain), here)),
            tree.RecordOf: lambda node, here: call("record", self._fields(node.fields, here)),
            tree.RecordSet: lambda node, here: call("Records", self._fields(node.fields, here)),
            tree.Field: lambda node, here: call("field", self.value(node.record, here), constant(text(node.name))),
            tree.FunctionApplication: self._application,
            tree.Except: self._except,
            tree.Prime: lambda node, here: self.value(node.operand, here.primed()),
            tree.Box: self._box,
            tree.Angle: self._angle,
            tree.Unsupported: lambda node, here: fail_at(node.at, f"{node.what} is not supported"),
            tree.Fairness: lambda node, here: fail_at(node.at, f"{node.kind}_ is a temporal formula"),
            tree.Lambda: lambda node, here: fail_at(node.at, "an operator stands where a value is needed"),
        }

    # Values and conditions -------------------------------------------------------------------------------------------

    def value(self, node: Expression, here: Here) -> ast.expr:
        """An expression."""
        if not isinstance(node, _CHEAP) and self._is_fixed(node, here):
            made: ast.expr = call(self.workshop.remembered(node, here.scope))
        else:
            made = self.written(node, here)
        if node.at.module == here.module:
            placed(made, node.at)
        return made

    def written(self, node: Expression, here: Here) -> ast.expr:
        """An expression that is evaluated each time."""
        writer = self._writers.get(type(node))
        return self.workshop.calls.value(node, here) if writer is None else writer(node, here)

    def _is_fixed(self, node: Expression, here: Here) -> bool:
        """Whether an expression always has the same value, so that it is evaluated once."""
        if self.workshop.mentions.of(node, here.scope) & here.environment.keys():
            return False
        return self.workshop.knowledge.level(node, here) is Level.CONSTANT

    def values(self, nodes: tuple[Expression, ...], here: Here) -> list[ast.expr]:
        return [self.value(node, here) for node in nodes]

    def condition(self, node: Expression, here: Here) -> ast.expr:
        """An expression that must be a boolean."""
        made = self.value(node, here)
        if self.is_boolean(node, here):
            return made
        made = call("truth", made)
        if node.at.module == here.module:
            placed(made, node.at)
        return made

    def _conditions(self, nodes: tuple[Expression, ...], here: Here) -> list[ast.expr]:
        return [self.condition(node, here) for node in nodes]

    def is_boolean(self, node: Expression, here: Here) -> bool:
        """Whether the value of an expression is known to be a boolean of Python."""
        if isinstance(node, tree.Operation):
            meaning = here.scope.meaning(node.symbol, node.at)
            return node.symbol in TESTS and isinstance(meaning, Standard) and meaning not in here.environment
        return isinstance(node, _BOOLEAN)

    def is_concrete(self, node: Expression, here: Here) -> bool:
        """Whether the value of an expression is known not to be lazy."""
        if isinstance(node, tree.Identifier):
            binding = here.of(node)
            return isinstance(binding, Held) and binding.concrete
        return isinstance(node, _CONCRETE) or self.is_boolean(node, here)

    # Bound names -----------------------------------------------------------------------------------------------------

    def domain(self, node: tree.Binder, here: Here) -> ast.expr:
        """The set over which names are bound: a product for several names."""
        domains = [domain for bound in node.bounds for domain in self._domains(bound, here)]
        return domains[0] if len(domains) == 1 else call("Product", *domains)

    def _domains(self, bound: Bound, here: Here) -> list[ast.expr]:
        """A set for each pattern."""
        if bound.domain is None:
            fail_at(bound.at, f"{bound.names[0].name} is unbounded; TLC evaluates bounded names only")
        return [self.value(bound.domain, here) for _ in bound.patterns]

    def tried(self, node: tree.Quantified | tree.Filter, here: Here) -> ast.expr:
        """The domain of a construct, its last name first, without members that it skips in every state."""
        outer, taken, inside = self.bind(node, here)
        tests = list(early_tests(self.workshop, node, inside))
        bound = {one for names in (outer, *taken) for one in names}
        domains = [domain for one in node.bounds for domain in self._domains(one, here)]
        for number, local in enumerate(outer):
            mine = [one for one in tests if one.locals_ & bound == {local}]
            if mine:
                domains[number] = self._narrowed(domains[number], node, local, mine)
        return domains[0] if len(domains) == 1 else call("Product", *reversed(domains))

    def _narrowed(self, domain: ast.expr, node: tree.Binder, local: str, tests: list[Early]) -> ast.expr:
        given = sorted(frozenset().union(*[one.locals_ for one in tests]) - {local})
        here = tests[0].here
        test = self.workshop.function(
            node, here, [local, *given], lambda: conjunction([self.condition(one.node, one.here) for one in tests]), ""
        )
        return call("tried", domain, name(self.workshop.named(EarlyTest(test))), *map(name, given))

    def bind(self, node: tree.Binder, here: Here, backwards: bool = False) -> tuple[list[str], list[list[str]], Here]:
        """Locals for the names that a construct binds.

        Args:
            node: The construct.
            here: Where it is.
            backwards: Whether the last name comes first, as in :meth:`tried`: TLC takes the members of a quantifier's
                domains so that the first name changes quickest.

        Returns:
            A local for each set of the product; for each of them, the locals into which its members are taken apart, if
            they are; and the inside of the construct.
        """
        bindings: dict[Any, Held] = {}
        outer, taken = [], []
        for bound in node.bounds:
            for pattern in bound.patterns:
                names = [self.workshop.program.fresh("bound") for _ in pattern]
                bindings.update({one: Held(local, True) for one, local in zip(pattern, names, strict=True)})
                outer.append(self.workshop.program.fresh("member") if bound.is_tuple else names[0])
                taken.append(names if bound.is_tuple else [])
        if backwards:
            outer.reverse()
            taken.reverse()
        return outer, taken, here.bound(bindings, here.scope.inside(node))

    def function(
        self, node: tree.Binder, here: Here, write: Callable[[Here], ast.expr], backwards: bool = False
    ) -> ast.expr:
        """A lambda from a member of the domain to the expression written for it."""
        outer, taken, inside = self.bind(node, here, backwards)
        body = write(inside)
        for member, names in zip(outer, taken, strict=True):
            if names:
                parts = call("unpacked", name(member), constant(len(names)))
                body = call(function_of(names, body), starred(parts))
        if len(outer) == 1:
            return function_of(outer, body)
        member = self.workshop.program.fresh("member")
        return function_of([member], call(function_of(outer, body), starred(name(member))))

    def _over(self, node: tree.Binder, here: Here) -> tuple[ast.expr, ast.expr]:
        return self.domain(node, here), self.function(node, here, lambda inside: self.value(node.body, inside))

    def _quantified(self, node: tree.Quantified, here: Here) -> ast.expr:
        members = call("each", self.tried(node, here))
        is_plain = len(node.bounds) == 1 and len(node.names) == 1 and not node.bounds[0].is_tuple
        if is_plain:
            (local,), _, inside = self.bind(node, here)
            return any_of(local, members, self.condition(node.body, inside), node.kind == "A")
        test = self.function(node, here, lambda inside: self.condition(node.body, inside), True)
        return call("all" if node.kind == "A" else "any", call("map", test, members))

    def _choose(self, node: tree.Choose, here: Here) -> ast.expr:
        if node.bounds[0].domain is None:
            return call("failed", constant("TLC cannot evaluate an unbounded CHOOSE"))
        test = self.function(node, here, lambda inside: self.condition(node.body, inside))
        return call("choose", self.domain(node, here), test)

    def _filter(self, node: tree.Filter, here: Here) -> ast.expr:
        test = self.function(node, here, lambda inside: self.condition(node.body, inside))
        return call("filtered", self.tried(node, here), test)

    # Control ---------------------------------------------------------------------------------------------------------

    def _if(self, node: tree.If, here: Here) -> ast.expr:
        condition = self.condition(node.condition, here)
        return ast.IfExp(condition, self.value(node.then, here), self.value(node.otherwise, here))

    def _case(self, node: tree.Case, here: Here) -> ast.expr:
        if node.other is None:
            made: ast.expr = call("failed", constant("no arm of CASE is true"))
        else:
            made = self.value(node.other, here)
        for arm in reversed(node.arms):
            made = ast.IfExp(self.condition(arm.guard, here), self.value(arm.value, here), made)
        return made

    # Values with parts -----------------------------------------------------------------------------------------------

    def _tuple(self, node: tree.TupleOf, here: Here) -> ast.expr:
        items = self.values(node.items, here)
        is_concrete = all(self.is_concrete(one, here) for one in node.items)
        return tuple_of(items) if is_concrete else call("tupled", *items)

    def _fields(self, fields: tuple[tree.NamedField, ...], here: Here) -> ast.expr:
        names: list[ast.expr | None] = [constant(text(field.name)) for field in fields]
        return ast.Dict(names, [self.value(field.value, here) for field in fields])

    def _argument(self, nodes: tuple[Expression, ...], here: Here) -> ast.expr:
        """The argument of a function, which is a tuple for several."""
        values = self.values(nodes, here)
        return values[0] if len(values) == 1 else call("tupled", *values)

    def _application(self, node: tree.FunctionApplication, here: Here) -> ast.expr:
        return call("apply", self.value(node.function, here), self._argument(node.arguments, here))

    def _except(self, node: tree.Except, here: Here) -> ast.expr:
        updates = []
        for update in node.updates:
            path = [
                constant(text(step.name)) if isinstance(step, tree.Selector) else self._argument(step.arguments, here)
                for step in update.path
            ]
            old = self.workshop.program.fresh("old")
            new = self.value(update.value, here.bound({At: Held(old)}))
            updates.append(tuple_of([tuple_of(path), function_of([old], new)]))
        return call("except_", self.value(node.function, here), tuple_of(updates))

    def _at(self, node: At, here: Here) -> ast.expr:
        binding = here.environment[At]
        return self.workshop.calls.bound(binding, here)

    # Steps -----------------------------------------------------------------------------------------------------------

    def unchanged(self, node: Expression, here: Here) -> ast.expr:
        """``UNCHANGED node`` as a condition."""
        return call("equal", self.value(node, here.primed()), self.value(node, here))

    def _box(self, node: tree.Box, here: Here) -> ast.expr:
        return disjunction([self.condition(node.action, here), self.unchanged(node.subscript, here)])

    def _angle(self, node: tree.Angle, here: Here) -> ast.expr:
        changed = negated(self.unchanged(node.subscript, here))
        return conjunction([self.condition(node.action, here), changed])
