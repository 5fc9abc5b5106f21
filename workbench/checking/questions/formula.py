"""Smallest formulas that fit a table of cases: literals on the values of constants, joined by "and" and "or".

A case is a tuple of positions: the index of each constant's value. A *cube* allows a set of positions for each
constant, as bits; it has a literal for each constant that it restricts. Cases outside the table are don't-cares.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Case = tuple[int, ...]
Cube = tuple[int, ...]

#: The most cubes before the search for prime ones gives up, and the most cases that the search for a cover may look at:
#: a second or so.
MOST_CUBES, MOST_LOOKS = 1_000, 500_000


class Literal(NamedTuple):
    """The condition that a constant's value is at one of some positions, given as bits."""

    constant: int
    allowed: int

    def holds(self, case: Case) -> bool:
        return bool(self.allowed >> case[self.constant] & 1)

    @property
    def literals(self) -> int:
        return 1


@dataclass(frozen=True)
class JoinedFormula:
    """The conjunction (`every`) or disjunction of formulas; without parts, true or false."""

    every: bool
    parts: "tuple[Formula, ...]"

    def holds(self, case: Case) -> bool:
        return (all if self.every else any)(part.holds(case) for part in self.parts)

    @property
    def literals(self) -> int:
        return sum(part.literals for part in self.parts)


Formula = Literal | JoinedFormula


class SmallestFormula(NamedTuple):
    """A formula, and whether no two-level formula has fewer literals."""

    formula: Formula
    minimal: bool


def smallest(true: Iterable[Case], false: Iterable[Case], sizes: Sequence[int]) -> SmallestFormula:
    """The formula with the fewest literals that is true in the cases `true` and false in the cases `false`.

    It is the smaller of a smallest "or" of "and"s and a smallest "and" of "or"s, with common literals factored out.

    Args:
        sizes: The number of values of each constant.

    Examples:
        >>> found = smallest([(1, 0), (0, 1), (1, 1)], [(0, 0)], (2, 2))
        >>> found.formula
        JoinedFormula(every=False, parts=(Literal(constant=0, allowed=2), Literal(constant=1, allowed=2)))
    """
    true, false = list(true), list(false)
    whole = tuple((1 << size) - 1 for size in sizes)
    sums, sums_minimal = _cover(true, false, whole)
    products, products_minimal = _cover(false, true, whole)
    either = _factored([_literals(cube, whole) for cube in sums], every=False)
    clauses = [[Literal(at, whole[at] & ~allowed) for at, allowed in _literals(cube, whole)] for cube in products]
    both = _factored(clauses, every=True)
    best = min((both, either), key=lambda formula: formula.literals)
    return SmallestFormula(best, sums_minimal and products_minimal)


def _literals(cube: Cube, whole: Cube) -> list[Literal]:
    return [Literal(at, allowed) for at, allowed in enumerate(cube) if allowed != whole[at]]


# Two levels ----------------------------------------------------------------------------------------------------------


def _cover(true: list[Case], false: list[Case], whole: Cube) -> tuple[list[Cube], bool]:
    """Cubes with the fewest literals that cover all of `true` and none of `false`; and whether that is proved."""
    primes = _primes(false, whole)
    complete = primes is not None
    if primes is None:
        primes = list(dict.fromkeys(_grown(case, false, whole) for case in true))
    cost = [len(_literals(cube, whole)) for cube in primes]
    holding = [[at for at, cube in enumerate(primes) if _holds(cube, case)] for case in true]
    chosen, exact = _Covering(holding, cost).search()
    return [primes[at] for at in sorted(chosen)], complete and exact


def _holds(cube: Cube, case: Case) -> bool:
    return all(allowed >> position & 1 for allowed, position in zip(cube, case, strict=True))


def _primes(false: list[Case], whole: Cube) -> list[Cube] | None:
    """The maximal cubes that contain none of `false`; None if there are too many intermediate ones."""
    cubes = {whole}
    for case in false:
        hit = {cube for cube in cubes if _holds(cube, case)}
        kept = cubes - hit
        smaller = {
            (*cube[:at], cube[at] & ~(1 << position), *cube[at + 1 :])
            for cube in hit
            for at, position in enumerate(case)
            if cube[at] != 1 << position
        }
        if len(kept) + len(smaller) > MOST_CUBES:
            return None
        cubes = kept | {cube for cube in smaller if not any(_within(cube, k) for k in kept | smaller if k != cube)}
    return sorted(cubes)


