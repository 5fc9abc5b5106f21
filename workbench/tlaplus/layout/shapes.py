"""Shapes: how the cells of a variable hold its value, part by part.

A shape represents a value in one way or not at all: what does not fit it goes whole into the variable's overflow cell,
see :mod:`workbench.tlaplus.layout.layout`. A cell that is None holds nothing; no value of TLA+ is None.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.kernel.meaning.cells import Row
from workbench.kernel.meaning.values import Map, flatten, identity, is_same
from workbench.tlaplus.values.values import function_of, ordered, pairs_of

#: A part of a variable: the arguments that lead to it; None in the end for the domain.
Path = tuple[Any, ...]
#: Contents of cells, by number.
Contents = dict[int, Any]


class Shape(ABC):
    """The cells of a value.

    Attributes:
        first: A cell that is not None if there is a value; parts that may be absent have one.
    """

    __slots__ = ("first",)
    first: int

    @abstractmethod
    def place(self, cell: int) -> int:
        """Number the cells, from `cell` on; returns the number after them."""

    @abstractmethod
    def leaves(self, path: Path = ()) -> Iterator[tuple[Path, "Leaf"]]:
        """Every cell, in the order of the layout."""

    @abstractmethod
    def nodes(self, path: Path = ()) -> Iterator[tuple[Path, type]]:
        """Every part with its kind; a symmetric variable has the same ones after a renaming."""

    @abstractmethod
    def put(self, value: Any, contents: Contents) -> bool:
        """Spread a concrete value over all the cells; returns False, with useless `contents`, if it does not fit."""

    @abstractmethod
    def load(self, row: Row) -> Any:
        """The concrete value in a row."""

    def clear(self, contents: Contents) -> None:
        """Empty the cells."""
        for _, leaf in self.leaves():
            contents[leaf.cell] = None


class Leaf(Shape):
    """One cell, which holds any value."""

    __slots__ = ("cell",)
    cell: int

    def place(self, cell: int) -> int:
        self.cell = self.first = cell
        return cell + 1

    def leaves(self, path: Path = ()) -> Iterator[tuple[Path, "Leaf"]]:
        yield path, self

    def nodes(self, path: Path = ()) -> Iterator[tuple[Path, type]]:
        yield path, Leaf

    def put(self, value: Any, contents: Contents) -> bool:
        contents[self.cell] = value
        return True

    def load(self, row: Row) -> Any:
        return row[self.cell]


class Keyed(Shape):
    """Parts by key: the arguments of a function, or the members of a set.

    Args:
        kids: The shape of each key's part. TLC can compare the keys.

    Attributes:
        keys: All of them, as a set.
        firsts: For each key the cell that holds something if its part is there.
        identities: The identity of each key, in the order of `firsts`.
    """

    __slots__ = ("_doubtful", "firsts", "identities", "keys", "kids")
    firsts: Mapping[Any, int]

    def __init__(self, kids: Mapping[Any, Shape]) -> None:
        self.keys = frozenset(kids)
        self.kids = {key: kids[key] for key in ordered(self.keys)}
        self.identities = tuple(map(identity, self.kids))
        self._doubtful = {key: key for key in kids if _may_mislead(key)}

    def kid(self, key: Any) -> Any:
        """The shape of the part for a concrete key; None if it is not a key, even if it is equal to one."""
        shape = self.kids.get(key)
        if shape is not None and self._doubtful and key in self._doubtful and not is_same(self._doubtful[key], key):
            return None
        return shape

    def place(self, cell: int) -> int:
        self.first = cell
        for kid in self.kids.values():
            cell = kid.place(cell)
        self.firsts = {key: kid.first for key, kid in self.kids.items()}
        return cell

    def leaves(self, path: Path = ()) -> Iterator[tuple[Path, Leaf]]:
        for key, kid in self.kids.items():
            yield from kid.leaves((*path, key))

    def nodes(self, path: Path = ()) -> Iterator[tuple[Path, type]]:
        yield path, type(self)
        for key, kid in self.kids.items():
            yield from kid.nodes((*path, key))

    def _put_parts(self, pairs: Mapping[Any, Any], contents: Contents) -> bool:
        """Fill the cells of the parts that are there, and empty the others."""
        if any(self.kid(key) is None for key in pairs):
            return False
        for key, kid in self.kids.items():
            if key not in pairs:
                kid.clear(contents)
            elif not kid.put(pairs[key], contents):
                return False
        return True


class Function(Keyed):
    """A function."""

    __slots__ = ()

    @abstractmethod
    def there(self, row: Row, key: Any) -> Any:
        """The shape for an argument; None if it is not in the domain."""


class Fixed(Function):
    """A function whose domain never changes."""

    __slots__ = ()

    def there(self, row: Row, key: Any) -> Any:
        return self.kid(key)

    def put(self, value: Any, contents: Contents) -> bool:
        pairs = _pairs(value)
        return pairs is not None and len(pairs) == len(self.kids) and self._put_parts(pairs, contents)

    def load(self, row: Row) -> Any:
        return function_of({key: kid.load(row) for key, kid in self.kids.items()})


class Varying(Function):
    """A function whose domain changes, or that is sometimes no function: a cell for its domain, or what it is then.

    A set in that cell is a domain; a set in place of the function does not fit.
    """

    __slots__ = ("domain",)

    def __init__(self, kids: Mapping[Any, Shape]) -> None:
        super().__init__(kids)
        self.domain = Leaf()

    def place(self, cell: int) -> int:
        end = super().place(self.domain.place(cell))
        self.first = cell
        return end

    def leaves(self, path: Path = ()) -> Iterator[tuple[Path, Leaf]]:
        yield (*path, None), self.domain
        yield from super().leaves(path)

    def there(self, row: Row, key: Any) -> Any:
        kid = self.kid(key)
        domain = row[self.domain.cell]
        return kid if kid is not None and type(domain) is frozenset and key in domain else None

    def put(self, value: Any, contents: Contents) -> bool:
        pairs = _pairs(value)
        if pairs is None and type(value) is frozenset:
            return False
        contents[self.domain.cell] = value if pairs is None else frozenset(pairs)
        return self._put_parts(pairs or {}, contents)

    def load(self, row: Row) -> Any:
        domain = row[self.domain.cell]
        if type(domain) is not frozenset:
            return domain
        return function_of({key: kid.load(row) for key, kid in self.kids.items() if key in domain})


class Growing(Function):
    """A function whose domain changes: an argument is there if the first cell of its value holds something."""

    __slots__ = ()

    def there(self, row: Row, key: Any) -> Any:
        kid = self.kid(key)
        return None if kid is None or row[kid.first] is None else kid

    def put(self, value: Any, contents: Contents) -> bool:
        pairs = _pairs(value)
        return pairs is not None and self._put_parts(pairs, contents)

    def load(self, row: Row) -> Any:
        return function_of({key: kid.load(row) for key, kid in self.kids.items() if row[kid.first] is not None})


class Members(Keyed):
    """A set: the cell of each member that it may have holds TRUE if the member is there."""

    __slots__ = ()

    def put(self, value: Any, contents: Contents) -> bool:
        return type(value) is frozenset and self._put_parts(dict.fromkeys(value, True), contents)

    def load(self, row: Row) -> Any:
        return frozenset([key for key, cell in self.firsts.items() if row[cell] is not None])


def _pairs(value: Any) -> dict[Any, Any] | None:
    """A function's values by argument; None if it is not a function."""
    return dict(pairs_of(value)) if is_function(value) else None


def is_function(value: Any) -> bool:
    """Whether a concrete value is a function."""
    return type(value) in _FUNCTIONS


_FUNCTIONS = (tuple, Map)


def _may_mislead(key: Any) -> bool:
    """Whether Python may confuse another value with this key: only booleans equal the numbers 0 and 1."""
    if type(key) is bool or (type(key) is int and key in (0, 1)):
        return True
    return any(map(_may_mislead, flatten(key)[0]))
