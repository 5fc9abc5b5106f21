"""The description of a chart, from which an SVG and a plotly figure are made.

A plot fixes every position once. Panels are placed in pixels, and their contents on the panel's two axes.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.showing.pictures.letters import fit, width_of
from workbench.showing.pictures.markup import Markup, as_text, element, escape
from workbench.showing.view.base.html import MIDDLE
from workbench.showing.view.base.svg import Sheet

_GRID, _TITLE, _TILT = "rgba(128,128,128,0.25)", 36, -48


class Tick(NamedTuple):
    """A mark of an axis."""

    at: float
    text: str
    bold: bool = False


class Axis(NamedTuple):
    """An axis: the values at its start and its end (for y, at the bottom and at the top), and its marks.

    With `lines`, each mark has a line across the panel. `above` and `tilted` apply to the texts of an x axis.
    """

    span: tuple[float, float]
    ticks: tuple[Tick, ...]
    lines: bool = False
    above: bool = False
    tilted: bool = False

    def part(self, value: float) -> float:
        """The position of a value along the axis, from 0 to 1."""
        first, last = self.span
        return (value - first) / (last - first)


class Rect(NamedTuple):
    """A rectangle given by a corner, on the axes of its panel. Its text is inside it, or after it if it has no `ink`.

    In a notebook's panel, a click on it sends `send`, unless that is empty.
    """

    x: float
    y: float
    wide: float
    tall: float
    fill: str
    hover: str
    text: str = ""
    ink: str = ""
    send: str = ""


class Label(NamedTuple):
    """A text, by its left end in pixels; with `fill` it is white or black on a ground of that colour."""

    x: float
    y: float
    text: str
    size: float = 12
    bold: bool = False
    fill: str = ""
    ink: str = "currentColor"


@dataclass(frozen=True)
class Panel:
    """Rectangles on two axes, at a place in pixels."""

    left: float
    top: float
    wide: float
    tall: float
    x: Axis
    y: Axis
    rects: tuple[Rect, ...]


@dataclass(frozen=True)
class Plot:
    """Everything in a chart except its title and notes.

    Attributes:
        labels: Texts that belong to no mark: titles, names of axes, the legend.
        width, height: In pixels.
        horizontal: The rectangles are bars that grow to the right, or cells; otherwise they grow upwards.
        stretches: Whether an interactive figure may be as wide as its place.
    """

    title: str
    panels: tuple[Panel, ...]
    labels: tuple[Label, ...]
    width: float
    height: float
    horizontal: bool = True
    stretches: bool = False


# As SVG --------------------------------------------------------------------------------------------------------------


def svg(plot: Plot, current: str | None = None) -> Markup:
    """The plot as SVG; the rectangle that sends `current` is marked."""
    sheet = Sheet(plot.title)
    for panel in plot.panels:
        _draw(sheet, panel, current)
    for label in plot.labels:
        if label.fill:
            wide = 1.2 * width_of(label.text, label.size) + 16
            sheet.rect(label.x - 8, label.y - 13, wide, 18, rx=3, fill=label.fill)
        weight = 600 if label.bold else None
        sheet.text(label.x, label.y, label.text, label.size, font_weight=weight, fill=label.ink)
    has_buttons = any(rect.send for panel in plot.panels for rect in panel.rects)
    return sheet.svg(plot.width, plot.height, "group" if has_buttons else "img")


def _draw(sheet: Sheet, panel: Panel, current: str | None) -> None:
    def x_of(value: float) -> float:
        return panel.left + panel.wide * panel.x.part(value)

    def y_of(value: float) -> float:
        return panel.top + panel.tall * (1 - panel.y.part(value))

    for at, text, bold in panel.y.ticks:
        if panel.y.lines:
            sheet.line(panel.left, y_of(at), panel.left + panel.wide, y_of(at), stroke_opacity=0.2 if at else 0.6)
        weight = 700 if bold else None
        sheet.text(panel.left - 8, y_of(at) + 4, text, text_anchor="end", font_weight=weight)
    for at, text, _ in panel.x.ticks:
        middle, y = x_of(at), panel.top - 6 if panel.x.above else panel.top + panel.tall + 16
        if panel.x.tilted:
            short, turned = fit(text, 150), f"rotate({_TILT} {middle:.1f} {y:.1f})"
            sheet.text(middle, y, short, hover=None if short == text else text, transform=turned)
        else:
            sheet.text(middle, y, text, text_anchor="middle")
    for rect in panel.rects:
        left, right = x_of(rect.x), x_of(rect.x + rect.wide)
        top, bottom = sorted((y_of(rect.y), y_of(rect.y + rect.tall)))
        if rect.send:
            marked = "true" if rect.send == current else None
            with sheet.group(
                data_send=rect.send, aria_current=marked, role="button", tabindex=0, aria_label=rect.hover
            ):
                _draw_rect(sheet, rect, left, right, top, bottom)
        else:
            _draw_rect(sheet, rect, left, right, top, bottom)


def _draw_rect(sheet: Sheet, rect: Rect, left: float, right: float, top: float, bottom: float) -> None:
    if rect.wide and rect.tall:
        sheet.rect(left, top, max(right - left, 1), max(bottom - top, 1), rect.hover or None, rx=1, fill=rect.fill)
    if rect.text:
        x, anchor = ((left + right) / 2, "middle") if rect.ink else (right + 6, "start")
        weight, ink = (700, rect.ink) if rect.ink else (None, "currentColor")
        hover = rect.hover if rect.ink else None
        y = (top + bottom) / 2 + 4
        sheet.text(x, y, rect.text, 11.5, hover, text_anchor=anchor, fill=ink, font_weight=weight)


# For plotly ----------------------------------------------------------------------------------------------------------


def figure(plot: Plot) -> dict[str, Any]:
    """The plot for plotly: without a background, and with text that is legible on light and dark pages."""
    left, top = min(panel.left for panel in plot.panels), min(panel.top for panel in plot.panels)
    right = max(panel.left + panel.wide for panel in plot.panels)
    bottom = max(panel.top + panel.tall for panel in plot.panels)
    across, down = right - left, bottom - top

    def x_of(pixel: float) -> float:
        return (pixel - left) / across

    def y_of(pixel: float) -> float:
        return 1 - (pixel - top) / down

    def annotation(label: Label) -> dict[str, Any]:
        """An annotation that keeps its distance from a panel, however wide the panels are."""
        start = max((panel.left for panel in plot.panels if panel.left <= label.x), default=left)
        return {**_words(label), "x": x_of(start), "xshift": label.x - start, "y": y_of(label.y), "yshift": -4}

    layout: dict[str, Any] = {
        "template": {},
        "title": {"text": escape(plot.title), "font": {"size": 14}, "x": 0, "y": 1, "yanchor": "top", "pad": {"t": 8}},
        "height": plot.height + _TITLE,
        "margin": {"l": left, "r": plot.width - right, "t": top + _TITLE, "b": plot.height - bottom, "pad": 0},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": MIDDLE, "size": 12},
        "showlegend": False,
        "bargap": 0,
        "annotations": [annotation(label) for label in plot.labels],
    }
    if not plot.stretches:
        layout["width"] = plot.width
    data = []
    for number, panel in enumerate(plot.panels, 1):
        place = "" if number == 1 else str(number)
        ends = (panel.left, panel.left + panel.wide), (panel.top + panel.tall, panel.top)
        layout[f"xaxis{place}"] = _axis(panel.x, [x_of(end) for end in ends[0]], f"y{place}")
        layout[f"yaxis{place}"] = _axis(panel.y, [y_of(end) for end in ends[1]], f"x{place}")
        data.append({**_bars(panel.rects, plot.horizontal), "xaxis": f"x{place}", "yaxis": f"y{place}"})
    drawn: dict[str, Any] = as_text({"data": data, "layout": layout})
    return drawn


def _words(label: Label) -> dict[str, Any]:
    ground = {"bgcolor": label.fill, "borderpad": 3} if label.fill else {}
    color = MIDDLE if label.ink == "currentColor" else label.ink
    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    return {
        "text": _markup(label.text, label.bold),
        "showarrow": False,
        "font": {"size": label.size, "color": color},
        **place,
        **ground,
    }


def _markup(text: str, bold: bool) -> Markup:
    """A text for plotly, which reads markup."""
    return element("b", text) if bold else escape(text)


def _axis(axis: Axis, domain: list[float], anchor: str) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": anchor,
        "range": list(axis.span),
        "tickvals": [tick.at for tick in axis.ticks],
        "ticktext": [_markup(tick.text, tick.bold) for tick in axis.ticks],
        "tickangle": _TILT if axis.tilted else 0,
        "side": "top" if axis.above else None,
        "ticklabelstandoff": 4,
        "showgrid": axis.lines,
        "gridcolor": _GRID,
        "zeroline": axis.lines,
        "zerolinecolor": "rgba(128,128,128,0.5)",
    }


def _bars(rects: tuple[Rect, ...], horizontal: bool) -> dict[str, Any]:
    along, over = ("x", "y") if horizontal else ("y", "x")
    starts, lengths = [r.x for r in rects], [r.wide for r in rects]
    sides, widths = [r.y for r in rects], [r.tall for r in rects]
    if not horizontal:
        starts, lengths, sides, widths = sides, widths, starts, lengths
    return {
        "type": "bar",
        "orientation": "h" if horizontal else "v",
        along: lengths,
        over: [side + width / 2 for side, width in zip(sides, widths, strict=True)],
        "base": starts,
        "width": widths,
        "marker": {"color": [r.fill for r in rects], "line": {"width": 0}},
        "text": [_markup(r.text, bool(r.ink)) for r in rects],
        "textposition": ["inside" if r.ink else "outside" for r in rects],
        "insidetextanchor": "middle",
        "textangle": 0,
        "insidetextfont": {"color": [r.ink or MIDDLE for r in rects], "size": 11},
        "cliponaxis": False,
        "hovertext": [escape(r.hover) for r in rects],
        "hoverinfo": ["text" if r.hover else "skip" for r in rects],
    }
