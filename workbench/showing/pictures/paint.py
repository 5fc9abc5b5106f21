"""Pictures as SVG: the things in their positions, as shapes and texts.

Attributes alone carry the content, with the colours of a light page, so that a picture is complete without styles and
scripts. Its style sheet only replaces those colours on a dark page, and animates things that moved inside an element
with the attribute ``data-moving``, unless the reader prefers less motion.

For scripts, the root has ``data-picture``, with the model's name. Each thing is a group with its ``id``, ``data-thing``
(the id without the prefix that keeps two pictures on a page apart), ``data-kind``, and where they apply ``data-tone``,
``data-change`` (``new``, ``changed``, ``gone``, or ``differs`` for two side by side), ``data-fault``, and
``data-moved`` for a thing that was elsewhere in the state before.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from workbench.showing.pictures.compare import GONE, NEW
from workbench.showing.pictures.layout import LOOKS, Line, Placed, is_framed
from workbench.showing.pictures.letters import FONT, width_of
from workbench.showing.pictures.markup import Markup, element, joined, number
from workbench.showing.pictures.things import BAD, BUSY, GOOD, ODD, PLAIN, QUIET, Arrow, Badge, Box, Row

#: The colours of a light page, and their replacements on a dark one; hues after Okabe and Ito. Each light colour has
#: one purpose, since the style sheet selects by it.
PAPER, PANEL, CARD = "#ffffff", "#f4f6f8", "#fefefe"
LINE, INK, MUTED = "#bcc6cf", "#1d2630", "#566370"
GREEN, BLUE, AMBER, RED = "#00734f", "#0067a5", "#7a5200", "#b03f00"
GREEN_TINT, BLUE_TINT, AMBER_TINT, RED_TINT = "#e4f4ee", "#e6f1fa", "#fff3d6", "#fdebe2"
FRESH, FRESH_TINT = "#d98e00", "#ffe9b3"
DARK = {
    PAPER: "#14181c", PANEL: "#1c2228", CARD: "#262d34", LINE: "#4a5560", INK: "#e9edf1", MUTED: "#a7b3be",
    GREEN: "#45cba2", BLUE: "#6cbcf2", AMBER: "#f0b94a", RED: "#ff9a5c",
    GREEN_TINT: "#12332a", BLUE_TINT: "#142f45", AMBER_TINT: "#3a2e12", RED_TINT: "#45240f",
    FRESH: "#e69f00", FRESH_TINT: "#5a430c",
}  # fmt: skip

_STROKES = {PLAIN: LINE, QUIET: LINE, GOOD: GREEN, BUSY: BLUE, ODD: FRESH, BAD: RED}
_FILLS = {PLAIN: CARD, QUIET: PANEL, GOOD: GREEN_TINT, BUSY: BLUE_TINT, ODD: AMBER_TINT, BAD: RED_TINT}
_INKS = {PLAIN: INK, QUIET: MUTED, GOOD: GREEN, BUSY: BLUE, ODD: AMBER, BAD: RED}

_LEGEND_HEIGHT = 26
#: The corners of a question mark without its dot, from the centre of the sign.
_HOOK = (-2.5, -1.5), (-1, -4), (1, -4), (2.5, -1.5), (0, 0.5), (0, 1)
#: The length of a segment of an arrow that has room for a sign.
_SIGN_ROOM = 34


def _style() -> str:
    """The style sheet; `light-dark` follows the page around the picture, or the reader's preference if it is alone."""
    colours = "".join(
        f'[data-picture] [{attribute}="{light}"]{{{attribute}:light-dark({light},{dark})}}'
        for light, dark in DARK.items()
        for attribute in ("fill", "stroke")
    )
    return (
        "svg[data-picture]{max-width:100%;height:auto}"
        '[data-jp-theme-light="true"] [data-picture]{color-scheme:light}'
        '[data-jp-theme-light="false"] [data-picture]{color-scheme:dark}'
        "@media (prefers-color-scheme:dark){svg[data-picture]:root{color-scheme:dark}}"
        f"{colours}"
        "@media (prefers-reduced-motion:no-preference){"
        "[data-moving] [data-picture] [data-moved]{animation:wb-picture-move .5s ease-out}"
        "[data-moving] [data-picture] [data-change=new]{animation:wb-picture-appear .5s ease-out}}"
        "@keyframes wb-picture-move{from{transform:translate(var(--from-x),var(--from-y))}}"
        "@keyframes wb-picture-appear{from{opacity:0}}"
    )


STYLE = Markup(_style())


