"""pypaimon does what the Paimon model predicts, along traces that are taken from the model's state space."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.command import python
from workbench.audits import audit
from workbench.checking.check import check
from workbench.checking.driving import Processes, covering, drive, follow
from workbench.commands.cli import main
from workbench.formats.itf import to_itf
from workbench.formats.permalink import permalink
from workbench.kernel import InputError, machine_of, replay
from workbench.protocols.paimon.audit.bucket import Bucket, Life, Marks
from workbench.protocols.paimon.audit.contents import contents
from workbench.protocols.paimon.audit.rows import Rows
from workbench.protocols.paimon.driver import PaimonCourse, PaimonDriver
from workbench.registry import get_model

Paimon = get_model("paimon")

#: Two writers of one key, in one bucket.
ONE_BUCKET = {
    "NUM_COMPACTORS": 0,
    "MAX_COMPACTIONS": 0,
    "NUM_BUCKETS": 1,
    "ONE_WRITER_PER_BUCKET": False,
    "RestoreSequence": True,
    "MAX_WRITE_OPS": 3,
    "MAX_WRITE_OPS_PER_KEY": 3,
    "PkCol1Values": ["jack"],
}
#: Spaces that together have each step of a writer, and each conflict of two.
SPACES = {
    "read-modify-write": ONE_BUCKET,
    "unprotected": {**ONE_BUCKET, "PUT_IF_ABSENT": False},
    "blind, long-lived": {**ONE_BUCKET, "STREAMING_SINK": True, "RestoreSequence": False, "PUT_IF_ABSENT": False},
    "partitions": {
        **{**ONE_BUCKET, "NUM_PARTITIONS": 2, "NUM_BUCKETS": 2, "ONE_WRITER_PER_BUCKET": True, "MAX_WRITE_OPS": 2},
        **{"NUM_WRITERS": 3, "PkCol1Values": ["jack", "sarah", "tom"], "Col2Values": ["red"]},
    },
}


@pytest.fixture(scope="module")
def driver(writers):
    return PaimonDriver(str(writers))


@pytest.fixture(scope="module")
def processes(driver):
    """Actors that are there for one trace after the other."""
    with Processes(driver.command()) as processes:
        yield processes


@pytest.fixture
def driven(driver, processes, tmp_path):
    """Drives a trace in a new folder."""

    def run(trace, driver=driver):
        (folder := tmp_path / str(len(list(tmp_path.iterdir())))).mkdir()
        return follow(trace, driver, processes, folder)

    return run


def trace_of(model, *labels):
    """The behaviour of the model that takes these steps."""
    model = machine_of(model)
    (state,), moves = model.initial_states(), []
    for label in labels:
        for instance in model.instances:
            for ordinal, (outcome, after) in enumerate(model.outcomes(instance, state)):
                if instance.label_with(outcome.choices) == label:
                    moves.append((instance.number, ordinal))
                    following = after
        state = following
    return replay(model, 0, moves)


def lost():
    """A shortest trace at the end of which a commit has been overwritten."""
    return check(Paimon(PUT_IF_ABSENT=False), ["ConsistentRead"])["ConsistentRead"].trace


@pytest.mark.parametrize("space", SPACES)
def test_each_step_and_each_conflict_comes_about_as_the_model_predicts(driven, space):
    traces = covering(Paimon(**SPACES[space]))
    assert {("start_insert",), ("start_update",), ("start_delete",), ("commit", "commit")} <= set(traces)
    for names, trace in traces.items():
        result = driven(trace)
        assert result.holds is True, f"{names}: {result.why}; {permalink(trace)}"
        assert len(result.steps) == len(trace) - 1


@pytest.mark.parametrize("seed", range(8))
def test_random_behaviours_come_about_as_the_model_predicts(driven, seed):
    """Up to the end, where nothing more can be done; in one bucket, or with numbers that go on from its largest."""
    rng = random.Random(seed)
    model = Paimon(
        **{
            **{**ONE_BUCKET, "NUM_WRITERS": 3, "MAX_WRITE_OPS": 4, "MAX_WRITE_OPS_PER_KEY": 4},
            **{name: rng.random() < 0.5 for name in ("PUT_IF_ABSENT", "STREAMING_SINK", "DV_ENABLED")},
            **{"NUM_BUCKETS": 1 + seed % 2, "RestoreSequence": seed % 2 == 1 or rng.random() < 0.5},
            "PkCol1Values": ["jack", "sarah"],
        }
    )
    machine = machine_of(model)
    (state,), moves = machine.initial_states(), []
    while following := [
        (instance.number, ordinal, after)
        for instance in machine.instances
        for ordinal, (_, after) in enumerate(machine.outcomes(instance, state))
    ]:
        number, ordinal, state = rng.choice(following)
        moves.append((number, ordinal))
    trace = replay(model, 0, moves)
    result = driven(trace)
    assert result.holds is True, f"{result.why}; {permalink(trace)}"


def test_pypaimon_cannot_compact(driven):
    model = Paimon(NUM_WRITERS=1, NUM_COMPACTORS=1, MAX_WRITE_OPS=1, MAX_COMPACTIONS=1, PkCol1Values=["jack"])
    traces = covering(model)
    assert driven(traces["start_compaction",]).holds is True
    result = driven(traces["compact_data_files",])
    assert result.why == (
        "not as predicted: step 6, compact_data_files(c0), is impossible: "
        "NotImplementedError: Committing a compact increment requires a separate COMPACT snapshot."
    )
    assert all(one.agrees for one in result.compared)  # the table is as it was
    after = driven(traces["commit",])
    assert after.holds is True


def test_a_lost_commit_is_lost_and_the_audit_proves_it(driver, tmp_path):
    result = drive(lost(), driver, keep=tmp_path / "lake")
    assert result.holds is True
    assert {one.what: (one.foretold, one.found) for one in result.compared} == {
        "the newest snapshot": ("1", "1"),
        "the files of snapshot 1": ("(w1-0)", "(w1-0)"),
        "jack in snapshot 1": ("-", "-"),
        "sarah in snapshot 1": ("(red, A)", "(red, A)"),
        "ConsistentRead": ("violated", "violated (proved)"),
        "AcknowledgedCommitsPresent": ("violated", "violated (proved)"),
        "LinearHistory": ("holds", "nothing found"),
        "NoDanglingDeletionVectors": ("holds", "nothing found"),
        "OneValidRowPerKeyAboveLevel0": ("holds", "nothing found"),
    }
    (finding,) = audit(tmp_path / "lake" / "db.db" / "t", acks=tmp_path / "lake" / "acks.jsonl").findings
    assert finding.property == "AcknowledgedCommitsPresent"


class Otherwise(PaimonDriver):
    """Drives pypaimon on a store of the other kind."""

    def course(self, trace, folder):
        course = PaimonCourse(trace, folder, self.place(folder))
        opening = course._opening
        course._opening = lambda: {**opening(), "put_if_absent": not trace.model.author.PUT_IF_ABSENT}
        return course


def test_what_pypaimon_refuses_is_said(driven, driver):
    """Where files are created only if they are absent, the commit that the model has overwrite another is refused."""
    result = driven(lost(), Otherwise(driver.command()[0]))
    assert result.holds is False
    assert result.why == (
        "not as predicted: step 8, commit(w1), is refused: that snapshot is there already: it prepares another one"
    )
    assert [one.agrees for one in result.compared] == [True] * len(result.compared)


def test_what_pypaimon_does_although_the_model_has_it_refused_is_said(driven, driver):
    trace = covering(Paimon(**ONE_BUCKET))["commit", "commit"]
    refused = driven(trace)
    assert (refused.steps[-1].foretold, refused.steps[-1].verdict, refused.holds) == ("refused", "refused", True)
    result = driven(trace, Otherwise(driver.command()[0]))
    assert "is done: the commit has succeeded" in result.why
    assert result.holds is False


def test_the_older_row_wins_where_long_lived_writers_count_for_themselves(driven):
    model = Paimon(**{**ONE_BUCKET, "RestoreSequence": False})
    trace = check(model, ["ConsistentRead"])["ConsistentRead"].trace
    result = driven(trace)
    assert result.holds is True
    assert ("ConsistentRead", "violated", "violated (suspect)", True) in result.compared


def commit(writer):
    return [f"{step}({writer})" for step in ("write_data_files", "write_metadata", "commit")]


def test_a_writer_of_several_buckets_counts_otherwise_than_in_the_model(driven):
    """In the model the third row of w0 has number 2; in pypaimon it is the first one in its bucket, and has 0."""
    several = {"NUM_BUCKETS": 2, "RestoreSequence": False, "STREAMING_SINK": True, "PkCol1Values": ["jack", "sarah"]}
    model = Paimon(**{**ONE_BUCKET, **several, "MAX_WRITE_OPS": 5, "MAX_WRITE_OPS_PER_WRITER": 3})
    trace = trace_of(
        model,
        *("start_insert(w1, key=sarah, col2=red, col3=A)", *commit("w1")),
        *("start_update(w1, key=sarah, col2=red, col3=A)", *commit("w1")),
        *("start_insert(w0, key=jack, col2=red, col3=A)", *commit("w0")),
        *("start_update(w0, key=jack, col2=red, col3=A)", *commit("w0")),
        *("start_update(w0, key=sarah, col2=blue, col3=A)", *commit("w0")),
    )
    result = driven(trace)
    assert result.why == ("not as predicted: after step 20, commit(w0), sarah in snapshot 5 is (red, A), not (blue, A)")


def test_updates_of_two_columns_undo_each_other_by_rows(driven):
    """Each reads the row and changes one column: in the row with the larger number, the other one is the old value."""
    model = Paimon(**{**ONE_BUCKET, "MAX_WRITE_OPS": 4, "MAX_WRITE_OPS_PER_KEY": 4, "MAX_WRITE_OPS_PER_WRITER": 3})
    trace = trace_of(
        model,
        *("start_insert(w0, key=jack, col2=red, col3=A)", *commit("w0")),
        "start_update(w1, key=jack, column=col3, value=A)",
        *("start_update(w0, key=jack, column=col2, value=blue)", *commit("w0")),
        *("start_update(w0, key=jack, column=col2, value=blue)", *commit("w0")),
        *commit("w1"),
    )
    result = driven(trace)
    assert result.holds is True
    assert ("ConsistentRead", "violated by rows, not by columns", "violated (proved)", True) in result.compared


def test_a_table_that_somebody_else_has_changed_is_noticed(driven, driver):
    class Meddled(PaimonDriver):
        def course(self, trace, folder):
            course = PaimonCourse(trace, folder, self.place(folder))
            versions = course._versions

            def meddle(state):
                if state.latest:
                    (course.path / "snapshot" / "snapshot-1").unlink(missing_ok=True)
                return versions(state)

            course._versions = meddle
            return course

    trace = trace_of(Paimon(**ONE_BUCKET), "start_insert(w0, key=jack, col2=red, col3=A)", *commit("w0"))
    result = driven(trace, Meddled(driver.command()[0]))
    assert result.why == "not as predicted: after step 4, commit(w0), the newest snapshot is 0, not 1"


@pytest.mark.slow
def test_the_contents_of_a_real_table(real_table):
    """At each version what is read: the later commit, with the smaller number, is not."""
    found = contents(str(real_table("seq")))
    assert [version.rows["jack"] for version in found.values()] == [
        [{"v": value, "c": "A"}] for value in ("red", "blue1", "blue2", "blue2")
    ]
    assert [len(version.files) for version in found.values()] == [1, 2, 3, 4]
    compacted = contents(str(real_table("java_dangling"))).values()
    assert [version.rows["jack"][0]["v"] for version in compacted] == ["red"] * 2 + ["blue"] * 2 + ["green"] * 3


def test_a_reader_gets_what_is_not_struck_out_and_has_the_largest_number():
    """Three rows of one key: numbers 1, 2 and 2; from version 3 on the last file's is struck out, from 4 on all are."""
    rows = Rows(["a", "b", "c"], *(np.array(column) for column in ([0, 1, 2], [0] * 3, [0] * 3, [1, 2, 2], [0] * 3)))
    lives = [Life(file, 0, file + 1, None, file + 1) for file in range(3)]
    marks = [Marks(2, 3, 4, np.array([2])), *(Marks(file, 4, None, np.array([file])) for file in range(3))]
    bucket = Bucket(rows, lives, [Marks(0, 2, 3, np.array([0])), *marks], [1])
    assert [bucket.read(version) for version in range(1, 5)] == [{0: [0]}, {0: [1]}, {0: [1]}, {}]
    assert Bucket(rows, lives, [], [1]).read(3) == {0: [1, 2]}


