"""Signatures: the kinds of a value and of its parts, at every depth, as a small number.

If two signatures have a join, TLC can compare any values that have them, and Python's ``==`` and hashes agree with TLC.
So neither order keys nor sorting are needed to rule out an error. :data:`UNKNOWN` decides nothing: order keys must
then. It is the signature of typed model values, of lazy values, and of values whose parts have no join but may still be
comparable, such as tuples of different lengths.
"""

from collections.abc import Collection, Iterable
from itertools import chain, count
from operator import itemgetter
from typing import Any

from workbench.kernel.meaning.values import Map, Name

UNKNOWN = 0
#: Of untyped model values, which may meet any value; and the join of no signatures.
BOTTOM = 1
_EMPTY = 2  # <<>>, which is a sequence, and the record without fields
_ATOMS = {bool: 3, int: 4, str: 5}
#: Tuples of parts of one such kind.
_SEQUENCES = {bool: 6, int: 7, str: 8}
#: The structure behind a number: a kind, with the signatures of its parts.
_FORMS: tuple[tuple[Any, ...], ...] = (
    (),
    ("anything",),
    ("nothing",),
    ("boolean",),
    ("integer",),
    ("string",),
    ("sequence", 3),
    ("sequence", 4),
    ("sequence", 5),
)
#: The second letter of a model value, an underscore if it is typed.
_second = itemgetter(slice(1, 2))
_FUNCTIONS = frozenset({"sequence", "tuple", "record", "function"})
#: Forms that are numbered; there are as many only if ever new records come up.
_MOST_FORMS = 1 << 12
_MOST_JOINS = 1 << 16
#: How many records with different fields one signature distinguishes.
_MOST_RECORDS = 64
#: Values that are remembered, and their parts.
_ROOM = 1 << 19


def type_of(name: Name) -> str:
    """The type of a typed model value: ``A_1`` has type ``A``. "" for an untyped one, which may meet any value."""
    return name[0] if len(name) > 2 and name[1] == "_" else ""


class Signatures:
    """Numbers for signatures, and the signatures of values.

    Several threads may use one: nothing that one of them relies on is ever changed, only replaced.
    """

    def __init__(self) -> None:
        self._forms = dict(enumerate(_FORMS))
        self._numbers = {form: number for number, form in self._forms.items()}
        self._fresh = count(len(_FORMS))
        self._joins: dict[tuple[int, int], int] = {}
        # By the id of a value; the value is kept beside its entry so that no other value gets that id.
        self._by_id: dict[int, tuple[Any, int]] = {}
        self._room = _ROOM

    def of(self, value: Any) -> int:
        """The signature of a value."""
        kind = type(value)
        if atom := _ATOMS.get(kind):
            return atom
        if kind is Name:
            return UNKNOWN if type_of(value) else BOTTOM
        if kind is tuple:
            kinds = set(map(type, value))
            if len(kinds) == 1 and (sequence := _SEQUENCES.get(kinds.pop())):
                return sequence
        entry = self._by_id.get(id(value))
        if entry is not None:
            return entry[1]
        if kind is frozenset:
            members = self.of_all(value)
            signature = self._number("set", members) if members else UNKNOWN
        elif kind is tuple:
            signature = self._of_tuple([self.of(part) for part in value])
        elif kind is Map:
            signature = self._of_map(value._data)
        else:
            return UNKNOWN
        self._room -= len(value) + 1
        if self._room < 0:
            self._by_id, self._room = {}, _ROOM
        self._by_id[id(value)] = value, signature
        return signature

    def of_all(self, values: Collection[Any]) -> int:
        """The join of the signatures of some values."""
        kinds = set(map(type, values))
        if len(kinds) == 1:
            kind = kinds.pop()
            if atom := _ATOMS.get(kind):
                return atom
            if kind is Name and "_" not in map(_second, values):
                return BOTTOM
            if kind is tuple and all(values):
                kinds = set(map(type, chain.from_iterable(values)))
                if len(kinds) == 1 and (sequence := _SEQUENCES.get(kinds.pop())):
                    return sequence
        return self._join_all(set(map(self.of, values)))

    def of_members(self, members: frozenset[Any]) -> int:
        """The join of the signatures of a set's members, memoized."""
        entry = self._by_id.get(id(members))
        signature = self.of(members) if entry is None else entry[1]
        return self._forms[signature][1] if signature else UNKNOWN

    def join(self, one: int, other: int) -> int:
        """The signature of values that have one of two signatures; UNKNOWN if there is none."""
        if one == other:
            return one
        if one == BOTTOM or other == BOTTOM:
            return one + other - BOTTOM if one and other else UNKNOWN
        joint = self._joins.get((one, other))
        if joint is None:
            joint = self._joined(self._forms[one], self._forms[other]) if one and other else UNKNOWN
            if len(self._joins) >= _MOST_JOINS:
                self._joins = {}
            self._joins[one, other] = joint
        return joint

    def _join_all(self, signatures: Iterable[int]) -> int:
        joint = BOTTOM
        for signature in signatures:
            joint = self.join(joint, signature)
            if not joint:
                break
        return joint

    def _number(self, *form: Any) -> int:
        number = self._numbers.get(form)
        if number is None:
            if len(self._numbers) >= _MOST_FORMS:
                return UNKNOWN
            number = next(self._fresh)
            self._forms[number] = form  # before anybody can get the number; another thread's stays if it was first
            number = self._numbers.setdefault(form, number)
        return number

    def _of_tuple(self, parts: list[int]) -> int:
        if not parts:
            return _EMPTY
        if UNKNOWN in parts:
            return UNKNOWN
        common = self._join_all(set(parts))
        return self._number("sequence", common) if common else self._number("tuple", *parts)

    def _of_map(self, data: dict[Any, Any]) -> int:
        parts = [self.of(part) for part in data.values()]
        if UNKNOWN in parts:
            return UNKNOWN
        if all(type(key) is str or (type(key) is Name and not type_of(key)) for key in data):
            return self._number("record", frozenset([frozenset(zip(data, parts, strict=True))]))
        keys, values = self.of_all(data), self._join_all(set(parts))
        return self._number("function", keys, values) if keys and values else UNKNOWN

    def _joined(self, one: tuple[Any, ...], other: tuple[Any, ...]) -> int:
        """The join of two forms that differ."""
        kind = one[0]
        if kind == "nothing" and other[0] in _FUNCTIONS:
            return self._numbers[other]
        if other[0] == "nothing" and kind in _FUNCTIONS:
            return self._numbers[one]
        if kind != other[0] or len(one) != len(other):
            return UNKNOWN
        if kind == "record":
            return self._joined_records(one[1] | other[1])
        parts = [self.join(*both) for both in zip(one[1:], other[1:], strict=True)]
        if UNKNOWN in parts:
            return UNKNOWN
        return self._of_tuple(parts) if kind == "tuple" else self._number(kind, *parts)

    def _joined_records(self, rows: Iterable[Iterable[tuple[str, int]]]) -> int:
        """The signature of records, each given by the signatures of its fields; those with the same fields are one."""
        merged: dict[frozenset[str], dict[str, int]] = {}
        for row in rows:
            fields = dict(row)
            joint = merged.setdefault(frozenset(fields), fields)
            for name, signature in fields.items():
                joint[name] = self.join(joint[name], signature)
            if UNKNOWN in joint.values():
                return UNKNOWN
        if len(merged) > _MOST_RECORDS:
            return UNKNOWN
        return self._number("record", frozenset([frozenset(row.items()) for row in merged.values()]))
