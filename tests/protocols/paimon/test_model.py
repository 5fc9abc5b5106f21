"""Paimon: what its switches do, what violations say, how the state is cut, and that broken variants are noticed."""

from itertools import chain

import pytest

from tests.behaviours import reachable_states
from tests.figures import constants_of
from tests.mistakes import always, broken, missed, without
from workbench.checking.check import check
from workbench.kernel import InputError, Map, Variable, action, invariant, machine_of
from workbench.kernel.meaning.symmetry import Canonical
from workbench.protocols.paimon import rows as table
from workbench.protocols.paimon.extended import PaimonExtended
from workbench.protocols.paimon.model import READY
from workbench.protocols.paimon.published import PaimonPublished
from workbench.protocols.paimon.rows import COLUMNS, DELETE, INSERT, Change

INVARIANTS = ["ConsistentRead", "NoDanglingDeletionVectors", "OneValidRowPerKeyAboveLevel0"]
LIVENESS, PUBLISHED_LIVENESS = "AllOperationsCommitted", "AllSnapshotsCommitted"

ONE_BUCKET = {"NUM_BUCKETS": 1, "PkCol1Values": ["jack"]}


@pytest.mark.parametrize(
    ("constants", "actions", "properties"),
    [
        ({}, {"prepare_commit"}, set()),
        ({"USE_LOCK": True}, set(), set()),
        ({"ALLOW_UPDATES": False, "ALLOW_DELETES": False}, {"start_update", "start_delete", "prepare_commit"}, set()),
        ({"DV_ENABLED": False}, {"prepare_commit"}, set(INVARIANTS[1:])),
        *(
            ({name: 0}, {"start_compaction", "compact_data_files", "prepare_commit"}, {"SomeoneCompacts"})
            for name in ("NUM_COMPACTORS", "MAX_COMPACTIONS", "MAX_COMPACTIONS_PER_COMPACTOR")
        ),
    ],
    ids=lambda it: str(sorted(it) if isinstance(it, set) else it),  # in one order, whatever the process
)
def test_what_is_switched_off_is_not_there(constants, actions, properties):
    model = machine_of(PaimonPublished(**constants))
    assert set(model.declared.actions) - set(model.actions) == actions
    assert set(model.declared.properties) - set(model.properties) == properties
    assert not check(model, []).never_taken


def test_that_no_compaction_gives_up_is_asked_only_where_a_bucket_has_one_compactor():
    assert LIVENESS in [p.name for p in machine_of(PaimonPublished()).select()]
    assert LIVENESS not in [p.name for p in machine_of(PaimonPublished(ONE_WRITER_PER_BUCKET=False)).select()]


@pytest.mark.parametrize(("as_published", "one_writer"), [(True, True), (True, False), (False, True)])
def test_the_published_liveness_is_asked_where_the_text_is_followed(as_published, one_writer):
    model = machine_of(PaimonPublished(AsPublished=as_published, ONE_WRITER_PER_BUCKET=one_writer))
    asked = [p.name for p in model.select()]
    assert (PUBLISHED_LIVENESS in asked) == (as_published and one_writer)
    assert [p.name for p in model.select([PUBLISHED_LIVENESS])] == [PUBLISHED_LIVENESS]  # it may always be named


@pytest.mark.parametrize("as_published", [True, False])
@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("count_rule", (False, 9)),  # an insert and an update use up the key's operations: two snapshots of four
        ("published_default", (True, None)),
    ],
)
def test_the_published_liveness_counts_writes_that_the_bounds_prevent(name, published, as_published):
    """FizzBee, and the text on another engine, say the same; ours holds in both."""
    model = PaimonPublished(**constants_of(name, AsPublished=as_published))
    text, ours = check(model, [PUBLISHED_LIVENESS, LIVENESS]).verdicts
    assert (text.holds, None if text.trace is None else len(text.trace)) == published
    assert ours.holds


def test_the_published_liveness_holds_where_instances_share_a_bucket():
    """As the text says, although compactions give up."""
    model = PaimonPublished(**ONE_BUCKET, NUM_WRITERS=1, ONE_WRITER_PER_BUCKET=False, AsPublished=True)
    text, ours = check(model, [PUBLISHED_LIVENESS, LIVENESS]).verdicts
    assert (text.holds, ours.holds) == (True, False)


