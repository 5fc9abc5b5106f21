"""The meanings of names, and the scopes that hold them.

A bound name or a parameter means its own declaration. A constant or variable of an instantiated module means the
expression after WITH, whose names are resolved in the scope of the WITH, not in the caller's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn, TypeVar

from workbench.kernel.meaning.errors import InputError, did_you_mean
from workbench.tlaplus.syntax.mistakes import INSTEAD
from workbench.tlaplus.syntax.precedence import BUILT_IN
from workbench.tlaplus.syntax.subexpressions import select
from workbench.tlaplus.syntax.tree import (
    Apply,
    Arm,
    Declaration,
    Expression,
    FunctionDefinition,
    Identifier,
    Lambda,
    Let,
    Node,
    Operation,
    OperatorDefinition,
    Place,
    Qualified,
    Recursive,
    Step,
    String,
)
from workbench.tlaplus.syntax.units import InstanceDefinition
from workbench.tlaplus.syntax.visitor import introduced, is_alike, parts

T = TypeVar("T")


@dataclass(eq=False)
class Named:
    """A meaning of a name; a configuration may replace it with another.

    Attributes:
        name: The name under which it was declared or defined.
        arity: The number of its arguments.
    """

    name: str
    arity: int
    replacement: "Meaning | None" = field(default=None, init=False)


@dataclass(eq=False)
class Variable(Named):
    at: Place


#: The depth at which a search first reaches a state, 1 for an initial one: a variable where a search asks for it.
DEPTH = Variable('TLCGet("level")', 0, Place("TLC", 1, 1))
#: The figures of a search, available after it.
FIGURES = tuple(
    Variable(f'TLCGet("{figure}")', 0, DEPTH.at) for figure in ("distinct", "generated", "diameter", "queue", "stats")
)
_ASKED = {variable.name: variable for variable in (DEPTH, *FIGURES)}


@dataclass(eq=False)
class Constant(Named):
    at: Place


@dataclass(eq=False)
class Standard(Named):
    """An operator of TLA+ itself (`module` is empty) or of a standard module."""

    module: str


@dataclass(eq=False)
class Defined(Named):
    """A definition, and the scope in which the names of its body have their meanings.

    Attributes:
        recursive: Whether RECURSIVE announces it, or it is a function: then its body may use it.
    """

    definition: OperatorDefinition | FunctionDefinition
    scope: "Scope"
    recursive: bool

    @property
    def body(self) -> Expression:
        """The expression of the definition; its names have their meanings in the scope inside the definition."""
        definition = self.definition
        return definition.function if isinstance(definition, FunctionDefinition) else definition.body

    @property
    def inner(self) -> "Scope":
        """The scope inside the definition, with its parameters."""
        return self.scope.inside(self.definition)


@dataclass(eq=False)
class InstanceParameter(Named):
    """A constant or variable of an instantiated module: `expression`, or an operator, in the scope of its WITH."""

    expression: Expression
    scope: "Scope"
    is_constant: bool
    at: Place


@dataclass(eq=False)
class Instantiated(Named):
    """``I(p) == INSTANCE M``. `scope` holds the names that may follow ``I(...)!``."""

    definition: InstanceDefinition
    scope: "Scope"


_DEFINED = (Standard, Defined, Instantiated)
Meaning = Variable | Constant | Standard | Defined | InstanceParameter | Instantiated | Declaration


class Reached(NamedTuple):
    """The meaning of a qualified name.

    Attributes:
        arguments: The parameters of the instances on the path, with what is passed for them, in the caller's scope.
    """

    meaning: Meaning
    arguments: tuple[tuple[Declaration, Expression], ...]


class Apart(NamedTuple):
    """An instance whose variables are its own.

    Attributes:
        scopes: Its scopes, by those of the instance.
        variables: The new variables, each with the parameter of the instance whose place it takes.
    """

    scopes: "Mapping[Scope, Scope]"
    variables: Mapping[Variable, InstanceParameter]


class Scope:
    """The names known at a place of a text.

    Attributes:
        module: The module of the text.
        names: The names that this scope adds to its `outer`.
        brought: Names from the community's modules, and from those behind them. Whatever else is called so goes first,
            since these modules get new names; what was written for an earlier version may have its own.
        lent: The same, but not exported.
        local: The members of `names` that are not exported.
        parameters: The bound names and parameters in this scope and around it, and around the instance it belongs to.
        apart: Of a module in an instance, makes that instance with variables of its own.
    """

    apart: "Callable[[], Apart] | None" = None

    def __init__(
        self,
        module: str,
        outer: "Scope | None",
        instantiate: "Callable[[InstanceDefinition, Scope], Instantiated]",
        parameters: frozenset[Declaration] = frozenset(),
    ) -> None:
        self.module = module
        self.outer = outer
        self.names: dict[str, Meaning] = {}
        self.brought: dict[str, Meaning] = {}
        self.lent: dict[str, Meaning] = {}
        self.local: set[str] = set()
        self.parameters: frozenset[Declaration] = parameters if outer is None else parameters | outer.parameters
        self._instantiate = instantiate
        self._inside: dict[Node, Scope] = {}
        self._parts: dict[tuple[Qualified, Defined], Reached] = {}

    def beneath(self) -> "Scope":
        """A new scope around which this one is."""
        return Scope(self.module, self, self._instantiate)

    def find(self, name: str) -> Meaning | None:
        """The meaning of a name here, after replacements; None if it is unknown."""
        around = tuple(self._around())
        for scope in around:
            if name in scope.names:
                return replaced(scope.names[name])
        for scope in around:
            for names in (scope.lent, scope.brought):
                if name in names:
                    return replaced(names[name])
        return _BUILT_IN.get(name)

    def meaning(self, name: str, at: Place) -> Meaning:
        """The meaning of a name here.

        Raises:
            InputError: With the place, for an unknown name.
        """
        resolved = self.find(name)
        if resolved is None:
            meant = f"; {INSTEAD[name]}" if name in INSTEAD else did_you_mean(name, self.names_in_sight())
            raise MissingName(f"{at}: unknown name {name}{meant}", name)
        return resolved

    def names_in_sight(self) -> Iterator[str]:
        """Every name that is known here."""
        for scope in self._around():
            yield from scope.own

    def _around(self) -> "Iterator[Scope]":
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def exported(self) -> Iterator[tuple[str, Meaning]]:
        """The names that another module gets."""
        return ((name, meaning) for name, meaning in self.names.items() if name not in self.local)

    def visible(self, values: Mapping[Declaration, T]) -> dict[Declaration, T]:
        """The names on which expressions in this scope can depend, with their meanings."""
        return {name: value for name, value in values.items() if name in self.parameters}

    def applied(self, node: Node) -> tuple[Meaning, tuple[Expression, ...]] | None:
        """The meaning of a name or operator here, with its arguments; None for any other construct."""
        if isinstance(node, Operation):
            meaning = self.meaning(node.symbol, node.at)
            if node.is_regrouped and not isinstance(meaning, Standard):
                fail_at(node.at, f"so long a chain of {node.symbol} is read for TLC's alone; another takes parentheses")
            return meaning, node.operands
        if isinstance(node, (Apply, Qualified)):
            meaning = self.reach(node).meaning if isinstance(node, Qualified) else self.meaning(node.name, node.at)
            asked = _asked(node) if isinstance(meaning, Standard) and meaning.module == "TLC" else None
            return (meaning, node.arguments) if asked is None else (asked, ())
        return (self.meaning(node.name, node.at), ()) if isinstance(node, Identifier) else None

    def arity_of(self, node: Expression) -> int:
        """The number of the arguments of an operator that is an argument itself; 0 for a value."""
        if isinstance(node, Lambda):
            return len(node.parameters)
        if isinstance(node, Identifier):
            return self.meaning(node.name, node.at).arity
        return self.reach(node).meaning.arity if isinstance(node, Qualified) and not node.arguments else 0

    def add(self, name: str, meaning: Meaning, at: Place) -> None:
        """Add a name.

        Raises:
            InputError: With the place, if it means something else already.
        """
        before = self.names.setdefault(name, meaning)
        if before is not meaning:
            fail_at(at, f"{name} is already {origin(before)}")

    def include(self, names: Mapping[str, Meaning], at: Place) -> list[str]:
        """Add the names of another module; one that is known already keeps its meaning.

        Returns:
            A note for each name that both define, since SANY, too, takes the definition that it meets first.

        Raises:
            InputError: With the place of the EXTENDS or INSTANCE, for a declaration of a name that means something
                else already.
        """
        return _merge(self.names, names, at)

    def bring(self, names: Mapping[str, Meaning], at: Place, local: bool = False) -> list[str]:
        """Add names to `brought`, or to `lent` if they are `local`; otherwise as :meth:`include`."""
        return _merge(self.lent if local else self.brought, names, at)

    @property
    def own(self) -> dict[str, Meaning]:
        """The names that this scope itself has, with their meanings before replacements."""
        return self.lent | self.brought | self.names

    def define(self, definition: Node, announced: Mapping[str, Declaration]) -> Meaning | None:
        """Add the meaning that a definition defines; None if the node is not a definition.

        Args:
            definition: Any unit.
            announced: The names that RECURSIVE has announced.
        """
        if isinstance(definition, InstanceDefinition):
            meaning: Meaning = self._instantiate(definition, self)
        elif isinstance(definition, (OperatorDefinition, FunctionDefinition)):
            arity = len(definition.parameters)
            promised = announced.get(definition.name)
            if promised is not None and promised.arity != arity:
                fail_at(definition.at, f"{definition.name} has {arity} parameters; at {promised.at} {promised.arity}")
            recursive = promised is not None or isinstance(definition, FunctionDefinition)
            meaning = Defined(definition.name, arity, definition, self, recursive)
        else:
            return None
        self.add(definition.name, meaning, definition.at)
        if definition.local:
            self.local.add(definition.name)
        return meaning

    def inside(self, node: Node) -> "Scope":
        """The scope inside a construct, with the names that it introduces; always the same object for the same node."""
        inner = self._inside.get(node)
        if inner is not None:
            return inner
        declarations = introduced(node)
        if not declarations and not isinstance(node, Let):
            return self
        scope = Scope(self.module, self, self._instantiate, frozenset(declarations))
        for declaration in declarations:
            scope.add(declaration.name, declaration, declaration.at)
        if isinstance(node, Let):
            announced = announced_in(node.units)
            for unit in node.units:
                scope.define(unit, announced)
        return self._inside.setdefault(node, scope)  # another thread may have been here first

    def matching(self, scopes: "Mapping[Scope, Scope]") -> "Scope | None":
        """The scope at the same place in another instance, given those of its modules; None if it has none there."""
        if self in scopes or self.outer is None:
            return scopes.get(self)
        around = self.outer.matching(scopes)
        nodes = (node for node, scope in [*self.outer._inside.items()] if scope is self)
        return None if around is None else next((around.inside(node) for node in nodes), None)

    def reach(self, node: Qualified) -> Reached:
        """The meaning of ``I!J(3)!Op`` or ``Op!2``.

        Raises:
            InputError: With the place, for an unknown name or a wrong number of arguments on the path.
        """
        scope, arguments = self, list[tuple[Declaration, Expression]]()
        for number, step in enumerate(node.path):
            meaning = scope.meaning(step.name, step.at) if scope is self else scope.imported(step.name, step.at)
            if not isinstance(meaning, (Instantiated, Defined)):
                fail_at(step.at, f"{step.name}! is not supported: {step.name} is no instance or definition")
            check_arity(meaning, len(step.arguments), step.at)
            arguments.extend(zip(meaning.definition.parameters, step.arguments, strict=True))
            if isinstance(meaning, Defined):
                if (part := self._parts.get((node, meaning))) is None:
                    selectors = (*node.path[number + 1 :], Step(node.at, node.name, node.arguments))
                    part = self._parts.setdefault((node, meaning), _part_of(meaning, selectors, arguments))
                return part
            scope = meaning.scope
        return Reached(scope.imported(node.name, node.at), tuple(arguments))

    def imported(self, name: str, at: Place) -> Meaning:
        """The meaning of a name that is reached through an instance with this scope.

        As in TLC, it is the instance's own operator, even if ``Op <- Other`` replaces one of the same name elsewhere.

        Raises:
            InputError: With the place, if the instance has no such operator.
        """
        meaning = None if name in self.local else self.names.get(name, self.brought.get(name))
        if meaning is None or isinstance(meaning, InstanceParameter):
            fail_at(at, f"{self.module} has no operator {name}{did_you_mean(name, self.names)}")
        is_replaced = isinstance(meaning, Defined) and isinstance(meaning.replacement, Defined)
        return meaning if is_replaced else replaced(meaning)


def _asked(node: Apply | Qualified) -> Variable | None:
    """The variable that a ``TLCGet`` reads, if the search can provide it."""
    first = next(iter(node.arguments), None)
    return _ASKED.get(f'{node.name}("{first.value}")') if isinstance(first, String) else None


def without_value(asked: Variable) -> str:
    """Why :data:`DEPTH` or one of the :data:`FIGURES` has no value at this point."""
    where = "only what a search evaluates may ask for it" if asked is DEPTH else "only a POSTCONDITION may ask for it"
    return f"{asked.name} has no value here: {where}"


def _merge(table: dict[str, Meaning], names: Mapping[str, Meaning], at: Place) -> list[str]:
    notes = []
    for name, meaning in names.items():
        before = table.setdefault(name, meaning)
        if is_same(before, meaning):
            continue
        if not isinstance(before, _DEFINED) or not isinstance(meaning, _DEFINED):
            fail_at(at, f"{name} is already {origin(before)}")
        notes.append(f"{at}: {name} is {origin(before)}; another one, {origin(meaning)}, does not count")
    return notes


def _part_of(
    meaning: Defined, selectors: Sequence[Step], arguments: Sequence[tuple[Declaration, Expression]]
) -> Reached:
    """A part of a definition as a definition of its own; its parameters are the names given by the last selector."""
    body: Expression | Arm = meaning.body
    scope = meaning.inner
    passed, names = list(arguments), tuple[Declaration, ...]()
    for number, selector in enumerate(selectors, 1):
        body, names, entered = select(body, selector)
        for construct in entered:
            scope = scope.inside(construct)
        if len(names) != len(selector.arguments):
            fail_at(selector.at, f"!{selector.name} takes {len(names)} arguments here, not {len(selector.arguments)}")
        if number < len(selectors):
            passed += zip(names, selector.arguments, strict=True)
    if isinstance(body, Arm):
        fail_at(
            selectors[-1].at, f"!{selectors[-1].name} is an arm of CASE; it takes !1, its condition, or !2 behind it"
        )
    part = OperatorDefinition(body.at, meaning.name, False, names, body)
    return Reached(Defined(meaning.name, len(names), part, scope, False), tuple(passed))


_BUILT_IN: dict[str, Meaning] = {name: Standard(name, arity, "") for name, arity in BUILT_IN.items()}


def replaced(meaning: Meaning) -> Meaning:
    """A meaning after a configuration's replacements."""
    while isinstance(meaning, Named) and meaning.replacement is not None:
        meaning = meaning.replacement
    return meaning


