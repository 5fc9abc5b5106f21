"""The history of real tables is held against the model: which settings explain it."""

import pytest

from workbench.cli import main
from workbench.guided.settings import accepted_under
from workbench.guided.tables import recorded
from workbench.guided.validate import validate
from workbench.kernel import Fault, InputError, replay
from workbench.models import get_model


def follow(mapped, **changes):
    model = get_model(mapped.model)(**{**mapped.constants, **changes})
    return model, validate(model, mapped.record(model), stutter=True)


def test_a_table_of_two_processes_needs_restored_sequence_numbers(real_table):
    """The table's writers count on from what they find; those of the published model count for themselves."""
    mapped = recorded(real_table("seq"))
    _, refused = follow(mapped)
    assert (refused.holds, refused.failed) == (False, 3)
    assert "sequence[w1-0, jack] is 0, recorded as 1" in str(refused)
    model, accepted = follow(mapped, RestoreSequence=True)
    assert (accepted.holds, accepted.states) == (True, 5)
    assert replay(model, accepted.trace.start, accepted.trace.moves).last == accepted.trace.last
    assert [step.label for step in accepted.trace.steps if step.label.startswith("commit")] == [
        f"commit(w{i})" for i in range(4)
    ]


def test_the_behaviour_shows_how_the_anomaly_came_about(real_table):
    """The last writer took its sequence number before the third had committed."""
    _, accepted = follow(recorded(real_table("seq")), RestoreSequence=True)
    labels = [step.label for step in accepted.trace.steps]
    begun = next(i for i, label in enumerate(labels) if label.startswith("start_update(w3"))
    assert begun < labels.index("commit(w2)")


def test_the_setting_that_explains_the_table_is_found(real_table):
    mapped = recorded(real_table("seq"))
    model = get_model(mapped.model)(**mapped.constants)
    found = accepted_under(model, mapped.record, stutter=True)
    assert str(found) == "accepted with RestoreSequence=on (it is off)"
    assert len(found.tried) > 20


def test_a_table_that_java_has_compacted_needs_compactions_to_any_level(real_table):
    """Two compactors in one bucket; what is wrong with the table is wrong with the behaviour that explains it."""
    mapped = recorded(real_table("java_dangling"), ["jack"])
    _, refused = follow(mapped)
    assert "level[c0-0] is 1, recorded as 5" in str(refused)
    model, accepted = follow(mapped, CompactToAnyLevel=True)
    assert (accepted.holds, accepted.states) == (True, 8)
    wrong = {"NoDanglingDeletionVectors": (7, "p0b0"), "OneValidRowPerKeyAboveLevel0": (7, "jack")}
    for name, arguments in wrong.items():
        judged = model.declared_properties[name].function(model, accepted.trace.last, *arguments)
        assert isinstance(judged, Fault)


def test_the_command_takes_a_tables_folder(real_table, capsys):
    path = str(real_table("seq"))
    assert main(["validate", "paimon", path]) == 1
    assert "no step leads from snapshot 1 to snapshot 2" in capsys.readouterr().out
    assert main(["validate", "paimon", path, "--set", "RestoreSequence=true", "--key", "jack"]) == 0
    assert capsys.readouterr().out.startswith("a behaviour of the model: 5 states")
    assert main(["validate", "hudi", path]) == 2
    assert capsys.readouterr().err.endswith("is a table of paimon, not of hudi\n")


def test_constants_that_the_table_does_not_fit_are_named(real_table):
    mapped = recorded(real_table("seq"))
    with pytest.raises(InputError, match=r"^the table has .*w2-0.*, which paimon lacks with these constants$"):
        follow(mapped, NUM_WRITERS=2)
    with pytest.raises(InputError, match=r"^'.*' is not a table of paimon$"):
        recorded(str(real_table("seq") / "snapshot"))
