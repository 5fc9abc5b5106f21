"""Charts of results: the data that each shows; the drawing is in `bars` and `grid`."""

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.kernel import InputError, Result
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.values import counted, show
from workbench.showing.view.base.html import MARKS
from workbench.showing.view.charts.bars import Bars
from workbench.showing.view.charts.grid import Cell, Grid, GridPanel
from workbench.showing.view.trace.read_write_sets import accesses

if TYPE_CHECKING:
    import pandas as pd

    from workbench.showing.view.graph.graph import Space

#: The number of states examined for the matrix of reads and writes.
SAMPLE = 300


def levels_chart(result: Result) -> Bars:
    """The number of new states at each breadth-first level."""
    return Bars(
        title=f"{result.model.name}: {counted(result.distinct, 'state')} by level",
        categories=tuple(str(level) for level in range(1, result.depth + 1)),
        series={"states": tuple(result.levels)},
        axes=("level: 1 has the initial states, and each further one what a step adds", "states"),
        notes=() if result.complete else (f"The search is incomplete: {result.stopped}",),
    )


def coverage_chart(result: Result) -> Bars:
    """For each action, how often it was enabled, how many states it led to, and how many of these were new."""
    never, within = result.never_taken, "" if result.within is None else f" within {result.within}"
    return Bars(
        title=f"{result.model.name}: what the actions contributed",
        categories=tuple(a.name for a in result.actions),
        series={
            "enabled": tuple(a.enabled for a in result.actions),
            "generated": tuple(a.generated for a in result.actions),
            "new states": tuple(a.new for a in result.actions),
        },
        axes=("action", "times"),
        standing_out=frozenset(never),
        notes=(f"Never enabled{within}: {', '.join(never)}",) if never else (),
        horizontal=True,
    )


_ACCESS = {(True, False): "R", (False, True): "W", (True, True): "RW"}


def access_chart(space: "Space", sample: int = SAMPLE) -> Grid:
    """The variables that each action reads and writes, observed by running the actions in some states of the space.

    Args:
        sample: The number of states to run the actions in, besides those in which each is first taken.
    """
    model = space.model
    spread = np.linspace(0, len(space) - 1, min(sample, len(space))).astype(int)
    _, first = np.unique(space.instances, return_index=True)
    numbers = sorted({*spread.tolist(), *space.sources[first].tolist()})
    seen: dict[tuple[str, str], set[str]] = {}
    for access in accesses(model, map(space.state, numbers)):
        action = access.instance.action.name
        for letter, touched in (("R", access.reads), ("W", access.writes)):
            for cell in touched:
                seen.setdefault((action, cell.variable), set()).add(letter)
    words = {"R": "reads", "W": "writes", "RW": "reads and writes"}
    cells = {}
    for (action, variable), letters in seen.items():
        text = _ACCESS["R" in letters, "W" in letters]
        cells[action, variable] = Cell(words[text], text, f"{action} {words[text]} {variable}")
    panel = GridPanel("", tuple(model.actions), tuple(model.layout.variables), cells)
    note = f"As seen when every action runs in {len(numbers):,} of {counted(len(space), 'state')}."
    title = f"{model.name}: which action reads and writes which variable"
    return Grid(title, (panel,), ("action", "variable"), (note,))


def verdict_map(
    frame: "pd.DataFrame",
    constants: Sequence[str] | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    properties: Sequence[str] | None = None,
    clickable: bool = False,
) -> Grid:
    """The verdicts of a sweep over two constants, with a small map for each value of the others and each property.

    Args:
        frame: A row per configuration: a column per constant, and a column per property with the words of the verdicts
            (those of :attr:`workbench.kernel.meaning.result.Verdict.word`, or ``error``). ``attrs["words"]``, where it
            is there, has the words for choices, by constant and value.
        constants: The columns that are constants; those before the first verdicts for None, as in the table of a sweep.
        x, y: The constants along the axes; the first two that vary for None.
        properties: The columns that are properties; all that hold verdicts for None.
        clickable: Whether a click on a cell sends the number of its row, which takes a panel in a notebook.

    Raises:
        InputError: For a column that is not there.
    """
    rows = [{**row, _NUMBER: str(at) if clickable else ""} for at, row in enumerate(frame.to_dict("records"))]
    columns = [str(column) for column in frame.columns]
    judged = [name for name in columns if any(_is_verdict(row[name]) for row in rows)]
    if constants is None:
        constants = columns[: columns.index(judged[0])] if judged else []
    else:
        constants = names_in("constants", constants)
    properties = names_in("properties", properties or ())
    for name in (*constants, *properties, *filter(None, (x, y))):
        if name not in columns:
            raise unknown("column of the sweep", name, columns)
    chosen = list(properties or (name for name in judged if name not in constants))
    if not chosen:
        raise InputError("the sweep has no column with verdicts; it needs one per property")
    values = {name: _distinct(row[name] for row in rows) for name in constants}
    varying = [name for name in constants if len(values[name]) > 1] or list(constants)
    free = [name for name in varying if name not in (x, y)]
    across = x or free.pop(0)
    down = y or (free.pop(0) if free else None)
    rest = [name for name in varying if name not in (across, down)]
    axes = (down, values.get(down or "", [None])), (across, values[across])
    words = frame.attrs.get("words", {})

    def word(constant: str, value: Any) -> str:
        if isinstance(value, (bool, np.bool_)):
            return "on" if value else "off"
        return words.get(constant, {}).get(value) or show(value)

    panels = []
    for name, *combination in itertools.product(chosen, *(values[name] for name in rest)):
        where = dict(zip(rest, combination, strict=True))
        kept = [row for row in rows if all(row[constant] == value for constant, value in where.items())]
        caption = "\n".join(f"{constant} = {word(constant, value)}" for constant, value in where.items())
        if kept:
            title = f"{name}\n{caption}" if caption else name
            whole = caption.replace("\n", ", ") if clickable else ""  # a button's text must make sense alone
            panels.append(_panel(title, name, kept, *axes, whole, word))
    fixed = [f"{n} = {word(n, values[n][0])}" for n in constants if n not in varying and values[n]]
    notes = (f"Everywhere: {', '.join(fixed)}",) if fixed else ()
    return Grid("Verdicts over the constants", tuple(panels), (down or "", across), notes)


def _distinct(values: Any) -> list[Any]:
    distinct: list[Any] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
    return distinct


def _is_verdict(value: object) -> bool:
    return isinstance(value, str) and value in MARKS


#: The key in a sweep's row for the message that a click on its cell sends; no constant can have this name.
_NUMBER = " "
#: A constant along an axis, None for an axis that is not used, and its values.
_Axis = tuple[str | None, list[Any]]


def _panel(
    title: str, name: str, rows: list[Any], down: _Axis, across: _Axis, rest: str, word: Callable[[str, Any], str]
) -> GridPanel:
    def at(axis: _Axis, row: Any) -> str:
        return "" if axis[0] is None else word(axis[0], row[axis[0]])

    def ticks(axis: _Axis) -> tuple[str, ...]:
        return ("",) if axis[0] is None else tuple(word(axis[0], value) for value in axis[1])

    cells = {}
    for row in rows:
        if _is_verdict(row[name]):
            places = [f"{axis[0]} = {at(axis, row)}" for axis in (down, across) if axis[0] is not None]
            place = ", ".join([*places, *([rest] if rest else [])])
            tooltip = f"{name} {row[name]}: {place}"
            cells[at(down, row), at(across, row)] = Cell(row[name], MARKS[row[name]][0], tooltip, row[_NUMBER])
    return GridPanel(title, ticks(down), ticks(across), cells)