# What the switches do ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constants", "violated"),
    [
        ({"USE_LOCK": True}, []),
        ({"AsPublished": True}, []),
        ({"AsPublished": True, "USE_LOCK": True}, []),
        ({"NUM_PARTITIONS": 2, "NUM_BUCKETS": 1}, []),
        ({"NUM_PARTITIONS": 2}, []),
        ({"PkCol1Values": ["jack"], "MAX_WRITE_OPS": 3, "MAX_WRITE_OPS_PER_KEY": 3}, []),
        ({**ONE_BUCKET, "NUM_COMPACTORS": 0, "STREAMING_SINK": True}, ["ConsistentRead"]),
        ({**ONE_BUCKET, "NUM_WRITERS": 1, "MAX_COMPACTIONS": 2}, [LIVENESS]),
        ({**ONE_BUCKET, "NUM_WRITERS": 1, "NUM_COMPACTORS": 1, "MAX_COMPACTIONS_PER_COMPACTOR": 2}, []),
    ],
    ids=str,
)
def test_which_switches_keep_the_table_right(constants, violated):
    """More of them are in the configurations."""
    assert [v.name for v in check(PaimonPublished(**constants), [*INVARIANTS, LIVENESS]).violated] == violated


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two_buckets", "two_buckets_lock", "published_default", "count_rule"])
def test_snapshots_are_as_many_as_operations_where_nothing_can_happen_any_more(name):
    model = machine_of(PaimonPublished(**constants_of(name)))
    ends = [s for s in reachable_states(model) if not any(model.outcomes(i, s) for i in model.instances)]
    assert ends
    for s in ends:
        assert all(s.pc[op] == READY for op in model.author.operations)
        assert s.latest == s.write_ops + s.compactions


def test_operations_on_a_key_are_counted_anew_from_each_insert():
    """Insert and update use up the two operations; after insert and delete the key can be inserted again."""
    model = machine_of(PaimonPublished(**constants_of("count_rule")))
    ends = [s for s in reachable_states(model) if not any(model.outcomes(i, s) for i in model.instances)]
    assert {s.write_ops for s in ends} == {2, 4}


@pytest.mark.parametrize(
    ("constants", "keys_of"),
    [
        ({}, {"w0": ("jack",), "w1": ("sarah",), "c0": ("jack",), "c1": ("sarah",)}),
        ({"NUM_BUCKETS": 1, "NUM_COMPACTORS": 0}, {"w0": ("jack", "sarah"), "w1": ("jack", "sarah")}),
        ({"NUM_WRITERS": 1, "NUM_COMPACTORS": 0}, {"w0": ("jack",)}),
        ({"NUM_WRITERS": 1, "NUM_COMPACTORS": 2}, {"w0": ("jack",), "c0": ("jack",), "c1": ("sarah",)}),
        ({"NUM_WRITERS": 3, "NUM_COMPACTORS": 0}, {"w0": ("jack",), "w1": ("sarah",), "w2": ("jack",)}),
        (
            {"NUM_COMPACTORS": 0, "ONE_WRITER_PER_BUCKET": False},
            {"w0": ("jack", "sarah"), "w1": ("jack", "sarah")},
        ),
        (
            {"NUM_COMPACTORS": 0, "NUM_PARTITIONS": 2, "PkCol1Values": ["a", "b", "c", "d", "e"]},
            {"w0": ("a", "e"), "w1": ("b",)},
        ),
    ],
    ids=str,
)
def test_keys_and_instances_are_dealt_to_buckets_round_robin(constants, keys_of):
    assert PaimonPublished(**constants).keys_of == keys_of


def test_the_buckets_of_one_partition_come_before_those_of_the_next():
    model = PaimonPublished(NUM_PARTITIONS=2, PkCol1Values=["a", "b", "c", "d", "e"])
    assert list(model.bucket_of.values()) == ["p0b0", "p0b1", "p1b0", "p1b1", "p0b0"]


@pytest.mark.parametrize(("compactions", "kept"), [(1, False), (2, True)])
def test_a_compaction_keeps_a_delete_only_while_older_rows_may_lie_above(compactions, kept):
    """With one compaction in a run there never is a file above the level that it compacts."""
    one_of_each = {**ONE_BUCKET, "NUM_WRITERS": 1, "NUM_COMPACTORS": 1, "MAX_COMPACTIONS_PER_COMPACTOR": 2}
    model = PaimonPublished(**one_of_each, DV_ENABLED=False, MAX_COMPACTIONS=compactions)
    compacted = [(file, "jack") for file in model.files if file.startswith("c")]
    assert any(s.kind[row] == DELETE for s in reachable_states(model) for row in compacted) is kept


