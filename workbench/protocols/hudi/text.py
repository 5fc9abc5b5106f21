"""Hudi as published: our states and constants in the terms of the module ``hudi``.

``workbench validate hudi hudi.tla`` compares them. The timeline, file groups and logs of the module are functions that
grow; ours are cells for all files that there can be.
"""

from workbench.checking.following.port import Port, function, name, record
from workbench.protocols.hudi.model import Stamp

NIL, COMMIT = name("Nil"), name("Commit")
REQUESTED, INFLIGHT, COMPLETED = name("Requested"), name("Inflight"), name("Completed")
#: Our phases and the module's, in the order of an operation's steps.
PHASES = {
    "Request": "RequestPhase",
    "Lookup": "LookupPhase",
    "Read": "ReadPhase",
    "Write": "WritePhase",
    "UpdateIndex": "UpdateIndexPhase",
    "OCC": "OCC_Phase",
    "Commit": "CommitPhase",
}
_ORDER = list(PHASES)
_SETS = ("Writers", "Keys", "Values")
_SCALARS = ("FileGroupCount", "OpLimit", "MonotonicTs", "ConcurrencyControl")
_SWITCHES = ("PrimaryKeyConflictCheck", "PutIfAbsentSupported", "UseSalt")


def _or_nil(value):
    return NIL if value is None else value


def _constants(model):
    sets = {constant: frozenset(getattr(model, constant)) for constant in _SETS}
    return sets | {constant: getattr(model, constant) for constant in (*_SCALARS, *_SWITCHES)}


def _state(model, s):
    number = {group: at for at, group in enumerate(model.file_groups, 1)}
    indexed = {key: number[s.index[key]] for key in model.Keys if s.index[key] is not None}
    return {
        "writer": function({w: _writer(s, w, number) for w in model.Writers}),
        "timeline": _timeline(model, s, number),
        "file_group": function({number[group]: _slices(model, s, group, number[group]) for group in model.file_groups}),
        "fg_key_mapping": function(indexed),
        "key_index": frozenset(indexed),
        "table_lock": _or_nil(s.table_lock),
        "fg_lock": function({number[group]: _or_nil(s.group_lock[group]) for group in model.file_groups}),
        "ts_prov_ctr": s.started if model.MonotonicTs else 0,
        "aux_op_count": s.started,
        "aux_kv_log": function({key: _log(model, s, key) for key in model.Keys}),
    }


def _writer(s, w, number):
    """A writer's operation; fields that the module's phases have not set yet are Nil."""
    phase = s.phase[w]
    if phase not in PHASES:
        return name(phase)
    op, stamp, file_id = s.op[w], s.stamp[w], number.get(s.group[w], NIL)
    at, merge, salt = _ORDER.index(phase), s.merge[w], _or_nil(stamp.salt)
    instant = NIL if phase == "Request" else _instant(stamp, REQUESTED if at <= _ORDER.index("Read") else INFLIGHT)
    new = record(file_id=file_id, commit_ts=stamp.ts, salt=salt) if at > _ORDER.index("Write") else NIL
    return record(
        phase=name(PHASES[phase]),
        action_ts=stamp.ts,
        op=record(type=name(op.type), key=op.key, value=op.value, ts=stamp.ts),
        salt=salt,
        instant=instant,
        file_id=file_id,
        merge_file_slice=NIL if merge is None else _slice(file_id, merge, merge.rows),
        new_file_slice=new,
    )


def _instant(stamp, state, payload=NIL):
    named = record(action_ts=stamp.ts, action_type=COMMIT, action_state=state, salt=_or_nil(stamp.salt))
    return record(id=named, payload=payload)


def _timeline(model, s, number):
    instants = [_instant(stamp, REQUESTED) for stamp in model.stamps if s.requested[stamp]]
    instants += [_instant(stamp, INFLIGHT) for stamp in model.stamps if s.inflight[stamp]]
    for stamp in model.stamps:
        if (group := s.completed[stamp]) is not None:
            payload = record(file_id=number[group], commit_ts=stamp.ts, salt=_or_nil(stamp.salt))
            instants.append(_instant(stamp, COMPLETED, payload))
    return function({instant['"id"']: instant for instant in instants})


def _slice(file_id, stamp, rows):
    named = record(file_id=file_id, write_token=1, commit_ts=stamp.ts, salt=_or_nil(stamp.salt))
    return record(base_file_id=named, entries=function(dict(rows)))


def _slices(model, s, group, file_id):
    written = {stamp: s.slices[group, *stamp] for stamp in model.stamps}
    slices = [_slice(file_id, Stamp(*stamp), rows) for stamp, rows in written.items() if rows is not None]
    return function({slice['"base_file_id"']: slice for slice in slices})


def _log(model, s, key):
    logged = [op for _, op in model.history(s, key)][::-1]
    return tuple(record(type=name(op.type), key=key, value=op.value, ts=op.ts) for op in logged)


HUDI = Port(_constants, _state, model="hudi_published")
