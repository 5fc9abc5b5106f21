"""Hudi beyond the published specification: early detection, failures in any phase, rollback of leftovers."""

import itertools
from collections import Counter
from fractions import Fraction
from functools import partial

import pytest

from tests import figures
from tests.behaviours import reachable_states, steps_by
from tests.figures import published
from tests.mistakes import always, broken, missed
from tests.places import ROOT
from workbench.checking.check import check
from workbench.checking.spaces.space import explore
from workbench.kernel import action, machine_of, reachable
from workbench.protocols.hudi.extended import MARKED, HudiExtended
from workbench.protocols.hudi.model import Hudi

PAGE = (ROOT / "specs" / "hudi" / "README.md").read_text()
INVARIANTS = ["ConsistentRead", "NoDuplicateKeysAcrossFiles", "PublishedFilesExist"]
LIVE = "EventuallyWriterTerminates"
SMALL = {"Values": 1, "FileGroupCount": 2}
ONE_GROUP = {"Values": 1, "Keys": 1}
EARLY = {"EarlyConflictDetection": True}
LOCKED = {**EARLY, "MarkerLock": True}
ANYWHERE = {"FailInAnyPhase": True}
EAGER, LAZY = {**ANYWHERE, "FailedWrites": 1}, {**ANYWHERE, "FailedWrites": 2}
STALE = {**LAZY, "RereadTimeline": False}
COLLIDING = {**ONE_GROUP, "OpLimit": 3, "MonotonicTs": False}

PUBLISHED = [
    pytest.param(figure.constants, figure.found.violations, id=", ".join(map(str, figure.constants.values())))
    for figure in published("hudi")
]

violations = partial(figures.violations, names=INVARIANTS)


@pytest.mark.parametrize(
    ("constants", "properties"),
    [
        (EARLY, ["SomeWriteIsSpared"]),
        (ANYWHERE, []),
        ({"FailedWrites": 1}, ["PublishedFilesExist", "SomeLeftoverIsRolledBack"]),
        ({"FailedWrites": 2}, ["PublishedFilesExist", "SomeLeftoverIsRolledBack"]),
        ({"LostAnswer": "delete"}, ["PublishedFilesExist"]),
        ({"CleanUp": "old"}, ["PublishedFilesExist"]),
    ],
    ids=str,
)
def test_an_extension_brings_properties_of_its_own(constants, properties):
    asked = [p.name for p in machine_of(HudiExtended(**constants)).select()]
    assert [name for name in asked if name not in Hudi.declared.properties] == properties


# Early detection: verdicts -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("extension", [EARLY, LOCKED], ids=["markers", "locked markers"])
@pytest.mark.parametrize(("constants", "violated"), PUBLISHED)
def test_early_detection_changes_no_published_verdict(constants, violated, extension):
    assert violations(HudiExtended(**constants, **extension)) == violated


def sees_all(model, s, w):
    """Markers of larger and equal timestamps count, too."""
    return any(v != w and s.phase[v] in MARKED and s.group[v] == s.group[w] for v in model.Writers)


class ChecksCommits(HudiExtended):
    """Early detection also gives way to what was committed since the merge target was read."""

    @action(HudiExtended.writer)
    def write_file_slice(self, s, w):
        merge, latest = s.merge[w], self.latest(s, s.group[w])
        if latest is not None and (merge is None or latest.ts > merge.ts):
            self.abort(s, w)
        else:
            super().write_file_slice(s, w)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("both_ways", "locked", "commits"), list(itertools.product([False, True], repeat=3)), ids=lambda value: str(value)
)
def test_what_early_detection_lacks_to_replace_concurrency_control(monkeypatch, both_ways, locked, commits):
    if both_ways:
        monkeypatch.setattr(HudiExtended, "announced", sees_all)
    model = (ChecksCommits if commits else HudiExtended)(
        Values=1, OpLimit=3, ConcurrencyControl=0, EarlyConflictDetection=True, MarkerLock=locked
    )
    holds = both_ways and locked and commits
    assert violations(model) == ({} if holds else {"ConsistentRead": 15})


