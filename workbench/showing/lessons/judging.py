"""Helpers for judges: models with an answer's constants, and the verdicts that a task wants."""

from collections.abc import Mapping
from typing import Any

from workbench.checking.check import check
from workbench.checking.following.scenario import scenario
from workbench.kernel import Machine, Result, Trace, machine_of
from workbench.kernel.meaning.machine import AnyModel, ModelClass
from workbench.kernel.meaning.values import counted
from workbench.showing.lessons.exercise import Wrong


def with_constants(model: ModelClass, answer: Mapping[str, Any], fixed: Mapping[str, Any]) -> Machine:
    """The model with an answer's constants; the answer must not change any given one."""
    for name, value in fixed.items():
        if answer.get(name, value) != value:
            raise Wrong(f"`{name}` stays {model.declared.constants[name].domain.word(value)}.")
    return machine_of(model(**{**answer, **fixed}))


def one_change(model: AnyModel, answer: Mapping[str, Any]) -> Machine:
    """The model with an answer's constants; the answer must change exactly one."""
    model = machine_of(model)
    changed = model.changed(**answer)
    many = sum(value != model.constants[name] for name, value in changed.constants.items())
    if many != 1:
        raise Wrong(f"{counted(many, 'constant')} changed, and one is asked for.")
    return changed


def expect(model: AnyModel, expected: Mapping[str, str]) -> Result:
    """Check a model, and refuse verdicts other than the wanted ones."""
    model = machine_of(model)
    result = check(model, list(expected))
    for name, word in expected.items():
        if result[name].word != word:
            raise Wrong(f"`{name}` comes out as: {result[name].word}. The task asks for: {word}.")
    return result


def story_trace(model: AnyModel, story: str) -> Trace:
    """A shortest behaviour that passes through a story."""
    model = machine_of(model)
    outcome = scenario(model, story)
    if not outcome.holds:
        raise Wrong(f"The model has no such behaviour. {outcome}.")
    assert outcome.trace is not None
    return outcome.trace
