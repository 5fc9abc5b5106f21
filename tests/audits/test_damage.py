"""Damaged tables: each kind of damage is found, or docs/audit.md has the reason why files cannot show it."""

import re
import shutil

import pytest

from tests.audits.damage import damages
from tests.audits.damaged_tables import TABLES
from tests.audits.expected import answer, audit
from tests.places import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("damage")]  # all look at the same outcomes

GUIDE = ROOT / "docs" / "audit.md"

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


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """By format, the kinds of damage: how many there are, and which are not found."""
    found = {}
    for name, make in TABLES.items():
        folder = tmp_path_factory.mktemp("damage")
        table, kinds = make(folder / "sound")
        assert audit(table).holds is True
        count, unseen = 0, []
        for what, damage in damages(table, kinds):
            copy = shutil.copytree(table, folder / f"copy{count}")
            damage(copy)
            judged, line = answer(copy)
            assert "\n" not in line
            if judged is not None and judged.holds:
                unseen.append(what)
            shutil.rmtree(copy)
            count += 1
        found[name] = count, unseen
    return found


@pytest.mark.parametrize("name", TABLES)
def test_damage_is_found_or_there_is_a_reason_why_not(outcomes, name):
    _, unseen = outcomes[name]
    patterns = [one for reason in UNSEEN[name.partition(" ")[0]].values() for one in reason]
    assert [what for what in unseen if not any(re.match(one, what) for one in patterns)] == []


def test_no_reason_is_for_nothing(outcomes):
    for format, reasons in UNSEEN.items():
        unseen = [what for name, (_, some) in outcomes.items() if name.startswith(format) for what in some]
        for pattern in (one for reason in reasons.values() for one in reason):
            assert any(re.match(pattern, what) for what in unseen), pattern


def test_the_guide_has_the_table(outcomes):
    """A row for each format's kinds of damage, and one for each reason."""
    lines = ["| format | kinds of damage | found | not found, and why |", "|---|---|---|---|"]
    for format, reasons in UNSEEN.items():
        some = [one for name, one in outcomes.items() if name.startswith(format)]
        count, lost = sum(one for one, _ in some), [what for _, unseen in some for what in unseen]
        why = {}
        for reason, patterns in reasons.items():
            mine = [what for what in lost if any(re.match(one, what) for one in patterns)]
            lost = [what for what in lost if what not in mine]
            why[reason] = len(mine)
        told = "; ".join(f"{number}: {reason}" for reason, number in why.items())
        lines.append(f"| {format} | {count} | {count - sum(why.values())} | {told} |")
    table = "\n".join(lines)
    assert table in GUIDE.read_text(), f"docs/audit.md lacks this table:\n{table}"
