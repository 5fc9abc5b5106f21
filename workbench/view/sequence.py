"""The lanes of a trace as an SVG picture: one column per actor, one row per step, arrows to what a step changes."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.kernel.state import Change
from workbench.kernel.values import show
from workbench.view.difference import brief, difference
from workbench.view.html import BLUE, MARKS, ORANGE, PURPLE, VERMILLION
from workbench.view.svg import Sheet, fit, width_of

if TYPE_CHECKING:
    from workbench.view.trace import StepView, TraceView
    from workbench.view.truth import Truth

_MARGIN, _HEAD, _ROW, _LINE = 46, 34, 30, 20
#: The least and the most that a lane and the shared state take.
_LANE, _SHARED = (92, 160), (150, 440)
#: What the shared state gets before lanes are made narrower.
_FAIR_SHARED = 260
#: Up to this width the picture is widened for what is wrong with an invariant.
_REMARK = 1180


def draw(view: "TraceView", current: int | None = None, width: float = math.inf) -> str:
    """The picture; row i is a group with ``data-step="i"``, and that of index `current` is marked.

    It gets as wide as its texts, but not wider than `width` if lanes and shared state can be narrower.
    """
    return _Picture(view, width).draw(current)


class _Picture:
    def __init__(self, view: "TraceView", width: float) -> None:
        self.view = view
        *actors, self.shared = view.lanes
        steps = [*view.steps, *([view.back] if view.back else [])]
        told = [_told(step.effects[self.shared]) for step in steps if self.shared in step.effects]
        shared = _between(_SHARED, [width_of(text, 11.5) for text in told])
        lane = _between(_LANE, [20 + width_of(_short(step), 11.5) for step in steps])
        for_lanes = width - _MARGIN - 14
        lane = max(_LANE[0], min(lane, (for_lanes - min(shared, _FAIR_SHARED)) / max(1, len(actors))))
        shared = max(_SHARED[0], min(shared, for_lanes - lane * len(actors)))
        self.box = lane - 12
        self.center = {name: _MARGIN + lane * (i + 0.5) for i, name in enumerate(actors)}
        self.shared_x = _MARGIN + lane * len(actors) + 14
        reasons = [_MARGIN + 1.1 * width_of(_reason(truth)) for step in steps for truth in step.broken]
        needed = self.shared_x + shared
        self.width = _between((needed, max(needed, min(width, _REMARK))), reasons)
        self.sheet = Sheet(f"{len(view.steps)} steps of {view.trace.model.name}")

    def draw(self, current: int | None) -> str:
        view, sheet = self.view, self.sheet
        self._lifelines()
        y: float = _HEAD
        tops = []
        before: tuple[str, ...] = ()
        for index, step in enumerate(view.steps):
            tops.append(y)
            with sheet.group(class_="wb-step", data_step=index):
                self._row(y, step, str(step.number), current == index, view.loop is not None and index >= view.loop)
            y += _ROW
            broken = tuple(truth.name for truth in step.broken)
            if broken != before:
                for truth in step.broken:
                    self._remark(y, _reason(truth), VERMILLION)
                    y += _LINE
            before = broken
        if view.loop is not None:
            y = self._ending(y, tops[view.loop])
        sheet.parts[self.lifelines_at : self.lifelines_at] = self._lines_down_to(y)
        return sheet.svg(self.width, y + 6)

    def _lifelines(self) -> None:
        sheet = self.sheet
        for name, x in self.center.items():
            sheet.text(x, 20, fit(name, self.box, 13), 13, font_weight=600, text_anchor="middle")
        sheet.text(self.shared_x, 20, self.shared, 13, font_weight=600)
        sheet.line(0, _HEAD - 5, self.width, _HEAD - 5, stroke_opacity=0.35)
        self.lifelines_at = len(sheet.parts)

    def _lines_down_to(self, bottom: float) -> list[str]:
        lines = Sheet("")
        for x in [*self.center.values(), self.shared_x - 8]:
            lines.line(x, _HEAD, x, bottom, stroke_opacity=0.25, stroke_dasharray="2 4")
        return lines.parts

    def _row(self, y: float, step: "StepView", number: str, marked: bool, looping: bool) -> None:
        sheet, middle = self.sheet, y + _ROW / 2
        tint = VERMILLION if step.broken else PURPLE if looping else "currentColor"
        strength = 0.3 if marked else 0.12 if step.broken or looping else 0
        sheet.rect(0, y, self.width, _ROW, class_="wb-row", fill=tint, fill_opacity=strength)
        sheet.text(_MARGIN - 8, middle + 4, number, text_anchor="end", fill_opacity=0.75)
        if not step.lane:
            sheet.text(_MARGIN + 8, middle + 4, step.label, font_style="italic")
            return
        x = self.center[step.lane]
        for place, (lane, changes) in enumerate(step.effects.items()):
            self._effect(x, middle + 4 * place - 2 * (len(step.effects) - 1), lane, changes, middle)
        title = "\n".join([step.label, *map(_spell, step.changes)])
        left, label = x - self.box / 2, _short(step)
        sheet.rect(left, y + 4, self.box, _ROW - 8, rx=5, fill="#ffffff", fill_opacity=0.9)
        sheet.rect(left, y + 4, self.box, _ROW - 8, title, rx=5, fill=BLUE, fill_opacity=0.16, stroke=BLUE)
        shown = fit(label, self.box - 8, 11.5)
        sheet.text(x, middle + 4, shown, 11.5, title, text_anchor="middle", fill="#10222e")

    def _effect(self, x: float, y: float, lane: str, changes: tuple[Change, ...], middle: float) -> None:
        sheet = self.sheet
        if lane == self.shared:
            sheet.arrow(x + self.box / 2, y, self.shared_x - 8, ORANGE)
            shown = fit(_told(changes), self.width - self.shared_x, 11.5)
            sheet.text(self.shared_x, middle + 4, shown, 11.5, "\n".join(map(_spell, changes)))
            return
        target = self.center[lane]
        side = -1 if target > x else 1
        sheet.arrow(x - side * self.box / 2, y, target + side * self.box / 2, PURPLE)
        names = ", ".join(dict.fromkeys(change.cell.variable for change in changes))
        sheet.rect(target - self.box / 2, middle - 9, self.box, 18, rx=9, fill="#ffffff", fill_opacity=0.9)
        sheet.rect(target - self.box / 2, middle - 9, self.box, 18, rx=9, fill=PURPLE, fill_opacity=0.3)
        shown = fit(names, self.box - 12, 11)
        hover = "\n".join(map(_spell, changes))
        sheet.text(target, middle + 4, shown, 11, hover, text_anchor="middle", fill="#10222e")

    def _remark(self, y: float, text: str, color: str) -> None:
        self.sheet.rect(0, y, self.width, _LINE, fill=color, fill_opacity=0.12)
        self.sheet.text(_MARGIN + 8, y + 14, fit(text, self.width - _MARGIN - 8), hover=text, font_weight=600)

    def _ending(self, y: float, loop_top: float) -> float:
        """The rest of a lasso: the step that closes the cycle with a bracket to where it leads, or that it stops."""
        view, sheet = self.view, self.sheet
        if view.back is not None:
            with sheet.group(class_="wb-back"):
                self._row(y, view.back, "\N{ANTICLOCKWISE OPEN CIRCLE ARROW}", False, True)
            top, bottom = loop_top + _ROW / 2, y + _ROW / 2
            sheet.add("path", d=f"M18 {bottom} H8 V{top} H13", fill="none", stroke=PURPLE, stroke_width=2)
            sheet.add("polygon", points=f"18,{top} 12,{top - 4} 12,{top + 4}", fill=PURPLE)
            y += _ROW
        self._remark(y, f"\N{INFINITY} {view.ending}", PURPLE)
        return y + _LINE


def _spell(change: Change) -> str:
    if change.before is None:
        return f"{change.cell} = {show(change.after)}"
    return f"{change.cell} {difference(change.before, change.after)}"


def _reason(truth: "Truth") -> str:
    return f"{MARKS['violated'][0]} {truth.name} violated" + (f": {truth.why}" if truth.why else "")


def _told(changes: Iterable[Change]) -> str:
    return "; ".join(brief(_spell(change)) for change in changes)


def _between(bounds: tuple[float, float], wanted: Iterable[float]) -> float:
    """The largest of `wanted`, within `bounds`."""
    return min(bounds[1], max(bounds[0], *wanted, 0))


def _short(step: "StepView") -> str:
    """The step's label without the actor, which its lane says."""
    name, _, arguments = step.label.removesuffix(")").partition("(")
    rest = brief(arguments.removeprefix(step.lane).removeprefix(", "))
    return f"{name}({rest})" if rest else name
