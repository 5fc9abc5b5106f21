"""Paimon beyond the published specification: restored numbers, readers that skip level 0, any level, and clean-up."""

import re
from functools import partial

import pytest

from tests import figures
from tests.behaviours import reachable_states
from tests.figures import constants_of
from workbench.checking.check import check
from workbench.kernel import InputError, Place, choose, machine_of, require
from workbench.protocols.paimon import rows as table
from workbench.protocols.paimon.extended import PaimonExtended
from workbench.protocols.paimon.model import READY, Paimon
from workbench.protocols.paimon.rows import LevelsRewrite
from workbench.showing.pictures import picture

INVARIANTS = ["ConsistentRead", "NoDanglingDeletionVectors", "OneValidRowPerKeyAboveLevel0"]
LIVENESS = "AllOperationsCommitted"
RESTORE, SKIP, STREAMING = {"RestoreSequence": True}, {"ReadersSkipLevel0": True}, {"STREAMING_SINK": True}
TWO_WRITERS = constants_of("one_bucket_two_writers")
NO_COMPACTION = {**TWO_WRITERS, "NUM_COMPACTORS": 0, "MAX_COMPACTIONS": 0}
FOUR_WRITES = {"MAX_WRITE_OPS": 4, "MAX_WRITE_OPS_PER_KEY": 4, "MAX_WRITE_OPS_PER_WRITER": 3}
ONE_WRITER = {
    **constants_of("one_bucket_deletes_dv_paimon"),
    "MAX_LEVEL": 2,
    "MAX_COMPACTIONS": 2,
    "MAX_COMPACTIONS_PER_COMPACTOR": 2,
}
NO_DELETES = {"ALLOW_DELETES": False}


violations = partial(figures.violations, names=INVARIANTS)


# Restored sequence numbers -----------------------------------------------------------------------------------------


class OneAtATime(PaimonExtended):
    """Nobody starts a write before the others have ended theirs."""

    def ready_to_write(self, s, w, key):
        super().ready_to_write(s, w, key)
        require(all(s.pc[other] == READY for other in self.writers), "somebody writes")


class KeepsTheBucketOpen(OneAtATime):
    """A writer restores its number once, and then counts for itself."""

    def next_sequence(self, s, w, key):
        if s.sequence_no[w] == 0:
            return super().next_sequence(s, w, key)
        (before,) = (s.sequence[self.file_name(w, s.sequence_no[w] - 1), other] for other in self.keys_of[w])
        return before + 1


@pytest.mark.slow
@pytest.mark.parametrize("vectors", [True, False])
def test_writers_that_take_turns_are_safe_if_they_restore_their_numbers(vectors):
    constants = {**TWO_WRITERS, "DV_ENABLED": vectors}
    assert violations(OneAtATime(**constants)) == {"ConsistentRead": 9}
    assert violations(OneAtATime(**constants, **RESTORE)) == {}


def test_writers_that_take_turns_are_not_safe_if_they_keep_the_bucket_open():
    assert violations(KeepsTheBucketOpen(**TWO_WRITERS, **RESTORE)) == {"ConsistentRead": 13}


def test_writers_at_the_same_time_take_the_same_number_and_the_first_to_commit_wins():
    model = PaimonExtended(**NO_COMPACTION, **RESTORE)
    verdict = check(model, ["ConsistentRead"])["ConsistentRead"]
    end = verdict.trace.states[-1]
    _, first, second = table.live_files(end, 3, "p0b0")
    assert end.sequence[first, "jack"] == end.sequence[second, "jack"] == 1
    assert table.read(end, "jack", 3, "p0b0") == end.columns[first, "jack"] != end.columns[second, "jack"]


def test_a_later_commit_can_also_have_the_smaller_number(monkeypatch):
    """Even if of equal numbers the later one counted."""
    newest = table.newest
    monkeypatch.setattr(table, "newest", lambda key, files, *rest: newest(key, tuple(files)[::-1], *rest))
    assert violations(PaimonExtended(**NO_COMPACTION | STREAMING, **RESTORE)) == {}
    assert violations(PaimonExtended(**NO_COMPACTION | STREAMING | FOUR_WRITES, **RESTORE)) == {"ConsistentRead": 17}


