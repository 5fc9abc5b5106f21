"""Variants of a model: the same name and constants, with some declarations added or replaced."""

from collections.abc import Iterable
from typing import Any

from workbench.kernel.model import Model
from workbench.kernel.state import State


def variant(model: Model, **declared: Any) -> Model:
    """The same model with further declarations.

    Examples:
        >>> from workbench.kernel import invariant, search
        >>> from workbench.protocols.bakery.model import Bakery
        >>> def never_commits(self, s):
        ...     return s.decision["w1"] != "committed"
        >>> search(variant(Bakery(Writers=2, MaxCrashes=0), Idle=invariant(never_commits)), ["Idle"])["Idle"].word
        'violated'
    """
    body = {"name": model.name, **declared}
    return type(type(model).__name__, (type(model),), body)(**model.constants)


def beginning_in(model: Model, states: Iterable[State]) -> Model:
    """The same model with `states` as its initial states."""
    values = [state.values for state in states]
    return variant(model, initial_states=lambda self: [self.state(one) for one in values])
