"""An audit of a table: its findings with their evidence, and the picture of each in the terms of the model."""

from workbench import pictures
from workbench.kernel.values import show
from workbench.tables.findings import Audit, Finding
from workbench.view.html import Drawn, Picture, Rendered, element, escape
from workbench.view.report import page

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
    """A self-contained HTML page on an audit."""
    return page(f"{audit.format} table {audit.path}", _fragment(audit))


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
    parts += [_finding(number, one) for number, one in enumerate(audit.findings, 1)]
    if audit.not_checked:
        parts.append("<h2>Not checked</h2>" + _list(audit.not_checked))
    return "".join(parts)


def _finding(number: int, finding: Finding) -> str:
    kind, words = _GRADES[finding.grade]
    badge = element("span", escape(words), class_=f"wb-badge wb-{kind}")
    heading = element("h2", f"{number}. {escape(finding.property)} {badge}")
    places = (("version", finding.version), ("bucket", finding.bucket), ("key", finding.key))
    where = ", ".join(f"{what} {place}" for what, place in places if place is not None)
    parts = [heading, element("p", escape(finding.why)), element("p", escape(where), class_="wb-note") if where else ""]
    parts.append(_list(finding.evidence))
    if finding.repair:
        settings = " and ".join(f"{name} = {show(value)}" for name, value in finding.repair.items())
        parts.append(element("p", f"In the model this does not happen with {element('code', escape(settings))}."))
    drawn = finding_picture(finding)
    return "".join(parts) + (drawn.html() if drawn is not None else "")


def _list(lines: tuple[str, ...]) -> str:
    return element("ul", *(element("li", escape(line)) for line in lines)) if lines else ""