def test_a_table_that_nobody_can_write_is_refused():
    with pytest.raises(InputError, match="NUM_WRITERS = 0 is not accepted; it takes an integer from 1 to 5"):
        PaimonPublished(NUM_WRITERS=0)


# What violations say -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "violated", "why"),
    [
        (
            "two_buckets_unprotected",
            "ConsistentRead",
            "version 1: jack reads as (-, -), but committed was (red, A)",
        ),
        (
            "dangling_one_compactor_as_published",
            "NoDanglingDeletionVectors",
            "version 5: deletion vector for a file that snapshot 5 no longer has: c0-0; live in p0b0 are (c0-2)",
        ),
        (
            "dangling",
            "OneValidRowPerKeyAboveLevel0",
            "version 5: jack has a valid row in each of c0-1 (level 1), c1-0 (level 2)",
        ),
    ],
)
def test_a_violation_says_what_is_wrong(name, violated, why):
    assert check(PaimonPublished(**constants_of(name)), [violated])[violated].why == why


def test_the_lock_as_published_is_held_by_both_operations_of_an_instance():
    model = PaimonPublished(**constants_of("two_buckets_lock_as_published"))
    states = check(model, ["ConsistentRead"])["ConsistentRead"].trace.states
    both = [s for s in states if s.pc["w0"] == s.pc["c0"] == "COMMIT"]
    assert {s.lock for s in both} == {"instance0"}
    assert {(s.prepared["w0"], s.prepared["c0"]) for s in both} == {(2, 2)}


# How the state is cut ----------------------------------------------------------------------------------------------


UNPROTECTED = [
    pytest.param({"PUT_IF_ABSENT": False}, id="two buckets"),
    pytest.param({"PUT_IF_ABSENT": False, "USE_LOCK": True, "AsPublished": True}, id="the published lock"),
    pytest.param(
        {**ONE_BUCKET, "PUT_IF_ABSENT": False, "NUM_COMPACTORS": 0, "STREAMING_SINK": True, "ALLOW_DELETES": False}
        | {"MAX_WRITE_OPS": 4, "MAX_WRITE_OPS_PER_KEY": 4},
        id="two writers in one bucket",
    ),
]


def log_of(model, s, key, column):
    return tuple(chain.from_iterable(s.log[key, column, version] for version in model.versions))


def as_described(model, s):
    """The state as the protocol's description has it: lists and maps that nobody has cut into cells."""

    def content(commit):
        if s.manifest[commit] is None:
            return None
        bucket_of = {file: b for b in model.buckets for file in s.bucket_files[commit, b]}
        files = tuple((file, s.level[file], bucket_of[file]) for file in s.manifest[commit])
        return files, tuple(s.vectors[commit, b] for b in model.buckets)

    return (
        tuple(content(s.snapshots[v]) for v in range(1, s.latest + 1)),
        tuple(None if s.level[f] is None else (s.level[f], rows_in(model, s, f)) for f in model.files),
        tuple((s.pc[op], s.message[op], s.prepared[op]) for op in model.operations),
        tuple(s.message[op] and s.prepared[op] and content(s.message[op].file) for op in model.operations),
        tuple((s.write[w], s.sequence_no[w]) for w in model.writers),
        tuple((s.rewrite[c], s.compactions_of[c]) for c in model.compactors),
        (s.lock, s.write_ops, s.compactions),
        tuple((s.write_ops_on[k], s.insert_pending[k]) for k in model.PkCol1Values),
        tuple(log_of(model, s, k, c) for k in model.PkCol1Values for c in COLUMNS),
    )


def rows_in(model, s, file):
    return tuple(
        (key, s.sequence[file, key], s.kind[file, key], s.columns[file, key])
        for other, key in model.file_keys
        if other == file and s.sequence[file, key] is not None
    )


@pytest.mark.slow
@pytest.mark.parametrize("constants", UNPROTECTED)
def test_states_differ_only_where_the_state_as_described_does(constants):
    model = PaimonPublished(**constants)
    states = reachable_states(model)
    assert len({as_described(model, s) for s in states}) == len(states)


