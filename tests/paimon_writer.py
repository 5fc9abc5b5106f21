"""A writer of Paimon's own, pypaimon, for tests; it runs in the environment of the writers.

    paimon_writer.py WAREHOUSE make              create the table db.t
    paimon_writer.py WAREHOUSE write KEY ...     commit each key by itself, at full speed
    paimon_writer.py WAREHOUSE gated KEY         commit the key, and stop before its snapshot file gets its name

Each commit is reported as a line of JSON, which may serve as an acknowledgement. At the gate it prints ``gate`` and
goes on when it is sent a line: the moment between the look whether the snapshot is there and its creation, in which all
races are won and lost, lasts as long as a test wants.
"""

import json
import pathlib
import sys


def main() -> None:
    import pyarrow as pa
    from pypaimon import CatalogFactory, Schema

    warehouse, what, *keys = sys.argv[1:]
    catalog = CatalogFactory.create({"warehouse": warehouse})
    columns = pa.schema([pa.field("k", pa.string(), nullable=False), ("v", pa.string())])
    if what == "make":
        catalog.create_database("db", True)
        options = {"bucket": "1", "commit.max-retries": "100"}
        catalog.create_table("db.t", Schema.from_pyarrow_schema(columns, primary_keys=["k"], options=options), True)
        return
    table = catalog.get_table("db.t")
    if what == "gated":
        wait_before_snapshots()
    for key in keys:
        name, _, value = key.partition("=")
        builder = table.new_batch_write_builder()
        write, commit = builder.new_write(), builder.new_commit()
        write.write_arrow(pa.table({"k": [name], "v": [value or "red"]}, schema=columns))
        commit.commit(write.prepare_commit())
        print(json.dumps({"commitUser": builder.commit_user}), flush=True)


def wait_before_snapshots() -> None:
    rename = pathlib.Path.rename

    def gated(self, target):
        if pathlib.Path(target).name.startswith("snapshot-"):
            print("gate", flush=True)
            sys.stdin.readline()
        return rename(self, target)

    pathlib.Path.rename = gated  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
