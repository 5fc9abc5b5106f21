"""Interning: the values of each cell as small integers with their hashes, so that a state is a row of integers."""

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from workbench.checking.kernels.arrays import Growing
from workbench.kernel import Machine
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.state import Layout, Reads, State, Values, View, row_of
from workbench.kernel.meaning.symmetry import AmbiguousNames
from workbench.kernel.meaning.values import (
    LONG,
    Map,
    ObjectClasses,
    flatten,
    identity,
    is_member,
    is_object,
    not_a_value,
    permute,
)

#: The type of the numbers in rows, and the one that replaces it once a cell has too many values.
NARROW, WIDE = np.uint16, np.int32

#: A row, or the known part of one.
Numbers = Sequence[int] | Mapping[int, int]


def cell_hash(variable: str, index: Any, value: Any, bits: int = 64, key: bytes = b"") -> int:
    """The hash of one cell's value; a state's fingerprint is the sum of its cells' hashes, modulo 2**bits.

    It depends on names, values and the key alone, so every process of a search computes the same hash. Sums are easily
    made to collide by whoever knows the key; that is why each search draws one.
    """
    digest = hashlib.blake2b(encode((variable, index, value)), digest_size=bits // 8, key=key)
    return int.from_bytes(digest.digest(), "little")


def encode(value: Any) -> bytes:
    """The canonical bytes of a value, in every process: equal for the same values only.

    Examples:
        >>> encode(frozenset({2, 1})) == encode(frozenset({1, 2}))
        True
        >>> encode("1") == encode(1)
        False
    """
    if isinstance(value, str):
        text = value.encode()
        return b"s%d:%b" % (len(text), text)
    if value is None:
        return b"n"
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, int):
        return b"i%d;" % value if value.bit_length() <= LONG else b"i%b;" % hex(value).encode()
    if isinstance(value, tuple):
        parts = b"".join(map(encode, value))
        return b"d(%b%b)" % (encode(type(value).__qualname__), parts) if hasattr(value, "_fields") else b"(%b)" % parts
    if isinstance(value, frozenset):
        return b"{" + b"".join(sorted(map(encode, value))) + b"}"
    if isinstance(value, Map):
        return b"<" + b"".join(sorted(encode(k) + encode(v) for k, v in value.items())) + b">"
    if is_object(value):
        return b"d(%b%b)" % (encode(type(value).__qualname__), b"".join(map(encode, flatten(value)[0])))
    if is_member(value):
        return b"e" + encode((type(value).__qualname__, value.name))
    raise ModelError(not_a_value(value))


