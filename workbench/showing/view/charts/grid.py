"""Grids of coloured cells, one panel or several: each cell has a sign as well as a colour."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.kernel.meaning.result import WITHIN
from workbench.showing.pictures.letters import fit, width_of
from workbench.showing.view.base.html import ORANGE, PURPLE, SKY
from workbench.showing.view.charts import plot
from workbench.showing.view.charts.chart import Chart
from workbench.showing.view.charts.plot import Axis, Label, Plot, Rect, Tick

_WIDTH, _LEGEND, _ROW = 1160, 34, 24
#: The greatest width of a row of panels: that of a notebook next to a sidebar.
_LINE = 820
#: Up to this total width, long column names are written vertically.
_UPRIGHT = 260
_EMPTY = "rgba(128,128,128,0.1)"
DOWN, RIGHT = "\N{DOWNWARDS ARROW}", "\N{RIGHTWARDS ARROW}"
_GOOD, _BAD = "#007a59", "#b84700"
#: The look of each kind of cell: its fill, and the colour of its text.
_STYLES = {
    "holds": (_GOOD, "#ffffff"),
    "reached": (_GOOD, "#ffffff"),
    "violated": (_BAD, "#ffffff"),
    "not reached": (_BAD, "#ffffff"),
    **{f"holds {words}": (_GOOD, "#ffffff") for words in WITHIN},
    **{f"not reached {words}": (_BAD, "#ffffff") for words in WITHIN},
    "unknown": (ORANGE, "#111111"),
    "error": (PURPLE, "#111111"),
    "reads": (SKY, "#111111"),
    "writes": (ORANGE, "#111111"),
    "reads and writes": (PURPLE, "#111111"),
}


class Cell(NamedTuple):
    """One cell: its kind, its sign, the text on hovering, and the message that a click sends in a panel."""

    kind: str
    sign: str
    hover: str
    send: str = ""


@dataclass(frozen=True)
class GridPanel:
    """One grid.

    Attributes:
        cells: The cells, by row and column. A missing one stays empty.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], Cell]