# Early detection: what it saves, and what it costs -----------------------------------------------------------------


def average(model):
    """Slices written and commits, over all runs without failures when each next step is equally likely."""
    model = machine_of(model)
    steps = [instance for instance in model.instances if instance.action.name != "writer_fail"]
    [initial] = model.initial_states()
    likely, counts = {initial: Fraction(1)}, Counter()
    while likely:
        after = Counter()
        for state, chance in likely.items():
            outcomes = [(step, successor) for step in steps for _, successor in model.outcomes(step, state)]
            for step, successor in outcomes:
                share = chance / len(outcomes)
                after[successor] += share
                name, w = step.action.name, step.arguments[0]
                counts["written"] += share * (name == "write_file_slice" and successor.phase[w] == "UpdateIndex")
                counts["committed"] += share * (name == "append_commit")
        likely = after
    counts["in vain"] = counts["written"] - counts["committed"]
    return {name: f"{float(count):.3f}" for name, count in counts.items()}


@pytest.mark.slow
@pytest.mark.parametrize("limit", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_average_run_writes_fewer_slices_in_vain(limit):
    extensions = {"off": {}, "on": EARLY, "on, with MarkerLock": LOCKED}
    averages = {name: average(HudiExtended(Values=1, OpLimit=limit, **more)) for name, more in extensions.items()}
    for name, counts in averages.items():
        row = [limit, name, counts["written"], counts["committed"], counts["in vain"]]
        assert f"| {' | '.join(map(str, row))} |" in PAGE
    assert max(averages["on"]["in vain"], averages["on, with MarkerLock"]["in vain"]) < averages["off"]["in vain"]


def ends(model):
    """For runs in which every operation becomes Inflight and nobody fails, what became of each, in timestamp order."""
    return {
        tuple(
            "committed" if s.completed[x] else "in vain" if s.slices["fg1", *x] is not None else "spared"
            for x in model.stamps
        )
        for s in reachable_states(model)
        if set(s.phase.values()) == {"Ready"} and all(s.inflight.values())
    }


def test_what_may_become_of_two_operations_at_a_time():
    without = {("committed", "committed"), ("committed", "in vain"), ("in vain", "committed")}
    assert ends(HudiExtended(**ONE_GROUP)) == without
    for extension in (EARLY, LOCKED):
        assert ends(HudiExtended(**ONE_GROUP, **extension)) == {*without, ("committed", "spared")}


@pytest.mark.slow
@pytest.mark.parametrize("extension", [EARLY, LOCKED], ids=["markers", "locked markers"])
def test_an_operation_may_give_way_to_one_that_is_overtaken(extension):
    """The second one gives way to the first one's marker; the third one commits before the first one's check."""
    model = HudiExtended(**ONE_GROUP, Writers=3, OpLimit=3, **extension)
    assert ("in vain", "spared", "committed") in ends(model)


class GaveWayForNothing(HudiExtended):
    @reachable
    def NobodyCommits(self, s):
        """Both operations became Inflight and one of their writers failed; yet the other one did not commit."""
        return (
            sorted(s.phase.values()) == ["Failed", "Ready"]
            and all(s.inflight.values())
            and not any(s.completed.values())
        )


@pytest.mark.parametrize(("extension", "word"), [({}, "not reached"), (EARLY, "reached"), (LOCKED, "reached")], ids=str)
def test_an_operation_may_give_way_to_one_that_fails(extension, word):
    assert check(GaveWayForNothing(Values=1, **extension))["NobodyCommits"].word == word


# Failures in any phase ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("constants", "violated"), PUBLISHED)
def test_failures_in_any_phase_change_no_published_verdict(constants, violated):
    assert violations(HudiExtended(**constants, **ANYWHERE), names=[*INVARIANTS, LIVE]) == violated


@pytest.mark.slow
def test_a_writer_fails_in_every_phase_and_keeps_nothing():
    phases = set()
    for (w,), before, after in steps_by(explore(HudiExtended(**SMALL, **ANYWHERE), []), "writer_fail"):
        phases.add(before.phase[w])
        kept = (after.op, after.stamp, after.group, after.merge, after.doomed)
        assert [of_writers[w] for of_writers in kept] == [None] * 5
        assert after.table_lock != w
    assert phases == {"Request", "Lookup", "Read", "Write", "UpdateIndex", "OCC", "Commit"}


# Rollback ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("constants", "violated"), [one for one in PUBLISHED if one.values[0]["MonotonicTs"]])
def test_lazy_rollback_changes_no_verdict_where_timestamps_are_monotonic(constants, violated):
    assert violations(HudiExtended(**constants, **LAZY), names=[*INVARIANTS, LIVE]) == violated


@pytest.mark.slow
@pytest.mark.parametrize("control", [0, 1, 2])
@pytest.mark.parametrize(
    ("rollback", "more", "violated"),
    [
        (EAGER, {"Writers": 1}, False),
        (STALE, {"Writers": 1}, False),
        (LAZY, {**COLLIDING, "Writers": 1}, False),
        (STALE, {**COLLIDING, "UseSalt": True}, True),
    ],
    ids=lambda value: ",".join(f"{n}={v}" for n, v in value.items()) if isinstance(value, dict) else "",
)
def test_when_a_rollback_deletes_what_is_needed(control, rollback, more, violated):
    model = HudiExtended(**{**SMALL, **rollback, **more, "ConcurrencyControl": control})
    assert ("PublishedFilesExist" in violations(model)) is violated


@pytest.mark.parametrize("control", [1, 2])
def test_put_if_absent_is_a_remedy_while_leftovers_are_kept(control):
    """Not if they are rolled back: the configurations `rollback_collision_put_if_absent` and `_pessimistic`."""
    constants = {**COLLIDING, **ANYWHERE, "ConcurrencyControl": control, "PutIfAbsentSupported": True}
    assert violations(HudiExtended(**constants)) == {}


def test_what_a_deleted_slice_looks_like_to_a_reader():
    result = check(HudiExtended(**ONE_GROUP, **EAGER), INVARIANTS)
    assert result["PublishedFilesExist"].why == "the slice of fg1 with timestamp 1 is published, and has been deleted"
    assert (
        result["ConsistentRead"].why
        == "k1 read at timestamp 1: expected v1; readable: no row in the slice of fg1 with timestamp 1"
    )


@pytest.mark.slow
@pytest.mark.parametrize("rollback", [EAGER, LAZY, STALE], ids=["eager", "lazy", "stale"])
def test_nothing_is_left_of_what_is_rolled_back(rollback):
    """After a rollback nobody finds an instant or a slice of what it was about; lazily only if nobody works on it."""
    space = explore(HudiExtended(Values=1, **rollback), [])
    rolled_back = 0
    for (w,), before, after in steps_by(space, "append_requested"):
        for stamp in before.doomed[w]:
            if rollback is STALE and stamp in before.stamp.values():
                continue
            rolled_back += 1
            assert not after.requested[stamp]
            assert not after.inflight[stamp]
            assert all(after.slices[group, *stamp] is None for group in space.model.author.file_groups)
            if rollback is LAZY:
                assert stamp not in before.stamp.values()
    assert rolled_back


# Mistakes that the configurations notice -----------------------------------------------------------------------------


def own_marker_is_seen(self, s, w):
    return s.phase[w] == "Write"


def markers_of_other_groups_are_seen(self, s, w):
    others = (v for v in self.Writers if v != w and s.phase[v] in MARKED)
    return any(s.stamp[v].ts < s.stamp[w].ts for v in others)


def later_markers_are_seen(self, s, w):
    others = (v for v in self.Writers if v != w and s.phase[v] in MARKED)
    return any(s.group[v] == s.group[w] and s.stamp[v].ts > s.stamp[w].ts for v in others)


def looks_before_it_declares(self, s, w):
    """Markers are looked for first, and who finds one leaves no Inflight instant."""
    if self.EarlyConflictDetection and not self.MarkerLock and self.announced(s, w):
        return self.abort(s, w)
    Hudi.read_merge_target.function(self, s, w)


def completed_instants_are_left_over(self, s):
    return tuple(stamp for stamp in self.stamps if s.requested[stamp])


def instants_alone_are_deleted(self, s, w):
    for stamp in s.doomed[w]:
        s.requested[stamp] = s.inflight[stamp] = False
    s.doomed[w] = None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "methods", "noticed"),
    [
        ("early_detection", {"announced": always(False)}, {"SomeWriteIsSpared"}),
        ("early_detection", {"read_merge_target": looks_before_it_declares}, {"SomeWriteIsSpared"}),
        ("early_detection_marker_lock", {"announced": own_marker_is_seen}, {"SomeDeleteCommits"}),
        ("early_detection_marker_lock", {"announced": sees_all}, {"distinct"}),
        ("rollback_lazy", {"has_heartbeat": always(True)}, {"SomeLeftoverIsRolledBack"}),
        ("rollback_lazy", {"has_heartbeat": always(False)}, {"ConsistentRead", "PublishedFilesExist"}),
        ("rollback_lazy", {"leftovers": completed_instants_are_left_over}, {"ConsistentRead", "PublishedFilesExist"}),
        ("rollback_lazy", {"roll_back": instants_alone_are_deleted}, {"distinct"}),
    ],
    ids=lambda x: "-".join(x) if isinstance(x, dict) else x if isinstance(x, str) else "",
)
def test_a_mistake_is_noticed(name, methods, noticed):
    assert noticed <= missed(broken(HudiExtended, **methods), f"hudi/{name}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "announced", [HudiExtended.announced, markers_of_other_groups_are_seen, later_markers_are_seen]
)
def test_an_operation_gives_way_to_earlier_markers_of_its_group_and_to_no_others(announced):
    """Two mistakes do not change how many states there are: no configuration notices them."""
    space = explore(broken(HudiExtended, announced=announced)(**SMALL, Keys=1, **LOCKED), [])
    as_it_should = all(
        (after.phase[w] == "Ready")
        is any(
            before.phase[v] in ("UpdateIndex", "OCC", "Commit")
            and (before.group[v], before.stamp[v] < before.stamp[w]) == (before.group[w], True)
            for v in before.phase
        )
        for (w,), before, after in steps_by(space, "write_file_slice")
    )
    assert as_it_should is (announced is HudiExtended.announced)


# Together ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("control", [1, 2])
@pytest.mark.parametrize("early", [{}, EARLY, LOCKED], ids=["", "markers", "locked markers"])
def test_with_everything_on_and_three_writers_nothing_is_violated(control, early):
    constants = {**SMALL, **LAZY, **early, "ConcurrencyControl": control, "Writers": 3, "OpLimit": 3}
    assert violations(HudiExtended(**constants), names=[*INVARIANTS, LIVE]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("extension", [EARLY, ANYWHERE, {"LocksExpire": False}, EAGER, LAZY, STALE], ids=str)
def test_symmetry_loses_nothing(extension):
    model = machine_of(HudiExtended(Values=1, **extension))
    names = [name for name, declared in model.properties.items() if declared.kind != "liveness"]
    full, reduced = (check(model, names, symmetry=sets) for sets in ((), ("Writers", "Keys", "Values")))
    assert [(v.word, v.trace_states) for v in full.verdicts] == [(v.word, v.trace_states) for v in reduced.verdicts]
    assert reduced.depth == full.depth
    assert reduced.distinct < full.distinct
