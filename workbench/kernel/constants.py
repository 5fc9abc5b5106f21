"""Constants: the switches and sizes of a model, each with a domain, a default and one line of documentation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.kernel.errors import NOT_SAID, InputError, ModelError, brief, in_its_line, listed
from workbench.kernel.given import plain
from workbench.kernel.relations import Graph, Partition, Relation, Sets
from workbench.kernel.values import Map, Name, permute, show

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Names:
    """A set of actors or values: given by its size (`prefix` 1, 2, ...) or as a list of names.

    Parameters
    ----------
    prefix : str
        What the names made from a size start with.
    sizes : range
        The sizes that are accepted.
    """

    prefix: str
    sizes: range

    @in_its_line
    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.prefix) or not self.sizes:
            raise ModelError(f"{self} is not accepted; it takes a prefix that begins with a letter, and some sizes")

    def describe(self) -> str:
        return f"a size from {self.sizes[0]} to {self.sizes[-1]}, or a list of that many names"

    def parse(self, given: Any) -> tuple[Name, ...]:
        if isinstance(given, int) and not isinstance(given, bool) and given in self.sizes:
            names = tuple(f"{self.prefix}{i + 1}" for i in range(given))
        elif isinstance(given, (list, tuple)):
            names = tuple(given)
        else:
            raise ValueError
        if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
            raise ValueError
        if len(names) not in self.sizes or len(set(names)) != len(names):
            raise ValueError
        return tuple(map(Name, names))


@dataclass(frozen=True)
class Integers:
    """Integers without a list of them: all, or those from `least`, or up to `most`.

    Examples
    --------
    >>> Constant(3, Integers(least=0), "requests").parse("Requests", -1)
    Traceback (most recent call last):
        ...
    workbench.kernel.errors.InputError: Requests = -1 is not accepted; it takes an integer from 0 on
    """

    least: int | None = None
    most: int | None = None

    @in_its_line
    def __post_init__(self) -> None:
        low, high = plain(self.least), plain(self.most)
        object.__setattr__(self, "least", low)
        object.__setattr__(self, "most", high)
        if not all(bound is None or type(bound) is int for bound in (low, high)):
            raise ModelError(f"{self} is not accepted; its bounds are integers, or None")
        if low is not None and high is not None and low > high:
            raise ModelError(f"{self} is not accepted; it contains no integer")

    def __contains__(self, number: object) -> bool:
        if type(number) is not int:
            return False
        return (self.least is None or number >= self.least) and (self.most is None or number <= self.most)

    def describe(self) -> str:
        if self.most is None:
            return "an integer" if self.least is None else f"an integer from {self.least} on"
        return f"an integer up to {self.most}" if self.least is None else f"an integer from {self.least} to {self.most}"

    def parse(self, given: Any) -> int:
        if given not in self:
            raise ValueError
        return int(given)


@dataclass(frozen=True)
class Text:
    """Any line of text."""

    def describe(self) -> str:
        return "a line of text"

    def parse(self, given: Any) -> str:
        if not (isinstance(given, str) and given.isprintable()):
            raise ValueError
        return str(given)


class Choice:
    """One of some values, each of which may have a word that people read and write in its place.

    Parameters
    ----------
    choices : sequence, or mapping of values to words
    """

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
        """What people read for `value`."""
        return self.words[value] if self.words and value in self.words else show(value)

    def describe(self) -> str:
        return "one of " + ", ".join(f"{v} ({self.words[v]})" if self.words else str(v) for v in self.values)

    def parse(self, given: Any) -> Any:
        for value in self.values:
            if given == value and type(given) is type(value):
                return value
            if self.words and isinstance(given, str) and given == self.words[value]:
                return value
        raise ValueError


class Assignment:
    """A choice for each member of the set of names that the constant `of` holds: to the model a ``Map``.

    It is given as one choice for all, or as a mapping, or as a text such as ``n1: leader, n3: leader``; names that are
    left out have the first choice.

    Parameters
    ----------
    of : str
        The name of a constant that is a set of names.
    choices
        The domain of each: ``bool``, a range, choices, or a mapping of choices to words.
    """

    verb: ClassVar[str] = "is about"

    @in_its_line
    def __init__(self, of: str, choices: Any) -> None:
        self.of = of
        if not (choices is bool or (isinstance(choices, (range, list, tuple, dict)) and choices)):
            raise ModelError(f"Assignment({of!r}, {brief(choices)}) is not accepted; it takes bool, a range or choices")
        first = False if choices is bool else next(iter(choices))
        self.each = Constant(first, choices, "")

    @property
    def sets(self) -> tuple[str, ...]:
        return (self.of,)

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values that a name may have."""
        return (False, True) if self.each.domain is bool else tuple(self.each.domain)

    def describe(self) -> str:
        return f"for each of {self.of} {self.each.describe()}: one for all, or a mapping (left out: {self._first})"

    @property
    def _first(self) -> str:
        return self.each.word(self.each.default)

    def parse(self, given: Any) -> Any:
        if isinstance(given, Map):  # of a model: one choice for all stays that with other names
            given = self.spelled(given)
        if isinstance(given, str):
            given = _items(given) or given
        if not isinstance(given, Mapping):
            return self._choice(given)
        if not all(isinstance(name, str) for name in given):
            raise ValueError
        return Map((Name(name), self._choice(choice)) for name, choice in given.items())

    def _choice(self, given: Any) -> Any:
        """The choice that is given as it is, or by what people read for it."""
        try:
            return self.each.parse("", given)
        except InputError:
            named = [choice for choice in self.choices if isinstance(given, str) and given == self.each.word(choice)]
            if not named:
                raise ValueError from None
            return named[0]

    def bind(self, name: str, value: Any, sets: Sets) -> Map:
        members = sets[self.of]
        given = value if isinstance(value, Map) else dict.fromkeys(members, value)
        for key in given:
            if key not in members:
                raise InputError(f"{name} is not accepted with {brief(str(key))}: {self.of} has {listed(members)}")
        return Map((member, given.get(member, self.each.default)) for member in members)

    def spelled(self, value: Any) -> Any:
        """One choice for all where they are the same; else a plain mapping."""
        if not isinstance(value, Map):
            return value
        one, *others = [*dict.fromkeys(value.values())] or [self.each.default]
        return dict(value) if others else one

    def word(self, value: Any) -> str:
        plain = self.spelled(self.parse(value))
        if not isinstance(plain, Mapping):
            return self.each.word(plain)
        return "{" + ", ".join(f"{name}: {self.each.word(choice)}" for name, choice in plain.items()) + "}"

    def unordered(self, value: Any) -> Any:
        return value


