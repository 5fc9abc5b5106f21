"""A loaded specification, and the replacements that a configuration makes for its names."""

from dataclasses import dataclass
from typing import NamedTuple

from workbench.kernel.meaning.errors import InputError, unknown
from workbench.tlaplus.names.symbols import (
    Constant,
    Defined,
    InstanceParameter,
    Meaning,
    Named,
    Scope,
    Variable,
    place_of,
)
from workbench.tlaplus.syntax.tree import Declaration, FunctionApplication, Identifier, OperatorDefinition, Place
from workbench.tlaplus.syntax.units import Assumption, Module


class Assumed(NamedTuple):
    """An ASSUME, and the scope of its names."""

    assumption: Assumption
    scope: Scope


@dataclass(frozen=True)
class Specification:
    """A root module, with everything that it extends.

    Attributes:
        scope: The meanings of names in the root module.
        scopes: The scopes of the modules that make up the specification, extended and instantiated, by module.
        notes: Notes on its names for a result.
    """

    module: Module
    scope: Scope
    variables: tuple[Variable, ...]
    constants: tuple[Constant, ...]
    assumptions: tuple[Assumed, ...]
    scopes: tuple[Scope, ...]
    notes: tuple[str, ...]

    def meanings(self, name: str, module: str = "") -> list[tuple[Scope, Meaning]]:
        """The scopes that have a name, with its meaning there before replacements.

        They are those of `module`, or else, as in TLC, those in which the name is the root module's own. Names of a
        module that is only instantiated under a name are not affected.
        """
        candidates = [(scope, scope.own[name]) for scope in self.scopes if name in scope.own]
        if module:
            return [(scope, meaning) for scope, meaning in candidates if scope.module == module]
        root = self.scope.own.get(name)
        if root is None:
            return []
        if self._is_copied(name, root):
            return [(scope, meaning) for scope, meaning in candidates if meaning is root and scope.apart is None]
        return [(scope, meaning) for scope, meaning in candidates if _is_of(root, meaning)]

    def _is_copied(self, name: str, root: Meaning) -> bool:
        """Whether a name of the root module is a copy of one of a module that is instantiated without a name.

        SANY copies the definitions of a module with parameters, and of a LOCAL INSTANCE; the module keeps its own.
        """
        if not isinstance(root, Defined) or root.scope.apart is None:
            return False
        meanings = root.scope.names.values()
        return name in self.scope.local or any(isinstance(meaning, InstanceParameter) for meaning in meanings)

    def put(self, name: str, by: Meaning, scope: Scope, before: Meaning, module: str = "") -> None:
        """Replace one of the :meth:`meanings` of a name."""
        if module or (scope.apart is None and self._is_copied(name, before)):
            scope.names[name] = by
        elif isinstance(before, Named) and not isinstance(before, InstanceParameter) and before is not by:
            before.replacement = by

    def replace(self, name: str, by: str, module: str = "") -> None:
        """Replace a constant or an operator by a definition of the root module, as ``name <- by`` does in a .cfg.

        Args:
            name: The constant or operator.
            by: The definition.
            module: The module in which it is replaced; if empty, where it is a name of the root module itself.

        Raises:
            InputError: If one of them is unknown, or they take different numbers of arguments.
        """
        replacement = self.scope.find(by)
        if replacement is None:
            raise unknown("definition", by, self.scope.names_in_sight())
        for scope, before in self._replaceable(name, module):
            if before.arity != replacement.arity:
                raise InputError(
                    f"{name} takes {before.arity} arguments, and {by}, its replacement, {replacement.arity}"
                )
            self.put(name, replacement, scope, before, module)

    def tabulate(self, name: str, arities: set[int]) -> Constant:
        """Replace an operator by a table, as ``name(a, b) = value`` does in a .cfg: it becomes ``table[a, b]``.

        Args:
            arities: The numbers of arguments for which the table has values.

        Returns:
            The table, a new constant, whose value is a function.

        Raises:
            InputError: If the operator is unknown, or takes another number of arguments.
        """
        table = Constant(f"{name}(...)", 0, Place(self.module.name, 1, 1))
        for scope, before in self._replaceable(name):
            if arities != {before.arity}:
                other = next(iter(arities - {before.arity}))
                raise InputError(f"{name} takes {before.arity} arguments, and a value is given for {other}")
            if isinstance(before, (Declaration, InstanceParameter)):
                continue
            at, inner = place_of(before) or table.at, scope.beneath()
            inner.names[table.name] = table
            parameters = tuple(Declaration(at, f"argument {number}", 0) for number in range(1, before.arity + 1))
            arguments = tuple(Identifier(at, parameter.name) for parameter in parameters)
            body = FunctionApplication(at, Identifier(at, table.name), arguments)
            definition = OperatorDefinition(at, name, False, parameters, body)
            self.put(name, Defined(name, before.arity, definition, inner, False), scope, before)
        return table

    def _replaceable(self, name: str, module: str = "") -> list[tuple[Scope, Meaning]]:
        """As :meth:`meanings`, which are not empty."""
        meanings = self.meanings(name, module)
        if not meanings:
            elsewhere = [scope.module for scope in self.scopes if not module and name in scope.own]
            if elsewhere:
                raise InputError(
                    f"{name} is no name of {self.module.name} itself, but of {elsewhere[0]}; "
                    f"{name} <-[{elsewhere[0]}] Definition replaces it there"
                )
            names = {own_name for scope in self.scopes if module in ("", scope.module) for own_name in scope.own}
            raise unknown("constant or operator", name, names)
        return meanings


def _is_of(root: Meaning, other: Meaning) -> bool:
    """Whether two meanings come from the same definition, as in several instances of one module."""
    if isinstance(root, Defined) and isinstance(other, Defined):
        return root.definition is other.definition
    return root is other
