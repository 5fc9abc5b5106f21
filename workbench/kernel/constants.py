"""Constants: the switches and sizes of a model, each with a domain, a default and one line of documentation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.kernel.errors import InputError, ModelError, brief, listed
from workbench.kernel.values import Name, show

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
class Partition:
    """A partition of the set that the constant `of` names; None: every member is a part of its own."""

    of: str

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


class Choice:
    """One of some values, each of which may have a word that people read and write in its place.

    Parameters
    ----------
    choices : sequence, or mapping of values to words
    """

    def __init__(self, choices: Sequence[Any] | Mapping[Any, str]) -> None:
        self.values = tuple(choices)
        self.words = dict(choices) if isinstance(choices, Mapping) else {}
        words = list(self.words.values())
        if not all(isinstance(word, str) and _NAME.fullmatch(word) for word in words) or len(set(words)) < len(words):
            raise ModelError(f"the choices {brief(dict(choices))} are not accepted; each takes a word of its own")
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


_KINDS = {range: "integer", Choice: "choice", Names: "names", Partition: "partition"}


class Constant:
    """One constant of a model.

    Parameters
    ----------
    default
        A value that the domain accepts.
    domain : type | range | sequence | mapping | Names | Partition
        ``bool`` for a switch, a range of integers, a sequence of choices or a mapping of choices to the words for them,
        or a set of names.
    doc : str
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

    def __init__(self, default: Any, domain: Any, doc: str) -> None:
        self.default = default
        self.domain: Any = Choice(domain) if domain and isinstance(domain, (list, tuple, dict)) else domain
        self.doc = doc
        if self.domain is not bool and (type(self.domain) not in _KINDS or self.domain == range(0)):
            raise ModelError(
                f"the domain {brief(domain)} of a constant is not known; "
                "it takes bool, a range, a sequence of choices, a mapping of choices to words, Names or Partition"
            )

    if TYPE_CHECKING:  # a model has the value under the constant's name, where its class has the declaration

        def __get__(self, model: Any, owner: type | None = None) -> Any: ...

    @property
    def kind(self) -> str:
        """``switch``, ``integer``, ``choice``, ``names`` or ``partition``."""
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
        """`value` as people read it: the word for a choice that has one."""
        return self.domain.word(value) if isinstance(self.domain, Choice) else show(value)

    def parse(self, name: str, given: Any) -> Any:
        """The value that `given` stands for.

        Raises
        ------
        InputError
            If the domain does not accept it.
        """
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


def check_partition(name: str, parts: Sequence[Sequence[str]], members: Sequence[str], of: str) -> None:
    """Raise :class:`InputError` unless `parts` holds each of `members` exactly once."""
    held = [member for part in parts for member in part]
    if not all(isinstance(member, str) for member in held) or sorted(held) != sorted(members):
        raise InputError(
            f"{name} = {brief([list(part) for part in parts])} is not a partition of {of}; "
            f"it must hold each of {listed(members)} exactly once"
        )
