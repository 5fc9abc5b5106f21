"""A writer of Paimon's own, pypaimon, for tests; it runs in the environment of the writers.

    paimon_writer.py WAREHOUSE make [COLUMN ...] create the table db.t, with these columns of partitions
    paimon_writer.py WAREHOUSE write KEY ...     commit each key by itself, at full speed
    paimon_writer.py WAREHOUSE gated KEY         commit the key, and stop before its snapshot file gets its name
    paimon_writer.py WAREHOUSE late KEY          commit the key, and stop before, when its data file is written

Each commit is reported as a line of JSON, which may serve as an acknowledgement. At the gate it prints ``gate`` and
goes on when it is sent a line: the moment between the look whether the snapshot is there and its creation, in which all
races are won and lost, lasts as long as a test wants.
"""

import datetime
import json
import pathlib
import sys

import pyarrow as pa

#: The columns that partitions may have, with the value that all rows have there.
TYPES = {"text": pa.string, "number": pa.int32, "day": pa.date32, "yes": pa.bool_}
VALUES = {"text": "2024/01 a=b, longer", "number": -5, "day": datetime.date(2024, 1, 2), "yes": True}


def main() -> None:
    from pypaimon import CatalogFactory, Schema

    warehouse, what, *keys = sys.argv[1:]
    catalog = CatalogFactory.create({"warehouse": warehouse})
    fields = [pa.field("k", pa.string(), nullable=False), pa.field("v", pa.string())]
    if what == "make":
        columns = pa.schema([*(pa.field(name, TYPES[name](), nullable=False) for name in keys), *fields])
        catalog.create_database("db", True)
        options = {"bucket": "1", "commit.max-retries": "100"}
        schema = Schema.from_pyarrow_schema(columns, keys, [*keys, "k"], options)
        catalog.create_table("db.t", schema, True)
        return
    table = catalog.get_table("db.t")
    place = {name: VALUES[name] for name in table.partition_keys}
    columns = pa.schema([*(pa.field(name, TYPES[name](), nullable=False) for name in place), *fields])
    if what == "gated":
        wait_before_snapshots()
    for key in keys:
        name, _, value = key.partition("=")
        builder = table.new_batch_write_builder()
        write, commit = builder.new_write(), builder.new_commit()
        write.write_arrow(pa.Table.from_pylist([{**place, "k": name, "v": value or "red"}], schema=columns))
        messages = write.prepare_commit()
        if what == "late":
            wait()
        commit.commit(messages)
        print(json.dumps({"commitUser": builder.commit_user}), flush=True)


def wait() -> None:
    print("gate", flush=True)
    sys.stdin.readline()


def wait_before_snapshots() -> None:
    rename = pathlib.Path.rename

    def gated(self, target):
        if pathlib.Path(target).name.startswith("snapshot-"):
            wait()
        return rename(self, target)

    pathlib.Path.rename = gated  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
