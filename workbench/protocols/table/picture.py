"""Pictures of what all formats share: a sink with requests on their way, row ids, and commits of several tables."""

from collections import defaultdict
from itertools import pairwise

from workbench.kernel.meaning.properties import Place
from workbench.protocols.table.late_sink import LateSink
from workbench.protocols.table.row_ids import RowIds
from workbench.protocols.table.several_tables import COMMITTED, REFUSED, SeveralTables
from workbench.protocols.table.sink import Batch, Sink
from workbench.showing.pictures import *

# A sink --------------------------------------------------------------------------------------------------------------

#: The next step of the job.
JOB = {
    "Read": "next: read a batch",
    "Commit": "next: commit it, if need be",
    "Wait": "waits for the answer",
    "Checkpoint": "takes it for committed; next: write the checkpoint",
}


@picture_of(Sink)
def sink(model, s):
    yield part("source-part", "source", source(model, s))
    yield part("job-part", "job", job(s))
    yield part("table-part", "table", landed_batches(s))


@picture_of(LateSink)
def late_sink(model, s):
    waits = text(f"for request {s.sent}", tone=ODD) if s.pc == "Wait" else None
    batches = {request.number: request.batch for request in s.flight}
    sent = [request(s, number, batches.get(number)) for number in range(1, s.sent + 1)]
    yield part("source-part", "source", source(model, s))
    yield part("job-part", "job", job(s, waits))
    yield part("requests", "requests", *(sent or [note("none is sent")]))
    yield part("table-part", "table", landed_batches(s), keys(s) if model.Key != "none" else None)


def span(batch):
    """The records of a batch, in words."""
    first, last = batch.first + 1, batch.last
    return f"record {last}" if first == last else f"records {first} to {last}"


def source(model, s):
    done = [badge(name("record", i), i, tone=GOOD if i <= s.offset else PLAIN) for i in range(1, model.Records + 1)]
    progress = span(Batch(0, s.offset)) + " done" if s.offset else "nothing done"
    plan = None if s.plan is None else text(f"planned: {span(s.plan)}")
    of = [Place("offset"), Place("plan")]
    return card("source", "records", across("records", *done), text(f"checkpoint: {progress}"), plan, of=of)


def job(s, waits=None):
    at_work = None if s.batch is None else text(f"at work: {span(s.batch)}", bold=True)
    tone = QUIET if s.batch is None else BUSY
    return card("job", "job", text(JOB[s.pc]), waits, at_work, tone=tone, of=[Place("pc"), Place("batch")])


def landed_batches(s):
    files = [
        file(name("batch", i), f"batch {i + 1}", text(span(batch)), of=Place("table", None, i))
        for i, batch in enumerate(s.table)
    ]
    return across("batches", *files) if files else slot("batches", None, note("no batch"))


def request(s, number, batch):
    """A request that was sent: on its way, in the table, or refused; its files may be gone."""
    gone, is_in = number in s.gone, number in s.landed
    if batch is not None:
        label, tone = text(f"on its way: {span(batch)}"), BUSY
    else:
        label, tone = (text("in the table", tone=GOOD), PLAIN) if is_in else (note("was refused"), QUIET)
    deleted = text("its files have been deleted", tone=BAD if is_in else ODD) if gone else None
    return envelope(
        name("request", number),
        f"request {number}",
        label,
        deleted,
        tone=BAD if gone and is_in else tone,
        of=[Place("flight"), Place("landed", None, number), Place("gone", None, number)],
    )


def keys(s):
    remembered = [text(f"that of {span(batch)}") for batch in sorted(s.keys)]
    return card("keys", "the catalog's keys", *(remembered or [note("none is remembered")]), of=Place("keys"))


# Row ids -------------------------------------------------------------------------------------------------------------


@picture_of(RowIds)
def row_ids(model, s):
    versions = [version(s, number) for number in range(1, len(s.versions) + 1)]
    yield part("versions", "versions", across("history", *versions))
    yield part("ids", "ids", across("line", *line_of_ids(s)))
    yield part("writers", "writers", *(appender(s, w) for w in model.Writers))


