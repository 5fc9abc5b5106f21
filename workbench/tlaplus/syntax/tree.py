"""The syntax tree of TLA+ modules, independent of the parser that builds it.

This module has expressions, and the definitions that may occur in a LET; ``units.py`` has the other parts of a module,
and ``visitor.py`` visits all of them. Nodes compare by identity: the same text at two places makes two nodes, and
analyses store their results by node.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class Place(NamedTuple):
    """The start of a construct; lines and columns count from 1, as TLC counts them.

    Attributes:
        written: Line and column of what somebody wrote, if the construct is a part of its translation.

    Examples:
        >>> str(Place("Hudi", 40, 12)), str(Place("Lock", 40, 12, (7, 3)))
        ('Hudi.tla:40:12', 'Lock.tla:7:3')
    """

    module: str
    line: int
    column: int
    written: tuple[int, int] | None = None

    @property
    def shown(self) -> tuple[int, int]:
        """The line and column that people see."""
        return self.written or (self.line, self.column)

    def __str__(self) -> str:
        line, column = self.shown
        return f"{EXPRESSION}, column {column}" if self.module == EXPRESSION else f"{self.module}.tla:{line}:{column}"


#: The module of places in an expression that somebody asks of a module; no module can be called so.
EXPRESSION = "the expression"


@dataclass(frozen=True, eq=False)
class Node:
    """Any construct of a module."""

    at: Place


@dataclass(frozen=True, eq=False)
class Declaration(Node):
    """The introduction of a name: a constant, a variable, a parameter or a bound name.

    Attributes:
        arity: The number of its arguments; 0 unless it stands for an operator.
    """

    name: str
    arity: int = 0


@dataclass(frozen=True, eq=False)
class Expression(Node):
    """A construct that has a value, or that is an operator passed as an argument."""


@dataclass(frozen=True, eq=False)
class Unsupported(Expression):
    """A construct that is not supported; it is an error only where something uses it."""

    what: str


# Names and constants -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Identifier(Expression):
    """A name without arguments; as an argument it may name an operator, such as ``+``."""

    name: str


@dataclass(frozen=True, eq=False)
class Number(Expression):
    value: int


@dataclass(frozen=True, eq=False)
class String(Expression):
    value: str


@dataclass(frozen=True, eq=False)
class Boolean(Expression):
    value: bool


@dataclass(frozen=True, eq=False)
class At(Expression):
    """The ``@`` of EXCEPT."""


# Operators -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Apply(Expression):
    """``Op(a, b)``."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Operation(Expression):
    r"""An infix, prefix or postfix operator with its operands; ``A \X B \X C`` is one with three.

    Attributes:
        symbol: Its canonical spelling (``precedence.py``); a prefix minus is ``-.``.
        is_regrouped: Whether a chain is nested otherwise than in the text, which only an associative operator allows.
    """

    symbol: str
    operands: tuple[Expression, ...]
    is_regrouped: bool = False


@dataclass(frozen=True, eq=False)
class Conjunction(Expression):
    r"""A list with bullets, or operands with ``/\`` between them."""

    operands: tuple[Expression, ...]
    bulleted: bool = False


@dataclass(frozen=True, eq=False)
class Disjunction(Expression):
    r"""A list with bullets, or operands with ``\/`` between them."""

    operands: tuple[Expression, ...]
    bulleted: bool = False


@dataclass(frozen=True, eq=False)
class Lambda(Expression):
    parameters: tuple[Declaration, ...]
    body: Expression


