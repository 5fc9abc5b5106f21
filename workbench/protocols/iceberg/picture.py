"""Iceberg's table: its snapshots, data files with struck rows, a reader, and the writers' next steps."""

from workbench.kernel.meaning.properties import Place
from workbench.protocols.iceberg.model import COMPACT, INSERT, UPDATE, Iceberg, Row
from workbench.showing.pictures import *

#: The next step of a writer, by its phase.
NEXT = {
    "Ready": "ready for an operation",
    "Read": "next: read its snapshot",
    "Write": "next: write the files",
    "Validate": "next: validate, and prepare the commit",
    "Commit": "next: have the catalog swap",
    "Committed": "has committed, and is ready",
    "Aborted": "has aborted, and is ready",
}


@picture_of(Iceberg, leaves_out={"ids": "a number that is never used again"})
def iceberg(model, s):
    snapshots = [snapshot(model, s, number, entry) for number, entry in enumerate(s.snapshots, 1)]
    yield part("snapshots", "catalog", chain("history", *snapshots) if snapshots else note("no snapshot"))
    for number in range(2, len(snapshots) + 1):
        yield arrow(name("follows", number), name("snapshot", number), name("snapshot", number - 1), "follows")
    current = model.current(s)
    files = [data_file(model, s, number, current) for number in range(1, len(s.files) + 1)]
    deletes = [delete_file(s, number, current) for number in range(1, len(s.delete_files) + 1)]
    yield part("files", "files", *(files or [note("none is written")]), *deletes, reader(model, s, current))
    yield part("writers", "writers", *(writer(model, s, w) for w in model.Writers))


def listed(kind, files):
    """Files with their sequence numbers, in words."""
    return ", ".join(f"{kind} {number} (since {sequence})" for number, sequence in sorted(files))


def content(entry):
    """The contents and changes of a snapshot, in words."""
    yield listed("data", entry.data) or "no data"
    if entry.deletes:
        yield listed("deletes", entry.deletes)
    if entry.added or entry.removed:
        yield f"added {', '.join(map(str, sorted(entry.added))) or 'none'}"
        yield f"removed {listed('data', entry.removed) or 'none'}"
    yield f"oldest data it knew: {entry.least}"


def snapshot(model, s, number, entry):
    first = s.versions[number - 1] if number <= len(s.versions) else entry
    replaced = text("in the place of another one", tone=BAD) if first.id != entry.id else None
    title = f"snapshot {number}"
    is_last = number == len(s.snapshots)
    expired = None if model.is_kept(s, number) else note("has expired")
    return card(
        name("snapshot", number),
        title,
        text(f"{entry.kind}, id {entry.id}"),
        *(note(line) for line in content(entry)),
        replaced,
        expired,
        note("has a tag") if number == s.tag else None,
        aside="current" if is_last else None,
        tone=BUSY if is_last else PLAIN if expired is None else QUIET,
        of=Place("snapshots", None, number - 1),
    )


# Files ---------------------------------------------------------------------------------------------------------------


def data_file(model, s, number, current):
    rows, title = s.files[number - 1], f"data {number}"
    since = dict(current.data).get(number) if current else None
    if rows is None:
        named = since is not None
        gone = text("named, and deleted", tone=BAD) if named else note("deleted")
        return slot(name("data", number), title, gone)
    live = range(len(rows)) if since is None else model.live(s, current, number, since, Row())
    lines = [row(name("row", number, i), *values, struck=i not in live) for i, values in enumerate(rows)]
    label = note("not in the current snapshot") if since is None else text("current", tone=GOOD)
    return file(
        name("data", number),
        title,
        table(name("rows", number), lines) if lines else note("no rows in it"),
        label,
        tone=PLAIN if since is None else BUSY,
    )


def delete_file(s, number, current):
    positions, title = s.delete_files[number - 1], f"deletes {number}"
    in_use = current is not None and number in dict(current.deletes)
    if positions is None:
        gone = text("named, and deleted", tone=BAD) if in_use else note("deleted")
        return slot(name("deletes", number), title, gone)
    lines = [text(f"row {i + 1} of data {f}") for f, i in sorted(positions)] or [note("strikes nothing")]
    label = text("current", tone=GOOD) if in_use else note("not in the current snapshot")
    return file(name("deletes", number), title, *lines, label, tone=BUSY if in_use else PLAIN)


def reader(model, s, current):
    """The rows that a reader of the current snapshot gets, and those that it should get."""
    if current is None:
        return slot("reader", "a reader", note("nothing is committed yet"))
    lines, right = [], True
    for key in model.Col1:
        rows = model.rows_of(s, current, Row(key))
        values = tuple(model.recorded(s, len(s.snapshots), key, c) for c in (1, 2))
        expected = () if values == (None, None) else (Row(key, *values),)
        right = right and rows == expected
        aside = "" if rows == expected else f"expected {words(expected)}"
        lines.append(row(name("read", key), key, words(rows), aside, tone=BAD if aside else PLAIN))
    verdict = text("as committed", tone=GOOD) if right else text("not what was committed", tone=BAD, bold=True)
    return card("reader", "reader", table("reads", lines), verdict, tone=BUSY if right else BAD)


def words(rows):
    return " and ".join(", ".join(value or "none" for value in row[1:]) for row in rows) or "no row"


# Writers -------------------------------------------------------------------------------------------------------------


def writer(model, s, w):
    op = s.op[w]
    lines = [text(NEXT[s.phase[w]], tone=QUIET if op is None else PLAIN)]
    if op is not None:
        lines += [
            text(asked(op), bold=True),
            text(f"started at {'no snapshot' if op.view is None else f'id {op.view.id}'}"),
        ]
        lines += [note(line) for line in work(op)]
        if op.lost:
            lines.append(text("has committed, and got no answer", tone=ODD))
        if op.prepared is not None:
            stale = op.prepared[:-1] != s.snapshots
            last = op.prepared[-1]
            tone = ODD if stale else PLAIN
            lines.append(text(f"has prepared snapshot {len(op.prepared)}, id {last.id}", tone=tone))
            lines += [note(line) for line in content(last)]
    tone = QUIET if op is None else BUSY
    return card(name("writer", w), w, *lines, tone=tone, of=[Place("phase", w), Place("op", w)])


def only(values):
    return ", ".join(value for value in values if value is not None)


def asked(op):
    if op.type == COMPACT:
        return "compact"
    target = only(op.new if op.type == INSERT else op.predicate)
    return f"{op.type.lower()} {target}" + (f", set {only(op.new)}" if op.type == UPDATE else "")


def work(op):
    """The reads and writes of an operation, in words."""
    if op.replaces or op.refers:
        yield f"reads data {', '.join(map(str, op.replaces or op.refers))}"
    if op.positions:
        yield f"strikes {', '.join(f'row {i + 1} of data {f}' for f, i in sorted(op.positions))}"
    if op.rows and op.type != INSERT:
        yield "will write " + " | ".join(words(rows) for rows in op.rows)
    if op.added or op.deletes:
        yield "has written " + ", ".join(
            [*(f"data {f}" for f in sorted(op.added)), *(f"deletes {d}" for d in op.deletes)]
        )
