"""Fair cycles in spaces too large for one process: states are removed, part by part, until the rest is small or empty.

Sweeps over the files of transitions, many parts at a time, trim states that cannot lie on a fair cycle: first,
repeatedly, states without a successor, then states that cannot satisfy a fairness condition. This is OWCTY ("one way
catch them young": Fisler, Fraer, Kamhi, Vardi and Yang, *Is there a best symbolic cycle-detection algorithm?*, TACAS
2001; distributed, in explicit state: Cerna and Pelanek, *Distributed explicit fair cycle detection*, SPIN 2003), with
weak and strong fairness as in the fixpoint of :mod:`workbench.kernel.meaning.temporal`. A part is swept again only if a
part that it leads to has changed.

The driver holds sets of states, a byte per state for the conditions and two for the distances of each leg; transitions
are read where they are. Nothing here knows of Spark: the caller provides the sweep.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.spark.files.transitions import OUTSIDE, Part
from workbench.checking.spark.liveness import transition_kernels as kernels
from workbench.checking.spark.liveness.bits import StateSet
from workbench.checking.trees.fair_labels import barred
from workbench.kernel.meaning.steps import Fairness

#: The distance of unreached states.
FAR = 2**16 - 1
_AT_ONCE = 8  # conditions that have a bit in a byte

#: Asks parts, by number, one question, and returns the answers in any order.
Sweep = Callable[[Callable[[Part], Any], Sequence[int]], Iterable[Any]]


class Undecided(Exception):
    """The question cannot be decided in this space; the text says why."""


class Conditions(NamedTuple):
    """Up to eight fairness conditions, one bit each.

    Attributes:
        own: For each label, the conditions that count its steps.
        enables: For each label, those of its conditions that are enabled wherever such a step starts.
        separate: The conditions with a separate ENABLED predicate, each with the states where it is enabled.
    """

    own: np.ndarray
    enables: np.ndarray
    weak: int
    strong: int
    separate: Sequence[tuple[int, StateSet]]

    @property
    def every(self) -> int:
        return self.weak | self.strong

    def held(self, part: Part) -> np.ndarray:
        """For each state of a part, the conditions of `separate` that are enabled in it."""
        held = np.zeros(part.states, np.uint8)
        for bit, states in self.separate:
            held[states[part.first : part.end]] |= np.uint8(bit)
        return held

    @classmethod
    def of(cls, fairness: Sequence[Fairness], labels: int, enabled: Mapping[int, StateSet]) -> list["Conditions"]:
        """The conditions in groups; `enabled` has those that are not enabled by their steps."""
        groups = []
        for at in range(0, len(fairness), _AT_ONCE):
            own, enables, kinds = np.zeros(labels, np.uint8), np.zeros(labels, np.uint8), [0, 0]
            stated: list[tuple[int, StateSet]] = []
            for bit, condition in enumerate(fairness[at : at + _AT_ONCE]):
                actions = sorted(condition.actions)
                own[actions] |= np.uint8(1 << bit)
                kinds[condition.strong] |= 1 << bit
                if at + bit in enabled:
                    stated.append((1 << bit, enabled[at + bit]))
                else:
                    enables[actions] |= np.uint8(1 << bit)
            groups.append(cls(own, enables, kinds[False], kinds[True], stated))
        return groups


class SpaceOutline(NamedTuple):
    """The driver's knowledge of a space's transitions.

    Attributes:
        firsts: The first state of each part, and the number of states.
        levels: The first state of each level, and the number of states.
        follows: Whether a transition leads from one part to another.
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


# Questions to parts --------------------------------------------------------------------------------------------------


class Described(NamedTuple):
    """A part's summary.

    Attributes:
        truths: As in :class:`Part`, packed.
        busy: The states in which a fair step enables a condition, packed.
        targets: The parts that it leads to.
    """

    first: int
    truths: np.ndarray
    busy: np.ndarray
    targets: np.ndarray


@dataclass(frozen=True)
class Describe:
    """Asks for a part's summary; `fair` says whether each label enables a fairness condition."""

    firsts: np.ndarray
    fair: np.ndarray

    def __call__(self, part: Part) -> Described:
        sources = part.sources
        busy = np.zeros(part.states, np.bool_)
        busy[sources[self.fair[part.labels] & (part.targets != sources)] - np.uint32(part.first)] = True
        inside = part.targets[part.targets != OUTSIDE]
        targets = np.unique(np.searchsorted(self.firsts, inside, side="right") - 1)
        return Described(part.first, np.packbits(part.truths), np.packbits(busy), targets)


