"""The texts of a model, for models that are texts: each is folded away, with numbered lines."""

from collections.abc import Iterable
from typing import Any

from workbench.kernel import Machine
from workbench.kernel.meaning.properties import Fault
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.html import folded


def listing(model: Machine, prefix: str, is_open: bool = False) -> Markup:
    """All sources of a model.

    Args:
        prefix: The prefix of line ids, unique on a page. A place such as ``Hudi.tla:40`` follows it.
        is_open: Whether the sources are expanded.
    """
    return joined(
        folded(element("code", file), _numbered(text, f"{prefix}{file}"), is_open, class_="wb-listing")
        for file, text in model.sources.items()
    )


def marks_in(model: Machine, faults: Iterable[Fault]) -> list[dict[str, Any]]:
    """The marks in the listing for some faults: each in a ``line``, ``from`` one character ``to`` another.

    Characters count from 0. No two marks begin at the same character, even if several faults do. ``place`` is the place
    that a fault names; it is "" for the fault's further lines.
    """
    marks = dict[tuple[str, int], dict[str, Any]]()
    for fault in faults:
        for span in fault.spans:
            text = model.sources[span.file].split("\n")[span.line - 1]
            begin, end = (len(text[: column - 1].expandtabs()) for column in (span.column, span.end))
            line, place = f"{span.file}:{span.line}", span.place if f"({span.place})" in fault else ""
            mark = marks.setdefault((line, begin), {"line": line, "from": begin, "to": end, "place": place})
            mark |= {"to": max(mark["to"], end), "place": mark["place"] or place}
    return [*marks.values()]


def _numbered(text: str, id: str) -> Markup:
    lines = enumerate(text.rstrip().split("\n"), 1)
    shown = (element("li", element("code", line.rstrip("\r").expandtabs()), id=f"{id}:{at}") for at, line in lines)
    return element("ol", *shown, class_="wb-scroll", tabindex=0)