def document(content: Markup, model: str, label: str, area: tuple[float, float, float, float]) -> Markup:
    """An SVG of the content that :meth:`Painter.content` returns.

    Args:
        area: The part of the content to show: its left and upper edges, its width and its height.
    """
    *_, width, height = area
    return element(
        "svg",
        element("style", STYLE),
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(number, area)),
        width=width,
        height=height,
        role="img",
        aria_label=label,
        font_family=FONT,
        data_picture=model,
    )


class Painter:
    """Paints one picture.

    Args:
        changes: ``new``, ``changed``, ``gone`` or ``differs``, by id.
        at_fault: The ids of the things to mark.
        moved: By id a thing's previous position, relative to its present one.
        prefix: Precedes each id, for several pictures in one document.
        is_suspected: Whether the faults are only suspected: their outlines are dashed.
    """

    def __init__(
        self,
        changes: Mapping[str, str],
        at_fault: frozenset[str],
        moved: Mapping[str, tuple[float, float]],
        prefix: str = "",
        *,
        is_suspected: bool = False,
    ) -> None:
        self.is_suspected = is_suspected
        self.wrong = ODD if is_suspected else BAD
        self.outline = {"stroke": AMBER, "stroke_dasharray": "7 4"} if is_suspected else {"stroke": RED}
        self.changes, self.at_fault, self.moved, self.prefix = changes, at_fault, moved, prefix

    def size(self, width: float, height: float) -> tuple[float, float]:
        """The size of the picture, given that of its things: there may be a legend below them."""
        legend, wide = self._legend(height)
        return max(width, wide), height + (_LEGEND_HEIGHT if legend else 0)

    def svg(
        self,
        model: str,
        label: str,
        placed: Sequence[Placed],
        arrows: Iterable[tuple[Arrow, list[tuple[float, float]]]],
        width: float,
        height: float,
    ) -> Markup:
        """The whole picture, with the size from :meth:`size`."""
        return document(self.content(placed, arrows, width, height), model, label, (0, 0, width, height))

    def content(
        self,
        placed: Sequence[Placed],
        arrows: Iterable[tuple[Arrow, list[tuple[float, float]]]],
        width: float,
        height: float,
    ) -> Markup:
        """The contents of the picture, for a document with the style sheet."""
        legend, _ = self._legend(height - _LEGEND_HEIGHT)
        followers = {
            item.id for box in placed if box.thing.kind == "queue" for item in box.thing.body[1:] if hasattr(item, "id")
        }
        return joined(
            [
                element("rect", width=width, height=height, rx=8.0, fill=PAPER),
                *(self._thing(box, box.thing.id in followers) for box in placed),
                *(self._arrow(arrow, corners) for arrow, corners in arrows),
                *legend,
            ]
        )

    # Things ------------------------------------------------------------------------------------------------------

    def _group(self, thing: Any, *inside: str) -> Markup:
        change = self.changes.get(thing.id)
        dx, dy = self.moved.get(thing.id, (0.0, 0.0))
        shift = f"--from-x:{number(dx)}px;--from-y:{number(dy)}px" if dx or dy else None
        return element(
            "g",
            element("title", thing.hover) if thing.hover else "",
            *inside,
            id=self.prefix + thing.id,
            data_thing=thing.id,
            data_kind=thing.kind,
            data_tone=None if thing.tone == PLAIN else thing.tone,
            data_change=change,
            data_fault="true" if thing.id in self.at_fault else None,
            data_moved="true" if shift else None,
            style=shift,
            opacity=0.6 if thing.faded else None,
        )

    def _thing(self, box: Placed, follows: bool) -> Markup:
        thing, parts = box.thing, []
        if follows:
            x, y = box.x - 12, box.y + box.h / 2
            parts.append(
                element("path", d=_path((x + 3, y - 6), (x - 3, y), (x + 3, y + 6)), fill="none", stroke=MUTED,
                        stroke_width=2.0, stroke_linecap="round", stroke_linejoin="round")
            )  # fmt: skip
        parts += self._frame(box)
        parts += [self._fresh(line) for line in box.lines if line.fresh]
        parts += [_line(line, thing) for line in box.lines]
        parts += self._marks(box)
        return self._group(thing, *parts)

    def _frame(self, box: Placed) -> list[Markup]:
        thing = box.thing
        tone = self.wrong if thing.id in self.at_fault and thing.kind != "table" else thing.tone
        attributes: dict[str, Any] = {"fill": _FILLS[tone], "stroke": _STROKES[tone]}
        if isinstance(thing, Badge):
            return [_rect(box, 0, min(box.h / 2, 12.0), **attributes)]
        if isinstance(thing, Row):
            rule = element("line", x1=box.x, x2=box.x + box.w, y1=box.y, y2=box.y, stroke=LINE, stroke_width=0.7)
            return [rule, *([_rect(box, 0, 2.0, fill=_FILLS[tone])] if tone not in (PLAIN, QUIET) else [])]
        if not isinstance(thing, Box) or not LOOKS[thing.kind].framed:
            return []
        if tone == PLAIN and thing.kind in ("column", "shelf"):
            attributes["fill"] = PANEL
        attributes["stroke_width"] = 1.6 if tone not in (PLAIN, QUIET) else 1.0
        if thing.dashed or thing.kind == "slot":
            attributes["stroke_dasharray"] = "5 4"
        if thing.kind == "file":
            return _folded(box, attributes)
        parts = [_rect(box, 0, 6.0, **attributes)]
        if thing.kind == "envelope":
            parts.append(_envelope(box.x + 10, box.y + 14, _INKS[tone]))
        return parts

    def _fresh(self, line: Line) -> Markup:
        return element(
            "rect", x=line.x - 3, y=line.y - line.size - 0.5, width=line.width + 6, height=line.size + 5.0, rx=3.0,
            fill=FRESH_TINT,
        )  # fmt: skip

    def _marks(self, box: Placed) -> list[Markup]:
        """The outlines and signs of things that changed or are at fault."""
        thing, parts = box.thing, []
        change, wrong = self.changes.get(thing.id), thing.id in self.at_fault
        if wrong or not is_framed(thing):
            change = None
        tight = 1.0 if isinstance(thing, Row) else 3.0
        if change is not None:
            dashes = "3 4" if change == GONE else None
            parts.append(
                _rect(box, tight, 6 + tight, fill="none", stroke=FRESH, stroke_width=2.2, stroke_dasharray=dashes)
            )
            if change in (NEW, GONE) and not isinstance(thing, Row):
                parts.append(_sign(box.x - tight + 2, box.y - tight + 2, FRESH, "+" if change == NEW else "-"))
        if wrong:
            parts.append(_rect(box, tight, 6 + tight, fill="none", **self.outline, stroke_width=2.8))
            if not isinstance(thing, Row):
                parts.append(self._fault_sign(box.x + box.w + tight - 2, box.y - tight + 2))
        return parts

    def _fault_sign(self, x: float, y: float) -> Markup:
        return _sign(x, y, self.outline["stroke"], "?" if self.is_suspected else "x")

    # Arrows ------------------------------------------------------------------------------------------------------

    def _arrow(self, arrow: Arrow, corners: list[tuple[float, float]]) -> Markup:
        tone = self.wrong if arrow.id in self.at_fault else arrow.tone
        colour = _STROKES[tone] if tone not in (PLAIN, QUIET) else MUTED
        (x0, y0), (x1, y1) = corners[-2:]
        length = max(abs(x1 - x0) + abs(y1 - y0), 0.1)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        back = (x1 - 8 * ux, y1 - 8 * uy)
        wide = 2.6 if arrow.id in self.at_fault else 1.6
        head = (x1, y1), (back[0] - 4.5 * uy, back[1] + 4.5 * ux), (back[0] + 4.5 * uy, back[1] - 4.5 * ux)
        under = element("path", d=_path(*corners[:-1], back), fill="none", stroke=PAPER, stroke_width=wide + 3,
                        stroke_opacity=0.7)  # fmt: skip
        body = element(
            "path", d=_path(*corners[:-1], back), fill="none", stroke=colour, stroke_width=wide,
            stroke_dasharray="5 4" if arrow.dashed else None, stroke_linejoin="round",
        )  # fmt: skip
        marks = self._arrow_marks(arrow, corners, wide)
        return self._group(arrow, under, *marks, body, element("path", d=_path(*head) + "Z", fill=colour))

    def _arrow_marks(self, arrow: Arrow, corners: list[tuple[float, float]], wide: float) -> list[Markup]:
        """The marks of an arrow that changed: a band on both sides, and a sign if there is room."""
        change = self.changes.get(arrow.id)
        if change is None or arrow.id in self.at_fault:
            return []
        band = element(
            "path", d=_path(*corners), fill="none", stroke=FRESH, stroke_width=wide + 5, stroke_opacity=0.5,
            stroke_dasharray="3 4" if change == GONE else None, stroke_linejoin="round",
        )  # fmt: skip
        (x0, y0), (x1, y1) = max(pairwise(corners), key=lambda ends: math.dist(*ends))
        if change not in (NEW, GONE) or math.dist((x0, y0), (x1, y1)) < _SIGN_ROOM:
            return [band]
        return [band, _sign((x0 + x1) / 2, (y0 + y1) / 2, FRESH, "+" if change == NEW else "-")]

    # The legend --------------------------------------------------------------------------------------------------

    def _legend(self, top: float) -> tuple[list[Markup], float]:
        """The meaning of the outlines in use, and the width of this legend."""
        words = {"new": "appeared", "changed": "changed", "gone": "went", "differs": "differs"}
        here = [change for change in words if change in self.changes.values()]
        entries = [*((words[change], FRESH, change) for change in here)]
        if self.at_fault:
            entries.append(("suspected", AMBER, "x") if self.is_suspected else ("at fault", RED, "x"))
        x, parts = 18.0, []
        for label, colour, kind in entries:
            box = Placed(None, x, top - 2, 16, 12, [])
            dashes = {GONE: "3 4", "x": self.outline.get("stroke_dasharray")}.get(kind)
            parts.append(_rect(box, 0, 3.0, fill="none", stroke=colour, stroke_width=2.2, stroke_dasharray=dashes))
            if kind == "x":
                parts.append(self._fault_sign(x + 16, top - 2))
            elif kind in (NEW, GONE):
                parts.append(_sign(x, top - 2, colour, "+" if kind == NEW else "-"))
            x += 29 if kind == "x" else 24
            parts.append(element("text", label, x=x, y=top + 8.5, font_size=12, fill=MUTED))
            x += width_of(label, 12) + 22
        return parts, x


