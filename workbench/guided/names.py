"""What people call a step: its action alone, with its parameters, or also with what was chosen in it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.kernel import Model
from workbench.kernel.errors import listed
from workbench.kernel.instances import ActionInstance, Outcome, outcome_label

if TYPE_CHECKING:
    from workbench.engines.nodes import IsNamed


def is_action(model: Model, name: str) -> bool:
    """Whether `name` begins with an action that the model declares, were it switched off."""
    return name.partition("(")[0] in model.declared_actions


def is_named(name: str) -> "IsNamed":
    """The test for the steps that `name` is a name of."""

    def test(instance: ActionInstance, choices: Sequence[tuple[str, Any]]) -> bool:
        if name in (instance.action.name, instance.label):
            return True
        return bool(choices) and name == outcome_label(instance, Outcome(tuple(choices), {}))

    return test


def may_be(instance: ActionInstance, name: str) -> bool:
    """Whether `name` may be a name of a step of `instance`, whatever it chooses."""
    with_choice = f"{instance.label[:-1]}, " if instance.arguments else f"{instance.label}("
    return name in (instance.label, instance.action.name) or name.startswith(with_choice)


def instances_of(model: Model, name: str) -> list[ActionInstance]:
    """The instances that `name` may be a step of."""
    return [instance for instance in model.instances if may_be(instance, name)]


def why_none(model: Model, name: str) -> str:
    """Why no instance of the model's actions is called `name`."""
    action = name.partition("(")[0]
    if action not in model.actions:
        return "these constants switch it off"
    return f"there is no such step; there is {listed(i.label for i in model.instances if i.action.name == action)}"
