"""The bakeries: the queue of tickets, or each node's view of it, acks in flight, and the Iceberg table's history."""

from workbench.kernel import Place
from workbench.protocols.bakery.catalog import COMMITTED, CONFLICT, ROLLED_BACK
from workbench.protocols.bakery.extended import BakeryExtended
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.bakery.v2_extended import BakeryV2Extended
from workbench.showing.pictures import *

#: The next step of a writer, by its program counter.
NEXT = {
    "NodeStartup": "next: drop old claims of its node",
    "CleanUp": "next: withdraw old claims of its node",
    "Start": "next: wake up",
    "Stage": "next: stage data files",
    "BeginClaim": "next: take a ticket",
    "BakeryWait": "waits for its turn",
    "WaitAcks": "waits for acks",
    "Prepare": "next: choose the head to build on",
    "Decide": "next: commit, or roll back",
    "Release": "next: withdraw its claim",
    "DrainForward": "next: send the acks held back",
    "DrainDelete": "next: forget what was held back",
    "Retry": "next: try again",
    "Done": "done",
}

DECISIONS = {COMMITTED: ("committed", GOOD), ROLLED_BACK: ("rolled back", QUIET), CONFLICT: ("HTTP 409", BAD)}


@picture_of(Bakery)
def bakery(model, s):
    waiting = sorted(s.claims)
    claims = [claim(c, "queue", s.crashed[c.writer], Place("claims", None, c)) for c in waiting]
    yield part("queue-part", "queue: ticket \N{MIDDLE DOT} writer", line_of("queue", claims))
    yield part("writers", "writers", *(writer(model, s, w) for w in model.Writers))
    yield from history(model, s)
    yield part("others", "counters", next_ticket(s), crasher(s), restarts(model, s))


#: The picture of the published models and of their extensions.
picture_of(BakeryExtended)(bakery)


@picture_of(BakeryV2)
def bakery_v2(model, s):
    yield part("nodes", "nodes, with their views of the queue", *(node(model, s, n) for n in model.nodes))
    for n in model.nodes:
        yield from held_arrows(model, s, n)
    yield from history(model, s)
    following = next_ticket(s) if not reads_clocks(model) else next_reading(model, s)
    around = (applier(model, s), *stray_acks(model, s), following, crasher(s), restarts(model, s))
    yield part("others", "applier, counters", *around)


@picture_of(BakeryV2Extended)
def bakery_v2_extended(model, s):
    yield from bakery_v2(model, s)
    if model.MaxRetries:
        left = [text(f"{w}: {s.retries_left[w]} left") for w in model.Writers]
        yield part("retries-part", "retries", card("retries", "further rounds", *left))
    if model.MaxRounds > 1:
        to_come = [text(f"{w}: {s.rounds_left[w]} to come") for w in model.Writers]
        yield part("rounds-part", "rounds", card("rounds", "further passes", *to_come))
    if model.UserTable:
        yield part("user-table", "user table", *(user_rows(s, n) for n in model.nodes))


# Writers -------------------------------------------------------------------------------------------------------------


def writer(model, s, w, *more):
    """A writer; in grey once it has crashed."""
    crashed, decision = s.crashed[w], s.decision[w]
    lines = [text("crashed", tone=BAD) if crashed else None]
    if decision is not None:
        word, tone = DECISIONS[decision]
        lines.append(text(word, bold=True, tone=tone))
    if decision is None or s.pc[w] != "Done":
        lines.append(text(NEXT[s.pc[w]]))
    if s.my_ticket[w]:
        lines.append(text(f"ticket {s.my_ticket[w]}"))
    tone = QUIET if s.pc[w] == "Done" or crashed else BUSY if s.my_ticket[w] else PLAIN
    of = [Place(v, w) for v in ("decision", "crashed", "pc", "my_ticket")]
    return card(name("writer", w), w, *lines, *more, tone=tone, faded=crashed, of=of)


