"""Explains violations, and why steps are not possible, in the words of the text.

The plain evaluator finds the reasons, within bounds: if it takes too long or cannot evaluate something, there is no
explanation.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from workbench.kernel.meaning.errors import InputError, Stop
from workbench.kernel.meaning.interrupts import pausing_at_most
from workbench.kernel.meaning.properties import Fault
from workbench.kernel.meaning.properties import Place as StatePlace
from workbench.kernel.meaning.values import identity
from workbench.tlaplus.config.closures import Closure
from workbench.tlaplus.machine.plain import as_kernel, as_plain
from workbench.tlaplus.meaning.actions import Conjunct
from workbench.tlaplus.meaning.counterexamples import broken_by_lasso, broken_by_step
from workbench.tlaplus.meaning.environment import BEFORE, Known, State, States
from workbench.tlaplus.meaning.obstacles import obstacles
from workbench.tlaplus.meaning.opening import Opened
from workbench.tlaplus.meaning.reasons import Contradicted, Reason, in_line, reasons
from workbench.tlaplus.meaning.search import behaviour_of, deeply
from workbench.tlaplus.meaning.sets import listed
from workbench.tlaplus.meaning.turns import parts_of
from workbench.tlaplus.meaning.values import EvaluationFailure
from workbench.tlaplus.syntax.spans import spans_of
from workbench.tlaplus.syntax.tree import Place
from workbench.tlaplus.values.lazy import force

#: Evaluations for one explanation may pause this often in all; then it is given up.
_PAUSES = 20_000
#: An explanation names this many obstacles of a step.
_MOST_OBSTACLES = 3
T = TypeVar("T")


class _TooLong(Exception):
    """An explanation takes longer than it is worth."""


class Explanations:
    """Explanations for a specification, as the plain evaluator has opened it, with its texts by file.

    Each method returns None if there is none.
    """

    def __init__(self, opened: Opened, sources: Mapping[str, str]) -> None:
        self._opened, self._sources = opened, sources

    def of_invariant(self, name: str, state: Any) -> str | None:
        """The parts of an invariant that make it false in a state of the machine, with their places."""
        (now,) = self._each([state])

        def explain() -> Iterable[Reason]:
            blamed = reasons(self._opened.named(name), self._opened.root, States(now))
            return [_without(name, reason) for reason in blamed]

        return _explained("false", explain, self._sources)

    def of_steps(self, name: str, states: Sequence[Any]) -> str | None:
        """The parts of a property that an initial state, or the two states of a step, make false."""

        def explain() -> Iterable[Reason]:
            return broken_by_step(self._opened.named(name), self._opened.root, self._each(states))

        return _explained("false", explain, self._sources)

    def of_behaviour(self, name: str, states: Sequence[Any], loop: int) -> str | None:
        """Why a lasso violates a property."""

        def explain() -> str:
            return broken_by_lasso(self._opened.named(name), self._opened.root, self._each(states), loop)

        return _tried(explain, lambda error: _contradiction("false", error))

    def of_assumption(self, at: Place) -> str | None:
        """The parts of the ASSUME at a place that make it false."""

        def explain() -> list[Reason]:
            assumed = self._opened.specification.assumptions
            body, scope = next((assumption.body, scope) for assumption, scope in assumed if assumption.at == at)
            return reasons(body, self._opened.root.at(scope), BEFORE)

        return _explained("false", explain, self._sources)

    def of_disjunct(self, disjunct: Closure, state: Any) -> list[str] | None:
        """Why a disjunct of Next is disabled in a state of the machine."""

        def explain() -> list[str]:
            (now,) = self._each([state])
            blocking = obstacles(self._action(disjunct), States(now, {}, "then", len(now)))
            texts = [reason.text for reason in itertools.islice(blocking, _MOST_OBSTACLES + 1)]
            return [*texts[:_MOST_OBSTACLES], "and more"] if len(texts) > _MOST_OBSTACLES else texts

        return _tried(explain, lambda error: [_contradiction("not possible", error)])

    def _each(self, states: Iterable[Any]) -> list[State]:
        """States of the machine for the plain evaluator."""
        words, variables = self._opened.root.model.words, self._opened.specification.variables
        return [
            {variable: as_plain(force(getattr(state, variable.name)), words) for variable in variables}
            for state in states
        ]

    # Disjuncts of Next, which are other trees for the machine -------------------------------------------------------

    @cached_property
    def _disjuncts(self) -> dict[Place, list[tuple[Conjunct, dict[str, Any]]]]:
        """The disjuncts with the values of the names that are bound around them, by their places."""
        disjuncts = dict[Place, list[tuple[Conjunct, dict[str, Any]]]]()
        parts = parts_of(behaviour_of(self._opened)[1], "VIEW" in self._opened.cfg.single)
        for node, env in (turn for part in parts for turn in part.turns):
            bound = {
                name.name: identity(as_kernel(listed(argument.value)))
                for name, argument in env.bound.items()
                if isinstance(argument, Known)
            }
            disjuncts.setdefault(node.at, []).append(((node, env), bound))
        return disjuncts

    def _action(self, disjunct: Closure) -> Conjunct:
        """The plain evaluator's disjunct with the same place and values; several with the same are all alike.

        Raises:
            InputError: If it has none, or they differ in other names.
        """
        values = {name.name: identity(force(value)) for name, value in disjunct.values.items()}
        same = [
            (action, bound)
            for action, bound in self._disjuncts.get(disjunct.node.at, ())
            if all(bound[name] == value for name, value in values.items() if name in bound)
        ]
        if not same or any(bound != same[0][1] for _, bound in same):
            raise InputError(f"{disjunct.node.at} is {len(same)} disjuncts")
        return same[0][0]


def _explained(judged: str, explain: Callable[[], Iterable[Reason]], sources: Mapping[str, str]) -> str | None:
    """The reasons in a line, with their places."""
    return _tried(lambda: _fault([*explain()], sources), lambda error: _contradiction(judged, error))


def _fault(causes: Sequence[Reason], sources: Mapping[str, str]) -> str:
    cells = dict.fromkeys(cell for reason in causes for cell in reason.cells)
    places = [StatePlace(name, None if index is None else as_kernel(index)) for name, index in cells]
    spans = [span for reason in causes for span in spans_of(reason.node, sources)]
    return Fault(in_line(causes), *places, spans=tuple(dict.fromkeys(spans)))


def _without(name: str, reason: Reason) -> Reason:
    """A reason; where all of an expression that somebody asked for is to blame, what it read is enough."""
    is_all = "".join(reason.head.split()) == "".join(f"{name} is false".split())
    return reason._replace(head=", ".join(reason.read), read=()) if is_all and reason.read else reason


def _contradiction(judged: str, error: Contradicted) -> str:
    return f"it is {judged}, but the plain evaluator says: {error}. One of them is wrong; please report it"


def _tried(explain: Callable[[], T], contradicted: Callable[[Contradicted], T]) -> T | None:
    """An explanation; None if it takes too long, or something in it cannot be evaluated."""
    try:
        with pausing_at_most(_PAUSES, _TooLong):
            return deeply(explain)
    except (_TooLong, EvaluationFailure, InputError, RecursionError, Stop):
        return None
    except Contradicted as error:
        return contradicted(error)
