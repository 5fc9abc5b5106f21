"""Paimon's table: its snapshots, the buckets at one of them, and the operations that are about to commit."""

from workbench.kernel import Map, Place
from workbench.protocols.paimon import rows as stored
from workbench.protocols.paimon.extended import PaimonExtended
from workbench.protocols.paimon.model import (
    COMMIT,
    PREPARE_COMMIT,
    READY,
    WRITE_DATA_FILES,
    WRITE_METADATA_FILES,
    Paimon,
)
from workbench.showing.pictures import *

#: The next step of an operation, by its state.
NEXT = {
    READY: "ready",
    WRITE_DATA_FILES: "next: write the data file",
    WRITE_METADATA_FILES: "next: prepare a snapshot",
    PREPARE_COMMIT: "next: take the lock",
    COMMIT: "next: commit",
}


@picture_of(PaimonExtended, version="versions")
@picture_of(Paimon, version="versions")
def paimon(model, s, *, version=None, history=(), faults=()):
    version = version or version_of(s, faults)
    shown = list(snapshots(model, s, version, history))
    yield part("snapshots", "snapshots", chain("history", *shown) if shown else note("there is none"))
    for v in model.versions[1:]:
        if s.snapshots[v] is not None:
            yield arrow(name("follows", v), name("snapshot", v), name("snapshot", v - 1), "follows")
    if version:
        buckets = [bucket_at(model, s, version, bucket) for bucket in model.buckets]
        yield part("buckets", f"the table at snapshot {version}", *buckets, reader(model, s, version))
        yield from strikes(model, s, version)
    others = list(other_files(model, s, version))
    if others:
        yield part("others", "other files", *others)
    operations = (operation(model, s, op) for op in model.operations)
    yield part("operations", "writers, compactors", *operations, lock(model, s))


def version_of(s, faults):
    """The snapshot to look at: the one that is at fault, or the latest."""
    return next((p.index for p in faults if p.variable == "snapshots" and s.snapshots[p.index]), s.latest)


# Snapshots -----------------------------------------------------------------------------------------------------------


def snapshots(model, s, shown, history):
    for v in model.versions:
        commit, waiting = s.snapshots[v], [op for op in model.operations if s.prepared[op] == v]
        if commit is not None:
            yield snapshot(model, s, v, v == shown, replaced(v, commit, history), waiting)
        elif waiting:
            yield slot(name("snapshot", v), f"snapshot {v}", note("not there yet"), *wishes(waiting))


def snapshot(model, s, v, shown, earlier, waiting):
    commit = s.snapshots[v]
    owner = commit.rpartition("-")[0]
    operation_kind = "append" if owner in model.writers else "compaction"
    front = card(
        name("snapshot", v),
        f"snapshot {v}",
        text(f"{operation_kind} by {owner}"),
        note("manifest: " + (", ".join(s.manifest[commit] or ()) or "empty")),
        *(note(f"strikes {struck}") for struck in struck_by(model, s, commit)),
        *fate(model, s, v),
        *wishes(waiting),
        aside="latest" if v == s.latest else None,
        tone=BUSY if shown else PLAIN,
        of=[Place("snapshots", v), Place("manifest", commit)],
    )
    behind = [
        card(name("overwritten", v, old), text(f"commit {old}", struck=True), note("has been overwritten"), faded=True)
        for old in earlier
    ]
    return pile(name("pile", v), front, *behind) if behind else front


def fate(model, s, v):
    """The effect of clean-up and tags on a snapshot, in words."""
    if isinstance(model, PaimonExtended):
        if v <= s.expired:
            yield note("has expired")
        if v == s.tag:
            yield text("has the tag")


def struck_by(model, s, commit):
    """The rows that the deletion vectors of a commit strike out, in words."""
    for bucket in model.buckets:
        for file, keys in sorted(s.vectors[commit, bucket].items()):
            yield f"{', '.join(sorted(keys))} in {file}"


def wishes(waiting):
    """The operations that have prepared this snapshot."""
    tone = ODD if len(waiting) > 1 else PLAIN
    return [text(f"prepared by {op}", tone=tone) for op in waiting]


def replaced(v, commit, history):
    """The other commits that snapshot `v` held earlier in `history`."""
    before = dict.fromkeys(earlier.snapshots[v] for earlier in history)
    return [old for old in before if old not in (None, commit)]


# The table at a snapshot ---------------------------------------------------------------------------------------------


