"""Delta's table: its log, the data files, a reader, and the writers' next steps; and files with deletion vectors."""

from workbench.kernel.meaning.properties import Place
from workbench.protocols.delta.model import DELETE, Delta, live_files, words
from workbench.protocols.delta.vectors import ABORTED, DELETED, DeletionVectors
from workbench.showing.pictures import *

#: The next step of a writer, by its phase.
NEXT = {
    "Ready": "ready for a transaction",
    "Read": "next: find the files to merge with",
    "Write": "next: write the new files",
    "VersionCheck": "next: take the lock, and look at the log",
    "Commit": "next: write the entry",
    "Retry": "next: write the entry, again",
    "Failed": "failed, for ever",
}


@picture_of(Delta, version="versions")
def delta(model, s, *, version=None, history=(), faults=()):
    latest = model.latest(s)
    version = min(version or version_of(s, faults) or latest, latest)
    entries = [shown for v in model.versions if (shown := entry(model, s, v, v == version, history)) is not None]
    yield part("log", "log", chain("entries", *entries) if entries else note("no entries"))
    for v in range(2, latest + 1):
        yield arrow(name("follows", v), name("entry", v), name("entry", v - 1), "follows")
    live = live_files(model.entries(s, version))
    files = [data_file(model, s, number, live, version, latest) for number in model.numbers if s.files[number]]
    yield part("files", "data files", *(files or [note("none is written")]), reader(model, s, version))
    yield part("writers", "writers", *(writer(model, s, w) for w in model.Writers), lock(model, s))


def version_of(s, faults):
    """The version that is at fault, if any."""
    return next((place.index for place in faults if place.variable == "log" and s.log[place.index]), None)


def names(files):
    return ", ".join(file_name(file) for file in sorted(files)) or "nothing"


def file_name(file):
    return f"file {file.number}" + ("" if file.partition is None else f" of {file.partition}")


def contents(logged):
    """The files that an entry of the log adds and removes, in words."""
    return f"adds {names(logged.added)}", f"removes {names(logged.removed)}"


# The log -------------------------------------------------------------------------------------------------------------


def entry(model, s, v, shown, history):
    """An entry, with those that it has overwritten; a slot if a writer wants to write there; None for neither."""
    writers = [w for w in model.Writers if s.version[w] == v]
    wishes = [text(f"{w} is about to write it", tone=ODD if len(writers) > 1 else PLAIN) for w in writers]
    if s.log[v] is None:
        return slot(name("entry", v), f"entry {v}", note("not there yet"), *wishes) if wishes else None
    front = card(
        name("entry", v), f"entry {v}", *contents(s.log[v]), *wishes, tone=BUSY if shown else PLAIN, of=Place("log", v)
    )
    lost = [old for old in dict.fromkeys(earlier.log[v] for earlier in history) if old not in (None, s.log[v])]
    behind = [
        card(name("overwritten", v, i), *contents(old), note("has been overwritten"), faded=True)
        for i, old in enumerate(lost)
    ]
    return pile(name("pile", v), front, *behind) if behind else front


# Data files ----------------------------------------------------------------------------------------------------------


def data_file(model, s, number, live, version, latest):
    partition, rows = s.files[number]
    is_live, is_gone = any(live_file.number == number for live_file in live), number in s.gone
    is_known = any(added.number == number for entry in model.entries(s, latest) for added in entry.added)
    lines = [row(name("row", number, *values), *values) for values in sorted(rows)]
    return file(
        name("file", number),
        f"file {number}",
        None if partition is None else note(f"of {partition}"),
        table(name("rows", number), lines) if lines else note("no rows in it"),
        text(f"live at version {version}", tone=GOOD) if is_live else note("not live" if is_known else "in no entry"),
        text("has been deleted", tone=BAD if is_live else QUIET) if is_gone else None,
        tone=(BAD if is_gone else BUSY) if is_live else PLAIN,
        faded=is_gone and not is_live,
        of=Place("files", number),
    )


def reader(model, s, version):
    """The rows that a reader of the version gets, and those that it should get."""
    if not version:
        return slot("reader", "a reader", note("nothing is committed yet"))
    lines, right = [], True
    for column1 in model.Column1Values:
        values, expected = model.values(s, column1, version), model.expected(s, column1, version)
        right = right and values == expected
        aside = "" if values == expected else f"expected {words(expected)}"
        lines.append(row(name("read", column1), column1, words(values), aside, tone=BAD if aside else PLAIN))
    verdict = text("as committed", tone=GOOD) if right else text("not what was committed", tone=BAD, bold=True)
    lost = sorted(file for file in live_files(model.entries(s, version)) if file.number in s.gone)
    if lost:
        right, verdict = False, text(f"{names(lost)} cannot be read: deleted", tone=BAD, bold=True)
    title = f"reader of version {version}"
    return card("reader", title, table("reads", lines), verdict, tone=BUSY if right else BAD)