def test_if_the_later_commit_counted_there_would_remain_updates_of_a_row_that_is_not_the_latest(monkeypatch):
    def last(key, files, sequence, vectors):
        return next((file for file in tuple(files)[::-1] if sequence[file, key] is not None), None)

    monkeypatch.setattr(table, "newest", last)
    assert violations(PaimonExtended(**NO_COMPACTION | STREAMING | FOUR_WRITES)) == {}
    result = check(PaimonExtended(**NO_COMPACTION | NO_DELETES), ["ConsistentRead"])
    assert result["ConsistentRead"].trace_states == 13
    assert result["ConsistentRead"].why == "version 3: jack reads as (red, A), but committed was (blue, A)"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two_buckets_lock", "published_default", "dangling_one_compactor", "count_rule"])
def test_one_writer_per_bucket_stays_safe(name):
    assert violations(PaimonExtended(**constants_of(name, **RESTORE)), names=[*INVARIANTS, LIVENESS]) == {}


@pytest.mark.slow
def test_numbers_go_down_when_deletes_are_compacted_away():
    started = [s for s in reachable_states(PaimonExtended(**ONE_WRITER, **RESTORE)) if s.write["w0"] is not None]
    differences = {s.write["w0"].sequence - (s.sequence_no["w0"] - 1) for s in started}
    assert min(differences) == -2
    assert max(differences) == 0


def test_without_deletes_restoring_makes_no_difference_to_one_writer():
    model = PaimonExtended(**ONE_WRITER | NO_DELETES | RESTORE)
    assert check(model, ["NumberIsRestored"], engine="local")["NumberIsRestored"].word == "not reached"


def test_the_largest_number_is_that_of_all_keys_of_the_bucket_alone():
    """Of two keys in one bucket each takes its number after the other's; in two buckets both begin at 0."""
    ways = {}
    for buckets in (1, 2):
        model = PaimonExtended(NUM_BUCKETS=buckets, NUM_COMPACTORS=0, ALLOW_UPDATES=False, **NO_DELETES, **RESTORE)
        ends = [s for s in reachable_states(model) if s.latest == 2]
        ways[buckets] = {tuple(sorted(n for n in s.sequence.values() if n is not None)) for s in ends}
    assert ways == {1: {(0, 0), (0, 1)}, 2: {(0, 0)}}


# Readers that skip level 0 -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constants", "violated"),
    [
        (STREAMING, {}),
        ({"USE_LOCK": True, "PUT_IF_ABSENT": False}, {}),
        ({**ONE_WRITER, **STREAMING, **RESTORE}, {}),
        ({**TWO_WRITERS, **STREAMING}, {"ConsistentRead": 13}),
        ({**TWO_WRITERS, **STREAMING, **RESTORE}, {"ConsistentRead": 17}),
    ],
    ids=str,
)
def test_where_readers_may_skip_level_0(constants, violated):
    assert violations(PaimonExtended(**constants, **SKIP)) == violated


@pytest.mark.slow
def test_two_valid_rows_harm_only_readers_that_do_not_merge():
    constants = constants_of("dangling")
    assert "ConsistentRead" not in violations(PaimonExtended(**constants))
    result = check(PaimonExtended(**constants, **SKIP), INVARIANTS)
    assert {v.name: v.trace_states for v in result.violated} == dict.fromkeys(INVARIANTS, 21)
    why = "version 5: jack reads as (red, A) and (red, A), but committed up to version 5 was (red, A)"
    assert result["ConsistentRead"].why == why


class UpdatesReadEverything(PaimonExtended):
    def read_latest(self, s, key):
        return Paimon.read_latest(self, s, key)


@pytest.mark.slow
def test_updates_are_lost_because_they_read_as_readers_do():
    constants = {**ONE_WRITER, **NO_DELETES, **SKIP}
    why = "version 5: jack reads as (red, A), but committed up to version 5 was (blue, A)"
    assert check(PaimonExtended(**constants), ["ConsistentRead"])["ConsistentRead"].why == why
    assert violations(UpdatesReadEverything(**constants)) == {}


