"""Bar charts: one number per category, or several side by side."""

import math
from dataclasses import dataclass
from typing import Any

from workbench.view.chart import AXIS, Chart, layout
from workbench.view.html import BLUE, GREEN, PURPLE, VERMILLION
from workbench.view.svg import Sheet, fit, width_of

_COLORS = (BLUE, PURPLE, GREEN)
_WIDTH = 1000


@dataclass(frozen=True, repr=False)
class Bars(Chart):
    """A bar chart.

    Attributes
    ----------
    title : str
    categories : tuple of str
    series : dict of str to tuple of int
        One number per category, under the series' name.
    axes : (str, str)
        What the categories are, and what the numbers count.
    standing_out : frozenset of str
        Categories to mark.
    notes : tuple of str
    horizontal : bool
        A row per category with the series side by side; otherwise a column per category, for one series.
    """

    title: str
    categories: tuple[str, ...]
    series: dict[str, tuple[int, ...]]
    axes: tuple[str, str]
    standing_out: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    horizontal: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "standing_out": sorted(self.standing_out)}

    def text(self) -> str:
        width = max(map(len, self.categories), default=0)
        lines = [self.title]
        for at, name in enumerate(self.categories):
            numbers = "  ".join(f"{values[at]:>12,}" for values in self.series.values())
            lines.append(f"{name:<{width}}  {numbers}")
        return "\n".join([*lines, *self.notes])

    def figure(self) -> Any:
        return _rows_figure(self) if self.horizontal else _columns_figure(self)

    def svg(self) -> str:
        return _rows_svg(self) if self.horizontal else _columns_svg(self)


def _ticks(most: float, about: int = 4) -> list[int]:
    """Round numbers from 0 to at least `most`."""
    if most <= 0:
        return [0, 1]
    rough = most / about
    unit = 10 ** math.floor(math.log10(rough))
    step = max(1, int(next(unit * f for f in (1, 2, 5, 10) if unit * f >= rough)))
    return [step * i for i in range(math.ceil(most / step) + 1)]


# A column per category -----------------------------------------------------------------------------------------------


def _columns_svg(chart: Bars) -> str:
    ((name, values),) = chart.series.items()
    ticks = _ticks(max(values, default=0))
    left, top, bottom, height = 20 + width_of(f"{ticks[-1]:,}", 11), 12, 44, 220
    room, step = _WIDTH - left - 10, 0.0
    step = min(60, room / max(1, len(values)))
    sheet = Sheet(chart.title)
    for tick in ticks:
        y = top + height * (1 - tick / ticks[-1])
        sheet.line(left, y, left + step * len(values), y, stroke_opacity=0.2 if tick else 0.6)
        sheet.text(left - 6, y + 4, f"{tick:,}", 11, text_anchor="end")
    every = max(1, math.ceil(26 / step))
    for at, (category, value) in enumerate(zip(chart.categories, values, strict=True)):
        x, tall = left + step * at, height * value / ticks[-1]
        color = VERMILLION if category in chart.standing_out else BLUE
        hover = f"{category}: {value:,} {name}"
        sheet.rect(x + step * 0.1, top + height - tall, step * 0.8, max(tall, 0.8), hover, fill=color)
        if at % every == 0:
            sheet.text(x + step / 2, top + height + 16, category, 11, text_anchor="middle")
    sheet.text(left, top + height + 36, chart.axes[0], 11, fill_opacity=0.8)
    return sheet.svg(_WIDTH, top + height + bottom)


def _columns_figure(chart: Bars) -> Any:
    import plotly.graph_objects as go  # slow to load, and needed only here

    ((name, values),) = chart.series.items()
    colors = [VERMILLION if category in chart.standing_out else BLUE for category in chart.categories]
    hover = f"%{{x}}: %{{y:,}} {name}<extra></extra>"
    bar = go.Bar(x=chart.categories, y=values, marker_color=colors, marker_line_width=0, hovertemplate=hover)
    figure = go.Figure(bar, layout(chart.title, 320))
    figure.update_xaxes(title=chart.axes[0], type="category", **{**AXIS, "showgrid": False}).update_yaxes(
        title=chart.axes[1], **AXIS
    )
    return figure


# A row per category --------------------------------------------------------------------------------------------------


def _rows_svg(chart: Bars) -> str:
    row, head = 24, 26
    left = 16 + max((width_of(category, 12.5) for category in chart.categories), default=0)
    panel = (_WIDTH - left) / max(1, len(chart.series))
    numbers = [f"{value:,}" for values in chart.series.values() for value in values]
    room = panel - 24 - max(map(width_of, numbers), default=0)
    most = max(max(values, default=0) for values in chart.series.values()) or 1
    sheet = Sheet(chart.title)
    for at, category in enumerate(chart.categories):
        y = head + row * at
        if category in chart.standing_out:
            sheet.rect(0, y, _WIDTH, row, fill=VERMILLION, fill_opacity=0.16)
        weight = 700 if category in chart.standing_out else None
        sheet.text(left - 10, y + 16, category, 12.5, text_anchor="end", font_weight=weight)
    for place, (name, values) in enumerate(chart.series.items()):
        x, color = left + panel * place, _COLORS[place % len(_COLORS)]
        sheet.text(x, 16, fit(name, panel), 12.5, font_weight=600)
        for at, value in enumerate(values):
            y = head + row * at
            if value:
                wide = max(1, room * value / most)
                sheet.rect(x, y + 5, wide, row - 10, f"{chart.categories[at]}: {value:,} {name}", fill=color)
                sheet.text(x + wide + 6, y + 16, f"{value:,}", 11.5)
            elif chart.categories[at] in chart.standing_out and place == 0:
                sheet.text(x, y + 16, f"never {name}", 12, font_weight=700)
            else:
                sheet.text(x, y + 16, "0", 11.5, fill_opacity=0.7)
    return sheet.svg(_WIDTH, head + row * len(chart.categories) + 4)


def _rows_figure(chart: Bars) -> Any:
    import plotly.graph_objects as go  # slow to load, and needed only here
    from plotly.subplots import make_subplots

    names, count = list(chart.series), len(chart.series)
    figure = make_subplots(
        1, count, shared_yaxes=True, shared_xaxes="all", subplot_titles=names, horizontal_spacing=0.03
    )
    labels = [f"<b>{c} (never enabled)</b>" if c in chart.standing_out else c for c in chart.categories]
    for place, (name, values) in enumerate(chart.series.items()):
        bar = go.Bar(
            x=values,
            y=labels,
            orientation="h",
            marker_color=_COLORS[place % len(_COLORS)],
            marker_line_width=0,
            texttemplate="%{x:,}",
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"%{{y}}: %{{x:,}} {name}<extra></extra>",
        )
        figure.add_trace(bar, 1, place + 1)
    figure.update_layout(**layout(chart.title, 120 + 24 * len(labels)))
    figure.update_annotations(font_size=13)
    room = 1.35 * max(1, *(value for values in chart.series.values() for value in values))  # for the number of a bar
    return figure.update_xaxes(range=[0, room], **AXIS).update_yaxes(
        autorange="reversed", **{**AXIS, "showgrid": False}
    )
