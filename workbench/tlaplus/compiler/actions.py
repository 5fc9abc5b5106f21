r"""Write actions and initial conditions as Python's ``ast``: statements that go on once for each way.

What follows a formula in its conjunction is written inside its statements, so that a loop goes through the members of
an ``\E`` and each of them goes on with the rest. An assignment is undone after what follows it.
"""

import ast
from collections.abc import Callable
from dataclasses import replace

from workbench.tlaplus.compiler.assignments import Targets
from workbench.tlaplus.compiler.calls import Calls
from workbench.tlaplus.compiler.context import Workshop
from workbench.tlaplus.compiler.environment import REST, RUN, Binding, Held, Here, Written
from workbench.tlaplus.compiler.let_bindings import Lets
from workbench.tlaplus.compiler.nondeterminism import Branching
from workbench.tlaplus.compiler.python_code import (
    assign,
    attribute,
    call,
    conjunction,
    constant,
    defined,
    disjunction,
    item,
    loop,
    method,
    name,
    negated,
    placed,
    tuple_of,
    uses,
    when,
)
from workbench.tlaplus.names.symbols import Defined, Meaning, Standard, Substituted
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, OperatorDefinition, Place
from workbench.tlaplus.syntax.unparse import written

#: Writes the continuation. It may be called once; :meth:`Actions.shared` makes one that may be called repeatedly.
Following = Callable[[], list[ast.stmt]]
Statements = list[ast.stmt]
_CHOSEN = "chosen"


