"""The history of real tables is held against the model: which settings explain it."""

import pytest

from workbench.checking.following.settings import accepted_under
from workbench.checking.following.validate import validate
from workbench.commands.cli import main
from workbench.kernel import Fault, InputError, replay
from workbench.kernel.meaning.budget import Budget
from workbench.protocols.paimon.recording import follow, recorded
from workbench.registry import get_model


def held(mapped, **changes):
    model = get_model(mapped.model)(**{**mapped.constants, **changes})
    return model, validate(model, mapped.record(model), stutter=True)


@pytest.mark.slow
def test_a_table_of_two_processes_needs_restored_sequence_numbers(real_table):
    """The table's writers count on from what they find; those of the published model count for themselves."""
    mapped = recorded(real_table("seq"))
    _, refused = held(mapped)
    assert (refused.holds, refused.failed) == (False, 3)
    assert "sequence[w1-0, jack] is 0, recorded as 1" in str(refused)
    model, accepted = held(mapped, RestoreSequence=True)
    assert (accepted.holds, accepted.states) == (True, 5)
    assert replay(model, accepted.trace.start, accepted.trace.moves).last == accepted.trace.last
    assert [step.label for step in accepted.trace.steps if step.label.startswith("commit")] == [
        f"commit(w{i})" for i in range(4)
    ]


@pytest.mark.slow
def test_the_behaviour_shows_how_the_anomaly_came_about(real_table):
    """The last writer took its sequence number before the third had committed."""
    _, accepted = held(recorded(real_table("seq")), RestoreSequence=True)
    labels = [step.label for step in accepted.trace.steps]
    begun = next(i for i, label in enumerate(labels) if label.startswith("start_update(w3"))
    assert begun < labels.index("commit(w2)")


@pytest.mark.slow
def test_the_setting_that_explains_the_table_is_found(real_table):
    mapped = recorded(real_table("seq"))
    model = get_model(mapped.model)(**mapped.constants)
    found = accepted_under(model, mapped.record, stutter=True)
    assert str(found) == "accepted with RestoreSequence=on (it is off)"
    assert len(found.tried) > 20


@pytest.mark.slow
def test_a_table_that_java_has_compacted_needs_compactions_to_any_level(real_table):
    """Two compactors in one bucket; what is wrong with the table is wrong with the behaviour that explains it."""
    mapped = recorded(real_table("java_dangling"), ["jack"])
    _, refused = held(mapped)
    assert "level[c0-0] is 1, recorded as 5" in str(refused)
    model, accepted = held(mapped, CompactToAnyLevel=True)
    assert (accepted.holds, accepted.states) == (True, 8)
    wrong = {"NoDanglingDeletionVectors": (7, "p0b0"), "OneValidRowPerKeyAboveLevel0": (7, "jack")}
    for name, arguments in wrong.items():
        judged = type(model).declared.properties[name].function(model, accepted.trace.last, *arguments)
        assert isinstance(judged, Fault)


@pytest.mark.slow
def test_the_command_tries_what_real_writers_do(real_table, capsys):
    path = str(real_table("seq"))
    assert main(["validate", "paimon", path, "--key", "jack"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("a behaviour of the model: 5 states")
    assert "note: with RestoreSequence=on, as real writers have it" in told
    assert main(["validate", "paimon", path, "--set", "RestoreSequence=false"]) == 1
    assert "no step leads from snapshot 1 to snapshot 2" in capsys.readouterr().out
    assert main(["validate", "hudi", path]) == 2
    assert capsys.readouterr().err.endswith("is a table of paimon, not of hudi\n")
    assert main(["validate", "paimon", path, "--begin", "reachable"]) == 2
    assert "--begin is not accepted with the folder of a table" in capsys.readouterr().err


@pytest.mark.slow
def test_each_key_of_many_is_followed_by_itself(real_table):
    found = follow(real_table("race3"))
    assert (found.holds, found.states) == (True, 2)
    assert "238 other keys have histories that are behaviours too, each by itself" in found.remarks


@pytest.mark.slow
def test_what_depends_on_rows_of_other_keys_is_outside_the_model(real_table):
    """A compaction of files that hold 5,001 keys is none of the files that one key is in."""
    found = follow(real_table("java_dangling"))
    assert (found.holds, found.states) == (None, 8)
    assert found.why.startswith("outside the model: which files a compaction takes may depend on rows of other keys")


@pytest.mark.parametrize(
    ("kind", "holds", "states", "told"),
    [
        ("often", True, 16, "with RestoreSequence=on, as real writers have it"),
        ("rows", True, 5, "4 other keys have histories that are behaviours too, each by itself"),
        ("buckets", True, 7, "4 other keys have histories that are behaviours too, each by itself"),
        ("sessions", None, 6, "outside the model: its writers number rows neither each from 0 nor from the largest"),
        ("overwritten", None, 0, "outside the model: snapshot 3 is of kind OVERWRITE; the model has"),
    ],
)
def test_fresh_tables_are_followed_or_outside_the_model(written, kind, holds, states, told):
    path, _ = written(kind)
    found = follow(path)
    assert (found.holds, found.states) == (holds, states)
    assert told in found.remarks if holds else found.why.startswith(told)
    if found.trace is not None:
        assert replay(found.trace.model, found.trace.start, found.trace.moves).last == found.trace.last


def test_a_key_with_more_snapshots_than_the_model_has_is_followed_as_far_as_that(written, capsys):
    path, _ = written("often")
    assert main(["validate", "paimon", str(path), "--set", "MAX_WRITE_OPS=3"]) == 2
    assert "lacks with these constants" in capsys.readouterr().err
    path, _ = written("always")
    assert main(["validate", "paimon", str(path)]) == 3
    assert "outside the model: 24 snapshots change a of bucket-0; the first 20 were followed" in capsys.readouterr().out


def test_a_budget_of_time_is_for_the_whole_table(written):
    path, _ = written("rows")
    found = follow(path, budget=Budget(seconds=1e-6))
    assert (found.holds, found.why) == (None, "the budget of 1e-06 seconds is used up")


def test_constants_that_the_table_does_not_fit_are_named(real_table):
    mapped = recorded(real_table("seq"))
    with pytest.raises(InputError, match=r"^the table has .*w2-0.*, which paimon lacks with these constants$"):
        held(mapped, NUM_WRITERS=2)
    with pytest.raises(InputError, match=r"^'.*' is not a table of paimon$"):
        recorded(str(real_table("seq") / "snapshot"))
