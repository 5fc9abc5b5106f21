"""The values of Starlark and FizzBee: equality, copies, and the canonical text by which states are compared.

Numbers, strings, booleans, None, lists, tuples and ranges are Python's; the rest are classes of this module. Finding a
member compares with one after the other. That is slow, but Python's hashing would confuse 1 with True.
"""

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from fractions import Fraction
from typing import Any, TypeAlias

from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.unparse import quoted

Value: TypeAlias = Any
#: How deeply values may nest.
_MOST_NESTED = 100
#: The most members of a collection, and characters of a string.
MOST_MEMBERS = 1_000_000


class Wrong(Exception):
    """An operation that its values do not allow. The evaluator catches it and adds the place."""


class Dict:
    """A dict or a genericmap: pairs in insertion order, since loops can observe that order."""

    __slots__ = ("kind", "pairs")

    def __init__(self, kind: str = "dict", pairs: Iterable[tuple[Value, Value]] = ()) -> None:
        self.kind, self.pairs = kind, list[list[Value]]()
        for key, value in pairs:
            self.put(key, value)

    def pair(self, key: Value) -> list[Value] | None:
        if type(key) is str:
            for pair in self.pairs:
                if pair[0] == key and type(pair[0]) is str:
                    return pair
            return None
        return next((pair for pair in self.pairs if equal(pair[0], key)), None)

    def put(self, key: Value, value: Value) -> None:
        if (pair := self.pair(key)) is not None:
            pair[1] = value
            return
        if self.kind == "dict":
            check_hashable(key)
        self.pairs.append([key, value])

    @property
    def is_unordered(self) -> bool:
        """Whether all keys, of which there are some, are interchangeable."""
        return bool(self.pairs) and all(type(key) is ModelValue and key.symmetric for key, _ in self.pairs)

    def ordered(self) -> list[list[Value]]:
        """The pairs as loops visit them: sorted if they have no order."""
        if self.is_unordered:
            return sorted(self.pairs, key=lambda pair: (pair[0].name, pair[0].number))
        return self.pairs

    def get(self, key: Value) -> Value:
        if (pair := self.pair(key)) is None:
            raise Wrong(f"there is no key {shown(key)}")
        return pair[1]


class Collection:
    """A set, a genericset (of any values) or a bag (with repetitions). Its members have no order."""

    __slots__ = ("items", "kind")

    def __init__(self, kind: str, items: Iterable[Value] = ()) -> None:
        self.kind, self.items = kind, list[Value]()
        for item in items:
            self.add(item)

    def add(self, item: Value) -> None:
        if self.kind == "set":
            check_hashable(item)
        if self.kind == "bag" or not has(self.items, item):
            self.items.append(item)

    def remove(self, item: Value) -> bool:
        """Remove one member equal to `value`; return whether there was one."""
        for index, member in enumerate(self.items):
            if equal(member, item):
                del self.items[index]
                return True
        return False


class Record:
    """A record, or a struct, whose fields are never assigned to."""

    __slots__ = ("fields", "kind")

    def __init__(self, kind: str, fields: MutableMapping[str, Value]) -> None:
        self.kind, self.fields = kind, fields


class Instance:
    """An instance of a role. In two states, equal instances are the same instance.

    Attributes:
        fixed: The fields that are parameters.
        initial: The values to which a crash resets the ephemeral fields.
    """

    __slots__ = ("fields", "fixed", "initial", "number", "role")

    def __init__(self, role: tree.Role, number: int, fields: MutableMapping[str, Value]) -> None:
        self.role, self.number, self.fields, self.fixed = role, number, fields, frozenset(fields)
        self.initial: MutableMapping[str, Value] = {}

    @property
    def name(self) -> str:
        return f"{self.role.name}#{self.number}"


class ModelValue:
    """A value that equals nothing but itself: the ``__id__`` of a role, or a symmetric value.

    Attributes:
        symmetric: Whether it is interchangeable with the others of its name.
        domain: Its domain, if that has an order or distances.
    """

    __slots__ = ("domain", "name", "number", "symmetric")

    def __init__(self, name: str, number: int | Fraction, symmetric: bool, domain: "Domain | None" = None) -> None:
        self.name, self.number, self.symmetric, self.domain = name, number, symmetric, domain