def claim(c, where, orphaned, of, *, on_its_way=False, mine=False, withdrawn=False, old=False):
    """A claim in a queue."""
    marks = {
        "of a crashed writer": orphaned,
        "on its way": on_its_way,
        "withdrawn": withdrawn,
        "before the restart": old,
    }
    rest = note(", ".join(mark for mark, so in marks.items() if so)) if any(marks.values()) else None
    build = slot if on_its_way else card
    id = name("claim", where, c.ticket, c.writer)
    title, tone = f"{c.ticket} \N{MIDDLE DOT} {c.writer}", BUSY if mine else PLAIN
    return build(id, title, rest, tone=tone, of=of, faded=orphaned or withdrawn or old)


def line_of(id, claims):
    return queue(id, *claims) if claims else slot(id, None, note("nobody queues"))


def next_ticket(s):
    return card("next-ticket", "next ticket", text(s.next_ticket), of=Place("next_ticket"), tone=QUIET)


# Nodes ---------------------------------------------------------------------------------------------------------------


def node(model, s, n):
    """A node: its writers, its view of the queue, and its deferred acks."""
    alive = model.node_alive(s, n)
    return column(
        name("node", n),
        f"node {n}" if alive else f"node {n}, dead",
        *(writer(model, s, w, *acks(model, s, w)) for w in model.writers_of[n]),
        down(
            name("view", n),
            note(f"the queue as {n} sees it: ticket \N{MIDDLE DOT} writer"),
            line_of(name("queue", n), view(model, s, n)),
        ),
        *(held_back(model, s, n, deferral) for deferral in sorted(s.deferred[n])),
        *acks_under_way(model, s, n),
        itself(model, s, n),
        tone=PLAIN if alive else QUIET,
    )


def view(model, s, n):
    """The claims that a node sees, and those on their way to it, in the order of their tickets."""
    for c in sorted(s.claims[n].union(*(model.news(s, other, n) for other in model.nodes if other != n))):
        owner, late = model.node_of[c.writer], c not in s.claims[n]
        gone = c not in s.claims[owner]
        place = Place("late_claims", n, c) if late and gone else Place("claims", owner if late else n, c)
        mine = owner == n
        yield claim(
            c,
            n,
            s.crashed[c.writer] and not late,
            place,
            on_its_way=late,
            mine=mine,
            withdrawn=gone,
            old=mine and is_old(model, s, n, c),
        )


def is_old(model, s, n, c):
    """Whether a claim is older than its node's server."""
    return isinstance(model, BakeryV2Extended) and n in s.started and c.ticket < s.started[n]


def acks(model, s, w):
    """The other nodes' acks of a ticket: those that arrived, and slots for the missing ones."""
    ticket = s.my_ticket[w]
    if ticket:
        others = [n for n in model.nodes if n != model.node_of[w] or n in s.acks[ticket]]
        yield across(name("acks", w), *(ack(model, s, w, n) for n in others))


def ack(model, s, w, n):
    """The ack of a node for a writer's ticket, or its place."""
    ticket = s.my_ticket[w]
    if n in s.acks[ticket]:
        return envelope(name("ack", w, ticket, n), f"ack of {n}", of=Place("acks", ticket, n), tone=GOOD)
    waits = s.pc[w] == "WaitAcks"
    passed_over = (s.pc[w] == "Prepare" or s.parent_seen[w]) and model.node_alive(s, n)
    missing = note(f"no ack of {n}: taken for dead" if passed_over else f"no ack of {n}")
    return slot(name("ack", w, ticket, n), None, missing, tone=ODD if waits or passed_over else PLAIN)


def held_back(model, s, n, deferral):
    """An ack pinned behind a ticket."""
    ticket, behind = deferral
    late = too_late(model, s, n, behind)
    reason = note(f"pinned behind ticket {behind}, until that is released")
    if late:
        reason = text(f"pinned behind {late}: it will never go", tone=BAD)
    id, of = name("deferral", n, ticket, behind), Place("deferred", n, deferral)
    return envelope(id, f"ack for ticket {ticket}", reason, tone=BAD if late else ODD, of=of)


