"""Check that every name of a module is known where it is used, once, and with the right number of arguments."""

from workbench.tlaplus.names.symbols import (
    Defined,
    Instantiated,
    Meaning,
    Scope,
    Standard,
    check_arity,
    fail_at,
    origin,
    place_of,
)
from workbench.tlaplus.syntax.precedence import BUILT_IN
from workbench.tlaplus.syntax.tree import (
    Apply,
    At,
    Declaration,
    Definition,
    Except,
    Expression,
    Identifier,
    Lambda,
    Let,
    Node,
    Operation,
    Place,
    Qualified,
)
from workbench.tlaplus.syntax.units import Constants, Module, Substitution, Variables
from workbench.tlaplus.syntax.visitor import introduced, parts

_MANY = "\\X"  # takes as many operands as there are


def check_names(module: Module, scope: Scope) -> None:
    """Check a module whose definitions are in `scope`, except for its inner modules, which are checked by themselves.

    Raises:
        InputError: With the place, for the first error.
    """
    checker = _Checker()
    for unit in module.units:
        if not isinstance(unit, (Constants, Variables, Module)):
            checker.visit(unit, scope)


class _Checker:
    """Visits a module once.

    Attributes:
        open: The definitions around the node that is visited.
        updates: The number of EXCEPTs around it; only inside one ``@`` has a meaning.
    """

    def __init__(self) -> None:
        self.open: list[Definition] = []
        self.updates = 0

    def visit(self, node: Node, scope: Scope) -> None:
        for declaration in introduced(node):
            self.check_new(declaration.name, declaration.at, scope)
        if isinstance(node, Identifier):
            self.check_use(self.meaning_of(node.name, node.at, scope), (), node.at, scope)
        elif isinstance(node, Apply):
            self.check_use(self.meaning_of(node.name, node.at, scope), node.arguments, node.at, scope)
        elif isinstance(node, Operation):
            self.check_operation(node, scope)
        elif isinstance(node, Qualified):
            self.check_qualified(node, scope)
        elif isinstance(node, At) and not self.updates:
            fail_at(node.at, "@ has no meaning here; it takes an EXCEPT around it")
        elif isinstance(node, Definition):
            self.open.append(node)
            self.visit_parts(node, scope)
            self.open.pop()
        elif isinstance(node, Except):
            self.visit(node.function, scope)
            self.updates += 1
            for update in node.updates:
                self.visit_parts(update, scope)
            self.updates -= 1
        elif isinstance(node, Substitution):
            self.visit_argument(node.value, scope)
        else:
            if isinstance(node, Let):
                for unit in node.units:
                    if isinstance(unit, Definition):
                        self.check_new(unit.name, unit.at, scope)
            self.visit_parts(node, scope)

    def visit_parts(self, node: Node, scope: Scope) -> None:
        for part in parts(node):
            self.visit(part.node, scope.inside(node) if part.inside else scope)

    def visit_argument(self, node: Expression, scope: Scope) -> None:
        """Visit an argument that may be an operator."""
        if isinstance(node, Lambda):
            self.visit_parts(node, scope)
            for declaration in node.parameters:
                self.check_new(declaration.name, declaration.at, scope)
        elif isinstance(node, Identifier):
            self.meaning_of(node.name, node.at, scope)
        elif not isinstance(node, Qualified) or node.arguments:
            self.visit(node, scope)

    def meaning_of(self, name: str, at: Place, scope: Scope) -> Meaning:
        """The meaning of a name; a name defined further down is not known yet."""
        meaning = scope.meaning(name, at)
        if self.is_later(meaning, at):
            fail_at(at, f"{name} is not known yet; it is {origin(meaning)}, and RECURSIVE does not announce it")
        return meaning

    def is_later(self, meaning: Meaning, at: Place) -> bool:
        declared = None if isinstance(meaning, Declaration) else place_of(meaning)
        if declared is None or (isinstance(meaning, Defined) and meaning.recursive):
            return False
        inside = isinstance(meaning, (Defined, Instantiated)) and meaning.definition in self.open
        return inside or (declared.module == at.module and declared > at)

    def check_new(self, name: str, at: Place, scope: Scope) -> None:
        before = scope.find(name)
        if before is not None and name not in BUILT_IN and not self.is_later(before, at):
            fail_at(at, f"{name} is already {origin(before)}")

    def check_operation(self, node: Operation, scope: Scope) -> None:
        meaning = self.meaning_of(node.symbol, node.at, scope)
        if node.symbol == _MANY:
            self.visit_parts(node, scope)
        else:
            self.check_use(meaning, node.operands, node.at, scope)

    def check_qualified(self, node: Qualified, scope: Scope) -> None:
        self.meaning_of(node.path[0].name, node.path[0].at, scope)
        for step in node.path:
            for argument in step.arguments:
                self.visit_argument(argument, scope)
        self.check_use(scope.reach(node).meaning, node.arguments, node.at, scope)

    def check_use(self, meaning: Meaning, arguments: tuple[Expression, ...], at: Place, scope: Scope) -> None:
        if isinstance(meaning, Instantiated):
            fail_at(at, f"{meaning.name} is an instance; it takes ! and one of its operators")
        check_arity(meaning, len(arguments), at)
        parameters = meaning.definition.parameters if isinstance(meaning, Defined) else ()
        arities: list[int | None] = [parameter.arity for parameter in parameters]
        if not isinstance(
            meaning, Defined
        ):  # of a standard module's operators we know only how many parameters they have
            is_of_module = isinstance(meaning, Standard) and bool(meaning.module)
            arities = [None if is_of_module else 0] * len(arguments)
        for argument, arity in zip(arguments, arities, strict=True):
            if arity == 0:
                if isinstance(argument, Lambda):
                    fail_at(argument.at, f"{meaning.name} takes a value here, not an operator")
                self.visit(argument, scope)
            else:
                self.visit_argument(argument, scope)
                if arity is not None:
                    self.check_operator(argument, arity, meaning, scope)

    def check_operator(self, argument: Expression, arity: int, meaning: Meaning, scope: Scope) -> None:
        """Check that an argument is an operator with `arity` arguments of its own."""
        actual = scope.arity_of(argument)
        if actual != arity:
            phrase = f"one of {actual}" if actual else "a value"
            fail_at(argument.at, f"{meaning.name} takes an operator of {arity} arguments here, not {phrase}")
