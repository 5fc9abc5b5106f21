"""Fair cycles in spaces that no process holds: states are removed, part by part, until the rest is small or nothing.

What cannot lie on a fair cycle is trimmed away in sweeps over the files of transitions, each of which asks many parts
at once: first states without a successor, again and again, and then states that cannot give a fairness condition its
due. This is OWCTY ("one way catch them young": Fisler, Fraer, Kamhi, Vardi and Yang, *Is there a best symbolic
cycle-detection algorithm?*, TACAS 2001; distributed, in explicit state: Cerna and Pelanek, *Distributed explicit fair
cycle detection*, SPIN 2003), with weak and strong fairness as in Emerson and Lei's fixpoint and that of Kesten, Pnueli
and Raviv, which ``docs/liveness.md`` cites. A part is swept again only if one that it leads to has changed.

The driver holds sets of states, a byte per state for the conditions and two for distances; transitions are read where
they are. Nothing here knows of Spark: who sweeps is given.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workbench.engines.spark import transition_kernels as kernels
from workbench.engines.spark.bits import StateSet
from workbench.engines.spark.transitions import OUTSIDE, Part
from workbench.kernel.instances import Fairness

#: In place of a distance: not reached.
FAR = 2**16 - 1
_AT_ONCE = 8  # conditions that have a bit in a byte

#: Asks parts, by number, one question, and gives the answers in some order.
Sweep = Callable[[Callable[[Part], Any], Sequence[int]], Iterable[Any]]


class Undecided(Exception):
    """What was asked cannot be decided in this space; the text says why."""


class Conditions(NamedTuple):
    """Up to eight fairness conditions, one bit each.

    Attributes:
        own: The conditions of which a step with the label is one.
        goal: The condition that is enabled where the formula's goal is true, and has no steps; 0 for none.
    """

    own: np.ndarray
    weak: int
    strong: int
    goal: int = 0

    @property
    def every(self) -> int:
        return self.weak | self.strong

    def held(self, part: Part, goal: StateSet) -> np.ndarray:
        """The conditions that are enabled in a part's states because the goal is true there."""
        return np.where(goal[part.first : part.end], np.uint8(self.goal), np.uint8(0))

    @classmethod
    def of(cls, fairness: Sequence[Fairness], labels: int, goal_again: bool) -> list["Conditions"]:
        """The conditions in groups; with `goal_again` one that demands states without the goal again and again."""
        everything = [(f.strong, sorted(f.actions)) for f in fairness] + [(False, [])] * goal_again
        groups = []
        for at in range(0, len(everything), _AT_ONCE):
            own, kinds = np.zeros(labels, np.uint8), [0, 0]
            for bit, (strong, actions) in enumerate(everything[at : at + _AT_ONCE]):
                own[actions] |= np.uint8(1 << bit)
                kinds[strong] |= 1 << bit
            groups.append(cls(own, *kinds))
        if goal_again:
            last = len(everything) - 1
            groups[-1] = groups[-1]._replace(goal=1 << last % _AT_ONCE)
        return groups


class Space(NamedTuple):
    """What the driver knows of a space's transitions.

    Attributes:
        firsts: The first state of each part, and the number of states.
        levels: The first state of each level, and the number of states.
        follows: Whether a transition leads from the one part to the other.
    """

    firsts: np.ndarray
    levels: np.ndarray
    transitions: np.ndarray
    follows: np.ndarray

    @property
    def states(self) -> int:
        return int(self.firsts[-1])

    def span(self, part: int) -> slice:
        return slice(int(self.firsts[part]), int(self.firsts[part + 1]))

    def part_of(self, state: int) -> int:
        return int(np.searchsorted(self.firsts, state, side="right")) - 1

    def level_of(self, state: int) -> int:
        return int(np.searchsorted(self.levels, state, side="right")) - 1


# What parts are asked ------------------------------------------------------------------------------------------------


class Described(NamedTuple):
    """What a part is, in short.

    Attributes:
        truths: As in :class:`Part`, packed.
        busy: Where some step that is fair changes the state, packed.
        targets: The parts that it leads to.
    """

    first: int
    truths: np.ndarray
    busy: np.ndarray
    targets: np.ndarray