def too_late(model, s, n, behind):
    """The reason why a deferred ack can never be sent: the acks behind its ticket are gone. None if it still can."""
    holders = [w for w in model.writers_of[n] if s.my_ticket[w] == behind]
    if behind in {c.ticket for c in s.claims[n]} or any(s.pc[w] == "DrainForward" for w in holders):
        return None
    if not behind:
        return "no ticket"
    return f"ticket {behind}, " + (f"whose acks {holders[0]} has sent before" if holders else "which is gone")


def held_arrows(model, s, n):
    """Arrows from deferred acks to the claims that they are pinned behind, or to the missing ack if it is too late."""
    claims = {c.ticket: name("claim", n, c.ticket, c.writer) for c in s.claims[n]}
    missed = {s.my_ticket[w]: w for w in model.Writers if s.my_ticket[w] and n not in s.acks[s.my_ticket[w]]}
    for ticket, behind in sorted(s.deferred[n]):
        id, source = name("held", n, ticket, behind), name("deferral", n, ticket, behind)
        if too_late(model, s, n, behind):
            if ticket in missed:
                target = name("ack", missed[ticket], ticket, n)
                yield arrow(id, source, target, "will never go", tone=BAD, dashed=True)
        elif behind in claims:
            yield arrow(id, source, claims[behind], f"waits for ticket {behind}", tone=ODD, dashed=True)


def applier(model, s):
    """The applier and its memory."""
    of = [Place(v) for v in ("pc_applier", "ap_dst", "ap_ct", "ap_defer", "ap_behind")]
    if s.ap_dst is None:
        return card("applier", "applier", note("has replicated nothing yet"), of=of, tone=QUIET)
    smaller = f"a smaller claim there, ticket {s.ap_behind}" if s.ap_defer else "no smaller claim there"
    lines = (text(f"ticket {s.ap_ct} has come to {s.ap_dst}"), text(smaller))
    if s.pc_applier == "ApplyEmit":
        return card("applier", "applier: the answer is to come", *lines, of=of, tone=BUSY)
    return card("applier", "applier: has answered", *(text(t.text, tone=QUIET) for t in lines), of=of, tone=QUIET)


def stray_acks(model, s):
    """Acks for tickets that no writer holds any more."""
    held = {s.my_ticket[w] for w in model.Writers}
    for ticket in model.tickets:
        for n in sorted(s.acks[ticket]) if ticket not in held else ():
            yield envelope(
                name("ack", ticket, n), f"ack of {n}", note(f"for ticket {ticket}, which nobody has"), faded=True
            )


# As it is built ------------------------------------------------------------------------------------------------------


def reads_clocks(model):
    return isinstance(model, BakeryV2Extended) and model.MaxSkew > 0


def next_reading(model, s):
    """The possible clock readings of the next ticket."""
    least, most = max(1, s.next_ticket - model.MaxSkew), s.next_ticket + model.MaxSkew
    return card("next-ticket", "clocks show", text(f"{least} to {most}"), of=Place("next_ticket"), tone=QUIET)


def acks_under_way(model, s, n):
    """The acks that a node has sent and that have not arrived."""
    if isinstance(model, BakeryV2Extended) and model.ReleaseTransaction:
        for ticket in sorted(s.acks_sent[n]):
            of = Place("acks_sent", n, ticket)
            yield envelope(name("sent", n, ticket), f"ack for ticket {ticket}", note("on its way"), of=of)