@pytest.mark.slow
@pytest.mark.parametrize("constants", UNPROTECTED)
def test_the_files_of_the_buckets_are_those_of_the_manifest(constants):
    model = PaimonPublished(**constants)
    for s in reachable_states(model):
        for commit in model.files:
            manifest = s.manifest[commit]
            for bucket in model.buckets:
                files = s.bucket_files[commit, bucket]
                assert (files is None) == (manifest is None)
                assert files is None or files == tuple(file for file in manifest if file in files)
            if manifest is not None:
                assert sum(len(s.bucket_files[commit, bucket]) for bucket in model.buckets) == len(manifest)


class WholeLog(PaimonPublished):
    """Keeps the log once more, in one piece, and reads it as it is defined."""

    whole = Variable(lambda m: Map(), doc="for each key and column the changes in commit order")

    @action(PaimonPublished.operation)
    def commit(self, s, op):
        write, version = s.write[op] if op in self.writers else None, s.prepared[op]
        super().commit(s, op)
        if write and s.pc[op] == READY:
            values = dict(zip(COLUMNS, write.columns or (None, None), strict=True))
            for column in write.sets:
                where = write.key, column
                s.whole = s.whole.set(where, (*s.whole.get(where, ()), Change(version, values[column])))

    @invariant(key="PkCol1Values", version="versions")
    def ExpectedAsDefined(self, s, key, version):
        for column in COLUMNS:
            log, value = s.whole.get((key, column), ()), None
            assert log == log_of(self, s, key, column)
            for change in log:
                if change.version > version:
                    break
                value = change.value
            assert table.expected(s, key, column, version) == value
        return True


@pytest.mark.slow
@pytest.mark.parametrize("constants", UNPROTECTED)
def test_the_log_cut_by_versions_is_the_whole_log(constants):
    assert check(WholeLog(**constants), ["ExpectedAsDefined"])["ExpectedAsDefined"].holds


def test_changes_are_committed_out_of_order_where_nothing_protects_them():
    """Or the test above would show little: a log has a smaller version after a larger one."""
    model = PaimonPublished(**UNPROTECTED[2].values[0])
    logs = {log_of(model, s, "jack", "col2") for s in reachable_states(model)}
    assert any([c.version for c in log] != sorted(c.version for c in log) for log in logs)


@pytest.mark.slow
def test_values_of_a_column_are_interchangeable():
    model = PaimonPublished(**constants_of("one_bucket_two_writers", MAX_WRITE_OPS=2, MAX_WRITE_OPS_PER_KEY=2))
    classes = {Canonical(machine_of(model), model.symmetry)(s) for s in reachable_states(model)}
    result = check(model, INVARIANTS, symmetry=model.symmetry)
    assert result.distinct == len(classes) == 433
    assert [v.name for v in result.violated] == ["ConsistentRead"]


# Speed -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_python_is_called_for_few_states_and_for_ever_fewer():
    bounds = [{}, {"MAX_WRITE_OPS": 3, "MAX_WRITE_OPS_PER_KEY": 3, "MAX_WRITE_OPS_PER_WRITER": 3}]
    bounds.append({**bounds[1], "MAX_COMPACTIONS": 4})
    results = [
        check(PaimonPublished(**constants_of("dangling", **more)), INVARIANTS, engine="local") for more in bounds
    ]
    assert [result.distinct for result in results] == [14_121, 201_609, 932_705]
    states_per_call = [result.distinct / result.figures["python_calls"] for result in results]
    assert states_per_call == sorted(states_per_call)
    assert states_per_call[-1] > 40


# Mistakes that the configurations notice -----------------------------------------------------------------------------


def deletes_mark_nothing(self, kinds):
    return {key for key, kind in kinds.items() if kind != DELETE}


def vectors_of_replaced_files_stay(self, s, vectors, sources, above, kinds):
    return table.mark(s, vectors, above, self.outdated(kinds))


def sources_stay_live(self, live, message):
    return (*live, message.file)


def lost_sources_are_ignored(self, s, op):
    """A compaction commits what it has merged also if somebody else has merged it before."""
    if s.message[op]:
        live = table.live_files(s, s.latest, s.message[op].bucket)
        s.message[op] = s.message[op]._replace(replaces=tuple(f for f in s.message[op].replaces if f in live))
    PaimonExtended.write_metadata.function(self, s, op)


def aborted_files_lose_their_level(self, s, op):
    message = s.message[op]
    PaimonExtended.write_metadata.function(self, s, op)
    if s.pc[op] == READY:
        s.level[message.file] = None


