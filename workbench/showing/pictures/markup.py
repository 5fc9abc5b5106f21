"""The one writer of HTML and SVG. An element escapes everything that is not markup already."""

import html
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element

from workbench.kernel.meaning.text import printable_lines

#: Elements without a closing tag if they are empty; HTML demands one for all others.
_EMPTY = frozenset({"br", "circle", "img", "input", "line", "link", "meta", "path", "polygon", "rect", "wbr"})
#: The characters that need no escape in the address of an image.
_AS_THEY_ARE = " =/:;,.-_!*()+"
#: Between the words of a name.
_IN_NAMES = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=\w_)(?=\w)")
#: Before the tags of SVG that was parsed.
SVG = "{http://www.w3.org/2000/svg}"


class Markup(str):
    """Text that is markup. The caller who constructs it vouches for its content."""

    __slots__ = ()

    def __add__(self, other: str) -> "Markup":
        return joined([self, other])

    def __radd__(self, other: str) -> "Markup":
        return joined([other, self])


def as_text(content: Any) -> Any:
    """`content` with plain strings for all markup in it: marimo's encoder cannot handle subclasses of str."""
    match content:
        case str():
            return str(content)
        case dict():
            return {name: as_text(value) for name, value in content.items()}
        case list() | tuple():
            return [as_text(value) for value in content]
    return content


def address_of(svg: str) -> str:
    """A drawing as the address of an image. It stays text, so that a notebook with many of them can be compressed."""
    return f"data:image/svg+xml,{quote(svg, safe=_AS_THEY_ARE)}"


def escape(text: object) -> Markup:
    r"""`text` as markup; control and invisible characters become escapes.

    Examples:
        >>> print(escape("a < b\x00"), escape(Markup("<br/>")))
        a &lt; b\x00 <br/>
    """
    return text if isinstance(text, Markup) else Markup(html.escape(printable_lines(str(text))))


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """All parts as markup, one after the other; None is left out."""
    return Markup(escape(between).join(escape(part) for part in parts if part is not None))


def breakable(text: str) -> Markup:
    """`text`, whose long names may be broken between their words.

    Examples:
        >>> print(breakable("breaks NoDanglingFiles, MAX_OPS"))
        breaks No<wbr/>Dangling<wbr/>Files, MAX_<wbr/>OPS
    """
    return joined(_IN_NAMES.split(text), element("wbr"))


def number(value: float) -> str:
    """A length in pixels with one decimal; below 1, such as a share, with two."""
    return f"{value:.{2 if abs(value) < 1 else 1}f}".rstrip("0").rstrip(".")


def element(tag: str, *inside: object, **attributes: Any) -> Markup:
    """An element of HTML or SVG; contents and attributes that are None are left out.

    Examples:
        >>> print(element("td", "a < b", element("br"), class_="wb-cell", font_size=12.04, title=None))
        <td class="wb-cell" font-size="12">a &lt; b<br/></td>
    """
    spelled = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(number(value) if isinstance(value, float) else value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    content = joined(inside)
    return Markup(f"<{tag}{spelled}/>" if tag in _EMPTY and not content else f"<{tag}{spelled}>{content}</{tag}>")


def rewritten(part: Element, rewrite: Callable[[Element], Markup], *more: Markup, **attributes: Any) -> Markup:
    """An element that was parsed, with its children rewritten, and with `more` children and attributes."""
    space = {"xmlns": SVG.strip("{}")} if part.tag == f"{SVG}svg" else {}
    merged = {**space, **dict(part.items()), **attributes}
    return element(part.tag.removeprefix(SVG), inside(part, rewrite), *more, **merged)


def inside(part: Element, rewrite: Callable[[Element], Markup]) -> Markup:
    """The contents of an element that was parsed, with its children rewritten.

    Texts are unchanged, since invisible characters were escaped when they were written. A style sheet keeps its quotes.
    """
    quote = part.tag != f"{SVG}style"
    parts = [html.escape(part.text or "", quote)]
    for child in part:
        parts += [rewrite(child), html.escape(child.tail or "", quote)]
    return Markup("".join(parts))
