"""Domains of constants that are about the names of sets: a partition, a graph, a relation."""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from workbench.kernel.errors import InputError, brief, listed
from workbench.kernel.values import Name

_WORD = r"[A-Za-z][A-Za-z0-9_]*"
Sets = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Partition:
    """A partition of the set that the constant `of` names; None: every member is a part of its own."""

    of: str
    verb: ClassVar[str] = "partitions"

    @property
    def sets(self) -> tuple[str, ...]:
        return (self.of,)

    def describe(self) -> str:
        return f"a list of lists that holds each of {self.of} exactly once, or null for one part each"

    def parse(self, given: Any) -> tuple[tuple[str, ...], ...] | None:
        if given is None:
            return None
        if not (isinstance(given, (list, tuple)) and given):
            raise ValueError
        if not all(isinstance(part, (list, tuple)) and part for part in given):
            raise ValueError
        return tuple(tuple(Name(name) if isinstance(name, str) else name for name in part) for part in given)

    def bind(self, name: str, value: Any, sets: Sets) -> Any:
        held = [member for part in value or () for member in part]
        members = sets[self.of]
        if value is not None and not (
            all(isinstance(member, str) for member in held) and sorted(held) == sorted(members)
        ):
            raise InputError(
                f"{name} = {brief([list(part) for part in value])} is not a partition of {self.of}; "
                f"it must hold each of {listed(members)} exactly once"
            )
        return value

    def unordered(self, value: Any) -> Any:
        return None if value is None else frozenset(map(frozenset, value))


