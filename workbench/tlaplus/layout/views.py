r"""Views of the cells of a variable, and overlays that record how a value differs from a view.

A view reads only the cells that an answer needs. If that is not enough, for instance for an error, it reads the whole
value, so that answers and errors are those of the value. They are also TLC's errors, because TLC can compare all keys
of a shape with each other: a value that it can compare with all of them it can compare with those present.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.cells import Row
from workbench.kernel.meaning.values import Map, Name, identity
from workbench.tlaplus.layout.shapes import (
    Contents,
    Fixed,
    Function,
    Growing,
    Keyed,
    Leaf,
    Members,
    Shape,
    Varying,
    is_function,
)
from workbench.tlaplus.values.equality import contains, same
from workbench.tlaplus.values.lazy import Lazy, Update, applied, equal, force, has, listed, replaced
from workbench.tlaplus.values.sets import Filtered, Subsets
from workbench.tlaplus.values.signatures import type_of
from workbench.tlaplus.values.values import CONCRETE, EvaluationError, domain_of, function_of, interner, ordered

# Parts by key, compared with their kinds: Python takes TRUE for 1.
_Changes = dict[Any, tuple[Any, Any]]
#: Answers of an early test that are remembered.
_MOST_PASSING = 1 << 12


def see(shape: Shape, row: Row) -> Any:
    """The value in the cells of a shape; a view if there is more than one."""
    kind = type(shape)
    if kind is Leaf:
        return row[shape.first]
    if kind is Members:
        return SetView(shape, row)  # type: ignore[arg-type]
    if kind is Varying and type(value := row[shape.first]) is not frozenset:
        return value
    return FunctionView(shape, row)  # type: ignore[arg-type]


def _is_unlike(value: Any) -> bool:
    """Whether a value is a model value, which may be compared with every other and equals no value over cells."""
    return type(value) is Name and not type_of(value)


# Sets ----------------------------------------------------------------------------------------------------------------


class SetView(Lazy):
    """A set with a cell for each member that it may have, or the domain of a function with one for each argument."""

    __slots__ = ("row", "shape")
    tracks = True

    def __init__(self, shape: Keyed, row: Row) -> None:
        self.shape, self.row = shape, row

    def has(self, value: Any) -> bool:
        kid = self.shape.kid(value)
        if kid is not None:
            return self.row[kid.first] is not None
        try:
            return contains(self.shape.keys, value)
        except EvaluationError:
            return contains(self.force(), value)

    def each(self) -> Iterator[Any]:
        row = self.row
        return (key for key, cell in self.shape.firsts.items() if row[cell] is not None)

    def force(self) -> frozenset[Any]:
        return interner().set_of(frozenset(self.each()))

    def size(self) -> int:
        return sum(1 for _ in self.each())

    def within(self, other: Any) -> bool:
        row = self.row
        for key, cell in self.shape.firsts.items():
            try:
                if has(other, key):
                    continue
            except EvaluationError:
                if row[cell] is not None:
                    raise
                continue
            if row[cell] is not None:
                return False
        return True

    def same(self, other: Any) -> bool:
        if type(other) is SetView and other.shape is self.shape and other.row is self.row:
            return True
        other = listed(other)
        if _is_unlike(other):
            return False
        if type(other) is not frozenset or any(self.shape.kid(member) is None for member in other):
            return same(self.force(), other)
        return all((self.row[cell] is not None) == (key in other) for key, cell in self.shape.firsts.items())

    def among(self, sets: Any) -> bool:
        return self.within(sets.parts[0]) if type(sets) is Subsets else super().among(sets)

    def changed(self, members: frozenset[Any], there: bool) -> Any:
        return SetOverlay(self, {}).changed(members, there)


class EarlyTest:
    """A test that members must pass before any other, with the members that pass it in every state.

    So only the cells of these are read, and not those of the many messages of other types in a set.

    Args:
        test: A compiled predicate of a member, and of values that are given; it depends on no state.
    """

    def __init__(self, test: Callable[..., bool]) -> None:
        self._test = test
        self._passing: dict[Any, tuple[Any, Mapping[Any, int]]] = {}

    def passing(self, cells: Mapping[Any, int], arguments: tuple[Any, ...]) -> Mapping[Any, int]:
        """The members that may pass, with their cells."""
        key = id(cells), identity(arguments)
        if key not in self._passing:
            if len(self._passing) >= _MOST_PASSING:
                self._passing.clear()
            survivors = {member: cell for member, cell in cells.items() if self._may_pass(member, arguments)}
            self._passing[key] = cells, survivors  # the members keep their id
        return self._passing[key][1]

    def _may_pass(self, member: Any, arguments: tuple[Any, ...]) -> bool:
        try:
            return self._test(None, None, member, *arguments)
        except EvaluationError:  # it is reported if the member is there
            return True


class Tried(SetView):
    """The members of a set that may pass early tests, for code that enumerates them."""

    __slots__ = ("passing",)

    def __init__(self, view: SetView, passing: Mapping[Any, int]) -> None:
        super().__init__(view.shape, view.row)
        self.passing = passing

    def each(self) -> Iterator[Any]:
        row = self.row
        return (member for member, cell in self.passing.items() if row[cell] is not None)


def tried(members: Any, test: EarlyTest, *arguments: Any) -> Any:
    """The members that may pass a test, of a set that is spread over cells; any other set as it is."""
    kind = type(members)
    if any(type(argument) not in CONCRETE for argument in arguments):  # it may depend on the state
        return members
    if kind is SetView:
        return Tried(members, test.passing(members.shape.firsts, arguments))
    if kind is Tried:
        return Tried(members, test.passing(members.passing, arguments))
    if kind is Filtered:
        return members.of(tried(members.parts[0], test, *arguments))
    return members


class SetOverlay(Lazy):
    """A view of a set except for some members: for each of these, whether it is there.

    Those that have no cell are foreign: TLC may be unable to compare them with others.
    """

    __slots__ = ("_foreign", "base", "changes")
    tracks = True

    def __init__(self, base: SetView, changes: _Changes) -> None:
        self.base, self.changes = base, changes
        self._foreign = frozenset([key for key, _ in changes.values() if base.shape.kid(key) is None])

    def has(self, value: Any) -> bool:
        change = self.changes.get(identity(value))
        if change is not None:
            return bool(change[1])
        is_known = self.base.shape.kid(value) is not None
        if is_known and (not self._foreign or self.base.has(value)):
            return self.base.has(value)
        try:
            contains(self.base.shape.keys | self._foreign, value)
        except EvaluationError:
            return contains(self.force(), value)
        return False

    def force(self) -> frozenset[Any]:
        row, changes, shape = self.base.row, self.changes, self.base.shape
        kept = [
            key
            for (key, cell), key_id in zip(shape.firsts.items(), shape.identities, strict=True)
            if key_id not in changes and row[cell] is not None  # in this order: no cell of a changed member is read
        ]
        return interner().set_of(frozenset([*kept, *(key for key, there in changes.values() if there)]))

    def changed(self, members: frozenset[Any], there: bool) -> Any:
        for member in members:
            if self._foreign or self.base.shape.kid(member) is None:
                self.has(member)  # for its error alone
        return SetOverlay(self.base, {**self.changes, **{identity(key): (key, there) for key in members}})


# Functions -----------------------------------------------------------------------------------------------------------


class LeafView(Lazy):
    """The value of one cell, for an update that may not ask for it."""

    __slots__ = ("cell", "row")
    tracks = True

    def __init__(self, cell: int, row: Row) -> None:
        self.cell, self.row = cell, row

    def force(self) -> Any:
        return self.row[self.cell]


class FunctionView(Lazy):
    """A function with cells for each argument."""

    __slots__ = ("_seen", "row", "shape")

    def __init__(self, shape: Function, row: Row) -> None:
        self.shape, self.row = shape, row
        # An evaluation asks for the same values again. An argument is kept so that no other one gets its id.
        self._seen: dict[int, tuple[Any, Any]] = {}

    def at(self, argument: Any) -> Any:
        if type(argument) not in CONCRETE:
            argument = argument.force()
        entry = self._seen.get(id(argument))
        if entry is None:
            kid = self.shape.there(self.row, argument)
            value = applied(self.force(), argument) if kid is None else see(kid, self.row)
            entry = self._seen[id(argument)] = value, argument
        return entry[0]

    def before(self, argument: Any) -> Any:
        """The value at an argument in the domain: the value of ``@``."""
        kid = self.shape.kid(argument)
        return LeafView(kid.cell, self.row) if type(kid) is Leaf else see(kid, self.row)

    def is_argument(self, argument: Any) -> bool:
        """Whether a key is certainly in the domain; a value that is not a key of the shape may be an error."""
        return self.shape.there(self.row, argument) is not None

    def domain(self) -> Any:
        shape = self.shape
        if type(shape) is Growing:
            return SetView(shape, self.row)
        return self.row[shape.domain.cell] if type(shape) is Varying else shape.keys

    def force(self) -> Any:
        return self.shape.load(self.row)

    def same(self, other: Any) -> bool:
        if type(other) is FunctionView and other.shape is self.shape and other.row is self.row:
            return True
        return _is_same(self, self.shape, other, True)

    def same_on_right(self, function: Any) -> bool:
        return _is_same(self, self.shape, function, False)

    def inside(self, members: frozenset[Any]) -> bool:
        return not all(map(_is_unlike, members)) and contains(members, self.listed())

    def added(self, pairs: Iterable[tuple[Any, Any]]) -> Any:
        return FunctionOverlay(self, {}, frozenset()).added(pairs)

    def updated(self, updates: Sequence[Update]) -> Any:
        return FunctionOverlay(self, {}, frozenset()).updated(updates)


class FunctionOverlay(Lazy):
    """A view of a function except for some arguments.

    Attributes:
        changes: The values of those that differ, which may be lazy.
        added_keys: Those of them that the view does not have.
    """

    __slots__ = ("added_keys", "base", "changes")

    def __init__(self, base: FunctionView, changes: _Changes, added_keys: frozenset[Any]) -> None:
        self.base, self.changes, self.added_keys = base, changes, added_keys

    def at(self, argument: Any) -> Any:
        argument = force(argument)
        change = self.changes.get(identity(argument))
        if change is not None:
            return change[1]
        if self.base.is_argument(argument):
            return self.base.at(argument)
        return applied(self.force(), argument)

    def domain(self) -> Any:
        domain = self.base.domain()
        if not self.added_keys:
            return domain
        return domain | self.added_keys if type(domain) is frozenset else domain.changed(self.added_keys, True)

    def force(self) -> Any:
        return function_of({argument: force(self.at(argument)) for argument in listed(self.domain())})

    def same(self, other: Any) -> bool:
        return _is_same(self, self.base.shape, other, True)

    def same_on_right(self, function: Any) -> bool:
        return _is_same(self, self.base.shape, function, False)

    def added(self, pairs: Iterable[tuple[Any, Any]]) -> Any:
        domain = self.domain()
        new = [(key, value) for key, value in pairs if not has(domain, key)]
        more = {identity(key): (key, value) for key, value in new}
        return FunctionOverlay(self.base, {**self.changes, **more}, self.added_keys.union(key for key, _ in new))

    def updated(self, updates: Sequence[Update]) -> Any:
        overlay: Any = self
        for number, update in enumerate(updates):
            overlay = overlay._updated(*update)
            if type(overlay) is not FunctionOverlay:
                return replaced(overlay, updates[number + 1 :])
        return overlay

    def _updated(self, path: Sequence[Any], new: Any) -> Any:
        argument = force(path[0])
        change = self.changes.get(identity(argument))
        if change is None and not self.base.is_argument(argument):
            return replaced(self.listed(), [(path, new)])
        old = self.base.before(argument) if change is None else change[1]
        value = new(old) if len(path) == 1 else _inner(old, [(path[1:], new)])
        more = {identity(argument): (argument, value)}
        return FunctionOverlay(self.base, {**self.changes, **more}, self.added_keys)


def _inner(old: Any, updates: Sequence[Update]) -> Any:
    return old.updated(updates) if isinstance(old, Lazy) else replaced(old, updates)


def _is_same(function: Any, shape: Function, other: Any, on_left: bool) -> bool:
    """Whether a view or an overlay equals another value, compared argument by argument where TLC does so."""
    if (arguments := _all_arguments(other, shape)) is not None and _all_arguments(function, shape) is not None:
        return all(equal(function.at(key), other.at(key)) for key in arguments)
    other = listed(other)
    if _is_unlike(other):
        return False
    if is_function(other):
        domain = listed(function.domain())
        if len(domain) != len(other) and (not domain or not other or _are_sequences(other, domain)):
            return False
        if domain == domain_of(other) and domain <= shape.keys and _is_ordered(other, domain):
            return all(equal(function.at(key), applied(other, key)) for key in ordered(domain))
    return same(function.listed(), other) if on_left else same(other, function.listed())


def _all_arguments(function: Any, shape: Function) -> Sequence[Any] | None:
    """The arguments of a view of a fixed shape, or of an overlay that adds none, in the order of TLC's comparison.

    None for any other value. An overlay's changes are evaluated, since TLC would report an error in one of them.
    """
    if type(function) is FunctionOverlay and not function.added_keys:
        for _, change in function.changes.values():
            listed(change)
        function = function.base
    is_of_shape = type(function) is FunctionView and function.shape is shape and type(shape) is Fixed
    return ordered(shape.keys) if is_of_shape and set(map(type, shape.keys)) <= {str, Name} else None


def _are_sequences(function: Any, domain: frozenset[Any]) -> bool:
    return type(function) is tuple and set(map(type, domain)) <= {int}


def _is_ordered(function: Any, domain: frozenset[Any]) -> bool:
    """Whether TLC compares a function with others of its domain in the order of the arguments."""
    return _are_sequences(function, domain) or (type(function) is Map and set(map(type, domain)) <= {str, Name})


# Assignments ---------------------------------------------------------------------------------------------------------


def store(shape: Shape, row: Row, value: Any, contents: Contents) -> bool:
    """Put the cells that differ from `row` into `contents`; returns False if a part of the value does not fit.

    Args:
        value: It may be lazy. What a view or an overlay of these cells leaves as it is, is not written.
    """
    kind = type(value)
    if kind is FunctionOverlay:
        if value.base.shape is shape and value.base.row is row:
            return _store_changes(row, value, contents)
    elif kind is SetOverlay:
        if type(shape) is Members and value.base.shape is shape and value.base.row is row:
            return _store_members(value, contents)
    elif kind is FunctionView or (kind is SetView and type(shape) is Members):
        if value.shape is shape and value.row is row:
            return True
    elif kind is LeafView and type(shape) is Leaf and value.cell == shape.cell and value.row is row:
        return True
    return shape.put(listed(value), contents)


def _store_changes(row: Row, value: FunctionOverlay, contents: Contents) -> bool:
    shape = value.base.shape
    if type(shape) is Fixed and value.added_keys:
        return False
    for key, new in value.changes.values():
        kid = shape.kid(key)
        if kid is None:
            return False
        is_new = key in value.added_keys  # then the cells hold nothing that could stay
        if not (kid.put(listed(new), contents) if is_new else store(kid, row, new, contents)):
            return False
    if type(shape) is Varying and value.added_keys:
        contents[shape.domain.cell] = listed(value.domain())
    return True


def _store_members(value: SetOverlay, contents: Contents) -> bool:
    for member, there in value.changes.values():
        kid = value.base.shape.kid(member)
        if kid is not None:
            contents[kid.cell] = True if there else None
        elif there:
            return False
    return True
