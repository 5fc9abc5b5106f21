r"""Formulas of linear temporal logic over the steps of a behaviour, in negation normal form.

A behaviour is a word whose letters are steps, so an atom may speak of a state or of a state and the next one. ``[]``
and ``<>`` are all that TLA+ needs: ``~>``, WF and SF are made of them. Equal formulas are equal values.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Literal:
    """An atom, by its number, or its negation."""

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
    r"""The conjunction, where ``<>[]P /\ <>[]Q`` is ``<>[](P /\ Q)``; it asks for no part after one that is false."""
    return _joined(All, FALSE, Eventually, Always, parts)


def some_of(parts: Iterable[Formula]) -> Formula:
    r"""The disjunction, where ``[]<>P \/ []<>Q`` is ``[]<>(P \/ Q)``; it asks for no part after one that is true."""
    return _joined(Some, TRUE, Always, Eventually, parts)


def _joined(
    kind: type[All | Some],
    decisive: Formula,
    outer: type[Always | Eventually],
    inner: type[Always | Eventually],
    parts: Iterable[Formula],
) -> Formula:
    """The formula of that kind: `decisive` if a part is that, and parts that are an `outer` of an `inner` are one."""
    kept, merged = list[Formula](), list[Formula]()
    for part in parts:
        if part == decisive:
            return decisive
        for one in part.parts if isinstance(part, kind) else (part,):
            if isinstance(one, outer) and isinstance(one.part, inner):
                merged.append(one.part.part)
            else:
                kept.append(one)
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
    """``<>part``; ``<>FALSE`` is no FALSE, which a first state would decide."""
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
    r"""The conjuncts of a formula, where ``[](P /\ Q)`` has those of ``[]P`` and of ``[]Q``."""
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
        for part in formula.parts if isinstance(formula, (All, Some)) else (formula.part,):
            yield from atoms_in(part)


def is_true_on(formula: Formula, truth: Callable[[int], bool]) -> bool:
    """Whether a propositional formula is true, given the truth of atoms."""
    if isinstance(formula, Literal):
        return truth(formula.atom) is formula.wanted
    assert isinstance(formula, (All, Some))
    truths = (is_true_on(part, truth) for part in formula.parts)
    return all(truths) if isinstance(formula, All) else any(truths)


def truths_on_lasso(formula: Formula, length: int, loop: int, truth: Callable[[int, int], bool]) -> list[bool]:
    """The truth of a formula at each position of a word ``u v v v ...``, by the definitions of the operators.

    Args:
        length: That of ``u v``.
        loop: The position at which ``v`` begins.
        truth: Of an atom at a position.
    """
    if isinstance(formula, Literal):
        return [truth(formula.atom, position) is formula.wanted for position in range(length)]
    if isinstance(formula, (All, Some)):
        columns = [truths_on_lasso(part, length, loop, truth) for part in formula.parts]
        of_all: Callable[[Iterable[bool]], bool] = all if isinstance(formula, All) else any
        return [of_all(column[position] for column in columns) for position in range(length)]
    inner = truths_on_lasso(formula.part, length, loop, truth)
    of_rest: Callable[[Iterable[bool]], bool] = all if isinstance(formula, Always) else any
    return [of_rest(inner[min(position, loop) :]) for position in range(length)]


# The automaton -------------------------------------------------------------------------------------------------------

#: What the rest of a behaviour must satisfy, all of it.
Obligations = frozenset[Formula]


def after_step(obligations: Obligations, truth: Callable[[int], bool]) -> list[tuple[Obligations, Obligations]]:
    """The ways to meet obligations with one step: what remains, and each ``<>P`` that was put off.

    This is the transition of the tableau. A word satisfies the obligations if some choice of ways puts no ``<>P`` off
    in all steps from some point on. A way that is left out asks for no less than another one.
    """
    ways = dict.fromkeys(_ways([*obligations], frozenset(), frozenset(), truth))
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