def announced_in(units: tuple[Node, ...]) -> dict[str, Declaration]:
    """The names that RECURSIVE announces among some units."""
    return {name.name: name for unit in units if isinstance(unit, Recursive) for name in unit.names}


def meanings_in(node: Node, scope: Scope) -> dict[Meaning, None]:
    """The meanings of an expression's names, also through definitions, but not those of instances' variables."""
    meanings = dict[Meaning, None]()
    _add_meanings(node, scope, meanings)
    return meanings


def _add_meanings(node: Node, scope: Scope, meanings: dict[Meaning, None]) -> None:
    meaning, _ = scope.applied(node) or (None, ())
    if meaning is not None and meaning not in meanings:
        meanings[meaning] = None
        if isinstance(meaning, Defined):
            _add_meanings(meaning.body, meaning.inner, meanings)
    for part in parts(node):
        if not isinstance(node, Let) or part.node is node.body:  # a definition counts where it is used
            _add_meanings(part.node, scope.inside(node) if part.inside else scope, meanings)


def place_of(meaning: Meaning) -> Place | None:
    """The place of a meaning's declaration or definition; None if no text defines it."""
    if isinstance(meaning, (Variable, Constant, InstanceParameter, Declaration)):
        return meaning.at
    return meaning.definition.at if isinstance(meaning, (Defined, Instantiated)) else None


