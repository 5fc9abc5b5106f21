"""Predictions and exercises: right answers are right, wrong ones are refused with a hint."""

import re
import runpy
from types import SimpleNamespace
from typing import Any

import pytest

from tests.places import ROOT
from workbench.kernel import InputError
from workbench.protocols.hudi.extended import HudiExtended
from workbench.showing.lessons import exercise, predict
from workbench.showing.lessons.exercise import exercises
from workbench.showing.lessons.lossy_log import LossyLog

SOLUTIONS = ROOT / "notebooks" / "solutions.py"

solutions = SimpleNamespace(**runpy.run_path(str(SOLUTIONS)))


class NoAnswerLost(LossyLog):
    write_unanswered = None  # type: ignore[assignment]


class StillTwice(LossyLog):
    """As it was."""


class AnotherPromise(HudiExtended):
    def ConsistentRead(self, s):
        return True


#: For each exercise wrong answers, each with a part of what is said of it.
WRONG: dict[str, list[tuple[Any, str]]] = {
    "nobody_is_at_fault": [
        ({}, "EventualProgress` comes out as: holds"),
        ({"SafeAcks": False}, "`SafeAcks` stays on"),
    ],
    "another_race": [
        ({}, "NoLakekeeperConflict` comes out as: holds"),
        ({"AsyncParquet": True}, "`AsyncParquet` stays off"),
    ],
    "one_step": [({}, "EventualProgress` comes out as: violated"), ({"StepGranularity": "tiny"}, "StepGranularity")],
    "been_away": [({}, "NoLakekeeperConflict` comes out as: holds"), ({"MaxSuspicions": 1}, "`MaxSuspicions` stays 0")],
    "one_group": [
        ({"FileGroupCount": 2}, "NoDuplicateKeysAcrossFiles` comes out as: violated"),
        ({"Groups": 1}, "Groups"),
    ],
    "locked_collision": [
        ({}, "ConsistentRead` comes out as: violated"),
        ({"MonotonicTs": True}, "`MonotonicTs` stays off"),
    ],
    "lock_that_stays": [({"FailInAnyPhase": True}, "EventuallyWriterTerminates` comes out as: holds")],
    "nothing_to_strike": [
        ({"NUM_COMPACTORS": 1}, "`NUM_COMPACTORS` stays"),
        ({"DV_ENABLED": False}, "does not apply"),
        ({"ALLOW_UPDATES": False, "ALLOW_DELETES": True}, "2 constants changed"),
        ({}, "0 constants changed"),
    ],
    "refused": [
        ("commit(w0)\ncommit(w1)", "no commit that is refused"),
        ("commit(w9)", "w9"),
        ("s.latest == 9", "no such behaviour"),
        ("", ""),
    ],
    "rule": [
        (lambda **setting: True, "your function says True"),
        (lambda PUT_IF_ABSENT: True, "raised TypeError"),
        (solutions.one_step, "The answer is a function, and this is a dict"),
    ],
    "one_change_breaks": [
        ({"Keys": 1}, "NoDuplicateKeysAcrossFiles` comes out as: holds"),
        ({}, "0 constants changed"),
    ],
    "worst_bin": [
        (3491, "State 3,491 violates it, as 9% of its bin do"),
        (4104, "State 4,104 is not one that violates"),
        (-1, "State -1 is not one that violates"),
    ],
    "loose_index": [(0, "It is not 0, out of 4,522 states"), (True, "this is a bool")],
    "no_way_to_abort": [(4522, "It is not 4,522")],
    "told_twice": [("write(w1)\nwrite(w2)", "nobody has two entries"), ("erase(w1)", "erase")],
    "written_once": [
        (StillTwice, "NothingTwice` comes out as: violated"),
        (NoAnswerLost, "`write_unanswered` is redefined"),
        (dict, "no subclass"),
    ],
    "one_process": [({}, "violated"), ({"PUT_IF_ABSENT": True}, "`PUT_IF_ABSENT` stays off")],
    "gap": [("snapshot/LATEST", "finds no gap"), ("../../../t", "has no file")],
    "second_try": [('s.decision["w1"] == "committed"', "nobody has committed after a 409")],
    "unnoticed": [
        (0, "a row of claims that it does not have"),
        (36, "Without row 36 the log is refused"),
        (-1, "has the rows 0 to 41"),
    ],
    "nobody_notices": [({}, "NoDanglingDeletionVectors` comes out as: holds"), ({"NUM_WRITERS": 0}, "NUM_WRITERS")],
    "early_reader": [
        (HudiExtended, "OneTable` comes out as: holds"),
        (AnotherPromise, "also redefines ConsistentRead"),
        (LossyLog, "no subclass"),
    ],
    "read_and_gone": [
        ("Look(w1)\nPut(w1)\nRead(r1)", "all that was read is still there"),
        ("Lock(w1)", "Lock"),
    ],
    "one_at_a_time": [
        ("Take(w) == UNCHANGED lock\nGive(w) == UNCHANGED lock", "NothingLost` comes out as: violated"),
        ("Take(w) == lock = {} /\\ lock' = {w}\nGive(w) == UNCHANGED lock", "EachCommits` comes out as: violated"),
        ("Take(w) == lock = {}", "Give"),
    ],
    "commit_lost": [("put(w1)", "ends with 1 commits, and version 1"), ("take(w1)", "take")],
    "no_await": [
        ("take: await ~lock; lock := TRUE;", "without `await` and `when`"),
        ("take: if (lock) { goto take }; set: lock := TRUE;", "NothingLost` comes out as: violated"),
        ("take: lock := TRUE", "Commit.tla"),
    ],
}