@pytest.mark.parametrize("constants", [{"MAX_WRITE_OPS": 2}, {**ONE_WRITER, **STREAMING}], ids=["two buckets", "one"])
def test_readers_never_go_back_and_have_everything_once_level_0_is_empty(constants):
    model = PaimonExtended(**constants, **SKIP)
    behind = 0
    for s in reachable_states(model):
        for bucket in model.buckets:
            as_of = [table.compacted_up_to(s, version, bucket) for version in range(s.latest + 1)]
            assert as_of == sorted(as_of)
            for version, compacted in enumerate(as_of):
                waiting = [file for file in table.live_files(s, version, bucket) if s.level[file] == 0]
                assert (compacted == version) is (not waiting)
                behind += compacted < version
    assert behind


class ReadsAreUpToDate(PaimonExtended):
    """What ConsistentRead says of readers that merge, asked of those that skip level 0."""

    def reads_as_committed(self, s, key, version):
        rows = [s.columns[file, key] for file in table.valid_above_level_0(s, key, version, self.bucket_of[key])]
        return [row for row in [tuple(table.expected(s, key, c, version) for c in table.COLUMNS)] if row[0]] == rows


def test_to_ask_for_the_latest_values_would_be_too_much():
    assert violations(ReadsAreUpToDate(**SKIP)) == {"ConsistentRead": 5}


def test_writes_are_read_in_order_within_a_bucket():
    """Across buckets they are not: the configuration `skip_level_0_two_buckets`."""
    model = PaimonExtended(NUM_BUCKETS=1, NUM_WRITERS=1, MAX_COMPACTIONS_PER_COMPACTOR=2, **SKIP)
    assert check(model, ["LaterWriteIsReadFirst"], engine="local")["LaterWriteIsReadFirst"].word == "not reached"


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"DV_ENABLED": False}, "ReadersSkipLevel0 = TRUE is not accepted with DV_ENABLED = FALSE; it takes TRUE"),
        ({"AsPublished": True}, "ReadersSkipLevel0 = TRUE is not accepted with AsPublished = TRUE; it takes FALSE"),
    ],
)
def test_readers_that_skip_level_0_need_right_deletion_vectors(constants, message):
    with pytest.raises(InputError, match=message):
        PaimonExtended(**constants, **SKIP)


# Compaction to any level -------------------------------------------------------------------------------------------

ANY = {**ONE_WRITER, "MAX_LEVEL": 3, "CompactToAnyLevel": True}


def rewrites_of(highest, *levels):
    """What a compaction can choose if the bucket has files of these levels: the levels to merge, and the result's."""
    chosen = set()

    class Chosen(PaimonExtended):
        def choose_rewrite(self, bucket, present):
            rewrite = super().choose_rewrite(bucket, frozenset(levels))
            chosen.add(rewrite[1:])
            return rewrite

    model = machine_of(Chosen(**{**ANY, "MAX_LEVEL": highest}))
    (start,) = (one for one in model.instances if one.label.startswith("start_compaction"))
    model.outcomes(start, model.initial_states()[0])
    return chosen


@pytest.mark.parametrize(
    ("levels", "merged", "into"),
    [((0,), (0,), 5), ((4, 5), (4, 5), 5), ((0, 4), (0,), 3), ((0, 4, 5), (0, 4, 5), 5), ((0, 1), (0, 1), 1)],
)
def test_what_real_compactions_do_can_be_chosen(levels, merged, into):
    assert (merged, into) in rewrites_of(5, *levels)


@pytest.mark.parametrize(
    ("levels", "merged", "into"),
    [
        ((0, 1), (0,), 2),  # past files of level 1
        ((0, 1, 2), (0, 2), 2),  # without what is between
        ((3,), (3,), 3),  # nothing goes up
        ((0, 2), (0, 2), 1),  # down
    ],
)
def test_what_would_change_the_order_of_rows_cannot(levels, merged, into):
    assert (merged, into) not in rewrites_of(3, *levels)