def origin(meaning: Meaning) -> str:
    """The origin of a name for messages, such as "defined at Hudi.tla:40:12"."""
    if isinstance(meaning, Standard):
        return f"defined in {meaning.module or 'TLA+ itself'}"
    at = place_of(meaning)
    return f"{'defined' if isinstance(meaning, (Defined, Instantiated)) else 'declared'}{f' at {at}' if at else ''}"


def is_same(one: Meaning, other: Meaning) -> bool:
    """Whether two meanings come from the same definition, or from two that read the same: a name may have both then."""
    if isinstance(one, (Defined, Instantiated)) and isinstance(other, (Defined, Instantiated)):
        return one.definition is other.definition or is_alike(one.definition, other.definition)
    return one is other


def check_arity(meaning: Meaning, count: int, at: Place) -> None:
    """Refuse a wrong number of arguments.

    Raises:
        InputError: With the place.
    """
    if meaning.arity != count:
        fail_at(at, f"{meaning.name} takes {meaning.arity or 'no'} argument{'s' * (meaning.arity != 1)}, not {count}")


class MissingName(InputError):
    """A name is used and nowhere defined.

    Attributes:
        name: The name.
    """

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


def fail_at(at: Place, message: str) -> NoReturn:
    """Raise an InputError that begins with a place.

    Raises:
        InputError: Always.
    """
    raise InputError(f"{at}: {message}")
