"""Step properties: what must be true of every step that changes the state, ``[][P]_vars`` as TLA+ writes it."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.kernel.actions import ActionInstance, parameters_of
from workbench.kernel.errors import ModelError, brief, defined_at, in_its_line, unknown
from workbench.kernel.faults import Place
from workbench.kernel.parameters import combinations, declared_parameters, says_parameters
from workbench.kernel.properties import Property, call_predicate
from workbench.kernel.state import Layout, Reader, Values, View, seen
from workbench.kernel.switches import Default, When
from workbench.kernel.text import printable


@dataclass(frozen=True)
class StepProperty(Property):
    """What ``@step`` attaches to a method.

    Attributes
    ----------
    actions : tuple of str
        The actions whose steps are judged; empty for all.
    """

    actions: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        return f"step of {', '.join(self.actions)}" if self.actions else "step"

    def check(self, owner: str, actions: Container[str]) -> None:
        for name in self.actions:
            if name not in actions:
                raise ModelError(f"{owner}: {self.name} is of {brief(name)}, which is not an action")

    def judges(self, model: Any) -> "list[StepJudge]":
        return [StepInstance(model, self, arguments) for arguments in combinations(self.parameters, model.members)]


@in_its_line
def step(
    function: Any = None,
    /,
    *,
    of: str | Sequence[str] = (),
    when: When = None,
    by_default: Default = True,
    **domains: str,
) -> Any:
    """Declare a method ``(self, s, t, ...)`` that must be true of every step from a state `s` to another state `t`.

    It returns True, or False or a text that says what is wrong, as invariants do. A step that changes nothing is not
    judged. `when`, `by_default` and the domains are as for :func:`workbench.invariant`.

    Parameters
    ----------
    of : str or sequence of str
        The names of the actions whose steps are judged; all actions if it is not given.

    Examples
    --------
    >>> from workbench import Model, Variable, action, check, step
    >>> class Clock(Model):
    ...     hour = Variable(0)
    ...     @action
    ...     def tick(self, s):
    ...         s.hour = (s.hour + 1) % 3
    ...     @step
    ...     def Forwards(self, s, t):
    ...         return t.hour > s.hour or f"from {s.hour} to {t.hour}"
    >>> check(Clock())
    Clock(): 3 distinct states, depth 3, local engine
      violated (4 states)  Forwards: tick: from 2 to 0
    """
    actions, parameters = (of,) if isinstance(of, str) else tuple(of), declared_parameters((), domains)
    if says_parameters(function):
        function, parameters = None, declared_parameters([function], domains)

    def declare(function: Callable[..., Any]) -> StepProperty:
        parameters_of(function, parameters, first=3)
        return StepProperty("step", function.__name__, function, parameters, when, by_default, actions)

    return declare if function is None else declare(function)


class Later(View):
    """The state after a step, as properties of steps see it: it also tells which cells the step changed.

    Parameters
    ----------
    changed : callable
        Whether the cell with a number is different from what it was before the step. Who keeps track of reads then need
        not count this as reading either value.
    """

    __slots__ = ("_changed",)
    _changed: Callable[[int], bool]

    def __init__(self, layout: Layout, values: Values, changed: Callable[[int], bool]) -> None:
        super().__init__(layout, values)
        object.__setattr__(self, "_changed", changed)


def unchanged(s: Reader, t: Reader, *parts: str | Place) -> bool:
    """Whether the step from `s` to `t` leaves the named variables as they are.

    Parameters
    ----------
    s, t : State
        As a step property is given them.
    *parts : str or Place
        Variables, or single cells of them: ``Place("pc", w)``.

    Examples
    --------
    >>> from workbench.models.bakery import Bakery
    >>> model = Bakery()
    >>> start, = model.initial_states()
    >>> _, after = model.outcomes(model.instances[0], start)[0]
    >>> [str(change.cell) for change in start.changes_to(after)]
    ['pc[w1]']
    >>> unchanged(start, after, "claims"), unchanged(start, after, "claims", "pc")
    (True, False)
    >>> unchanged(start, after, Place("pc", "w2")), only(start, after, "pc"), only(start, after, Place("pc", "w2"))
    (True, True, False)
    """
    changed = _changes(s, t)
    return not any(changed(cell) for cell in _cells(t._layout, parts))


def only(s: Reader, t: Reader, *parts: str | Place) -> bool:
    """Whether the step from `s` to `t` changes nothing but the named variables, or cells; see :func:`unchanged`."""
    changed, allowed = _changes(s, t), set(_cells(t._layout, parts))
    return not any(changed(cell) for cell in range(len(t._layout.cells)) if cell not in allowed)


def _changes(s: Reader, t: Reader) -> Callable[[int], bool]:
    if isinstance(t, Later):
        return t._changed
    if isinstance(s, View) and isinstance(t, View):
        before, after = s.values, t.values
        return lambda cell: bool(before[cell] != after[cell])
    raise ModelError("unchanged() and only() take the two states of a step")


def _cells(layout: Layout, parts: Sequence[str | Place]) -> list[int]:
    """The numbers of the cells that `parts` name."""
    cells: list[int] = []
    for part in parts:
        name, index = (part, None) if isinstance(part, str) else part[:2]
        if name not in layout.positions:
            raise ModelError(str(unknown("variable", name, layout.positions)))
        known = layout.positions[name]
        if index is not None and (isinstance(known, int) or index not in known):
            raise ModelError(f"{name} has no index {brief(index)}")
        cells += layout.cells_of(name, index)
    return cells


class StepJudge(Protocol):
    """What judges the steps of a model for one property: :class:`StepInstance`, and refinements."""

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What the property's parameters are."""

    @property
    def begins(self) -> Callable[[Reader], bool | str] | None:
        """What judges the initial states; None if any will do."""

    @property
    def follows_reads(self) -> bool:
        """Whether a step is right that writes no cell which was ever read to judge a state."""

    def concerns(self, instance: ActionInstance) -> bool:
        """Whether the steps of `instance` are judged."""

    def judge(self, before: Reader, after: Reader) -> bool | str:
        """True, False, or what is wrong with the step between two different states, in one line."""


class StepInstance:
    """A step property with its parameters bound: a predicate over steps."""

    begins: None = None
    follows_reads = False

    def __init__(self, model: Any, declared: StepProperty, arguments: tuple[Any, ...]) -> None:
        self.model, self.property, self.arguments = model, declared, arguments

    def concerns(self, instance: ActionInstance) -> bool:
        return not self.property.actions or instance.action.name in self.property.actions

    def judge(self, before: Reader, after: Reader) -> bool | str:
        declared = self.property
        answer = call_predicate(
            declared.name, declared.function, self.model, seen(before), seen(after), *self.arguments
        )
        if answer is True or answer is False:
            return answer
        if isinstance(answer, str):
            return printable(answer)
        raise ModelError(
            f"step {declared.name}{defined_at(declared.function)} returned {brief(answer)}; "
            "it must return True, False or a text that says what is wrong"
        )