def test_compaction_of_a_level_into_the_next_is_among_them():
    next_level = {((level,), level + 1) for level in (0, 1, 2)}
    assert next_level < rewrites_of(3, 0, 1, 2, 3)


def contents(states, model):
    """What each state's snapshots have: levels, files and deletion vectors, whatever the compactors are about to do."""
    return {
        tuple(
            (s.snapshots[v], s.bucket_files[s.snapshots[v], "p0b0"], s.vectors[s.snapshots[v], "p0b0"])
            for v in model.versions
            if s.snapshots[v]
        )
        + tuple(s.level.values())
        for s in states
    }


def test_every_table_of_the_published_compaction_comes_about_with_it_too():
    small = {**ANY, "Col2Values": ["red"], "MAX_WRITE_OPS": 2}
    published = PaimonExtended(**{**small, "CompactToAnyLevel": False})
    free = PaimonExtended(**small)
    assert contents(reachable_states(published), published) < contents(reachable_states(free), free)


class PassesFiles(PaimonExtended):
    """The result of a compaction may go past files that are not merged."""

    def choose_rewrite(self, bucket, levels):
        level = choose(levels - {self.MAX_LEVEL}, "level")
        return LevelsRewrite(bucket, (level,), choose(range(level + 1, self.MAX_LEVEL + 1), "into"))


@pytest.mark.slow
def test_without_deletion_vectors_a_delete_that_goes_past_the_row_it_deletes_is_dropped_too_early():
    constants = {**ANY, "DV_ENABLED": False, "MAX_COMPACTIONS": 3, "MAX_COMPACTIONS_PER_COMPACTOR": 3}
    constants |= {"Col2Values": ["red"], "ALLOW_UPDATES": False}
    assert violations(PaimonExtended(**constants)) == {}
    assert set(violations(PassesFiles(**constants))) == {"ConsistentRead"}
    assert violations(PassesFiles(**{**constants, "DV_ENABLED": True})) == {}  # the row has been marked by then


@pytest.mark.slow
@pytest.mark.parametrize(
    ("witness", "said"),
    [("LevelsAreMerged", {"compacts levels 0, 1 of p0b0", "into level 1"}), ("LevelsArePassed", {"into level 2"})],
)
def test_a_picture_says_which_levels_are_merged_and_into_which(witness, said):
    model = PaimonExtended(**ANY)
    svg = picture(model, check(model, [witness])[witness].trace.states[-1]).svg
    assert {*said, "c0 compacts it"} <= set(re.findall(r">([^<>]+)<", svg))


# Lost answers, clean-up, and tags ------------------------------------------------------------------------------------


@pytest.mark.parametrize("constants", [{"LostAnswer": "delete"}, {"CleanUp": "any"}], ids=str)
def test_a_version_that_misses_a_file_is_named(constants):
    model = PaimonExtended(NUM_WRITERS=1, **constants)
    verdict = check(model, ["PublishedFilesExist"])["PublishedFilesExist"]
    assert verdict.why == "version 1 has file w0-0, which has been deleted"
    fault = PaimonExtended.PublishedFilesExist.function(model, verdict.trace.last, 1)
    assert fault.places == (Place("snapshots", 1), Place("level", "w0-0"))


@pytest.mark.parametrize("spares", [True, False])
def test_an_expired_version_loses_files_and_a_tag_keeps_them_if_it_is_asked(spares):
    """A compaction has replaced the file of version 1."""
    alone = {"NUM_WRITERS": 1, "NUM_BUCKETS": 1, "PkCol1Values": ["jack"], "Col2Values": ["red"], "MAX_COMPACTIONS": 1}
    states = reachable_states(PaimonExtended(**alone, CleanUp="old", ExpirySparesTags=spares))
    replaced = [s for s in states if s.expired == 1 and "w0-0" not in s.manifest[s.snapshots[2]]]
    assert {(s.tag == 1, "w0-0" in s.gone) for s in replaced} == {(True, not spares), (False, True)}
