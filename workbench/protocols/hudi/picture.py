"""Hudi's table: its timeline, its file groups with their slices, a reader, and the writers' next steps."""

from workbench.kernel.meaning.properties import Place
from workbench.protocols.hudi.extended import MARKED, HudiExtended
from workbench.protocols.hudi.model import DELETE, Hudi
from workbench.showing.pictures import *

#: The next step of a writer, by its phase.
NEXT = {
    "Ready": "ready for an operation",
    "Request": "next: announce it on the timeline",
    "Lookup": "next: look the key up in the index",
    "Read": "next: read the file group's latest slice",
    "Write": "next: write the new slice",
    "UpdateIndex": "next: update the index",
    "OCC": "next: check for conflicts",
    "Commit": "next: publish the slice",
    "Failed": "failed, for ever",
}


@picture_of(Hudi, reader="timestamps")
def hudi(model, s, *, reader=None, history=(), faults=()):
    reader = reader or reader_of(model, s, faults)
    read = [] if reader is None else list(model.readable(s, reader))
    yield part("timeline", "timeline", *(instant(model, s, ts) for ts in model.timestamps))
    groups = [file_group(model, s, group, read, history) for group in model.file_groups]
    yield part("table", "file groups", *groups, reads(model, s, reader, read))
    for slice_id in read:
        yield arrow(name("reads", *slice_id), "reader", slice_name(slice_id), "a read sees this slice", tone=BUSY)
    yield part("writers", "writers", *(writer(model, s, w) for w in model.Writers))
    yield part("shared", "index, locks and log", index(model, s), table_lock(model, s), *logs(model, s), runs(model, s))


@picture_of(HudiExtended, reader="timestamps")
def hudi_extended(model, s, **options):
    yield from hudi(model, s, **options)
    for w in model.Writers:
        if s.doomed[w] is not None:
            doomed = ", ".join(file_stamp(model, stamp) for stamp in s.doomed[w]) or "nothing"
            yield part(name("rolls", w), "rollback", card(name("doomed", w), f"{w} is about to roll back: {doomed}"))
    if s.plan:
        lines = [text(f"is about to delete {file_name(slice_id)}") for slice_id in s.plan]
        yield part("cleaning", "cleaner", card("plan", "cleaner", *lines, of=Place("plan")))


def reader_of(model, s, faults):
    """The timestamp to read at: the one at fault, or the latest with a Completed instant."""
    wrong = [place.index for place in faults if place.variable == "completed"]
    done = [stamp.ts for stamp in model.stamps if s.completed[stamp] is not None]
    return min((stamp.ts for stamp in wrong), default=max(done, default=None))


def file_stamp(model, stamp):
    return f"{stamp.ts}" if stamp.salt is None else f"{stamp.ts}, salt {stamp.salt}"


def file_name(slice_id):
    """The name of a slice's file; two operations with the same name write the same file."""
    group, ts, salt = slice_id
    return f"{group}_{ts}" if salt is None else f"{group}_{ts}_s{salt}"


def slice_name(slice_id):
    return name("slice", *slice_id)


def words(op):
    return f"{op.type.lower()} {op.key}" + ("" if op.type == DELETE else f" = {op.value}")


def at_work(model, s, stamp):
    """The writers whose operation has this stamp."""
    return [w for w in model.Writers if s.stamp[w] == stamp]


# The timeline --------------------------------------------------------------------------------------------------------


def instant(model, s, ts):
    """A timestamp with its operations; marked if several share it."""
    stamps = [stamp for stamp in model.stamps if stamp.ts == ts]
    lines = [line for stamp in stamps for line in announced(model, s, stamp)]
    done = [entry for entry in model.log_entries if s.log[entry] is not None and s.log[entry].ts == ts]
    users = [w for stamp in stamps for w in at_work(model, s, stamp)]
    for key, i in done:
        lines.append(text(f"{s.log[key, i].type.lower()} {key} is committed", tone=GOOD))
    for w in users:
        lines.append(text(f"{w}: {words(s.op[w])}", bold=True))
    shared = len(users) + len(done) > 1
    crowd = badge(name("shared", ts), f"{len(users) + len(done)} operations share it", tone=ODD) if shared else None
    tone = ODD if shared else PLAIN
    return card(name("instant", ts), f"timestamp {ts}", *(lines or [note("not in use")]), crowd, tone=tone)