def _items(text: str) -> dict[str, str]:
    """The names and choices in a text such as ``{n1: leader, n2: follower}``; none in any other text."""
    inside = text.strip()
    if inside.startswith("{") and inside.endswith("}"):
        inside = inside[1:-1]
    pairs = [(name.strip(), choice.strip()) for name, _, choice in (item.partition(":") for item in inside.split(","))]
    named = all(_NAME.fullmatch(name) and choice for name, choice in pairs)
    return dict(pairs) if named and len(dict(pairs)) == len(pairs) else {}


_KINDS = {
    range: "integer",
    Integers: "number",
    Text: "text",
    Choice: "choice",
    Names: "names",
    Partition: "partition",
    Graph: "graph",
    Relation: "relation",
    Assignment: "assignment",
}


_PLAIN: dict[Any, Any] = {int: Integers, str: Text}


class Constant:
    """One constant of a model.

    Parameters
    ----------
    default
        A value that the domain accepts.
    domain : type | range | sequence | mapping | Integers | Names | Partition | Graph | Relation | Assignment
        ``bool`` for a switch, ``str`` for a text, ``int`` for any integer, a range of integers, a sequence of choices
        or a mapping of choices to the words for them, a set of names, or something about the names of such a set.
    doc : str, optional
        One line, shown wherever the constant is offered.

    Examples
    --------
    >>> crashes = Constant(1, range(0, 4), "how many writers may crash")
    >>> crashes.parse("MaxCrashes", 7)
    Traceback (most recent call last):
        ...
    workbench.kernel.errors.InputError: MaxCrashes = 7 is not accepted; it takes an integer from 0 to 3
    >>> control = Constant(0, {0: "none", 1: "optimistic"}, "how writers keep out of each other's way")
    >>> control.parse("Control", "optimistic"), control.word(1)
    (1, 'optimistic')
    """

    @in_its_line
    def __init__(self, default: Any, domain: Any, doc: str = NOT_SAID) -> None:
        self.default = default
        choices = domain and isinstance(domain, (list, tuple, dict))
        self.domain: Any = Choice(domain) if choices else _PLAIN[domain]() if domain is int or domain is str else domain
        self.doc = doc
        if self.domain is not bool and (type(self.domain) not in _KINDS or self.domain == range(0)):
            raise ModelError(
                f"the domain {brief(domain)} of a constant is not known; "
                "it takes bool, a range, int, Integers, str, a sequence of choices, a mapping of choices to words, "
                "Names, Partition, Graph, Relation or Assignment"
            )

    if TYPE_CHECKING:  # a model has the value under the constant's name, where its class has the declaration

        def __get__(self, model: Any, owner: type | None = None) -> Any: ...

    @property
    def kind(self) -> str:
        """What it takes, in a word: ``switch``, ``integer`` in a range, ``number``, ``text``, ``choice`` or ``names``.

        What is about names is a ``partition``, a ``graph``, a ``relation`` or an ``assignment``.
        """
        if self.domain is bool:
            return "switch"
        return _KINDS[type(self.domain)]

    def describe(self) -> str:
        """What the constant accepts, in words."""
        if self.domain is bool:
            return "true or false"
        if isinstance(self.domain, range):
            steps = "" if self.domain.step == 1 else f" in steps of {self.domain.step}"
            return f"an integer from {self.domain[0]} to {self.domain[-1]}{steps}"
        return self.domain.describe()

    def word(self, value: Any) -> str:
        """`value` as people read it: the word for a choice that has one, the shape of a graph."""
        return self.domain.word(value) if hasattr(self.domain, "word") else show(value)

    def spelled(self, value: Any) -> Any:
        """`value` as :meth:`parse` takes it and JSON has it: short where there is a word for it."""
        return self.domain.spelled(value) if hasattr(self.domain, "spelled") else value

    def unordered(self, value: Any) -> Any:
        """`value` without the order in which it is written, where that says nothing."""
        return self.domain.unordered(value) if self.sets else value

    @property
    def sets(self) -> tuple[str, ...]:
        """The sets of names that the constant is about, by the names of their constants."""
        return getattr(self.domain, "sets", ())

    def bind(self, name: str, value: Any, sets: Sets) -> Any:
        """What a model has for a parsed `value`: with these members of the sets that it is about.

        Raises
        ------
        InputError
            If it does not go with them.
        """
        return self.domain.bind(name, value, sets) if self.sets else value

    def parse(self, name: str, given: Any) -> Any:
        """The value that `given` stands for, apart from the names of the sets that it may be about.

        Raises
        ------
        InputError
            If the domain does not accept it.
        """
        given = plain(given)
        try:
            if self.domain is bool:
                accepted = isinstance(given, bool)
            elif isinstance(self.domain, range):
                accepted = type(given) is int and given in self.domain
            else:
                return self.domain.parse(given)
            if not accepted:
                raise ValueError
        except ValueError:
            raise InputError(f"{name} = {brief(given)} is not accepted; it takes {self.describe()}") from None
        return given


