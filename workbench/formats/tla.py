"""Values and states in TLA+ notation, as TLC prints them."""

from typing import Any

from workbench.kernel import Map, State
from workbench.kernel.meaning.notation import PYTHON
from workbench.kernel.meaning.state import cells_of, notation_of
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.values import is_member, record_items, sort_key


def tla(value: Any) -> str:
    """`value` as a TLA+ expression; None is the model value ``None``.

    Examples:
        >>> tla((1, "a", frozenset({True}), None))
        '<<1, "a", {TRUE}, None>>'
        >>> tla(Map({"k": 1, "l": 2}))
        '("k" :> 1 @@ "l" :> 2)'
    """
    if value is None or isinstance(value, bool):
        return str(value) if value is None else str(value).upper()
    if isinstance(value, str):
        return '"' + printable(value.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    if is_member(value):  # a model value
        return str(value.name)
    if fields := record_items(value):
        return "[" + ", ".join(f"{name} |-> {tla(part)}" for name, part in fields) + "]"
    if isinstance(value, tuple):
        return "<<" + ", ".join(map(tla, value)) + ">>"
    if isinstance(value, frozenset):
        return "{" + ", ".join(tla(v) for v in sorted(value, key=sort_key)) + "}"
    if isinstance(value, Map):
        pairs = " @@ ".join(f"{tla(k)} :> {tla(value[k])}" for k in sorted(value, key=sort_key))
        return f"({pairs})" if pairs else "<<>>"  # the function with the empty domain
    return str(value)


def variables_of(state: State) -> dict[str, Any]:
    """Each variable's value; a variable with an index as a :class:`Map` from index to value."""
    variables: dict[str, Any] = {}
    for cell, value in cells_of(state):
        if cell.index is None:
            variables[cell.variable] = value
        else:
            variables.setdefault(cell.variable, {})[cell.index] = value
    return {name: Map(value) if isinstance(value, dict) else value for name, value in variables.items()}


def conjunction(state: State) -> str:
    """The state as TLC prints it: one conjunct per variable."""
    notation = notation_of(state)
    write = tla if notation is PYTHON else notation.show  # the values of a module are those of TLA+
    return "\n".join(f"/\\ {name} = {write(value)}" for name, value in variables_of(state).items())