@dataclass(frozen=True, repr=False)
class Grid(Chart):
    """One or more grids of the same shape.

    Attributes:
        axes: The names of the rows and of the columns.
    """

    title: str
    panels: tuple[GridPanel, ...]
    axes: tuple[str, str]
    notes: tuple[str, ...] = ()

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of cells that occur, with their signs."""
        signs = {cell.kind: cell.sign for panel in self.panels for cell in panel.cells.values()}
        return {kind: signs[kind] for kind in _STYLES if kind in signs}

    def as_dict(self) -> dict[str, Any]:
        panels = [
            {
                "title": panel.title,
                "rows": list(panel.rows),
                "columns": list(panel.columns),
                "cells": [
                    {"row": r, "column": c, "kind": cell.kind, "sign": cell.sign, "hover": cell.hover}
                    for (r, c), cell in panel.cells.items()
                ],
            }
            for panel in self.panels
        ]
        return {"title": self.title, "panels": panels, "axes": list(self.axes), "notes": list(self.notes)}

    def text(self) -> str:
        lines = [self.title]
        for panel in self.panels:
            lines.append(panel.title.replace("\n", ", "))
            wide = [max(2, len(column)) for column in panel.columns]
            name = max(map(len, panel.rows), default=0)
            lines.append(" " * name + "  " + "  ".join(c.ljust(w) for c, w in zip(panel.columns, wide, strict=True)))
            for row in panel.rows:
                signs = [panel.cells[row, c].sign if (row, c) in panel.cells else "" for c in panel.columns]
                lines.append(row.ljust(name) + "  " + "  ".join(s.ljust(w) for s, w in zip(signs, wide, strict=True)))
        return "\n".join([*(line.rstrip() for line in lines), *self.notes])

    def plot(self) -> Plot:
        return _Layout(self).finish()


class _Layout:
    """Panels side by side, as many as fit, below a legend."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.panels = grid, grid.panels
        down, across = grid.axes
        self.axes = f"{down} {DOWN}  {across} {RIGHT}" if down else f"{across} {RIGHT}"
        columns = {c for panel in self.panels for c in panel.columns}
        rows = {r for panel in self.panels for r in panel.rows}
        count = max((len(panel.columns) for panel in self.panels), default=1)
        widest = max(map(width_of, columns), default=0)
        self.left = 14 + min(220, max(map(width_of, rows), default=0))
        self.tilted = widest > 64 and count * (widest + 10) > _UPRIGHT
        self.cell = 40 if self.tilted else max(48, widest + 10)
        self.cell = min(self.cell, (_WIDTH - self.left) / count)
        lines = max((panel.title.count("\n") + 1 if panel.title else 0 for panel in self.panels), default=0)
        self.above = 16 + 0.75 * widest if self.tilted else 24  # the room for the columns' names
        self.head = 18 * lines + (18 if lines else 0) + self.above
        lines_above = [self.axes, *(line for panel in self.panels for line in panel.title.split("\n"))]
        needed = max(map(width_of, lines_above)) if lines else 0
        spill = 0.75 * widest - self.cell if self.tilted else 0
        self.wide = min(_WIDTH, max(self.left + self.cell * count + max(0, spill), needed) + 26)
        self.tall = self.head + _ROW * max((len(panel.rows) for panel in self.panels), default=1) + 22
        self.per_line = max(1, int(_LINE // self.wide))

    def finish(self) -> Plot:
        legend = self._legend()
        panels, labels = [], list(legend)
        for at, panel in enumerate(self.panels):
            x, y = self.wide * (at % self.per_line), _LEGEND + self.tall * (at // self.per_line)
            panels.append(self._panel(panel, x, y))
            labels += self._titles(panel, x, y)
        ends = [label.x + width_of(label.text) for label in legend]
        width = max([self.wide * min(self.per_line, len(self.panels)), *ends])
        height = _LEGEND + self.tall * -(-len(self.panels) // self.per_line)
        return Plot(self.grid.title, tuple(panels), tuple(labels), width, height, stretches=len(panels) == 1)

    def _legend(self) -> list[Label]:
        labels, x = [], 8.0
        for kind, sign in self.grid.kinds.items():
            fill, ink = _STYLES[kind]
            after = x + 1.2 * width_of(sign) + 14
            labels += [Label(x, 15, sign, 12, True, fill, ink), Label(after, 15, kind)]
            x = after + width_of(kind) + 24
        return labels

    def _titles(self, panel: GridPanel, x: float, y: float) -> list[Label]:
        if not panel.title:
            return []
        lines = [fit(line, self.wide) for line in panel.title.split("\n")]
        titles = [Label(x, y + 14 + 18 * at, line, 12, at == 0) for at, line in enumerate(lines)]
        return [*titles, Label(x, y + self.head - self.above - 2, self.axes, 11)]

    def _panel(self, panel: GridPanel, x: float, y: float) -> plot.Panel:
        columns = tuple(Tick(at + 0.5, column) for at, column in enumerate(panel.columns))
        rows = tuple(Tick(at + 0.5, fit(row, self.left)) for at, row in enumerate(panel.rows))
        return plot.Panel(
            x + self.left,
            y + self.head,
            self.cell * len(panel.columns),
            _ROW * len(panel.rows),
            Axis((0, len(panel.columns)), columns, above=True, tilted=self.tilted),
            Axis((len(panel.rows), 0), rows),
            tuple(
                self._rect(panel.cells.get((row, column)), at, down)
                for down, row in enumerate(panel.rows)
                for at, column in enumerate(panel.columns)
            ),
        )

    def _rect(self, cell: Cell | None, column: int, row: int) -> Rect:
        gap, between = 1 / self.cell, 1 / _ROW
        place = (column + gap, row + between, 1 - 2 * gap, 1 - 2 * between)
        if cell is None:
            return Rect(*place, _EMPTY, "")
        fill, ink = _STYLES[cell.kind]
        return Rect(*place, fill, cell.hover, cell.sign, ink, cell.send)
