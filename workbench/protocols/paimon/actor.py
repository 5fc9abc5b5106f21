"""A pypaimon writer that acts on request: a program for the writers' environment.

It speaks the protocol of ``docs/recordings.md``, one JSON object per line, and imports nothing but pypaimon and its
dependencies. pypaimon stays as installed, except for gates at which a commit waits for a request to continue:

- before the snapshot file gets its name: after pypaimon's check whether it exists, or, with put-if-absent, before that
  check, so that check and creation are one step;
- in pypaimon's backoff, when another snapshot was there first.
"""

import importlib.metadata
import json
import os
import pathlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

VERSION = "2.1.0"  # the gates patch this version's functions

Answer = dict[str, Any]
Request = dict[str, Any]
Row = dict[str, str | None]


class Abandoned(BaseException):
    """Abandons the current request for a new one; a BaseException, so that pypaimon's handlers do not catch it."""

    def __init__(self, request: Request) -> None:
        self.request = request


class Conversation:
    """Requests and answers. Only answers go to standard output; all other output goes to standard error."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)

    def next(self) -> Request:
        line = sys.stdin.readline()
        if not line:
            raise SystemExit
        request: Request = json.loads(line)
        return request

    def say(self, answer: Answer) -> None:
        print(json.dumps(answer), file=self._out, flush=True)


def done(remark: str, **facts: Any) -> Answer:
    return {"verdict": "done", "said": remark, **facts}


def refused(remark: str) -> Answer:
    return {"verdict": "refused", "said": remark}


def impossible(remark: str) -> Answer:
    return {"verdict": "impossible", "said": remark}


class GatedWriter:
    """The actor: an open table, a row in the buffer, and messages to commit. It answers requests by ``do_...``."""

    table: Any

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.gated = False
        self.put_if_absent = False

    def serve(self) -> None:
        """Answer requests until standard input ends."""
        request = self.conversation.next()
        while True:
            self.gated = True
            try:
                answer = self._act(**request)
            except Abandoned as abandoned:
                request = abandoned.request
                continue
            except NotImplementedError as error:
                answer = impossible(f"NotImplementedError: {error}")
            except RuntimeError as error:  # pypaimon found a conflict
                answer = refused(f"RuntimeError: {error}")
            self.conversation.say(answer)
            request = self.conversation.next()

    def _act(self, do: str, **arguments: Any) -> Answer:
        able: Callable[..., Answer] | None = getattr(self, f"do_{do}", None)
        return able(**arguments) if able else impossible(f"it does not know how to {do}")

    def wait(self, answer: Answer, until: str) -> None:
        """Answer, and continue when the request `until` comes."""
        self.conversation.say(answer)
        while (request := self.conversation.next())["do"] != until:
            if request["do"] == "open":
                raise Abandoned(request)
            self.conversation.say(impossible(f"the commit waits for {until}"))

    # Requests --------------------------------------------------------------------------------------------------------

    def do_open(
        self,
        warehouse: str,
        columns: Mapping[str, str],
        primary: Sequence[str],
        partition: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
        put_if_absent: bool = False,
        long_lived: bool = False,
        names: Iterable[tuple[str, Sequence[str], int]] = (),
    ) -> Answer:
        """Open the table ``db.t``, creating it if it does not exist.

        `names` lists keys with the partition and bucket that each must fall into; the answer has a fitting name for
        each. A long-lived writer opens its buckets now, any other one at each write.
        """
        import pyarrow as pa
        from pypaimon import CatalogFactory, Schema

        self.put_if_absent, self.long_lived = put_if_absent, long_lived
        self.messages: list[Any] = []
        keys = [*partition, *primary]
        self.schema = pa.schema(
            [pa.field(name, getattr(pa, kind)(), nullable=name not in keys) for name, kind in columns.items()]
        )
        catalog = CatalogFactory.create({"warehouse": warehouse})
        catalog.create_database("db", True)
        schema = Schema.from_pyarrow_schema(self.schema, list(partition), keys, dict(options or {}))
        catalog.create_table("db.t", schema, True)
        self.table = catalog.get_table("db.t")
        if long_lived:
            self._open_buckets({tuple(place) for _, place, _ in names})
        names_by_key = {key: self._name_in(key, primary[0], place, bucket) for key, place, bucket in names}
        return done("the table is open", names=names_by_key)

    def do_start(self, row: Row) -> Answer:
        """Buffer a row; its sequence number continues from the bucket's when it was opened."""
        import pyarrow as pa

        if not self.long_lived:
            self._open_buckets(())
        self.identifier += 1
        texts = pa.schema([pa.field(field.name, pa.string()) for field in self.schema])
        self.write.write_arrow(pa.Table.from_pylist([row], schema=texts).cast(self.schema))
        return done("the row is in the buffer, with its sequence number")

    def do_update(self, find: Row, sets: Row) -> Answer:
        """Read the row that has the values `find`, and buffer it with the values `sets`."""
        read = self.table.new_read_builder()
        rows = read.new_read().to_arrow(read.new_scan().plan().splits()).to_pylist()
        matching = [row for row in rows if all(row[name] == value for name, value in find.items())]
        if not matching:
            return impossible("it reads no row to update")
        row = {**matching[0], **sets}
        self.do_start(row)
        return done("the row is read, and the new one is in the buffer", row=row)

    def do_write_data_files(self) -> Answer:
        """Write the buffer into data files."""
        self.messages = self.write.prepare_commit(self.identifier)
        files = [file.file_name for message in self.messages for file in message.new_files]
        return done(f"it has written {', '.join(files)}", files=files)

    def do_write_metadata(self) -> Answer:
        """Prepare the snapshot after the latest one; the gate before its creation answers this request."""
        if not self.messages:
            return impossible("there are no data files to commit")
        self.commit.commit(self.messages, self.identifier)
        self.messages = []
        ack = {"commitUser": self.builder.commit_user, "commitIdentifier": self.identifier}
        return done("the commit has succeeded", ack=ack)

    def do_append(self, row: Row) -> Answer:
        """Write and commit a row without gates."""
        self.gated = False
        self.do_start(row)
        self.do_write_data_files()
        return self.do_write_metadata()

    def do_start_compaction(self, place: Sequence[str], bucket: int, level: int) -> Answer:
        """Find the files in a level of a bucket."""
        splits = self.table.new_read_builder().new_scan().plan_for_write().splits()
        mine = [split for split in splits if split.bucket == bucket and list(split.partition.values) == list(place)]
        self.sources = [file for split in mine for file in split.files if file.level == level]
        self.place, self.bucket = tuple(place), bucket
        if not self.sources:
            return impossible(f"bucket {bucket} has no file of level {level}")
        return done(f"level {level} of bucket {bucket} has {', '.join(file.file_name for file in self.sources)}")

    def do_compact_data_files(self) -> Answer:
        """Offer pypaimon a compaction that replaces files by themselves, so that nothing is lost if it accepts."""
        from pypaimon.write.commit_message import CommitMessage

        self._open_buckets(())
        self.gated = False
        same = CommitMessage(self.place, self.bucket, [], compact_before=self.sources, compact_after=self.sources)
        self.commit.commit([same], 1)
        return impossible("pypaimon accepts a compaction, and has none")

    # Helpers ---------------------------------------------------------------------------------------------------------

    def _open_buckets(self, places: Iterable[tuple[str, ...]]) -> None:
        """Start over as a new writer that knows the current sequence numbers in `places`."""
        self.builder, self.identifier = self.table.new_stream_write_builder(), 0
        self.write, self.commit = self.builder.new_write(), self.builder.new_commit()
        store = self.write.file_store_write
        for place in places:
            store.max_seq_numbers[place] = store._load_seq_number_stats(place)

    def _name_in(self, key: str, column: str, place: Sequence[str], bucket: int) -> str:
        """The first of key, key_2, key_3 ... that falls into the bucket."""
        extractor = self.table.create_row_key_extractor()
        row = dict(zip(self.table.partition_keys, place, strict=True))
        number, name = 1, key
        while extractor.extract_partition_bucket_row({**row, column: name})[1] != bucket:
            number += 1
            name = f"{key}_{number}"
        return name