def itself(model, s, n):
    """A node's state apart from the queue: its clock, its server's start, and the nodes that it took for dead."""
    if not isinstance(model, BakeryV2Extended):
        return None
    lines, of = [], []
    if n in s.clock:
        lines.append(text(f"clock past ticket {s.clock[n]}" if s.clock[n] else "clock not read yet"))
        if s.taken[n]:
            lines.append(text(f"its tickets of late: {', '.join(map(str, sorted(s.taken[n])))}"))
        of += [Place("clock", n), Place("taken", n)]
    if n in s.started:
        lines.append(text(f"server started before ticket {s.started[n]}" if s.started[n] else "server never restarted"))
        of.append(Place("started", n))
    for other in model.nodes if model.MaxSuspicions else ():
        if other != n:
            used = model.MaxSuspicions - s.suspicions_left[n, other]
            line = f"took {other} for dead: {used} of {model.MaxSuspicions}"
            lines.append(text(line, tone=ODD if used else PLAIN))
            of.append(Place("suspicions_left", (n, other)))
    return card(name("itself", n), f"what {n} keeps", *lines, of=of, tone=QUIET) if lines else None


def user_rows(s, n):
    rows = ", ".join(sorted(s.user_rows[n])) or "none"
    return card(name("user-rows", n), f"copy on {n}", text(f"rows of {rows}"), of=Place("user_rows", n))


# The table's history -------------------------------------------------------------------------------------------------


def history(model, s):
    """The chain of Iceberg snapshots, and below it the writers that staged files or build on them."""
    numbered = list(enumerate(s.iceberg, 1))
    snapshots = (snapshot(i, entry, i == len(numbered)) for i, entry in numbered)
    yield part("iceberg", "Iceberg table", chain("history", *snapshots))
    for i, entry in numbered[1:]:
        yield arrow(name("parent", i), name("snapshot", i), name("snapshot", entry.parent), "is built on")
    hands = [hand for w in model.Writers for hand in pointers(model, s, w)]
    if hands:
        yield part("hands", "who builds on what", *(tag for tag, _ in hands))
        yield from (pointer for _, pointer in hands)


def snapshot(i, entry, head):
    written = [text(f"by {entry.writer}"), text(f"ticket {entry.ticket}")]
    lines = [text("the start")] if entry.writer is None else written
    return card(
        name("snapshot", i), f"snapshot {i}", *lines, aside="head" if head else None, of=Place("iceberg", None, i - 1)
    )


def pointers(model, s, w):
    """Tags with arrows to the snapshots on which a writer staged its files, and on which it builds."""
    uses: dict[int, list[tuple[str, str]]] = {}
    for variable, verb in (("parent_staged", "staged its files on"), ("parent_seen", "builds on")):
        seen = getattr(s, variable)[w] if variable in type(model).declared.variables else 0
        if seen:
            uses.setdefault(seen, []).append((variable, verb))
    for seen, roles in uses.items():
        label = f"{w} {' and '.join(verb for _, verb in roles)} {seen}"
        lost = s.decision[w] == CONFLICT and roles[-1][0] == "parent_seen"
        stale = s.decision[w] is None and seen < len(s.iceberg)
        tone = BAD if lost else ODD if stale else QUIET if s.decision[w] else PLAIN
        id = name("pointer", w, seen)
        tag = badge(id, text(label, small=True), tone=tone, of=[Place(variable, w) for variable, _ in roles])
        yield tag, arrow(name(id, "arrow"), id, name("snapshot", seen), label, tone=tone)


# Crashes -------------------------------------------------------------------------------------------------------------


def crasher(s):
    left = "no crash is to come" if s.pc_crasher == "Done" else f"{s.crash_budget} more may happen"
    over = text(left, tone=QUIET)
    return card("crasher", "crashes", over, of=[Place("crash_budget"), Place("pc_crasher")], tone=QUIET)


def restarts(model, s):
    """The restarts left for crashed writers, if the model has them."""
    if "restart_budget" not in type(model).declared.variables or not model.MaxRestarts:
        return None
    left = text(f"{s.restart_budget} more may happen", tone=QUIET)
    return card("restarts", "restarts", left, of=Place("restart_budget"), tone=QUIET)
