"""An audit of a table: its findings with their evidence, and the picture of each in the terms of the model."""

from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import quote

from workbench.audits.findings import NOTHING_FOUND, Audit, Finding, reason
from workbench.audits.story import story
from workbench.kernel import Fault
from workbench.kernel.meaning.values import counted
from workbench.showing import pictures
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.pictures.reword import renamer
from workbench.showing.view.base.html import Drawn, Figure, Rendered, bullets, folded, noted, table
from workbench.showing.view.pages.pages import page
from workbench.showing.view.trace.tables import constants_line
from workbench.showing.view.trace.trace import trace_view

#: The class of the badge of a grade, or of a table without a finding, and its words.
_GRADES = {
    "damaged": ("bad", "\N{BALLOT X} damaged"),
    "proved": ("bad", "\N{BALLOT X} proved"),
    "suspect": ("open", "? suspected"),
    "outside": ("good", "outside the model"),
    "refused": ("open", "? refused"),
    "incomplete": ("open", "? incomplete"),
    NOTHING_FOUND: ("good", "\N{CHECK MARK} nothing found"),
}


def audit_view(audit: Audit) -> Drawn:
    """The whole audit: the findings with their evidence and pictures, and what was not checked."""
    return Rendered(_fragment(audit), audit.text())


def audit_page(audit: Audit) -> str:
    """A self-contained HTML page on an audit, and on how the model comes to the same, for which it is checked."""
    return page(f"{audit.format} table {audit.path}", _fragment(audit) + _stories(audit))


def audits_page(rows: Sequence[tuple[str, Sequence[str], str]]) -> str:
    """A page with a row for each audited table: its state, the other cells, and a link to its own page."""
    body = []
    for state, (format, versions, name, findings), file in rows:
        link = element("a", name, href=quote(file)) if file else name
        body.append([_badge(state), link, format, versions, findings])
    return page("Audited tables", table(["", "table", "format", "versions", "found"], body))


def finding_view(finding: Finding) -> Drawn:
    """One finding: its evidence, and its picture."""
    return Rendered(_finding(finding), "\n".join((finding.why, *finding.evidence)))


def finding_picture(finding: Finding) -> Figure | None:
    """A state of the model with the table's names, dashed if suspected; None if there is none."""
    if finding.model is None or finding.state is None:
        return None
    return _StatePicture(finding)


class _StatePicture(Figure):
    def __init__(self, finding: Finding) -> None:
        self.title = f"The table as a state of the model {finding.model.name if finding.model else ''}"
        self.notes = tuple(map(renamer(finding.names), finding.legend))
        self._finding = finding

    def svg(self) -> Markup:
        finding = self._finding
        model, state = finding.model, finding.state
        assert model is not None
        assert state is not None
        wrong = pictures.faults(model, state, [finding.violates()])
        # The model's sentence has the numbers of its state; the table's are in the finding.
        label = f"{finding.property} ({where})" if (where := finding.place()) else finding.property
        at_fault = [Fault(label, *(place for fault in wrong for place in fault.places))]
        is_suspected = finding.grade == "suspect"
        return pictures.picture(model, state, at_fault=at_fault, names=finding.names, is_suspected=is_suspected).svg

    def text(self) -> str:
        return "\n".join((self.title, *self.notes))


def _fragment(audit: Audit) -> Markup:
    first, last = audit.versions
    versions = "no version" if last is None else f"versions {first} to {last}"
    parts = [noted(f"{versions}: {audit.why}")]
    parts += [_finding(finding, f"{number}. ") for number, finding in enumerate(audit.findings, 1)]
    if audit.looked_at:
        parts.append(element("h2", "Looked at") + bullets(audit.looked_at))
    if audit.not_checked:
        parts.append(element("h2", "Not checked") + bullets(audit.not_checked))
    return joined(parts)


def _badge(grade: str) -> Markup:
    kind, words = _GRADES[grade]
    return element("span", words, class_=f"wb-badge wb-{kind}")


def _finding(finding: Finding, number: str = "") -> Markup:
    heading = element("h2", f"{number}{finding.property} ", _badge(finding.grade))
    parts = [heading, element("p", finding.why), noted(where) if (where := finding.place()) else None]
    parts.append(bullets(finding.evidence) if finding.evidence else None)
    parts += [element("p", f"{line[0].upper()}{line[1:]}.") for line in finding.remarks()]
    drawn = finding_picture(finding)
    return joined([*parts, _part_or_reason("its picture", drawn.html) if drawn is not None else None])


def _part_or_reason(part: str, make: Callable[[], Markup]) -> Markup:
    """A part of the page, or the reason why it could not be made: the findings are shown in any case."""
    try:
        return make()
    except Exception as error:
        return noted(f"{part} could not be made: {reason(error)}")


def _stories(audit: Audit) -> Markup:
    """The model's shortest way to each kind of finding."""
    parts: list[Markup] = []
    shown = set()
    for finding in audit.findings:
        kind = (finding.violates(), str(finding.cause))
        if finding.model is None or kind in shown:
            continue
        shown.add(kind)
        parts.append(_part_or_reason(f"the model's way to {finding.violates()}", partial(_story, finding)))
    return joined(parts)


def _story(finding: Finding) -> Markup:
    trace = story(finding)
    if trace is None:
        return Markup()
    heading = f"How the model gets there: {finding.violates()}, {counted(len(trace), 'state')}"
    constants = noted(constants_line(trace.model))
    shown = trace_view(trace, properties=[finding.violates()]).html()
    return folded(element("h2", heading), constants + shown)