def spell(constants: Mapping[str, Any], declared: Mapping[str, Constant] | None = None) -> str:
    """Constants in a line, such as ``SafeAcks=FALSE MaxCrashes=2``; with their declarations, choices by their words."""
    words = {name: constant.word for name, constant in (declared or {}).items()}
    return " ".join(f"{name}={words.get(name, show)(value)}" for name, value in constants.items())


def telling_apart(constants: Mapping[str, Any], declared: Mapping[str, Constant], sets: Sequence[str]) -> list[str]:
    """The constants by which names of the symmetric `sets` differ, such as a graph that is not complete.

    They are changed if two names that stand side by side are exchanged: all renamings are made of such exchanges.
    """
    exchanges = [
        {one: other, other: one} for of in sets for one, other in zip(constants[of], constants[of][1:], strict=False)
    ]
    others = [name for name, constant in declared.items() if constant.kind != "names"]
    return [
        name
        for name in others
        if not all(leaves_alone(constants, declared, [name], exchange) for exchange in exchanges)
    ]


def leaves_alone(
    constants: Mapping[str, Any], declared: Mapping[str, Constant], names: Sequence[str], renaming: Mapping[str, str]
) -> bool:
    """Whether the constants called `names` are the same after a renaming: a graph is mapped to itself, say."""
    for name in names:
        value, unordered = constants[name], declared[name].unordered
        if unordered(permute(value, renaming)) != unordered(value):
            return False
    return True
