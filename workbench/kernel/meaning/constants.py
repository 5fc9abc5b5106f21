"""Constants: a model's switches and sizes, each with a domain, a default and one line of documentation."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.kernel.meaning.arguments import plain
from workbench.kernel.meaning.domains import Names, OneOf, domain_of
from workbench.kernel.meaning.errors import NOT_SAID, InputError, brief, in_its_line
from workbench.kernel.meaning.values import permute, show


@dataclass(frozen=True, eq=False)
class Constant:
    """One constant of a model.

    Args:
        default: A value that the domain accepts.
        domain: ``bool`` for a switch, a range of integers, a sequence of choices or a mapping of choices to words, a
            set of ``Names``, or a ``Partition`` or ``Relation`` over such a set; kept as a :class:`Domain`.
        doc: One line, shown with the constant.
        ghost: Nothing reads it, on purpose: a configuration of another tool names it.

    Examples:
        >>> crashes = Constant(1, range(0, 4), "how many writers may crash")
        >>> crashes.parse("MaxCrashes", 7)
        Traceback (most recent call last):
            ...
        workbench.kernel.meaning.errors.InputError: MaxCrashes = 7 is not accepted; it takes an integer from 0 to 3
        >>> control = Constant(0, {0: "none", 1: "optimistic"}, "how writers keep out of each other's way")
        >>> control.parse("Control", "optimistic"), control.domain.word(1)
        (1, 'optimistic')
    """

    default: Any
    domain: Any
    doc: str = NOT_SAID
    ghost: bool = False

    @in_its_line
    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", domain_of(self.domain))

    if TYPE_CHECKING:  # the name is the declaration on the class, and the value on a model

        def __get__(self, model: Any, owner: type | None = None) -> Any: ...

    def parse(self, name: str, raw: Any) -> Any:
        """The value that `raw` stands for, not yet bound to sets of names.

        Raises:
            InputError: If the domain does not accept it.
        """
        raw = plain(raw)
        try:
            return self.domain.parse(raw)
        except ValueError:
            raise InputError(f"{name} = {brief(raw)} is not accepted; it takes {self.domain.describe()}") from None

    def in_word(self, value: Any) -> Any:
        """`value` as people write it in Python: a choice by its word."""
        return self.domain.words.get(value, value) if isinstance(self.domain, OneOf) else value


def spell(constants: Mapping[str, Any], declared: Mapping[str, Constant] | None = None) -> str:
    """Constants on one line, such as ``SafeAcks=off MaxCrashes=2``; with `declared`, spelled as their domains do."""
    words = {name: constant.domain.word for name, constant in (declared or {}).items()}
    return " ".join(f"{name}={words.get(name, show)(value)}" for name, value in constants.items())


def as_arguments(constants: Mapping[str, Any], declared: Mapping[str, Constant]) -> list[str]:
    """Constants as arguments of a model's class, such as ``Control='optimistic'``."""
    return [f"{name}={declared[name].in_word(value)!r}" for name, value in constants.items()]


def telling_apart(
    constants: Mapping[str, Any], declared: Mapping[str, Constant], sets: Sequence[Sequence[str]]
) -> list[str]:
    """The constants that distinguish members of the symmetric `sets`, such as a graph that is not complete.

    Swapping some two neighbouring names changes such a constant; every renaming is a sequence of such swaps.
    """
    exchanges = [{one: other, other: one} for names in sets for one, other in itertools.pairwise(names)]
    return [
        name
        for name, constant in declared.items()
        if not isinstance(constant.domain, Names)
        and not all(leaves_alone(constants, declared, [name], exchange) for exchange in exchanges)
    ]


def leaves_alone(
    constants: Mapping[str, Any], declared: Mapping[str, Constant], names: Sequence[str], renaming: Mapping[str, str]
) -> bool:
    """Whether a renaming leaves the constants called `names` unchanged, for example maps a graph to itself."""
    pairs = ((constants[name], declared[name].domain.unordered) for name in names)
    return all(unordered(permute(value, renaming)) == unordered(value) for value, unordered in pairs)
