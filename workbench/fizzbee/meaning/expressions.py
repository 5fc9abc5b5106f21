"""Evaluates expressions: one method for each kind of node. Any other kind is refused."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NoReturn

from workbench.fizzbee.meaning.domains import METHODS, between
from workbench.fizzbee.meaning.library import CHANGING, FUNCTIONS, method
from workbench.fizzbee.meaning.operators import binary, in_place, unary
from workbench.fizzbee.meaning.symmetry import MODULE
from workbench.fizzbee.meaning.values import (
    Dict,
    Domain,
    Function,
    Instance,
    ModelValue,
    Record,
    Segment,
    Value,
    Wrong,
    kind_of,
    members,
    truth,
)  # fmt: skip
from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.tree import Expression, Place
from workbench.kernel.meaning.errors import ModelError

_LIBRARY = {name: Function(function) for name, function in FUNCTIONS.items()}
#: The exceptions that library functions raise for arguments of the wrong number or type.
_MISFITS = (TypeError, ValueError, IndexError, KeyError, AttributeError, ArithmeticError)


def fail(at: Place, reason: str) -> NoReturn:
    """Raise a ModelError that begins with the place."""
    raise ModelError(f"{at}: {reason}")


class Names:
    """Evaluates expressions with the names in scope; ``threads.py`` adds variables, roles and the state."""

    def __init__(self, constants: dict[str, Value], frozen: set[int]) -> None:
        self.constants, self.frozen = constants, frozen
        self.inner: dict[str, Value] = {}
        self.allocated: list[ModelValue] = []
        self.may_choose = False

    def variable(self, name: str) -> tuple[Value] | None:
        """The value of a variable in a tuple of one; None if no variable has that name."""
        raise NotImplementedError

    def scope(self) -> Callable[[], AbstractContextManager[None]]:
        """A way back to the variables that are in scope now."""
        raise NotImplementedError

    def look_up(self, at: Place, name: str) -> Value:
        """The value of a name, looked up in lambdas and comprehensions, variables, constants, then the library.

        Raises:
            ModelError: If nothing has that name.
        """
        if name in self.inner:
            return self.inner[name]
        if (cell := self.variable(name)) is not None:
            return cell[0]
        if name in self.constants:
            return self.constants[name]
        if name == "hasattr":
            return Function(lambda value, field: self.attribute(value, field) is not None)
        if name == "getattr":
            return Function(self._getattr)
        if name == "symmetry":
            return MODULE
        if name not in _LIBRARY:
            fail(at, f"nothing is called {name}")
        return _LIBRARY[name]

    def attribute(self, owner: Value, name: str) -> tuple[Value] | None:
        """A field of a record or a role, or a method, in a tuple of one."""
        if isinstance(owner, Instance) and name == "__id__":
            return (ModelValue(owner.role.name, owner.number, owner.role.symmetric),)
        if isinstance(owner, Domain) and name in METHODS[owner.kind]:
            return (self._of_domain(owner, partial(METHODS[owner.kind][name], owner)),)
        if isinstance(owner, Segment) and name == "fresh":
            return (self._of_domain(owner.domain, partial(between, owner)),)
        if isinstance(owner, Record | Instance | Domain):
            return (owner.fields[name],) if name in owner.fields else None
        bound = method(owner, name)
        if bound is not None and name in CHANGING:
            self.check_mutable(owner)
        return None if bound is None else (bound,)

    def _of_domain(self, domain: Domain, method: Callable[..., Value]) -> Function:
        """A method of a domain, which finds the values in use when it is called."""

        def call(*arguments: Value, **named: Value) -> Value:
            if not domain.is_nominal and not (self.may_choose and any(c is domain for c in self.constants.values())):
                raise Wrong(f"{domain.name} is not nominal: it is a constant, and actions alone ask for its values")
            among = None if domain.is_nominal else domain
            used = {value.number for value in self.symmetric() if value.name == domain.name and value.domain is among}
            value = method(used, *arguments, **named)
            self.allocated += value if isinstance(value, list) else [value]
            return value

        return Function(call)

    def symmetric(self) -> Iterator[ModelValue]:
        """The symmetric values that occur in the state, or that this statement has allocated."""
        raise NotImplementedError

    def _getattr(self, owner: Value, name: Value, *default: Value) -> Value:
        if (cell := self.attribute(owner, name) or default[:1]) == ():
            raise Wrong(f"type {kind_of(owner)} has no {name}")
        return cell[0]

    # Expressions ------------------------------------------------------------------------------------------------------

    def value(self, node: Expression) -> Value:
        """The value of `node`.

        Raises:
            ModelError: With the place of the expression that cannot be evaluated.
        """
        try:
            return _KINDS[type(node)](self, node)
        except Wrong as wrong:
            fail(node.at, str(wrong))

    def holds(self, node: Expression) -> bool:
        return truth(self.value(node))

    def members(self, node: Expression) -> list[Value]:
        """The members that a loop over `node` visits."""
        value = self.value(node)
        try:
            return members(value)
        except Wrong as wrong:
            fail(node.at, str(wrong))

    def _name(self, node: tree.Name) -> Value:
        return self.look_up(node.at, node.name)

    def _literal(self, node: tree.Literal) -> Value:
        return node.value

    def _listing(self, node: tree.Listing) -> Value:
        items = [self.value(item) for item in node.items]
        return items if node.kind == "list" else tuple(items)

    def _mapping(self, node: tree.Mapping) -> Value:
        return Dict("dict", [(self.value(key), self.value(value)) for key, value in node.pairs])

    def _unary(self, node: tree.Unary) -> Value:
        operand = self.value(node.operand)
        return not truth(operand) if node.operator == "not" else unary(node.operator, operand)

    def _binary(self, node: tree.Binary) -> Value:
        left = self.value(node.left)
        if node.operator in ("and", "or"):
            return left if truth(left) == (node.operator == "or") else self.value(node.right)
        return binary(node.operator, left, self.value(node.right))

    def _conditional(self, node: tree.Conditional) -> Value:
        return self.value(node.then if self.holds(node.condition) else node.otherwise)

    def _call(self, node: tree.Call) -> Value:
        function = self.value(node.function)
        if not isinstance(function, Function):
            fail(node.at, f"type {kind_of(function)} is not called")
        positional, named = self.arguments(node)
        try:
            return function.call(*positional, **named)
        except _MISFITS as misfit:
            fail(node.at, f"the call does not fit: {misfit}")

    def arguments(self, node: tree.Call) -> tuple[list[Value], dict[str, Value]]:
        """The values of a call's arguments, by position and by name."""
        positional, named = list[Value](), dict[str, Value]()
        for argument in node.arguments:
            value = self.value(argument.value)
            if not argument.name:
                positional.append(value)
            elif argument.name in named:
                fail(node.at, "an argument is given twice")
            else:
                named[argument.name] = value
        return positional, named

    def bound(
        self, at: Place, parameters: tuple[tree.Parameter, ...], positional: list[Value], named: dict[str, Value]
    ) -> dict[str, Value]:
        """Bind arguments to parameters.

        Raises:
            ModelError: If an argument is missing or nothing takes it.
        """
        names = [parameter.name for parameter in parameters]
        result = dict(zip(names, positional, strict=False))
        if len(positional) > len(names) or any(name not in names or name in result for name in named):
            fail(at, f"the arguments do not fit the parameters ({', '.join(names)})")
        result |= named
        for parameter in parameters:
            if parameter.name not in result:
                if parameter.default is None:
                    fail(at, f"there is no argument for {parameter.name}")
                result[parameter.name] = self.value(parameter.default)
        return result

    def _attribute(self, node: tree.Attribute) -> Value:
        owner = self.value(node.owner)
        if (cell := self.attribute(owner, node.name)) is None:
            fail(node.at, f"type {kind_of(owner)} has no {node.name}")
        return cell[0]

    def _index(self, node: tree.Index) -> Value:
        owner, index = self.value(node.owner), self.value(node.index)
        if isinstance(owner, Dict):
            return owner.get(index)
        if not isinstance(owner, list | tuple | str | range):
            fail(node.at, f"type {kind_of(owner)} has no indices")
        return owner[self._checked(node.at, owner, index)]

    def _checked(self, at: Place, owner: Any, index: Value) -> int:
        if not isinstance(index, int) or isinstance(index, bool) or not -len(owner) <= index < len(owner):
            fail(at, f"a {kind_of(owner)} of {len(owner)} has no such index")
        return index

    def _slice(self, node: tree.Slice) -> Value:
        owner = self.value(node.owner)
        bounds = [None if bound is None else self.value(bound) for bound in node.bounds]
        if not isinstance(owner, list | tuple | str | range):
            fail(node.at, f"type {kind_of(owner)} has no slices")
        if not all(bound is None or (isinstance(bound, int) and not isinstance(bound, bool)) for bound in bounds):
            fail(node.at, "a slice is between integers")
        if bounds[2] == 0:
            fail(node.at, "a slice has no step 0")
        return owner[slice(*bounds)]

    def _lambda(self, node: tree.Lambda) -> Value:
        inner, scope = self.inner, self.scope()

        def call(*positional: Value, **named: Value) -> Value:
            with scope():
                around, self.inner = self.inner, inner
                try:
                    self.inner = inner | self.bound(node.at, node.parameters, list(positional), named)
                    return self.value(node.body)
                finally:
                    self.inner = around

        return Function(call)

    def _comprehension(self, node: tree.Comprehension) -> Value:
        around = self.inner
        self.inner = dict(around)
        try:
            values = [self.value(node.element) for _ in self._ways(node.clauses)]
        finally:
            self.inner = around
        return Dict("dict", values) if node.kind == "dict" else values

    def _ways(self, clauses: tuple[tree.Clause, ...]) -> Iterator[None]:
        if not clauses:
            yield
            return
        first, *rest = clauses
        if first.target is None:
            if self.holds(first.value):
                yield from self._ways(tuple(rest))
            return
        for member in self.members(first.value):
            for name, value in self.unpacked(first.target, member):
                self.inner[name.name] = value
            yield from self._ways(tuple(rest))

    # Assignment -------------------------------------------------------------------------------------------------------

    def unpacked(self, target: Expression, value: Value) -> Iterator[tuple[Any, Value]]:
        """Unpack an assignment into pairs of a target - a name, attribute or index - and its value."""
        if not isinstance(target, tree.Listing):
            yield target, value
            return
        items = members(value) if isinstance(value, list | tuple) else []
        if len(items) != len(target.items):
            fail(target.at, f"{len(target.items)} names do not take a {kind_of(value)} of {len(items)}")
        for part, item in zip(target.items, items, strict=True):
            yield from self.unpacked(part, item)

    def check_mutable(self, value: Value) -> None:
        """Refuse to change a constant of the file, since constants are not part of a state."""
        if id(value) in self.frozen:
            raise Wrong(f"this {kind_of(value)} belongs to a constant")

    def changed(self, node: tree.Assign) -> Value:
        """The value that an assignment such as ``+=`` assigns."""
        operator, owner, value = node.operator.removesuffix("="), self.value(node.target), self.value(node.value)
        try:
            if isinstance(owner, list | Dict):
                self.check_mutable(owner)
            return owner if in_place(operator, owner, value) else binary(operator, owner, value)
        except Wrong as wrong:
            fail(node.at, str(wrong))

    def store(self, target: tree.Attribute | tree.Index, value: Value) -> None:
        """Assign to a field, or to an item by its index.

        Raises:
            ModelError: If the target cannot be assigned to.
        """
        owner = self.value(target.owner)
        try:
            self.check_mutable(owner)
            if isinstance(target, tree.Attribute):
                self._store_field(owner, target.name, value)
            elif isinstance(owner, Dict):
                owner.put(self.value(target.index), value)
            elif isinstance(owner, list):
                owner[self._checked(target.at, owner, self.value(target.index))] = value
            else:
                raise Wrong(f"members of type {kind_of(owner)} are not assigned to")
        except Wrong as wrong:
            fail(target.at, str(wrong))

    @staticmethod
    def _store_field(owner: Value, name: str, value: Value) -> None:
        if isinstance(owner, Instance) and (name in owner.fixed or name == "__id__"):
            raise Wrong(f"{name} is a parameter of the role")
        if not isinstance(owner, Instance) and not (isinstance(owner, Record) and owner.kind == "record"):
            raise Wrong(f"fields of type {kind_of(owner)} are not assigned to")
        owner.fields[name] = value


_KINDS: dict[type, Callable[[Names, Any], Value]] = {
    tree.Name: Names._name, tree.Literal: Names._literal, tree.Listing: Names._listing, tree.Mapping: Names._mapping,
    tree.Unary: Names._unary, tree.Binary: Names._binary, tree.Conditional: Names._conditional, tree.Call: Names._call,
    tree.Attribute: Names._attribute, tree.Index: Names._index, tree.Slice: Names._slice, tree.Lambda: Names._lambda,
    tree.Comprehension: Names._comprehension,
}  # fmt: skip