def _within(cube: Cube, other: Cube) -> bool:
    return all(not allowed & ~more for allowed, more in zip(cube, other, strict=True))


def _grown(case: Case, false: list[Case], whole: Cube) -> Cube:
    """A large cube around a case that contains none of `false`."""
    cube = [1 << position for position in case]
    for at, all_of_it in enumerate(whole):
        for bit in range(all_of_it.bit_length()):
            wider = (*cube[:at], cube[at] | 1 << bit, *cube[at + 1 :])
            if not any(_holds(wider, other) for other in false):
                cube[at] |= 1 << bit
    return tuple(cube)


class _Covering:
    """The cheapest set cover, by branch and bound.

    Args:
        holding: For each element, the sets that contain it.
    """

    def __init__(self, holding: list[list[int]], cost: list[int]) -> None:
        self.cost, self.looks = cost, 0
        self.holding = holding
        self.elements: list[set[int]] = [set() for _ in cost]
        for element, sets in enumerate(holding):
            for at in sets:
                self.elements[at].add(element)
        self.best = self._greedy()
        self.least = self._price(self.best)

    def search(self) -> tuple[frozenset[int], bool]:
        self._branch(frozenset(), set(range(len(self.holding))), 0)
        return self.best, self.looks <= MOST_LOOKS

    def _price(self, chosen: Iterable[int]) -> tuple[int, int]:
        """The number of literals, then of cubes."""
        sets = list(chosen)
        return sum(self.cost[at] for at in sets), len(sets)

    def _greedy(self) -> frozenset[int]:
        left, chosen = set(range(len(self.holding))), set[int]()
        while left:
            at = max(range(len(self.cost)), key=lambda at: len(self.elements[at] & left) / (self.cost[at] + 0.5))
            chosen.add(at)
            left -= self.elements[at]
        return frozenset(chosen)

    def _branch(self, chosen: frozenset[int], left: set[int], price: int) -> None:
        self.looks += 1 + len(left)
        if not left:
            if (price, len(chosen)) < self.least:
                self.best, self.least = chosen, (price, len(chosen))
            return
        if self.looks > MOST_LOOKS:
            return
        more, count = self._bound(left)
        if (price + more, len(chosen) + count) >= self.least:
            return
        hardest = min(left, key=lambda element: len(self.holding[element]))
        for at in sorted(self.holding[hardest], key=lambda at: (self.cost[at], -len(self.elements[at] & left))):
            self._branch(chosen | {at}, left - self.elements[at], price + self.cost[at])

    def _bound(self, left: set[int]) -> tuple[int, int]:
        """A lower bound: the price of covering elements that share no set."""
        used: set[int] = set()
        price = count = 0
        for element in sorted(left, key=lambda element: len(self.holding[element])):
            sets = self.holding[element]
            if used.isdisjoint(sets):
                used.update(sets)
                price += min(self.cost[at] for at in sets)
                count += 1
        return price, count


# Factoring -----------------------------------------------------------------------------------------------------------


def _factored(terms: list[list[Literal]], every: bool) -> Formula:
    """An "and" of "or"s if `every`, else an "or" of "and"s, with the most common literals factored out first."""
    if [] in terms:  # an empty "or" makes the "and" false, an empty "and" the "or" true
        return JoinedFormula(not every, ())
    counts: dict[Literal, int] = {}
    for term in terms:
        for literal in term:
            counts[literal] = counts.get(literal, 0) + 1
    common = max(counts, key=lambda literal: counts[literal], default=None)
    if common is None or counts[common] == 1:
        return _joined(every, [_joined(not every, term) for term in terms])
    within = [[literal for literal in term if literal != common] for term in terms if common in term]
    without = [term for term in terms if common not in term]
    inside = common if [] in within else _joined(not every, [common, _factored(within, every)])
    return _joined(every, [inside, *([_factored(without, every)] if without else [])])


def _joined(every: bool, parts: Sequence[Formula]) -> Formula:
    """Formulas joined into one, with nested ones of the same kind flattened."""
    flat: list[Formula] = []
    for part in parts:
        flat += part.parts if isinstance(part, JoinedFormula) and part.every == every else [part]
    return flat[0] if len(flat) == 1 else JoinedFormula(every, tuple(sorted(flat, key=_first)))


def _first(formula: Formula) -> tuple[int, int]:
    """A sort key: shorter formulas first, then by first constant."""
    if isinstance(formula, Literal):
        return 1, formula.constant
    return 2 + formula.literals, min(map(_first, formula.parts))[1] if formula.parts else 0
