"""The arrays of decision trees, as kernels walk them."""

from typing import Any, NamedTuple


class TreeColumns(NamedTuple):
    """The trees: arrays for the kernels, and :class:`Growing` ones in ``Trees``.

    Indices are unsigned, and so are the numbers in narrow rows: a compiled loop then need not check whether one counts
    from an array's end, which takes a fifth of the time of expanding.
    """

    node_cell: Any
    node_base: Any
    node_size: Any
    branch: Any
    leaf_start: Any
    leaf_stop: Any
    step_instance: Any
    step_first: Any
    step_blind: Any
    step_stop: Any
    step_delta: Any
    write_cell: Any
    write_value: Any


class DispatchColumns(NamedTuple):
    """The action instances worth trying, by the first cell that they read: most wait at another program counter.

    Group g reads cell ``cell[g]``; ``table[base[g] + value]`` is a list number or -1, and the entries
    ``start[list]`` to ``stop[list]`` are action instances with the node to go on from.
    """

    cell: Any
    base: Any
    size: Any
    table: Any
    start: Any
    stop: Any
    instance: Any
    node: Any
