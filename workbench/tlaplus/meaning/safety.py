"""Judges, during a search, the parts of PROPERTIES that single states and steps decide."""

from collections.abc import Iterator
from functools import partial

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.meaning.environment import State, States
from workbench.tlaplus.meaning.formulas import (
    Always,
    Formula,
    Literal,
    Some,
    atoms_in,
    conjuncts,
    is_safety,
    is_true_on,
)
from workbench.tlaplus.meaning.opening import Opened
from workbench.tlaplus.meaning.temporal import Atom, Atoms
from workbench.tlaplus.meaning.values import EvaluationFailure
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.syntax.tree import Operation, Prime
from workbench.tlaplus.syntax.visitor import is_alike

_Parts = list[tuple[str, Formula]]


class Safety:
    """The requirements of a configuration's PROPERTIES on initial states, on all states and on all steps.

    A property stays unknown if a part of it cannot be evaluated, or is not a temporal formula.
    """

    def __init__(self, opened: Opened) -> None:
        self._atoms = Atoms()
        self._initial, self._always, self._steps = _Parts(), _Parts(), _Parts()
        for entry in opened.cfg.properties:
            try:
                parts = [*conjuncts(self._atoms.formula(opened.named(entry.value), opened.root))]
            except (InputError, EvaluationFailure):
                continue
            for part in parts:
                if is_safety(part):
                    self._add(entry.value, part)
                elif (kept := self._kept(part)) is not None:
                    self._steps.append((entry.value, kept))

    def _add(self, name: str, part: Formula) -> None:
        if not isinstance(part, Always):
            self._initial.append((name, part))
            return
        is_of_steps = any(self._atoms.predicates[atom].level is not Level.STATE for atom in atoms_in(part.part))
        (self._steps if is_of_steps else self._always).append((name, part.part))

    def _kept(self, part: Formula) -> Formula | None:
        """``P => P'``, which ``[](P => []P)`` asks of every step; None for any other formula."""
        if not isinstance(part, Always) or not isinstance(part.part, Some):
            return None
        match part.part.parts:
            case Literal(number, False), Always(Literal(later, True)):
                first, second = (self._atoms.predicates[atom] for atom in (number, later))
                if first.environment is second.environment and is_alike(first.node, second.node):
                    node = Operation(first.node.at, "=>", (first.node, Prime(first.node.at, first.node)))
                    self._atoms.predicates.append(Atom(node, first.environment, Level.ACTION))
                    return Literal(len(self._atoms.predicates) - 1)
        return None

    def false_in(self, state: State, is_initial: bool) -> Iterator[str]:
        """The properties that a state violates."""
        parts = [*self._initial, *self._always] if is_initial else self._always
        return self._false(parts, States(state, state))

    def false_by(self, now: State, then: State) -> Iterator[str]:
        """The properties that a step violates."""
        return self._false(self._steps, States(now, then))

    def _false(self, parts: _Parts, states: States) -> Iterator[str]:
        holds = partial(self._holds, states)
        return (name for name, part in parts if not is_true_on(part, holds))

    def _holds(self, states: States, atom: int) -> bool:
        return self._atoms.predicates[atom].holds(states)