class Domain:
    """A set of symmetric values.

    Attributes:
        limit: The most values in use.
        materialized: Whether all values are in use from the start.
        kind: ``nominal``, ``ordinal`` (ordered), ``interval`` (ordered, with distances), or ``rotational`` (a ring).
        divergence: The largest distance between two values in use, in an interval domain.
        reflection: Whether the two directions of a ring are interchangeable.
    """

    __slots__ = ("divergence", "kind", "limit", "materialized", "name", "reflection")

    def __init__(
        self, name: str, limit: int, materialized: bool, kind: str = "nominal", divergence: int = 0,
        reflection: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.limit, self.materialized = name, limit, materialized
        self.kind, self.divergence, self.reflection = kind, divergence, reflection

    @property
    def is_nominal(self) -> bool:
        return self.kind == "nominal"

    @property
    def is_ordered(self) -> bool:
        return self.kind in ("ordinal", "interval")

    @property
    def fields(self) -> Mapping[str, Value]:
        fields = {"name": self.name, "limit": self.limit}
        return {**fields, "divergence": self.divergence} if self.kind == "interval" else fields


class Segment:
    """A gap between neighbouring values of an ordinal domain; None before the least and after the greatest."""

    __slots__ = ("after", "before", "domain")

    def __init__(self, domain: Domain, after: ModelValue | None, before: ModelValue | None) -> None:
        self.domain, self.after, self.before = domain, after, before


class Holder:
    """A chosen member as the name of a step has it: by the expression that holds it, as its value may be long."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Function:
    """Anything that an expression can call: a lambda, a def, a library function, a method of a value, or a role."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[..., Value]) -> None:
        self.call = call


_NAMES = {
    bool: "bool", int: "int", float: "float", str: "string", type(None): "NoneType", Function: "function",
    Domain: "symmetry_domain", Segment: "symmetry_segment",
}  # fmt: skip


def kind_of(value: Value) -> str:
    """The name of the value's type, as Starlark's ``type`` returns it."""
    if isinstance(value, Dict | Collection | Record):
        return value.kind
    if isinstance(value, Instance):
        return value.role.name
    if isinstance(value, ModelValue):
        return "symmetric_value" if value.symmetric else "model_value"
    return _NAMES.get(type(value), type(value).__name__.lower())


def equal(left: Value, right: Value) -> bool:
    """Starlark's ``==``: 1 is 1.0 and not True."""
    if type(left) is str and type(right) is str:
        return left == right  # most comparisons
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float | str | range) or left is None:
        return isinstance(right, int | float | str | range | None) and bool(left == right)
    if kind_of(left) != kind_of(right):
        return False
    match left:
        case list() | tuple():
            return len(left) == len(right) and all(map(equal, left, right))
        case Dict():
            pairs = [(pair, right.pair(pair[0])) for pair in left.pairs]
            return len(pairs) == len(right.pairs) and all(other and equal(pair[1], other[1]) for pair, other in pairs)
        case Collection():
            rest = Collection("bag", right.items)
            return len(left.items) == len(rest.items) and all(map(rest.remove, left.items))
        case Record():
            return left.fields.keys() == right.fields.keys() and all(
                equal(value, right.fields[name]) for name, value in left.fields.items()
            )
        case Instance():
            return left.name == right.name
        case ModelValue():
            return (left.name, left.number, left.domain) == (right.name, right.number, right.domain)
    return left is right


def has(items: Iterable[Value], item: Value) -> bool:
    return any(equal(member, item) for member in items)


def check_hashable(value: Value) -> None:
    """Raise Wrong if `value` cannot be a key of a dict or a member of a set."""
    if isinstance(value, tuple):
        for item in value:
            check_hashable(item)
    elif isinstance(value, list | Dict | Collection) or (isinstance(value, Record) and value.kind == "record"):
        raise Wrong(f"type {kind_of(value)} is not hashable")


def truth(value: Value) -> bool:
    match value:
        case Dict():
            return bool(value.pairs)
        case Collection():
            return bool(value.items)
        case None | bool() | int() | float() | str() | list() | tuple() | range():
            return bool(value)
    return True


def members(value: Value) -> list[Value]:
    """The members that a loop visits. A set has no order of its own, so its members are sorted by canonical text."""
    match value:
        case list() | tuple() | range():
            if len(value) > MOST_MEMBERS:
                raise Wrong(f"more than {MOST_MEMBERS} members")
            return list(value)
        case Dict():
            return [key for key, _ in value.ordered()]
        case Collection():
            return sorted(value.items, key=canonical)
    raise Wrong(f"type {kind_of(value)} has no members to go through")