# Writers -------------------------------------------------------------------------------------------------------------


def writer(model, s, w):
    asked = s.transaction[w]
    lines = [text(NEXT[s.phase[w]], tone=QUIET if asked is None else PLAIN)]
    if asked is not None:
        operation = f"{asked.type.lower()} {asked.column1}" + ("" if asked.type == DELETE else f" = {asked.column2}")
        lines += [text(operation, bold=True), text(f"read version {asked.read}, writes entry {s.version[w]}")]
        for v, logged in enumerate(s.snapshot[w], 1):
            if logged != s.log[v]:
                lines.append(text(f"its entry {v}", *contents(logged), tone=ODD))
    if s.targets[w]:
        lines.append(note(f"merges with {names(s.targets[w])}"))
    if s.added[w] or s.removed[w]:
        lines += [note(f"adds {names(s.added[w])}"), note(f"removes {names(s.removed[w])}")]
    of = [Place(variable, w) for variable in ("phase", "transaction", "version", "added", "removed")]
    tone = QUIET if asked is None else BUSY
    return card(name("writer", w), w, *lines, tone=tone, faded=s.phase[w] == "Failed", of=of)


def lock(model, s):
    free = s.lock is None
    line = note("free" if model.UseCoordination else "not used") if free else text(f"held by {s.lock}")
    started = note(f"{s.started} of {model.OpLimit} transactions started")
    return card("lock", "table lock", line, started, tone=QUIET if free else BUSY, of=[Place("lock"), Place("started")])


# Deletion vectors ----------------------------------------------------------------------------------------------------

#: The next step of a writer that deletes one row, by its phase.
DELETES = {
    "Ready": "ready to delete a row",
    "Commit": "next: write the entry",
    DELETED: "was told: deleted",
    ABORTED: "was told: a conflict",
}


@picture_of(DeletionVectors)
def deletion_vectors(model, s):
    live = sorted(s.live)
    times = [added.file for added in live]
    entries = [
        vector_file(s, added, times[:i].count(added.file), times.count(added.file)) for i, added in enumerate(live)
    ]
    others = [
        slot(name("other", number), f"file {number}", note(f"rows {listed(rows)}"), note("not in the table"))
        for number, rows in enumerate(s.files)
        if number not in times
    ]
    yield part("files", "files", *entries, *others)
    yield part("reader-part", "reader", vector_reader(model, s))
    workers = [deleter(s, w) for w in model.Writers]
    yield part("writers", "writers", *workers, compactor(s) if model.Compact != "never" else None)


def listed(rows):
    return ", ".join(map(str, rows)) or "none"


def vector_file(s, added, nth, of_all):
    """A live file with the rows that its vector strikes; `nth` of the entries that the table has of it."""
    id = name("live", added.file, nth)
    lines = [
        row(name(id, "at", position), position, f"row {number}", struck=position in added.vector)
        for position, number in enumerate(s.files[added.file])
    ]
    more = text(f"vector {nth + 1} of {of_all}", tone=BAD, bold=True) if of_all > 1 else None
    return file(
        id,
        f"file {added.file}",
        table(name(id, "rows"), lines) if lines else note("no rows in it"),
        note(f"struck: {listed(sorted(added.vector))}"),
        more,
        tone=BUSY if more is None else BAD,
        of=Place("live", None, added),
    )


def vector_reader(model, s):
    """The rows that readers get, and whether they should."""
    got = model.rows(s)
    lines = []
    for number in sorted(set(got)):
        wrong = "was deleted" if number in s.deleted else f"{got.count(number)} times" if got.count(number) > 1 else ""
        lines.append(row(name("read", number), f"row {number}", wrong, tone=BAD if wrong else PLAIN))
    return card("reader", "a reader gets", table("reads", lines) if lines else note("no rows"), tone=BUSY)


def as_read(added):
    return note(f"read file {added.file}, struck: {listed(sorted(added.vector))}")


def deleter(s, w):
    asked = [] if s.row[w] is None else [text(f"delete row {s.row[w]}", bold=True), as_read(s.read[w])]
    next_step = text(DELETES[s.phase[w]], tone={DELETED: GOOD, ABORTED: ODD}.get(s.phase[w], PLAIN))
    of = [Place("phase", w), Place("row", w), Place("read", w)]
    return card(w, w, next_step, *asked, tone=BUSY if s.phase[w] == "Commit" else QUIET, of=of)


def compactor(s):
    read = None if s.rewritten is None else as_read(s.rewritten)
    if s.compaction == "Commit":
        next_step = text(f"next: swap in file {len(s.files) - 1}")
    else:
        next_step = note("ready to rewrite the file" if read is None else "is done")
    of = [Place("compaction"), Place("rewritten")]
    return card("compactor", "compactor", next_step, read, tone=BUSY if s.compaction == "Commit" else QUIET, of=of)
