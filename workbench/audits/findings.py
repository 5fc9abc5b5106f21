"""Findings with their grades and evidence, and the audit that lists them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.kernel import InputError, Machine, State
from workbench.kernel.meaning.errors import text_of
from workbench.kernel.meaning.result import Lined
from workbench.kernel.meaning.text import Line, Styled, printable
from workbench.kernel.meaning.values import show

Grade = Literal["damaged", "proved", "suspect", "outside"]

#: The gravest first.
GRADES: tuple[Grade, ...] = ("damaged", "proved", "suspect", "outside")

#: The words for an audit without findings: it does not say that the table is sound.
NOTHING_FOUND = "nothing found"

#: The most findings on one property that an audit lists.
MOST_LISTED = 100


@dataclass(frozen=True)
class Finding:
    """A violation, or a suspected one, in a table.

    Attributes:
        property: The violated property, by its name in the protocol's model, or in ``docs/audit.md``.
        grade ({"damaged", "proved", "suspect", "outside"}): A file is missing or unreadable; the files prove it; they
            have an innocent explanation too; or the model does not exclude it.
        version: The first version that shows it.
        bucket, key: Where; None for the table as a whole.
        why: In one line.
        evidence: The files, snapshots and rows that show it.
        model, state: The finding as a state of the protocol's model, with constants of its own; the model's invariant
            fails there too.
        repair: The model's constants that prevent it.
        invariant: The property that `state` violates, if it is not `property` itself.
        cause: The constants with which a check of the model finds it; those of `model` by default.
        names: The table's names for the files, versions, keys and values of `state`.
        legend: What else the names of `state` stand for, a sentence each.
        no_picture: The reason why there is no `state`.
    """

    property: str
    grade: Grade
    version: int | None
    why: str
    bucket: str | None = None
    key: str | None = None
    evidence: tuple[str, ...] = ()
    model: Machine | None = field(default=None, compare=False, repr=False)
    state: State | None = field(default=None, compare=False, repr=False)
    repair: Mapping[str, Any] = field(default_factory=dict, compare=False)
    invariant: str | None = None
    cause: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    legend: tuple[str, ...] = field(default=(), compare=False, repr=False)
    no_picture: str | None = None

    def place(self) -> str:
        """The place of the finding: version, bucket and key, as far as they are known."""
        places = (("version", self.version), ("bucket", self.bucket), ("key", self.key))
        return ", ".join(f"{kind} {value}" for kind, value in places if value is not None)

    def violates(self) -> str:
        """The model's property that `state` violates."""
        return self.invariant or self.property

    def as_dict(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("property", "grade", "version", "bucket", "key", "why")}
        return plain | {"evidence": list(self.evidence), "repair": dict(self.repair), "no_picture": self.no_picture}

    def remarks(self) -> list[str]:
        """The model's remarks on the finding, one per line."""
        lines = []
        if self.repair:
            settings = " and ".join(f"{name} = {show(value)}" for name, value in self.repair.items())
            lines.append(f"in the model this does not happen with {settings}")
        if self.no_picture is not None:
            lines.append(f"no picture could be made: {self.no_picture}")
        return lines


def reason(error: Exception) -> str:
    """The text of an error in one line, with its type unless it is an InputError."""
    return text_of(error) if isinstance(error, InputError) else f"{type(error).__name__}: {text_of(error)}"


@dataclass(frozen=True)
class Audit(Lined):
    """The result of auditing a table.

    Attributes:
        versions: The first and the last version that were read.
        findings: The gravest first, then by version.
        looked_at: The comparisons made, property by property.
        not_checked: The omissions with their reasons, and the facts that no audit can see.
        complete: Whether nothing was left out; facts that no audit can see do not count.
    """

    format: str
    path: str
    versions: tuple[int | None, int | None]
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[str, ...] = ()
    complete: bool = True
    looked_at: tuple[str, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether nothing was found: False if a violation is proved or a file damaged, None if that is unknown."""
        grades = {finding.grade for finding in self.findings}
        if grades & {"damaged", "proved"}:
            return False
        return None if "suspect" in grades or not self.complete else True

    @property
    def why(self) -> str:
        """The number of findings by grade, in words."""
        counts = [
            f"{sum(finding.grade == grade for finding in self.findings)} {word}"
            for grade, word in zip(GRADES, ("damaged", "proved", "suspected", "outside the model"), strict=True)
            if any(finding.grade == grade for finding in self.findings)
        ]
        words = ", ".join(counts) or NOTHING_FOUND
        return words if self.complete else f"{words}; incomplete"

    @property
    def trace(self) -> None:
        """None: files prove states, but not the ways to them; a page shows how the model gets there."""

    def of(self, property: str) -> tuple[Finding, ...]:
        """The findings on one property."""
        return tuple(finding for finding in self.findings if finding.property == property)

    def as_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "why": self.why,
            "format": self.format,
            "path": self.path,
            "versions": list(self.versions),
            "findings": [finding.as_dict() for finding in self.findings],
            "looked_at": list(self.looked_at),
            "not_checked": list(self.not_checked),
            "complete": self.complete,
        }

    def styled(self) -> list[Line]:
        first, last = self.versions
        span = f"versions {first} to {last}" if last is not None else "no version"
        lines: list[Line] = [printable(f"{self.format} table {self.path}, {span}: {self.why}")]
        for finding in self.findings:
            place = f"  ({where})" if (where := finding.place()) else ""
            title = Styled(finding.grade.upper(), "warning", f"  {printable(finding.property + place)}")
            lines += ["", title, f"  {printable(finding.why)}"]
            lines += [f"  - {printable(fact)}" for fact in finding.evidence]
            lines += [f"  {printable(remark)}" for remark in finding.remarks()]
        if self.looked_at:
            lines += ["", "looked at:", *(f"  - {printable(line)}" for line in self.looked_at)]
        if self.not_checked:
            lines += ["", "not checked:", *(f"  - {printable(line)}" for line in self.not_checked)]
        return lines

    def __repr__(self) -> str:
        return f"<audit of the {self.format} table {printable(self.path)}: {self.why}>"
