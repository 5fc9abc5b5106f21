"""A state space as an exact cube of counts: for each depth and each combination of a few lenses, how many states.

A *lens* looks at one variable with few values. A variable with a cell per index - a program counter per process, say -
is seen as a multiset, such as ``2 Done, Decide``: which process is where seldom matters, and the multiset has fewer
values. Where even that has too many, each of its cells is a lens.

Nothing is sampled. The size depends on the lenses and not on the number of states, so that a page filters millions of
states exactly. Lenses that tell most about the violation join first, as long as the tuples stay within bounds.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.checking.spaces.combining import blocks, columns_of, combined, counts_of, fitting, renumbered
from workbench.kernel.meaning.cells import Shown
from workbench.kernel.meaning.state import Layout

#: The most values of a cell that is a lens, the most multisets of a family of them, and the most tuples of a cube.
MOST_VALUES, MOST_MULTISETS, MOST_TUPLES = 255, 1_000, 60_000


@dataclass(frozen=True)
class Lens:
    """One way to look at states.

    Attributes:
        name: The variable, or the cell.
        values: Its values as texts.
        gain: The share of the uncertainty about the violation that its value takes away, from 0 to 1.
        is_read: Whether the property itself reads it. Then a high gain restates the property.
    """

    name: str
    values: tuple[str, ...]
    gain: float
    is_read: bool


@dataclass(frozen=True)
class Cube:
    """Counts of states by depth and lenses.

    Attributes:
        fault: The property whose violations are counted; None if there is none.
        lenses: Those of the tuples, the most telling one first.
        others: Lenses that had no room; there is no column for them.
        levels (int array (tuples)): The breadth-first level, 1 for initial states.
        columns: For each lens an int array (tuples), numbers of its values.
        counts, wrong (int64 arrays (tuples)): The number of states, and of those that violate `fault`.
        samples (int64 array (tuples)): The lowest number of a violating state of the tuple, or of any if none violates.
        tuples (int array (states)): The tuple of each state.
    """

    fault: str | None
    lenses: tuple[Lens, ...]
    others: tuple[Lens, ...]
    levels: np.ndarray = field(repr=False)
    columns: tuple[np.ndarray, ...] = field(repr=False)
    counts: np.ndarray = field(repr=False)
    wrong: np.ndarray = field(repr=False)
    samples: np.ndarray = field(repr=False)
    tuples: np.ndarray = field(repr=False)

    def __len__(self) -> int:
        return len(self.counts)


def information_gain(counts: np.ndarray, wrong: np.ndarray) -> float:
    """The share of the uncertainty about the violation that a lens takes away.

    Args:
        counts, wrong: By value, the number of states and of violating ones.

    Examples:
        >>> information_gain(np.array([4, 4]), np.array([4, 0])), information_gain(np.array([4, 4]), np.array([1, 1]))
        (1.0, 0.0)
    """
    states = counts.sum()
    before = float(_bits(wrong.sum() / states)) if states else 0.0
    if not before:
        return 0.0
    after = float((counts * _bits(wrong / counts)).sum() / states)
    return round(1 - after / before, 9) + 0.0  # the order of summation decides nothing, and there is no -0.0


def _bits(share: np.ndarray) -> np.ndarray:
    """The entropy of a yes with this probability."""
    inside = np.clip(share, 1e-300, 1.0)
    outside = np.clip(1 - share, 1e-300, 1.0)
    bits: np.ndarray = -(inside * np.log2(inside) + outside * np.log2(outside))
    return bits


def multiset(words: Iterable[str]) -> str:
    """Words and how often each occurs, in the order of their first occurrence.

    Examples:
        >>> multiset(["Decide", "Done", "Done"])
        'Decide, 2 Done'
    """
    return ", ".join(word if count == 1 else f"{count} {word}" for word, count in Counter(words).items())


def cube_of(
    layout: Layout,
    values: Sequence[Sequence[Any]],
    rows: Iterable[np.ndarray],
    levels: np.ndarray,
    fault: str | None,
    wrong: np.ndarray,
    reads: Set[int],
    most: int = MOST_TUPLES,
) -> Cube:
    """The cube of states in memory.

    Args:
        values: For each cell of the layout its values by number.
        rows: The states as numbers of values, in order, part by part, each int (states, cells).
        levels: int (states): breadth-first levels, in ascending order.
        wrong: bool (states): whether `fault` is violated.
        reads: The cells that it reads.
        most: The most tuples.
    """
    columns = columns_of(rows, len(levels), [len(cell_values) for cell_values in values])
    at_fault = np.flatnonzero(wrong)
    seen = [
        (Lens(name, texts, _gain(of, len(texts), at_fault), not reads.isdisjoint(cells)), of)
        for name, cells, texts, of in _views(layout, values, columns)
    ]
    group, depths = _all_of([levels], [int(levels[-1]) + 1 if len(levels) else 1])
    groups = len(depths)
    taken, others = [], []
    for lens, of in sorted(seen, key=lambda view: -view[0].gain):
        finer = combined([group, of], [groups, len(lens.values)], most)
        if finer is None:
            others.append(lens)
            continue
        group, groups = finer[0], len(finer[1])
        taken.append((lens, of))
    samples = _samples(group, groups, at_fault)
    return Cube(
        fault,
        tuple(lens for lens, _ in taken),
        tuple(others),
        levels[samples],
        tuple(of[samples] for _, of in taken),
        counts_of(group, groups),
        np.bincount(group[at_fault], minlength=groups),
        samples,
        group,
    )


def _gain(of: np.ndarray, size: int, at_fault: np.ndarray) -> float:
    if not len(at_fault):
        return 0.0
    return information_gain(counts_of(of, size), np.bincount(of[at_fault], minlength=size))


def _samples(group: np.ndarray, groups: int, at_fault: np.ndarray) -> np.ndarray:
    """The first violating state of each group, or its first one."""
    samples = np.empty(groups, np.int64)
    for block in reversed([*blocks(len(group))]):
        samples[group[block][::-1]] = np.arange(block.start, block.stop)[::-1]
    samples[group[at_fault[::-1]]] = at_fault[::-1]
    return samples


#: A lens without its gain: its name, the cells that it looks at, its values as texts, and the number of each state's.
_View = tuple[str, Sequence[int], tuple[str, ...], np.ndarray]


def _views(layout: Layout, values: Sequence[Sequence[Any]], columns: Sequence[np.ndarray]) -> Iterator[_View]:
    """The lenses of all variables, in order. A variable that is the same in all states has none."""
    by_variable: dict[str, list[Shown]] = {}
    for shown in layout.shown:
        if len(shown.numbers):
            by_variable.setdefault(shown.cell.variable, []).append(shown)
    for variable, cells in by_variable.items():
        seen = [_values_of(shown, values, columns) for shown in cells]
        few = [([*map(layout.notation.show, view[0])], view[1]) for view in seen if view is not None]
        if len(few) == len(cells) > 1 and (family := _multisets(few)) is not None:
            yield variable, [number for shown in cells for number in shown.numbers], *family
            continue
        for shown, view in zip(cells, seen, strict=True):
            if view is None:
                continue
            of, occurring = _all_of([view[1]], [len(view[0])])
            if len(occurring) > 1:
                yield str(shown.cell), shown.numbers, tuple(layout.notation.show(view[0][n]) for (n,) in occurring), of


def _values_of(
    shown: Shown, values: Sequence[Sequence[Any]], columns: Sequence[np.ndarray]
) -> tuple[Sequence[Any], np.ndarray] | None:
    """A cell's values as people see them, and which of them each state has; None if those that occur are too many."""
    if shown.whole is None and len(values[shown.first]) <= MOST_VALUES:
        return values[shown.first], columns[shown.first]
    parts = combined([columns[n] for n in shown.numbers], [len(values[n]) for n in shown.numbers], MOST_VALUES)
    if parts is None:
        return None
    of, rows = parts
    cells = ({cell: values[cell][number] for cell, number in zip(shown.numbers, row, strict=True)} for row in rows)
    return [shown.value(row) for row in cells], of