def bucket_at(model, s, version, bucket):
    """A bucket: its levels with their files, and beside them its deletion vectors."""
    live = stored.live_files(s, version, bucket)
    vectors = stored.deletion_vectors(s, version, bucket)
    levels = levels_of(model, s, bucket, live, vectors)
    marks = [vector(s, version, bucket, marked, vectors[marked], live) for marked in sorted(vectors)]
    keys = ", ".join(key for key in model.PkCol1Values if model.bucket_of[key] == bucket)
    return shelf(
        name("bucket", bucket),
        f"bucket {bucket}",
        down(name("levels", bucket), *levels),
        down(name("vectors", bucket), *marks) if marks else None,
        aside=f"keys: {keys}",
    )


def levels_of(model, s, bucket, live, vectors):
    """The levels of a bucket; those without a file share a line."""
    empty = []
    for level in range(model.MAX_LEVEL + 1):
        files = [data_file(model, s, live_file, vectors) for live_file in live if s.level[live_file] == level]
        if files:
            yield shelf(name("level", bucket, level), None, note(f"level {level}"), *files)
        else:
            empty.append(str(level))
    if len(empty) > model.MAX_LEVEL:
        yield note("no files")
    elif empty:
        yield note(f"level{'s' if len(empty) > 1 else ''} {', '.join(empty)}: empty")


def data_file(model, s, data, vectors, *remarks, aside=None, tone=PLAIN):
    """A data file with its rows; those in a deletion vector are struck out."""
    rows = []
    for key in model.PkCol1Values:
        if (data, key) in s.kind and s.kind[data, key] is not None:
            values = ", ".join(s.columns[data, key] or ()) or "deleted"
            struck = stored.is_marked(vectors, data, key)
            cells = (s.kind[data, key], f"{key}: {values}", f"seq {s.sequence[data, key]}")
            rows.append(row(name("row", data, key), *cells, struck=struck, of=Place("kind", (data, key))))
    users = [badge(name("uses", op, data), f"{op} compacts it", tone=BUSY) for op in compactors_of(model, s, data)]
    body = table(name("rows", data), rows) if rows else note("no rows")
    if isinstance(model, PaimonExtended) and data in s.gone:
        missed = data in model.named(s)
        remarks, tone = (*remarks, text("has been deleted", tone=BAD if missed else QUIET)), BAD if missed else QUIET
    return file(name("file", data), data, *remarks, body, *users, aside=aside, of=Place("level", data), tone=tone)


def compactors_of(model, s, data):
    """The compactors that are about to replace a file."""
    for c in model.compactors:
        message, rewrite = s.message[c], s.rewrite[c]
        if message is not None and data in message.replaces:
            yield c
        elif rewrite is not None:
            bucket, levels, _ = model.merged(rewrite)
            if s.level[data] in levels and data in live_in(s, bucket):
                yield c


def live_in(s, bucket):
    return stored.live_files(s, s.latest, bucket)


def vector(s, version, bucket, marked, keys, live):
    """A deletion vector; one for a missing file with an empty slot beside it."""
    id, of = name("vector", bucket, marked), Place("vectors", (s.snapshots[version], bucket), marked)
    struck = f"strikes {', '.join(sorted(keys))} in {marked}"
    if marked in live:
        return card(id, "deletion vector", struck, of=of)
    return chain(
        name("dangling", bucket, marked),
        card(id, "deletion vector", struck, text("and points nowhere", tone=BAD), of=of, tone=BAD),
        slot(name("nothing", bucket, marked), text(marked, bold=True, struck=True, tone=QUIET), note("is gone")),
    )


def strikes(model, s, version):
    """Arrows from the deletion vectors to the rows that they strike out."""
    for bucket in model.buckets:
        live = stored.live_files(s, version, bucket)
        for marked, keys in stored.deletion_vectors(s, version, bucket).items():
            for key in sorted(keys) if marked in live else ():
                if s.kind[marked, key] is not None:
                    source, target = name("vector", bucket, marked), name("row", marked, key)
                    yield arrow(name("strikes", marked, key), source, target, f"strikes out {key}", dashed=True)
            if marked not in live:
                source, target = name("vector", bucket, marked), name("nothing", bucket, marked)
                yield arrow(name("dangles", bucket, marked), source, target, "points nowhere", tone=BAD, dashed=True)