class Interner:
    """Numbers the values of each cell of a model, in the order of discovery.

    A (cell, value) pair has one hash per symmetric renaming, that of its image, so the fingerprints of all images of a
    state are sums over the same row.

    Args:
        symmetry: The sets whose names are interchangeable; empty for none.
        bits ({64, 128}): The width of a fingerprint.
        key: The search's, for all its processes.

    Attributes:
        layout (Layout): The cells of a row.
        values: For each cell the values by number.
        lanes (int): 64-bit words per row of `hashes`: renamings times words of a fingerprint, low words first.
        row_type: The type of the numbers in rows.
    """

    def __init__(self, model: Machine, symmetry: Sequence[str] = (), bits: int = 64, *, key: bytes) -> None:
        self.model, self.symmetry, self.bits, self._key = model, tuple(symmetry), bits, key
        self.renamings = model.renamings(symmetry) if symmetry else [{}]
        self._model_words, self._kinds = AmbiguousNames(model, self.symmetry), ObjectClasses()
        self.layout = model.layout
        self._hidden = frozenset(model.hidden)
        self._images = [model.permuted_cells(renaming) for renaming in self.renamings]
        self.words = bits // 64
        self.lanes = self.words * len(self.renamings)
        cells = self.layout.cells
        self.values: list[list[Any]] = [[] for _ in cells]
        self.row_type: Any = NARROW
        self._most = np.iinfo(NARROW).max
        self._numbers: list[dict[Any, int]] = [{} for _ in cells]
        self._room = [0] * len(cells)
        self.hash_base = np.zeros(len(cells), np.int64)
        self._base = self.hash_base.data
        self._hashes = Growing(np.uint64, self.lanes)

    @property
    def hashes(self) -> np.ndarray:
        """The hashes of value v of cell c, in row ``hash_base[c] + v``."""
        return self._hashes.array

    def written(self, cell: int, value: Any) -> int:
        """The number of a `value` that the model writes to `cell`; checks the model's own words."""
        key = identity(value)
        existing = self._numbers[cell].get(key)
        if existing is not None and self.values[cell][existing] is value:  # it was checked when it was first met
            return existing
        self._model_words.check(self.layout.cells[cell], value)
        return self._add(cell, value, key) if existing is None else existing

    def number(self, cell: int, value: Any) -> int:
        """The number of `value` in `cell`; a new value gets the next number."""
        key = identity(value)
        existing = self._numbers[cell].get(key)
        return self._add(cell, value, key) if existing is None else existing

    def _add(self, cell: int, value: Any, key: Hashable) -> int:
        self._kinds.check(value)
        numbers = self._numbers[cell]
        number = numbers[key] = len(numbers)
        self.values[cell].append(value)
        if number > self._most:
            self.row_type = WIDE
        if number == self._room[cell]:
            self._move(cell, max(4, 2 * number))
        self._hashes[self._base[cell] + number] = self._hash(cell, value)
        return number

    def find(self, cell: int, value: Any) -> int | None:
        """The number of `value` in `cell`, if it was met before."""
        return self._numbers[cell].get(identity(value))

    def _move(self, cell: int, room: int) -> None:
        old, used = self._base[cell], self._room[cell]
        at = self._hashes.reserve(room)
        self._hashes[at : at + used] = self._hashes[old : old + used]
        self._base[cell], self._room[cell] = at, room

    def _hash(self, cell: int, value: Any) -> list[int]:
        if cell in self._hidden:
            return [0] * self.lanes
        low, high = [], []
        for renaming, images in zip(self.renamings, self._images, strict=True):
            image = self.layout.cells[images[cell]]
            hashed = cell_hash(image.variable, image.index, permute(value, renaming), self.bits, self._key)
            low.append(hashed & 0xFFFF_FFFF_FFFF_FFFF)
            high.append(hashed >> 64)
        return low + high if self.words == 2 else low

    def difference(self, before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]]) -> Any:
        """The change of the fingerprints when some (cell, number) pairs replace others."""
        gone = [self._base[cell] + number for cell, number in before]
        come = [self._base[cell] + number for cell, number in after]
        if self.lanes == 1:
            hashes = self._hashes.items
            added = sum([hashes[at] for at in come]) - sum([hashes[at] for at in gone])
            return added & 0xFFFF_FFFF_FFFF_FFFF
        total = np.zeros(self.lanes, np.uint64)
        for at in come:
            total += self._hashes[at]
        for at in gone:
            total -= self._hashes[at]
        return total

    def encode(self, state: State) -> list[int]:
        """The row of `state`."""
        return [self.written(cell, value) for cell, value in enumerate(row_of(state))]

    def reads(self, row: Numbers) -> Reads:
        """The values of a row, as actions and predicates read them."""
        return _RowReads(self.values, row)

    def decode(self, row: Sequence[int]) -> Any:
        """The state of a row."""
        return self.model.state([values[number] for values, number in zip(self.values, row, strict=True)])

    def sums(self, row: Sequence[int]) -> np.ndarray:
        """The fingerprints of all images of a row, as one row of 64-bit words, each summed without carries."""
        return np.array(self.difference((), list(enumerate(row))), np.uint64, ndmin=1)

    @property
    def nbytes(self) -> int:
        return self._hashes.nbytes


class _RowReads(Reads):
    """Looks up the values of a row when they are read."""

    def __init__(self, values: Sequence[Sequence[Any]], row: Numbers) -> None:
        self._values, self._row = values, row

    def __missing__(self, cell: int) -> Any:
        value = self[cell] = self._values[cell][self._row[cell]]
        return value


class StepReads(Reads):
    """The values of a step's row: the state before, the state after, and for each cell whether it changed."""

    def __init__(self, values: Sequence[Sequence[Any]], row: Numbers) -> None:
        self._contents, self._row = values, row

    def __missing__(self, at: int) -> Any:
        part, cell = divmod(at, len(self._contents))
        value = self[at] = bool(self._row[at]) if part == 2 else self._contents[cell][self._row[at]]
        return value

    def views(self, layout: Layout) -> tuple[Any, Any]:
        """The two states as step properties see them."""
        cells = len(self._contents)
        before, after = (_Part(self, first) for first in (0, cells))
        return layout.view(before), layout.bind(_After)(layout, after, lambda cell: self[2 * cells + cell])


class _After(View):
    """The state after a step. Asking it whether a cell changed does not count as reading either value."""

    __slots__ = ("_changed",)
    _changed: Callable[[int], bool]

    def __init__(self, layout: Layout, values: Values, changed: Callable[[int], bool]) -> None:
        super().__init__(layout, values)
        object.__setattr__(self, "_changed", changed)

    def _changed_since(self, before: View) -> Callable[[int], bool]:
        return self._changed


class _Part(Reads):
    """One of a step's two states."""

    def __init__(self, step: StepReads, first: int) -> None:
        self._step, self._first = step, first

    def __missing__(self, cell: int) -> Any:
        value = self[cell] = self._step[self._first + cell]
        return value
