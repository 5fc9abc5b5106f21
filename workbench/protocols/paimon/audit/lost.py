"""Commits of a Paimon table that no snapshot names: prepared completely, then overwritten or never made."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from workbench.audits.damaged import Damaged
from workbench.audits.decoding import decoded
from workbench.audits.shape import FILES
from workbench.kernel import InputError
from workbench.protocols.paimon.audit.files import (
    ADD,
    DELETE,
    ENTRIES,
    OTHERS,
    Item,
    decode_manifest,
    decode_other,
    digest,
    manifests_in,
    others,
    together,
    versions,
)
from workbench.protocols.paimon.audit.read import PaimonTable


@dataclass(frozen=True)
class Orphan:
    """A delta that no snapshot names, with files that no snapshot has.

    Attributes:
        version: The snapshot that it was prepared as; None if its base is unknown.
        files: The files it adds, in the shape of :data:`workbench.audits.shape.FILES`.
        removes: The number of files that it removes, as a compaction does.
    """

    manifest_list: str
    version: int | None
    files: tuple[dict[str, Any], ...]
    removes: int


def orphans(table: PaimonTable) -> list[Orphan]:
    """The complete deltas that no snapshot names and whose files no snapshot has.

    A writer that loses a race retries and leaves its first attempt's lists behind; then a snapshot has the files. An
    incomplete delta was abandoned by its writer, or cleaned up. On a live table a delta may still be waiting for its
    turn, so snapshots that have arrived meanwhile count too.
    """
    if not table.orphans:
        return []
    elsewhere = [other for other in table.others.to_pylist() if not other["file"].startswith("snapshot/")]
    listed = {*table.files["name"].to_pylist(), *_added_by(table, elsewhere)}
    named = {
        name for other in elsewhere for manifest_list in other["lists"] for name in _names(table, manifest_list) or ()
    }
    orphaned = list(_orphans(table, listed, named))
    if orphaned:
        arrived = _added_by(table, _arrived_since(table))
        orphaned = [orphan for orphan in orphaned if not {file["name"] for file in orphan.files} & arrived]
    return orphaned


def _orphans(table: PaimonTable, listed: set[str], named_elsewhere: set[str]) -> Iterator[Orphan]:
    # An unfinished base must not be taken for an empty one, which only snapshot 1 has.
    lists = {name: names for name in table.orphans if (names := _names(table, name)) is not None}
    named = {name for names in table.snapshots["manifests"].to_pylist() for name in names} | named_elsewhere
    unnamed = {name for names in lists.values() for name in names} - named
    entries = {manifest: _entries(table, manifest) for manifest in sorted(unnamed)}
    changelog = table.schema.options.get("changelog-file.prefix", "changelog-")
    news = {
        manifest: [
            entry
            for entry in entries[manifest]
            if entry["kind"] == ADD and entry["name"] not in listed and not entry["name"].startswith(changelog)
        ]
        for manifest in unnamed
    }
    follows = {digest([]): 1} if table.first == 1 else {}
    columns = (table.snapshots[column].to_pylist() for column in ("version", "base", "delta"))
    for version, base, delta in zip(*columns, strict=True):
        follows[together(base, delta)] = version + 1
    versions_of = {name: follows.get(digest(lists[base])) for name in lists if (base := _base_of(name)) in lists}
    reported: set[str] = set()
    # Deltas before the bases that were built on them.
    for name in sorted(lists, key=lambda name: (len(lists[name]), versions_of.get(name) is None)):
        files = [_file(table, entry) for manifest in lists[name] for entry in news.get(manifest, ())]
        files = [file for file in files if file["name"] not in reported]
        if not files or not table.source.existing([f"{file['bucket']}/{file['name']}" for file in files]):
            continue  # its files are gone: the writer gave up
        reported |= {file["name"] for file in files}
        removes = sum(entry["kind"] == DELETE for manifest in lists[name] for entry in entries.get(manifest, ()))
        yield Orphan(name, versions_of.get(name), tuple(files), removes)


def _base_of(delta: str) -> str:
    """The manifest list of a commit's base, numbered just before the delta's."""
    attempt, _, number = delta.rpartition("-")
    return f"{attempt}-{int(number) - 1}" if number.isdecimal() and len(number) < 19 else ""


def _entries(table: PaimonTable, manifest: str) -> list[dict[str, Any]]:
    try:
        return decoded(table.source, decode_manifest, [Item(0, (manifest,))], ENTRIES).to_pylist()
    except InputError:
        return []


def _names(table: PaimonTable, manifest_list: str) -> list[str] | None:
    try:
        return manifests_in(table.source, manifest_list)
    except InputError:
        return None  # still being written, or its writer died: nobody relies on it


def _file(table: PaimonTable, entry: dict[str, Any]) -> dict[str, Any]:
    partition = table.layout.partition(entry["partition"])
    folder = table.layout.bucket(partition, entry["bucket"])
    kept = {name: entry[name] for name in entry if name in FILES.names}
    return {**kept, "partition": partition, "bucket": folder, "millis": entry["millis"]}


def _arrived_since(table: PaimonTable) -> list[dict[str, Any]]:
    """The snapshots that arrived after the table was read, and those of all branches and tags, which may be new too."""
    later = [
        version
        for version in versions(table.source, "snapshot", "snapshot-")
        if version > table.last and version not in table.damaged
    ]
    names = [*(f"snapshot/snapshot-{version}" for version in later), *others(table.source)]
    missing: list[dict[str, Any]] = []
    for name in names:
        with suppress(Damaged):  # it was noted, or has only just come
            missing += decoded(table.source, decode_other, [Item(0, (name,))], OTHERS).to_pylist()
    return missing


def _added_by(table: PaimonTable, snapshots: list[dict[str, Any]]) -> set[str]:
    """The files that these snapshots added."""
    names: set[str] = set()
    for delta in {snapshot["delta"] for snapshot in snapshots}:
        try:
            item = Item(0, tuple(manifests_in(table.source, delta)))
            entries = decoded(table.source, decode_manifest, [item], ENTRIES)
        except Damaged:
            continue
        names |= set(entries["name"].to_pylist())
    return names


def missing_acks(table: PaimonTable, acks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The acknowledgements whose commits are in no snapshot, branch or tag."""
    present: set[tuple[str, int]] = set()
    for snapshots in (table.snapshots, table.others):
        present |= set(zip(*(snapshots[column].to_pylist() for column in ("user", "identifier")), strict=True))
    users = {user for user, _ in present}
    return [
        ack
        for ack in acks
        if (ack["commitUser"] not in users)
        or ("commitIdentifier" in ack and (ack["commitUser"], ack["commitIdentifier"]) not in present)
    ]