def _multisets(cells: Sequence[tuple[list[str], np.ndarray]]) -> tuple[tuple[str, ...], np.ndarray] | None:
    """The different multisets of the values of some cells, and which of them each state has.

    None if they are too many, or all states have the same.
    """
    words = list(dict.fromkeys(text for texts, _ in cells for text in texts))
    numbers = [np.array([words.index(text) for text in texts]) for texts, _ in cells]
    of, lots = cells[0][1], numbers[0][:, None]
    while (width := lots.shape[1]) < len(cells):
        end = width - 1 + fitting([len(lots), *map(len, numbers[width:])])
        of, parts = _all_of([of, *(of for _, of in cells[width:end])], [len(lots), *map(len, numbers[width:end])])
        held = [lots[parts[:, 0]]]
        held += [number[part, None] for number, part in zip(numbers[width:end], parts.T[1:], strict=True)]
        lots, same = np.unique(np.sort(np.hstack(held), axis=1), axis=0, return_inverse=True)
        if len(lots) > math.comb(len(cells), lots.shape[1]) * MOST_MULTISETS:  # one of all cells has so many parts
            return None
        of = renumbered(of, same.ravel().astype(np.min_scalar_type(len(lots))))
    if len(lots) < 2:
        return None
    return tuple(multiset(words[number] for number in lot) for lot in lots.tolist()), of


def _all_of(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """All combinations, however many there are."""
    every = combined(columns, sizes)
    assert every is not None
    return every
