"""Properties and constraints of a module, as engines judge them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.properties import (
    Constraint,
    Invariant,
    Liveness,
    Postcondition,
    Property,
    Reachable,
    Step,
    Undecided,
)
from workbench.kernel.meaning.state import Reader, Values
from workbench.kernel.meaning.steps import PropertyInstance
from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.steps.quantifier_memo import predicate_of
from workbench.tlaplus.syntax.tree import Place
from workbench.tlaplus.values.lazy import listed

# Properties as they are declared -------------------------------------------------------------------------------------


class Stated:
    """A stand-in for an author's function, with the place and the comment of the property's definition."""

    def __init__(self, at: Place | None, doc: str = "") -> None:
        self.at, self.doc = at, doc

    def __call__(self, *_: Any) -> NoReturn:
        raise AssertionError("properties of modules are judged by their own instances")


class _Placed(Property):
    """A property with a place in a text."""

    @property
    def place(self) -> str:
        at = getattr(self.function, "at", None)
        return f" ({at})" if at else ""

    @property
    def doc(self) -> str:
        return getattr(self.function, "doc", "")


class TextInvariant(_Placed, Invariant):
    """An invariant of a module."""


class TextReachable(_Placed, Reachable):
    """A predicate of a module that some state within the constraints must satisfy."""


class TextStep(_Placed, Step):
    """A predicate of a module that initial states, states or steps decide."""


class TextLiveness(_Placed, Liveness):
    """A liveness property of a module."""


class TextUndecided(_Placed, Undecided):
    """A property of a module that no engine decides."""


class TextPostcondition(_Placed, Postcondition):
    """A configuration's POSTCONDITION, evaluated after a search. It may not read anything that only TLC knows."""


class TextConstraint(_Placed, Constraint):
    """A constraint of a module on states or steps."""


# Judges --------------------------------------------------------------------------------------------------------------


class CompiledPredicate:
    """A predicate of a state, or of a step.

    Args:
        ask: Tests a part of the predicate; by default the whole predicate is tested.
    """

    def __init__(
        self, closures: Closures, cells: Cells, closure: Closure, ask: Callable[[Any, Any], bool] | None = None
    ) -> None:
        self._closures, self._cells, self._at = closures, cells, closure.node.at
        self._ask = predicate_of(closures, closure) if ask is None else ask

    def __call__(self, before: Reader, after: Reader | None = None) -> bool:
        now = self._cells.variables_of(before)
        then = None if after is None else self._cells.variables_of(after)
        return self.of_values(now, then)

    def of_values(self, now: Values, then: Any) -> bool:
        """The truth, given the values of the variables by number."""
        return bool(self._closures.evaluated(self._at, self._ask, now, then))


class StateJudge(PropertyInstance):
    """One of the conjuncts of a predicate of states.

    Args:
        tests: All conjuncts, in the order of the text.
        number: The position of the one to judge.
    """

    def __init__(self, author: Any, declared: Property, tests: Sequence[CompiledPredicate], number: int) -> None:
        super().__init__(author, declared)
        self._test, self._before = tests[number], tests[:number]

    def judge(self, *states: Reader) -> bool | str:
        """Judge a state as TLC does: after a false conjunct nothing is evaluated, so an error there does not count."""
        (state,) = states
        try:
            return self._test(state)
        except ModelError:
            if all(test(state) for test in self._before):
                raise
            return True


class ReachedJudge(PropertyInstance):
    """Judges whether a state is within the constraints and satisfies a predicate.

    In TLC a state outside the constraints does not count for ``_POSSIBLE``. Engines here judge such states too, so this
    judge tests the constraints itself.

    Args:
        tests: The constraints on states, then the predicate.
    """

    def __init__(self, author: Any, declared: Property, tests: Sequence[CompiledPredicate]) -> None:
        super().__init__(author, declared)
        self._tests = tests

    def judge(self, *states: Reader) -> bool:
        """The truth of all tests, up to the first that is false."""
        (state,) = states
        return all(test(state) for test in self._tests)


class Bound(NamedTuple):
    """A constraint whose truth is an extra variable of the state, since it may exclude a state already visited.

    TLC judges the state after a step that an action constraint excludes, but does not expand it. Another step may lead
    to the same state and be admitted; the extra variable keeps the two apart. A state constraint needs a variable only
    if states are compared by a part of their variables, as under a VIEW: then it may exclude a state that counts as
    visited.

    Attributes:
        number: The number of the extra variable, which is false in an excluded state.
        test: The constraint.
        is_of_steps: Whether it is an action constraint.
    """

    number: int
    test: CompiledPredicate
    is_of_steps: bool

    def admits(self, now: Any, then: Any) -> bool:
        """Whether the constraint admits a step from `now` to `then`, or a state `then`, given as values by number."""
        return self.test.of_values(now, then) if self.is_of_steps else self.test.of_values(then, None)


class ComputedView(NamedTuple):
    """A VIEW other than a variable or a tuple of variables, and the number of the extra variable with its value."""

    number: int
    at: Place
    closures: Closures
    evaluate: Callable[..., Any]

    def value(self, now: Any) -> Any:
        """The value of the VIEW in a state, given the values of the variables by number."""
        return self.closures.evaluated(self.at, lambda: listed(self.evaluate(now, None)))


class BoundJudge(PropertyInstance):
    """Judges a :class:`Bound` by the value of its variable in a state."""

    def __init__(self, author: Any, declared: Property, cells: Cells, number: int) -> None:
        super().__init__(author, declared)
        self._cells, self._number = cells, number

    def judge(self, *states: Reader) -> bool | str:
        (state,) = states
        return bool(self._cells.variables_of(state)[self._number])


class _TestJudge(PropertyInstance):
    def __init__(self, author: Any, declared: Property, test: CompiledPredicate) -> None:
        super().__init__(author, declared)
        self._test = test


class InitialJudge(_TestJudge):
    """A predicate of initial states."""

    def begins(self, state: Reader) -> bool | str:
        return self._test(state)

    def judge(self, *states: Reader) -> bool | str:
        return True


class AlwaysJudge(InitialJudge):
    """A predicate of all states, evaluated in the initial states and after each step."""

    def judge(self, *states: Reader) -> bool | str:
        return self._test(states[-1])


class StepJudge(_TestJudge):
    """``[A]_v``, of every step."""

    def judge(self, *states: Reader) -> bool | str:
        before, after = states
        return self._test(before, after)