class Pairs(tuple[tuple[str, str], ...]):
    """What a model has of a graph or a relation: its pairs of names, in the order of the sets.

    An undirected graph holds both pairs of an edge; `edges` has each edge once.

    Attributes
    ----------
    shape : str or None
        The word that it was given by, such as ``ring``.
    directed : bool

    Examples
    --------
    >>> ring = Graph("Node").bind("Ring", "ring", {"Node": ("a", "b", "c")})
    >>> ring, ring.successors("c"), ring.predecessors("c"), ("a", "c") in ring
    ((('a', 'b'), ('b', 'c'), ('c', 'a')), ('a',), ('b',), False)
    >>> Graph("Node", directed=False).bind("Line", [("c", "b"), ("a", "b")], {"Node": ("a", "b", "c")}).edges
    (('a', 'b'), ('b', 'c'))
    """

    shape: str | None
    directed: bool

    def __new__(cls, pairs: Iterable[tuple[str, str]], shape: str | None = None, directed: bool = True) -> "Pairs":
        made = super().__new__(cls, pairs)
        made.shape, made.directed = shape, directed
        return made

    def __getnewargs__(self) -> Any:
        return tuple(self), self.shape, self.directed

    def successors(self, name: str) -> tuple[str, ...]:
        """The names that pairs lead to from `name`; in an undirected graph its neighbours."""
        return tuple(target for source, target in self if source == name)

    def predecessors(self, name: str) -> tuple[str, ...]:
        """The names from which pairs lead to `name`."""
        return tuple(source for source, target in self if target == name)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The pairs; of an undirected graph one for each edge."""
        if self.directed:
            return tuple(self)
        return tuple(pair for i, pair in enumerate(self) if pair[::-1] not in self[:i])


def _line(names: Sequence[str]) -> list[tuple[str, str]]:
    return list(itertools.pairwise(names))


def _ring(names: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(names, [*names[1:], names[0]], strict=True)) if len(names) > 1 else []


#: The graphs that have a name: over the members of a set, in their order.
SHAPES: dict[str, Callable[[Sequence[str]], list[tuple[str, str]]]] = {
    "none": lambda names: [],
    "line": _line,
    "ring": _ring,
    "star": lambda names: [(names[0], name) for name in names[1:]],
    "complete": lambda names: [(one, other) for one in names for other in names if one != other],
}


class _OverPairs:
    """What a graph and a relation have in common."""

    verb: ClassVar[str] = "is about"
    directed: bool
    shapes: ClassVar[tuple[str, ...]]

    @property
    def sets(self) -> tuple[str, ...]:
        raise NotImplementedError

    def shaped(self, shape: str, sets: Sets) -> list[tuple[str, str]]:
        """The pairs that a word stands for."""
        raise NotImplementedError

    @property
    def arrow(self) -> str:
        """What stands between the names of a pair."""
        return "->" if self.directed else "-"

    def word(self, value: Any) -> str:
        """A value as people read it, and may type it."""
        if isinstance(value, str) or getattr(value, "shape", None):
            return value if isinstance(value, str) else value.shape
        pairs = value.edges if isinstance(value, Pairs) else value
        return "{" + ", ".join(self.arrow.join(pair) for pair in pairs) + "}"

    def spelled(self, value: Any) -> Any:
        return (value.shape or value.edges) if isinstance(value, Pairs) else value

    def unordered(self, value: Any) -> Any:
        return frozenset(value)

    def parse(self, given: Any) -> Any:
        if isinstance(given, Pairs):
            return given.shape or tuple(given)
        if isinstance(given, str):
            return given if given in self.shapes else self._typed(given)
        if not isinstance(given, (list, tuple)):
            raise ValueError
        for pair in given:
            if not (isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(end, str) for end in pair)):
                raise ValueError
        return tuple((Name(source), Name(target)) for source, target in given)

    def _typed(self, text: str) -> tuple[tuple[Name, Name], ...]:
        """The pairs of a text such as ``{a->b, b->c}``; the braces may be left out."""
        inside = text.strip()
        if inside.startswith("{") and inside.endswith("}"):
            inside = inside[1:-1]
        if not inside.strip():
            return ()
        pairs = []
        for item in inside.split(","):
            match = re.fullmatch(rf"\s*({_WORD})\s*{self.arrow}\s*({_WORD})\s*", item)
            if match is None:
                raise ValueError
            pairs.append((Name(match[1]), Name(match[2])))
        return tuple(pairs)

    def bind(self, name: str, value: Any, sets: Sets) -> Pairs:
        """The pairs that `value` stands for, with these members of the sets.

        Raises
        ------
        InputError
            If it has a pair that is none over these members, or one twice.
        """
        shape = value if isinstance(value, str) else None
        pairs = self.shaped(shape, sets) if shape else list(value)
        first, last = (sets[of] for of in (self.sets[0], self.sets[-1]))
        for pair in pairs:
            for end, of, members in zip(pair, (self.sets[0], self.sets[-1]), (first, last), strict=True):
                if end not in members:
                    text = f"{self.arrow.join(map(str, pair))}: {brief(str(end))} is not in {of}"
                    raise InputError(f"{name} is not accepted with {text}, which has {listed(members)}")
            self._check_pair(name, pair)
            if pairs.count(pair) > 1:
                raise InputError(f"{name} is not accepted: it has {self.arrow.join(pair)} twice")
        held = set(pairs) if self.directed else {*pairs, *((target, source) for source, target in pairs)}
        return Pairs(((a, b) for a in first for b in last if (a, b) in held), shape, self.directed)

    def _check_pair(self, name: str, pair: tuple[str, str]) -> None:
        """Refuse what no graph has."""


@dataclass(frozen=True)
class Graph(_OverPairs):
    """Edges between members of the set of names that the constant `of` holds; none leads from a name to itself.

    It is given by a word - ``none``, ``line``, ``ring``, ``star`` (from the first to all others), ``complete`` - for
    whatever names there are, as a list of pairs, or as a text such as ``n1->n2, n2->n3``; undirected: ``n1-n2, n2-n3``.

    Parameters
    ----------
    of : str
        The name of a constant that is a set of names.
    directed : bool
        Whether an edge leads one way.
    """

    of: str
    directed: bool = True
    shapes: ClassVar[tuple[str, ...]] = tuple(SHAPES)

    @property
    def sets(self) -> tuple[str, ...]:
        return (self.of,)

    def shaped(self, shape: str, sets: Sets) -> list[tuple[str, str]]:
        pairs = SHAPES[shape](sets[self.of])
        if self.directed:
            return pairs
        return [pair for i, pair in enumerate(pairs) if pair[::-1] not in pairs[:i]]

    def describe(self) -> str:
        words = f"{', '.join(self.shapes[:-1])} or {self.shapes[-1]}"
        edges = "directed" if self.directed else "undirected"
        return f"{words}, or {edges} edges over {self.of}: a list of pairs, or a text such as n1{self.arrow}n2"

    def _check_pair(self, name: str, pair: tuple[str, str]) -> None:
        if pair[0] == pair[1]:
            raise InputError(f"{name} is not accepted with {self.arrow.join(pair)}: it takes edges between two names")


@dataclass(frozen=True)
class Relation(_OverPairs):
    """Pairs of a member of the set `of` and one of the set `to`, each a constant that is a set of names.

    It is given by a word - ``none``, ``all`` - as a list of pairs, or as a text such as ``c1->r1, c1->r2``.

    Parameters
    ----------
    of, to : str
        Names of constants; they may be the same.
    """

    of: str
    to: str
    directed: bool = field(default=True, init=False)
    shapes: ClassVar[tuple[str, ...]] = ("none", "all")

    @property
    def sets(self) -> tuple[str, ...]:
        return (self.of, self.to)

    def shaped(self, shape: str, sets: Sets) -> list[tuple[str, str]]:
        return [(a, b) for a in sets[self.of] for b in sets[self.to]] if shape == "all" else []

    def describe(self) -> str:
        return f"none or all, or pairs of {self.of} and {self.to}: a list of pairs, or a text such as a->b"
