"""Interning: identical sets and tuples become one object, so that facts stored under its id are found again.

There is a table for each signature, since Python takes TRUE for 1. CPython has no weak references to tuples: tables
that hold too much are emptied, and a new generation of objects begins. That affects only speed.
"""

from typing import Any, TypeVar

from workbench.tlaplus.values.signatures import Signatures

T = TypeVar("T", tuple[Any, ...], frozenset[Any])

#: Sets and tuples in a generation, and their members.
_ROOM = 1 << 19


class Interner:
    """The sets and tuples of the evaluations of one specification. Several threads may use it.

    Attributes:
        signatures: Those of the values.
    """

    def __init__(self) -> None:
        self.signatures = Signatures()
        self._tables: dict[int, dict[Any, Any]] = {}
        self._room = _ROOM

    def interned(self, value: T, signature: int) -> T:
        """The object for a set or tuple; the same one for all that are the same, within a generation.

        Args:
            signature: That of a tuple, or of the members of a set; if it is unknown the value itself is returned.
        """
        if not signature:
            return value
        table = self._tables.get(signature)
        if table is None:
            table = self._tables.setdefault(signature, {})
        first: T = table.setdefault(value, value)
        if first is value:
            self._room -= len(value) + 1
            if self._room < 0:
                self._tables, self._room = {}, _ROOM
        return first

    def set_of(self, members: frozenset[Any]) -> frozenset[Any]:
        """The object for a set."""
        return self.interned(members, self.signatures.of_all(members))

    def tuple_of(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        """The object for a tuple."""
        return self.interned(parts, self.signatures.of(parts))
