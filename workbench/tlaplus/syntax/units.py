"""The units of a module other than definitions of operators and functions (``tree.py``)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from workbench.tlaplus.syntax.tree import Declaration, Definition, Expression, Node


@dataclass(frozen=True, eq=False)
class Substitution(Node):
    """``name <- value`` of a WITH; the value may be an operator."""

    name: str
    value: Expression


@dataclass(frozen=True, eq=False)
class Instance(Node):
    """``INSTANCE module WITH ...``. `local` is set only for ``LOCAL INSTANCE`` without a name."""

    module: str
    substitutions: tuple[Substitution, ...]
    local: bool


@dataclass(frozen=True, eq=False)
class InstanceDefinition(Definition):
    """``I(p) == INSTANCE module WITH ...``."""

    parameters: tuple[Declaration, ...]
    instance: Instance


@dataclass(frozen=True, eq=False)
class Constants(Node):
    names: tuple[Declaration, ...]


@dataclass(frozen=True, eq=False)
class Variables(Node):
    names: tuple[Declaration, ...]


@dataclass(frozen=True, eq=False)
class Assumption(Node):
    """ASSUME, with the name that it may have."""

    name: str
    body: Expression


@dataclass(frozen=True, eq=False)
class Theorem(Node):
    """THEOREM; it is not proved here, but other expressions may use its name."""

    name: str
    body: Expression


Unit = TypeVar("Unit", bound=Node)


@dataclass(frozen=True, eq=False)
class Module(Node):
    """A module, with its units in the order of the text: a name is known after it is declared or defined.

    Attributes:
        extends: The modules that it extends, by name and place.
        text: Its text as it was laid out, without comments.
    """

    name: str
    extends: tuple[Declaration, ...]
    units: tuple[Node, ...]
    text: str

    def each(self, kind: type[Unit]) -> Iterator[Unit]:
        """Its units of one kind, such as Definition or Assumption."""
        return (unit for unit in self.units if isinstance(unit, kind))

    @property
    def constants(self) -> tuple[Declaration, ...]:
        return tuple(name for unit in self.each(Constants) for name in unit.names)

    @property
    def variables(self) -> tuple[Declaration, ...]:
        return tuple(name for unit in self.each(Variables) for name in unit.names)
