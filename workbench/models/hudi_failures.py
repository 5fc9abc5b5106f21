"""Hudi's markers, heartbeats and rollbacks: how writers notice who is at work, and what they delete of who is not.

None of it is in the published specification; :class:`workbench.models.hudi.Hudi` calls it where its constants ask for
it. Markers and heartbeats are not kept in the state: they follow from what the writers are doing.
"""

KEEP, EAGER, LAZY = 0, 1, 2

#: The phases in which an operation's marker is there: set as it writes its slice, gone or ignored when it has ended.
MARKED = ("UpdateIndex", "OCC", "Commit")


def announced(model, s, w):
    """Whether another operation, with a smaller timestamp, has a marker on the file group that `w` is to write."""
    group, ts = s.group[w], s.stamp[w].ts
    others = (v for v in model.Writers if v != w and s.phase[v] in MARKED)
    return any(s.group[v] == group and s.stamp[v].ts < ts for v in others)


def has_heartbeat(model, s, stamp):
    """Whether somebody works on the operation. Who has aborted or failed is known at once not to."""
    return any(s.stamp[w] == stamp for w in model.Writers)


def on_timeline(s, stamp):
    """Whether there is an instant of any state."""
    return s.requested[stamp] or s.inflight[stamp] or s.completed[stamp] is not None


def leftovers(model, s):
    """The stamps of what is to be rolled back: not Completed and, if that is asked at the same time, not at work."""
    pending = (x for x in model.stamps if x.ts <= s.started and on_timeline(s, x) and s.completed[x] is None)
    if model.FailedWrites == LAZY and model.RereadTimeline:
        pending = (stamp for stamp in pending if not has_heartbeat(model, s, stamp))
    return tuple(pending)


def roll_back(model, s, w):
    """Delete the slices and the instants of the operations that `w` has found to be left over."""
    for stamp in s.doomed[w]:
        if model.FailedWrites == LAZY and not model.RereadTimeline and has_heartbeat(model, s, stamp):
            continue
        for group in model.file_groups:
            s.slices[group, *stamp] = None
        s.requested[stamp] = s.inflight[stamp] = False
    s.doomed[w] = None