class Actions:
    """Writes the statements of actions."""

    def __init__(self, workshop: Workshop, calls: Calls, lets: Lets) -> None:
        self.workshop = workshop
        self.calls = calls
        self.lets = lets
        workshop.actions = self
        self.targets = Targets(workshop, calls)
        self.branching = Branching(workshop.knowledge)

    # Functions -------------------------------------------------------------------------------------------------------

    def body(self, node: Expression, here: Here) -> Statements:
        """The body of a function that takes a run and the continuation."""
        then = [] if here.initial else [assign(here.then, attribute(RUN, "then"))]
        return [
            assign(here.now, attribute(RUN, "now")),
            *then,
            assign(_CHOSEN, attribute(RUN, _CHOSEN)),
            *self.action(node, here, _rest),
        ]

    def function_of(self, node: Expression, here: Here, at: Place) -> str:
        """The name of a function for the action of ENABLED, which takes the locals that it uses after the others."""
        function = self.workshop.program.fresh("action")
        inside = Here(here.scope, here.environment, at.module)
        statements = self.body(node, inside)
        definition = defined(function, [RUN, REST, *here.environment.locals()], statements)
        self.workshop.define(definition, node, inside, "")
        return function

    def shared(self, following: Following) -> tuple[Statements, Following]:
        """The continuation as a local function, to call it from several places."""
        if following is _rest:
            return [], _rest
        function = self.workshop.program.fresh("following")
        return [defined(function, [], following())], lambda: [ast.Expr(call(function))]

    # Formulas --------------------------------------------------------------------------------------------------------

    def action(self, node: Expression, here: Here, following: Following) -> Statements:
        """The statements of an action's formula, and of what follows it."""
        made = self._written(node, here, following)
        if node.at.module == here.module:
            for statement in made:
                placed(statement, node.at)
        return made

    def _written(self, node: Expression, here: Here, following: Following) -> Statements:
        if isinstance(node, tree.Conjunction):
            return self._all([(one, here) for one in node.operands], following)
        if isinstance(node, tree.Disjunction):
            return self._any([(one, here) for one in node.operands], following)
        if isinstance(node, tree.Quantified):
            return self._exists(node, here, following) if node.kind == "E" else self._for_all(node, here, following)
        if isinstance(node, tree.If):
            before, again = self.shared(following)
            condition = self.calls.expressions.condition(node.condition, here)
            either = self.action(node.then, here, again), self.action(node.otherwise, here, again)
            return [*before, when(condition, *either)]
        if isinstance(node, tree.Case):
            return self._case(node, here, following)
        if isinstance(node, tree.Let):
            return self._let(node, here, following)
        if isinstance(node, tree.Label):
            return self.action(node.body, here, following)
        if isinstance(node, tree.Box):
            before, again = self.shared(following)
            kept = self._unchanged(node.subscript, here, again, written(node))
            return [*before, *self.action(node.action, here, again), *kept]
        if isinstance(node, tree.Angle):
            same = self.calls.expressions.unchanged(node.subscript, here)
            why = f"{written(node.subscript)}' # {written(node.subscript)}"
            return self.action(node.action, here, lambda: [when(negated(same), following(), self._why(why))])
        if isinstance(node, (tree.Identifier, tree.Apply, tree.Operation, tree.Qualified)):
            meaning, arguments, inside = self.calls.reached(node, here)
            return self._applied(meaning, arguments, inside, node, following)
        if isinstance(node, tree.Boolean) and node.value:
            return following()
        return self._tested(node, here, following)

    def _all(self, formulas: list[tuple[Expression, Here]], following: Following) -> Statements:
        if not formulas:
            return following()
        (node, here), *others = formulas
        return self.action(node, here, lambda: self._others(others, following))

    def _others(self, formulas: list[tuple[Expression, Here]], following: Following) -> Statements:
        """The conjuncts after the first: TLC goes on once for each way only until all variables are assigned."""
        if not formulas:
            return following()
        (node, here), *others = formulas
        if not self.branching.has_ways(node, here):
            return self.action(node, here, lambda: self._others(others, following))
        before, again = self.shared(lambda: self._others(others, following))
        tested = self._tested(node, here, again)
        return [*before, when(method(RUN, "is_complete"), tested, self.action(node, here, again))]

    def _tested(self, node: Expression, here: Here, following: Following) -> Statements:
        """An action's formula as a test."""
        condition = self.calls.expressions.condition(node, here)
        return [when(condition, following(), self._why(written(node)))]

    def _any(self, formulas: list[tuple[Expression, Here]], following: Following) -> Statements:
        before, again = self.shared(following)
        return [*before, *[statement for node, here in formulas for statement in self.action(node, here, again)]]

    def _why(self, text: str) -> Statements:
        return [ast.Expr(call(ast.Attribute(attribute(RUN, "whys"), "append", ast.Load()), constant(text)))]

    def _case(self, node: tree.Case, here: Here, following: Following) -> Statements:
        before, again = self.shared(following)
        if node.other is None:
            made: Statements = [ast.Expr(call("failed", constant("no arm of CASE is true")))]
        else:
            made = self.action(node.other, here, again)
        for arm in reversed(node.arms):
            condition = self.calls.expressions.condition(arm.guard, here)
            made = [when(condition, self.action(arm.value, here, again), made)]
        return [*before, *made]

    def _let(self, node: tree.Let, here: Here, following: Following) -> Statements:
        found, inside = self.lets.kept(node, here, False)
        made = self.action(node.body, inside, following)
        for local, meaning, _ in reversed(found):  # a name may stand for a formula that only assigns and has no value
            if any(uses(statement, local) for statement in made):
                made.insert(0, assign(local, self.lets.kept_value(meaning, True, inside)))
        return made

    # Bound names -----------------------------------------------------------------------------------------------------

    def _exists(self, node: tree.Quantified, here: Here, following: Following) -> Statements:
        members, taken, inside = self._members(node, here)
        labels = [
            tuple_of([constant(one.name), name(binding.local)])
            for one in node.names
            if isinstance(binding := inside.environment[one], Held)
        ]
        extend = method(_CHOSEN, "extend", tuple_of(labels))
        shorten = ast.Delete([ast.Subscript(name(_CHOSEN), ast.Slice(constant(-len(labels))), ast.Del())])
        body = [*taken, ast.Expr(extend), *self.action(node.body, inside, following), shorten]
        is_empty = self.workshop.program.fresh("empty")
        member = members[0] if len(members) == 1 else self.workshop.program.fresh("member")
        parts = [assign_many(members, name(member))] if len(members) > 1 else []
        return [
            assign(is_empty, constant(True)),
            loop(member, self._each(node, here), [assign(is_empty, constant(False)), *parts, *body]),
            when(name(is_empty), self._why(written(node)), []),
        ]

    def _for_all(self, node: tree.Quantified, here: Here, following: Following) -> Statements:
        """A conjunction over members whose number is known only when the code runs."""
        members, taken, inside = self._members(node, here)
        step, found = self.workshop.program.fresh("each"), self.workshop.program.fresh("found")
        number, member = self.workshop.program.fresh("number"), self.workshop.program.fresh("member")
        go_on = call(step, ast.BinOp(name(number), ast.Add(), constant(1)))
        is_last = ast.Compare(name(number), [ast.Eq()], [call("len", name(found))])
        body = self.action(node.body, inside, lambda: [ast.Expr(go_on)])
        if self.branching.has_ways(node.body, inside):
            is_later = ast.Compare(name(number), [ast.Gt()], [constant(0)])
            tested = self._tested(node.body, inside, lambda: [ast.Expr(go_on)])
            body = [when(conjunction([is_later, method(RUN, "is_complete")]), tested, body)]
        one = [
            assign(member, ast.Subscript(name(found), name(number), ast.Load())),
            assign(members[0], name(member)) if len(members) == 1 else assign_many(members, name(member)),
            *taken,
            *body,
        ]
        return [
            assign(found, call("tuple", self._each(node, here))),
            defined(step, [number], [when(is_last, following(), one)]),
            ast.Expr(call(step, constant(0))),
        ]

    def _each(self, node: tree.Quantified, here: Here) -> ast.expr:
        return call("each", self.calls.expressions.tried(node, here))

    def _members(self, node: tree.Quantified, here: Here) -> tuple[list[str], Statements, Here]:
        """The locals for members of the domains, the statements that take tuples apart, and the place inside."""
        members, taken, inside = self.calls.expressions.bind(node, here, backwards=True)
        parts = [
            assign_many(names, call("unpacked", name(member), constant(len(names))))
            for member, names in zip(members, taken, strict=True)
            if names
        ]
        return members, parts, inside

    # Names and operators ---------------------------------------------------------------------------------------------

    def _applied(
        self, meaning: Meaning, arguments: tuple[Binding, ...], here: Here, node: Expression, following: Following
    ) -> Statements:
        binding = self.calls.binding(meaning, here)
        if isinstance(binding, Written):
            return self._operator(binding.node, arguments, here.at(binding), node, following)
        if isinstance(meaning, Substituted):
            inside = replace(here, scope=meaning.scope)
            return self._operator(meaning.expression, arguments, inside, node, following)
        if isinstance(meaning, Standard) and not meaning.module:
            return self._standard(meaning, arguments, here, node, following)
        if isinstance(meaning, Defined) and self._is_entered(meaning, arguments, here):
            return self._call(meaning, arguments, here, following)
        return self._test(self.calls.applied(meaning, arguments, here, node.at), node, here, following)

    def _test(self, value: ast.expr, node: Expression, here: Here, following: Following) -> Statements:
        is_boolean = self.calls.expressions.is_boolean(node, here)
        condition = value if is_boolean else call("truth", value)
        if node.at.module == here.module:
            placed(condition, node.at)
        return [when(condition, following(), self._why(written(node)))]

    def _operator(
        self,
        node: Expression,
        arguments: tuple[Binding, ...],
        here: Here,
        used: Expression,
        following: Following,
    ) -> Statements:
        """The formula behind a name, or an operator applied to arguments."""
        if not arguments:
            return self.action(node, here, following)
        if isinstance(node, tree.Lambda):
            inside = here.bound(dict(zip(node.parameters, arguments, strict=True)), here.scope.inside(node))
            return self.action(node.body, inside, following)
        meaning, _, inside = self.calls.reached(node, here)
        return self._applied(meaning, arguments, inside, used, following)

    def _is_entered(self, meaning: Defined, arguments: tuple[Binding, ...], here: Here) -> bool:
        """Whether a definition is more than a test: whether it assigns, or has several ways, which TLC counts."""
        if not isinstance(meaning.definition, OperatorDefinition):
            return False
        visible = self.calls.visible(meaning, here)
        if not arguments and not visible and self.calls.is_constant(meaning, here):
            return False
        return here.initial or self.branching.of_call(meaning, arguments, visible, here)

    def _call(self, meaning: Defined, arguments: tuple[Binding, ...], here: Here, following: Following) -> Statements:
        passed = self.calls.passed(meaning, arguments, here, True)
        made, captured = self.calls.function(meaning, self.calls.visible(meaning, here), passed, here, True)
        values = [one.value for one in passed if one.value is not None]
        before, rest = self._as_function(following)
        return [*before, ast.Expr(call(made, name(RUN), name(rest), *map(name, captured), *values))]

    def _as_function(self, following: Following) -> tuple[Statements, str]:
        if following is _rest:
            return [], REST
        function = self.workshop.program.fresh("following")
        return [defined(function, [], following())], function

    def _standard(
        self, meaning: Standard, arguments: tuple[Binding, ...], here: Here, node: Expression, following: Following
    ) -> Statements:
        symbol = meaning.name
        texts = [(one.node, here.at(one)) for one in arguments if isinstance(one, Written)]
        if len(texts) == len(arguments):
            if symbol == "/\\":
                return self._all(texts, following)
            if symbol == "\\/":
                return self._any(texts, following)
            if symbol == "=>":
                (left, before), (right, after) = texts
                prologue, again = self.shared(following)
                condition = self.calls.expressions.condition(left, before)
                return [*prologue, when(condition, self.action(right, after, again), again())]
            if symbol == "UNCHANGED":
                return self._unchanged(*texts[0], following, written(node))
            if symbol in ("=", "\\in"):
                number = self.targets.target(*texts[0])
                if number is not None:
                    value = self.calls.expressions.value(*texts[1])
                    assigned = self._assigned if symbol == "=" else self._among
                    return assigned(number, value, here, node, following)
        value = self.calls.applied(meaning, arguments, here, node.at)
        return self._test(value, node, here, following)

    # Assignments -----------------------------------------------------------------------------------------------------

    def _assigned(self, number: int, value: ast.expr, here: Here, node: Expression, following: Following) -> Statements:
        """Assign a value, or compare with the one assigned already."""
        local, is_new = self.workshop.program.fresh("assigned"), self.workshop.program.fresh("new")
        target = here.now if here.initial else here.then
        cell = item(target, number)
        store = ast.Assign([ast.Subscript(name(target), constant(number), ast.Store())], name(local))
        remove = ast.Delete([ast.Subscript(name(target), constant(number), ast.Del())])
        fits = disjunction([name(is_new), call("equal", cell, name(local))])
        return [
            assign(local, value),
            assign(is_new, ast.Compare(constant(number), [ast.NotIn()], [name(target)])),
            when(name(is_new), [store], []),
            when(fits, following(), self._why(written(node))),
            when(name(is_new), [remove], []),
        ]

    def _among(self, number: int, value: ast.expr, here: Here, node: Expression, following: Following) -> Statements:
        members = method(RUN, "among", constant(number), value, constant(written(node)))
        return [loop(self.workshop.program.fresh("one"), members, following())]

    def _unchanged(self, node: Expression, here: Here, following: Following, why: str) -> Statements:
        numbers, tests = self.targets.kept(node, here)
        go_on = following if not tests else lambda: self._tests(tests, here, following)
        if not numbers:
            return go_on()
        kept = self.workshop.program.fresh("kept")
        keep = method(RUN, "keep", tuple_of([constant(number) for number in numbers]), constant(why))
        is_kept = ast.Compare(name(kept), [ast.IsNot()], [constant(None)])
        release = ast.Expr(method(RUN, "release", name(kept)))
        return [assign(kept, keep), when(is_kept, [*go_on(), release], [])]

    def _tests(self, tests: list[tuple[Expression, Here]], here: Here, following: Following) -> Statements:
        if not tests:
            return following()
        (node, at), *others = tests
        same = self.calls.expressions.unchanged(node, at)
        return [when(same, self._tests(others, here, following), self._why(f"UNCHANGED {written(node)}"))]


def _rest() -> Statements:
    return [ast.Expr(call(REST))]


def assign_many(names: list[str], value: ast.expr) -> ast.stmt:
    """``(a, b) = value``."""
    return ast.Assign([ast.Tuple([ast.Name(one, ast.Store()) for one in names], ast.Store())], value)