def shown(value: Value) -> str:
    """Starlark's ``repr``."""
    match value:
        case str():
            return quoted(value)
        case list():
            return f"[{_listed(value)}]"
        case tuple():
            return f"({_listed(value)}{',' if len(value) == 1 else ''})"
        case Dict():
            return "{" + ", ".join(f"{shown(key)}: {shown(item)}" for key, item in value.ordered()) + "}"
        case Collection():
            return f"{value.kind}([{_listed(members(value))}])"
        case Record():
            return (
                f"{value.kind}({', '.join(f'{name} = {shown(item)}' for name, item in sorted(value.fields.items()))})"
            )
        case Instance():
            return f"role {value.name}"
        case ModelValue():
            return f"{value.name}{value.number}"
        case Segment():
            return f"({value.after and shown(value.after)}, {value.before and shown(value.before)})"
        case Function() | Domain():
            return f"<{kind_of(value)}>"
    return repr(value)


def _listed(items: Iterable[Value]) -> str:
    return ", ".join(map(shown, items))


class Sharing:
    """The mutable objects and roles that a canonical text has met, and the objects that it is still inside of."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.open: set[int] = set()
        self.roles: list[Instance] = []


def canonical(value: Value, sharing: Sharing | None = None, depth: int = 0) -> str:
    """A text that is equal for equal values only. With `sharing`, it also shows which objects are shared.

    It names a role without its fields; those stand in the state's key.

    Raises:
        Wrong: For a function, for values nested too deeply, and for one that contains itself.
    """
    if depth > _MOST_NESTED:
        raise Wrong(f"more than {_MOST_NESTED} values in each other")
    if isinstance(value, Instance):
        if sharing is not None and value not in sharing.roles:
            sharing.roles.append(value)
        return value.name
    if sharing is None or not isinstance(value, list | Dict | Collection | Record):
        return _written(value, sharing, depth)
    if id(value) in sharing.open:
        raise Wrong(f"a {kind_of(value)} contains itself")
    if id(value) in sharing.numbers:
        return f"@{sharing.numbers[id(value)]}"
    sharing.numbers[id(value)] = len(sharing.numbers)
    sharing.open.add(id(value))
    text = _written(value, sharing, depth)
    sharing.open.remove(id(value))
    return text


def _written(value: Value, sharing: Sharing | None, depth: int) -> str:
    match value:
        case list() | tuple():
            return f"{kind_of(value)}({','.join([canonical(item, sharing, depth + 1) for item in value])})"
        case Dict():
            items = [item for pair in value.ordered() for item in pair]
            return f"{value.kind}({','.join([canonical(item, sharing, depth + 1) for item in items])})"
        case Collection():
            ordered = sorted(value.items, key=lambda item: canonical(item, None, depth + 1))
            return f"{value.kind}({','.join([canonical(item, sharing, depth + 1) for item in ordered])})"
        case Record():
            return f"{value.kind}({fields_text(value.fields, sharing, depth + 1)})"
        case ModelValue():
            return f"{kind_of(value)}({value.name}{'@' if value.domain else '#'}{value.number})"
        case Function() | Domain() | Segment():
            raise Wrong(f"a {kind_of(value)} is no value of a state")
    return repr(value)


def fields_text(fields: Mapping[str, Value], sharing: Sharing | None, depth: int = 0) -> str:
    """Names and canonical values, by name."""
    return ",".join([f"{name}={canonical(fields[name], sharing, depth)}" for name in sorted(fields)])


def clone(value: Value, memo: dict[int, Value], with_roles: bool = True) -> Value:
    """A deep copy with the same sharing; `memo` maps the identity of an object to its copy."""
    if value is None or isinstance(value, str | int | float | range | Function | Domain | Segment):
        return value
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, ModelValue):
        return value
    match value:
        case tuple():
            return tuple([clone(item, memo, with_roles) for item in value])
        case list():
            copied: Value = []
            memo[id(value)] = copied
            copied.extend([clone(item, memo, with_roles) for item in value])
        case Dict():
            copied = memo[id(value)] = Dict(value.kind)
            copied.pairs = [
                [clone(key, memo, with_roles), clone(item, memo, with_roles)] for key, item in value.ordered()
            ]
        case Collection():
            copied = memo[id(value)] = Collection(value.kind)
            copied.items = [clone(item, memo, with_roles) for item in value.items]
        case Record():
            copied = memo[id(value)] = Record(value.kind, {})
            copied.fields.update({name: clone(item, memo, with_roles) for name, item in value.fields.items()})
        case Instance():
            if not with_roles:
                return value
            copied = memo[id(value)] = Instance(value.role, value.number, {})
            copied.fixed = value.fixed
            copied.fields.update({name: clone(item, memo) for name, item in value.fields.items()})
            copied.initial = {name: clone(item, memo) for name, item in value.initial.items()}
    return copied
