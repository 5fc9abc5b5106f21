"""Paimon's published specification in FizzBee, and our model of it, as an abstraction that both are mapped to.

``workbench validate paimon_published paimon.fizz --set AsPublished=true`` compares them. The text keeps files that no
snapshot leads to, and has the numbers in their names. The model knows who wrote a file, and keeps what an abandoned
compaction wrote. The abstraction has the snapshots, what each operation is about to commit, and the counters; of the
data files it has those that these lead to, as numbers in that order, with their rows. The lock is left out, since the
text stops where it would be taken.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.checking.following.port import Port
from workbench.fizzbee.machine.values import plain
from workbench.language import Map
from workbench.protocols.paimon.model import READY
from workbench.protocols.paimon.rows import COLUMNS, Change

#: The columns by their positions in a row of the text.
_COLUMNS = dict(enumerate(COLUMNS, start=3))


class Contents(NamedTuple):
    """The contents of a snapshot: its files, in order, and by bucket; and by bucket the keys that vectors mark."""

    files: tuple[Any, ...]
    live: Mapping[str, tuple[Any, ...]]
    vectors: Mapping[str, Mapping[Any, frozenset[str]]]


class Operation(NamedTuple):
    """A write or a compaction, with its next commit once that is prepared."""

    pc: str
    bucket: str | None = None
    level: int | None = None
    row: tuple[Any, ...] | None = None
    sets: tuple[str, ...] = ()
    file: Any = None
    replaces: tuple[Any, ...] = ()
    vectors: Mapping[Any, frozenset[str]] | None = None
    version: int | None = None
    contents: Contents | None = None


class DataFile(NamedTuple):
    """A data file."""

    level: int
    rows: tuple[tuple[Any, ...], ...]


class Files:
    """The numbers of data files, given out in the order in which they are asked for."""

    def __init__(self, files: Mapping[str, DataFile]) -> None:
        self._files, self._numbers = files, dict[str, int]()

    def number(self, file: str) -> int:
        return self._numbers.setdefault(file, len(self._numbers) + 1)

    def numbers(self, files):
        return tuple(map(self.number, files))

    def vectors(self, vectors):
        """Vectors by numbers; files that have none yet get them in the order of their rows."""
        new = sorted(vectors.keys() - self._numbers.keys(), key=lambda file: repr(self._files[file]))
        self.numbers(new)
        return Map((self.number(file), keys) for file, keys in vectors.items())

    def contents(self, contents):
        live = Map((bucket, self.numbers(files)) for bucket, files in contents.live.items())
        vectors = Map((bucket, self.vectors(of)) for bucket, of in contents.vectors.items())
        return Contents(self.numbers(contents.files), live, vectors)

    def operation(self, op):
        return op._replace(
            file=None if op.file is None else self.number(op.file),
            replaces=self.numbers(op.replaces),
            vectors=None if op.vectors is None else self.vectors(op.vectors),
            contents=None if op.contents is None else self.contents(op.contents),
        )

    def named(self):
        """The files that have numbers, in their order."""
        return tuple(self._files[file] for file in self._numbers)


def _abstraction(files, snapshots, operations, **counters):
    numbered = Files(files)
    return {
        "snapshots": tuple(map(numbered.contents, snapshots)),
        "operations": Map((name, numbered.operation(op)) for name, op in sorted(operations.items())),
        "files": numbered.named(),
        **counters,
    }


# The model -----------------------------------------------------------------------------------------------------------


def _constants(model):
    """The constants that the text has: it writes them in capitals. Keys and values of columns are the text's own."""
    return {name: value for name, value in model.constants.items() if name.isupper()}


def _of_model(model, s):
    return _abstraction(
        {file: _data_file(model, s, file) for file in model.files if s.level[file] is not None},
        [_contents(model, s, s.snapshots[version]) for version in range(1, s.latest + 1)],
        {op: _operation(model, s, op) for op in model.operations},
        sequence_no=Map((w, s.sequence_no[w]) for w in model.writers),
        compactions_of=Map((c, s.compactions_of[c]) for c in model.compactors),
        write_ops=s.write_ops,
        compactions=s.compactions,
        latest=s.latest,
        write_ops_on=Map((key, s.write_ops_on[key]) for key in model.PkCol1Values),
        insert_pending=frozenset(key for key in model.PkCol1Values if s.insert_pending[key]),
        log=Map(
            ((key, column), tuple(change for version in model.versions for change in s.log[key, column, version]))
            for key in model.PkCol1Values
            for column in COLUMNS
        ),
    )


def _data_file(model, s, file):
    rows = [
        (s.sequence[file, key], s.kind[file, key], key, *(s.columns[file, key] or ()))
        for of, key in model.file_keys
        if of == file and s.kind[file, key] is not None
    ]
    return DataFile(s.level[file], tuple(rows))


def _contents(model, s, commit):
    live = Map((bucket, s.bucket_files[commit, bucket]) for bucket in model.buckets)
    return Contents(s.manifest[commit], live, Map((bucket, s.vectors[commit, bucket]) for bucket in model.buckets))


