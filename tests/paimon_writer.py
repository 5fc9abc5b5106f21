"""Writes Paimon tables with pypaimon, in the environment of real writers: ``paimon_writer.py FOLDER KIND``.

A table's folder is then FOLDER/db.db/t. A line is printed for each commit that succeeded.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema

SCHEMA = pa.schema([pa.field("k", pa.string(), nullable=False), pa.field("v", pa.string())])


class Lake:
    """A catalog with one table."""

    def __init__(self, folder: Path) -> None:
        self.catalog = CatalogFactory.create({"warehouse": str(folder)})
        self.catalog.create_database("db", True)
        self.catalog.create_table("db.t", Schema.from_pyarrow_schema(SCHEMA, [], ["k"], {"bucket": "1"}), True)

    def table(self, branch: str = "") -> Any:
        return self.catalog.get_table(f"db.t$branch_{branch}" if branch else "db.t")

    def write(self, *keys: str, branch: str = "") -> None:
        """Commit each key by itself."""
        for key in keys:
            builder = self.table(branch).new_stream_write_builder()
            write, commit = builder.new_write(), builder.new_commit()
            write.write_arrow(pa.Table.from_pylist([{"k": key, "v": "red"}], schema=SCHEMA))
            commit.commit(write.prepare_commit(1), 1)
            print(json.dumps({"commitUser": builder.commit_user, "commitIdentifier": 1}))

    def branch(self, name: str) -> None:
        """Make a branch from the newest snapshot, which gets a tag."""
        self.table().create_tag(f"for-{name}")
        self.table().branch_manager().create_branch(name, f"for-{name}")


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


if __name__ == "__main__":
    kinds = {kind.__name__: kind for kind in (branch, dropped, rolled_back, rolled_back_once, forwarded, tagged)}
    kinds[sys.argv[2]](Lake(Path(sys.argv[1])))
