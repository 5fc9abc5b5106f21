"""The tree of a specification: expressions, statements and declarations, each with its place."""

from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn, TypeAlias

from workbench.kernel.meaning.errors import InputError


class Place(NamedTuple):
    """A place in a text. Lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def refuse(at: Place, reason: str) -> NoReturn:
    """Raise an InputError that begins with the place."""
    raise InputError(f"{at}: {reason}")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node. Nodes compare by identity: the same text at two places makes two different nodes."""

    at: Place


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Node):
    value: int | float | str | bool | None


@dataclass(frozen=True, slots=True, eq=False)
class Listing(Node):
    """A list or a tuple, written as its items."""

    kind: str
    items: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Mapping(Node):
    pairs: "tuple[tuple[Expression, Expression], ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    operator: str
    operand: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """Arithmetic, comparison, membership, ``and`` and ``or``."""

    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Node):
    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Argument(Node):
    name: str
    """Empty for a positional argument."""
    value: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    function: "Expression"
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Attribute(Node):
    owner: "Expression"
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Index(Node):
    owner: "Expression"
    index: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Slice(Node):
    owner: "Expression"
    bounds: "tuple[Expression | None, Expression | None, Expression | None]"


@dataclass(frozen=True, slots=True, eq=False)
class Parameter(Node):
    name: str
    default: "Expression | None"


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Node):
    parameters: tuple[Parameter, ...]
    body: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Clause(Node):
    """A clause of a comprehension: ``for target in value``, or ``if value`` without a target."""

    target: "Expression | None"
    value: "Expression"


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(Node):
    """A comprehension of a list or a dict. For a dict, `element` is a tuple of key and value."""

    kind: str
    element: "Expression"
    clauses: tuple[Clause, ...]


Expression: TypeAlias = (
    Name | Literal | Listing | Mapping | Unary | Binary | Conditional | Call | Attribute | Index | Slice | Lambda
    | Comprehension
)  # fmt: skip


def parts(node: Expression) -> tuple[Expression, ...]:
    """The direct subexpressions of an expression."""
    match node:
        case Listing():
            return node.items
        case Mapping():
            return tuple(part for pair in node.pairs for part in pair)
        case Unary():
            return (node.operand,)
        case Binary():
            return node.left, node.right
        case Conditional():
            return node.condition, node.then, node.otherwise
        case Call():
            return node.function, *(argument.value for argument in node.arguments)
        case Attribute():
            return (node.owner,)
        case Index():
            return node.owner, node.index
        case Slice():
            return node.owner, *(bound for bound in node.bounds if bound is not None)
        case Lambda():
            return (node.body,)
        case Comprehension():
            clauses = [part for clause in node.clauses for part in (clause.target, clause.value)]
            return node.element, *(part for part in clauses if part is not None)
    return ()


@dataclass(frozen=True, slots=True, eq=False)
class Block(Node):
    """Statements with their flow: atomic, serial, parallel or oneof; empty for the flow of the enclosing block."""

    flow: str
    statements: "tuple[Statement, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Node):
    """``target = value``, or an augmented assignment such as ``+=``."""

    target: Expression
    operator: str
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Evaluate(Node):
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Word(Node):
    """``pass``, ``break`` or ``continue``."""

    word: str


@dataclass(frozen=True, slots=True, eq=False)
class Require(Node):
    condition: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Return(Node):
    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class If(Node):
    """The branches in order; ``else`` has the condition None."""

    branches: tuple[tuple[Expression | None, Block], ...]


@dataclass(frozen=True, slots=True, eq=False)
class For(Node):
    flow: str
    target: Expression
    members: Expression
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class While(Node):
    flow: str
    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class Choose(Node):
    """``any name in members: body``, or ``name = any members if where`` without a body."""

    name: str
    fair: str
    members: Expression
    where: Expression | None
    body: Block | None


@dataclass(frozen=True, slots=True, eq=False)
class Group(Node):
    """A block with a flow of its own."""

    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class Function(Node):
    """A ``func``, called by statements and run as part of their steps, or Starlark's ``def``, called in expressions."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block


Statement: TypeAlias = Assign | Evaluate | Word | Require | Return | If | For | While | Choose | Group | Function


@dataclass(frozen=True, slots=True, eq=False)
class Action(Node):
    """`fair` is empty, ``weak`` or ``strong``."""

    name: str
    fair: str
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class Role(Node):
    """A role.

    Attributes:
        durable, ephemeral: The fields that a crash keeps or resets; None if the text does not say.
        symmetric: Whether the instances are interchangeable.
    """

    name: str
    actions: dict[str, Action]
    functions: dict[str, Function]
    durable: frozenset[str] | None
    ephemeral: frozenset[str] | None
    symmetric: bool


@dataclass(frozen=True, slots=True, eq=False)
class Assertion(Node):
    """An assertion. `operators` are the words in front of it: always, exists, transition, eventually."""

    name: str
    operators: tuple[str, ...]
    parameters: tuple[str, ...]
    body: Block


@dataclass(slots=True)
class Bounds:
    """The limits on the actions with one name; None means no limit."""

    max_actions: int | None = None
    max_concurrent_actions: int | None = None
    crash_on_yield: bool = True


@dataclass(slots=True)
class Options:
    """The options of the front matter, with FizzBee's defaults.

    Attributes:
        is_bounded: Whether the text itself sets `max_actions`.
    """

    max_actions: int = 100
    is_bounded: bool = False
    max_concurrent_actions: int = 2
    crash_on_yield: bool = True
    deadlock_detection: bool = True
    liveness: bool = True
    of_action: dict[str, Bounds] = field(default_factory=dict)


@dataclass(slots=True)
class Specification:
    """A whole file. `fair_choices` says whether any choice in it is fair."""

    options: Options = field(default_factory=Options)
    constants: list[Statement] = field(default_factory=list)
    actions: dict[str, Action] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    assertions: dict[str, Assertion] = field(default_factory=dict)
    fair_choices: bool = False


def within(node: Node) -> tuple[Node | None, ...]:
    """The direct parts of an expression, a statement or a declaration; None for what it lacks."""
    match node:
        case Lambda():
            return *(parameter.default for parameter in node.parameters), node.body
        case Block():
            return node.statements
        case Assign():
            return node.target, node.value
        case Evaluate() | Return():
            return (node.value,)
        case Require():
            return (node.condition,)
        case If():
            return tuple(part for branch in node.branches for part in branch)
        case For():
            return node.target, node.members, node.body
        case While():
            return node.condition, node.body
        case Choose():
            return node.members, node.where, node.body
        case Function():
            return *(parameter.default for parameter in node.parameters), node.body
        case Group() | Action() | Assertion():
            return (node.body,)
        case Role():
            return *node.actions.values(), *node.functions.values()
    return parts(node) if isinstance(node, Expression) else ()
