"""The lanes of a trace as an SVG picture: one column per actor, one row per step, arrows to what a step changes.

Nothing is cut off: text that does not fit its column wraps, and the row grows taller.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.kernel.meaning.state import Change
from workbench.kernel.meaning.trace import Step
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.letters import width_of, wrap
from workbench.showing.pictures.markup import Markup
from workbench.showing.view.base.html import BLUE, GREEN, MARKS, ORANGE, PURPLE, VERMILLION
from workbench.showing.view.base.svg import Sheet
from workbench.showing.view.base.truth import Truth
from workbench.showing.view.base.wording import told_again, told_change, told_choices
from workbench.showing.view.trace.refined import RefinedStep
from workbench.showing.view.trace.steps import Lanes, StepView

_MARGIN, _HEAD, _LINE, _PAD, _GAP = 40, 34, 15, 8, 14
_SIZE = 11.5
#: The least width of a lane and of the shared state, and the most that a lane asks for.
_LANE, _MOST, _SHARED = 88, 260, 190
#: The most that a lane is widened to keep the words of an action's name whole.
_WORD = 130
#: The greatest width that the picture takes on its own to fit the reason why an invariant is broken.
_REMARK = 1180
#: The colours of boxes, and of the text in them; the style sheet replaces them with the page's colours.
_PAPER: dict[str, Any] = {"class_": "wb-paper", "fill": "#ffffff", "fill_opacity": 0.9}
_INK: dict[str, Any] = {"class_": "wb-ink", "fill": "#10222e"}


def draw(view: Lanes, current: int | None = None, width: float = math.inf) -> Markup:
    """The picture; row i is a group with ``data-step="i"``, and that of index `current` is marked.

    It is as wide as `width`, or as its texts where that is infinite.
    """
    return _Picture(view, width).draw(current)


#: Lines, each of texts that are bold or not.
_Lines = list[list[tuple[str, bool]]]


@dataclass(frozen=True)
class _Label:
    """The text in the box of a step: the action's name and the choices."""

    name: str
    choices: str

    @classmethod
    def of(cls, step: Step, of_actor: bool = False) -> "_Label":
        """The label of a step; with `of_actor` it also names the actor, for a step whose actor has no lane."""
        assert step.instance is not None  # it is no initial state
        return cls(step.instance.action.name, told_choices(step.instance, step.choices, of_actor))

    @property
    def width(self) -> float:
        """The width of a box with the choices in two lines."""
        return max(width_of(self.name, _SIZE, True), 0.55 * width_of(self.choices, _SIZE))

    @property
    def longest(self) -> float:
        """The width of the longest word of the name."""
        return max(width_of(f"{word}_", _SIZE, True) for word in self.name.split("_"))

    def lines(self, room: float) -> _Lines:
        """The label as lines of text, none wider than `room`."""
        if not self.choices:
            return [[(line, True)] for line in wrap(self.name, room, _SIZE, True)]
        if width_of(f"{self.name} ", _SIZE, True) + width_of(self.choices, _SIZE) <= room:
            return [[(f"{self.name} ", True), (self.choices, False)]]
        named = [[(line, True)] for line in wrap(self.name, room, _SIZE, True)]
        return named + [[(line, False)] for line in wrap(self.choices, room, _SIZE)]