@dataclass(frozen=True)
class Describe:
    """Asks what a part is; `fair` says of each label whether it belongs to a fairness condition."""

    firsts: np.ndarray
    fair: np.ndarray

    def __call__(self, part: Part) -> Described:
        sources = part.sources
        busy = np.zeros(part.states, np.bool_)
        busy[sources[self.fair[part.labels] & (part.targets != sources)] - np.uint32(part.first)] = True
        inside = part.targets[part.targets != OUTSIDE]
        targets = np.unique(np.searchsorted(self.firsts, inside, side="right") - 1)
        return Described(part.first, np.packbits(part.truths), np.packbits(busy), targets)


class Members(NamedTuple):
    """Which of a part's states are left, packed."""

    first: int
    bits: np.ndarray

    @classmethod
    def of(cls, part: Part, inside: StateSet) -> "Members":
        return cls(part.first, np.packbits(inside[part.first : part.end]))


@contextmanager
def _for_a_while(array: np.ndarray, first: int, end: int) -> Iterator[None]:
    """Take back what is written there meanwhile: an answer changes nothing, and to copy everything would cost more."""
    before = array[first:end].copy()
    try:
        yield
    finally:
        array[first:end] = before


@dataclass(frozen=True)
class Trim:
    """Asks which states of a part are left once those without a successor in the set are removed from it."""

    inside: StateSet

    def __call__(self, part: Part) -> Members:
        bits = self.inside.bits
        with _for_a_while(bits, part.first // 8, -(-part.end // 8)):
            kernels.trim(part.first, part.indptr, part.targets, bits)
            return Members.of(part, self.inside)


@dataclass(frozen=True)
class Meet:
    """Asks which conditions each state of a part can give their due without leaving the set, given `met` of others."""

    inside: StateSet
    conditions: Conditions
    goal: StateSet
    met: np.ndarray

    def __call__(self, part: Part) -> tuple[int, np.ndarray]:
        own, weak, held = self.conditions.own, self.conditions.weak, self.conditions.held(part, self.goal)
        with _for_a_while(self.met, part.first, part.end):
            kernels.meet(*part[:4], self.inside.bits, own, weak, held, self.met)
            return part.first, self.met[part.first : part.end].copy()


@dataclass(frozen=True)
class Keep:
    """Asks which states of a part are left once those are removed in which a condition is due that cannot be met."""

    inside: StateSet
    conditions: Conditions
    goal: StateSet
    met: np.ndarray

    def __call__(self, part: Part) -> Members:
        own, strong, every = self.conditions.own, self.conditions.strong, self.conditions.every
        held, bits = self.conditions.held(part, self.goal), self.inside.bits
        with _for_a_while(bits, part.first // 8, -(-part.end // 8)):
            kernels.keep(*part[:4], bits, own, every, strong, held, self.met)
            return Members.of(part, self.inside)


@dataclass(frozen=True)
class Reach:
    """Asks which states of a set a part's transitions lead to from the states of the frontier."""

    frontier: StateSet
    within: StateSet

    def __call__(self, part: Part) -> np.ndarray:
        reached: np.ndarray = kernels.reach(*part[:3], self.frontier.bits, self.within.bits)
        self.within.add(reached)  # from where they were taken so that each is told once
        return reached


@dataclass(frozen=True)
class Lead:
    """Asks for a part's first transition from a set of states to a state: its source, label and ordinal."""

    sources: StateSet
    target: int

    def __call__(self, part: Part) -> tuple[int, int, int] | None:
        hits = np.flatnonzero(part.targets == self.target)
        sources = part.sources[hits]
        hits = hits[self.sources[part.first : part.end][sources - np.uint32(part.first)]]
        if not len(hits):
            return None
        first = hits[0]
        return int(part.sources[first]), int(part.labels[first]), int(part.ordinals[first])


# What is made of the answers -----------------------------------------------------------------------------------------


class Trimmer:
    """Takes a space apart."""

    def __init__(self, space: Space, sweep: Sweep) -> None:
        self.space, self._sweep = space, sweep

    def weight(self, inside: StateSet) -> int:
        """About how many transitions leave the states of a set."""
        shares = [inside[span].mean() for span in map(self.space.span, range(len(self.space.transitions)))]
        return int(np.ceil(np.array(shares) * self.space.transitions).sum())

    def distances(self, entries: StateSet, allowed: StateSet) -> np.ndarray:
        """How many steps the allowed states are from an initial one; :data:`FAR` where there is no way.

        Ways go by way of an entry, and from there through allowed states alone. An entry is as far away as its level.

        Raises:
            Undecided: If there are longer ways than can be counted.
        """
        space = self.space
        depth = len(space.levels) - 1
        found = np.full(space.states, FAR, np.uint16)
        everywhere = bool((entries.bits == allowed.bits).all())
        unseen = StateSet(space.states, allowed.bits.copy())
        reached, distance = np.empty(0, np.uint32), 0
        while distance < depth or len(reached):
            if distance == FAR:
                raise Undecided(f"it takes more than {FAR - 1:,} steps to come to some states")
            frontier = StateSet(space.states)
            frontier.add(reached)
            if distance < depth:
                level = slice(int(space.levels[distance]), int(space.levels[distance + 1]))
                frontier[level] = frontier[level] | (entries[level] & unseen[level])
            found[frontier.members()] = distance
            unseen = unseen - frontier
            if not everywhere:  # where every allowed state is an entry, no way is shorter than to its level
                answers = self._sweep(Reach(frontier, unseen), self._parts_of(frontier))
                reached = np.unique(np.concatenate([np.empty(0, np.uint32), *answers]))
            distance += 1
        return found

    def fair_part(
        self, region: StateSet, conditions: Sequence[Conditions], goal: StateSet, enough: int = 0
    ) -> StateSet:
        """The states of a region from which a fair cycle can be reached inside it.

        There may be more where no more than `enough` transitions leave them. In each state of the region some condition
        is enabled, so that nothing stops there.
        """
        inside = StateSet(region.size, region.bits.copy())
        parts = self._parts_of(inside)
        while True:
            self._trim(inside, parts)
            if self.weight(inside) <= enough:
                return inside
            changed: set[int] = set()
            for group in conditions:
                changed |= self._keep(inside, group, goal)
            if not changed:
                return inside
            parts = self._leading_to(changed, inside)

    def way_to(self, state: int, distance: np.ndarray, entries: StateSet) -> tuple[int, list[tuple[int, int]]]:
        """An entry that is as far away as its level, and the labels and ordinals of a shortest way on to a state."""
        space = self.space
        steps: list[tuple[int, int]] = []
        while not (entries[state : state + 1][0] and space.level_of(state) == distance[state]):
            before = StateSet.of(distance == distance[state] - 1)
            parts = [part for part in self._parts_of(before) if space.follows[part, space.part_of(state)]]
            state, *step = min(answer for answer in self._sweep(Lead(before, state), parts) if answer is not None)
            steps.append((step[0], step[1]))
        return state, steps[::-1]

    def _parts_of(self, states: StateSet) -> list[int]:
        """The parts that have states of a set."""
        return [part for part in range(len(self.space.transitions)) if states[self.space.span(part)].any()]

    def _leading_to(self, changed: Iterable[int], inside: StateSet) -> list[int]:
        """The parts with states inside that lead to one of those that have `changed`."""
        leading = np.any(self.space.follows[:, sorted(changed)], axis=1)
        return [part for part in self._parts_of(inside) if leading[part]]

    def _others_leading_to(self, changed: Iterable[int], inside: StateSet) -> list[int]:
        """The same where a part that has changed has seen that itself."""
        follows = self.space.follows.copy()
        np.fill_diagonal(follows, False)
        leading = np.any(follows[:, sorted(changed)], axis=1)
        return [part for part in self._parts_of(inside) if leading[part]]

    def _trim(self, inside: StateSet, parts: Sequence[int]) -> None:
        while parts:
            parts = self._others_leading_to(self._take(inside, self._sweep(Trim(inside), parts)), inside)

    def _keep(self, inside: StateSet, conditions: Conditions, goal: StateSet) -> set[int]:
        """Remove what cannot give the conditions their due; the parts that have changed."""
        met, parts = np.zeros(inside.size, np.uint8), self._parts_of(inside)
        while parts:
            changed = set()
            for first, values in list(self._sweep(Meet(inside, conditions, goal, met), parts)):
                if (met[first : first + len(values)] != values).any():
                    met[first : first + len(values)] = values
                    changed.add(self.space.part_of(first))
            parts = self._others_leading_to(changed, inside)
        return self._take(inside, self._sweep(Keep(inside, conditions, goal, met), self._parts_of(inside)))

    def _take(self, inside: StateSet, answers: Iterable[Members]) -> set[int]:
        """Take over what is left of parts; which of them have changed."""
        changed = set()
        for first, bits in list(answers):
            part = self.space.part_of(first)
            span = self.space.span(part)
            left = np.unpackbits(bits, count=span.stop - span.start).view(np.bool_)
            if (inside[span] != left).any():
                inside[span] = left
                changed.add(part)
        return changed
