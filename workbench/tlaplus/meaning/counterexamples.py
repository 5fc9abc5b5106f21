"""Explains why a behaviour violates a temporal formula: which conjunct fails, and where, or what never happens.

``formulas.py`` gives the truth of each part in each state; for a part about a state or a step, ``reasons.py`` says why
it is false. States are counted from 1, as in traces.
"""

from collections.abc import Sequence
from itertools import islice

from workbench.tlaplus.meaning.environment import Environment, State, States
from workbench.tlaplus.meaning.formulas import (
    FALSE,
    All,
    Always,
    Eventually,
    Formula,
    LassoTruths,
    Literal,
    Some,
    conjuncts,
    is_propositional,
    is_true_on,
    some_of,
)
from workbench.tlaplus.meaning.reasons import Contradicted, Reason, Why, in_line
from workbench.tlaplus.meaning.temporal import Atoms
from workbench.tlaplus.syntax.tree import Expression
from workbench.tlaplus.syntax.unparse import written


def broken_by_step(node: Expression, env: Environment, states: Sequence[State]) -> list[Reason]:
    """The parts of a property that an initial state makes false, or the two states of a step.

    Raises:
        InputError: If no formula of ``formulas.py`` says the same.
        EvaluationFailure: If a part has no value.
        Contradicted: If no part is false.
    """
    atoms, last = Atoms(), states[-1]
    stays = States(last, last)
    for part in conjuncts(atoms.formula(node, env)):
        formula = part.part if isinstance(part, Always) else part
        if not is_propositional(formula) or (len(states) > 1 and formula is part):
            continue
        for place in (States(states[0], last), stays):
            if not _is_true(atoms, formula, place):
                return _false_at(atoms, formula, place)
    raise Contradicted(f"{written(node)} is true")


def broken_by_lasso(node: Expression, env: Environment, states: Sequence[State], loop: int) -> str:
    """Why a behaviour violates a property.

    Args:
        states: The states of a lasso; the last one may be followed by itself.
        loop: The index of the state that follows the last one.

    Raises:
        InputError, EvaluationFailure, Contradicted: As above.
    """
    lasso = _Lasso(states, loop)
    for part in conjuncts(lasso.atoms.formula(node, env)):
        if not lasso.truths(part)[0]:
            return lasso.why(part, 0)
    raise Contradicted(f"{written(node)} is true")


def _false_at(atoms: Atoms, formula: Formula, states: States) -> list[Reason]:
    """The reasons why a formula about a single step is false."""
    if isinstance(formula, Literal):
        atom = atoms.predicates[formula.atom]
        return Why(states, not formula.wanted).of(atom.node, atom.environment)
    assert isinstance(formula, (All, Some))
    false = (part for part in formula.parts if not _is_true(atoms, part, states))
    parts = islice(false, 1) if isinstance(formula, All) else false
    return [reason for part in parts for reason in _false_at(atoms, part, states)]


def _is_true(atoms: Atoms, formula: Formula, states: States) -> bool:
    return is_true_on(formula, lambda atom: atoms.predicates[atom].holds(states))


class _Lasso:
    def __init__(self, states: Sequence[State], loop: int) -> None:
        self.atoms, self.loop = Atoms(), loop
        followed = [*states[1:], states[loop]]
        self.steps = [States(now, then) for now, then in zip(states, followed, strict=True)]

    def truths(self, formula: Formula) -> Sequence[bool]:
        return LassoTruths(formula, len(self.steps), self.loop, self.truth)

    def truth(self, atom: int, at: int) -> bool:
        return self.atoms.predicates[atom].holds(self.steps[at])

    def why(self, formula: Formula, at: int) -> str:
        """Why a formula is false at a position."""
        if is_propositional(formula):
            return f"in state {at + 1}, {in_line(_false_at(self.atoms, formula, self.steps[at]))}"
        if isinstance(formula, All):
            return next(self.why(part, at) for part in formula.parts if not self.truths(part)[at])
        if isinstance(formula, Some):
            return self._unanswered(formula, at)
        if isinstance(formula, Always):
            return self.why(formula.part, self._first_false(formula.part, at))
        assert isinstance(formula, Eventually)
        if isinstance(formula.part, Always):
            inner = formula.part.part
            return f"it becomes false again and again: {self.why(inner, self._first_false(inner, self.loop))}"
        since = f"from state {at + 1} on it is never true" if at else "it is never true"
        return f"{since}: {self._lacks(formula.part, at)}"

    def _first_false(self, formula: Formula, at: int) -> int:
        truths = self.truths(formula)
        return next(position for position in (*range(at, len(truths)), *range(self.loop, at)) if not truths[position])

    def _unanswered(self, formula: Some, at: int) -> str:
        """Explain a disjunction such as ``P ~> Q``: what is true at a position, and what fails to follow."""
        now = some_of(part for part in formula.parts if is_propositional(part))
        later = [part for part in formula.parts if not is_propositional(part)]
        lacks = "; ".join(
            self._lacks(part.part, at)
            if isinstance(part, Eventually) and not isinstance(part.part, Always)
            else self.why(part, at)
            for part in later
        )
        if now == FALSE:
            return lacks
        met = in_line(_false_at(self.atoms, now, self.steps[at]))
        is_always = all(isinstance(part, Always) and is_propositional(part.part) for part in later)
        broken = "should hold from there on does not" if is_always else "should follow never comes"
        return f"in state {at + 1}, {met}, and what {broken}: {lacks}"

    def _lacks(self, formula: Formula, at: int) -> str:
        """The parts of a formula that are false from a position on; if these change, the parts false at the end."""
        if not is_propositional(formula):
            return self.why(formula, len(self.steps) - 1)
        last = len(self.steps)
        every = [_false_at(self.atoms, formula, step) for step in self.steps[min(at, self.loop) :]]
        lasting = [
            reason for reason in every[-1] if all(reason[:2] in [other[:2] for other in reasons] for reasons in every)
        ]
        if not lasting:
            return f"in state {last}, {in_line(every[-1])}"
        is_same = all(reason in reasons for reasons in every for reason in lasting)
        return in_line(lasting) if is_same else f"{in_line(lasting)} in state {last}"
