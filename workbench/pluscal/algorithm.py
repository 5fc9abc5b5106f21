"""The parts of an algorithm."""

from dataclasses import dataclass, field

from workbench.pluscal.expressions import Expression

Place = tuple[int, int]


@dataclass
class Declaration:
    name: str
    is_equal: bool
    value: Expression
    at: Place


@dataclass
class Statement:
    at: Place = (0, 0)
    label: str = field(default="", kw_only=True)
    label_at: Place | None = field(default=None, kw_only=True)  # of a label that is written
    call: Place | None = field(default=None, kw_only=True)  # the macro call that it was expanded from
    #: The form of the statement in the tree that pcal hashes, once the statement has been split into steps.
    hashed: "Statement | None" = field(default=None, kw_only=True)
    is_cut: bool = field(default=False, kw_only=True)  # whether it is `hashed` of an if or either with labels


@dataclass
class Single:
    name: str
    part: Expression
    value: Expression
    at: Place


@dataclass
class Assign(Statement):
    parts: list[Single] = field(default_factory=list)


@dataclass
class If(Statement):
    """An ``if``. `then_steps` and `else_steps` hold its branches from their first label on."""

    test: Expression = field(default_factory=Expression)
    then: list[Statement] = field(default_factory=list)
    other: list[Statement] = field(default_factory=list)
    then_steps: "list[Step]" = field(default_factory=list)
    else_steps: "list[Step]" = field(default_factory=list)


@dataclass
class Either(Statement):
    ways: list[list[Statement]] = field(default_factory=list)
    way_steps: "list[list[Step]]" = field(default_factory=list)


@dataclass
class While(Statement):
    test: Expression = field(default_factory=Expression)
    body: list[Statement] = field(default_factory=list)
    steps: "list[Step]" = field(default_factory=list)


@dataclass
class With(Statement):
    name: str = ""
    is_equal: bool = True
    value: Expression = field(default_factory=Expression)
    body: list[Statement] = field(default_factory=list)


@dataclass
class When(Statement):
    test: Expression = field(default_factory=Expression)


@dataclass
class Print(Statement):
    value: Expression = field(default_factory=Expression)


@dataclass
class Assert(Statement):
    test: Expression = field(default_factory=Expression)


@dataclass
class Skip(Statement):
    pass


@dataclass
class Goto(Statement):
    to: str = ""


@dataclass
class Call(Statement):
    """`then`: '', 'return', or 'goto' with `after`."""

    to: str = ""
    arguments: list[Expression] = field(default_factory=list)
    then: str = ""
    after: str = ""
    source: str = ""


@dataclass
class Return(Statement):
    source: str = ""


@dataclass
class MacroCall(Statement):
    name: str = ""
    arguments: list[Expression] = field(default_factory=list)


@dataclass
class Step:
    """The statements from one label to the next."""

    label: str
    body: list[Statement]
    at: Place


@dataclass
class Macro:
    name: str
    parameters: list[str]
    body: list[Statement]
    at: Place


@dataclass
class Part:
    """A procedure or a process; `steps` once its labels are known."""

    name: str
    at: Place
    variables: list[Declaration]
    body: list[Statement]
    plus: list[str]
    minus: list[str]
    calls: list[str]
    parameters: list[Declaration] = field(default_factory=list)
    is_equal: bool = True
    identity: Expression = field(default_factory=Expression)
    fairness: str = ""
    steps: list[Step] = field(default_factory=list)
    is_procedure: bool = False


@dataclass
class Algorithm:
    name: str
    is_fair: bool
    at: Place = (1, 1)
    variables: list[Declaration] = field(default_factory=list)
    definitions: Expression = field(default_factory=Expression)
    macros: list[Macro] = field(default_factory=list)
    procedures: list[Part] = field(default_factory=list)
    processes: list[Part] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    has_label: bool = False
    labels: set[str] = field(default_factory=set)
    has_default: bool = False
    goes: bool = False  # some goto
    goes_to_done: bool = False
    modified: bool = False  # some label with + or -
    added: list[tuple[str, Place]] = field(default_factory=list)
    warnings: list[tuple[Place, str]] = field(default_factory=list)
    last_line: int = 0
    omit_pc: bool = False
    omit_stuttering: bool = False
