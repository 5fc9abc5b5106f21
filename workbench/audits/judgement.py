"""Judge a table by the rules of its format, and collect their findings in an audit.

A format brings a reader, and a subclass of :class:`Judgement` with its list of rules.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from workbench.audits.damaged import FILES_WHOLE, Damages
from workbench.audits.findings import GRADES, MOST_LISTED, Audit, Finding, Grade, reason
from workbench.audits.presence import COUNTS_AGREE, FILES_EXIST, TIMES_GROW, Absent, Origin, absent
from workbench.audits.row_ids import ROW_IDS, RowIds, shared
from workbench.audits.source import Source
from workbench.audits.vectors import MOST_VECTORS, StoredVector, UnreadableError
from workbench.kernel.meaning.budget import Stop
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.values import counted

PRESENT = "AcknowledgedCommitsPresent"

BEYOND_MODELS = "the protocol's model has neither the sizes of files nor counts, nor times, nor row ids"
_NO_PICTURE = {
    **dict.fromkeys((FILES_EXIST, COUNTS_AGREE, TIMES_GROW, ROW_IDS), BEYOND_MODELS),
    FILES_WHOLE: "the protocol's model has no damaged files",
}

Versions = tuple[int | None, int | None]
_Vector = TypeVar("_Vector")
Rule = Callable[[], object]
#: Makes the fields of a finding that show it as a state of the model, such as ``states.projected`` returns.
StateOf = Callable[[], Mapping[str, Any]]


class Judgement:
    """An audit in the making.

    Args:
        damages: The damaged files that the reader has noted.
        acks: The acknowledged commits; None if unknown.
        since: The version to start from.
        versions: The first and the last version; the rules may set others.

    Attributes:
        left_out: Checks that were skipped; any of them makes the audit incomplete.
        remarks: The other lines of :attr:`Audit.not_checked`.
        looked_at: As in the audit.
    """

    #: The model's properties that the states of findings violate, where their names differ from the findings'.
    INVARIANTS: ClassVar[Mapping[str, str]] = {}
    #: The most findings on one property that are shown as states of the model.
    MOST_SHOWN: ClassVar[int] = MOST_LISTED

    def __init__(
        self,
        format: str,
        source: Source,
        damages: Damages | None = None,
        acks: list[dict[str, Any]] | None = None,
        since: int | None = None,
        versions: Versions = (None, None),
    ) -> None:
        self.format, self.source, self.acks, self.since, self.versions = format, source, acks, since, versions
        self.damages = damages or Damages()
        self.left_out: list[str] = []
        self.remarks: list[str] = []
        self.looked_at: list[str] = []
        self._findings: dict[tuple[str, object], Finding] = {}
        self._unlisted: Counter[str] = Counter()

    def rules(self) -> Iterable[Rule]:
        """The rules to apply, in order."""
        return ()

    def audit(self) -> Audit:
        """Apply the rules; returns the finished audit."""
        try:
            for rule in self.rules():
                rule()
            self.damages.settle(self.is_unchanged())
        except Stop as stop:
            return self.stopped(stop)
        return self._finished()

    def stopped(self, stop: Stop) -> Audit:
        """The audit with what was found before it was stopped."""
        self.source.limits = None  # all that it still reads is a listing
        self.left_out.append(f"the rest of the table: {stop}")
        if not self.is_unchanged():
            self.damages.forget_missing()
        return self._finished()

    def _finished(self) -> Audit:
        self._report_damages()
        more = (
            f"further findings on {property}, which are not listed: {count:,}"
            for property, count in (+self._unlisted).items()
        )
        findings = sorted(
            self._findings.values(), key=lambda finding: (GRADES.index(finding.grade), finding.version or 0)
        )
        notes = (*self.left_out, *self.remarks, *more)
        is_complete, looked_at = not self.left_out, tuple(self.looked_at)
        return Audit(self.format, self.source.url, self.versions, tuple(findings), notes, is_complete, looked_at)

    def is_unchanged(self) -> bool:
        """Whether nobody has written to the table since it was read, as far as that matters."""
        return True

    def guarded(self, rule: Rule, *versions: int | None) -> Rule:
        """The rule, made to end at a damaged file, which is noted as needed by these versions."""

        def run() -> None:
            with self.damages.around(*versions):
                rule()

        return run

    # Findings --------------------------------------------------------------------------------------------------------

    def find(
        self,
        property: str,
        grade: Grade,
        version: int | None,
        why: str,
        evidence: Iterable[str] = (),
        state_of: StateOf | None = None,
        *,
        about: object = None,
        last: int | None = None,
        **fields: Any,
    ) -> None:
        """Add a finding, unless it concerns only versions before `since`.

        Any error of `state_of` is caught: a finding in the table does not depend on whether the model can show it.

        Args:
            about: Of several findings on one property about the same thing, the gravest stays.
            last: The last version that shows it, if it is another one than `version`.
            fields: Other fields of the finding.
        """
        if self.skips(version if last is None else last):
            return
        place = property, object() if about is None else about
        previous = self._findings.get(place)
        if not (GRADES.index(grade) < GRADES.index(previous.grade) if previous else self.lists(property)):
            return
        no_picture = _NO_PICTURE.get(property) if state_of is None else None
        fields = {"no_picture": no_picture, "invariant": self.INVARIANTS.get(property)} | fields
        finding = Finding(property, grade, version, why, evidence=tuple(evidence), **fields)
        if state_of is not None and (previous or self.count(property) < self.MOST_SHOWN):
            try:
                finding = replace(finding, **state_of())
            except Exception as error:
                finding = replace(finding, no_picture=reason(error))
        self._findings[place] = finding

    def skips(self, version: int | None) -> bool:
        """Whether a version is before `since`."""
        return version is not None and self.since is not None and version < self.since

    def lists(self, property: str) -> bool:
        """Whether there is room to list one more finding on a property; if not, count it as unlisted."""
        is_listed = self.count(property) < MOST_LISTED
        self._unlisted[property] += not is_listed
        return is_listed

    def count(self, property: str | None = None) -> int:
        """The number of findings listed so far, for one property or for all."""
        return sum(property in (None, name) for name, _ in self._findings)

    # What all formats have -------------------------------------------------------------------------------------------

    def judge_presence(
        self,
        files: Mapping[str, int | None],
        version: int,
        origin: Callable[[str], Origin],
        *,
        may_be_elsewhere: bool = False,
    ) -> list[Absent]:
        """Find the files of the newest `version` that are missing; returns them.

        If all files are missing where the folder may hold only metadata, that is reported as unchecked.

        Args:
            files: The files, with their sizes if known.
            origin: How a file came into the table; asked only for the files that the finding names.
            may_be_elsewhere: Whether the files may be where nobody looks: the table was copied from another place, or
                has files outside of its folder, or a rule for their places is not known here.
        """
        missing, has_files = absent(self.source, files)
        if has_files or not files:
            self.looked_at.append(f"{FILES_EXIST}: {counted(len(files), 'file')} of version {version}, with sizes")
        if missing and not has_files and (may_be_elsewhere or self.source.without_data):
            self.left_out.append(f"whether data files exist: the folder has none of {len(files):,}, only metadata")
        elif missing:
            text = (
                f"missing, or of another size: {len(missing):,} of {counted(len(files), 'file')} of version {version}"
            )
            if not has_files:
                text += "; there is no data file at all: if metadata alone was copied, audit it without data"
            evidence = [f"{file}; {origin(file.name)}" for file in missing[:10]]
            self.find(FILES_EXIST, "proved", version, text, evidence)
        return missing

    def judge_vectors(self, vectors: Sequence[StoredVector], version: int) -> None:
        """Check the deletion vectors of the newest `version`, whose files are there."""
        for vector in self.first_vectors(vectors):
            with self.damages.around(version):
                try:
                    vector.check(self.source)
                except UnreadableError as error:
                    self.left_out.append(str(error))

    def first_vectors(self, vectors: Sequence[_Vector]) -> Sequence[_Vector]:
        """As many deletion vectors as an audit reads; it is noted if there are more."""
        if len(vectors) > MOST_VECTORS:
            self.left_out.append(f"the content of {len(vectors) - MOST_VECTORS:,} of {len(vectors):,} deletion vectors")
        return vectors[:MOST_VECTORS]

    def judge_row_ids(self, files: Iterable[RowIds], next_id: int | None, version: int) -> None:
        """Find data files of the newest `version` that share row ids, or have row ids that are not assigned yet.

        Args:
            next_id: The next row id to be assigned; None if unknown.
        """
        files = list(files)
        pairs = list(shared(files))
        if pairs:
            text = f"data files of version {version} share row ids: {pairs[0][0].name} and {pairs[0][1].name}"
            self.find(ROW_IDS, "proved", version, text, [f"{one}, {other}" for one, other in pairs[:5]], about="shared")
        late = [file for file in files if next_id is not None and file.next > next_id and file.rows]
        if late:
            text = f"the next row id of version {version} is {next_id:,}, and data files have larger ones already"
            self.find(ROW_IDS, "proved", version, text, map(str, late[:5]), about="late")
        if files:
            self.looked_at.append(f"{ROW_IDS}: {counted(len(files), 'file')} of version {version}")

    def acks_looked_at(self) -> str:
        """The number of acknowledged commits that were compared."""
        return f"{PRESENT}: {counted(len(self.acks or ()), 'acknowledged commit')}"

    def _report_damages(self) -> None:
        """Find each damaged file that a version from `since` on needs, or that is needed to read the table today."""
        for name, error, versions in self.damages:
            last = self.since if self.damages.is_current(name) else max(versions, default=None)
            if not self.skips(last):
                who = _needing(sorted(versions))
                first = min(versions, default=None)
                self.find(FILES_WHOLE, "damaged", first, f"{error}; {who}", about=name, last=last)
                self.left_out.append(f"what only {brief(name)} says; {who}")


def judged(bare: Judgement, read: Callable[[], Judgement | None]) -> Audit:
    """The audit of the table that `read` reads; both reading and judging may be stopped.

    Args:
        bare: A judgement of only the damage, used if reading the table is stopped or impossible.
    """
    try:
        judgement = read()
    except Stop as stop:
        return bare.stopped(stop)
    return (judgement or bare).audit()


def _needing(versions: list[int]) -> str:
    if not versions:
        return "which versions need it cannot be said"
    if len(versions) == 1:
        return f"version {versions[0]} needs it"
    return f"{counted(len(versions), 'version')} from {versions[0]} to {versions[-1]} need it"
