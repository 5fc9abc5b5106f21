"""Assertions of a text as properties of the kernel."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from workbench.fizzbee.machine.rows import RowState
from workbench.fizzbee.machine.steps import FizzInstance, Shared
from workbench.fizzbee.syntax import tree
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.properties import (
    DEADLOCK,
    Fault,
    Formula,
    Invariant,
    Liveness,
    Place,
    Property,
    Reachable,
    Step,
    Undecided,
    always_eventually,
    eventually,
    eventually_always,
)
from workbench.kernel.meaning.state import Reader, Values
from workbench.kernel.meaning.steps import PropertyInstance

#: Stands in for the deadlock check in texts with crashes. To the kernel a crash is a step like any other; to FizzBee a
#: state that can only crash is a deadlock.
ONLY_CRASHES = "OnlyCrashes"


class Stated:
    """A stand-in for an author's function, with the place where the assertion is."""

    def __init__(self, at: tree.Place) -> None:
        self.at = at

    def __call__(self, *_: Any) -> NoReturn:
        raise AssertionError("assertions are judged by their own instances")


class _Placed(Property):
    """A property with a place in a text."""

    @property
    def place(self) -> str:
        return f" ({self.function.at})" if isinstance(self.function, Stated) else ""

    @property
    def doc(self) -> str:
        return ""


class FizzInvariant(_Placed, Invariant):
    """``always``."""


class FizzReachable(_Placed, Reachable):
    """``exists``."""


class FizzStep(_Placed, Step):
    """``transition``."""


class FizzLiveness(_Placed, Liveness):
    """``eventually always``, ``always eventually`` or ``eventually``."""


class FizzUndecided(_Placed, Undecided):
    """An assertion with ``eventually`` that no engine can decide."""


_OF_STATES: dict[tuple[str, ...], Any] = {
    ("always",): FizzInvariant,
    ("exists",): FizzReachable,
    ("transition",): FizzStep,
}
_TEMPORAL: dict[tuple[str, ...], Callable[[Any], Formula]] = {
    ("eventually", "always"): eventually_always,
    ("always", "eventually"): always_eventually,
    ("eventually",): eventually,
}


class _Row:
    """A state's row. Reading a cell records it as a dependency."""

    def __init__(self, state: Reader) -> None:
        self._state = state

    def __getitem__(self, cell: int) -> Any:
        return self._state._get(cell)


def row_of(state: Reader) -> Values:
    """The row of a state, for the interpreter to read; every read is recorded."""
    row: Any = _Row(state)
    return row


def _opened(shared: Shared, states: Sequence[Reader]) -> tuple[RowState, *tuple[RowState, ...]]:
    """The states that an assertion is judged in: the current one, and for a step the one before."""
    *before, after = (RowState(shared.rows, row_of(state)) for state in states)
    return after, *before


class Judge(PropertyInstance):
    """Evaluates an assertion in a state or over a step."""

    def __init__(self, author: Any, declared: Property, assertion: tree.Assertion, shared: Shared) -> None:
        super().__init__(author, declared)
        self._assertion, self._shared = assertion, shared

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def concerns(self, instance: Any) -> bool:
        return not (isinstance(self.property, Step) and instance.kind == "crash")  # FizzBee judges no crash

    def judge(self, *states: Reader) -> bool:
        return self._shared.meaning.holds(self._assertion, *_opened(self._shared, states))


class OnlyCrashes(PropertyInstance):
    """Violated in a state whose only steps are crashes, unless the behaviour may end there."""

    def __init__(self, author: Any, declared: Property, instances: Sequence[FizzInstance]) -> None:
        super().__init__(author, declared)
        self._instances = instances

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def judge(self, *states: Reader) -> bool | str:
        row = row_of(states[-1])
        if self.author.may_end(states[-1]) or self._can(row, False) or not self._can(row, True):
            return True
        return "what is half done cannot go on, and no action can begin: only crashes are left"

    def _can(self, row: Values, crash: bool) -> bool:
        return any(instance.run(row)[0] for instance in self._instances if (instance.kind == "crash") == crash)


class Assertions:
    """The assertions of a text as properties.

    Attributes:
        settled: The names of the assertions left to the interpreter's own search.
    """

    def __init__(self, shared: Shared, crashes: frozenset[int]) -> None:
        self._shared, options = shared, shared.meaning.text.options
        self.properties: dict[str, Property] = {}
        self.settled = set[str]()
        for assertion in shared.meaning.text.assertions.values():
            self.properties[assertion.name] = self._declared(assertion, bool(crashes))
        if options.deadlock_detection:
            self.properties[DEADLOCK.name] = replace(DEADLOCK, by_default=True)
            if crashes:
                self.properties[ONLY_CRASHES] = Invariant(ONLY_CRASHES, DEADLOCK.function)

    def _declared(self, assertion: tree.Assertion, crashes: bool) -> Property:
        name, stated = assertion.name, Stated(assertion.at)
        text = self._shared.meaning.text
        if (kind := _OF_STATES.get(assertion.operators)) is not None:
            declared: Property = kind(name, stated)
            return declared
        if assertion.operators not in _TEMPORAL:
            tree.refuse(assertion.at, f"an assertion is not {' '.join(assertion.operators)}")
        if text.fair_choices:
            return FizzUndecided(name, stated, why="a choice of the text is fair, which no search heeds")
        if not text.options.liveness:
            return FizzUndecided(name, stated, why="the text's options turn liveness off")
        if text.options.is_bounded or (crashes and assertion.operators != ("always", "eventually")):
            self.settled.add(name)
            reason = "the text bounds its actions" if text.options.is_bounded else "no behaviour crashes for ever"
            return FizzUndecided(name, stated, why=f"{reason}, which only the interpreter's own search heeds")
        return FizzLiveness(name, stated)

    def judges(self, author: Any, declared: Property, instances: Sequence[FizzInstance]) -> list[PropertyInstance]:
        """The judges, here always one, of a property of states or steps."""
        if declared.name == ONLY_CRASHES:
            return [OnlyCrashes(author, declared, instances)]
        return [Judge(author, declared, self._shared.meaning.text.assertions[declared.name], self._shared)]

    def why_false(self, name: str, states: Sequence[Reader]) -> Fault | None:
        """Why an assertion of states or steps is false; None if the interpreter cannot explain it."""
        assertion = self._shared.meaning.text.assertions.get(name)
        if assertion is None or assertion.operators in _TEMPORAL:
            return None
        try:
            blamed = self._shared.meaning.reasons(assertion, *_opened(self._shared, states))
        except ModelError:
            return None
        read = dict.fromkeys(variable for reason in blamed for variable in reason.variables)
        return Fault("; ".join(map(str, blamed)), *map(Place, read))

    def formula(self, name: str, crash: int | None) -> Formula:
        """The temporal formula of an assertion. A behaviour that crashes for ever never violates it.

        Args:
            crash: The index of the fairness condition that the crashes make up; None if the text has none.
        """
        assertion = self._shared.meaning.text.assertions[name]
        formula = _TEMPORAL[assertion.operators](partial(self._holds, assertion))
        return formula if crash is None else replace(formula, steps=frozenset({crash}))

    def _holds(self, assertion: tree.Assertion, state: Reader) -> bool:
        return self._shared.meaning.holds(assertion, RowState(self._shared.rows, row_of(state)))
