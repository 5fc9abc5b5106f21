"""The bakeries as published: our states and constants in the terms of the modules ``Bakery`` and ``Bakery_v2``.

``workbench validate bakery Bakery.tla`` and ``workbench validate bakery_v2 Bakery_v2.tla`` compare them.
"""

from workbench.checking.following.port import Port, function, record, string


def _snapshot(snapshot):
    """A snapshot; the one that the table begins with, which is nobody's, has the writer 0."""
    who, kind = (0, "prime") if snapshot.writer is None else (snapshot.writer, "commit")
    return record(w=who, t=snapshot.ticket, parent=snapshot.parent, kind=string(kind))


def _per_writer(model, s):
    """The variables that both modules have, besides the claims and the program counters."""
    return {
        "next_ticket": s.next_ticket,
        "iceberg": tuple(map(_snapshot, s.iceberg)),
        "decision": function({w: string(s.decision[w] or "none") for w in model.Writers}),
        "crash_budget": s.crash_budget,
        **{
            name: function({w: getattr(s, name)[w] for w in model.Writers})
            for name in ("crashed", "my_ticket", "parent_seen")
        },
    }


def _pc(model, s, **alone):
    """The program counters: those of the writers, and of the processes that stand `alone`."""
    begins = {"Crash": "CrashLoop", "ApplyDecide": "ApplyLoop"}
    counters = {w: s.pc[w] for w in model.Writers} | {string(name): pc for name, pc in alone.items()}
    return function({who: string(begins.get(pc, pc)) for who, pc in counters.items()})


# Bakery --------------------------------------------------------------------------------------------------------------


def _constants(model):
    bounds = {name: getattr(model, name) for name in ("MaxTickets", "MaxIcebergLen", "MaxCrashes")}
    return {"Writers": frozenset(model.Writers), **bounds}


def _state(model, s):
    return {
        **_per_writer(model, s),
        "pc": _pc(model, s, crasher=s.pc_crasher),
        "claims": frozenset(record(w=c.writer, t=c.ticket, n=c.writer) for c in s.claims),
    }


BAKERY = Port(_constants, _state, model="bakery_published")

# Bakery_v2 -----------------------------------------------------------------------------------------------------------

_SWITCHES = ("SameNodeLock", "AsyncParquet", "RestampPatch", "SafeAcks")


def _constants_v2(model):
    switches = {name: getattr(model, name) for name in _SWITCHES}
    return {**_constants(model), **switches, "NodeParts": frozenset(map(frozenset, model.writers_of.values()))}


def _state_v2(model, s):
    """The values of the variables of ``Bakery_v2``. A node is the set of its writers; 0 is nobody's node."""
    node = {name: frozenset(writers) for name, writers in model.writers_of.items()} | {None: 0}

    def claims(view):
        return frozenset(record(w=c.writer, t=c.ticket, n=node[model.node_of[c.writer]]) for c in s.claims[view])

    return {
        **_per_writer(model, s),
        "pc": _pc(model, s, applier=s.pc_applier, crasher=s.pc_crasher),
        "claims": function({node[view]: claims(view) for view in model.nodes}),
        "acks": frozenset((ticket, node[by]) for ticket in model.tickets for by in s.acks[ticket]),
        "deferred": frozenset(
            (node[by], deferral.ticket, deferral.behind) for by in model.nodes for deferral in s.deferred[by]
        ),
        "parent_staged": function({w: s.parent_staged[w] for w in model.Writers}),
        **{"ap_dst": node[s.ap_dst], "ap_ct": s.ap_ct, "ap_defer": s.ap_defer, "ap_behind": s.ap_behind},
    }


BAKERY_V2 = Port(_constants_v2, _state_v2, model="bakery_v2_published")