def set_gates(writer: GatedWriter) -> None:
    """Make commits wait where pypaimon checks for a snapshot file, creates it, or backs off from an existing one."""
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit
    from pypaimon.write.file_store_commit import FileStoreCommit

    rename, commit = pathlib.Path.rename, RenamingSnapshotCommit.commit
    retry_wait = FileStoreCommit._commit_retry_wait

    def ready(name: str) -> None:
        writer.wait(done(f"{name} is prepared"), until="commit")

    def gated_rename(self: pathlib.Path, target: Any) -> pathlib.Path:
        name = pathlib.Path(target).name
        if writer.gated and not writer.put_if_absent and name.startswith("snapshot-"):
            ready(name)
        return rename(self, target)

    def gated_commit(self: Any, base: Any, snapshot: Any, statistics: Any) -> Any:
        if writer.gated and writer.put_if_absent:
            ready(f"snapshot-{snapshot.id}")
        return commit(self, base, snapshot, statistics)

    def gated_wait(self: Any, retries: int) -> None:
        if not writer.gated:
            retry_wait(self, retries)
            return
        writer.wait(refused("that snapshot is there already: it prepares another one"), until="write_metadata")

    pathlib.Path.rename = gated_rename  # type: ignore[method-assign, assignment]
    RenamingSnapshotCommit.commit = gated_commit
    FileStoreCommit._commit_retry_wait = gated_wait


def main() -> None:
    conversation = Conversation()
    try:
        installed = importlib.metadata.version("pypaimon")
    except importlib.metadata.PackageNotFoundError:
        installed = "none"
    if installed != VERSION:
        conversation.say(
            impossible(f"it takes pypaimon {VERSION}, as scripts/writers.sh installs it, and there is {installed}")
        )
        return
    writer = GatedWriter(conversation)
    set_gates(writer)
    writer.serve()


if __name__ == "__main__":
    main()
