"""Refinement: every behaviour of a model, seen through a mapping of its states, is one of a more abstract model.

Initial states must map to initial states, and every step to a step of the abstract model or to none. The abstract
model's fairness and liveness properties are not judged.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from workbench.kernel.language.declare import Declarations
from workbench.kernel.language.model import Model
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import InputError, ModelError, brief, call, defined_at, in_its_line, unknown
from workbench.kernel.meaning.machine import Machine, machine_of
from workbench.kernel.meaning.members import Members
from workbench.kernel.meaning.parameters import Default, Function, When, check_function
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.state import Reader, State, cells_of, changes_of, lines_of, row_of, seen
from workbench.kernel.meaning.steps import PropertyInstance
from workbench.kernel.meaning.values import check_value, identity, is_same, show

#: Abstract states whose successors are memoized.
_REMEMBERED = 1 << 16


@dataclass(frozen=True)
class RefinementProperty(Property):
    """A refinement, as ``@refines`` attaches it to a method.

    Attributes:
        constants: By constant of the abstract model, the constant, attribute or method of the model that gives it.
    """

    kind, of_steps, refines = "refinement", True, True
    abstract: type[Model] = Model
    constants: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def described(self) -> str:
        return f"refinement of {self.abstract.__name__}"

    def check(self, owner: str, declared: Declarations) -> None:
        super().check(owner, declared)
        for name in self.constants:
            if name not in self.abstract.declared.constants:
                error = unknown(f"constant of {self.abstract.name}", name, self.abstract.declared.constants)
                raise ModelError(f"{owner}: {self.name}: {error}")

    def judges(self, model: Any) -> list[PropertyInstance]:
        return [Refinement(model, self)]

    def abstract_of(self, model: Model) -> Model:
        """The abstract model with the constants that `model` gives it.

        Raises:
            InputError: If it does not accept them.
        """
        constants = {name: _constant(model, self.name, source) for name, source in self.constants.items()}
        try:
            return self.abstract(**constants)
        except InputError as error:
            raise InputError(f"{self.name} of {type(model).name} refines {self.abstract.name}: {error}") from None


def _constant(model: Model, name: str, source: str) -> Any:
    value = getattr(model, source, None) if isinstance(source, str) else None
    if value is None and source not in model.constants:
        raise ModelError(f"{name}: {type(model).__name__} has no constant, attribute or method {brief(source)}")
    return call(f"{source} of {type(model).__name__}", value) if callable(value) else value


@in_its_line
def refines(
    abstract: Any, /, *, when: When = None, by_default: Default = True, **constants: str
) -> Callable[[Function], RefinementProperty]:
    """Declare a method ``(self, s)`` that maps states to states of the model `abstract`, which this one must refine.

    It returns a mapping from the abstract model's variables to their values; for a variable with a cell per index, a
    mapping from the indices to values. ``docs/properties.md`` has examples.

    Args:
        abstract: Every behaviour must be one of this model: it begins in one of its initial states, and each step is
            one of its steps or changes nothing there. Its fairness is not judged.
        when, by_default: As for :func:`workbench.invariant`.
        **constants: For constants of the abstract model, the constant, attribute or method of this model that gives
            the value; the others have their defaults.
    """
    if not (isinstance(abstract, type) and issubclass(abstract, Model)):
        raise ModelError(f"refines: {brief(abstract)} is not a model's class: write @refines(Table)")

    @in_its_line
    def declare(function: Callable[..., Any]) -> RefinementProperty:
        check_function(function, {})
        return RefinementProperty(
            function.__name__,
            function,
            when=when,
            by_default=by_default,
            abstract=abstract,
            constants=dict(constants),
        )

    return declare


class Refinement(PropertyInstance):
    """A refinement with its abstract model, bound to the constants of the author's object."""

    follows_reads = True

    def __init__(self, author: Any, declared: RefinementProperty) -> None:
        super().__init__(author, declared)
        self.abstract: Machine = machine_of(declared.abstract_of(author))
        self._initial: set[State] = set()
        self._after = lru_cache(_REMEMBERED)(self._successors)

    def image(self, state: Reader) -> State:
        """The abstract state that `state` maps to."""
        declared = self.property
        answer = call(f"property {declared.name}", declared.function, self.author, seen(state))
        try:
            return self._state(answer)
        except ModelError as error:
            raise ModelError(f"refinement {declared.name}{defined_at(declared.function)}: {error}") from None

    def _state(self, answer: Any) -> State:
        layout = self.abstract.layout
        _check_keys(answer, layout.positions, f"what maps the variables of {self.abstract.name} to values", "variable")
        for name, where in layout.positions.items():
            if isinstance(where, dict) and where:
                _check_keys(answer[name], where, f"{name}, which has a value for each index", "index")
        values: dict[Cell, Any] = {}
        for cell in (shown.cell for shown in layout.shown):
            universe = layout.universes.get(cell.variable)
            value = answer[cell.variable] if cell.index is None else answer[cell.variable][cell.index]
            value = value.value if isinstance(value, Members) else value
            values[cell] = value if universe is None else universe.subset(value)
            check_value(values[cell])
        row = layout.put(values)
        state: State = self.abstract.state([row[number] for number in range(len(row))])
        return state

    def begins(self, state: Reader) -> bool | str:
        """Whether a behaviour of the abstract model may begin in the image of `state`; or why not."""
        image = self.image(state)
        if not self._initial:
            self._initial.update(self.abstract.each_initial_state())
        if image in self._initial:
            return True
        return f"no behaviour of {self.abstract.declared.title} begins with {'; '.join(lines_of(image))}"

    def judge(self, *states: Reader) -> bool | str:
        one, other = map(self.image, states)
        return one == other or other in self._after(one) or self.no_step(one, other)

    def _successors(self, state: State) -> frozenset[State]:
        return frozenset(
            after for instance in self.abstract.instances for _, after in self.abstract.outcomes(instance, state)
        )

    def no_step(self, one: State, other: State) -> str:
        """Describe a step that the abstract model does not have, in its terms."""
        first, *others = [(str(c.cell), f"from {show(c.before)} to {show(c.after)}") for c in changes_of(one, other)]
        changes = " and ".join([f"{first[0]} goes {first[1]}", *(f"{cell} {how}" for cell, how in others)])
        text = f"{changes}, which no action of {self.abstract.declared.title} does"
        nearly = [
            f"{instance.label_with(outcome.choices)} may not, since {' and '.join(missing)}"
            for instance in self.abstract.instances
            for outcome, missing in instance.overlooking(row_of(one))
            if self.abstract.after(one, outcome) == other
        ]
        return "; ".join([text, *(nearly[:1] or self._nearest(one, other))])

    def _nearest(self, one: State, other: State) -> list[str]:
        """The nearest abstract step that has a change in common, and its differences; empty if there is none."""
        done = {(change.cell, identity(change.after)) for change in changes_of(one, other)}
        steps = [
            (instance.label_with(outcome.choices), after)
            for instance in self.abstract.instances
            for outcome, after in self.abstract.outcomes(instance, one)
            if not done.isdisjoint((change.cell, identity(change.after)) for change in changes_of(one, after))
        ]
        if not steps:
            return []
        label, after = min(steps, key=lambda step: len(changes_of(other, step[1])))
        left = dict(cells_of(one))
        clauses = [
            f"{'leave' if is_same(left[change.cell], change.after) else 'make'} {change.cell} {show(change.after)}"
            for change in changes_of(other, after)
        ]
        return [f"{label} would {' and '.join(clauses)}"]


def _check_keys(answer: Any, expected: Mapping[Any, Any], kind: str, key: str) -> None:
    """Raise :class:`ModelError` unless `answer` has exactly the `expected` keys; keys that want {} may be left out."""
    if not isinstance(answer, Mapping):
        raise ModelError(f"{brief(answer)} is not {kind}")
    for name in answer:
        if name not in expected:
            raise ModelError(f"unknown {key} {brief(name)}; known: {', '.join(map(show, expected))}")
    for name, where in expected.items():
        if name not in answer and where != {}:
            raise ModelError(f"it says nothing about {key} {show(name)}")
