"""An audit of a table: its findings with their evidence, and the picture of each in the terms of the model."""

from collections.abc import Callable
from functools import partial

from workbench import pictures
from workbench.kernel.values import counted
from workbench.tables.findings import Audit, Finding, reason
from workbench.tables.story import story
from workbench.view.html import Drawn, Picture, Rendered, element, escape
from workbench.view.report import page
from workbench.view.tables import constants_line
from workbench.view.trace import trace_view

#: The class of a grade's badge, and its words.
_GRADES = {
    "proved": ("bad", "\N{BALLOT X} proved"),
    "suspect": ("open", "? suspected"),
    "outside": ("good", "outside the model"),
}


def audit_view(audit: Audit) -> Drawn:
    """The whole audit: what was found, what it rests on, pictures, and what was not checked."""
    return Rendered(_fragment(audit), audit.text())


def audit_page(audit: Audit) -> str:
    """A self-contained HTML page on an audit, and on how the model comes to the same, for which it is checked."""
    return page(f"{audit.format} table {audit.path}", _fragment(audit) + _stories(audit))


def finding_view(finding: Finding) -> Drawn:
    """One finding: what it rests on, and its picture."""
    return Rendered(_finding(finding), "\n".join((finding.why, *finding.evidence)))


def finding_picture(finding: Finding) -> Picture | None:
    """The picture of a finding: the table's files, told as a state of the model; None if there is none."""
    if finding.model is None or finding.state is None:
        return None
    return _StatePicture(finding)


class _StatePicture(Picture):
    def __init__(self, finding: Finding) -> None:
        self.title = f"The table as a state of the model {finding.model.name if finding.model else ''}"
        self.notes = finding.legend
        self._finding = finding

    def svg(self) -> str:
        model, state = self._finding.model, self._finding.state
        assert model is not None
        assert state is not None
        wrong = pictures.faults(model, state, [self._finding.violates()])
        return pictures.picture(model, state, at_fault=wrong).svg

    def text(self) -> str:
        return "\n".join((self.title, *self.notes))


def _fragment(audit: Audit) -> str:
    first, last = audit.versions
    versions = "no version" if last is None else f"versions {first} to {last}"
    parts = [element("p", escape(f"{versions}: {audit.verdict()}"), class_="wb-note")]
    parts += [_finding(one, f"{number}. ") for number, one in enumerate(audit.findings, 1)]
    if audit.not_checked:
        parts.append("<h2>Not checked</h2>" + _list(audit.not_checked))
    return "".join(parts)


def _finding(finding: Finding, number: str = "") -> str:
    kind, words = _GRADES[finding.grade]
    badge = element("span", escape(words), class_=f"wb-badge wb-{kind}")
    heading = element("h2", f"{number}{escape(finding.property)} {badge}")
    places = (("version", finding.version), ("bucket", finding.bucket), ("key", finding.key))
    where = ", ".join(f"{what} {place}" for what, place in places if place is not None)
    parts = [heading, element("p", escape(finding.why)), element("p", escape(where), class_="wb-note") if where else ""]
    parts.append(_list(finding.evidence))
    parts += [element("p", escape(f"{line[0].upper()}{line[1:]}.")) for line in finding.remarks()]
    drawn = finding_picture(finding)
    return "".join(parts) + (_made("its picture", drawn.html) if drawn is not None else "")


def _made(what: str, make: Callable[[], str]) -> str:
    """A part of the page, or why it could not be made: what was found is shown in any case."""
    try:
        return make()
    except Exception as error:
        return element("p", escape(f"{what} could not be made: {reason(error)}"), class_="wb-note")


def _stories(audit: Audit) -> str:
    """For each kind of finding the model's shortest way to it."""
    parts, told = [], set()
    for finding in audit.findings:
        kind = (finding.violates(), str(finding.cause))
        if finding.model is None or kind in told:
            continue
        told.add(kind)
        parts.append(_made(f"the model's way to {finding.violates()}", partial(_story, finding)))
    return "".join(parts)


def _story(finding: Finding) -> str:
    trace = story(finding)
    if trace is None:
        return ""
    heading = f"How the model gets there: {escape(finding.violates())}, {counted(len(trace), 'state')}"
    constants = element("p", constants_line(trace.model).html(), class_="wb-note")
    shown = trace_view(trace, properties=[finding.violates()]).html()
    return f"<details><summary><h2>{heading}</h2></summary>{constants}{shown}</details>"


def _list(lines: tuple[str, ...]) -> str:
    return element("ul", *(element("li", escape(line)) for line in lines)) if lines else ""
