"""The cells that a variable takes, learned from a sample of its values."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.values import Map, permute
from workbench.tlaplus.layout.shapes import Fixed, Growing, Leaf, Members, Shape, Varying, is_function
from workbench.tlaplus.values.equality import set_of
from workbench.tlaplus.values.values import EvaluationError, pairs_of

#: A variable that would take more cells than this has one.
MOST_OF_ONE = 256
#: Variables share this many cells: rows of very many cells cost the kernels more than they save.
MOST = 512
#: Sequences are expected to become longer than any that was met, by so many elements.
_LONGER = 2
#: Records that have not been met are expected if there are at most so many times those that have.
_EXPECTED = 4

Renamings = Sequence[Mapping[str, str]]


class Observations:
    """The values met in one place of a variable.

    The values of a function for arguments that are not strings are alike: those for later ones look like earlier ones.
    """

    def __init__(self) -> None:
        self._domains = set[frozenset[Any]]()
        self._keys = dict[Any, Observations]()
        self._alike: Observations | None = None
        self._members = set[Any]()
        self._has_sets = self._has_others = False

    def add(self, value: Any) -> None:
        if is_function(value):
            pairs = list(pairs_of(value))
            self._domains.add(frozenset(key for key, _ in pairs))
            for key, part in pairs:
                self._at(key).add(part)
        elif type(value) is frozenset:
            self._has_sets = True
            if len(self._members) <= MOST_OF_ONE:
                self._members |= value
        else:
            self._has_others = True

    def _at(self, key: Any) -> "Observations":
        if key not in self._keys:
            if type(key) is not str and self._alike is None:
                self._alike = Observations()
            self._keys[key] = Observations() if type(key) is str or self._alike is None else self._alike
        return self._keys[key]

    def shape(self, renamings: Renamings, inside: bool = False) -> Shape:
        """The shape for the values met here.

        Args:
            renamings: Those under which the shape must not change.
            inside: Whether the place may hold nothing.
        """
        if self._has_sets:
            spreads = self._members and not (self._domains or self._has_others or inside)
            return self._of(Members, closed(self._members, renamings), renamings, inside) if spreads else Leaf()
        if not self._keys or len(self._keys) > MOST_OF_ONE:
            return Leaf()
        if len(self._domains) == 1 and not self._has_others:
            return self._of(Fixed, self._keys, renamings, inside)
        kinds = set(map(type, self._keys))
        if kinds == {int}:
            longest = max(self._keys)
            longer = range(longest + 1, longest + 1 + _LONGER) if min(self._keys) == 1 else ()
            return self._of(Varying, [*self._keys, *longer], renamings, inside=True)
        if self._has_others or inside or kinds == {str}:
            return self._of(Varying, self._keys, renamings, inside=True)
        return self._of(Growing, closed(self._keys, renamings), renamings, inside=True)

    def _of(self, kind: Any, keys: Iterable[Any], renamings: Renamings, inside: bool) -> Shape:
        try:
            keys = set_of(keys)
            if len(keys) > MOST_OF_ONE:
                return Leaf()
            shape: Shape = kind({key: self._kid(key, renamings, inside) for key in keys})
        except EvaluationError:  # TLC cannot compare them
            return Leaf()
        return shape

    def _kid(self, key: Any, renamings: Renamings, inside: bool) -> Shape:
        met = self._keys.get(key, self._alike)
        return Leaf() if met is None else met.shape(renamings, inside)


def closed(met: Iterable[Any], renamings: Renamings) -> set[Any]:
    """The keys or members to expect where these were met.

    Of records all combinations of the values that were met for their fields, if these are not too many; and the images
    of all under the renamings.
    """
    expected = set(met)
    alike = dict[tuple[Any, ...], list[Map]]()
    for key in expected:
        if type(key) is Map:
            alike.setdefault(tuple(key), []).append(key)
    for fields, records in alike.items():
        values = [dict.fromkeys(record[field] for record in records) for field in fields]
        if math.prod(map(len, values)) <= min(MOST_OF_ONE, _EXPECTED * len(records)):
            expected.update(Map(zip(fields, some, strict=True)) for some in itertools.product(*values))
    return expected.union(permute(member, renaming) for member in expected for renaming in renamings)


def learned(samples: Iterable[Iterable[Any]], renamings: Renamings) -> list[Shape | None]:
    """The shape of each variable, given values that it has; None for one cell.

    Shapes are the same in each process that is given the same samples in the same order.
    """
    shapes = [_checked(_met(values).shape(renamings), renamings) for values in samples]
    sizes = [0 if shape is None else sum(1 for _ in shape.leaves()) for shape in shapes]
    while sum(sizes) > MOST:
        largest = sizes.index(max(sizes))
        shapes[largest], sizes[largest] = None, 0
    return shapes


def _met(values: Iterable[Any]) -> Observations:
    met = Observations()
    for value in values:
        met.add(value)
    return met


def _checked(shape: Shape, renamings: Renamings) -> Shape | None:
    """The shape; None if it has one cell or too many, or if a renaming changes it."""
    nodes = set(shape.nodes())
    if type(shape) is Leaf or sum(1 for _ in shape.leaves()) > MOST_OF_ONE:
        return None
    images = ({(permute(path, renaming), kind) for path, kind in nodes} for renaming in renamings)
    return shape if all(image == nodes for image in images) else None
