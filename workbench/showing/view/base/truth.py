"""The truth of each property in a state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.kernel import Machine, ModelError, State
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.lasso import judge_end, truth
from workbench.kernel.meaning.properties import DEADLOCK, Fault, Liveness, Property
from workbench.kernel.meaning.state import Predicate
from workbench.kernel.meaning.steps import ActionInstance, PropertyInstance
from workbench.kernel.meaning.values import show

_WORDS = {
    "invariant": ("holds", "violated"),
    "reachable": ("true here", "not true here"),
    "liveness": ("goal met", "goal not met"),
    "step": ("holds", "violated"),
    "refinement": ("holds", "violated"),
    "deadlock": ("holds", "violated"),
}


@dataclass(frozen=True)
class Truth:
    """Whether a property's predicate is true in a state, or of the step that led to it.

    Attributes:
        name: The property's name, with its arguments.
        holds: For a liveness property, whether its goal holds here.
        why: The fault of an invariant, or of the step.
    """

    name: str
    kind: str
    holds: bool
    why: str | None = None

    @property
    def word(self) -> str:
        """The truth in words, such as ``holds`` or ``goal not met``."""
        return _WORDS[self.kind][0 if self.holds else 1]

    @property
    def broken(self) -> bool:
        """Whether the truth means that the state or step is at fault."""
        return self.kind not in ("reachable", "liveness") and not self.holds

    @property
    def fault(self) -> Fault:
        """The fault, with the property's name and the places that are at fault."""
        sentence = f"{self.name}: {self.why}" if self.why else f"{self.name} does not hold"
        return self.why.after(sentence.removesuffix(self.why)) if isinstance(self.why, Fault) else Fault(sentence)


Judge = Callable[[State], Truth]


def truths(model: Machine, state: State, properties: Sequence[str] | None = None) -> tuple[Truth, ...]:
    """The truth of every property of states in `state`, one for each combination of a property's parameters.

    Examples:
        >>> from workbench import machine_of
        >>> from workbench.protocols.bakery.model import Bakery
        >>> model = machine_of(Bakery)
        >>> [(t.name, t.word) for t in truths(model, model.initial_states()[0], ["UniqueTickets", "SomeoneCommits"])]
        [('UniqueTickets', 'holds'), ('SomeoneCommits', 'not true here')]
    """
    return tuple(judge(state) for judge in judges(model, properties))


def judges(model: Machine, properties: Sequence[str] | None = None) -> list[Judge]:
    """For every property of states, and every combination of its parameters, a function to a :class:`Truth`.

    Raises:
        InputError: For a property that the model does not declare.
    """
    judging: list[Judge] = []
    for declared in model.select(properties):
        if isinstance(declared, Liveness):
            for arguments, formula in model.formulas(declared.name):
                label = ", ".join([_named(declared.name, arguments), *([formula.part] if formula.part else [])])
                judging.append(_goal(declared.name, label, formula.goal))
        elif declared.of_states:
            together: dict[tuple[Any, ...], list[PropertyInstance]] = {}
            for instance in model.predicates(declared.name):
                together.setdefault(instance.arguments, []).append(instance)
            judging += [_predicate(model, parts) for parts in together.values()]
    return judging


class StepTruths:
    """Tells the truth of every property of steps.

    Args:
        properties: The properties; None means those that the model checks by default.
    """

    def __init__(self, model: Machine, properties: Sequence[str] | None = None) -> None:
        self._model = model
        self._judges = [(p, judge) for p in model.select(properties) if p.of_steps for judge in model.judges(p)]
        self._deadlock = properties is not None and DEADLOCK.name in names_in("properties", properties)

    def __call__(self, before: State | None, instance: ActionInstance | None, after: State) -> tuple[Truth, ...]:
        """The truths of the step of `instance` to the state `after`; without a step, of starting in `after`."""
        judged = []
        for declared, judge in self._judges:
            answer: bool | str | None = None
            if before is None or instance is None:
                answer = None if judge.begins is None else _answer(judge.begins, after)
            elif before != after and judge.concerns(instance):
                answer = _answer(judge.judge, before, after)
            if answer is not None:
                states = [after] if before is None else [before, after]
                explained = _explained(self._model, declared, answer, *states)
                judged.append(_truth(_named(declared.name, judge.arguments), declared.kind, explained))
        if self._deadlock:
            judged.append(_truth(DEADLOCK.name, DEADLOCK.kind, _answer(judge_end, self._model, after)))
        return tuple(judged)


def _named(name: str, arguments: Sequence[Any]) -> str:
    return f"{name}({', '.join(map(show, arguments))})" if arguments else name


def _goal(name: str, label: str, goal: Predicate) -> Judge:
    return lambda state: _truth(label, "liveness", _answer(truth, name, goal, state))


def _predicate(model: Machine, parts: Sequence[PropertyInstance]) -> Judge:
    """A property of states for given arguments: it holds if all its parts do; else the first false part says why."""
    label, kind = _named(parts[0].property.name, parts[0].arguments), parts[0].property.kind

    def judge(state: State) -> Truth:
        answers = (_answer(part.judge, state) for part in parts)
        answer = next((answer for answer in answers if answer is not True), True)
        return _truth(label, kind, _explained(model, parts[0].property, answer, state))

    return judge


def _answer(judge: Callable[..., bool | str], *states: Any) -> bool | str:
    """The answer of `judge`, or the text of an error of the model, since traces to errors are shown as well."""
    try:
        return judge(*states)
    except ModelError as error:
        return str(error)


def _explained(model: Machine, declared: Property, answer: bool | str, *states: State) -> bool | str:
    """The answer; if it is a plain "no" for a property that should hold, the model's explanation of the fault."""
    fault = model.why_false(declared, states) if answer is False and not declared.wanted else None
    return fault if isinstance(fault, Fault) else answer


def _truth(label: str, kind: str, answer: bool | str) -> Truth:
    return Truth(label, kind, answer is True, answer if isinstance(answer, str) else None)