class PartMembers(NamedTuple):
    """The states left of a part, packed."""

    first: int
    bits: np.ndarray

    @classmethod
    def of(cls, part: Part, inside: StateSet) -> "PartMembers":
        return cls(part.first, np.packbits(inside[part.first : part.end]))


@contextmanager
def _for_a_while(array: np.ndarray, first: int, end: int) -> Iterator[None]:
    """Undo writes to a span of the array after the block: an answer must change nothing, and a full copy costs more."""
    before = array[first:end].copy()
    try:
        yield
    finally:
        array[first:end] = before


@dataclass(frozen=True)
class Barring:
    """Asks a question of a part without the steps of some labels: these still enable conditions, but lead outside."""

    labels: np.ndarray
    question: Callable[[Part], Any]

    def __call__(self, part: Part) -> Any:
        if len(self.labels):
            gone = barred(part.sources, part.targets, part.labels, self.labels)
            part = part._replace(targets=np.where(gone, np.uint32(OUTSIDE), part.targets))
        return self.question(part)


@dataclass(frozen=True)
class Trim:
    """Asks for the states left of a part once those without a successor in the set are removed."""

    inside: StateSet

    def __call__(self, part: Part) -> PartMembers:
        bits = self.inside.bits
        with _for_a_while(bits, part.first // 8, -(-part.end // 8)):
            kernels.trim_part(part.first, part.indptr, part.targets, bits)
            return PartMembers.of(part, self.inside)


@dataclass(frozen=True)
class Meet:
    """Asks which conditions each state of a part can satisfy without leaving the set, given `met` of other parts."""

    inside: StateSet
    conditions: Conditions
    met: np.ndarray

    def __call__(self, part: Part) -> tuple[int, np.ndarray]:
        own, enables, weak, *_ = self.conditions
        with _for_a_while(self.met, part.first, part.end):
            kernels.meet(*part[:4], self.inside.bits, own, enables, weak, self.conditions.held(part), self.met)
            return part.first, self.met[part.first : part.end].copy()


@dataclass(frozen=True)
class Keep:
    """Asks for the states left of a part once those with a due condition that cannot be satisfied are removed."""

    inside: StateSet
    conditions: Conditions
    met: np.ndarray

    def __call__(self, part: Part) -> PartMembers:
        asked, bits = self.conditions, self.inside.bits
        with _for_a_while(bits, part.first // 8, -(-part.end // 8)):
            kernels.keep(*part[:4], bits, asked.enables, asked.every, asked.strong, asked.held(part), self.met)
            return PartMembers.of(part, self.inside)


@dataclass(frozen=True)
class Reach:
    """Asks for the states of a set reached by a part's transitions from the frontier."""

    frontier: StateSet
    within: StateSet

    def __call__(self, part: Part) -> np.ndarray:
        reached: np.ndarray = kernels.reach_from(*part[:3], self.frontier.bits, self.within.bits)
        self.within.add(reached)  # the kernel removed them to report each once
        return reached


@dataclass(frozen=True)
class Lead:
    """Finds a part's first transition from `sources` to `target`: its source, label and ordinal."""

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


# The algorithm -------------------------------------------------------------------------------------------------------


class Leg(NamedTuple):
    """A part of shortest ways from initial states: from its entries on.

    Attributes:
        distance: How far each state is from an initial one; :data:`FAR` if it is unreachable.
        before: The same on the leg that led to the entries; None if that was the search, so that it is their level.
    """

    entries: StateSet
    distance: np.ndarray
    before: np.ndarray | None


class Trimmer:
    """Trims a space."""

    def __init__(self, space: SpaceOutline, sweep: Sweep) -> None:
        self.space, self._sweep = space, sweep

    def weight(self, inside: StateSet) -> int:
        """The approximate number of transitions from the states of a set."""
        shares = [inside[span].mean() for span in map(self.space.span, range(len(self.space.transitions)))]
        return int(np.ceil(np.array(shares) * self.space.transitions).sum())

    def leg(self, entries: StateSet, allowed: StateSet, before: np.ndarray | None = None) -> Leg:
        """The ways that pass through an entry, and from there through allowed states alone.

        Raises:
            Undecided: If a path is too long to be counted.
        """
        space = self.space
        depth = len(space.levels) - 1 if before is None else 1 + int(before[before != FAR].max(initial=0))
        distance_of = np.full(space.states, FAR, np.uint16)
        everywhere = bool((entries.bits == allowed.bits).all())
        unseen = StateSet(space.states, allowed.bits.copy())
        reached, distance = np.empty(0, np.uint32), 0
        while distance < depth or len(reached):
            if distance == FAR:
                raise Undecided(f"it takes more than {FAR - 1:,} steps to come to some states")
            frontier = StateSet(space.states)
            if distance < depth:
                frontier = self._arriving(distance, before) & entries & unseen
            frontier.add(reached)
            distance_of[frontier.members()] = distance
            unseen = unseen - frontier
            if not everywhere:  # if every allowed state is an entry, its distance stays
                answers = self._sweep(Reach(frontier, unseen), self._parts_of(frontier))
                reached = np.unique(np.concatenate([np.empty(0, np.uint32), *answers]))
            distance += 1
        return Leg(entries, distance_of, before)

    def _arriving(self, distance: int, before: np.ndarray | None) -> StateSet:
        """The states that are so far from an initial one where a leg begins."""
        if before is not None:
            return StateSet.of(before == distance)
        level = StateSet(self.space.states)
        level[int(self.space.levels[distance]) : int(self.space.levels[distance + 1])] = True
        return level

    def fair_part(self, region: StateSet, conditions: Sequence[Conditions], enough: int = 0) -> StateSet:
        """The states of a region from which a fair cycle can be reached inside it.

        Stops early, with more states, once at most `enough` transitions leave them. Each state of the region enables
        some condition, so nothing stops there.
        """
        inside = StateSet(region.size, region.bits.copy())
        parts = self._parts_of(inside)
        while True:
            while parts:
                parts = self._leading_to(self._take(inside, self._sweep(Trim(inside), parts)), inside)
            if self.weight(inside) <= enough:
                return inside
            changed: set[int] = set()
            for group in conditions:
                changed |= self._keep(inside, group)
            if not changed:
                return inside
            parts = self._leading_to(changed, inside, itself=True)

    def way_to(self, state: int, legs: Sequence[Leg]) -> tuple[int, list[tuple[int, int]]]:
        """An entry of the first leg, and the labels and ordinals of a shortest way from it to a state of the last."""
        steps: list[tuple[int, int]] = []
        for leg in reversed(legs):
            while not self._begins_at(state, leg):
                state, *step = self._step_to(state, leg.distance)
                steps.append((step[0], step[1]))
        return state, steps[::-1]

    def _begins_at(self, state: int, leg: Leg) -> bool:
        before = self.space.level_of(state) if leg.before is None else leg.before[state]
        return bool(leg.entries[state : state + 1][0] and before == leg.distance[state])

    def _step_to(self, state: int, distance: np.ndarray) -> tuple[int, int, int]:
        """The first step to a state from one that is nearer: its source, label and ordinal."""
        nearer = StateSet.of(distance == distance[state] - 1)
        follows = self.space.follows[:, self.space.part_of(state)]
        parts = [part for part in self._parts_of(nearer) if follows[part]]
        return min(answer for answer in self._sweep(Lead(nearer, state), parts) if answer is not None)

    def _parts_of(self, states: StateSet) -> list[int]:
        """The parts with states of a set."""
        return [part for part in range(len(self.space.transitions)) if states[self.space.span(part)].any()]

    def _leading_to(self, changed: set[int], inside: StateSet, itself: bool = False) -> list[int]:
        """The parts with states inside that lead to a `changed` part.

        A part that leads to `itself` alone has seen its own change, unless another question was asked then.
        """
        columns = sorted(changed)
        follows = self.space.follows[:, columns]
        if not itself:
            follows[columns, range(len(columns))] = False
        leading = np.any(follows, axis=1)
        return [part for part in self._parts_of(inside) if leading[part]]

    def _keep(self, inside: StateSet, conditions: Conditions) -> set[int]:
        """Remove states that cannot satisfy the conditions; returns the changed parts."""
        met, parts = np.zeros(inside.size, np.uint8), self._parts_of(inside)
        while parts:
            changed = set()
            for first, values in list(self._sweep(Meet(inside, conditions, met), parts)):
                if (met[first : first + len(values)] != values).any():
                    met[first : first + len(values)] = values
                    changed.add(self.space.part_of(first))
            parts = self._leading_to(changed, inside)
        return self._take(inside, self._sweep(Keep(inside, conditions, met), self._parts_of(inside)))

    def _take(self, inside: StateSet, answers: Iterable[PartMembers]) -> set[int]:
        """Take over the states left of parts; returns the changed parts."""
        changed = set()
        for first, bits in list(answers):
            part = self.space.part_of(first)
            span = self.space.span(part)
            left = np.unpackbits(bits, count=span.stop - span.start).view(np.bool_)
            if (inside[span] != left).any():
                inside[span] = left
                changed.add(part)
        return changed
