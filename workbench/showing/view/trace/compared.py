"""Two runs as a drawing: one strip of steps, and below it one picture for each run, at one scale."""

import zlib
from dataclasses import dataclass
from functools import cached_property

from workbench.kernel import Place
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures import Picture, Shown, faults, pair
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.html import BLUE, VERMILLION, Drawn, folded, table
from workbench.showing.view.base.svg import Sheet
from workbench.showing.view.trace.runs import EFFECTS, OWN, REFUSED, SAME, Column, Runs, every_step
from workbench.showing.view.trace.trace import packed

#: The widths of the strips: a page shows the widest that it has room for.
WIDTHS = (330, 700, 1080)
#: The sizes in a strip: of a step at least and at most, of a lane, and of a letter of a lane's name.
_STEP, _WIDEST_STEP, _LANE, _LETTER = 34, 80, 24, 7
_COLOURS = VERMILLION, BLUE


@dataclass(frozen=True, repr=False)
class TwoRuns(Drawn):
    """Two runs, step by step.

    Attributes:
        at: The index of the step that is shown first; that of the divergence, or else the last one, for None.
    """

    runs: Runs
    at: int | None = None

    def __len__(self) -> int:
        return len(self.runs.columns)

    @property
    def first(self) -> int:
        """The index of the step that is shown first."""
        if self.at is not None:
            return self.at
        return len(self) - 1 if self.runs.diverge is None else self.runs.diverge

    def html(self) -> Markup:
        shown = [self._step(number) for number in range(len(self))]
        strips = [self.strip(width) for width in WIDTHS]
        return element(
            "figure",
            element("figcaption", self.runs.summary.html()),
            element("div", strips[-1], class_="wb-runs-strip", tabindex=0, role="slider", aria_label="step"),
            element("div", shown[self.first], class_="wb-runs-at", aria_live="polite"),
            folded("Every step of both", self._every(), class_="wb-note"),
            class_="wb-runs",
            data_at=self.first,
            data_runs=packed({"strips": strips, "widths": WIDTHS, "steps": shown, "labels": self._labels}),
        )

    @property
    def _labels(self) -> list[str]:
        return [str(self.runs.sentence(column)) for column in self.runs.columns]

    def text(self) -> str:
        names = self.runs.names
        rows = [(str(number), column.step.label, self._word(column)) for number, column in self._numbered()]
        return "\n".join([f"{names[0]} | {names[1]}: {self.runs.summary}", *("  ".join(row) for row in rows)])

    def _every(self) -> Markup:
        return table(
            ("", "step", ""),
            ((number, element("code", column.step.label), self._word(column)) for number, column in self._numbered()),
        )

    def _numbered(self) -> list[tuple[int, Column]]:
        return list(enumerate(self.runs.columns, 1))

    def _word(self, column: Column) -> str:
        """The kind of a step in words."""
        return self.runs.taken_by(column) or EFFECTS[column.kind]

    # The pictures --------------------------------------------------------------------------------------------------

    @cached_property
    def _pictures(self) -> list[tuple[Picture, Picture]]:
        """The pictures of both runs after each step, in which the effect of the first divergence is marked."""
        columns, diverge = self.runs.columns, self.runs.diverge
        effect = () if diverge is None else self._effect(columns[diverge])
        pictures = []
        for number, column in enumerate(columns):
            one, other = (self._shown(side, at) for side, at in enumerate(column.at))
            pictures.append(pair(one, other, effect if diverge is not None and number >= diverge else ()))
        return pictures

    @cached_property
    def _widest(self) -> float:
        return max(picture.size[0] for both in self._pictures for picture in both)

    def _effect(self, column: Column) -> tuple[Place, ...]:
        """The parts of the state that a step changes in one run only, or changes differently."""
        cells = column.differing if column.side is None else [change.cell for change in column.step.changes]
        return tuple(Place(cell.variable, cell.index) for cell in cells)

    def _shown(self, side: int, at: int) -> Shown:
        view = self.runs.sides[side]
        states = [*view.trace.states, *([view.back.state] if view.back else [])][: at + 1]
        wrong = faults(view.trace.model, states[-1], view.properties) if every_step(view)[at].broken else []
        return Shown(view.trace.model, states, wrong)

    @cached_property
    def _key(self) -> str:
        """A prefix that keeps the ids of these pictures apart from others on the same page."""
        links = " ".join([*(side.permalink for side in self.runs.sides), *self.runs.names])
        return f"r{zlib.crc32(links.encode()):08x}"

    def _step(self, number: int) -> Markup:
        """A step in words, and the two pictures after it."""
        column, pictures, widest = self.runs.columns[number], self._pictures[number], self._widest
        sentence = element(
            "p", element("b", f"{number + 1}. "), self.runs.sentence(column).html(), class_="wb-sentence"
        )
        panes = (
            element(
                "div",  # a section would be a slide, in a notebook that is one
                element("h4", self.runs.names[side]),
                element(
                    "div",
                    element(
                        "div",
                        picture.svg_with(f"{self._key}-{side}-"),
                        style=f"width:clamp({0.6 * picture.size[0]:.0f}px, {100 * picture.size[0] / widest:.1f}%, "
                        f"{1.1 * picture.size[0]:.0f}px)",
                    ),
                    class_="wb-picture",
                ),
                class_=f"wb-run wb-run-{side}",
            )
            for side, picture in enumerate(pictures)
        )
        return joined([sentence, element("div", *panes, class_="wb-pair")])

    # The strip -----------------------------------------------------------------------------------------------------

    def strip(self, width: int) -> Markup:
        """The steps as dots in the lanes of their actors, in as many bands as the width needs."""
        columns = self.runs.columns
        lanes = list(dict.fromkeys(column.step.lane for column in columns if column.step.lane))
        left = min(max((_LETTER * len(lane) for lane in lanes), default=0), width // 4) + 14
        most = max(1, (width - left - 6) // _STEP)
        apart = min(_WIDEST_STEP, (width - left - 6) / min(most, len(columns)))
        tall = _LANE * max(len(lanes), 1) + 26
        bands = -(-len(columns) // most)
        sheet = Sheet(f"two runs of {counted(len(columns), 'step')}: {self.runs.summary}")
        for band in range(bands):
            for lane, name in enumerate(lanes):
                y = band * tall + 26 + _LANE * lane
                sheet.text(0, y + 4, name, size=11)
                sheet.line(left, y, left + apart * min(most, len(columns)), y, stroke_opacity=0.2)
        for number, column in enumerate(columns):
            band, place = divmod(number, most)
            x, top = left + apart * (place + 0.5), band * tall
            if number == self.runs.diverge:
                sheet.line(x - apart / 2, top + 2, x - apart / 2, top + tall - 8, stroke_dasharray="4 3")
                sign, anchor = (-1, "end") if x > width / 2 else (1, "start")
                sheet.text(x - apart / 2 + 5 * sign, top + 11, "the runs diverge", size=11, text_anchor=anchor)
            y = top + 26 + _LANE * (lanes.index(column.step.lane) if column.step.lane else 0)
            with sheet.group(class_="wb-dot", data_dot=number):
                sheet.rect(x - 15, top + 15, 30, tall - 22, str(self.runs.sentence(column)), rx=5, fill="transparent")
                _dot(sheet, x, y, column)
        return sheet.svg(width, bands * tall)


def _dot(sheet: Sheet, x: float, y: float, column: Column) -> None:
    """The mark of a step: one dot if it is the same, else a half or a whole one for each run that takes it."""
    if column.kind == SAME:
        sheet.add("circle", cx=x, cy=y, r=5.5 if column.step.lane else 3, fill="currentColor")
    elif column.kind == OWN:
        for side, sweep in enumerate((0, 1)):
            sheet.add("path", d=f"M{x} {y - 5.5}a5.5 5.5 0 0 {sweep} 0 11z", fill=_COLOURS[side])
    else:
        for side, step in enumerate(column.steps):
            up = y + (5.5 if side else -5.5)
            if step is None and column.kind == REFUSED:
                sheet.line(x - 4, up, x + 4, up, stroke=_COLOURS[side], stroke_width=2.5)
            elif step is not None and step.broken:
                cross = f"M{x - 4.5} {up - 4.5}l9 9m0 -9l-9 9"
                sheet.add("path", d=cross, stroke=_COLOURS[side], stroke_width=3, fill="none")
            elif step is not None:
                sheet.add("circle", cx=x, cy=up, r=5, fill=_COLOURS[side])
