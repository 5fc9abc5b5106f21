"""The cells that each action reads and writes, observed by running the actions."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from workbench.kernel import ModelError, State, machine_of
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.state import Reads, row_of
from workbench.kernel.meaning.steps import ActionInstance


@dataclass(frozen=True)
class Access:
    """The cells that an action instance was seen to read and write."""

    instance: ActionInstance
    reads: frozenset[Cell]
    writes: frozenset[Cell]


def accesses(model: AnyModel, states: Iterable[State]) -> list[Access]:
    """The cells that each action instance of `model` reads and writes in the given states, enabled or not.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> model = Bakery(Writers=2)
        >>> first = accesses(model, model.initial_states())[0]
        >>> first.instance, sorted(map(str, first.writes))
        (node_startup(w1), ['claims', 'pc[w1]'])
    """
    model = machine_of(model)
    read: list[set[int]] = [set() for _ in model.instances]
    written: list[set[int]] = [set() for _ in model.instances]
    for state in states:
        for instance in model.instances:
            reads = Reads(row_of(state))
            with suppress(ModelError):  # the trace to an error ends where an action raises it
                for outcome in instance.run(reads)[0]:
                    written[instance.number].update(outcome.writes)
            read[instance.number].update(reads)
    cells = model.layout.shown_of
    return [
        Access(instance, frozenset(cells[c] for c in r), frozenset(cells[c] for c in w))
        for instance, r, w in zip(model.instances, read, written, strict=True)
    ]