def announced(model, s, stamp):
    """The instants on the timeline."""
    states = [("Requested", s.requested[stamp]), ("Inflight", s.inflight[stamp])]
    group = s.completed[stamp]
    if group is not None:
        states.append((f"Completed: {file_name((group, *stamp))}", True))
    there = " \N{MIDDLE DOT} ".join(word for word, exists in states if exists)
    if there:
        of = [Place(variable, stamp) for variable in ("requested", "inflight", "completed")]
        salt = "" if stamp.salt is None else f"salt {stamp.salt}: "
        yield badge(name("instants", *stamp), text(salt + there, small=True, tone=tone_of(group)), of=of)


def tone_of(group):
    return PLAIN if group is None else GOOD


# The table -----------------------------------------------------------------------------------------------------------


def file_group(model, s, group, read, history):
    slices = [slice_id for slice_id in model.slice_ids if slice_id[0] == group]
    files = [file_slice(model, s, slice_id, slice_id in read, history) for slice_id in slices]
    files = [file for file in files if file is not None]
    holder = s.group_lock[group]
    lock = None if holder is None else badge(name("lock", group), f"locked by {holder}", tone=BUSY)
    return column(
        name("group", group),
        f"file group {group}",
        lock,
        *files,
        None if files else note("no slices"),
        of=[Place("group_lock", group)],
    )


def file_slice(model, s, slice_id, is_read, history):
    """A slice's file, or a slot if a writer is about to write it; None for neither."""
    group, *stamp = slice_id
    stamp = next(candidate for candidate in model.stamps if candidate == tuple(stamp))
    rows, published = s.slices[slice_id], s.completed[stamp] == group
    writers = [w for w in at_work(model, s, stamp) if s.group[w] == group]
    if rows is None and not writers and not published:
        return None
    lost = overwritten(s, slice_id, history)
    shared = len(writers) + published > 1 or bool(lost)
    pens = [pen(model, s, w, slice_id) for w in writers]
    if rows is None:
        gone = note("not written yet") if not published else text("published, and deleted", tone=BAD)
        if published and isinstance(model, HudiExtended) and model.may_clean(s, group, stamp):
            gone = note("replaced, and cleaned away")
        return slot(slice_name(slice_id), file_name(slice_id), gone, *pens, tone=ODD if shared else PLAIN)
    lines = [
        row(name("row", *slice_id, key), f"{key}: {value}", of=Place("slices", slice_id, key))
        for key, value in sorted(rows.items())
    ]
    for key, value in lost:
        id = name("lost" if key in rows else "row", *slice_id, key)
        lines.append(row(id, f"{key}: {value}", "overwritten", struck=True))
    return file(
        slice_name(slice_id),
        file_name(slice_id),
        text("published", tone=GOOD) if published else note("not published"),
        table(name("rows", *slice_id), lines) if lines else None,
        None if rows else note("no rows in it now" if lost else "no rows in it"),
        *pens,
        badge(name("same", *slice_id), "one file name, two operations", tone=ODD) if shared else None,
        tone=BUSY if is_read else ODD if shared else PLAIN,
        of=[Place("slices", slice_id), Place("completed", stamp)] if published else Place("slices", slice_id),
    )


