"""The domains of constants: the values that each accepts, their notation, and the values that a model gets.

Values are parsed without knowing any set of names; :meth:`Domain.bind` adds the members of the sets later.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from workbench.kernel.meaning.arguments import integer_in, plain
from workbench.kernel.meaning.errors import InputError, ModelError, brief, in_its_line, listed
from workbench.kernel.meaning.values import Name, show

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_PART = re.compile(r"\([\w, ]+\)")
_PARTS = re.compile(rf"\({_PART.pattern}(?:, *{_PART.pattern})*\)")
Sets = Mapping[str, tuple[str, ...]]


class Domain:
    """The values that a constant accepts.

    Attributes:
        kind: One word for the kind of domain.
        sets: The constants whose sets of names the values refer to.
    """

    kind: ClassVar[str]

    @property
    def sets(self) -> tuple[str, ...]:
        named = (getattr(self, "of", None), getattr(self, "to", None))
        return tuple(name for name in named if name is not None)

    def describe(self) -> str:
        """The accepted values, in words."""
        raise NotImplementedError

    def parse(self, raw: Any) -> Any:
        """The value that `raw` stands for, which does not depend on sets of names.

        Raises:
            ValueError: If it is not accepted.
        """
        value = self.read(raw)
        if not self.accepts(value):
            raise ValueError
        return value

    def read(self, raw: Any) -> Any:
        """The value that `raw` spells if it is a text; anything else unchanged."""
        return raw

    def accepts(self, value: Any) -> bool:
        """Whether `value` is in the domain, for domains with one spelling per value."""
        raise NotImplementedError

    def bind(self, name: str, value: Any, sets: Sets) -> Any:
        """The value of a model's constant `name`, for a parsed `value` and the members of the `sets`.

        Raises:
            InputError: If they do not fit together.
        """
        return value

    def word(self, value: Any) -> str:
        """`value` as people read it: a choice's word, a graph's shape."""
        return show(value)

    def spelled(self, value: Any) -> Any:
        """`value` in its shortest spelling that :meth:`parse` accepts, as a JSON value."""
        return value

    def unordered(self, value: Any) -> Any:
        """`value` without any order that has no meaning."""
        return value


class Switch(Domain):
    """True or false; ``on`` and ``off`` where people read it."""

    kind = "switch"

    def __iter__(self) -> Iterator[bool]:
        return iter((False, True))

    def describe(self) -> str:
        return "true or false"

    def word(self, value: Any) -> str:
        return "on" if value else "off"

    def read(self, raw: Any) -> Any:
        return _TRUTHS.get(raw.lower(), raw) if isinstance(raw, str) else raw

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool)


class Within(Domain):
    """An integer of a range."""

    kind = "integer"
    read = staticmethod(integer_in)

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def describe(self) -> str:
        steps = "" if self.numbers.step == 1 else f" in steps of {self.numbers.step}"
        return f"an integer from {self.numbers[0]} to {self.numbers[-1]}{steps}"

    def accepts(self, value: Any) -> bool:
        return type(value) is int and value in self.numbers


class OneOf(Domain):
    """One of some values; a mapping gives each value the word that people read and write for it."""

    kind = "choice"

    @in_its_line
    def __init__(self, choices: Sequence[Any] | Mapping[Any, str]) -> None:
        self.values = tuple(map(plain, choices))
        self.words = dict(choices) if isinstance(choices, Mapping) else {}
        words = list(self.words.values())
        if not all(isinstance(word, str) and _NAME.fullmatch(word) for word in words) or len(set(words)) < len(words):
            raise ModelError(f"the choices {brief(dict(choices))} are not accepted; each needs a word of its own")
        if words and set(words) & set(self.values):
            raise ModelError(f"the choices {brief(dict(choices))} are not accepted; a word may not be a value too")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def word(self, value: Any) -> str:
        return self.words[value] if self.words and value in self.words else show(value)

    def describe(self) -> str:
        return "one of " + ", ".join(f"{v} ({self.words[v]})" if self.words else str(v) for v in self.values)

    def parse(self, raw: Any) -> Any:
        for value in self.values:
            if raw == value and type(raw) is type(value):
                return value
        if isinstance(raw, str):
            words = {value: self.word(value) for value in self.values}
            exact = [value for value, word in words.items() if raw == word]
            near = [value for value, word in words.items() if raw.lower() == word.lower()]
            if len(matching := exact or near) == 1:
                return matching[0]
        raise ValueError


@dataclass(frozen=True)
class Names(Domain):
    """A set of actors or values: given by its size, for the names `prefix` 1, 2, ..., or as a list of names.

    Args:
        prefix: The beginning of names made from a size.
        sizes: The accepted sizes.
    """

    prefix: str
    sizes: range
    kind: ClassVar[str] = "names"

    @in_its_line
    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.prefix) or not self.sizes:
            raise ModelError(f"{self} is not accepted; it takes a prefix that begins with a letter, and some sizes")

    def describe(self) -> str:
        letters = "(a-z, A-Z, then also 0-9 and _)"
        return f"a size from {self.sizes[0]} to {self.sizes[-1]}, or a list of that many names {letters}"

    def read(self, raw: Any) -> Any:
        raw = integer_in(raw)
        if isinstance(raw, str) and ("," in raw or raw[:1] in ("(", "{", "[")):
            raw = _items(raw)
        if type(raw) is int and raw in self.sizes:
            raw = [f"{self.prefix}{i + 1}" for i in range(raw)]
        named = isinstance(raw, (list, tuple)) and all(isinstance(n, str) and _NAME.fullmatch(n) for n in raw)
        return tuple(map(Name, raw)) if named else None

    def accepts(self, value: Any) -> bool:
        return isinstance(value, tuple) and len(value) in self.sizes and len(set(value)) == len(value)


# Domains over the names of sets --------------------------------------------------------------------------------------


def _items(text: str) -> list[str]:
    """The items of a text such as ``{n1->n2, n2->n3}``; braces, parentheses or brackets are optional."""
    inside = text.strip()
    if inside[:1] + inside[-1:] in ("{}", "()", "[]"):
        inside = inside[1:-1].strip()
    return [item.strip() for item in inside.split(",")] if inside else []


@dataclass(frozen=True)
class Partition(Domain):
    """A partition of the set that the constant `of` names; None: every member is a part of its own."""

    of: str
    kind: ClassVar[str] = "partition"
    verb: ClassVar[str] = "partitions"

    def describe(self) -> str:
        return f"a list of lists that holds each of {self.of} exactly once, or null for one part each"

    def parse(self, raw: Any) -> tuple[tuple[str, ...], ...] | None:
        if raw is None or raw == "-":
            return None
        if isinstance(raw, str) and _PARTS.fullmatch(raw):
            raw = [_items(part) for part in _PART.findall(raw)]
        if not (isinstance(raw, (list, tuple)) and raw):
            raise ValueError
        if not all(isinstance(part, (list, tuple)) and part for part in raw):
            raise ValueError
        return tuple(tuple(Name(name) if isinstance(name, str) else name for name in part) for part in raw)

    def bind(self, name: str, value: Any, sets: Sets) -> Any:
        held, members = list(itertools.chain(*value or ())), sets[self.of]
        fits = all(isinstance(member, str) for member in held) and sorted(held) == sorted(members)
        if value is not None and not fits:
            raise InputError(
                f"{name} = {brief([list(part) for part in value])} is not a partition of {self.of}; "
                f"it must hold each of {listed(members)} exactly once"
            )
        return value

    def unordered(self, value: Any) -> Any:
        return None if value is None else frozenset(map(frozenset, value))


class Pairs(tuple[tuple[str, str], ...]):
    """A relation's value in a model: its pairs of names, in the order of the sets.

    An undirected graph holds both pairs of an edge; `edges` has each edge once.

    Attributes:
        shape: The word that gave it, such as ``ring``.

    Examples:
        >>> ring = Relation("Node").bind("Ring", "ring", {"Node": ("a", "b", "c")})
        >>> ring, ring.successors("c"), ring.predecessors("c"), ("a", "c") in ring
        ((('a', 'b'), ('b', 'c'), ('c', 'a')), ('a',), ('b',), False)
        >>> Relation("Node", directed=False).bind("Line", [("c", "b"), ("a", "b")], {"Node": ("a", "b", "c")}).edges
        (('a', 'b'), ('b', 'c'))
    """

    shape: str | None
    directed: bool

    def __new__(cls, pairs: Iterable[tuple[str, str]], shape: str | None = None, directed: bool = True) -> "Pairs":
        instance = super().__new__(cls, pairs)
        instance.shape, instance.directed = shape, directed
        return instance

    def __getnewargs__(self) -> Any:
        return tuple(self), self.shape, self.directed

    def successors(self, name: str) -> tuple[str, ...]:
        """The names that `name` leads to; in an undirected graph its neighbours."""
        return tuple(target for source, target in self if source == name)

    def predecessors(self, name: str) -> tuple[str, ...]:
        """The names that lead to `name`."""
        return tuple(source for source, target in self if target == name)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The pairs; of an undirected graph one for each edge."""
        return tuple(self) if self.directed else _once(self)