def _line(line: Line, thing: Any) -> Markup:
    style = line.style
    tone = style.tone if style.tone != PLAIN else (QUIET if style.small else PLAIN)
    if tone == PLAIN and (isinstance(thing, Badge) or (isinstance(thing, Box) and style is thing.title)):
        tone = thing.tone
    if tone == PLAIN and isinstance(thing, Box) and thing.kind == "part":
        tone = QUIET
    return element(
        "text",
        line.text,
        x=line.x,
        y=line.y,
        font_size=line.size,
        font_weight=600 if style.bold else None,
        fill=_INKS[tone],
        text_decoration="line-through" if style.struck else None,
    )


def _rect(box: Placed, off: float, radius: float, **attributes: Any) -> Markup:
    return element(
        "rect", x=box.x - off, y=box.y - off, width=box.w + 2 * off, height=box.h + 2 * off, rx=radius, **attributes
    )


def _path(*points: tuple[float, float]) -> str:
    return "M" + "L".join(f"{number(x)},{number(y)}" for x, y in points)


def _folded(box: Placed, attributes: Mapping[str, Any]) -> list[Markup]:
    """A sheet of paper with its upper right corner turned down."""
    x, y, right, bottom, fold = box.x, box.y, box.x + box.w, box.y + box.h, 10
    sheet = _path((x, y), (right - fold, y), (right, y + fold), (right, bottom), (x, bottom)) + "Z"
    corner = _path((right - fold, y), (right - fold, y + fold), (right, y + fold))
    return [
        element("path", d=sheet, stroke_linejoin="round", **attributes),
        element("path", d=corner, fill="none", stroke=attributes["stroke"], stroke_width=attributes["stroke_width"]),
    ]


def _envelope(x: float, y: float, colour: str) -> Markup:
    box = _path((x, y), (x + 16, y), (x + 16, y + 11), (x, y + 11)) + "Z"
    flap = _path((x, y), (x + 8, y + 6.5), (x + 16, y))
    return element("path", d=box + flap, fill="none", stroke=colour, stroke_width=1.4, stroke_linejoin="round")


def _sign(x: float, y: float, colour: str, sign: str) -> Markup:
    """A small disc with a sign in it, so that colour alone never carries meaning."""
    arms = {
        "+": _path((x - 3.5, y), (x + 3.5, y)) + _path((x, y - 3.5), (x, y + 3.5)),
        "-": _path((x - 3.5, y), (x + 3.5, y)),
        "x": _path((x - 3, y - 3), (x + 3, y + 3)) + _path((x - 3, y + 3), (x + 3, y - 3)),
        "?": "".join(_path(*ends) for ends in pairwise((x + dx, y + dy) for dx, dy in _HOOK))
        + _path((x, y + 4), (x, y + 4.2)),
    }[sign]
    return element("circle", cx=x, cy=y, r=7.0, fill=colour) + element(
        "path", d=arms, stroke=PAPER, stroke_width=2.0, stroke_linecap="round"
    )