def pen(model, s, w, slice_id):
    """A badge for the writer of a file."""
    writes = s.phase[w] in ("Lookup", "Read", "Write")
    marks = isinstance(model, HudiExtended) and model.EarlyConflictDetection and s.phase[w] in MARKED
    marker = ", its marker is set" if marks else ""
    return badge(name("pen", w, *slice_id), f"{w} will write it" if writes else f"{w} wrote it{marker}", tone=PLAIN)


def overwritten(s, slice_id, history):
    """The rows of an earlier writer of the file that are no longer in it."""
    rows = s.slices[slice_id]
    lost = {}
    for earlier in history:
        for key, value in (earlier.slices[slice_id] or {}).items():
            if rows is not None and rows.get(key) != value:
                lost[key] = value
    return sorted(lost.items())


def reads(model, s, ts, read):
    """The rows that a reader at a timestamp gets, and those that it should get."""
    if ts is None:
        return slot("reader", "a reader", note("nothing is published yet"))
    lines, wrong = [], False
    for key in model.Keys:
        expected = model.expected(s, key, ts)
        values = sorted({model.row(s, slice_id, key) for slice_id in read} - {None})
        right = values == ([] if expected is None else [expected])
        wrong = wrong or not right
        reads_as = " and ".join(values) or "no row"
        lines.append(row(name("read", key), f"{key}: {reads_as}", "" if right else f"expected {expected or 'no row'}",
                         tone=PLAIN if right else BAD))  # fmt: skip
    verdict = text("not what was committed", tone=BAD, bold=True) if wrong else text("as committed", tone=GOOD)
    return card("reader", f"reader at timestamp {ts}", table("read", lines), verdict, tone=BAD if wrong else BUSY)


# Writers, and what they share ----------------------------------------------------------------------------------------


def writer(model, s, w):
    op, stamp, group, merge = s.op[w], s.stamp[w], s.group[w], s.merge[w]
    failed = s.phase[w] == "Failed"
    lines = [text(NEXT[s.phase[w]], tone=QUIET if op is None else PLAIN)]
    if op is not None:
        lines.append(text(words(op), bold=True))
        lines.append(text(f"timestamp {file_stamp(model, stamp)}" + (f" \N{MIDDLE DOT} to {group}" if group else "")))
    if op is not None and op.type == DELETE and len(model.Values) > 1:
        lines.append(note(f"a delete does not use its value, {op.value}"))
    if merge is not None:
        rows = ", ".join(f"{key}: {value}" for key, value in sorted(merge.rows.items())) or "no rows"
        lines.append(text(f"in memory: {file_name((group, merge.ts, merge.salt))} ({rows})"))
    elif s.phase[w] in ("Write", *MARKED):
        lines.append(text("in memory: no slice, there was none"))
    of = [Place(variable, w) for variable in ("phase", "op", "stamp", "group", "merge")]
    return card(name("writer", w), w, *lines, tone=QUIET if op is None else BUSY, faded=failed, of=of)


def index(model, s):
    rows = [row(name("index", key), key, s.index[key], of=Place("index", key)) for key in model.Keys if s.index[key]]
    return card("index", "index", table("index-rows", rows) if rows else note("no key is mapped"))


def table_lock(model, s):
    holder = s.table_lock
    if holder is None:
        return card("table-lock", "table lock", note("free"), of=Place("table_lock"), tone=QUIET)
    return card("table-lock", "table lock", text(f"held by {holder}"), of=Place("table_lock"), tone=BUSY)


def logs(model, s):
    """The operations committed to a key, which a reader must see."""
    for key in model.Keys:
        done = [s.log[key, i] for i in range(model.OpLimit) if s.log[key, i] is not None]
        if done:
            lines = [
                text(f"{i}. {logged.type.lower()} {logged.value} at {logged.ts}") for i, logged in enumerate(done, 1)
            ]
            yield card(name("log", key), f"committed to {key}", *lines)


def runs(model, s):
    count = text(f"{s.started} of {model.OpLimit} started")
    return card("started", "operations", count, of=Place("started"), tone=QUIET)
