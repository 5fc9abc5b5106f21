"""Bar charts: one number per category, or several side by side."""

import math
from dataclasses import dataclass
from typing import Any

from workbench.showing.pictures.letters import width_of
from workbench.showing.view.base.html import BLUE, GREEN, PURPLE, VERMILLION
from workbench.showing.view.charts.chart import Chart
from workbench.showing.view.charts.plot import Axis, Label, Panel, Plot, Rect, Tick

_COLORS = (BLUE, PURPLE, GREEN)
_WIDTH = 1000


@dataclass(frozen=True, repr=False)
class Bars(Chart):
    """A bar chart.

    Attributes:
        series: One number per category, under the series' name.
        axes: The names of the categories, and of the numbers.
        standing_out: Categories to mark.
        horizontal: A row per category with the series side by side; otherwise a column per category, for one series.
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

    def plot(self) -> Plot:
        return _rows(self) if self.horizontal else _columns(self)


def _ticks(most: float, about: int = 4) -> list[int]:
    """Round numbers for an axis, from 0 to at least `most`."""
    if most <= 0:
        return [0, 1]
    rough = most / about
    unit = 10 ** math.floor(math.log10(rough))
    step = max(1, int(next(unit * f for f in (1, 2, 5, 10) if unit * f >= rough)))
    return [step * i for i in range(math.ceil(most / step) + 1)]


def _columns(chart: Bars) -> Plot:
    """A column per category."""
    ((name, values),) = chart.series.items()
    ticks = _ticks(max(values, default=0))
    left, top, tall, count = 20 + width_of(f"{ticks[-1]:,}"), 30, 220, max(1, len(values))
    step = min(60, (_WIDTH - left - 10) / count)
    every = max(1, math.ceil(30 / step))
    rects = tuple(
        Rect(at + 0.1, 0, 0.8, value, VERMILLION if category in chart.standing_out else BLUE,
             f"{category}: {value:,} {name}")
        for at, (category, value) in enumerate(zip(chart.categories, values, strict=True))
    )  # fmt: skip
    below = Axis((0, count), tuple(Tick(at + 0.5, chart.categories[at]) for at in range(0, len(values), every)))
    beside = Axis((0, ticks[-1]), tuple(Tick(tick, f"{tick:,}") for tick in ticks), lines=True)
    panel = Panel(left, top, step * count, tall, below, beside, rects)
    labels = (Label(left, 14, chart.axes[1], 11), Label(left, top + tall + 38, chart.axes[0], 11))
    return Plot(chart.title, (panel,), labels, _WIDTH, top + tall + 46, horizontal=False, stretches=True)


def _rows(chart: Bars) -> Plot:
    """A row per category, with a panel per series."""
    names = {name: f"{name} (never enabled)" if name in chart.standing_out else name for name in chart.categories}
    left = 20 + max(map(width_of, names.values()), default=0)
    each, gap = (_WIDTH - left) / max(1, len(chart.series)), 16
    numbers = [f"{value:,}" for values in chart.series.values() for value in values]
    room = each - gap - 12 - max(map(width_of, numbers), default=0)
    most = max(max(values, default=0) for values in chart.series.values()) or 1
    tall, count = 24 * len(names), len(names)
    panels, labels = [], []
    for place, (name, values) in enumerate(chart.series.items()):
        ticks = [Tick(at + 0.5, names[c], c in chart.standing_out) for at, c in enumerate(names)] if place == 0 else []
        rects = tuple(
            Rect(0, at + 0.2, value, 0.6, _COLORS[place % len(_COLORS)], f"{c}: {value:,} {name}", f"{value:,}")
            for at, (c, value) in enumerate(zip(names, values, strict=True))
        )
        x, y = Axis((0, most * (each - gap) / room), ()), Axis((max(1, count), 0), tuple(ticks))
        panels.append(Panel(left + each * place, 26, each - gap, max(24, tall), x, y, rects))
        labels.append(Label(left + each * place, 16, name, bold=True))
    return Plot(chart.title, tuple(panels), tuple(labels), _WIDTH, 26 + max(24, tall) + 4, stretches=True)
