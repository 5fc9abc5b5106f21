r"""Formulas of linear temporal logic over the steps of a behaviour, in negation normal form.

A behaviour is a word whose letters are steps, so an atom may be about a state, or about a state and the next one.
``[]`` and ``<>`` suffice for TLA+: ``~>``, WF and SF reduce to them. Formulas compare by value.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Literal:
    """An atom, given by its number, or its negation."""

    atom: int
    wanted: bool = True


@dataclass(frozen=True)
class All:
    """A conjunction."""

    parts: "tuple[Formula, ...]"


@dataclass(frozen=True)
class Some:
    """A disjunction."""

    parts: "tuple[Formula, ...]"


@dataclass(frozen=True)
class Always:
    part: "Formula"


@dataclass(frozen=True)
class Eventually:
    part: "Formula"


Formula = Literal | All | Some | Always | Eventually
TRUE, FALSE = All(()), Some(())


def all_of(parts: Iterable[Formula]) -> Formula:
    r"""The conjunction. ``<>[]P /\ <>[]Q`` becomes ``<>[](P /\ Q)``, and parts after FALSE are not requested."""
    return _joined(All, FALSE, Eventually, Always, parts)


def some_of(parts: Iterable[Formula]) -> Formula:
    r"""The disjunction. ``[]<>P \/ []<>Q`` becomes ``[]<>(P \/ Q)``, and parts after TRUE are not requested."""
    return _joined(Some, TRUE, Always, Eventually, parts)


def _joined(
    kind: type[All | Some],
    decisive: Formula,
    outer: type[Always | Eventually],
    inner: type[Always | Eventually],
    parts: Iterable[Formula],
) -> Formula:
    """A formula of the given kind: `decisive` if any part is; all parts of the form `outer` of `inner` are merged."""
    kept, merged = list[Formula](), list[Formula]()
    for part in parts:
        if part == decisive:
            return decisive
        for operand in part.parts if isinstance(part, kind) else (part,):
            if isinstance(operand, outer) and isinstance(operand.part, inner):
                merged.append(operand.part.part)
            else:
                kept.append(operand)
    if merged:
        kept.append(outer(inner(_joined(kind, decisive, outer, inner, merged))))
    kept = list(dict.fromkeys(kept))
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def always(part: Formula) -> Formula:
    """``[]part``."""
    if part in (TRUE, FALSE) or isinstance(part, Always):
        return part
    return part if isinstance(part, Eventually) and isinstance(part.part, Always) else Always(part)


def eventually(part: Formula) -> Formula:
    """``<>part``. ``<>FALSE`` is not simplified, since FALSE would be violated by a first state, not by a behaviour."""
    if part == TRUE or isinstance(part, Eventually):
        return part
    return part if isinstance(part, Always) and isinstance(part.part, Eventually) else Eventually(part)


def negated(formula: Formula) -> Formula:
    """The negation."""
    if isinstance(formula, Literal):
        return Literal(formula.atom, not formula.wanted)
    if isinstance(formula, All):
        return some_of(map(negated, formula.parts))
    if isinstance(formula, Some):
        return all_of(map(negated, formula.parts))
    return eventually(negated(formula.part)) if isinstance(formula, Always) else always(negated(formula.part))


def is_propositional(formula: Formula) -> bool:
    """Whether the first step of a behaviour decides a formula."""
    if isinstance(formula, (All, Some)):
        return all(map(is_propositional, formula.parts))
    return isinstance(formula, Literal)


def is_safety(part: Formula) -> bool:
    """Whether a conjunct speaks of initial states, of all states or of all steps."""
    return is_propositional(part.part if isinstance(part, Always) else part)


def conjuncts(formula: Formula) -> Iterator[Formula]:
    r"""The conjuncts of a formula; ``[](P /\ Q)`` counts as ``[]P`` and ``[]Q``."""
    if isinstance(formula, All):
        for part in formula.parts:
            yield from conjuncts(part)
    elif isinstance(formula, Always) and isinstance(formula.part, All):
        for part in conjuncts(formula.part):
            yield from conjuncts(always(part))
    else:
        yield formula


def atoms_in(formula: Formula) -> Iterator[int]:
    """The atoms of a formula, in its order."""
    if isinstance(formula, Literal):
        yield formula.atom
    else:
        for part in parts_of(formula):
            yield from atoms_in(part)


def parts_of(formula: All | Some | Always | Eventually) -> "tuple[Formula, ...]":
    """The direct parts of a formula."""
    return formula.parts if isinstance(formula, (All, Some)) else (formula.part,)


def is_recurring(part: Formula) -> bool:
    """Whether a formula is ``[]<>P`` or ``<>[]P`` with a propositional P."""
    if not isinstance(part, (Always, Eventually)) or not isinstance(part.part, (Always, Eventually)):
        return False
    return type(part) is not type(part.part) and is_propositional(part.part.part)


def asked_together(parts: Sequence[Formula]) -> Iterator[list[Formula]]:
    """For each kind of tableau node, the propositional formulas that it evaluates in its state, in order."""
    yield [*_asked_first(parts)]
    if len(lasting := [part for part in parts if isinstance(part, Always)]) < len(parts):
        yield [*_asked_first(lasting)]
    for part in _asked_elsewhere(parts):
        yield from asked_together(part.parts if isinstance(part, All) else [part])


def _asked_first(parts: Iterable[Formula]) -> Iterator[Formula]:
    for part in parts:
        if is_propositional(part):
            yield part
        elif isinstance(part, (All, Always)):
            yield from _asked_first(parts_of(part))


def _asked_elsewhere(parts: Iterable[Formula]) -> Iterator[Formula]:
    """The formulas that only later states need, or only some branch of a disjunction."""
    for part in parts:
        if isinstance(part, Eventually):
            yield part.part
        elif isinstance(part, (All, Always)):
            yield from _asked_elsewhere(parts_of(part))
        elif not is_propositional(part):
            assert isinstance(part, Some)
            yield from part.parts


def is_true_on(formula: Formula, truth: Callable[[int], bool]) -> bool:
    """Whether a propositional formula is true for the given truth of its atoms."""
    if isinstance(formula, Literal):
        return truth(formula.atom) is formula.wanted
    assert isinstance(formula, (All, Some))
    truths = (is_true_on(part, truth) for part in formula.parts)
    return all(truths) if isinstance(formula, All) else any(truths)


class LassoTruths(Sequence[bool]):
    """The truth of a formula at each position of a word ``u v v v ...``, by the definitions of the operators.

    It is evaluated lazily: as in the automaton, parts after a decisive one need no value.

    Args:
        length: The length of ``u v``.
        loop: The position at which ``v`` begins.
        truth: The truth of an atom at a position.
    """

    def __init__(self, formula: Formula, length: int, loop: int, truth: Callable[[int, int], bool]) -> None:
        self._formula, self._length, self._loop, self._truth = formula, length, loop, truth
        self._truths = dict[int, bool]()
        inner = () if isinstance(formula, Literal) else parts_of(formula)
        self._parts = [LassoTruths(part, length, loop, truth) for part in inner]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, position: Any) -> Any:
        if position not in self._truths:
            self._truths[position] = self._evaluated(position)
        return self._truths[position]

    def _evaluated(self, position: int) -> bool:
        formula = self._formula
        if isinstance(formula, Literal):
            return self._truth(formula.atom, position) is formula.wanted
        of_all: Callable[[Iterable[bool]], bool] = all if isinstance(formula, (All, Always)) else any
        if isinstance(formula, (All, Some)):
            return of_all(part[position] for part in self._parts)
        (inner,) = self._parts
        return of_all(inner[later] for later in range(min(position, self._loop), self._length))


# The automaton -------------------------------------------------------------------------------------------------------

#: The formulas that the rest of a behaviour must satisfy.
Obligations = frozenset[Formula]


def after_step(obligations: Obligations, truth: Callable[[int], bool]) -> list[tuple[Obligations, Obligations]]:
    """The ways to meet obligations with one step: the obligations that remain, and each ``<>P`` that is postponed.

    This is the transition relation of the tableau. A word satisfies the obligations if some choice of ways never
    postpones a ``<>P`` for ever. Ways that require at least as much as another one are left out. Atoms are evaluated
    in the order of the text, and none after a decisive one.
    """
    pending = sorted(obligations, key=lambda formula: [*atoms_in(formula)])
    ways = dict.fromkeys(_ways(pending, frozenset(), frozenset(), truth))
    return [
        (rest, late)
        for rest, late in ways
        if not any((r, p) != (rest, late) and r <= rest and p <= late for r, p in ways)
    ]


def _ways(
    pending: list[Formula], rest: Obligations, late: Obligations, truth: Callable[[int], bool]
) -> Iterator[tuple[Obligations, Obligations]]:
    if not pending:
        yield rest, late
        return
    first, *others = pending
    if isinstance(first, Literal):
        if truth(first.atom) is first.wanted:
            yield from _ways(others, rest, late, truth)
    elif isinstance(first, All):
        yield from _ways([*first.parts, *others], rest, late, truth)
    elif isinstance(first, Some):
        for part in first.parts:
            yield from _ways([part, *others], rest, late, truth)
    elif isinstance(first, Always):
        yield from _ways([first.part, *others], rest | {first}, late, truth)
    else:
        yield from _ways([first.part, *others], rest, late, truth)
        yield from _ways(others, rest | {first}, late | {first}, truth)
