"""Delta Lake as published: our states and constants in the terms of the module ``delta_lake``.

``workbench validate delta delta_lake.tla`` compares them. A data file of the module is named by a record, and holds its
name; a merge target is a copy of the file, where ours is the file's name.
"""

from workbench.checking.following.port import Port, function, name, record
from workbench.protocols.delta.model import DELETE, INSERT, File, live_files

NIL = name("Nil")
_SETS = ("Writers", "Column1Values", "Column2Values")
_SCALARS = ("OpLimit", "PutIfAbsentSupported", "UseCoordination", "PartitionByColumn1")


def _constants(model):
    sets = {constant: frozenset(getattr(model, constant)) for constant in _SETS}
    return sets | {constant: getattr(model, constant) for constant in _SCALARS}


def _state(model, s):
    count = model.file_count(s)
    written = [(File(number, s.files[number].partition), s.files[number].rows) for number in range(1, count + 1)]
    return {
        "writer": function({w: _writer(model, s, w) for w in model.Writers}),
        "table_lock": NIL if s.lock is None else s.lock,
        "delta_log": _log(model.entries(s, model.latest(s))),
        "data_files": function({_name(file): _file(file, rows) for file, rows in written}),
        "aux_kv_log": function({column1: _committed(model, s.committed[column1]) for column1 in model.Column1Values}),
        "aux_file_ctr": max(1, count),
        "aux_txn_count": s.started,
    }


def _writer(model, s, w):
    """A writer's transaction; fields that the module's phases have not set yet are Nil."""
    phase = s.phase[w]
    if phase in ("Ready", "Failed"):
        return name(phase)
    live = live_files(s.snapshot[w])
    targets = [_file(file, s.files[file.number].rows if file in live else ()) for file in s.targets[w]]
    return record(
        phase=name(f"{phase}Phase"),
        delta_log=_log(s.snapshot[w]),
        txn=_transaction(model, s.transaction[w]),
        merge_targets=NIL if phase == "Read" else frozenset(targets),
        commit_version=s.version[w],
        added_files=NIL if phase in ("Read", "Write") else frozenset(map(_name, s.added[w])),
        removed_files=NIL if phase in ("Read", "Write") else frozenset(map(_name, s.removed[w])),
    )


def _name(file):
    return record(file_no=file.number, partition=NIL if file.partition is None else file.partition)


def _file(file, rows):
    return record(file_id=_name(file), rows=frozenset((row.column1, row.column2) for row in rows))


def _log(entries):
    return tuple(
        record(
            version=at,
            added_files=frozenset(map(_name, entry.added)),
            removed_files=frozenset(map(_name, entry.removed)),
        )
        for at, entry in enumerate(entries, 1)
    )


def _transaction(model, asked):
    second = {} if asked.type == DELETE else {"col2" if asked.type == INSERT else "set_col2": asked.column2}
    partition = model.partitions[asked.column1]
    return record(
        read_version=asked.read,
        op_type=name(asked.type),
        partition=NIL if partition is None else partition,
        op=record(col1=asked.column1, **second),
    )


def _committed(model, history):
    return tuple(record(version=commit.version, txn=_transaction(model, commit.transaction)) for commit in history)


DELTA = Port(_constants, _state, model="delta")