# The command ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def itf(tmp_path):
    """Writes a trace to a file."""

    def write(trace):
        (file := tmp_path / "trace.itf.json").write_text(json.dumps(to_itf(trace)))
        return str(file)

    return write


@pytest.mark.usefixtures("writers")
def test_the_command_says_step_by_step_what_came_about(itf, tmp_path, capsys):
    assert main(["drive", "paimon", itf(lost()), "-o", str(tmp_path / "lake")]) == 0
    printed, remarks = capsys.readouterr()
    assert "   8  w1  commit(w1)" in printed
    assert "done         the commit has succeeded" in printed
    assert "the real system did what the model predicts" in printed
    assert f"the table is in {tmp_path / 'lake' / 'db.db' / 't'}" in remarks
    assert len(contents(str(tmp_path / "lake" / "db.db" / "t"))) == 1
    assert main(["drive", "paimon", itf(lost()), "-o", str(tmp_path / "lake")]) == 2
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.usefixtures("writers")
def test_the_command_says_what_is_impossible(capsys):
    model = Paimon(NUM_WRITERS=1, NUM_COMPACTORS=1, MAX_WRITE_OPS=1, MAX_COMPACTIONS=1, PkCol1Values=["jack"])
    (name,) = [names for names in covering(model) if names == ("compact_data_files",)]
    further = covering(model)[name]
    longer = trace_of(model, *(step.label for step in further.steps[1:]), "write_metadata(c0)")
    assert main(["drive", "paimon", permalink(longer)]) == 1
    printed = capsys.readouterr().out
    assert "impossible, not done  NotImplementedError" in printed
    assert "write_metadata(c0)" in printed
    assert "not tried" in printed
    assert main(["drive", "paimon", permalink(longer), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["holds"], said["not_tried"]) == (False, ["write_metadata(c0)"])
    assert [step["verdict"] for step in said["steps"]] == ["done"] * 5 + ["impossible"]


@pytest.mark.usefixtures("writers")
def test_too_little_time_decides_nothing(itf, capsys):
    assert main(["drive", "paimon", itf(lost()), "--max-seconds", "0.01"]) == 3
    assert "not decided: w0 has not answered within the time limit" in capsys.readouterr().out


@pytest.mark.usefixtures("writers")
def test_an_interrupt_leaves_nothing_behind(itf, tmp_path):
    """What it has made by then is in a folder of its own, which goes."""
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "workbench", "drive", "paimon", itf(lost())]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        while process.poll() is None and not list((tmp_path / "tmp").glob("*/db.db/t/bucket-*")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert "not decided: interrupted" in process.communicate()[0]
    assert process.returncode == 3
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.usefixtures("writers")
def test_an_interrupt_within_an_import_leaves_nothing_behind(itf, tmp_path):
    """The drive loads what reads tables when it has made one; the process must not end there at once."""
    script = """
import os, signal, sys
from workbench.__main__ import main

class Interrupting:
    def find_spec(self, name, *_):
        if name == "workbench.protocols.paimon.audit.contents":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
sys.argv = ["workbench", "drive", "paimon", *sys.argv[1:]]
main()
"""
    (tmp_path / "tmp").mkdir()
    ended = python(script, itf(lost()), TMPDIR=str(tmp_path / "tmp"))
    assert (ended.returncode, list((tmp_path / "tmp").iterdir())) == (3, [])
    assert "not decided: interrupted" in ended.stdout


@pytest.mark.parametrize(
    ("constants", "why"),
    [
        ({"USE_LOCK": True}, "USE_LOCK = TRUE is not accepted; it takes FALSE, since pypaimon commits without a lock"),
        ({"AsPublished": True}, "AsPublished = TRUE is not accepted; it takes FALSE, since no software has"),
        ({"ReadersSkipLevel0": True}, "ReadersSkipLevel0 = TRUE is not accepted; it takes FALSE, since nothing would"),
    ],
)
def test_what_pypaimon_has_no_counterpart_of_is_refused(constants, why, capsys):
    line = permalink(replay(Paimon(**constants), 0, []))
    assert main(["drive", "paimon", line, "--python", sys.executable]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["workbench:hudi#0/"], "a permalink of 'hudi' is not accepted; it takes one of paimon or paimon_published"),
        (["workbench:/tmp/model.py:Evil#0/"], "a permalink of '/tmp/model.py:Evil' is not accepted"),
        (["workbench:paimon#0/99999.0"], "is not a behaviour of the model: step 1 names action instance 99999"),
        (["/no/such/file"], "trace '/no/such/file' cannot be read: No such file or directory"),
        (["workbench:paimon#0/", "--python", "/no/python"], "'/no/python' does not exist: `python3 -m venv .writers`"),
        (["workbench:paimon#0/", "--python", sys.executable], "w0 cannot open the table: it takes pypaimon 2.1.0, as"),
        (["workbench:paimon#0/", "--max-seconds", "0"], "'0' is not accepted; it takes a number above 0"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments, why, capsys):
    assert main(["drive", "paimon", *arguments]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1


def test_a_recording_that_is_no_behaviour_is_refused(itf, capsys):
    assert main(["drive", "paimon", itf(lost()), "--set", "PUT_IF_ABSENT=true"]) == 2
    assert "is not a behaviour of the model: no step leads from state 8 to state 9" in capsys.readouterr().err


def test_a_driver_takes_a_trace_of_its_own_model():
    trace = replay(get_model("bakery")(), 0, [])
    with pytest.raises(InputError, match="a trace of bakery is not accepted; pypaimon takes one of paimon or paimon_p"):
        drive(trace, PaimonDriver(sys.executable))
