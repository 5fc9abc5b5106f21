"""What everything drawn has in common: the style sheet, and how it shows itself in a notebook.

A drawing is HTML with inline SVG, which takes its text colour from the page and so suits light and dark ones. What a
notebook keeps must also survive viewers that strip SVG, scripts and styles: there each SVG travels as an image, and a
script turns it back into inline SVG where scripts may run.
"""

import itertools
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from workbench.kernel.meaning.result import WITHIN
from workbench.showing.pictures.markup import Markup, address_of, element, joined

#: Colour-blind safe, after Okabe and Ito; the darker ones of a pair carry white text.
BLUE, SKY, GREEN, ORANGE, VERMILLION, PURPLE = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7"
#: Legible on white and on near-black, for what cannot take its colour from the page.
MIDDLE = "#777777"

#: Where scripts and style sheets lie.
FOLDER = resources.files(__package__)

#: For each word of a verdict its mark and its class in the style sheet.
MARKS = {
    "holds": ("\N{CHECK MARK}", "good"),
    "reached": ("\N{CHECK MARK}", "good"),
    "violated": ("\N{BALLOT X}", "bad"),
    "not reached": ("\N{BALLOT X}", "bad"),
    f"holds {WITHIN}": ("(\N{CHECK MARK})", "good"),
    f"not reached {WITHIN}": ("(\N{BALLOT X})", "bad"),
    "unknown": ("?", "open"),
    "error": ("!", "open"),
}


def table(
    head: Iterable[object], rows: Iterable[Iterable[object]], class_: str = "", numbers: Container[int] = ()
) -> Markup:
    """A table; without `head` it has no header row. The columns at the places `numbers` hold numbers."""

    def cells(name: str, row: Iterable[object]) -> Markup:
        kinds = ("wb-number" if at in numbers else None for at in itertools.count())
        return joined(
            element(name if cell != "" else "td", cell, class_=kind)  # a heading says something
            for cell, kind in zip(row, kinds, strict=False)
        )

    top = cells("th", head)
    body = joined(element("tr", cells("td", row)) for row in rows)
    classes = f"wb-table {class_}".strip()
    return element(
        "table", element("thead", element("tr", top)) if top else None, element("tbody", body), class_=classes
    )


def badge(word: str, text: str | None = None) -> Markup:
    """A verdict's word with its mark, on its colour."""
    mark, kind = MARKS[word]
    return element("span", f"{mark} {text or word}", class_=f"wb-badge wb-{kind}")


def noted(words: object) -> Markup:
    """A remark, as a paragraph of its own."""
    return element("p", words, class_="wb-note")


def headed(name: object, words: object) -> Markup:
    """A line that begins with a name."""
    return element("p", element("b", name), " ", words)


def bullets(lines: Iterable[object]) -> Markup:
    """A list with these lines."""
    return element("ul", *(element("li", line) for line in lines))


def folded(summary: object, inside: object, is_open: bool = False, **attributes: Any) -> Markup:
    """What unfolds below its summary."""
    return element("details", element("summary", summary), inside, **attributes, open="" if is_open else None)


def clip(text: str, most: int) -> str:
    """`text`, cut to at most that many characters."""
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


@cache
def asset(name: str) -> str:
    """A file that lies beside this module."""
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


def script(*names: str, folder: Traversable = FOLDER) -> str:
    """Scripts as one, without the lines that are comments: each drawing carries its own."""
    text = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    return re.sub(r"^\s*//.*\n", "", text, flags=re.MULTILINE)


@cache
def player_script() -> str:
    """The player of traces, for pages and notebooks: it defines ``playTrace``."""
    parts = ("pictures", "slides", "present", "keys", "take", "find", "watches", "player")
    return script(*(f"{name}.js" for name in parts))


def drawn_style(traces: bool = True) -> str:
    """The style sheet of drawings and, where there are traces to be played, of the player.

    The player's rules stand below `html`, and so are stronger than rules for drawings that are like them: a page may
    have those again, further below, with what is drawn there.
    """
    return asset("style.css") + (f"html {{\n{asset('player.css')}}}" if traces else "")


