"""Writes Paimon tables with pypaimon: that of a kind is FOLDER/KIND/db.db/t.

A line is printed for each commit that succeeded.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema

from tests.audits.writing import write

SCHEMA = pa.schema([pa.field("k", pa.string(), nullable=False), pa.field("v", pa.string())])


class Lake:
    """A catalog with one table."""

    def __init__(
        self,
        folder: Path,
        buckets: int = 1,
        options: Mapping[str, str] = MappingProxyType({}),
        keys: Sequence[str] = ("k",),
        partitions: Sequence[str] = (),
        schema: pa.Schema = SCHEMA,
    ) -> None:
        self.catalog = CatalogFactory.create({"warehouse": str(folder)})
        self.catalog.create_database("db", True)
        made = Schema.from_pyarrow_schema(schema, list(partitions), list(keys), {"bucket": str(buckets), **options})
        self.catalog.create_table("db.t", made, True)

    def table(self, branch: str = "") -> Any:
        return self.catalog.get_table(f"db.t$branch_{branch}" if branch else "db.t")

    def write(self, *keys: str, branch: str = "") -> None:
        """Commit each key by itself."""
        for key in keys:
            self.session(branch).commit(key)

    def session(self, branch: str = "") -> "Session":
        return Session(self.table(branch).new_stream_write_builder())

    def branch(self, name: str) -> None:
        """Make a branch from the newest snapshot, which gets a tag."""
        self.table().create_tag(f"for-{name}")
        self.table().branch_manager().create_branch(name, f"for-{name}")


class Session:
    """A writer that stays open for several commits."""

    def __init__(self, builder: Any) -> None:
        self.builder, self.number = builder, 0
        self.write, self.ends = builder.new_write(), builder.new_commit()

    def commit(self, *keys: str) -> None:
        """Commit a row of each key."""
        self.number += 1
        self.write.write_arrow(
            pa.Table.from_pylist([{"k": key, "v": f"v{self.number}"} for key in keys], schema=SCHEMA)
        )
        self.ends.commit(self.write.prepare_commit(self.number), self.number)
        print(json.dumps({"commitUser": self.builder.commit_user, "commitIdentifier": self.number}))


def branch(lake: Lake) -> None:
    """Both go on: the branch as long as the main one, and longer."""
    lake.write("a", "b")
    lake.branch("b1")
    lake.write("c", branch="b1")
    lake.write("d")
    lake.write("e", "f", branch="b1")


def dropped(lake: Lake) -> None:
    """The branch is there no longer."""
    branch(lake)
    lake.table().branch_manager().drop_branch("b1")


def rolled_back(lake: Lake) -> None:
    """Two commits are taken back, and another one takes the place of the first of them."""
    lake.write("a", "b", "c")
    lake.table().rollback_to(1)
    lake.write("d")


def rolled_back_once(lake: Lake) -> None:
    """The newest commit is taken back, and nothing has come since."""
    lake.write("a", "b")
    lake.table().rollback_to(1)


def forwarded(lake: Lake) -> None:
    """What the branch has takes the place of what the table had, but for the newest snapshot."""
    lake.write("a")
    lake.branch("b1")
    lake.write("b", "c")
    lake.write("d", branch="b1")
    lake.table().branch_manager().fast_forward("b1")


def tagged(lake: Lake) -> None:
    """Snapshots expire, but for one that has a tag."""
    lake.write("a", "b")
    lake.table().create_tag("kept")
    lake.write("c", "d")
    for number in (1, 2):
        (Path(lake.table().table_path) / "snapshot" / f"snapshot-{number}").unlink()


def often(lake: Lake) -> None:
    """More commits of one key than writers."""
    lake.write(*"a" * 15)


def always(lake: Lake) -> None:
    """More commits of one key than the model can have."""
    lake.write(*"a" * 24)


def rows(lake: Lake) -> None:
    """Several rows in each commit."""
    for _ in range(4):
        lake.session().commit(*"abcde")


def buckets(lake: Lake) -> None:
    """Several buckets, and several rows in each commit."""
    for _ in range(6):
        lake.session().commit(*"abcde")


def sessions(lake: Lake) -> None:
    """Two writers that stay open: each goes on counting from what it found at first."""
    one, other = lake.session(), lake.session()
    for session in (one, other, other, other, one, one):
        session.commit("a")


def overwritten(lake: Lake) -> None:
    """A commit takes the place of all that was there."""
    lake.write("a", "b")
    builder = lake.table().new_batch_write_builder().overwrite()
    write, commit = builder.new_write(), builder.new_commit()
    write.write_arrow(pa.Table.from_pylist([{"k": "a", "v": "blue"}], schema=SCHEMA))
    commit.commit(write.prepare_commit())


def overwritten_in_vain(lake: Lake) -> None:
    """That commit is taken back, and another one takes its place."""
    overwritten(lake)
    lake.table().rollback_to(2)
    lake.write("c")


def tracked(folder: Path) -> None:
    """Each row has an id."""
    Lake(folder, -1, {"row-tracking.enabled": "true"}, keys=()).write("a", "b", "c")


def postponed(folder: Path) -> None:
    """Rows wait for their buckets, in a folder with another name."""
    Lake(folder, -2).write("a", "b")


def directory(folder: Path) -> None:
    """Data files are in a folder of their own."""
    Lake(folder, options={"data-file.path-directory": "data/files"}).write("a", "b")


def typed(folder: Path) -> None:
    """Partitions by columns of all types of which Python's and Java's names differ."""
    values = {
        "b": (pa.bool_(), True),
        "d": (pa.date32(), date(2024, 1, 2)),
        "n": (pa.decimal128(20, 3), Decimal("-1.500")),
        "f": (pa.float32(), 1e10),
        "t": (pa.time32("ms"), time(1, 2, 3)),
        "ts": (pa.timestamp("us"), datetime(2024, 1, 2, 3, 4, 5, 6)),
    }
    schema = pa.schema([*SCHEMA, *((name, type) for name, (type, _) in values.items())])
    lake = Lake(folder, keys=["k", *values], partitions=[*values], schema=schema)
    for key in "ab":
        builder = lake.table().new_batch_write_builder()
        write, commit = builder.new_write(), builder.new_commit()
        row = {"k": key, "v": "v"} | {name: value for name, (_, value) in values.items()}
        write.write_arrow(pa.Table.from_pylist([row], schema=schema))
        commit.commit(write.prepare_commit())


KINDS: dict[str, Callable[[Path], None]] = {
    kind.__name__: lambda folder, kind=kind: kind(Lake(folder, buckets=2 if kind is buckets else 1))
    for kind in (
        *(branch, dropped, rolled_back, rolled_back_once, forwarded, tagged),
        *(often, always, rows, buckets, sessions, overwritten, overwritten_in_vain),
    )
} | {kind.__name__: kind for kind in (tracked, postponed, directory, typed)}

if __name__ == "__main__":
    write(KINDS)