def version(s, number):
    """A card for one version, with each file's rows and the next free id."""
    files, following = s.versions[number - 1]
    is_last = number == len(s.versions)
    lines = [file(name("file", number, i), None, *map(held, rows)) for i, rows in enumerate(sorted(files))]
    return card(
        name("version", number),
        f"version {number}",
        *(lines or [note("no file")]),
        text(f"next id: {following}"),
        aside="last" if is_last else None,
        tone=BUSY if is_last else PLAIN,
        of=Place("versions", None, number - 1),
    )


def held(row):
    return text(f"id {row.id}: row of v{row.version}")


def line_of_ids(s):
    """Each id that was ever taken, with its rows in all versions."""
    owners, ids = defaultdict(set), defaultdict(set)
    for row in (row for version in s.versions for row in version.rows):
        owners[row.id].add(row.version)
        ids[row.version].add(row.id)
    for id in range(max([version.next for version in s.versions])):
        rows = sorted(owners[id])
        wrong = len(rows) > 1 or any(len(ids[row]) > 1 for row in rows)
        lines = [text(f"row of v{row}", tone=BAD if wrong else PLAIN) for row in rows] or [note("no row")]
        of = [Place("versions", None, row - 1) for row in rows] if wrong else ()
        yield slot(name("id", id), f"id {id}", *lines, tone=BAD if wrong else PLAIN, of=of)


def appender(s, w):
    base, ready = s.base[w], s.phase[w] == "Ready"
    attempt = []
    if base is not None:
        stale = base != len(s.versions)
        attempt = [text(f"on version {base}", tone=ODD if stale else PLAIN), text(f"its row gets id {s.first[w]}")]
    next_step = note("ready to append") if ready else text("next: commit a file")
    of = [Place("phase", w), Place("base", w), Place("first", w)]
    return card(w, w, next_step, *attempt, tone=QUIET if ready else BUSY, of=of)


# Several tables ------------------------------------------------------------------------------------------------------

#: The next step of a writer, by its phase.
COMMIT = {
    "Ready": "ready to read the tables",
    "Validate": "next: have all tables validated",
    "Swap": "next: swap a table",
    COMMITTED: "was told: committed",
    REFUSED: "was told: refused",
}


@picture_of(SeveralTables)
def several_tables(model, s, *, history=()):
    yield part("tables", "tables", *(versions_of(s, t, history) for t in model.Tables))
    yield part("reader-part", "reader", reader(model, s))
    yield part("writers", "writers", *(committer(model, s, w) for w in model.Writers))


def whose(writer):
    return "as at first" if writer is None else f"as {writer} left it"


def versions_of(s, t, history):
    """A table with its versions, the last one on top."""
    pointers = [state.pointer[t] for state in (*history, s)]
    changes = [old for old, new in pairwise(pointers) if old != new]
    earlier = [note(f"before: {whose(old)}") for old in reversed(changes)]
    return card(name("table", t), t, text(whose(s.pointer[t]), bold=True), *earlier, of=Place("pointer", t))


def reader(model, s):
    if not s.seen:
        return slot("reader", "a reader", note("has loaded no table"), of=Place("seen"))
    torn = len(set(s.seen)) > 1
    rows = [row(name("seen", t), t, whose(writer)) for t, writer in zip(model.Tables, s.seen, strict=False)]
    verdict = text("of different commits", tone=BAD, bold=True) if torn else None
    return card("reader", "a reader has", table("read", rows), verdict, tone=BAD if torn else BUSY, of=Place("seen"))


def committer(model, s, w):
    read = dict.fromkeys(whose(writer) for writer in s.base[w])
    left = note(f"to swap: {', '.join(sorted(s.left[w]))}") if s.left[w] else None
    if len(read) > 1:
        read = [f"{t} {whose(writer)}" for t, writer in zip(model.Tables, s.base[w], strict=True)]
    done = s.phase[w] in (COMMITTED, REFUSED)
    return card(
        w,
        w,
        text(COMMIT[s.phase[w]], tone={COMMITTED: GOOD, REFUSED: ODD}.get(s.phase[w], PLAIN)),
        *(note(f"has read {words}") for words in read),
        left,
        tone=QUIET if done or s.phase[w] == "Ready" else BUSY,
        of=[Place("phase", w), Place("base", w), Place("left", w)],
    )
