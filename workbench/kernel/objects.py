"""Objects as values: members of enumerations and frozen dataclasses, taken apart and put together without their code.

A member of a ``StrEnum`` or ``IntEnum`` equals a text or a number, and is that value; one of a plain ``Enum`` equals
nothing else, and so does an object of a dataclass. These two are told apart by the names of their classes, which every
process knows alike: of the classes of that name that a model uses there must be one.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Set
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Any
from weakref import WeakValueDictionary

from workbench.kernel.errors import ModelError


def fields_of(kind: type) -> tuple[str, ...]:
    """The fields of a class of records - a NamedTuple, or a dataclass -, in their order; none for any other class.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Claim:
    ...     ticket: int
    ...     writer: str
    >>> fields_of(Claim), fields_of(tuple)
    (('ticket', 'writer'), ())
    """
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", ())
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


def is_object(value: Any) -> bool:
    """Whether `value` is an object of a dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, (tuple, frozenset, type))


def parts_of(value: Any) -> tuple[Any, ...]:
    """What an object of a dataclass holds, in the order of its fields."""
    return tuple(getattr(value, name) for name in fields_of(type(value)))


def record_items(value: Any) -> tuple[tuple[str, Any], ...]:
    """The fields of a record with what they hold; none for any other value."""
    if isinstance(value, tuple):
        return tuple(zip(fields_of(type(value)), value, strict=False))
    return tuple(zip(fields_of(type(value)), parts_of(value), strict=True)) if is_object(value) else ()


def make_record(kind: type, parts: tuple[Any, ...]) -> Any:
    """The record of a class that holds `parts`; no code of the class is run."""
    if issubclass(kind, tuple):
        return tuple.__new__(kind, parts)
    made = object.__new__(kind)
    for name, part in zip(fields_of(kind), parts, strict=True):
        object.__setattr__(made, name, part)
    return made


def is_member(value: Any) -> bool:
    """Whether `value` is a member of an enumeration that equals nothing but itself."""
    return isinstance(value, Enum) and not isinstance(value, (int, str))


def why_not(value: Any) -> str | None:
    """Why an object cannot be part of a state, in words; None if it can, apart from what it holds."""
    kind = type(value)
    if isinstance(value, Flag):
        return "a Flag is not a value; use a frozenset of the members of an Enum"
    if isinstance(value, Enum):
        plain = isinstance(value, (StrEnum, IntEnum)) or not isinstance(value, (str, int, tuple, frozenset))
        return None if plain else "of enumerations it takes Enum, StrEnum and IntEnum"
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is None:
        return ""
    if not (parameters.frozen and parameters.eq):
        return "of dataclasses it takes those with frozen=True"
    fields = dataclasses.fields(kind)
    if not all(field.compare for field in fields) or "__eq__" in _written_by_hand(kind):
        return "a dataclass must compare all of its fields"
    return None


def _written_by_hand(kind: type) -> Set[str]:
    """The methods of a class that stand in a file: those that dataclass makes do not."""
    return {
        name
        for name, what in vars(kind).items()
        if getattr(getattr(what, "__code__", None), "co_filename", "<") != "<string>"
    }


def objects_in(value: Any) -> Iterator[Any]:
    """The members of enumerations and the objects of dataclasses in `value`, at any depth."""
    if isinstance(value, (tuple, frozenset)):
        for item in value:
            yield from objects_in(item)
    elif isinstance(value, Mapping):
        yield from objects_in((*value.keys(), *value.values()))
    elif is_member(value):
        yield value
    elif is_object(value):
        yield value
        yield from objects_in(parts_of(value))


_met: WeakValueDictionary[str, type] = WeakValueDictionary()


def meet(kind: type) -> None:
    """Take note that a state may hold objects of a class."""
    _met[kind.__qualname__] = kind


class Kinds:
    """The classes of the objects among one model's values, by their names."""

    def __init__(self) -> None:
        self._known: dict[str, type] = {}

    def check(self, value: Any) -> None:
        """Raise :class:`ModelError` if a class of an object in `value` has the name of another one."""
        if not _met:  # nobody in this process has objects in a state
            return
        for found in objects_in(value):
            kind = type(found)
            if self._known.setdefault(kind.__qualname__, kind) is not kind:
                raise ModelError(
                    f"two classes are called {kind.__qualname__!r}, and states hold objects of both, which read the "
                    "same; rename one"
                )
