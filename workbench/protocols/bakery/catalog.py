"""The common part of both bakeries: the Iceberg table behind its catalog, its properties, and the crasher."""

from typing import NamedTuple

from workbench.language import *

COMMITTED, ROLLED_BACK, CONFLICT = "committed", "rolled_back", "lk_409"


class Snapshot(NamedTuple):
    """A snapshot of the table: its writer, its ticket, and the head that it follows."""

    writer: str | None
    ticket: int
    parent: int


def check_tickets(model):
    if model.MaxTickets < len(model.Writers):
        raise InputError(
            f"MaxTickets = {model.MaxTickets} is not accepted; it takes at least the number of Writers "
            f"({len(model.Writers)})"
        )


def swap(s, w):
    """Commit by compare-and-swap: append if the head is still the one that was seen, else the catalog answers 409."""
    if len(s.iceberg) == s.parent_seen[w]:
        s.iceberg += (Snapshot(w, s.my_ticket[w], s.parent_seen[w]),)
        s.decision[w] = COMMITTED
    else:
        s.decision[w] = CONFLICT


def lives(model, s, w):
    """The requirements of every step of a writer."""
    require(not s.crashed[w], f"{w} has crashed")


# The crasher, which a model takes over by name: steps of a base class would be numbered before its own ----------------

crasher = Process(fair="weak", doc="crashes writers while its budget lasts", pc="pc_crasher", start="Crash")


@action(crasher, at="Crash", w="Writers", when="MaxCrashes")
def crash(self, s, w):
    """A writer crashes; what it has in the queue stays behind."""
    require(s.crash_budget > 0, "the crash budget is used up")
    require(not s.crashed[w], f"{w} has crashed already")
    s.crashed[w] = True
    s.crash_budget -= 1


@action(crasher, at="Crash", when="MaxCrashes")
def give_up(self, s):
    """No (further) crash happens in this run."""
    require(s.crash_budget > 0, "the crash budget is used up")
    s.crash_budget = 0


@action(crasher, at="Crash", to="Done")
def crasher_done(self, s):
    """All crashes have happened, or been given up."""
    require(s.crash_budget == 0, "crashes may still happen")


# Restarts ------------------------------------------------------------------------------------------------------------


def crashes_and_restarts(model):
    return model.MaxCrashes > 0 and model.MaxRestarts > 0


def restart(s, w, first_step):
    """A crashed writer comes back, and remembers nothing; what it left in the queue is still there."""
    require(s.crashed[w], f"{w} has not crashed")
    require(s.restart_budget > 0, "the restart budget is used up")
    require(s.decision[w] is None, f"{w} had decided before it crashed")
    s.crashed[w] = False
    s.my_ticket[w] = s.parent_seen[w] = 0
    s.pc[w] = first_step
    s.restart_budget -= 1


def restart_is_open(model, s):
    """Whether some writer could still come back."""
    return s.restart_budget > 0 and any(s.crashed[w] and s.decision[w] is None for w in model.Writers)


# Properties ----------------------------------------------------------------------------------------------------------


def no_conflict(model, s):
    lost = [w for w in model.Writers if s.decision[w] == CONFLICT]
    return not lost or Fault(
        f"{lost[0]} committed on head {s.parent_seen[lost[0]]}, but the table's head is {len(s.iceberg)}: HTTP 409",
        Place("decision", lost[0]),
        Place("parent_seen", lost[0]),
    )


def rollback_leaves_nothing(model, s):
    owners = {snapshot.writer for snapshot in s.iceberg}
    both = [w for w in model.Writers if s.decision[w] == ROLLED_BACK and w in owners]
    return not both or f"{both[0]} rolled back, yet a snapshot in the history is its own"


def rollback_leaves_nothing_of_its_ticket(model, s):
    commits = {(snapshot.writer, snapshot.ticket) for snapshot in s.iceberg}
    both = [w for w in model.Writers if s.decision[w] == ROLLED_BACK and (w, s.my_ticket[w]) in commits]
    return not both or f"{both[0]} rolled back, yet the snapshot with its ticket {s.my_ticket[both[0]]} is its own"


def unique_tickets(claims):
    holder = {}
    for claim in sorted(claims):
        if holder.setdefault(claim.ticket, claim.writer) != claim.writer:
            return f"ticket {claim.ticket} belongs to {holder[claim.ticket]} and to {claim.writer}"
    return True


def ticket_order(s):
    tickets = [snapshot.ticket for snapshot in s.iceberg[1:]]
    early = (Place("iceberg", None, i + 1) for i, ticket in enumerate(tickets) if ticket != sorted(tickets)[i])
    return tickets == sorted(tickets) or Fault(
        f"snapshots were committed in the order of tickets {show(tuple(tickets))}", *early
    )


# The promise of a table ----------------------------------------------------------------------------------------------

#: What the row of a writer holds. The protocol does not say, and no two writers have the same row.
FILE = "file"


def files(model, s, length):
    """Each writer's rows in the first `length` snapshots, as a reader sees them."""
    owners = [snapshot.writer for snapshot in s.iceberg[:length]]
    return Map((w, ((FILE,),) * owners.count(w)) for w in model.Writers)


def as_table(model, s):
    """The rows that readers of the head get, and the commits that the catalog accepted."""
    return {
        "rows": files(model, s, len(s.iceberg)),
        "acknowledged": {(w, "value"): (FILE,) if s.decision[w] == COMMITTED else () for w in model.Writers},
    }


def as_table_with_versions(model, s):
    """The same, with a version for each snapshot that a writer has added."""
    versions = tuple(files(model, s, length) for length in range(2, len(s.iceberg) + 1))
    return {**as_table(model, s), "versions": versions}