def reader(model, s, version):
    """The rows that a reader of the snapshot gets, and those that were committed."""
    lines, wrong = [], False
    for key in model.PkCol1Values:
        answer = model.reads_as_committed(s, key, version)
        wrong = wrong or answer is not True
        row_read = model.read(s, key, version)
        reads = ", ".join(row_read) if row_read else "no row"
        expected = stored.expected(s, key, "col2", version), stored.expected(s, key, "col3", version)
        committed = "no row" if expected == (None, None) else ", ".join(value or "-" for value in expected)
        cells = (f"{key}: {reads}", "" if answer is True else f"committed: {committed}")
        lines.append(row(name("read", key), *cells, tone=PLAIN if answer is True else BAD))
    verdict = text("not what was committed", tone=BAD, bold=True) if wrong else text("as committed", tone=GOOD)
    return card("reader", f"reader of snapshot {version}", table("read", lines), verdict, tone=BAD if wrong else PLAIN)


def other_files(model, s, version):
    """The files that the snapshot lacks, with the reason."""
    live = set(s.manifest[s.snapshots[version]] or ()) if version else set()
    for other in model.files:
        if s.level[other] is not None and other not in live:
            yield data_file(
                model, s, other, Map(), whereabouts(model, s, other), aside=f"level {s.level[other]}", tone=QUIET
            )


def whereabouts(model, s, data):
    """Which other snapshots have a file, or who is to commit it, in words."""
    has = [f"snapshot {v}" for v in model.versions if s.snapshots[v] is not None and data in s.manifest[s.snapshots[v]]]
    if has:
        return note(f"in {', '.join(has)}")
    at_work = [op for op in model.operations if s.message[op] is not None and s.message[op].file == data]
    return note(f"{at_work[0]} is to commit it" if at_work else "in no snapshot")


# Operations ----------------------------------------------------------------------------------------------------------


def operation(model, s, op):
    lines = [text(NEXT[s.pc[op]], tone=QUIET if s.pc[op] == READY else PLAIN)]
    of = [Place(variable, op) for variable in ("pc", "message", "prepared")]
    if op in model.writers:
        lines += writing(s.write[op])
        lines.append(note(f"writes started: {s.sequence_no[op]}"))
    else:
        lines += compacting(model, s.rewrite[op])
        lines.append(note(f"compactions started: {s.compactions_of[op]}"))
    plan = message(model, s, op)
    return card(name("operation", op), op, *lines, *plan, tone=QUIET if s.pc[op] == READY else BUSY, of=of)


def writing(write):
    if write is not None:
        values = ", ".join(write.columns or ()) or "nothing"
        yield text(f"{write.kind} {write.key}: {values}", bold=True)
        yield note(f"seq {write.sequence}, sets {', '.join(write.sets)}")


def compacting(model, rewrite):
    if rewrite is not None:
        bucket, levels, into = model.merged(rewrite)
        which = f"level {levels[0]}" if len(levels) == 1 else f"levels {', '.join(map(str, levels))}"
        yield text(f"compacts {which} of {bucket}", bold=True)
        if levels != (into - 1,):
            yield text(f"into level {into}")


def message(model, s, op):
    """The content that the operation has written and wants to have committed."""
    prepared_message = s.message[op]
    if prepared_message is None:
        return
    yield text(f"adds {prepared_message.file} to {prepared_message.bucket}", bold=True)
    if prepared_message.replaces:
        yield text(f"in place of {', '.join(prepared_message.replaces)}")
    if prepared_message.vectors is not None:
        marks = [f"{', '.join(sorted(keys))} in {marked}" for marked, keys in sorted(prepared_message.vectors.items())]
        yield text("its deletion vectors strike " + (" and ".join(marks) or "nothing"))
    if s.prepared[op] is not None:
        yield from prepared(model, s, op, prepared_message.file)


def prepared(model, s, op, commit):
    """The snapshot that the operation has prepared."""
    lines = [note("manifest: " + (", ".join(s.manifest[commit] or ()) or "empty"))]
    lines += [note(f"strikes {struck}") for struck in struck_by(model, s, commit)]
    yield slot(name("prepared", op), f"snapshot {s.prepared[op]}, prepared", *lines)


def lock(model, s):
    if model.USE_LOCK:
        held = text(f"held by {s.lock}") if s.lock else note("free")
        return card("lock", "lock", held, of=Place("lock"), tone=BUSY if s.lock else QUIET)
    return None
