"""Project Iceberg findings onto states of the bakery, whose writers share such a table and its catalog."""

from typing import Any

from workbench.audits.states import projected
from workbench.protocols.bakery.catalog import COMMITTED, CONFLICT, Snapshot
from workbench.protocols.bakery.v2_extended import BakeryV2Extended

_START = Snapshot(None, 0, 0)


def stale_parent(snapshot: int) -> dict[str, Any]:
    """A commit that was not built on the newest snapshot: the model's catalog answers 409."""
    cause = {"AsyncParquet": True, "RestampPatch": False, "Writers": 2}
    changes = {
        "next_ticket": 3,
        "acks": {1: frozenset({"n2"}), 2: frozenset({"n1"})},
        "iceberg": (_START, Snapshot("w1", 1, 1)),
        "decision": {"w1": COMMITTED, "w2": CONFLICT},
        "pc": {"w1": "Done", "w2": "Done"},
        "my_ticket": {"w1": 1, "w2": 2},
        "parent_seen": {"w1": 1, "w2": 1},
        "parent_staged": {"w1": 1, "w2": 1},
    }
    model = BakeryV2Extended(**cause)
    names = {
        "snapshot 1": "the snapshot before",
        "snapshot 2": "the commit of w1",
        **{f"{verb} 1": f"{verb} the snapshot before" for verb in ("builds on", "staged its files on")},
    }
    legend = (
        f"w2 stands for whoever went past another's commit, that of w1; one of them is snapshot {snapshot}",
        "both have seen the snapshot before; the model's catalog answers 409, where the table's took the commit",
    )
    return projected(model, changes, legend, cause, {"RestampPatch": True}, names)


def numbers_out_of_order(snapshot: int) -> dict[str, Any]:
    """A snapshot with a smaller number than its parent's; the bakery's numbers are tickets."""
    changes = {
        "next_ticket": 3,
        "acks": {1: frozenset({"n2"}), 2: frozenset({"n1"})},
        "iceberg": (_START, Snapshot("w2", 2, 1), Snapshot("w1", 1, 2)),
        "decision": {"w1": COMMITTED, "w2": COMMITTED},
        "pc": {"w1": "Done", "w2": "Done"},
        "my_ticket": {"w1": 1, "w2": 2},
        "parent_seen": {"w1": 2, "w2": 1},
    }
    model = BakeryV2Extended(Writers=2)
    names = {"snapshot 1": "an earlier snapshot", "snapshot 2": "the one before", "snapshot 3": f"snapshot {snapshot}"}
    legend = (f"the number of snapshot {snapshot} is w1's ticket, and that of the one before it w2's",)
    return projected(model, changes, legend, None, {}, names)
