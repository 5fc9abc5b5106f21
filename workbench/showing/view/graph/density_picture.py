"""A density as a static picture for light and dark pages: the initial view of ``density.js``."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.letters import fit
from workbench.showing.pictures.markup import Markup, number
from workbench.showing.view.base.svg import Sheet

_WIDE, _LEFT, _ABOVE, _BELOW, _ROW, _TALLEST = 760, 196, 78, 44, 17, 400
#: From "none violates" over "half do" to "all do".
_HUES = np.array([[20, 120, 190], [160, 75, 165], [230, 85, 15]])
_INK, _HALO = "#222222", "#ffffff"
#: The values of a lens that rows can show with their names.
_FEWEST, _MOST = 4, 64


def density_svg(data: Mapping[str, Any], title: str) -> Markup:
    """The states by depth, and by the values of the most telling lens that the property does not read.

    Args:
        data: As :class:`workbench.showing.view.graph.density.Density` has it.
    """
    levels, counts, wrong = (np.array(data[name], np.int64) for name in ("levels", "counts", "wrong"))
    lens, of = _rows(data, len(levels))
    rows, depths = len(lens["values"]), int(levels.max(initial=0))
    order = np.argsort(np.bincount(of, counts * levels, rows) / np.bincount(of, counts, rows), kind="stable")
    row = np.argsort(order)[of]
    wide, tall = (_WIDE - _LEFT - 8) / max(depths, 1), min(_ROW, _TALLEST / rows)
    sheet = Sheet(title)
    sheet.text(0, 14, title, 13, font_weight=600)
    _bars(sheet, np.bincount(levels, counts)[1:], np.bincount(levels, wrong)[1:], wide)
    sheet.text(_LEFT - 6, _ABOVE - 6, lens["name"], 11, text_anchor="end", font_weight=600)
    bins, at = np.unique((levels - 1) * rows + row, return_inverse=True)
    sizes, bad = np.bincount(at, counts), np.bincount(at, wrong)
    for place, size, part in zip(bins.tolist(), sizes.tolist(), bad.tolist(), strict=True):
        x, y = _LEFT + place // rows * wide, _ABOVE + place % rows * tall
        strength = 0.14 + 0.86 * (np.log1p(size) / np.log1p(sizes.max())) ** 1.25
        fill, opacity = _hue(part / size), round(float(strength), 2)
        sheet.rect(round(x, 1), round(y, 1), round(wide - 1, 1), round(tall - 1, 1), fill=fill, fill_opacity=opacity)
    for place, value in enumerate(order.tolist()):
        if place % math.ceil(12 / tall) == 0:
            text = fit(lens["values"][value], _LEFT - 10, 11)
            sheet.text(_LEFT - 6, _ABOVE + (place + 0.5) * tall + 4, text, 11, text_anchor="end")
    end = _ABOVE + rows * tall
    for depth in range(1, depths + 1):
        if depth % math.ceil(26 / wide) == 0:
            sheet.text(_LEFT + (depth - 0.5) * wide, end + 14, str(depth), 11, text_anchor="middle")
    sheet.text(_LEFT - 6, end + 14, "depth", 11, text_anchor="end")
    _path(sheet, [(_LEFT + (levels[n] - 0.5) * wide, _ABOVE + (row[n] + 0.5) * tall) for n in _passed(data)])
    _legend(sheet, end + 36, data)
    return sheet.svg(_WIDE, end + _BELOW)


def _rows(data: Mapping[str, Any], tuples: int) -> tuple[Mapping[str, Any], np.ndarray]:
    """The lens whose values are the rows, and the value of each tuple; a single row if there is none."""
    lenses = [*zip(data["lenses"], data["columns"], strict=True)]
    named = [pair for pair in lenses if not pair[0]["read"] and _FEWEST <= len(pair[0]["values"]) <= _MOST]
    lens, column = (named or lenses or [({"name": "", "values": ["all states"]}, [0] * tuples)])[0]
    return lens, np.array(column, np.int64)


def _passed(data: Mapping[str, Any]) -> list[int]:
    """The tuples that the trace passes."""
    return [state["tuple"] for state in data["path"]]


def _hue(share: float) -> str:
    """The hue for a share of violating states. As on the page, even a single violating state is visible."""
    part = 0.2 + 1.8 * share if share else 0.0
    first = min(int(part), 1)
    mixed = _HUES[first] + (_HUES[first + 1] - _HUES[first]) * (part - first)
    return "#" + "".join(f"{round(channel):02x}" for channel in mixed.tolist())


def _bars(sheet: Sheet, sizes: np.ndarray, bad: np.ndarray, wide: float) -> None:
    """The states by depth, the violating ones at the bottom."""
    room, bottom = _ABOVE - 34, _ABOVE - 6
    for depth, (size, part) in enumerate(zip(sizes.tolist(), bad.tolist(), strict=True)):
        high, low = (round(count / sizes.max() * room, 1) for count in (size, part))
        x = round(_LEFT + depth * wide, 1)
        sheet.rect(x, round(bottom - high, 1), round(wide - 1, 1), round(high - low, 1), fill=_hue(0))
        if low:
            sheet.rect(x, round(bottom - low, 1), round(wide - 1, 1), low, fill=_hue(1))
    sheet.text(_LEFT - 6, bottom - 18, "states by depth", 11, text_anchor="end")


def _path(sheet: Sheet, places: list[tuple[float, float]]) -> None:
    points = " ".join(f"{number(round(x, 1))},{number(round(y, 1))}" for x, y in places)
    for stroke, width in ((_HALO, 4), (_INK, 1.6)):
        sheet.add("polyline", points=points, fill="none", stroke=stroke, stroke_width=width, stroke_linejoin="round")
    for x, y in places[-1:]:
        sheet.add("circle", cx=round(x, 1), cy=round(y, 1), r=4.5, fill=_hue(1), stroke=_HALO)


def _legend(sheet: Sheet, y: float, data: Mapping[str, Any]) -> None:
    """The legend: it explains the hues and the line."""
    x: float = _LEFT
    if data["fault"]:
        for share, words in ((0.0, "none violates"), (0.5, "half do"), (1.0, "all do")):
            sheet.rect(x, y - 9, 10, 10, fill=_hue(share))
            sheet.text(x + 14, y, words, 11)
            x += 110
    if data["path"]:
        sheet.line(x, y - 4, x + 14, y - 4, stroke=_HALO, stroke_width=4)
        sheet.line(x, y - 4, x + 14, y - 4, stroke=_INK, stroke_width=1.6)
        sheet.text(x + 18, y, counted(len(data["path"]), "state") + " of a shortest trace", 11)
