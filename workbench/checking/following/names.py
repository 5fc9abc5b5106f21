"""Names of steps: the action alone, with its parameters, or with its choices too."""

from collections.abc import Callable, Sequence
from typing import Any

from workbench.kernel import Machine
from workbench.kernel.meaning.errors import listed
from workbench.kernel.meaning.steps import ActionInstance

#: Whether a step of an instance, with its choices, has a given name.
IsNamed = Callable[[ActionInstance, Sequence[tuple[str, Any]]], bool]


def is_action(model: Machine, name: str) -> bool:
    """Whether `name` starts with one of the model's declared actions, even if switched off."""
    action = name.partition("(")[0]
    return action in model.declared.actions or any(action == instance.former != "" for instance in model.instances)


def is_named(name: str) -> IsNamed:
    """A test for the steps called `name`."""

    def test(instance: ActionInstance, choices: Sequence[tuple[str, Any]]) -> bool:
        if name in (instance.action.name, instance.label) or name in instance.former_names(choices):
            return True
        return bool(choices) and name == instance.label_with(choices)

    return test


def instances_of(model: Machine, name: str) -> list[ActionInstance]:
    """The instances that may have a step called `name`, for some choice."""

    def may_be(instance: ActionInstance) -> bool:
        is_former = bool(instance.former) and name.partition("(")[0] == instance.former
        return is_former or name in (instance.label, instance.action.name) or name.startswith(instance.labels_begin)

    return [*filter(may_be, model.instances)]


def why_none(model: Machine, name: str) -> str:
    """The reason why no instance has a step called `name`."""
    action = name.partition("(")[0]
    if action not in model.actions:
        return "these constants switch it off"
    return f"there is no such step; there is {listed(i.label for i in model.instances if i.action.name == action)}"
