"""Project Hudi findings onto states of the model: the few instants that matter, renumbered from 1."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from workbench.audits.states import Settings, projected, short
from workbench.kernel import Map, Names
from workbench.protocols.hudi.extended import LAZY, HudiExtended
from workbench.protocols.hudi.model import INSERT, NONE, OPTIMISTIC, UPDATE, Logged, Stamp


class Published(NamedTuple):
    """A published slice in the model's state; `rows` is None if its file was deleted."""

    ts: int
    group: str
    rows: Mapping[str, str] | None
    logged: tuple[str, str, str]  # the operation's type, key and value


def deleted_slice(group: str, ts: int, *, rolled_back: bool) -> dict[str, Any]:
    """A published slice without a file: deleted by a rollback that missed its completion, or for unknown reasons."""
    cause = {"FailedWrites": LAZY, "RereadTimeline": False, "FailInAnyPhase": True}
    published = [Published(1, "fg1", None, (INSERT, "key1", "v1"))]
    legend = ("key1 = v1 stands for the rows of the slice",)
    repair = {"RereadTimeline": True} if rolled_back else {}
    return _projected(cause, ["key1"], published, repair, legend, _names([group], [ts]))


def two_groups(key: str, groups: Sequence[str], stamps: Sequence[int]) -> dict[str, Any]:
    """A key that two operations put into two file groups."""
    [k] = names([key], "key")
    published = [
        Published(1, "fg1", {k: "v1"}, (INSERT, k, "v1")),
        Published(2, "fg2", {k: "v2"}, (INSERT, k, "v2")),
    ]
    cause = {"FileGroupCount": 2, "PrimaryKeyConflictCheck": False}
    legend = (
        *(f"fg{i} is the file group {group}" for i, group in enumerate(groups, 1)),
        "v1 and v2 stand for its rows",
    )
    shown = {**_names(groups, stamps), k: short(key)}
    return _projected(cause, [k], published, {"PrimaryKeyConflictCheck": True}, legend, shown)


def lost_update(key: str | None, group: str, stamps: Sequence[int]) -> dict[str, Any]:
    """A slice that lost its predecessor's change, since it was built on an older slice or on none.

    `stamps` are the timestamps of the older slice (if any), the predecessor, and the slice itself.
    """
    k, other = names([key, None], "key")
    first = [Published(1, "fg1", {k: "v1"}, (INSERT, k, "v1"))] if len(stamps) > 2 else []
    old = dict(first[0].rows or {}) if first else {}
    n = len(first)
    published = [
        *first,
        Published(n + 1, "fg1", old | {k: "v2"}, (UPDATE if first else INSERT, k, "v2")),
        Published(n + 2, "fg1", old | {other: "v1"}, (INSERT, other, "v1")),
    ]
    legend = (
        f"fg1 is the file group {group}",
        f"{k} stands for what is lost" if key is None else "",
        f"{other} stands for what the last commit wrote; v1 and v2 are no values of the table",
    )
    cause, repair = {"ConcurrencyControl": NONE}, {"ConcurrencyControl": OPTIMISTIC}
    shown = {**_names([group], stamps), **({} if key is None else {k: short(key)})}
    return _projected(cause, [k, other], published, repair, legend, shown)


def one_name(group: str, ts: int) -> dict[str, Any]:
    """Two operations with one timestamp wrote the same file, which now holds what the later one wrote."""
    k, other = names([None, None], "key")
    rows = {other: "v2"}
    published = [Published(1, "fg1", rows, (INSERT, k, "v1")), Published(1, "fg1", rows, (INSERT, other, "v2"))]
    legend = (f"fg1 is the file group {group}", f"{k} and {other} stand for what each has written")
    repair = {"PutIfAbsentSupported": True}
    return _projected({"MonotonicTs": False}, [k, other], published, repair, legend, _names([group], [ts]))


def _names(groups: Sequence[str], stamps: Sequence[int]) -> dict[str, str]:
    """The table's names for the model's file groups, timestamps and slices, which the picture has in these words."""
    own = {f"fg{i}": short(group) for i, group in enumerate(groups, 1)}
    times = {f"{word} {i}": f"{word} {ts}" for word in ("timestamp", "at") for i, ts in enumerate(stamps, 1)}
    slices = {f"{fg}_{i}": f"{group}_{ts}" for fg, group in own.items() for i, ts in enumerate(stamps, 1)}
    return {**own, **times, **slices}


def names(keys: Sequence[str | None], prefix: str) -> list[str]:
    """Names for keys in the model: their own where the model accepts these and they are distinct.

    Examples:
        >>> names(["jack", "4711", None], "key")
        ['jack', 'key2', 'key3']
    """
    taken: list[str] = []
    for i, key in enumerate(keys, 1):
        try:
            [name] = Names(prefix, range(1, 2)).parse([key])
            fits = name not in taken and not name.startswith(("w", "v", "fg", prefix)) and len(name) <= 24
        except ValueError:
            fits = False
        taken.append(str(key) if fits else f"{prefix}{i}")
    return taken


def _projected(
    cause: Settings,
    keys: Sequence[str],
    published: Sequence[Published],
    repair: Settings,
    legend: Sequence[str],
    names: Mapping[str, str],
) -> dict[str, Any]:
    model = HudiExtended(Keys=list(keys), OpLimit=max(2, len(published)), **cause)
    stamps = [Stamp(entry.ts, None) for entry in published]
    slices = {
        (entry.group, *stamp): None if entry.rows is None else Map(entry.rows)
        for entry, stamp in zip(published, stamps, strict=True)
    }
    log: dict[tuple[str, int], Logged] = {}
    for entry in published:
        kind, key, value = entry.logged
        log[key, sum(k == key for k, _ in log)] = Logged(kind, value, entry.ts)
    changes = {
        "started": len(published),
        "requested": dict.fromkeys(stamps, True),
        "inflight": dict.fromkeys(stamps, True),
        "completed": {stamp: entry.group for entry, stamp in zip(published, stamps, strict=True)},
        "slices": slices,
        "index": {entry.logged[1]: entry.group for entry in published},
        "log": log,
    }
    return projected(model, changes, filter(None, legend), cause, repair, names)
