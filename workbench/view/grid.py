"""Grids of coloured cells, one panel or several: each cell has a sign as well as a colour."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.view.chart import AXIS, Chart, layout
from workbench.view.html import ORANGE, PURPLE, SKY
from workbench.view.svg import Sheet, fit, width_of

_WIDTH = 1160
DOWN, RIGHT = "\N{DOWNWARDS ARROW}", "\N{RIGHTWARDS ARROW}"
_GOOD, _BAD = "#007a59", "#b84700"
#: What each kind of cell looks like: its fill, and the colour of its text.
_STYLES = {
    "holds": (_GOOD, "#ffffff"),
    "reached": (_GOOD, "#ffffff"),
    "violated": (_BAD, "#ffffff"),
    "not reached": (_BAD, "#ffffff"),
    "unknown": (ORANGE, "#111111"),
    "error": (PURPLE, "#111111"),
    "reads": (SKY, "#111111"),
    "writes": (ORANGE, "#111111"),
    "reads and writes": (PURPLE, "#111111"),
}


class Cell(NamedTuple):
    """One cell: what kind it is, the sign in it, and the text on hovering."""

    kind: str
    sign: str
    hover: str


@dataclass(frozen=True)
class Panel:
    """One grid.

    Attributes
    ----------
    title : str
    rows, columns : tuple of str
    cells : dict of (str, str) to Cell
        By row and column; what is missing stays empty.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], Cell]


@dataclass(frozen=True, repr=False)
class Grid(Chart):
    """One or more grids of the same shape.

    Attributes
    ----------
    title : str
    panels : tuple of Panel
    axes : (str, str)
        What the rows and the columns are.
    notes : tuple of str
    """

    title: str
    panels: tuple[Panel, ...]
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
                "cells": [{"row": r, "column": c, **cell._asdict()} for (r, c), cell in panel.cells.items()],
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

    def svg(self) -> str:
        return _Drawing(self).svg()

    def figure(self) -> Any:
        return _figure(self)


