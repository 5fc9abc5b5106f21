"""Constants: the switches and sizes of a model, each with a domain, a default and one line of documentation."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.kernel.domains import Domain, Switch, Within, domain_of
from workbench.kernel.errors import NOT_SAID, InputError, brief, in_its_line
from workbench.kernel.given import plain
from workbench.kernel.values import permute, show


class Constant:
    """One constant of a model.

    Args:
        default: A value that the domain accepts.
        domain: ``bool`` for a switch, ``str`` for a text, ``int`` for any integer, a range of integers, a sequence of
            choices or a mapping of choices to the words for them, ``Integers``, a set of ``Names``, or something about
            the names of such a set.
        doc: One line, shown wherever the constant is offered.

    Examples:
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
        self.default, self.doc = default, doc
        self._domain: Domain = domain_of(domain)
        self.domain: Any = domain if isinstance(self._domain, (Switch, Within)) else self._domain
        self.kind = self._domain.kind
        self.describe, self.word = self._domain.describe, self._domain.word
        self.spelled, self.unordered, self.bind = self._domain.spelled, self._domain.unordered, self._domain.bind

    if TYPE_CHECKING:  # a model has the value under the constant's name, where its class has the declaration

        def __get__(self, model: Any, owner: type | None = None) -> Any: ...

    @property
    def sets(self) -> tuple[str, ...]:
        """The sets of names that the constant is about, by the names of their constants."""
        return self._domain.sets

    def parse(self, name: str, given: Any) -> Any:
        """The value that `given` stands for, apart from the names of the sets that it may be about.

        Raises:
            InputError: If the domain does not accept it.
        """
        given = plain(given)
        try:
            return self._domain.parse(given)
        except ValueError:
            raise InputError(f"{name} = {brief(given)} is not accepted; it takes {self.describe()}") from None


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