class _Picture:
    def __init__(self, view: Lanes, width: float) -> None:
        self.view = view
        *actors, self.shared = view.lanes
        lanes = actors if view.refined is None else [view.refined, *actors]
        steps = [*view.steps, *([view.back] if view.back else [])]
        full = {name: max(_LANE, width_of(name, 13, True) + 2 * _PAD) for name in lanes}
        narrow = dict.fromkeys(lanes, float(_LANE))
        for step in steps:
            for lane, label in self._boxes(step):
                full[lane] = max(full[lane], min(_MOST, label.width + 2 * _PAD + 13))
                narrow[lane] = max(narrow[lane], min(_WORD, label.longest + 2 * _PAD + 13))
        widths = [width_of(line, _SIZE) for step in steps for line in self._lines(step)]
        shared = max(_SHARED, *widths, 0)
        fixed = _MARGIN + _GAP + _PAD
        least = fixed + sum(narrow.values()) + _SHARED
        most = fixed + sum(full.values()) + shared
        share = 1.0 if width >= most or least >= most else max(0.0, (width - least) / (most - least))
        self.lane = {name: narrow[name] + share * (full[name] - narrow[name]) for name in lanes}
        x: float = _MARGIN
        self.center = {}
        for name, wide in self.lane.items():
            self.center[name] = x + wide / 2
            x += wide
        self.shared_x = x + _GAP
        reasons = [2 * _MARGIN + width_of(_reason(truth), 12, True) for step in steps for truth in step.broken]
        needed = self.shared_x + _SHARED + share * (shared - _SHARED) + _PAD
        self.width = max(needed, width) if width < math.inf else max(needed, min(_REMARK, max(reasons, default=0)))
        self.sheet = Sheet(f"{counted(len(view.steps), 'step')} of {view.trace.model.name}")

    def draw(self, current: int | None) -> Markup:
        view, sheet = self.view, self.sheet
        self._heads()
        y: float = _HEAD
        middles = []
        before: tuple[str, ...] = ()
        for index, step in enumerate(view.steps):
            looping = view.loop is not None and index >= view.loop
            with sheet.group(class_="wb-step", data_step=index):
                tall = self._row(y, step, str(step.number), current == index, looping)
            middles.append(y + tall / 2)
            y += tall
            broken = tuple(truth.name for truth in step.broken)
            if broken != before:
                for truth in step.broken:
                    y = self._remark(y, _reason(truth), VERMILLION)
            before = broken
        if view.loop is not None:
            y = self._ending(y, middles[view.loop])
        sheet.parts[self.lifelines_at : self.lifelines_at] = self._lines_down_to(y)
        return sheet.svg(self.width, y + 6)

    def _heads(self) -> None:
        sheet = self.sheet
        for name, x in self.center.items():
            sheet.text(x, 20, name, 13, font_weight=600, text_anchor="middle")
        sheet.text(self.shared_x, 20, self.shared, 13, font_weight=600)
        sheet.line(0, _HEAD - 5, self.width, _HEAD - 5, stroke_opacity=0.35)
        self.lifelines_at = len(sheet.parts)

    def _lines_down_to(self, bottom: float) -> list[Markup]:
        lines = Sheet("")
        for x in [*self.center.values(), self.shared_x - _PAD]:
            lines.line(x, _HEAD, x, bottom, stroke_opacity=0.25, stroke_dasharray="2 4")
        return lines.parts

    def _row(self, y: float, step: StepView, number: str, marked: bool, looping: bool) -> float:
        """Draw a step; returns the height of its row."""
        sheet = self.sheet
        boxes = {lane: label.lines(self._box(lane) - 2 * _PAD) for lane, label in self._boxes(step)}
        texts = [part for line in self._lines(step) for part in wrap(line, self._room, _SIZE)]
        pills = {
            lane: wrap(_names(changes), self._box(lane) - 2 * _PAD, _SIZE)
            for lane, changes in step.effects.items()
            if lane != self.shared
        }
        lines = max(1, len(texts), *map(len, boxes.values()), *map(len, pills.values()))
        tall = _LINE * lines + 15
        middle = y + tall / 2
        tint = VERMILLION if step.broken else PURPLE if looping else "currentColor"
        strength = 0.3 if marked else 0.12 if step.broken or looping else 0
        sheet.rect(0, y, self.width, tall, class_="wb-row", fill=tint, fill_opacity=strength)
        sheet.text(_MARGIN - _PAD, middle + 4, number, text_anchor="end", fill_opacity=0.75)
        if not step.lane:
            sheet.text(_MARGIN + _PAD, middle + 4, step.label, font_style="italic")
            return tall
        x = self.center[step.lane]
        if step.refined is not None:
            self._refined(x - self._box(step.lane) / 2, middle, step.refined, boxes)
        for place, lane in enumerate(pills):
            self._to_lane(x, step, lane, pills[lane], middle, 4 * place - 2 * (len(pills) - 1))
        if texts:
            sheet.arrow(x + self._box(step.lane) / 2, middle, self.shared_x - _PAD, ORANGE)
            for place, line in enumerate(texts):
                top = middle + 4 + _LINE * (place - (len(texts) - 1) / 2)
                sheet.text(self.shared_x, top, line, _SIZE, "\n".join(self._lines(step)))
        title = "\n".join([step.label, step.sentence, *map(told_change, step.changes)])
        self._step(step.lane, middle, boxes[step.lane], title, BLUE)
        return tall

    def _boxes(self, step: StepView) -> list[tuple[str, _Label]]:
        """The boxes in the row of a step, each with its lane."""
        boxes = [(step.lane, _Label.of(step.step))] if step.lane else []
        its = step.refined
        if its is not None and not its.stutters:
            taken = its.step is not None and its.step.instance is not None
            boxes.append((its.model, _Label.of(its.step, True) if its.step and taken else _Label(its.words, "")))
        return boxes

    def _step(self, lane: str, middle: float, lines: _Lines, title: str, color: str) -> None:
        sheet, box, x = self.sheet, self._box(lane), self.center[lane]
        tall = _LINE * len(lines) + 7
        left, top = x - box / 2, middle - tall / 2
        sheet.rect(left, top, box, tall, rx=5, **_PAPER)
        sheet.rect(left, top, box, tall, title, rx=5, fill=color, fill_opacity=0.16, stroke=color)
        for place, line in enumerate(lines):
            sheet.spans(x, top + 14 + _LINE * place, line, _SIZE, title, text_anchor="middle", **_INK)

    def _refined(self, x: float, middle: float, step: RefinedStep, boxes: dict[str, _Lines]) -> None:
        """The label of a step that ends at `x` in the refined model: a step of it, nothing, or no step of it."""
        center = self.center[step.model]
        if step.stutters:
            self.sheet.add("circle", cx=center, cy=middle, r=2.5, fill="currentColor", fill_opacity=0.5)
            return
        color = GREEN if step.why is None else VERMILLION
        self.sheet.line(center + self._box(step.model) / 2, middle, x, middle, stroke=color, stroke_dasharray="5 3")
        title = "\n".join([f"{step.model}: {step.words}", *map(told_change, step.changes)])
        self._step(step.model, middle, boxes[step.model], title, color)

    def _to_lane(self, x: float, step: StepView, lane: str, lines: Sequence[str], middle: float, offset: float) -> None:
        """An arrow to what the step changed in another lane."""
        sheet, target, box = self.sheet, self.center[lane], self._box(lane)
        side = -1 if target > x else 1
        sheet.arrow(x - side * self._box(step.lane) / 2, middle + offset, target + side * box / 2, PURPLE)
        tall = _LINE * len(lines) + 4
        sheet.rect(target - box / 2, middle - tall / 2, box, tall, rx=9, **_PAPER)
        sheet.rect(target - box / 2, middle - tall / 2, box, tall, rx=9, fill=PURPLE, fill_opacity=0.3)
        hover = "\n".join(map(told_change, step.effects[lane]))
        for place, line in enumerate(lines):
            top = middle + 4 + _LINE * (place - (len(lines) - 1) / 2)
            sheet.text(target, top, line, _SIZE, hover, text_anchor="middle", **_INK)

    def _lines(self, step: StepView) -> list[str]:
        """The step's changes to the shared state, one per line."""
        texts = [told_change(change) + _rewritten(step, change) for change in step.effects.get(self.shared, ())]
        return texts + [told_again(change, step.writers) for change in step.again] + list(step.alike)

    def _box(self, lane: str) -> float:
        return self.lane[lane] - 12

    @property
    def _room(self) -> float:
        """The width available for changes of the shared state."""
        return self.width - self.shared_x - _PAD

    def _remark(self, y: float, text: str, color: str) -> float:
        """Draw a remark across all lanes; returns where it ends."""
        lines = wrap(text, self.width - _MARGIN - 2 * _PAD, 12, True)
        tall = 16 * len(lines) + 5
        with self.sheet.group(class_="wb-remark"):
            self.sheet.rect(0, y, self.width, tall, fill=color, fill_opacity=0.12)
            for place, line in enumerate(lines):
                self.sheet.text(_MARGIN + _PAD, y + 14 + 16 * place, line, hover=text, font_weight=600)
        return y + tall

    def _ending(self, y: float, loop_middle: float) -> float:
        """The rest of a lasso: the step that closes the cycle with a bracket to where it leads, or that it stops."""
        view, sheet = self.view, self.sheet
        if view.back is not None:
            with sheet.group(class_="wb-back"):
                tall = self._row(y, view.back, "\N{ANTICLOCKWISE OPEN CIRCLE ARROW}", False, True)
            bottom = y + tall / 2
            sheet.add("path", d=f"M14 {bottom} H5 V{loop_middle} H9", fill="none", stroke=PURPLE, stroke_width=2)
            sheet.add("polygon", points=f"14,{loop_middle} 8,{loop_middle - 4} 8,{loop_middle + 4}", fill=PURPLE)
            y += tall
        return self._remark(y, f"\N{INFINITY} {view.ending}", PURPLE)


def _names(changes: Iterable[Change]) -> str:
    return ", ".join(dict.fromkeys(change.cell.variable for change in changes))


def _rewritten(step: StepView, change: Change) -> str:
    writer = step.writers.get(change.cell)
    return f", over what {writer} wrote" if writer else ""


def _reason(truth: Truth) -> str:
    return f"{MARKS['violated'][0]} {truth.name} violated" + (f": {truth.why}" if truth.why else "")
