"""Tags and branches of a Paimon table. Their snapshots keep files alive, as the newest snapshot does."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.damaged import Damaged, Damages
from workbench.audits.decoding import decoded
from workbench.audits.shape import row_codes
from workbench.protocols.paimon.audit.files import (
    ADD,
    ENTRIES,
    RANGES,
    Item,
    decode_index,
    decode_manifest,
    manifests_in,
)
from workbench.protocols.paimon.audit.layout import is_location
from workbench.protocols.paimon.audit.read import PaimonTable, with_folders

_BRANCH = re.compile(r"branch/branch-[^/]+/snapshot/")
_TAG = re.compile(r"(branch/branch-[^/]+/)?tag/tag-[^/]+")


class Head(NamedTuple):
    """A tag, or a branch's newest snapshot.

    Attributes:
        name: Its file.
        version: The number of its snapshot.
        files: The data files and the files of deletion vectors that its readers need, with their sizes if known.
        outside: The number of data files that are not in the table's folder.
    """

    name: str
    version: int
    files: dict[str, int | None]
    outside: int


def heads(table: PaimonTable, damages: Damages) -> Iterator[Head]:
    """The tags and branches whose metadata can be read; the damaged files of the others are noted."""
    manifests: dict[str, pa.Table] = {}  # manifests; most of them are shared by several heads
    for head in _heads(table):
        try:
            yield _head(table, head, manifests)
        except Damaged as error:
            if table.source.exists(head["file"]):  # nobody has dropped it meanwhile
                damages.current(error.name)
                damages.note(Damaged(error.name, f"{error.why}, and {head['file']} needs it"), [head["version"]])


def _heads(table: PaimonTable) -> list[dict[str, Any]]:
    """The tags, and the newest snapshots of branches, in the shape of OTHERS."""
    tags: list[dict[str, Any]] = []
    newest: dict[str, dict[str, Any]] = {}
    for snapshot in table.others.to_pylist():
        if _TAG.fullmatch(snapshot["file"]):
            tags.append(snapshot)
        elif branch := _BRANCH.match(snapshot["file"]):
            newest[branch[0]] = max(snapshot, newest.get(branch[0], snapshot), key=lambda other: int(other["version"]))
    return [*tags, *newest.values()]


def _head(table: PaimonTable, snapshot: dict[str, Any], manifests: dict[str, pa.Table]) -> Head:
    entries = [ENTRIES.empty_table()]
    for manifest in (name for several in snapshot["lists"][:2] for name in manifests_in(table.source, several)):
        if manifest not in manifests:
            manifests[manifest] = decoded(table.source, decode_manifest, [Item(0, (manifest,))], ENTRIES)
        entries.append(manifests[manifest])
    files, outside = _alive(table, pa.concat_tables(entries))
    if snapshot["index"] is not None:
        vectors = decoded(table.source, decode_index, [Item(0, (snapshot["index"],))], RANGES)
        vectors = with_folders(vectors, table.layout)
        files |= {name: None for name in vectors["index_file"].to_pylist() if not is_location(name)}
    return Head(snapshot["file"], snapshot["version"], files, outside)


def _alive(table: PaimonTable, entries: pa.Table) -> tuple[dict[str, int | None], int]:
    """The data files added more often than removed, with their sizes; and the number of those outside the table."""
    code = row_codes(entries, ("name", "level", "bucket", "partition"))
    signs = np.where(entries["kind"].to_numpy() == ADD, 1, -1)
    live = with_folders(entries.filter(pa.array((np.bincount(code, signs)[code] > 0) & (signs > 0))), table.layout)
    inside = live.filter(pc.invert(live["is_outside"]))
    columns = (inside[name].to_pylist() for name in ("bucket", "name", "size"))
    return {f"{bucket}/{name}": size for bucket, name, size in zip(*columns, strict=True)}, len(live) - len(inside)
