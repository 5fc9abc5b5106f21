"""Variants of a model: wrappers that add properties, or let behaviours begin elsewhere."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from workbench.kernel import machine_of
from workbench.kernel.meaning.machine import AnyModel, Machine, Wrapped
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.state import State, row_of


class _WithProperties(Wrapped):
    def __init__(self, inner: Machine, further: dict[str, Property]) -> None:
        super().__init__(inner)
        self.declared = replace(inner.declared, properties={**inner.declared.properties, **further})
        self.properties = {**inner.properties, **further}


class _Beginning(Wrapped):
    def __init__(self, inner: Machine, rows: list[tuple[Any, ...]]) -> None:
        super().__init__(inner)
        self._rows = rows

    def each_initial_state(self) -> Iterator[Any]:
        return map(self.state, self._rows)


def variant(model: AnyModel, **properties: Property) -> Machine:
    """The same model with further properties.

    Examples:
        >>> from workbench.kernel import invariant, search
        >>> from workbench.protocols.bakery.model import Bakery
        >>> def never_commits(self, s):
        ...     return s.decision["w1"] != "committed"
        >>> search(variant(Bakery(Writers=2, MaxCrashes=0), Idle=invariant(never_commits)), ["Idle"])["Idle"].word
        'violated'
    """
    return _WithProperties(
        machine_of(model), {name: replace(declared, name=name) for name, declared in properties.items()}
    )


def beginning_in(model: AnyModel, states: Iterable[State]) -> Machine:
    """The same model with `states` as its initial states."""
    return _Beginning(machine_of(model), [row_of(state) for state in states])
