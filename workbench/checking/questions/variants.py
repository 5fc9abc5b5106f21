"""Variants of a model: the same name and constants, with some declarations added or replaced."""

from collections.abc import Iterable
from typing import Any

from workbench.kernel import Machine, machine_of
from workbench.kernel.machine import AnyModel
from workbench.kernel.model import Model
from workbench.kernel.state import State, row_of


def variant(model: AnyModel, **declared: Any) -> Machine:
    """The same model with further declarations.

    Examples:
        >>> from workbench.kernel import invariant, search
        >>> from workbench.protocols.bakery.model import Bakery
        >>> def never_commits(self, s):
        ...     return s.decision["w1"] != "committed"
        >>> search(variant(Bakery(Writers=2, MaxCrashes=0), Idle=invariant(never_commits)), ["Idle"])["Idle"].word
        'violated'
    """
    model = machine_of(model)
    body = {"name": model.name, **declared}
    kind = type(model.author)
    made: Model = type(kind.__name__, (kind,), body)(**model.constants)
    return machine_of(made)


def beginning_in(model: AnyModel, states: Iterable[State]) -> Machine:
    """The same model with `states` as its initial states."""
    model = machine_of(model)
    values = [row_of(state) for state in states]
    return variant(model, initial_states=lambda self: [machine_of(self).state(one) for one in values])
