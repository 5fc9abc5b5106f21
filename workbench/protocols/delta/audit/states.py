"""Project Delta findings onto states of the protocol's model."""

from collections.abc import Mapping
from typing import Any

from workbench.audits.states import Settings, projected, short
from workbench.protocols.delta.model import INSERT, UPDATE, Committed, Data, Delta, Entry, File, Row, Transaction

_K = "k1"
_FILES = {n: File(n, _K) for n in (1, 2, 3)}


def lost_entry(version: int, clause: str) -> dict[str, Any]:
    """A commit that is not in the log: in the model, another entry took its place."""
    cause = {"PutIfAbsentSupported": False}
    legend = (
        f"{_K} = v1 stands for what the place of version {version} has lost: {clause}; v2 for what is there",
        "in the model the second of two writers overwrites the first one's entry, where put-if-absent is missing",
    )
    log = {1: Entry(frozenset({_FILES[2]}), frozenset())}
    done = [_committed(0, INSERT, "v1", 1), _committed(0, INSERT, "v2", 1)]
    names = _entry_names({1: str(version)})
    return _projected(cause, log, ["v1", "v2"], done, {"PutIfAbsentSupported": True}, legend, names)


def overtaken(version: int, clause: str) -> dict[str, Any]:
    """An entry that ignores an earlier one: rows are there twice, or in their earlier form."""
    legend = (
        f"entry {version}: {clause}; the entries before it stand for any earlier ones",
        f"it and the one before have both rewritten file 1, so that files 2 and 3 both hold {_K}",
        "in the model the later of the two finds the conflict, and aborts",
    )
    log = {
        1: Entry(frozenset({_FILES[1]}), frozenset()),
        2: Entry(frozenset({_FILES[2]}), frozenset({_FILES[1]})),
        3: Entry(frozenset({_FILES[3]}), frozenset({_FILES[1]})),
    }
    done = [_committed(0, INSERT, "v1", 1), _committed(1, UPDATE, "v2", 2), _committed(1, UPDATE, "v3", 3)]
    names = _entry_names({1: "long before", 2: "before", 3: str(version)})
    return _projected({}, log, ["v1", "v2", "v3"], done, {}, legend, names)


def added_and_removed(version: int, name: str) -> dict[str, Any]:
    """An entry that adds and removes the same file."""
    log = {1: Entry(frozenset({_FILES[1]}), frozenset({_FILES[1]}))}
    legend = (f"file 1 is {name}", f"{_K} = v1 stands for its rows")
    names = {**_entry_names({1: str(version)}), "file 1": short(name)}
    return _projected({}, log, ["v1"], [_committed(0, INSERT, "v1", 1)], {}, legend, names)


def _entry_names(versions: Mapping[int, str]) -> dict[str, str]:
    """The table's names for entries and for the versions that they make."""
    return {f"{kind} {number}": f"{kind} {own}" for kind in ("entry", "version") for number, own in versions.items()}


def _committed(read: int, kind: str, value: str, version: int) -> Committed:
    return Committed(Transaction(read, kind, _K, value), version)


def _projected(
    cause: Settings,
    log: Mapping[int, Entry],
    values: list[str],
    done: list[Committed],
    repair: Settings,
    legend: tuple[str, ...],
    names: Mapping[str, str],
) -> dict[str, Any]:
    """A state in which the files 1, 2 ... hold one value each."""
    model = Delta(**cause, OpLimit=3, Column2Values=3, Column1Values=1)
    files = {n: Data(_K, frozenset({Row(_K, value)})) for n, value in enumerate(values, 1)}
    changes = {"log": log, "files": files, "started": len(done), "committed": {_K: tuple(done)}}
    return projected(model, changes, legend, cause or None, repair, names)
