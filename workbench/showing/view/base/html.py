"""The basis of everything drawn: the style sheet, and the display in a notebook.

A drawing is HTML with inline SVG. It takes its text colour from the page, and so suits light and dark ones. Outputs
saved in a notebook must also survive viewers that strip SVG, scripts and styles: each SVG is saved as an image, and a
script, where it may run, turns it back into inline SVG.
"""

import itertools
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any
from xml.etree import ElementTree

from workbench.kernel.meaning.result import WITHIN
from workbench.showing.pictures.markup import SVG, Markup, address_of, element, inside, joined, rewritten

#: Colour-blind safe, after Okabe and Ito; the darker ones of a pair carry white text.
BLUE, SKY, GREEN, ORANGE, VERMILLION, PURPLE = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7"
#: Legible on white and on near-black, for parts that cannot take their colour from the page.
MIDDLE = "#777777"

#: The folder of the scripts and style sheets.
FOLDER = resources.files("workbench.showing.view")

#: For each word of a verdict its mark and its class in the style sheet.
MARKS = {
    "holds": ("\N{CHECK MARK}", "good"),
    "reached": ("\N{CHECK MARK}", "good"),
    "violated": ("\N{BALLOT X}", "bad"),
    "not reached": ("\N{BALLOT X}", "bad"),
    **{f"holds {words}": ("(\N{CHECK MARK})", "good") for words in WITHIN},
    **{f"not reached {words}": ("(\N{BALLOT X})", "bad") for words in WITHIN},
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
    """A remark in a separate paragraph."""
    return element("p", words, class_="wb-note")


def headed(name: object, words: object) -> Markup:
    """A line that begins with a name."""
    return element("p", element("b", name), " ", words)


def bullets(lines: Iterable[object]) -> Markup:
    """A list with these lines."""
    return element("ul", *(element("li", line) for line in lines))


def folded(summary: object, inside: object, is_open: bool = False, **attributes: Any) -> Markup:
    """Contents that unfold below a summary."""
    return element("details", element("summary", summary), inside, **attributes, open="" if is_open else None)


def clip(text: str, most: int) -> str:
    """`text`, cut to at most that many characters."""
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


@cache
def style(name: str) -> str:
    """A style sheet without comments and indents: each drawing carries its own copy."""
    text = FOLDER.joinpath(name).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/\s*|^ +", "", text, flags=re.DOTALL | re.MULTILINE)


def script(*names: str, folder: Traversable = FOLDER) -> str:
    """Several scripts as one, without comment lines and indents: each drawing carries its own copy."""
    text = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    return re.sub(r"^\s*//.*\n|^ +", "", text, flags=re.MULTILINE)


@cache
def player_script() -> str:
    """The player of traces, for pages and notebooks: it defines ``playTrace``."""
    parts = ("pictures", "slides", "present", "keys", "take", "find", "watches", "player")
    return script(*(f"{name}.js" for name in parts))


@cache
def canvas_script(states: bool = True, density: bool = True) -> str:
    """The scripts that draw on canvases; the script of pictures must come before them.

    Args:
        states: Whether there are whole state graphs: it then defines ``openStates``.
        density: Whether there are densities: it then defines ``openDensity``.
    """
    parts = [*(["d3-zoom", "states"] if states else []), *(["density"] if density else [])]
    return script(*(f"{name}.js" for name in ["canvas", *parts])) if parts else ""


def drawn_style(traces: bool = True) -> str:
    """The style sheet of drawings and, if there are traces to play, of the player.

    The player's rules have the root in their selectors, and so override equal rules for drawings: a page may repeat
    those further down, with its other drawings.
    """
    return style("style.css") + (f":is(html, :where(:host)) {{\n{style('player.css')}}}" if traces else "")


def live_script(
    *more: str, traces: bool = True, states: bool = False, density: bool = False, runs: bool = False
) -> Markup:
    """The script that makes the drawings in the same element live, and the scripts that build on it.

    Args:
        traces: Whether the drawings include traces to play.
        states, density, runs: Whether they include whole state graphs, densities, or two runs side by side.
    """
    rest = (player_script() if traces or runs else script("pictures.js")) + canvas_script(states, density)
    rest += script("runs.js") if runs else ""
    return Markup(f"(() => {{\n{rest}{script('live.js')}{''.join(more)}}})();")


class Drawn:
    """Something drawn. Its content is in its attributes; `html` and `text` show it."""

    def html(self) -> Markup:
        """A fragment of HTML, to be placed inside an element of class ``wb`` on a page with the style sheet."""
        raise NotImplementedError

    def text(self) -> str:
        """The drawing as text, for terminals."""
        raise NotImplementedError

    def bundle(self) -> dict[str, Any]:
        """The output for a notebook, by MIME type."""
        return {"text/html": str(portable(self.html())), "text/plain": self.text()}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.bundle()

    def __repr__(self) -> str:
        return self.text()


class Figure(Drawn):
    """Something drawn that is one picture.

    Attributes:
        notes: Notes on the picture for people, such as on what was left out.
    """

    title: str
    notes: tuple[str, ...]

    def svg(self) -> Markup:
        raise NotImplementedError

    def html(self) -> Markup:
        return element("figure", element("figcaption", self.title), self.svg(), *map(noted, self.notes))

    def bundle(self) -> dict[str, Any]:
        return {**super().bundle(), "image/svg+xml": str(self.svg())}


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


#: The styles that matter if a style sheet is stripped, as in an untrusted notebook: by element, or by classes.
_INLINE = {
    ("td",): "text-align: left; vertical-align: top; white-space: normal",
    ("th",): "text-align: left",
    ("wb-number",): "text-align: right",
    ("wb-badge",): "padding: 0 8px; font-weight: 600; color: #fff; white-space: nowrap",
    ("wb-badge", "wb-good"): "background-color: #007a59",
    ("wb-badge", "wb-bad"): "background-color: #b84700",
    ("wb-badge", "wb-open"): "background-color: #e69f00; color: #111",
    ("wb-truth", "wb-bad"): "font-weight: 600",
    ("wb-new",): "font-weight: 700",
    ("wb-link",): "word-break: break-all",
}
_FITTING = "max-width: 100%; height: auto"


def portable(fragment: Markup) -> Markup:
    """The fragment as it is saved in a notebook: see the head of this module."""
    whole = ElementTree.fromstring(f"<div>{fragment}</div>")
    classes = {part.get("class") for part in whole.iter()}
    traces, states, density, runs = (f"wb-{name}" in classes for name in ("trace", "whole", "density", "runs"))
    is_live = states or density or whole.find(f".//{SVG}svg") is not None
    live = element("script", live_script(traces=traces, states=states, density=density, runs=runs)) if is_live else None
    return element(
        "div", element("style", Markup(drawn_style(traces))), inside(whole, _kept), live, class_="wb wb-cell"
    )


def _kept(part: ElementTree.Element) -> Markup:
    """An element with the styles of its kind and classes; SVG as an image."""
    if part.tag == f"{SVG}svg":
        image = address_of(_as_it_is(part))
        return element("img", class_="wb-svg", src=image, alt=part.get("aria-label", ""), style=_FITTING)
    has = {part.tag, *part.get("class", "").split()}
    styles = "; ".join(style for classes, style in _INLINE.items() if has.issuperset(classes))
    return rewritten(part, _kept, **({"style": styles} if styles and part.get("style") is None else {}))


def _as_it_is(part: ElementTree.Element) -> Markup:
    return rewritten(part, _as_it_is)
