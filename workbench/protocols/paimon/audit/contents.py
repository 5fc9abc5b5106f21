"""The contents of a small Paimon table as readers get them: each version's files, and each key's row."""

import json
from typing import Any, NamedTuple

from workbench.audits.shape import alive_at
from workbench.audits.source import Source
from workbench.protocols.paimon.audit.bucket_reader import BucketLook, look_at
from workbench.protocols.paimon.audit.read import read
from workbench.protocols.paimon.audit.rows import KINDS


class VersionContents(NamedTuple):
    """A version's contents.

    Attributes:
        files: The live data files.
        rows: By key, the rows that a reader may get, as mappings of columns, None for no row; several if they tie for
            the largest sequence number.
    """

    files: tuple[str, ...]
    rows: dict[str, list[dict[str, Any] | None]]


def contents(path: str) -> dict[int, VersionContents]:
    """All versions of a table, by number. Every row is read, so the table should be small.

    Raises:
        InputError: If it is not a table, or damaged.
        UnreadableError: If its rows are of an unsupported kind.
    """
    table = read(Source(path))
    if table is None:
        return {}
    looks = [look_at(table, name) for name in sorted(set(table.files["bucket"].to_pylist()))]
    by_version = {}
    for version in table.snapshots["version"].to_pylist():
        rows = {key: values for look in looks for key, values in _rows(look, version)}
        by_version[version] = VersionContents(tuple(alive_at(table.files, version)["name"].to_pylist()), rows)
    return by_version


def _rows(look: BucketLook, version: int) -> list[tuple[str, list[dict[str, Any] | None]]]:
    """A bucket's keys, each with the rows that a reader of the version may get."""
    top = look.bucket.read(version)
    whole = look.whole(row for rows in top.values() for row in rows)
    rows_of = []
    for rows in top.values():
        mine = [whole[look.where(row)] for row in rows]
        values = [None if KINDS[row["kind"]] in ("-U", "-D") else json.loads(row["value"]) for row in mine]
        rows_of.append((mine[0]["key"], values))
    return rows_of
