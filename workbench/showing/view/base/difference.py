"""Short labels that tell states apart."""

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

from workbench.kernel import State
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.state import cells_of, notation_of
from workbench.kernel.meaning.values import identity

BECOMES = "\N{RIGHTWARDS ARROW}"


def told_apart(states: Sequence[State]) -> list[str]:
    """For each of some states of a model, the contents of the cells that differ among them.

    Examples:
        >>> from workbench.kernel import Model, Variable, action, choose, initial
        >>> class Coins(Model):
        ...     coins = (1, 2)
        ...     up = Variable(False, per="coins")
        ...     @initial
        ...     def tossed_before(self, s):
        ...         s.up[1] = choose((False, True))
        ...     @action(c="coins")
        ...     def turn(self, s, c):
        ...         s.up[c] = not s.up[c]
        >>> told_apart(Coins().initial_states())
        ['up: none', 'up: 1']
    """
    cells = [list(cells_of(state)) for state in states]
    differing = [len({identity(value) for _, value in same}) > 1 for same in zip(*cells, strict=True)]
    texts, show = [], notation_of(states[0]).show if states else str
    for of_state in cells:
        items = itertools.compress(of_state, differing)
        by_variable = itertools.groupby(items, key=lambda item: item[0].variable)
        texts.append("; ".join(_cells_of(variable, list(its), show) for variable, its in by_variable))
    return texts


def _cells_of(variable: str, items: Sequence[tuple[Cell, Any]], show: Callable[[Any], str]) -> str:
    """Some cells of a variable in words; for booleans, the indices where they are true."""
    if items[0][0].index is None:
        return f"{variable} = {show(items[0][1])}"
    if all(isinstance(value, bool) for _, value in items):
        return f"{variable}: {', '.join(show(cell.index) for cell, value in items if value) or 'none'}"
    return f"{variable}: {', '.join(f'{show(cell.index)}={show(value)}' for cell, value in items)}"


def brief(text: str) -> str:
    """A label or value without the names of parameters and fields, for where there is little room.

    Examples:
        >>> brief("apply_decide(source=n1, claim=Claim(ticket=1, writer=w1))")
        'apply_decide(n1, Claim(1, w1))'
    """
    return re.sub(r"\b\w+=", "", text)
