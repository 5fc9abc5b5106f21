"""The page of incidents: its reports as cards, grouped by kind of loss and by protocol, each with the box at fault."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import NamedTuple

from website.keeping import ROOT
from workbench.showing.pictures import Picture
from workbench.showing.pictures.layout import Placed, is_framed
from workbench.showing.pictures.markup import Markup, address_of, element
from workbench.showing.pictures.paint import document
from workbench.showing.pictures.things import BAD

#: The page, which has configurations of all folders of ``specs`` in its table.
PAGE = "docs/incidents.md"
#: A report: its title, its text, the configuration that shows it, and what prevents it.
_REPORT = re.compile(
    r"\*\*(?P<title>[^*]+)\*\*\s+(?P<text>.+?)\nShown by `(?P<name>[\w/]+)`; prevented by (?P<by>.+)\.\s*$", re.DOTALL
)
_SENTENCE = re.compile(r".+?[.?](?=\s+[A-Z\[])|.+", re.DOTALL)
_LOCAL_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")
#: The largest part of a picture on a card, in pixels, and the margin around it.
_ROOM, _MARGIN = (330, 230), 14


class Report(NamedTuple):
    """A report.

    Attributes:
        name: The configuration that shows it.
        by: The setting that prevents it, as Markdown.
    """

    title: str
    text: str
    name: str
    by: str

    @property
    def first_sentence(self) -> str:
        sentence = _SENTENCE.match(self.text)
        assert sentence is not None
        return sentence[0]


@dataclass(frozen=True)
class Shown:
    """The trace that shows a report.

    Attributes:
        page: The address of the trace's page, relative to the page of incidents.
        protocol: The protocol's title.
        fault: The box at fault, as SVG.
    """

    page: str
    protocol: str
    fault: str


def _report(paragraph: str) -> Report | None:
    matched = _REPORT.match(paragraph)
    return Report(**matched.groupdict()) if matched else None


@cache
def reports() -> dict[str, str]:
    """The reports, title and text, by the configuration that shows them."""
    paragraphs = ROOT.joinpath(PAGE).read_text(encoding="utf-8").split("\n\n")
    texts: dict[str, list[str]] = {}
    for report in filter(None, map(_report, paragraphs)):
        texts.setdefault(report.name, []).append(_LOCAL_LINK.sub(r"\1", f"**{report.title}** {report.text}\n"))
    return {name: "\n".join(each) for name, each in texts.items()}


def cards(text: str, shown: Mapping[str, Shown]) -> str:
    """The page with a card in place of each report that is shown, those of a section sorted by protocol."""
    parts, waiting = list[str](), list[Report]()
    for paragraph in text.split("\n\n"):
        report = _report(paragraph)
        if report and report.name in shown:
            waiting.append(report)
        else:
            parts += [*_grouped(waiting, shown), paragraph]
            waiting = []
    return "\n\n".join([*parts, *_grouped(waiting, shown)])


def _grouped(reports: Sequence[Report], shown: Mapping[str, Shown]) -> Iterator[str]:
    def protocol(report: Report) -> str:
        return shown[report.name].protocol

    for title, group in groupby(sorted(reports, key=protocol), protocol):
        inside = "\n\n".join(_card(report, shown[report.name]) for report in group)
        yield f"{{.incidents-of}}\n{title}"
        yield f"`````{{container}} incidents\n{inside}\n`````"


def _card(report: Report, shown: Shown) -> str:
    image = element("img", src=address_of(shown.fault), alt=f"the fault in {report.name}", loading="lazy")
    link = element("a", image, href=shown.page, class_="incident-fault")
    sentence = _LOCAL_LINK.sub(r"\1", report.first_sentence)
    return f"""````{{container}} incident
```{{raw}} html
{link}
```

**{report.title}** {sentence}

{{.incident-by}}
Prevented by {report.by}
````"""


# The box at fault ----------------------------------------------------------------------------------------------------


def fault(picture: Picture, prefix: str = "") -> Markup:
    """The part of a picture that is at fault, at its own size: with everything wrong near it, and nothing else."""
    wrong = [placed for placed in picture.placed if placed.thing.id in picture.at_fault]
    wrong += [placed for placed in picture.placed if placed.thing.tone == BAD and placed not in wrong]
    boxes = [_box(placed, picture.placed) for placed in wrong] or list(picture.placed)
    left, top, right, bottom = boxes[0].x, boxes[0].y, boxes[0].x + boxes[0].w, boxes[0].y + boxes[0].h
    for box in boxes[1:]:
        wider = min(left, box.x), min(top, box.y), max(right, box.x + box.w), max(bottom, box.y + box.h)
        if wider[2] - wider[0] <= _ROOM[0] and wider[3] - wider[1] <= _ROOM[1]:
            left, top, right, bottom = wider
    within = [placed for placed in picture.placed if _is_within(placed, left, top, right, bottom)]
    ids = {placed.thing.id for placed in within}
    routes = [(arrow, corners) for arrow, corners in picture.routes if {arrow.source, arrow.target} <= ids]
    width, height = right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    content = replace(picture, placed=within, routes=routes).content(prefix)
    return document(content, picture.model, picture.label, (left - _MARGIN, top - _MARGIN, width, height))


def _box(box: Placed, placed: Sequence[Placed]) -> Placed:
    """The box around a row or a badge; of a pile also what lies behind."""
    by_id = {each.thing.id: each for each in placed}
    around = [box, *(by_id[id] for id in reversed(box.inside))]
    framed = next((each for each in around if each.thing.kind not in ("row", "badge") and is_framed(each.thing)), box)
    return next((each for each in around if each.thing.kind == "pile"), framed)


def _is_within(box: Placed, left: float, top: float, right: float, bottom: float) -> bool:
    return left <= box.x and top <= box.y and box.x + box.w <= right and box.y + box.h <= bottom