# Exercises -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", exercises())
def test_a_solution_is_right(name: str) -> None:
    outcome = exercise(name).check(getattr(solutions, name))
    assert outcome.right, outcome.said


@pytest.mark.slow
@pytest.mark.parametrize(("name", "wrong", "said"), [(name, *one) for name, some in WRONG.items() for one in some])
def test_a_wrong_answer_is_refused_with_a_hint(name: str, wrong: Any, said: str) -> None:
    one = exercise(name)
    outcome = one.check(wrong)
    assert outcome.right is False
    assert said in outcome.said
    assert outcome.hint == one.hint or outcome.said.startswith(f"The answer is {one.kind.name}")
    assert one.task in outcome.text()


@pytest.mark.parametrize("name", exercises())
def test_what_is_not_filled_in_is_told_the_task(name: str) -> None:
    one = exercise(name)
    outcome = one.check(...)
    assert outcome.right is None
    assert outcome.text() == f"{one.task}\n\nYour turn. The answer is {one.kind.name}."
    assert one.hint not in outcome.html()
    assert one.check(3.5).right is False


def test_each_exercise_has_a_wrong_answer_and_each_solution_an_exercise() -> None:
    assert set(WRONG) == set(exercises())
    ours = {name for name, what in vars(solutions).items() if not name.startswith("_")}
    imported = {"action", "get_model", "refines", "require", "LossyLog", "Table"}
    assert ours - imported == set(exercises())


def test_an_unknown_exercise_is_named() -> None:
    with pytest.raises(InputError, match="unknown exercise 'one_grop' \\(did you mean one_group\\?\\)"):
        exercise("one_grop")


def test_a_task_is_markup_with_its_code() -> None:
    html = exercise("one_group").check(...).html()
    assert "<code>PrimaryKeyConflictCheck</code> stays off." in html
    assert "`" not in html


# Predictions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (None, "Answer: no."),
        ("no", "Answer: no. You predicted it."),
        ("yes", "Answer: no. You predicted: yes."),
    ],
)
def test_an_answer_is_held_against_the_prediction(choice: str | None, said: str) -> None:
    guess = predict("Is it?", "yes", "no")
    assert guess.choice is None
    guess.choice = choice
    assert guess.answer("no") == said


def test_an_answer_that_nobody_could_predict_is_a_mistake_of_the_lesson() -> None:
    with pytest.raises(InputError, match="answer 'perhaps' is not accepted; the choices are yes, no"):
        predict("Is it?", "yes", "no").answer("perhaps")


def test_without_a_kernel_a_prediction_is_text() -> None:
    data, _ = predict("Is 1 < 2?", "yes", "no")._repr_mimebundle_()
    assert data["text/plain"] == "Predict: Is 1 < 2? (yes / no)"
    assert "Is 1 &lt; 2?" in data["text/html"]
    assert re.search('<input type="radio" name="choice"[^>]*> no<', data["text/html"])
    assert "application/vnd.jupyter.widget-view+json" in data
