"""What is wrong with a Hudi table, as states of the model: the few instants that matter, renumbered from 1."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from workbench.kernel import Map, Names
from workbench.models.hudi import INSERT, NONE, OPTIMISTIC, UPDATE, Logged, Stamp
from workbench.models.hudi_extended import LAZY, HudiExtended
from workbench.tables.states import Projected, state_with


class Published(NamedTuple):
    """A slice of the state: None for its rows if it has been deleted."""

    ts: int
    group: str
    rows: Mapping[str, str] | None
    logged: tuple[str, str, str]  # what the operation did: its type, the key, the value


def deleted_slice(key: str | None, *, rolled_back: bool) -> Projected:
    """A slice that is published, and is not there; by a rollback that did not see it completed, or nobody knows how."""
    [k] = names([key], "key")
    cause = {"FailedWrites": LAZY, "RereadTimeline": False, "FailInAnyPhase": True}
    published = [Published(1, "fg1", None, (INSERT, k, "v1"))]
    return _projected(cause, [k], published, {"RereadTimeline": True} if rolled_back else {})


def two_groups(key: str | None) -> Projected:
    """A key that two operations have put into two file groups."""
    [k] = names([key], "key")
    published = [
        Published(1, "fg1", {k: "v1"}, (INSERT, k, "v1")),
        Published(2, "fg2", {k: "v2"}, (INSERT, k, "v2")),
    ]
    cause = {"FileGroupCount": 2, "PrimaryKeyConflictCheck": False}
    return _projected(cause, [k], published, {"PrimaryKeyConflictCheck": True})


def lost_update(key: str | None, *, was_there: bool) -> Projected:
    """A slice without what the one before it had, since it was built on an older one, or on none."""
    k, other = names([key, None], "key")
    first = [Published(1, "fg1", {k: "v1"}, (INSERT, k, "v1"))] if was_there else []
    old = dict(first[0].rows or {}) if first else {}
    n = len(first)
    published = [
        *first,
        Published(n + 1, "fg1", old | {k: "v2"}, (UPDATE if first else INSERT, k, "v2")),
        Published(n + 2, "fg1", old | {other: "v1"}, (INSERT, other, "v1")),
    ]
    return _projected({"ConcurrencyControl": NONE}, [k, other], published, {"ConcurrencyControl": OPTIMISTIC})


def one_name() -> Projected:
    """Two operations with one timestamp have written the same file: what it has now is the later one's."""
    k, other = names([None, None], "key")
    rows = {other: "v2"}
    published = [Published(1, "fg1", rows, (INSERT, k, "v1")), Published(1, "fg1", rows, (INSERT, other, "v2"))]
    return _projected({"MonotonicTs": False}, [k, other], published, {"PutIfAbsentSupported": True})


def names(given: Sequence[str | None], prefix: str) -> list[str]:
    """Keys as the model can have them: by their own names where those are accepted, and differ from all others.

    Examples
    --------
    >>> names(["jack", "4711", None], "key")
    ['jack', 'key2', 'key3']
    """
    taken: list[str] = []
    for i, one in enumerate(given, 1):
        try:
            [name] = Names(prefix, range(1, 2)).parse([one])
            fits = name not in taken and not name.startswith(("w", "v", "fg", prefix)) and len(name) <= 24
        except ValueError:
            fits = False
        taken.append(str(one) if fits else f"{prefix}{i}")
    return taken


def _projected(
    cause: Mapping[str, Any], keys: Sequence[str], published: Sequence[Published], repair: Mapping[str, Any]
) -> Projected:
    model = HudiExtended(Keys=list(keys), OpLimit=max(2, len(published)), **cause)
    stamps = [Stamp(one.ts, None) for one in published]
    slices = {
        (one.group, *stamp): None if one.rows is None else Map(one.rows)
        for one, stamp in zip(published, stamps, strict=True)
    }
    log: dict[tuple[str, int], Logged] = {}
    for one in published:
        kind, key, value = one.logged
        log[key, sum(k == key for k, _ in log)] = Logged(kind, value, one.ts)
    state = state_with(
        model,
        {
            "started": len(published),
            "requested": dict.fromkeys(stamps, True),
            "inflight": dict.fromkeys(stamps, True),
            "completed": {stamp: one.group for one, stamp in zip(published, stamps, strict=True)},
            "slices": slices,
            "index": {one.logged[1]: one.group for one in published},
            "log": log,
        },
    )
    return Projected(model, state, cause, repair)