@dataclass(frozen=True, eq=False)
class Step(Node):
    """One part of a path to an operator or a subexpression: ``I`` or ``I(3)``; ``2``, ``:`` or ``<<``; ``(3)``."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Qualified(Expression):
    """``I!J(3)!Op(4)``: an operator of an instance; or ``I!Op!2!(x)``, a part of one or of any other definition."""

    path: tuple[Step, ...]
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Label(Expression):
    """``name:: body``, or ``name(x, y):: body`` below binders of ``x`` and ``y``."""

    name: str
    bound: tuple[str, ...]
    body: Expression


# Bound names ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bound(Node):
    r"""``x, y \in S`` or ``<<x, y>> \in S``.

    Attributes:
        is_tuple: Whether the names take a tuple apart.
        domain: None if the names are unbounded.
    """

    names: tuple[Declaration, ...]
    is_tuple: bool
    domain: Expression | None

    @property
    def patterns(self) -> list[tuple[Declaration, ...]]:
        """The names that take one member each, or take it apart."""
        return [self.names] if self.is_tuple else [(name,) for name in self.names]


@dataclass(frozen=True, eq=False)
class Binder(Expression):
    """A construct whose bounds introduce names in its body; the domains are outside of them."""

    bounds: tuple[Bound, ...]
    body: Expression

    @property
    def names(self) -> tuple[Declaration, ...]:
        return tuple(name for bound in self.bounds for name in bound.names)


@dataclass(frozen=True, eq=False)
class Quantified(Binder):
    r"""``\E x \in S : p`` or ``\A x \in S : p``.

    Attributes:
        kind: ``E`` or ``A``.
    """

    kind: str


@dataclass(frozen=True, eq=False)
class Choose(Binder):
    r"""``CHOOSE x \in S : p``, with one bound."""


@dataclass(frozen=True, eq=False)
class Filter(Binder):
    r"""``{x \in S : p}``, with one bound."""


@dataclass(frozen=True, eq=False)
class MapOver(Binder):
    r"""``{e : x \in S, y \in T}``."""


@dataclass(frozen=True, eq=False)
class FunctionOf(Binder):
    r"""``[x \in S |-> e]``."""


# Control -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class If(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, eq=False)
class Arm(Node):
    """``guard -> value`` of a CASE."""

    guard: Expression
    value: Expression


@dataclass(frozen=True, eq=False)
class Case(Expression):
    arms: tuple[Arm, ...]
    other: Expression | None


@dataclass(frozen=True, eq=False)
class Let(Expression):
    units: "tuple[Definition | Recursive, ...]"
    body: Expression


# Values --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TupleOf(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class SetOf(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class FunctionSet(Expression):
    """``[S -> T]``."""

    domain: Expression
    codomain: Expression


@dataclass(frozen=True, eq=False)
class NamedField(Node):
    """``name |-> value`` of a record, or ``name : value`` of a set of records."""

    name: str
    value: Expression


@dataclass(frozen=True, eq=False)
class RecordOf(Expression):
    fields: tuple[NamedField, ...]


@dataclass(frozen=True, eq=False)
class RecordSet(Expression):
    fields: tuple[NamedField, ...]


@dataclass(frozen=True, eq=False)
class Field(Expression):
    """``record.name``."""

    record: Expression
    name: str


@dataclass(frozen=True, eq=False)
class FunctionApplication(Expression):
    """``f[a, b]``."""

    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Index(Node):
    """``[a, b]`` on the path of an EXCEPT."""

    arguments: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Selector(Node):
    """``.name`` on the path of an EXCEPT."""

    name: str


@dataclass(frozen=True, eq=False)
class Update(Node):
    """``!path = value`` of an EXCEPT."""

    path: tuple[Index | Selector, ...]
    value: Expression


@dataclass(frozen=True, eq=False)
class Except(Expression):
    function: Expression
    updates: tuple[Update, ...]


# Actions and temporal formulas ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Prime(Expression):
    operand: Expression


@dataclass(frozen=True, eq=False)
class Box(Expression):
    """``[A]_v``."""

    action: Expression
    subscript: Expression


@dataclass(frozen=True, eq=False)
class Angle(Expression):
    """``<<A>>_v``."""

    action: Expression
    subscript: Expression


@dataclass(frozen=True, eq=False)
class Fairness(Expression):
    """``WF_v(A)`` or ``SF_v(A)``.

    Attributes:
        kind: ``WF`` or ``SF``.
    """

    kind: str
    subscript: Expression
    action: Expression


# Definitions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Definition(Node):
    name: str
    local: bool


@dataclass(frozen=True, eq=False)
class OperatorDefinition(Definition):
    parameters: tuple[Declaration, ...]
    body: Expression


@dataclass(frozen=True, eq=False)
class FunctionDefinition(Definition):
    r"""``f[x \in S] == e``, which may be recursive. Its value is that of `function`."""

    function: FunctionOf

    #: Its operator has no parameters.
    parameters: ClassVar[tuple[Declaration, ...]] = ()


@dataclass(frozen=True, eq=False)
class Recursive(Node):
    names: tuple[Declaration, ...]
