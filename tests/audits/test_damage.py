"""Damaged tables: each kind of damage is found, or data/real/README.md has the reason why files cannot show it."""

import re
import shutil

import pytest

from tests.audits.damage import damages
from tests.audits.damaged_tables import TABLES
from tests.audits.expected import answer, audit
from tests.places import ROOT

pytestmark = pytest.mark.slow

GUIDE = ROOT / "data" / "real" / "README.md"

#: Patterns of the kinds of damage that are not found, by format and reason.
UNSEEN = {
    "paimon": {
        "only readers use it, and nothing else in the table says it": (
            "(older )?snapshot: (version|commitUser|commitIdentifier|timeMillis|changelogRecordCount) ",
            "schema: (version|timeMillis|highestFieldId|fields|options)",
            "index manifest: _VERSION |(base )?manifest list: (_VERSION|_SCHEMA_ID) ",
            r"manifest: (_VERSION|_TOTAL_BUCKETS|_FILE\._(LEVEL|CREATION_TIME|DELETE_ROW_COUNT|FILE_SOURCE)) ",
        ),
        "older writers leave it out, too": (
            "(older )?snapshot: (total|delta)RecordCount is missing",
            "LATEST: ",
        ),
        "only data files say it, and they are opened only where keys are in doubt": (
            r"manifest: _FILE\._((KEY|VALUE)_STATS|M.._KEY|M.._SEQUENCE_NUMBER)",
            "(base )?manifest list: _PARTITION_STATS",
        ),
        "manifests are read whole, so nobody relies on their sizes; their counts are compared where they are new": (
            "(index manifest|(base )?manifest list): _FILE_SIZE ",
            "base manifest list: _NUM_(ADDED|DELETED)_FILES ",
        ),
    },
    "iceberg": {
        "the catalog alone says which file is the current one": ("metadata: is missing",),
        "a table may be moved, made anew, or begin anew": (
            "(older )?metadata: (location|table-uuid) ",
            "metadata: snapshots.parent-snapshot-id is missing",
        ),
        "writers may leave it out": (
            "metadata: (current-schema-id|default-spec-id|default-sort-order-id|snapshots.schema-id) is missing",
            "metadata: snapshots.summary.(added|total)-(data-files|delete-files|records) is missing",
        ),
        "only readers use it, and nothing else in the table says it": (
            "metadata: (schemas.type|schemas.fields|last-|partition-specs|sort-orders|refs.main.type|.*timestamp-ms)",
            "metadata: snapshots.summary.(operation|added-files-size|total-(files-size|position|equality))",
            "(older )?manifest list: (partition_spec_id|min_sequence_number) ",
        ),
        "nobody reads older metadata files; expiry removes them": ("older metadata: ", "metadata: metadata-log"),
    },
    "delta": {
        "clean-up deletes the oldest entries before a checkpoint": ("first entry: is missing",),
        "writers get it wrong, so that it is noted under `not_checked`": ("_last_checkpoint: size is another",),
        "writers may leave it out": (
            "(first |newest )?entry: commitInfo",
            ".*: add.stats is missing",
            "(checksum|_last_checkpoint): ",
        ),
        "only readers use it, and nothing else in the table says it": (
            "(newest )?entry: (add|remove).dataChange is another",
            "checkpoint: add.dataChange is another",
            "newest entry: add.partitionValues.p is another",
            "data file: is another one",
        ),
        "a later entry removes the file, or adds it anew": ("first entry: add",),
    },
    "hudi": {
        "it looks like an operation under way": ("(replace)?commit: is missing",),
        "it only excuses files that are missing": ("clean: ",),
        "only readers use it, and nothing else in the table says it": (
            "properties: is cut off",
            "(older |replace)?commit: (compacted|extraMetadata|operationType|version)",
        ),
        "only base files say it, and they are opened only where their size differs": (
            r"(older |replace)?commit: partitionToWriteStats\.\.(num|total)",
        ),
        "writers may leave it out": (
            r"(older |replace)?commit: partitionToWriteStats\.\.(fileSizeInBytes|partitionPath|prevCommit) is missing",
        ),
    },
}


@pytest.mark.parametrize("format", UNSEEN)
def test_damage_is_found_or_there_is_a_reason_why_not(format, tmp_path):
    """No reason is for nothing, and the guide has the counts: a row for each format, and in it each reason."""
    count, unseen = 0, []
    for name in (name for name in TABLES if name.startswith(format)):
        table, kinds = TABLES[name](tmp_path / name)
        assert audit(table).holds is True
        for what, damage in damages(table, kinds):
            copy = shutil.copytree(table, tmp_path / f"copy{count}")
            damage(copy)
            judged, line = answer(copy)
            assert "\n" not in line
            if judged is not None and judged.holds:
                unseen.append(what)
            shutil.rmtree(copy)
            count += 1
    left, why = list(unseen), {}
    for reason, patterns in UNSEEN[format].items():
        assert [one for one in patterns if not any(re.match(one, what) for what in unseen)] == []
        mine = [what for what in left if any(re.match(one, what) for one in patterns)]
        left = [what for what in left if what not in mine]
        why[reason] = len(mine)
    assert left == []
    told = "; ".join(f"{number}: {reason}" for reason, number in why.items())
    row = f"| {format} | {count} | {count - sum(why.values())} | {told} |\n"
    assert row in GUIDE.read_text(), f"data/real/README.md lacks this row:\n{row}"