def _once(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """One pair for each undirected edge."""
    return tuple(pair for i, pair in enumerate(pairs) if pair[::-1] not in pairs[:i])


#: Named graphs over the members of a set, in their order.
_SHAPES: dict[str, Callable[[Sequence[str]], Iterable[tuple[str, str]]]] = {
    "none": lambda names: (),
    "line": itertools.pairwise,
    "ring": lambda names: zip(names, (*names[1:], names[0]), strict=True) if len(names) > 1 else (),
    "star": lambda names: ((names[0], name) for name in names[1:]),
    "complete": lambda names: itertools.permutations(names, 2),
}


@dataclass(frozen=True)
class Relation(Domain):
    """Pairs of a member of the set `of` and one of the set `to`, each a constant that is a set of names.

    Without `to` it is a graph: edges between members of `of`, none from a name to itself. It is given by a word -
    ``none`` or ``all``; for a graph ``none``, ``line``, ``ring``, ``star`` (from the first to all others) or
    ``complete`` -, as a list of pairs, or as a text such as ``n1->n2, n2->n3``; undirected: ``n1-n2, n2-n3``.

    Args:
        of, to: Names of constants; they may be the same.
        directed: Whether the edges of a graph have a direction.
    """

    of: str
    to: str | None = None
    directed: bool = True
    verb: ClassVar[str] = "is about"

    @in_its_line
    def __post_init__(self) -> None:
        if self.to is not None and not self.directed:
            raise ModelError(f"{self} is not accepted; only a graph, which has no `to`, may be undirected")

    @property
    def kind(self) -> str:  # type: ignore[override]
        return "graph" if self.to is None else "relation"

    @property
    def shapes(self) -> tuple[str, ...]:
        """The words that stand for a relation."""
        return tuple(_SHAPES) if self.to is None else ("none", "all")

    @property
    def arrow(self) -> str:
        """The text between the names of a pair."""
        return "->" if self.directed else "-"

    def describe(self) -> str:
        if self.to is not None:
            return f"none or all, or pairs of {self.of} and {self.to}: a list of pairs, or a text such as a->b"
        words = f"{', '.join(self.shapes[:-1])} or {self.shapes[-1]}"
        edges = "directed" if self.directed else "undirected"
        return f"{words}, or {edges} edges over {self.of}: a list of pairs, or a text such as n1{self.arrow}n2"

    def word(self, value: Any) -> str:
        if isinstance(value, str) or getattr(value, "shape", None):
            return value if isinstance(value, str) else value.shape
        pairs = value.edges if isinstance(value, Pairs) else value
        return "{" + ", ".join(self.arrow.join(pair) for pair in pairs) + "}"

    def spelled(self, value: Any) -> Any:
        return (value.shape or value.edges) if isinstance(value, Pairs) else value

    def unordered(self, value: Any) -> Any:
        return frozenset(value)

    def parse(self, raw: Any) -> Any:
        if isinstance(raw, Pairs):
            return raw.shape or tuple(raw)
        if isinstance(raw, str):
            if raw in self.shapes:
                return raw
            raw = [[name.strip() for name in item.split(self.arrow)] for item in _items(raw)]
            if not all(_NAME.fullmatch(name) for pair in raw for name in pair):
                raise ValueError
        if not isinstance(raw, (list, tuple)):
            raise ValueError
        for pair in raw:
            if not (isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(end, str) for end in pair)):
                raise ValueError
        return tuple((Name(source), Name(target)) for source, target in raw)

    def bind(self, name: str, value: Any, sets: Sets) -> Pairs:
        shape = value if isinstance(value, str) else None
        last_of = self.of if self.to is None else self.to
        first, last = sets[self.of], sets[last_of]
        pairs = self._shaped(shape, first, last) if shape else list(value)
        for pair in pairs:
            spelt = self.arrow.join(map(str, pair))
            for end, of, members in zip(pair, (self.of, last_of), (first, last), strict=True):
                if end not in members:
                    text = f"{spelt}: {brief(str(end))} is not in {of}"
                    raise InputError(f"{name} is not accepted with {text}, which has {listed(members)}")
            if self.to is None and pair[0] == pair[1]:
                raise InputError(f"{name} is not accepted with {spelt}: it takes edges between two names")
            if pairs.count(pair) > 1:
                raise InputError(f"{name} is not accepted: it has {spelt} twice")
        held = set(pairs) if self.directed else {*pairs, *((target, source) for source, target in pairs)}
        return Pairs(((a, b) for a in first for b in last if (a, b) in held), shape, self.directed)

    def _shaped(self, shape: str, first: Sequence[str], last: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs that the word `shape` stands for."""
        if self.to is not None:
            return list(itertools.product(first, last)) if shape == "all" else []
        pairs = list(_SHAPES[shape](first))
        return pairs if self.directed else list(_once(pairs))


def domain_of(declared: Any) -> Any:
    """The domain that `declared` means in a declaration.

    Raises:
        ModelError: If it is not a domain.
    """
    if isinstance(declared, range) and declared:
        return Within(declared)
    if isinstance(declared, (list, tuple, dict)) and declared:
        return OneOf(declared)
    if declared is bool:
        return Switch()
    if isinstance(declared, Domain):
        return declared
    raise ModelError(
        f"the domain {brief(declared)} of a constant is not known; it takes bool, a range, a sequence of choices, a "
        "mapping of choices to words, Names, Partition or Relation"
    )