def _operation(model, s, op):
    if s.pc[op] == READY:
        return Operation(READY)
    message = s.message[op]
    if op in model.writers:
        write = s.write[op]
        row = write.sequence, write.kind, write.key, *(write.columns or ())
        begun = Operation(s.pc[op], model.bucket_of[write.key], row=row, sets=write.sets)
    elif message is None:
        begun = Operation(s.pc[op], s.rewrite[op].bucket, s.rewrite[op].level)
    else:
        begun = Operation(s.pc[op], message.bucket, s.level[message.file] - 1)
    if message is None:
        return begun
    return begun._replace(
        file=message.file,
        replaces=message.replaces,
        vectors=message.vectors,
        version=s.prepared[op],
        contents=None if s.prepared[op] is None else _contents(model, s, message.file),
    )


# The text ------------------------------------------------------------------------------------------------------------


def _of_text(s):
    (store,) = map(plain, s.ObjectStore_objects.values())
    versions = sum(name.startswith("snapshot-") for name in store)
    places = {key: _bucket(place) for key, place in plain(s.rev_bucket_pk_mapping).items()}
    buckets = list(dict.fromkeys(places.values()))
    writers, compactors = _named("w", s.Writer_is_writer), _named("c", s.Writer_is_compactor)
    ongoing = {name: plain(s.Writer_write_op[role]) for name, role in writers.items()}
    ongoing |= {name: plain(s.Writer_compact_op[role]) for name, role in compactors.items()}
    log = plain(s.aux_key_col_log)
    changes = {key: {column: log.get(key, {}).get(at, ()) for at, column in _COLUMNS.items()} for key in places}
    return _abstraction(
        {name: DataFile(file["level"], file["rows"]) for name, file in store.items() if "_data-" in name},
        [_stored(store, store[f"snapshot-{version}"], buckets) for version in range(1, versions + 1)],
        {name: _ongoing(store, op, buckets) for name, op in ongoing.items()},
        sequence_no=Map((name, s.Writer_sequence_no[role]) for name, role in writers.items()),
        compactions_of=Map((name, s.Writer_compact_ctr[role]) for name, role in compactors.items()),
        write_ops=s.aux_op_count,
        compactions=s.aux_compact_count,
        latest=s.aux_max_version,
        write_ops_on=plain(s.aux_pk_ops),
        insert_pending=plain(s.aux_key_insert_pending),
        log=Map(
            ((key, column), tuple(Change(entry["version"], entry["value"]) for entry in entries))
            for key, columns in changes.items()
            for column, entries in columns.items()
        ),
    )


def _named(letter, takes_part):
    """The roles that take part as writers, or as compactors, by our names for them."""
    return {f"{letter}{number}": role for number, (role, does) in enumerate(takes_part.items()) if does}


def _bucket(place):
    return f"p{place['partition']}b{place['bucket']}"


def _ongoing(store, op, buckets):
    if op["state"] == READY:
        return Operation(READY)
    mask, snapshot, vectors = op.get("aux_col_mask"), op["snapshot_file"], op.get("dv_file_id")
    return Operation(
        op["state"],
        _bucket(op),
        op.get("level"),
        op.get("op_row"),
        () if mask is None else tuple(column for at, column in _COLUMNS.items() if mask[at]),
        op["data_file_id"],
        op["delete_file_ids"] or (),
        None if vectors is None else _marked(store, vectors),
        op["snapshot_version"],
        None if snapshot is None else _stored(store, snapshot, buckets),
    )


def _stored(store, snapshot, buckets):
    """The contents of a snapshot file, or of one that is prepared."""
    manifests = (*store[snapshot["base_manifest_list"]], *store[snapshot["delta_manifest_list"]])
    files = []
    for entry in (entry for manifest in manifests for entry in store[manifest]["entries"]):
        if entry["kind"] == "ADD":
            files.append(entry["file_id"])
        else:
            files.remove(entry["file_id"])
    live = Map((bucket, tuple(file for file in files if file.startswith(_prefix(bucket)))) for bucket in buckets)
    index = {} if snapshot["index_manifest"] is None else store[snapshot["index_manifest"]]
    named = {f"p{partition}b{bucket}": file for partition, of in index.items() for bucket, file in of.items()}
    vectors = Map((bucket, _marked(store, named[bucket]) if bucket in named else Map()) for bucket in buckets)
    return Contents(tuple(files), live, vectors)


def _prefix(bucket):
    partition, _, number = bucket.removeprefix("p").partition("b")
    return f"p-{partition}_b-{number}_data-"


def _marked(store, vectors):
    """A file with deletion vectors: the keys of the rows that it marks, in place of their positions."""
    marks = store[vectors]["dvectors"]
    return Map((file, frozenset(store[file]["rows"][at][2] for at in positions)) for file, positions in marks.items())


PAIMON = Port(_constants, _of_model, model="paimon_published", abstraction=_of_text)
