"""Judge the keys of a Paimon bucket: the rows that readers get, and the rows that are valid."""

import json
from functools import partial
from typing import Any

from workbench.audits.findings import Grade
from workbench.audits.judgement import Judgement
from workbench.protocols.paimon.audit.anomalies import BY_OVERWRITING, BY_TWO_COMPACTORS, BY_TWO_WRITERS, state_at
from workbench.protocols.paimon.audit.bucket import Doubt, Twice
from workbench.protocols.paimon.audit.bucket_reader import BucketLook, has_vectors
from workbench.protocols.paimon.audit.files import Schema
from workbench.protocols.paimon.audit.rows import KINDS, Whole

READ, ONE_VALID_ROW = "ConsistentRead", "OneValidRowPerKeyAboveLevel0"

#: The most doubts per bucket that are settled by reading values.
_MOST_DOUBTS = 10_000


def why_left_out(schema: Schema) -> str | None:
    """Why the table's rows cannot be judged; None if they can."""
    if not schema.types:
        return "there is no schema"
    options = schema.options
    engine = options.get("merge-engine", "deduplicate")
    if engine != "deduplicate":
        return f"merge-engine = {engine}; only deduplicate is judged"
    for option in ("sequence.field", "ignore-delete", "record-level.expire-time"):
        if options.get(option, "false").lower() != "false":
            return f"{option} = {options[option]}; how rows are merged then is not judged"
    if schema.has_changed:
        return "columns have changed their names or types"
    return None


def judge_rows(look: BucketLook, judgement: Judgement) -> None:
    """Add the findings on a bucket's keys."""
    doubts: list[Doubt] = []
    for doubt in look.bucket.judge(has_vectors(look.table)):
        if isinstance(doubt, Twice):
            if judgement.lists(ONE_VALID_ROW):  # before rows are read in vain
                _twice(look, doubt, judgement)
        elif len(doubts) < _MOST_DOUBTS:
            doubts.append(doubt)
    if not doubts:
        return
    rows = {row for doubt in doubts for row in (*doubt.reads, *([] if doubt.committed is None else [doubt.committed]))}
    whole = look.whole(rows)
    settled: dict[int, tuple[Grade, Doubt]] = {}  # by key, the first proof, or else the first suspicion
    for doubt in doubts:
        grade, settled_before = _grade(look, doubt, whole), settled.get(doubt.key)
        if grade is not None and (settled_before is None or (grade == "proved" and settled_before[0] != "proved")):
            settled[doubt.key] = (grade, doubt)
    for grade, doubt in sorted(settled.values(), key=lambda graded: graded[1].version):
        _wrong(look, doubt, grade, whole, judgement)


def _twice(look: BucketLook, twice: Twice, judgement: Judgement) -> None:
    whole = look.whole(twice.rows)
    key = whole[look.where(twice.rows[0])]["key"]
    reason = f"snapshot {twice.version} has {len(twice.rows)} valid rows of {key} above level 0: " + " and ".join(
        _shown(whole[look.where(row)]) for row in twice.rows[:4]
    )
    evidence = [_row(look, row, whole, twice.version) for row in twice.rows[:10]]
    state_of = partial(state_at, look, [twice.key], twice.version, ONE_VALID_ROW)
    fields = {"bucket": look.name, "key": key, **BY_TWO_COMPACTORS}
    judgement.find(ONE_VALID_ROW, "proved", twice.version, reason, evidence, state_of, **fields)


def _wrong(look: BucketLook, doubt: Doubt, grade: Grade, whole: Whole, judgement: Judgement) -> None:
    some = doubt.reads[0] if doubt.reads else doubt.committed
    key = whole[look.where(some)]["key"] if some is not None else None
    nothing = look.bucket.reads_as_nothing
    reads = " or ".join(_shown(whole[look.where(row)]) for row in doubt.reads if not nothing(row)) or "nothing"
    last = doubt.committed
    committed = "nothing" if last is None or nothing(last) else _shown(whole[look.where(last)])
    tie = "; which of them is read, with the same sequence number, is not defined" if grade == "suspect" else ""
    evidence = [f"read: {_row(look, row, whole, doubt.version)}" for row in doubt.reads]
    evidence += [f"committed last: {_row(look, last, whole, doubt.version)}"] if last is not None else []
    reason = f"snapshot {doubt.version}: {key} reads as {reads}, but committed was {committed}{tie}"
    state_of = partial(state_at, look, [doubt.key], doubt.version, READ)
    fields = {"bucket": look.name, "key": key, **(BY_TWO_WRITERS if doubt.reads else BY_OVERWRITING)}
    judgement.find(READ, grade, doubt.version, reason, evidence, state_of, **fields)


def _row(look: BucketLook, row: int, whole: Whole, version: int) -> str:
    """A row as evidence: its contents and its place."""
    file, position = look.where(row)
    contents = whole[file, position]
    number = look.bucket.rows.files.index(file)
    lives = [life for life in look.bucket.lives if life.file == number]
    level = next((f", level {life.level}" for life in look.bucket.live_at(version) if life.file == number), "")
    first = min((life.first for life in lives), default=None)
    since = f", there since snapshot {first}" if first is not None else ""
    return (
        f"{KINDS[contents['kind']]} {contents['key']}: {_shown(contents)}, sequence {contents['sequence']}, "
        f"row {position} of {file}{level}{since}"
    )


def _grade(look: BucketLook, doubt: Doubt, whole: Whole) -> Grade | None:
    """Proved if all rows that a reader may get have wrong values, suspect if some do, else None."""

    def value(row: int | None) -> Any:
        return None if row is None or look.bucket.reads_as_nothing(row) else whole[look.where(row)]["value"]

    wrong = [value(row) != value(doubt.committed) for row in doubt.reads or (None,)]
    return "proved" if all(wrong) else "suspect" if any(wrong) else None


def _shown(row: dict[str, Any]) -> str:
    """A row's values."""
    return ", ".join(str(value) for value in json.loads(row["value"]).values()) or "a row"