def live_script(*more: str, traces: bool = True) -> Markup:
    """The script that makes the drawings live which are in the same element, and scripts that rest on it.

    Args:
        traces: Whether there are traces to be played among them.
    """
    rest = player_script() if traces else script("pictures.js")
    return Markup(f"(() => {{\n{rest}{script('live.js')}{''.join(more)}}})();")


class Drawn:
    """Something drawn. What it says is in its attributes; `html` and `text` show it."""

    def html(self) -> Markup:
        """A fragment of HTML, to be placed inside an element of class ``wb`` on a page with the style sheet."""
        raise NotImplementedError

    def text(self) -> str:
        """The same for terminals."""
        raise NotImplementedError

    def bundle(self) -> dict[str, Any]:
        """What a notebook keeps, by MIME type."""
        return {"text/html": portable(self.html()), "text/plain": self.text()}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.bundle()

    def __repr__(self) -> str:
        return self.text()


class Picture(Drawn):
    """Something drawn that is one picture.

    Attributes:
        notes: What a person should know about the picture, such as what was left out.
    """

    title: str
    notes: tuple[str, ...]

    def svg(self) -> Markup:
        raise NotImplementedError

    def html(self) -> Markup:
        return element("figure", element("figcaption", self.title), self.svg(), *map(noted, self.notes))

    def bundle(self) -> dict[str, Any]:
        return {**super().bundle(), "image/svg+xml": self.svg()}


@dataclass(frozen=True, repr=False)
class Rendered(Drawn):
    """Something that is ready to be shown, such as a table."""

    markup: Markup
    plain: str

    def html(self) -> Markup:
        return self.markup

    def text(self) -> str:
        return self.plain


class Joined(Drawn):
    """Several drawings, one below the other."""

    def __init__(self, *parts: Drawn) -> None:
        self.parts = parts

    def html(self) -> Markup:
        return joined(part.html() for part in self.parts)

    def text(self) -> str:
        return "\n\n".join(filter(None, (part.text() for part in self.parts)))


#: What matters where a style sheet is stripped, as in a notebook that is not trusted: by element, or class.
_INLINE = {
    "td": "text-align: left; vertical-align: top; white-space: normal",
    "th": "text-align: left",
    "wb-number": "text-align: right",
    "wb-badge": "padding: 0 8px; font-weight: 600; color: #fff; white-space: nowrap",
    "wb-badge wb-good": "background-color: #007a59",
    "wb-badge wb-bad": "background-color: #b84700",
    "wb-badge wb-open": "background-color: #e69f00; color: #111",
    "wb-truth wb-bad": "font-weight: 600",
    "wb-new": "font-weight: 700",
    "wb-link": "word-break: break-all",
    "wb-svg": "max-width: 100%; height: auto",
}
_OPENING = re.compile(r"<([a-z]+)((?: [^<>]*?)?)(/?)>")
_CLASSES = re.compile(r' class="([^"]*)"')


def _with_styles(tag: re.Match[str]) -> str:
    """An opening tag with the styles of its element and classes."""
    name, attributes, end = tag.groups()
    classes = _CLASSES.search(attributes)
    has = {name, *(classes.group(1).split() if classes else ())}
    styles = "; ".join(style for wanted, style in _INLINE.items() if has.issuperset(wanted.split()))
    return f'<{name}{attributes} style="{styles}"{end}>' if styles and " style=" not in attributes else tag.group()


_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_LABEL = re.compile(r'aria-label="([^"]*)"')


def _as_image(picture: re.Match[str]) -> str:
    svg = picture.group()
    label = _LABEL.search(svg)
    alternative = label.group(1) if label else ""
    return element("img", class_="wb-svg", src=address_of(svg), alt=Markup(alternative))


def portable(fragment: Markup) -> Markup:
    """The fragment as a notebook keeps it: see the head of this module."""
    body, images = _SVG.subn(_as_image, fragment)
    body = _OPENING.sub(_with_styles, body)
    traces = 'class="wb-trace"' in body
    live = element("script", live_script(traces=traces)) if images else None
    return element("div", element("style", Markup(drawn_style(traces))), Markup(body), live, class_="wb wb-cell")
