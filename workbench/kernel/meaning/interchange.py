"""Tests a claim of symmetry: of states that differ in interchangeable names alone, the same must be true.

A search that relied on a wrong claim would skip states unlike those that it visits, and say "holds" of what it never
saw. So a sample of reachable states is compared with others of their classes; in a small space, every state is.
"""

from contextlib import suppress
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.plan import Plan
from workbench.kernel.meaning.properties import DEADLOCK
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.symmetry import Canonical
from workbench.kernel.meaning.values import sort_key

#: The sample has at most this many states, and this many images of them; both are counts, so that a check with
#: symmetry says the same on every machine.
_MOST_STATES, _MOST_IMAGES = 200, 10_000


class _Enough(Exception):
    """The sample has all the images that it may have."""


class _Behaviour(NamedTuple):
    """What is the same in all states of a class.

    Attributes:
        truths: Whether each property, and the constraints, are true.
        steps: The class of the state to which a step leads, with the properties of steps that it violates, and the
            step's label.
    """

    truths: dict[str, bool]
    steps: dict[tuple[Any, frozenset[str]], str]


def check_interchange(plan: Plan) -> None:
    """Compare a sample of reachable states that are the same under the symmetry of `plan`.

    Raises:
        ModelError: If names that are said to be interchangeable are not.
    """
    if plan.symmetry:
        _Sample(plan).check()


class _Sample:
    def __init__(self, plan: Plan) -> None:
        self._plan, self._model, self._random = plan, plan.model, Random(0)
        self._canonical = Canonical(plan.model, plan.symmetry)
        self._predicates = {p.name: (p.wanted, plan.model.predicates(p.name)) for p in plan.safety}
        self._judges = {p.name: plan.model.judges(p) for p in plan.steps}
        self._constraints = plan.model.constraint_predicates()
        self._class_of: dict[Any, Any] = {}
        self._first: dict[Any, _Behaviour | None] = {}  # of each class, the behaviour of its first state
        self._queue: list[Any] = []
        self._images = 0

    def check(self) -> None:
        with suppress(_Enough):
            for state in islice(self._model.each_initial_state(), _MOST_STATES):
                self._see(state)
            for _ in range(_MOST_STATES):
                if self._queue:  # half of the time the newest, so that some states are deep
                    self._look_at(self._queue.pop(self._random.choice([-1, self._random.randrange(len(self._queue))])))

    def _look_at(self, state: Any) -> None:
        of_class = self._class_of[state]
        try:
            behaviour = self._behaviour(state)
        except ModelError:
            behaviour = None
        if of_class in self._first:
            self._compare(self._first[of_class], behaviour)
        else:
            self._first[of_class] = behaviour

    def _see(self, state: Any) -> Any:
        """The class of a state, which is looked at later if it is new."""
        if state not in self._class_of:
            # Of states that differ in hidden cells, the first stands for all: they need not behave alike.
            orbit = self._canonical.orbit(row_of(state))
            self._images += len(orbit)
            if self._images > _MOST_IMAGES:
                raise _Enough
            self._class_of[state] = self._model.state(min(orbit, key=sort_key))
            self._queue.append(state)
        return self._class_of[state]

    def _behaviour(self, state: Any) -> _Behaviour:
        truths = {
            name: any(predicate.holds(state) is decisive for predicate in predicates) is decisive
            for name, (decisive, predicates) in self._predicates.items()
        }
        truths["the constraint"] = all(constraint.holds(state) for constraint in self._constraints)
        steps: dict[tuple[Any, frozenset[str]], str] = {}
        for instance in self._model.instances if truths["the constraint"] else ():
            for _, target in self._model.outcomes(instance, state):
                violated = self._violated(instance, state, target) if target != state else frozenset()
                steps.setdefault((self._see(target), violated), instance.label)
        if DEADLOCK.name in self._judges:
            truths[DEADLOCK.name] = bool(steps) or self._model.may_end(state)
        return _Behaviour(truths, steps)

    def _violated(self, instance: Any, state: Any, target: Any) -> frozenset[str]:
        return frozenset(
            name
            for name, judges in self._judges.items()
            if any(judge.concerns(instance) and judge.judge(state, target) is not True for judge in judges)
        )

    def _compare(self, first: _Behaviour | None, other: _Behaviour | None) -> None:
        if first is None or other is None:
            if first is not other:
                self._fail("a step or a property goes wrong in one of them only")
            return
        for name, truth in first.truths.items():
            if other.truths[name] is not truth:
                self._fail(f"{name} is true in one of them only")
        if different := first.steps.keys() ^ other.steps.keys():
            label = min((first.steps | other.steps)[step] for step in different)
            self._fail(f"{label} does in one of them what no step does in the other")

    def _fail(self, difference: str) -> None:
        raise ModelError(
            f"symmetry over {', '.join(self._plan.symmetry)}: the names are not interchangeable: of two states that "
            f"differ in them alone, {difference}; check without symmetry"
        )
