"""Judge the keys of a Paimon bucket: the rows that readers get, and the rows that are valid."""

import json
from functools import partial
from typing import Any

from workbench.audits.findings import Grade
from workbench.audits.judgement import Judgement
from workbench.protocols.paimon.audit.anomalies import BY_OVERWRITING, BY_TWO_COMPACTORS, BY_TWO_WRITERS, state_at
from workbench.protocols.paimon.audit.bucket import Doubt, Twice
from workbench.protocols.paimon.audit.files import Schema
from workbench.protocols.paimon.audit.look import BucketLook, has_vectors
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
    for one in look.bucket.judge(has_vectors(look.table)):
        if isinstance(one, Twice):
            if judgement.lists(ONE_VALID_ROW):  # before rows are read in vain
                _twice(look, one, judgement)
        elif len(doubts) < _MOST_DOUBTS:
            doubts.append(one)
    if not doubts:
        return
    rows = {row for one in doubts for row in (*one.reads, *([] if one.committed is None else [one.committed]))}
    whole = look.whole(rows)
    settled: dict[int, tuple[Grade, Doubt]] = {}  # by key, the first proof, or else the first suspicion
    for one in doubts:
        grade, known = _grade(look, one, whole), settled.get(one.key)
        if grade is not None and (known is None or (grade == "proved" and known[0] != "proved")):
            settled[one.key] = (grade, one)
    for grade, one in sorted(settled.values(), key=lambda one: one[1].version):
        _wrong(look, one, grade, whole, judgement)


def _twice(look: BucketLook, one: Twice, judgement: Judgement) -> None:
    whole = look.whole(one.rows)
    key = whole[look.where(one.rows[0])]["key"]
    why = f"snapshot {one.version} has {len(one.rows)} valid rows of {key} above level 0: " + " and ".join(
        _shown(whole[look.where(row)]) for row in one.rows[:4]
    )
    evidence = [_row(look, row, whole, one.version) for row in one.rows[:10]]
    state_of = partial(state_at, look, [one.key], one.version, ONE_VALID_ROW)
    fields = {"bucket": look.name, "key": key, **BY_TWO_COMPACTORS}
    judgement.find(ONE_VALID_ROW, "proved", one.version, why, evidence, state_of, **fields)


def _wrong(look: BucketLook, one: Doubt, grade: Grade, whole: Whole, judgement: Judgement) -> None:
    some = one.reads[0] if one.reads else one.committed
    key = whole[look.where(some)]["key"] if some is not None else None
    nothing = look.bucket.reads_as_nothing
    reads = " or ".join(_shown(whole[look.where(row)]) for row in one.reads if not nothing(row)) or "nothing"
    last = one.committed
    wanted = "nothing" if last is None or nothing(last) else _shown(whole[look.where(last)])
    tie = "; which of them is read, with the same sequence number, is not defined" if grade == "suspect" else ""
    evidence = [f"read: {_row(look, row, whole, one.version)}" for row in one.reads]
    evidence += [f"committed last: {_row(look, last, whole, one.version)}"] if last is not None else []
    why = f"snapshot {one.version}: {key} reads as {reads}, but committed was {wanted}{tie}"
    state_of = partial(state_at, look, [one.key], one.version, READ)
    fields = {"bucket": look.name, "key": key, **(BY_TWO_WRITERS if one.reads else BY_OVERWRITING)}
    judgement.find(READ, grade, one.version, why, evidence, state_of, **fields)


def _row(look: BucketLook, row: int, whole: Whole, version: int) -> str:
    """A row as evidence: its contents and its place."""
    file, position = look.where(row)
    one = whole[file, position]
    number = look.bucket.rows.files.index(file)
    lives = [life for life in look.bucket.lives if life.file == number]
    level = next((f", level {life.level}" for life in look.bucket.live_at(version) if life.file == number), "")
    first = min((life.first for life in lives), default=None)
    since = f", there since snapshot {first}" if first is not None else ""
    return (
        f"{KINDS[one['kind']]} {one['key']}: {_shown(one)}, sequence {one['sequence']}, "
        f"row {position} of {file}{level}{since}"
    )


def _grade(look: BucketLook, one: Doubt, whole: Whole) -> Grade | None:
    """Proved if all rows that a reader may get have wrong values, suspect if some do, else None."""

    def value(row: int | None) -> Any:
        return None if row is None or look.bucket.reads_as_nothing(row) else whole[look.where(row)]["value"]

    wrong = [value(row) != value(one.committed) for row in one.reads or (None,)]
    return "proved" if all(wrong) else "suspect" if any(wrong) else None


def _shown(row: dict[str, Any]) -> str:
    """A row's values."""
    return ", ".join(str(value) for value in json.loads(row["value"]).values()) or "a row"