class _Drawing:
    """The static picture: panels side by side, as many as fit, and a legend."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.sheet = grid, Sheet(grid.title)
        self.panels = grid.panels
        down, across = grid.axes
        self.axes = f"{down} {DOWN}  {across} {RIGHT}" if down else f"{across} {RIGHT}"
        columns = {c for panel in self.panels for c in panel.columns}
        rows = {r for panel in self.panels for r in panel.rows}
        count = max((len(panel.columns) for panel in self.panels), default=1)
        tall = max((len(panel.rows) for panel in self.panels), default=1)
        widest = max(map(width_of, columns), default=0)
        self.left = 14 + min(220, max(map(width_of, rows), default=0))
        self.tilted = widest > 64
        self.cell = 40 if self.tilted else max(48, widest + 10)
        self.cell = min(self.cell, (_WIDTH - self.left) / count)
        self.row = 24
        lines = max((panel.title.count("\n") + 1 if panel.title else 0 for panel in self.panels), default=0)
        self.title_height = 18 * lines
        self.head = self.title_height + (16 + 0.75 * widest if self.tilted else 42)
        lines_above = [self.axes, *(line for panel in self.panels for line in panel.title.split("\n"))]
        needed = max(map(width_of, lines_above)) if self.title_height else 0
        spill = 0.75 * widest - self.cell if self.tilted else 0
        self.wide = min(_WIDTH, max(self.left + self.cell * count + max(0, spill), needed) + 26)
        self.tall = self.head + self.row * tall + 22
        self.per_line = max(1, int(_WIDTH // self.wide))

    def svg(self) -> str:
        top = self._legend()
        for at, panel in enumerate(self.panels):
            self._panel(panel, self.wide * (at % self.per_line), top + self.tall * (at // self.per_line))
        lines = -(-len(self.panels) // self.per_line)
        width = self.wide * min(self.per_line, len(self.panels))
        return self.sheet.svg(max(width, self.legend_width), top + self.tall * lines)

    def _legend(self) -> float:
        x = 0.0
        for kind, sign in self.grid.kinds.items():
            fill, ink = _STYLES[kind]
            self.sheet.rect(x, 2, 26, 18, rx=3, fill=fill)
            self.sheet.text(x + 13, 15, sign, 11.5, text_anchor="middle", fill=ink, font_weight=700)
            self.sheet.text(x + 32, 15, kind)
            x += 52 + width_of(kind)
        self.legend_width = x
        return 34

    def _panel(self, panel: Panel, x: float, y: float) -> None:
        sheet, left, top = self.sheet, x + self.left, y + self.head
        for at, line in enumerate(panel.title.split("\n") if panel.title else ()):
            weight = 400 if at else 600
            sheet.text(x, y + 14 + 18 * at, fit(line, self.wide), font_weight=weight, hover=line)
        if panel.title:
            sheet.text(x, top - 26, self.axes, 11, fill_opacity=0.8)
        for at, column in enumerate(panel.columns):
            middle = left + self.cell * (at + 0.5)
            if self.tilted:
                turned = f"rotate(-48 {middle:.1f} {top - 6:.1f})"
                sheet.text(middle, top - 6, fit(column, 150), transform=turned)
            else:
                sheet.text(middle, top - 6, column, text_anchor="middle")
        for at, row in enumerate(panel.rows):
            middle = top + self.row * (at + 0.5)
            sheet.text(left - 8, middle + 4, fit(row, self.left), text_anchor="end")
            for place, column in enumerate(panel.columns):
                self._cell(panel.cells.get((row, column)), left + self.cell * place, top + self.row * at)

    def _cell(self, cell: Cell | None, x: float, y: float) -> None:
        wide, tall = self.cell - 2, self.row - 2
        if cell is None:
            self.sheet.rect(x + 1, y + 1, wide, tall, rx=2, fill="currentColor", fill_opacity=0.06)
            return
        fill, ink = _STYLES[cell.kind]
        self.sheet.rect(x + 1, y + 1, wide, tall, cell.hover, rx=2, fill=fill)
        middle = x + 1 + wide / 2
        self.sheet.text(middle, y + 16, cell.sign, 11.5, cell.hover, text_anchor="middle", fill=ink, font_weight=700)


def _figure(grid: Grid) -> Any:
    import plotly.graph_objects as go  # slow to load, and needed only here
    from plotly.subplots import make_subplots

    kinds = list(grid.kinds)
    most = max(1, len(kinds) - 1)
    scale = [(at / most, _STYLES[kind][0]) for at, kind in enumerate(kinds)] or [(0, "#888888")]
    if len(scale) == 1:
        scale.append((1, scale[0][1]))
    across = min(3, max(1, len(grid.panels)))
    down = -(-len(grid.panels) // across)
    titles = [panel.title.replace("\n", "<br>") for panel in grid.panels]
    between, cells = 100, 26 * max((len(panel.rows) for panel in grid.panels), default=1)
    gap = between / (down * (cells + between))
    figure = make_subplots(down, across, subplot_titles=titles, vertical_spacing=gap, horizontal_spacing=0.1)
    for at, panel in enumerate(grid.panels):
        lines = [[panel.cells.get((row, column)) for column in panel.columns] for row in panel.rows]
        heat = go.Heatmap(
            x=panel.columns,
            y=panel.rows,
            z=[[None if cell is None else kinds.index(cell.kind) for cell in line] for line in lines],
            text=[["" if cell is None else cell.sign for cell in line] for line in lines],
            hovertext=[["" if cell is None else cell.hover for cell in line] for line in lines],
            texttemplate="<b>%{text}</b>",
            textfont_size=11,
            hovertemplate="%{hovertext}<extra></extra>",
            colorscale=scale,
            zmin=0,
            zmax=most,
            showscale=False,
            xgap=2,
            ygap=2,
        )
        figure.add_trace(heat, at // across + 1, at % across + 1)
    head = 60 + 16 * max(title.count("<br>") + 1 for title in titles)
    figure.update_layout(layout(grid.title, head + down * (cells + between)), margin_t=head)
    figure.update_annotations(font_size=12)
    plain = {**AXIS, "showgrid": False, "type": "category", "title_font_size": 11}
    figure.update_xaxes(title=grid.axes[1], **plain)
    return figure.update_yaxes(title=grid.axes[0], autorange="reversed", **plain)
