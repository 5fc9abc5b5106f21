"""Drawing SVG by hand: a sheet on which shapes and texts are placed.

Texts and lines have the page's text colour (``currentColor``); an SVG shown as an image has no page, and takes the
middle grey of its root. Only attributes are used, no styles, since some viewers strip those.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from workbench.view.html import MIDDLE, clip, element, escape

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
#: The width of a letter as a share of the font size, on the safe side.
_LETTER = 0.58


def fit(text: str, width: float, size: float = 12) -> str:
    """`text`, cut so that it fits into `width`."""
    return clip(text, max(1, int(width / (size * _LETTER))))


def width_of(text: str, size: float = 12) -> float:
    """About how wide `text` is."""
    return len(text) * size * _LETTER


class Sheet:
    """An SVG picture under construction."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.parts: list[str] = []

    def add(self, name: str, *inside: str, **attributes: Any) -> None:
        self.parts.append(element(name, *inside, **attributes))

    @contextmanager
    def group(self, **attributes: Any) -> Iterator[None]:
        """What is added inside becomes one group."""
        outside, self.parts = self.parts, []
        yield
        outside.append(element("g", *self.parts, **attributes))
        self.parts = outside

    def text(
        self, x: float, y: float, text: str, size: float = 12, hover: str | None = None, **attributes: Any
    ) -> None:
        given = {"x": _n(x), "y": _n(y), "font_size": size, "fill": "currentColor", **attributes}
        self.add("text", _title(hover), escape(text), **given)

    def spans(
        self, x: float, y: float, texts: Sequence[tuple[str, bool]], size: float, hover: str, **attributes: Any
    ) -> None:
        """A line of texts, each bold or not."""
        spans = (element("tspan", escape(text), font_weight=600 if bold else None) for text, bold in texts)
        self.add("text", _title(hover), *spans, x=_n(x), y=_n(y), font_size=size, **attributes)

    def line(self, x1: float, y1: float, x2: float, y2: float, **attributes: Any) -> None:
        defaults = {"stroke": "currentColor", "stroke_width": 1}
        self.add("line", x1=_n(x1), y1=_n(y1), x2=_n(x2), y2=_n(y2), **{**defaults, **attributes})

    def rect(self, x: float, y: float, width: float, tall: float, hover: str | None = None, **attributes: Any) -> None:
        self.add("rect", _title(hover), x=_n(x), y=_n(y), width=_n(width), height=_n(tall), **attributes)

    def arrow(self, x1: float, y: float, x2: float, color: str, **attributes: Any) -> None:
        """A horizontal line with a head at `x2`."""
        back = 6 if x2 > x1 else -6
        self.line(x1, y, x2 - back, y, stroke=color, stroke_width=1.5, **attributes)
        corners = ((x2, y), (x2 - back, y - 4), (x2 - back, y + 4))
        self.add("polygon", points=" ".join(f"{_n(a)},{_n(b)}" for a, b in corners), fill=color)

    def svg(self, width: float, height: float, role: str = "img") -> str:
        """The finished picture: as wide as given, or as narrow as its place demands; a ``group`` if it has buttons."""
        return element(
            "svg",
            *self.parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {_n(width)} {_n(height)}",
            width=_n(width),
            role=role,
            aria_label=self.label,
            color=MIDDLE,
            font_family=FONT,
        )


def _title(hover: str | None) -> str:
    return "" if hover is None else element("title", escape(hover))


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
