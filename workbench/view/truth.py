"""Which properties are true in a state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.kernel import Model, State
from workbench.kernel.properties import PropertyInstance, call_predicate
from workbench.kernel.state import Predicate
from workbench.kernel.values import show

_WORDS = {
    "invariant": ("holds", "violated"),
    "reachable": ("true here", "not true here"),
    "liveness": ("goal met", "goal not met"),
    "refinement": ("holds", "violated"),
}


@dataclass(frozen=True)
class Truth:
    """Whether a property's predicate is true in one state.

    Attributes
    ----------
    name : str
        The property's, with its arguments.
    kind : str
    holds : bool
        For a liveness property, whether its goal holds here.
    why : str or None
        What is wrong with an invariant.
    """

    name: str
    kind: str
    holds: bool
    why: str | None = None

    @property
    def word(self) -> str:
        """In words, such as ``holds`` or ``goal not met``."""
        return _WORDS[self.kind][0 if self.holds else 1]

    @property
    def broken(self) -> bool:
        """Whether this is a violated invariant, or a step that a refinement does not allow."""
        return self.kind in ("invariant", "refinement") and not self.holds


Judge = Callable[[State], Truth]


def truths(model: Model, state: State, properties: Sequence[str] | None = None) -> tuple[Truth, ...]:
    """The truth of every property in `state`, one for each combination of a property's parameters.

    Examples
    --------
    >>> from workbench.models.bakery import Bakery
    >>> model = Bakery()
    >>> [(t.name, t.word) for t in truths(model, model.initial_states()[0], ["UniqueTickets", "SomeoneCommits"])]
    [('UniqueTickets', 'holds'), ('SomeoneCommits', 'not true here')]
    """
    return tuple(judge(state) for judge in judges(model, properties))


def judges(model: Model, properties: Sequence[str] | None = None) -> list[Judge]:
    """For every property and every combination of its parameters a function from a state to a :class:`Truth`.

    What is true or false of steps has none.

    Raises
    ------
    InputError
        For a property that the model does not declare.
    """
    judging: list[Judge] = []
    for declared in model.select(properties):
        if declared.kind == "liveness":
            for arguments, formula in model.formulas(declared.name):
                judging.append(_goal(declared.name, _named(declared.name, arguments), formula.goal))
        elif declared.of_states:
            judging += [_predicate(instance) for instance in model.predicates(declared.name)]
    return judging


def _named(name: str, arguments: Sequence[Any]) -> str:
    return f"{name}({', '.join(map(show, arguments))})" if arguments else name


def _goal(name: str, label: str, goal: Predicate) -> Judge:
    return lambda state: Truth(label, "liveness", bool(call_predicate(name, goal, state)))


def _predicate(instance: PropertyInstance) -> Judge:
    label, kind = _named(instance.property.name, instance.arguments), instance.property.kind

    def judge(state: State) -> Truth:
        answer = instance.judge(state)
        return Truth(label, kind, answer is True, answer if isinstance(answer, str) else None)

    return judge