def inserts_are_not_counted_anew(self, s, w, key, kind, columns, sets=COLUMNS):
    before = s.write_ops_on[key]
    PaimonExtended.start(self, s, w, key, kind, columns, sets)
    if kind == INSERT:
        s.write_ops_on[key] = before + 1


def updates_log_both_columns(self, s, w, key, kind, columns, sets=COLUMNS):
    PaimonExtended.start(self, s, w, key, kind, columns)


def takes_the_largest_itself(self, s, w, key):
    return max(PaimonExtended.next_sequence(self, s, w, key) - 1, 0)


def asks_an_earlier_version(self, s, w, key):
    return table.largest_sequence(s, max(s.latest - 1, 0), self.bucket_of[key], [key]) + 1


def overlooks_level_0(self, s, w, key):
    files = [file for file in table.live_files(s, s.latest, self.bucket_of[key]) if s.level[file] > 0]
    return max((s.sequence[file, key] or 0 for file in files), default=-1) + 1


ONE_ROW, READ = {"OneValidRowPerKeyAboveLevel0"}, {"ConsistentRead"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "methods", "noticed"),
    [
        ("dangling_one_compactor", {"outdated": always(set())}, ONE_ROW),
        ("dangling_one_compactor", {"new_vectors": vectors_of_replaced_files_stay}, {"NoDanglingDeletionVectors"}),
        ("dangling_one_compactor", {"replaced": sources_stay_live}, ONE_ROW),
        ("one_bucket_deletes_nodv_paimon", {"keeps_delete": always(False)}, READ),
        ("two_buckets_lock", {"commit": without(PaimonExtended.commit, "lock")}, {LIVENESS}),
        ("count_rule", {"start": inserts_are_not_counted_anew}, {"distinct"}),
        ("count_rule", {"commit": without(PaimonExtended.commit, "insert_pending")}, {"distinct"}),
        ("count_rule", {"start": updates_log_both_columns}, {"distinct"}),
        ("two_buckets_unprotected", {"finish": without(PaimonExtended.finish, "prepared")}, {"distinct"}),
        ("two_buckets_unprotected", {"erase": always(None)}, {"distinct"}),
        ("dangling", {"write_metadata": aborted_files_lose_their_level}, {"distinct"}),
        ("dangling", {"write_metadata": lost_sources_are_ignored}, {"distinct"}),
        ("skip_level_0", {"outdated": always(set())}, READ),
        ("skip_level_0", {"outdated": deletes_mark_nothing}, READ),
        ("skip_level_0", {"replaced": sources_stay_live}, READ),
        ("restored_two_writers", {"next_sequence": takes_the_largest_itself}, READ),
        ("restored_two_writers", {"next_sequence": asks_an_earlier_version}, READ),
        ("restored_two_writers", {"next_sequence": overlooks_level_0}, READ),
    ],
    ids=lambda x: "-".join(x) if isinstance(x, dict) else x if isinstance(x, str) else "",
)
def test_a_mistake_is_noticed(name, methods, noticed):
    assert noticed <= missed(broken(PaimonExtended, **methods), f"paimon/{name}")


def oldest(newest):
    return lambda key, files, sequence, vectors: newest(key, tuple(files)[:1], sequence, vectors)


def level_0_too(valid):
    return lambda s, key, version, bucket: [
        file
        for file in table.live_files(s, version, bucket)
        if s.kind[file, key] is not None and not table.is_marked(table.deletion_vectors(s, version, bucket), file, key)
    ]


def without_vectors(valid):
    return lambda s, key, version, bucket: [
        file for file in table.live_files(s, version, bucket) if s.level[file] > 0 and s.kind[file, key] is not None
    ]


def one_too_few(compacted):
    return lambda s, version, bucket: max(compacted(s, version, bucket) - 1, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "function", "wrong"),
    [
        ("published_default", "newest", oldest),
        ("skip_level_0", "valid_above_level_0", level_0_too),
        ("skip_level_0", "valid_above_level_0", without_vectors),
        ("skip_level_0_two_buckets", "compacted_up_to", one_too_few),
    ],
)
def test_another_reader_is_noticed(monkeypatch, name, function, wrong):
    monkeypatch.setattr(table, function, wrong(getattr(table, function)))
    assert missed(PaimonExtended, f"paimon/{name}") >= READ
