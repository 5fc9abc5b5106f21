"""Drawing SVG by hand: a sheet on which shapes and texts are placed.

Texts and lines have the page's text colour (``currentColor``); an SVG shown as an image has no page, and takes the
middle grey of its root. Only attributes are used, no styles, since some viewers strip those.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from workbench.showing.pictures.letters import FONT
from workbench.showing.pictures.markup import Markup, element, number
from workbench.showing.view.base.html import MIDDLE


class Sheet:
    """An SVG picture under construction."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.parts: list[Markup] = []

    def add(self, name: str, *inside: object, **attributes: Any) -> None:
        self.parts.append(element(name, *inside, **attributes))

    @contextmanager
    def group(self, **attributes: Any) -> Iterator[None]:
        """Collect in one group everything that is added within the block."""
        outside, self.parts = self.parts, []
        yield
        outside.append(element("g", *self.parts, **attributes))
        self.parts = outside

    def text(
        self, x: float, y: float, text: str, size: float = 12, hover: str | None = None, **attributes: Any
    ) -> None:
        merged = {"x": x, "y": y, "font_size": size, "fill": "currentColor", **attributes}
        self.add("text", _title(hover), text, **merged)

    def spans(
        self, x: float, y: float, texts: Sequence[tuple[str, bool]], size: float, hover: str, **attributes: Any
    ) -> None:
        """A line of texts, each bold or not."""
        spans = (element("tspan", text, font_weight=600 if bold else None) for text, bold in texts)
        self.add("text", _title(hover), *spans, x=x, y=y, font_size=size, **attributes)

    def line(self, x1: float, y1: float, x2: float, y2: float, **attributes: Any) -> None:
        defaults = {"stroke": "currentColor", "stroke_width": 1}
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **{**defaults, **attributes})

    def rect(self, x: float, y: float, width: float, tall: float, hover: str | None = None, **attributes: Any) -> None:
        self.add("rect", _title(hover), x=x, y=y, width=width, height=tall, **attributes)

    def arrow(self, x1: float, y: float, x2: float, color: str, **attributes: Any) -> None:
        """A horizontal line with a head at `x2`."""
        back = 6 if x2 > x1 else -6
        self.line(x1, y, x2 - back, y, stroke=color, stroke_width=1.5, **attributes)
        corners = ((x2, y), (x2 - back, y - 4), (x2 - back, y + 4))
        self.add("polygon", points=" ".join(f"{number(a)},{number(b)}" for a, b in corners), fill=color)

    def svg(self, width: float, height: float, role: str = "img") -> Markup:
        """The finished picture: as wide as given, or as narrow as its place demands; a ``group`` if it has buttons."""
        return element(
            "svg",
            *self.parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(width)} {number(height)}",
            width=width,
            role=role,
            aria_label=self.label,
            color=MIDDLE,
            font_family=FONT,
        )


def _title(hover: str | None) -> Markup | None:
    return None if hover is None else element("title", hover)
