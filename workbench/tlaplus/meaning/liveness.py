r"""PROPERTIES by definition, over the complete graph of a specification.

A property is a conjunction. The search has already judged the conjuncts that single states or steps decide
(``safety.py``); their counterexamples are finite. Each other conjunct is negated, and the textbook's product
construction looks for a behaviour that satisfies the negation. A node of the product is a state of the graph with the
obligations of the rest of the behaviour (``after_step``). The behaviour exists if a fair component is reachable in
which no ``<>P`` is postponed for ever (``components.py``). Before a lasso is reported, the formula is evaluated on it
by the definitions of ``[]`` and ``<>``.

Every state may stutter. That is a step of a behaviour, though not of Next.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import NamedTuple

from workbench.kernel.meaning.errors import InputError, Stop
from workbench.kernel.meaning.interrupts import pause
from workbench.tlaplus.meaning.components import Edge, lasso_in
from workbench.tlaplus.meaning.environment import State, States
from workbench.tlaplus.meaning.formulas import (
    FALSE,
    Always,
    Eventually,
    Formula,
    LassoTruths,
    Obligations,
    Some,
    after_step,
    all_of,
    asked_together,
    atoms_in,
    conjuncts,
    is_propositional,
    is_recurring,
    is_safety,
    is_true_on,
    negated,
    some_of,
)
from workbench.tlaplus.meaning.opening import Opened
from workbench.tlaplus.meaning.search import Graph, deeply
from workbench.tlaplus.meaning.temporal import Atoms
from workbench.tlaplus.meaning.values import EvaluationFailure
from workbench.tlaplus.names.depth import UNKNOWN
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import DEPTH

#: The largest product to search, in nodes.
MOST_NODES = 100_000
#: A step, by the numbers of its states.
Step = tuple[int, int]


@dataclass(frozen=True)
class Decided:
    """The verdict on a property.

    Attributes:
        holds: None if it is unknown.
        trace: A lasso that violates it, or a shortest finite trace such that every continuation violates it.
        loop: The index in `trace` of the state that follows the last one; None for a finite trace.
        why: What restricts the verdict, or why it is unknown.
        failure: The error of evaluation because of which it is unknown, if there is one.
    """

    name: str
    holds: bool | None
    trace: tuple[State, ...] = ()
    loop: int | None = None
    why: str = ""
    failure: EvaluationFailure | None = None


class _TooLarge(Exception):
    """A product has more than :data:`MOST_NODES` nodes."""


def decide(opened: Opened, graph: Graph) -> list[Decided]:
    """The verdicts on a configuration's PROPERTIES, in their order.

    A verdict is unknown if the graph is incomplete or merges states (VIEW, ``TLCGet("level")``), if a formula cannot be
    evaluated or is not a formula of temporal logic, and if its product is too large.
    """
    return deeply(_Deciding(opened, graph).run)


class _Strong(NamedTuple):
    r"""``<>[]~call \/ []<>answer``."""

    call: Formula
    answer: Formula


class _Way(NamedTuple):
    """An edge of a product.

    Attributes:
        late: Each ``<>P`` that the edge postpones.
    """

    target: int
    step: Step
    late: Obligations


class _Product:
    """The product of a graph, with stuttering steps added, and the automaton of some obligations.

    Attributes:
        ways: The edges of each node.
        put_off: Each ``<>P`` that some edge postpones.
    """

    def __init__(self, graph: Graph, obligations: Obligations, truth: Callable[[Step, int], bool]) -> None:
        self.numbers = dict[tuple[int, Obligations], int]()
        self.ways = dict[int, list[_Way]]()
        self.initial = [self._number(state, obligations) for state in graph.initial]
        pending = [*self.numbers]
        while pending:
            pause()
            state, obliged = node = pending.pop()
            ways = self.ways[self.numbers[node]] = []
            for step in dict.fromkeys((state, then) for then in (*graph.successors[state], state)):
                for rest, late in after_step(obliged, partial(truth, step)):
                    count, target = len(self.numbers), self._number(step[1], rest)
                    if target == count:
                        pending.append((step[1], rest))
                    ways.append(_Way(target, step, late))
        self.put_off = frozenset[Formula]().union(*(way.late for ways in self.ways.values() for way in ways))

    def _number(self, state: int, obligations: Obligations) -> int:
        number = self.numbers.setdefault((state, obligations), len(self.numbers))
        if number >= MOST_NODES:
            raise _TooLarge
        return number


def _sorted(formulas: Iterable[Formula]) -> tuple[list[Formula], list[_Strong], list[Formula]]:
    """Split formulas into the P of each ``[]<>P``, those of the form of strong fairness, and all others."""
    recurring, strong, others = list[Formula](), list[_Strong](), list[Formula]()
    for formula in formulas:
        parts = formula.parts if isinstance(formula, Some) else (formula,)
        stable = [part.part.part for part in parts if isinstance(part, Eventually) and isinstance(part.part, Always)]
        again = [part.part.part for part in parts if isinstance(part, Always) and isinstance(part.part, Eventually)]
        if len(stable) + len(again) < len(parts) or len(stable) > 1 or not all(map(is_propositional, stable + again)):
            others.append(formula)
        elif stable:
            strong.append(_Strong(negated(stable[0]), some_of(again)))
        else:
            recurring.append(some_of(again))
    return recurring, strong, others


def _without_stuttering(steps: list[Step], loop: int) -> tuple[list[Step], int]:
    """A lasso without its stuttering steps; if its cycle only stutters, one such step is kept."""
    prefix, cycle = ([step for step in part if step[0] != step[1]] for part in (steps[:loop], steps[loop:]))
    return [*prefix, *(cycle or steps[loop : loop + 1])], len(prefix)


class _Deciding:
    def __init__(self, opened: Opened, graph: Graph) -> None:
        self.opened, self.graph, self.atoms = opened, graph, Atoms()
        self.truth = cache(self._truth)

    def run(self) -> list[Decided]:
        return [self._decided(entry.value) for entry in self.opened.cfg.properties]

    def _decided(self, name: str) -> Decided:
        if name in self.graph.violations:
            return Decided(name, False, self.graph.violations[name].trace)
        if self.graph.failed is not None:
            return Decided(name, None, why="the search ended with an error")
        if self.graph.stopped is not None:
            return Decided(name, None, why=f"the search is incomplete: {self.graph.stopped}")
        try:
            return self._judged(name)
        except EvaluationFailure as failure:
            return Decided(name, None, why=str(failure), failure=failure)
        except (InputError, Stop) as error:
            return Decided(name, None, why=str(error))
        except RecursionError:
            return Decided(name, None, why="definitions use each other too deeply")
        except _TooLarge:
            return Decided(name, None, why=f"its product with the graph has more than {MOST_NODES:,} nodes")

    def _judged(self, name: str) -> Decided:
        parts = [part for part in conjuncts(self._formula(name)) if part == FALSE or not is_safety(part)]
        if parts and "VIEW" in self.opened.cfg.single:
            reason = "one state stands for all with its VIEW, so that the behaviours are not known"
            return Decided(name, None, why=reason)
        if parts and DEPTH in self.opened.specification.variables:
            return Decided(name, None, why=UNKNOWN)
        for part in parts:
            broken = negated(part)
            for case in broken.parts if isinstance(broken, Some) else (broken,):
                self._evaluate(case)
                if (lasso := self._lasso([*self.fairness, *conjuncts(case)])) is not None:
                    steps, loop = lasso
                    return Decided(name, False, tuple(self.graph.states[now] for now, _ in steps), loop)
        if self.graph.pruned:
            return Decided(name, True, why="within the constraints")
        if self.has_behaviours:
            return Decided(name, True)
        # WF or SF of an action outside of Next may allow no behaviour at all: then TLC says the property is true.
        is_fair = self.atoms.fairness.issuperset(self.fairness)
        return Decided(name, True if is_fair else None, why="no behaviour is as the specification asks")

    def _evaluate(self, case: Formula) -> None:
        """Evaluate predicates in every state and step, needed or not, since TLC reports any that has no value.

        Predicates of steps, and those in ``[]<>P`` and ``<>[]P``, are evaluated everywhere. The others follow the
        tableau: in each state the predicates of a node are evaluated in order, up to the first false one.
        """
        states = [(state, state) for state in range(len(self.graph.states))]
        steps = [(state, then) for state, after in enumerate(self.graph.successors) for then in after]
        steps += states  # each state may stutter
        parts = [*conjuncts(case)]
        recurring = {atom for part in parts if is_recurring(part) for atom in atoms_in(part)}
        for atom in dict.fromkeys(atoms_in(case)):
            is_of_states = self.atoms.predicates[atom].level is Level.STATE
            for step in (states if atom in recurring else ()) if is_of_states else steps:
                self.truth(step, atom)
        for formulas in asked_together([part for part in parts if not is_recurring(part)]):
            for state in states:
                all(self._is_true(formula, state) for formula in formulas)

    def _formula(self, name: str) -> Formula:
        return self.atoms.formula(self.opened.named(name), self.opened.root)

    @cached_property
    def fairness(self) -> list[Formula]:
        """The conjuncts of a SPECIFICATION other than Init and Next, which the graph already reflects."""
        if "SPECIFICATION" not in self.opened.cfg.single:
            return []
        parts = conjuncts(self._formula(self.opened.cfg.single["SPECIFICATION"].value))
        return [part for part in parts if not is_safety(part)]

    @cached_property
    def has_behaviours(self) -> bool:
        """Whether any behaviour satisfies the whole specification."""
        return not self.fairness or self._lasso(self.fairness) is not None

    def _truth(self, step: Step, atom: int) -> bool:
        now, then = step
        if self.atoms.predicates[atom].level is Level.STATE and now != then:
            return self.truth((now, now), atom)
        return self.atoms.predicates[atom].holds(States(self.graph.states[now], self.graph.states[then]))

    def _is_true(self, formula: Formula, step: Step) -> bool:
        return is_true_on(formula, partial(self.truth, step))

    # What behaviours decide --------------------------------------------------------------------------------------

    def _lasso(self, formulas: Iterable[Formula]) -> tuple[list[Step], int] | None:
        """The steps of a behaviour that satisfies all formulas, and the index at which its cycle begins."""
        whole = all_of(formulas)
        recurring, strong, others = _sorted(conjuncts(whole))
        product = _Product(self.graph, frozenset(others), self.truth)
        put_off = dict(enumerate(product.put_off))
        again = dict(enumerate(recurring, len(put_off)))
        fair = dict(enumerate(strong, len(put_off) + len(again)))

        def edge(way: _Way) -> Edge:
            met = {number for number, formula in put_off.items() if formula not in way.late}
            met |= {number for number, formula in again.items() if self._is_true(formula, way.step)}
            met |= {number for number, pair in fair.items() if self._is_true(pair.answer, way.step)}
            calls = {number for number, pair in fair.items() if self._is_true(pair.call, way.step)}
            return Edge(way.target, way.step, frozenset(calls), frozenset(met))

        edges = {node: [edge(way) for way in ways] for node, ways in product.ways.items()}
        lasso = lasso_in(edges, product.initial, frozenset([*put_off, *again]))
        if lasso is None:
            return None
        for steps, loop in (_without_stuttering(*lasso), lasso):
            if self._is_satisfied(whole, steps, loop):
                return steps, loop
        raise AssertionError("the automaton accepts a behaviour that the formula does not")

    def _is_satisfied(self, formula: Formula, steps: list[Step], loop: int) -> bool:
        return LassoTruths(formula, len(steps), loop, lambda atom, at: self.truth(steps[at], atom))[0] is True
