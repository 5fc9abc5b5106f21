"""A state space as an exact cube of counts: for each depth and each combination of a few lenses, how many states.

A *lens* looks at one variable with few values. A variable with a cell per index - a program counter per process, say -
is seen as a multiset, such as ``2 Done, Decide``: which process is where seldom matters, and the multiset has fewer
values. Where even that has too many, each of its cells is a lens.

Nothing is sampled. The size depends on the lenses and not on the number of states, so that a page filters millions of
states exactly. Lenses that tell most about the violation join first, as long as the tuples stay within bounds.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.kernel.meaning.cells import Shown
from workbench.kernel.meaning.notation import Notation
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
    rows: np.ndarray,
    levels: np.ndarray,
    fault: str | None,
    wrong: np.ndarray,
    reads: Set[int],
    most: int = MOST_TUPLES,
) -> Cube:
    """The cube of states in memory.

    Args:
        values: For each cell of the layout its values by number.
        rows: int (states, cells): the states as numbers of values.
        levels: int (states): breadth-first levels, in ascending order.
        wrong: bool (states): whether `fault` is violated.
        reads: The cells that it reads.
        most: The most tuples.
    """
    seen = [
        (Lens(name, texts, _gain(of, wrong), not reads.isdisjoint(cells)), of)
        for name, cells, texts, of in _views(layout, values, rows)
    ]
    deepest = int(levels[-1]) + 1 if len(levels) else 0
    group, known = _compact(levels.astype(np.int32), deepest)
    taken, others = [], []
    for lens, of in sorted(seen, key=lambda one: -one[0].gain):
        finer, keys = _compact(group * np.int32(len(lens.values)) + of, len(known) * len(lens.values))
        if len(keys) > most:
            others.append(lens)
            continue
        group, known = finer, keys
        taken.append((lens, of))
    groups = len(known)
    samples = _samples(group, groups, wrong)
    return Cube(
        fault,
        tuple(lens for lens, _ in taken),
        tuple(others),
        levels[samples],
        tuple(of[samples] for _, of in taken),
        np.bincount(group, minlength=groups),
        np.bincount(group[wrong], minlength=groups),
        samples,
        group,
    )


def _gain(of: np.ndarray, wrong: np.ndarray) -> float:
    return information_gain(np.bincount(of), np.bincount(of[wrong], minlength=int(of.max()) + 1))


def _samples(group: np.ndarray, groups: int, wrong: np.ndarray) -> np.ndarray:
    """The first violating state of each group, or its first one."""
    samples = np.empty(groups, np.int64)
    for states in (np.arange(len(group)), np.flatnonzero(wrong)):
        samples[group[states[::-1]]] = states[::-1]
    return samples


#: A lens without its gain: its name, the cells that it looks at, its values as texts, and the number of each state's.
_View = tuple[str, Sequence[int], tuple[str, ...], np.ndarray]


def _views(layout: Layout, values: Sequence[Sequence[Any]], rows: np.ndarray) -> Iterator[_View]:
    """The lenses of all variables, in their order; what is the same in all states is none."""
    by_variable: dict[str, list[Shown]] = {}
    for shown in layout.shown:
        if len(shown.numbers):
            by_variable.setdefault(shown.cell.variable, []).append(shown)
    for variable, cells in by_variable.items():
        seen = [_values_of(shown, values, rows) for shown in cells]
        if len(cells) > 1 and None not in seen:
            family = _multisets([one for one in seen if one is not None], layout.notation)
            if family is not None:
                yield variable, [n for shown in cells for n in shown.numbers], *family
                continue
        for shown, one in zip(cells, seen, strict=True):
            if one is not None and len(one[0]) > 1:
                texts = tuple(map(layout.notation.show, one[0]))
                yield str(shown.cell), shown.numbers, texts, one[1]


def _values_of(shown: Shown, values: Sequence[Sequence[Any]], rows: np.ndarray) -> tuple[list[Any], np.ndarray] | None:
    """The different values of a cell as people see it, and which of them each state has; None if they are too many."""
    of, different = _compact(np.ascontiguousarray(rows[:, shown.first]), len(values[shown.first]))
    for cell in shown.numbers[1:]:
        if len(different) > MOST_VALUES:
            return None
        size = np.int32(len(values[cell]))
        of, different = _compact(of * size + rows[:, cell], len(different) * int(size))
    if len(different) > MOST_VALUES:
        return None
    if shown.whole is None:
        return [values[shown.first][number] for number in different], of
    examples = rows[_examples(of, len(different))]
    return [shown.value({cell: values[cell][row[cell]] for cell in shown.numbers}) for row in examples], of


def _multisets(
    cells: Sequence[tuple[list[Any], np.ndarray]], notation: Notation
) -> tuple[tuple[str, ...], np.ndarray] | None:
    """The different multisets of the values of some cells, and which of them each state has.

    None if they are too many, or all states have the same.
    """
    texts = [list(map(notation.show, values)) for values, _ in cells]
    words = list(dict.fromkeys(text for known in texts for text in known))
    numbers = [np.array([words.index(text) for text in known], np.uint16) for known in texts]
    held = np.stack([number[of] for number, (_, of) in zip(numbers, cells, strict=True)])
    for last in range(len(held) - 1, 0, -1):  # each state's values in order; far faster here than NumPy's sort
        for at in range(last):
            low = np.minimum(held[at], held[at + 1])
            np.maximum(held[at], held[at + 1], out=held[at + 1])
            held[at] = low
    of, different = held[0].astype(np.int32), np.arange(len(words))
    for lot in held[1:]:
        of, different = _compact(of * np.int32(len(words)) + lot, len(different) * len(words))
        if len(different) > MOST_MULTISETS:
            return None
    if len(different) < 2:
        return None
    return tuple(multiset(words[n] for n in lot) for lot in held[:, _examples(of, len(different))].T), of


def _examples(of: np.ndarray, count: int) -> np.ndarray:
    """For each number the last state that has it."""
    examples = np.empty(count, np.int32)
    examples[of] = np.arange(len(of), dtype=np.int32)
    return examples


def _compact(keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys from 0 up to `size`, numbered without gaps in their order, and the different keys, ascending."""
    there = np.zeros(size, np.bool_)
    there[keys] = True
    different = np.flatnonzero(there)
    if len(different) == size:
        return keys, different
    numbers = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return numbers[keys], different
