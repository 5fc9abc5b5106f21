"""Sessions, without widgets: settings, checks, what is computed beside them, and steps by hand."""

import ast
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.command import python
from tests.places import ROOT
from workbench.checking.check import check
from workbench.kernel import Constant, InputError, Model, Variable, action, invariant, replay, require
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.replay_after_change import retold
from workbench.protocols.bakery.model import Bakery
from workbench.registry import configurations, get_model, models, protocols
from workbench.showing.panel.stepping import goes_on
from workbench.showing.session import (
    Session,
    Settings,
    Stepper,
    in_sight,
    opening,
    presets,
    result_cache,
    start_from,
    stories,
)
from workbench.showing.session.grid_job import Asked
from workbench.showing.session.hints import Hints
from workbench.showing.session.history import History
from workbench.showing.session.jobs import Aside, Job, Runner
from workbench.tlaplus.machine.specification import module_of_text

BakeryV2 = get_model("bakery_v2")
STALE: dict[str, Any] = {"Writers": 2, "AsyncParquet": True, "RestampPatch": False}


@pytest.mark.slow
def test_a_session_needs_no_widgets() -> None:
    script = "import sys, workbench.showing.session; print(*sys.modules)"
    done = python(script, here=ROOT, check=True)
    loaded = {module.split(".")[0] for module in done.stdout.split()}
    assert "workbench" in loaded
    assert not loaded & {"ipywidgets", "anywidget", "IPython", "plotly"}


def checked(settings: Settings) -> Session:
    """A session that has checked these settings."""
    session = Session(settings)
    session.run()
    assert session.settle(300)
    return session


def stale() -> Settings:
    """The staged files are not restamped: a 409."""
    return start_from("bakery_v2").with_constants(STALE)


# Jobs ----------------------------------------------------------------------------------------------------------------


def test_a_newer_job_cancels_the_one_before_it() -> None:
    runner = Runner(threading.RLock())
    told: list[object] = []
    started = threading.Event()

    def long(job):
        started.set()
        while not job.should_stop():
            time.sleep(0.001)
        return "old"

    runner.start(long, told.append, told.append)
    assert started.wait(300)
    runner.start(lambda job: "delayed", told.append, told.append, 60)
    runner.start(lambda job: "new", told.append, told.append)
    assert runner.wait(300)
    assert told == ["new"]


def test_a_stopped_job_hands_over_what_it_has() -> None:
    runner = Runner(threading.RLock())
    told: list[object] = []

    def work(job):
        job.pause(60)
        return job.should_stop()

    runner.start(work, told.append, told.append)
    assert runner.busy
    runner.stop()
    assert runner.wait(300)
    assert told == [True]


def test_a_job_that_fails_says_why() -> None:
    runner = Runner(threading.RLock())
    done: list[object] = []
    failed: list[str | Exception] = []

    def work(job):
        raise InputError("Writers = 9 is not accepted")

    runner.start(work, done.append, failed.append)
    assert runner.wait(300)
    assert (done, list(map(str, failed))) == ([], ["Writers = 9 is not accepted"])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_job_that_ends_its_thread_is_over() -> None:
    runner, told = Runner(threading.RLock()), list[object]()

    def leaving(_):
        raise SystemExit(0)

    runner.start(leaving, told.append, told.append)
    assert runner.wait(300)
    assert told == ["SystemExit: 0"]


def always(_: object = None) -> None:
    """What is called back, and fails."""
    raise ZeroDivisionError("no picture")


FAILED = "ZeroDivisionError: no picture"
raising = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


@raising
def test_an_outcome_that_cannot_be_handed_over_is_a_failure() -> None:
    runner, told = Runner(threading.RLock()), list[object]()
    runner.start(lambda job: "found", always, told.append)
    assert runner.wait(300)
    assert told == [FAILED]
    runner.start(lambda job: "found", always, always)
    assert runner.wait(300), "the thread has ended, and its lock is free"


@raising
@pytest.mark.parametrize("event", ["check", "result"])
def test_a_view_that_fails_is_the_sessions_error_and_others_are_told(event: Any) -> None:
    """The first subscriber fails at each event, so also at that of its error."""
    session, told = Session(stale()), list[object]()
    failing_once = iter([always])
    leave = [session.on(event, always if event == "check" else lambda: next(failing_once)())]
    session.on("check", lambda: told.append((session.running, session.error)))
    session.on("result", lambda: told.append("result"))
    with pytest.raises(ZeroDivisionError) if event == "check" else nullcontext():
        session.run()
    assert session.settle(300)
    assert session.error == FAILED
    assert told[-1] == (False, FAILED)
    assert ("result" in told) == (event == "result")
    for end in leave:
        end()
    session.run()
    assert session.settle(300)
    assert (session.error, told[-1]) == (None, "result")


@raising
def test_a_view_that_fails_during_a_check_ends_it_with_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.showing.session.session.PROGRESS_SECONDS", 0)
    session = checked(stale())
    session.on("check", lambda: always() if session.progress is not None else None)
    session.run()
    assert session.settle(300)
    assert session.error == FAILED


@raising
@pytest.mark.parametrize("when", ["progress", "end"])
def test_a_view_that_fails_is_the_error_of_a_computation_beside(when: str) -> None:
    aside, told = Aside(threading.RLock()), list[tuple[bool, str]]()
    aside.on_change(lambda: always() if (aside.message == "half") == (when == "progress") and not starting else None)
    aside.on_change(lambda: told.append((aside.running, aside.error)))

    def work(job: Job) -> str:
        assert begun.wait(300)
        if when == "progress":
            aside.say(job, "half")
        return "whole"

    starting, begun = True, threading.Event()
    aside.start(1, "", work)
    starting = False
    begun.set()
    assert aside.wait(300)
    assert (aside.running, aside.error) == (False, FAILED)
    assert told[-1] == (False, FAILED)


@raising
def test_hints_that_cannot_be_drawn_are_an_error_of_theirs() -> None:
    session = Session(stale())
    hints = Hints(session, lambda: always() if hints.decided else None)
    session.run()
    assert session.settle(300)
    assert (session.error, hints.trying, session.aside("hints").error) == (None, False, FAILED)


@raising
def test_a_grid_whose_cells_cannot_be_drawn_says_so() -> None:
    session = checked(stale())
    session.grid.filling.on_change(lambda: always() if session.grid.cells else None)
    session.grid.begin(asked(**SWITCHES))
    assert session.settle(300)
    assert (session.grid.filling.running, session.grid.filling.error) == (False, FAILED)


@raising
def test_another_behaviour_that_cannot_be_shown_is_an_error_of_that_search() -> None:
    session = checked(stale())
    session.tell()
    session.stepper().on_move(always)
    session.tell_another()
    assert session.settle(300)
    assert (session.another.running, session.another.error) == (False, FAILED)


@raising
def test_a_state_that_was_found_and_cannot_be_shown_is_an_error_of_that_search() -> None:
    stepper = Stepper(Bakery(Writers=1))
    stepper.on_move(always)
    stepper.find("s.pc['w1'] != 'x'")
    assert stepper.search.wait(300)
    assert (stepper.search.running, stepper.search.error) == (False, FAILED)


# What a session starts from ------------------------------------------------------------------------------------------


def test_a_session_starts_from_whatever_names_a_model() -> None:
    path = ROOT / "specs" / "bakery" / "v2_race.toml"
    by_name, by_path = start_from("v2_race"), start_from(str(path))
    for begun in (by_name, by_path, start_from(by_name.configuration)):
        assert begun.symmetry
        assert begun.applicable() == by_name.configuration.properties
        assert begun.constants == by_name.configuration.model.constants
    assert start_from(Bakery).constants == Bakery().constants
    assert start_from(Bakery(Writers=2)).constants["Writers"] == ("w1", "w2")
    assert start_from("hudi").with_constants({"OpLimit": 1}).model().constants["OpLimit"] == 1


@pytest.mark.parametrize("what", ["v2_rase", "nosuch.toml", 7, "hudi.py:Nothing"])
def test_what_is_no_model_is_refused_in_one_line(what: object) -> None:
    with pytest.raises(InputError) as refused:
        start_from(what)
    assert "\n" not in str(refused.value)


def test_presets_are_the_configurations_of_the_model() -> None:
    names = [name.split(" ")[0] for name in presets(BakeryV2)]
    assert "v2_race" in names
    assert "v1" not in names
    assert not any(path.parent.name == "hudi" for path in presets(BakeryV2).values())


def test_a_name_that_several_configurations_have_needs_its_folder() -> None:
    with pytest.raises(
        InputError,
        match=r"give one of bakery/one_table, delta/one_table, hudi/one_table, iceberg/one_table, paimon/one_table$",
    ):
        start_from("one_table")
    assert start_from("hudi/one_table").model_class is get_model("hudi")


# Settings ------------------------------------------------------------------------------------------------------------


def test_settings_are_changed_by_making_others() -> None:
    before = start_from("v2_async")
    after = before.with_constants({"Writers": 2, "RestampPatch": False})
    assert before.constants == start_from("v2_async").constants
    assert after.differing() == {"Writers": ("w1", "w2"), "AsyncParquet": True, "RestampPatch": False}
    assert (before.configuration is not None, after.configuration) == (True, None)
    assert after.symmetry == before.symmetry == ("Writers",)
    assert not before.is_default
    assert start_from("bakery_v2").is_default
    assert not start_from("bakery_v2").with_symmetry(["Writers"]).is_default


def test_what_settings_do_not_take_is_refused() -> None:
    settings = start_from("bakery_v2")
    with pytest.raises(InputError, match="unknown constant of bakery_v2 'Writer'"):
        settings.with_constants({"Writer": 2})
    with pytest.raises(InputError, match="Writers = 99"):
        settings.with_constants({"Writers": 99})
    with pytest.raises(InputError, match="unknown symmetric set of bakery_v2 'Nodes'"):
        settings.with_symmetry(["Nodes"])
    with pytest.raises(InputError, match="NodeParts"):
        settings.with_typed({"NodeParts": [["w1"], ["w9"]]}).model()


def test_properties_follow_the_constants_until_somebody_chooses() -> None:
    settings = start_from("bakery").with_constants({"Writers": 2})
    assert settings.applicable()[-1] == "NonCrashedProgress"
    assert settings.with_constants({"MaxCrashes": 0}).applicable()[-1] == "EventualProgress"
    assert settings.with_ticked(["UniqueTickets", "Deadlock"]).applicable() == ["UniqueTickets", "Deadlock"]
    chosen = settings.with_ticked(["UniqueTickets", "RestartsHeal"])
    assert chosen.applicable() == ["UniqueTickets"]
    assert chosen.with_constants({"MaxRestarts": 1}).applicable() == ["UniqueTickets", "RestartsHeal"]
    every, restarting = settings.with_ticked(settings.applicable()), settings.with_constants({"MaxRestarts": 1})
    assert set(every.with_constants({"MaxRestarts": 1}).applicable()) >= set(restarting.applicable()) > {"RestartsHeal"}
    assert (
        every.with_constants({"MaxRestarts": 1}).with_constants({"MaxRestarts": 0}).applicable() == every.applicable()
    )


@pytest.mark.slow
@pytest.mark.parametrize("sets", [["Writers"], ["Keys"], ["Writers", "Values"], []])
def test_a_configuration_has_the_symmetry_that_it_names(sets: list[str], tmp_path: Path) -> None:
    wanted = check(get_model("hudi")(Values=1, FileGroupCount=2), ["ConsistentRead"], symmetry=sets)
    path = tmp_path / "some.toml"
    path.write_text(
        f'model = "hudi"\nsymmetry = {sets!r}\nproperties = ["ConsistentRead"]\n'
        "[constants]\nValues = 1\nFileGroupCount = 2\n"
        f'[expect]\ndistinct = {wanted.distinct}\nverdicts = {{ConsistentRead = "holds"}}\n'
    )
    session = checked(start_from(path))
    assert session.result is not None
    assert session.result.symmetry == tuple(sets)
    assert session.settings.configuration is not None
    assert session.settings.configuration.as_expected(session.result)


# Checks --------------------------------------------------------------------------------------------------------------


class Fragile(Model):
    """How much of it is broken."""

    Worn = Constant(0, range(3), "how worn it is")

    n = Variable(0)

    @action
    def use(self, s):
        s.n = self.Worn

    @invariant
    def First(self, s):
        return s.n < 2

    @invariant
    def Second(self, s):
        return s.n < 1

    @invariant
    def Third(self, s):
        return s.n < 1


def test_of_several_newly_broken_properties_the_first_is_selected_and_a_repaired_one_stays() -> None:
    session = checked(start_from(Fragile))
    for worn, wanted, selected in (
        (0, None, "First"), (1, None, "Second"), (2, None, "First"), (1, None, "First"), (0, "Third", "Third"),
        (1, None, "Second"), (1, "First", "First"),
    ):  # fmt: skip
        session.begin(session.settings.with_constants({"Worn": worn}), wanted)
        assert session.settle(300)
        assert session.selected == selected


def test_a_stopped_check_keeps_what_was_found() -> None:
    session = Session(start_from("bakery_v2").with_constants({"Writers": 4, "MaxCrashes": 2}))
    told, hints = threading.Event(), list[Any]()
    tried = Hints(session, lambda: hints.append((list(tried.decided), tried.trying, tried.waiting)))
    session.on("check", lambda: told.set() if session.progress is not None and session.progress.states > 1 else None)
    session.run()
    assert told.wait(300)
    known = session.progress.states
    assert session.stale
    session.stop()
    result = session.wait(300)
    assert (result.complete, result.stopped) == (False, "stopped on request")
    assert result.distinct >= known > 1
    assert hints == [([], False, False)], "what a switch would do to it is not tried"


@pytest.mark.slow
@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("name", ["bakery_v2", "paimon", "hudi", "delta", "iceberg"])
def test_a_switch_repairs_each_first_story_also_on_a_busy_machine(name: str) -> None:
    session, told = Session(opening(name, {})), list[str]()
    hints = Hints(session, lambda: told.extend(attempt.hint[1] for attempt in hints.decided))
    session.run()
    assert session.settle(300)
    assert "good" in told
    assert session.live


@pytest.mark.slow
def test_the_switches_of_a_large_space_are_tried_if_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.showing.session.hints.QUICK_STATES", 100)
    session, drawn = Session(stale()), list[tuple[int, bool, bool]]()
    hints = Hints(session, lambda: drawn.append((len(hints.decided), hints.trying, hints.waiting)))
    session.run()
    assert session.settle(300)
    assert drawn == [(0, False, True)]
    hints.ask()
    assert session.settle(300)
    assert drawn[1] == (0, True, False)
    assert drawn[-1][1:] == (False, False)
    assert any(attempt.changes == {"RestampPatch": True} and attempt.mends for attempt in hints.decided)


def test_after_a_long_check_a_change_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    session = checked(stale())
    monkeypatch.setattr("workbench.showing.session.session.LIVE_STATES", 0)
    session.run()
    assert session.settle(300)
    before = session.result
    session.apply({"RestampPatch": True})
    assert session.settle(300)
    assert (session.waiting, session.stale, session.running) == (True, True, False)
    assert session.result is before
    session.run()
    assert session.settle(300)
    assert not session.stale
    assert session.result is not None
    assert session.result.model.constants["RestampPatch"]


class Faulty(Model):
    """Its first step fails."""

    Faulty = Constant(True, bool, "whether it does")

    n = Variable(0)

    @action
    def step(self, s):
        require(s.n < 1, "at the end")
        if self.Faulty:
            raise ValueError("on purpose")
        s.n += 1

    @invariant
    def Small(self, s):
        return s.n < 5


def test_a_change_during_a_check_of_some_seconds_is_checked_at_once() -> None:
    model = get_model("bakery_v2")(Writers=4, MaxCrashes=2)
    session = Session(Settings(type(model), model.constants))
    session.run()
    while session.progress is None:
        time.sleep(0.01)
    session.apply({"Writers": 2, "MaxCrashes": 0})
    assert session.running
    assert not session.waiting
    assert session.wait(300).complete
    assert session.number == 1


@pytest.mark.slow
def test_the_engine_is_loaded_before_the_first_search() -> None:
    script = (
        "from workbench.checking.local import search\n"
        "from workbench.showing.session import Session, start_from\n"
        "session, told = Session(start_from('bakery')), []\n"
        "session.on('check', lambda: told.append((session.loading, search.kernels_loaded())))\n"
        "session.run()\n"
        "session.wait()\n"
        "session.run()\n"
        "session.wait()\n"
        "print(told)\n"
    )
    said = python(script, check=True).stdout
    told = ast.literal_eval(said)
    assert (True, False) in told
    assert [loading for loading, _ in told].count(True) == 1
    assert told[-1] == (False, True)


def test_a_first_check_that_fails_is_an_error_and_not_a_wait() -> None:
    session = Session(start_from(Faulty))
    session.run()
    with pytest.raises(InputError, match="on purpose"):
        session.wait(300)
    assert session.error is not None
    assert "\n" not in session.error
    assert session.result is None
    assert not session.running
    session.begin(session.settings.with_constants({"Faulty": False}))
    result = session.wait(300)
    assert result is not None
    assert (result.holds, session.error) == (True, None)


# What is computed beside a check -------------------------------------------------------------------------------------


def test_what_is_computed_for_one_purpose_does_not_end_another() -> None:
    session = checked(stale())
    one, other, go = session.aside("one"), session.aside("other"), threading.Event()
    one.start(1, "Counting", lambda job: go.wait(300) and not job.should_stop())
    other.start(1, "Looking", lambda job: "seen")
    assert other.wait(300)
    assert (one.running, one.message, other.outcome) == (True, "Counting", "seen")
    go.set()
    assert one.wait(300)
    assert (one.running, one.message, one.outcome) == (False, "", True)


def test_what_is_computed_for_the_same_key_is_computed_once() -> None:
    aside, runs = Aside(threading.RLock()), list[int]()

    def work(job: Job) -> int:
        runs.append(1)
        return len(runs)

    for key, outcome in (("key", 1), ("key", 1), ("other", 2)):
        aside.start(key, "", work)
        assert aside.wait(300)
        assert aside.outcome == outcome


def test_what_failed_says_why_and_is_tried_again() -> None:
    aside, runs = Aside(threading.RLock()), list[int]()

    def work(job: Job) -> str:
        runs.append(1)
        raise InputError(f"no {len(runs)}")

    for number in (1, 2):
        aside.start("key", "", work)
        assert aside.wait(300)
        assert (aside.error, aside.outcome) == (f"no {number}", None)


def test_a_new_check_forgets_what_was_computed_about_the_one_before() -> None:
    session = checked(stale())
    aside, told = session.aside("one"), list[object]()
    aside.start(1, "Counting", lambda job: job.pause(60))
    aside.on_change(lambda: told.append(aside.key))
    session.run()
    assert session.settle(300)
    assert (aside.running, aside.outcome, told) == (False, None, [None])


def test_the_states_of_a_result_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    session, searches = checked(stale()), list[object]()

    def counting(*arguments: Any, **options: Any) -> Any:
        searches.append(arguments)
        return explore(*arguments, **options)

    explore = result_cache.explore
    monkeypatch.setattr(result_cache, "explore", counting)
    for purpose in ("graph", "charts"):
        session.aside(purpose).start(1, "", lambda job: session.kept.space(job))
    assert session.settle(300)
    assert len(searches) == 1
    assert session.aside("graph").outcome is session.aside("charts").outcome
    assert len(session.aside("graph").outcome) == session.result.distinct


def test_what_was_stopped_is_not_kept() -> None:
    shelf, job = checked(stale()).kept, Job()
    assert shelf is not None
    job.stop()
    assert shelf.get("key", lambda: "half", job) == "half"
    assert shelf.get("key", lambda: "whole", Job()) == "whole"
    assert shelf.get("key", lambda: "again", Job()) == "whole"


# Steps by hand -------------------------------------------------------------------------------------------------------


def test_a_search_passes_on_what_is_to_be_said_of_its_condition() -> None:
    stepper = Stepper(BakeryV2(Writers=2))
    stepper.go("s.pc")
    assert stepper.remark == "s.pc has a value for each index: as a condition it is always true"
    stepper.take("start(w1)")
    assert stepper.remark == ""
    stepper.go('s.decision["w1"] == "committed"')
    assert stepper.remark == ""


STORY = replay(BakeryV2(Writers=2), 0, [])


@pytest.mark.parametrize(
    "step",
    [
        lambda stepper: stepper.start(STORY.model),
        lambda stepper: stepper.branch(STORY, 0),
        lambda stepper: stepper.begin(0),
        lambda stepper: stepper.take("start(w1)"),
        lambda stepper: stepper.walk(1),
    ],
    ids=["start", "branch", "begin", "take", "walk"],
)
def test_who_steps_on_by_hand_is_not_taken_elsewhere_by_a_search(step: Callable[[Stepper], None]) -> None:
    stepper, go = Stepper(STORY.model), threading.Event()
    stepper.search.start(object(), "Looking", lambda job: go.wait(300))
    step(stepper)
    assert not stepper.search.running
    go.set()


def test_after_a_repair_the_stepper_moves_once_to_the_story_that_is_told_again() -> None:
    session = checked(opening("paimon", {}))
    session.tell()
    moves: list[int] = []
    stepper = session.stepper()
    stepper.on_move(lambda: moves.append(stepper.at))
    session.apply({"PUT_IF_ABSENT": True})
    assert session.settle(300)
    session.tell()
    assert session.retold is not None
    assert len(moves) == 1


def test_a_scenario_begins_a_history_anew() -> None:
    stepper = Stepper(BakeryV2(Writers=2))
    stepper.take("start(w2)")
    stepper.tell("commit(w1)\ncommit(w2)  # later")
    assert [step.label for step in stepper.trace.steps if "commit" in step.label] == ["commit(w1)", "commit(w2)"]
    assert stepper.at == len(stepper.trace) - 1
    assert stepper.remark == "state 12: commit(w1); state 18: commit(w2)"
    before = stepper.trace
    with pytest.raises(InputError, match=r"^impossible: line 2: commit\(w1\): w1 is not at Decide$"):
        stepper.tell("commit(w1)\ncommit(w1)")
    with pytest.raises(InputError, match=r"^not decided: the budget of 9 states is used up"):
        stepper.tell("commit(w1)\ncommit(w1)", budget=Budget(states=9))
    stepper.find_story("comit(w1)")
    assert stepper.search.wait(300)
    assert stepper.search.error.startswith("line 1: unknown action 'comit' (did you mean commit?)")
    assert stepper.trace is before or stepper.trace == before
    stepper.find_story("commit(w2)")
    assert stepper.search.wait(300)
    assert stepper.trace.steps[-1].label == "commit(w2)"


def test_of_very_many_initial_states_some_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.showing.session.stepper.MOST_STARTS", 8)
    stepper = Stepper(get_model("ewd998")())
    assert stepper.starts() == dict(enumerate(stepper.model.initial_states()[:8]))
    stepper.begin(40)
    assert list(stepper.starts()) == [*range(8), 40]
    assert stepper.starts()[40] == stepper.state


def test_a_history_begins_along_a_behaviour() -> None:
    lasso = check(BakeryV2(Writers=2, MaxCrashes=1), ["EventualProgress"])["EventualProgress"].trace
    assert lasso is not None
    assert History.along(lasso, 2).current.number == 2
    stepper = Stepper(lasso)
    assert stepper.trace is lasso
    stepper.jump(0)
    stepper.walk(1, seed=1)
    assert stepper.trace.loop is None or stepper.trace is lasso


def test_a_story_with_other_constants_begins_a_history_anew() -> None:
    stepper, elsewhere = Stepper(STORY.model), replay(BakeryV2(Writers=3), 0, [(0, 0)])
    stepper.walk(9, seed=1)
    stepper.show(elsewhere, 1)
    assert stepper.model is elsewhere.model
    assert (len(stepper.history.nodes), stepper.at) == (2, 1)


def test_who_goes_to_a_node_stays_on_the_branch_in_sight_or_gets_the_one_that_was_begun_last_there() -> None:
    stepper = Stepper(Bakery(Writers=3))
    for number, (before, writer) in enumerate([(0, "w1"), (1, "w2"), (1, "w3"), (0, "w2")], 1):
        stepper.go_to(before)
        stepper.take(f"node_startup({writer})")
        assert stepper.history.current.number == number
    for number, at, writers in ((1, 1, ["w1", "w3"]), (2, 2, ["w1", "w2"]), (1, 1, ["w1", "w2"]), (4, 1, ["w2"])):
        stepper.go_to(number)
        assert stepper.at == at
        assert [step.label for step in stepper.trace.steps[1:]] == [f"node_startup({one})" for one in writers]


def test_where_somebody_was_sent_during_a_check_they_stay_when_it_ends_and_leave_after_the_next() -> None:
    session = Session(start_from(Fragile).with_constants({"Worn": 1}))
    session.tell()
    session.run()
    assert session.settle(300)
    session.tell()
    assert session.stepper().at == 1
    session.stepper().undo()
    session.tell()
    assert session.stepper().at == 0, "what is told already leads nowhere"
    with session.lock:  # so that the check cannot end in between
        session.begin(session.settings.with_constants({"Worn": 2}))
        session.step_from(replay(Fragile(Worn=2), 0, []), 0)
    assert session.settle(300)
    session.tell()
    assert (session.stepper().at, len(session.stepper().trace)) == (0, 1)
    session.begin(session.settings.with_constants({"Worn": 1}))
    assert session.settle(300)
    session.tell()
    assert session.stepper().origin is session.story


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "repair", "states", "said"),
    [
        (
            "paimon",
            {"PUT_IF_ABSENT": True},
            9,
            "next, w1: Prepare the snapshot that follows the latest one (it leaves snapshots[1] and ",
        ),
        ("paimon", {"USE_LOCK": True}, 13, "w1 is at READY (it leaves snapshots[1] and manifest[w0-0] alone)"),
        (
            "v2_race",
            {"AsyncParquet": False},
            22,
            "next, w2: Withdraw the claim (iceberg + Snapshot(w2, 2, 2)",
        ),
        (
            "hudi",
            {"MonotonicTs": True},
            14,
            "next, w2: Map the key to the file group (it leaves slices[fg1, 1, -]",
        ),
        ("hudi", {"PutIfAbsentSupported": True}, 10, "Now it differs: w2 is at Ready (op[w2] Operation"),
        (
            "no_concurrency_control",
            {"ConcurrencyControl": 2},
            10,
            " into memory, and declare the operation Inflight - refused now: the lock of fg1 is taken",
        ),
        ("bakery", {"LazyReap": True}, 5, "Nothing of this is refused now"),
    ],
    ids=["left alone", "catching up", "another way", "nearest choices", "given up", "a lock", "goes on"],
)
def test_after_a_repair_the_same_actors_act_again_as_long_as_they_can(
    model: str, repair: dict[str, Any], states: int, said: str
) -> None:
    session = checked(opening(model, {}))
    session.tell()
    story, name = session.story, session.selected
    assert story is not None
    broken = {name: session.settings.constants[name] for name in repair}
    session.apply(repair)
    assert session.settle(300)
    session.tell()
    assert session.selected == name, "not another property's witness"
    again = session.retold
    assert again is not None
    acts = iter([(step.lane, step.instance and step.instance.action.name) for step in again.trace.steps])
    told = [(step.lane, step.instance and step.instance.action.name) for step in story.steps[: story.end + 1]]
    assert all(act in acts for act in told[:states])
    assert said in str(goes_on(again))
    assert session.stepper().trace == again.trace
    assert session.stepper().at == states - 1
    session.apply(broken)
    assert session.settle(300)
    session.tell()
    assert session.stepper().trace.steps == story.steps, "back on its settings, the story is told again"


def test_a_behaviour_of_other_sizes_is_told_as_far_as_there_are_such_steps() -> None:
    told = checked(opening("bakery_v2", {})).verdict.trace
    assert told is not None
    again = retold(told, BakeryV2(Writers=1, AsyncParquet=True))
    assert again.refused == next(step for step in told.steps if "w2" in step.label)
    assert again.why == "with these constants there is no such step"


def test_one_comes_back_to_a_story_where_one_has_left_it() -> None:
    session = checked(stale())
    session.tell()
    stepper, story = session.stepper(), session.story
    assert story is not None
    stepper.jump(5)
    other = next(s.label for o in stepper.options() for s in o.steps if s.label != story.steps[6].label)
    stepper.take(other)
    stepper.walk(2, seed=1)
    assert session.left == 5
    session.back()
    assert (stepper.at, stepper.trace.steps) == (5, story.steps)
    stepper.jump(9)
    assert session.left != 5, "one is in the story again"
    assert len(list(stepper.history.leaves())) == 2, "what was stepped by hand is a branch"


def test_a_closed_session_does_no_more_work() -> None:
    session = Session(start_from("bakery_v2").with_constants({"Writers": 4, "MaxCrashes": 2}))
    session.run()
    session.close()
    assert session.settle(300)
    assert (session.result, session.running) == (None, False)


# A grid of settings --------------------------------------------------------------------------------------------------


def asked(**values: tuple[Any, ...]) -> Asked:
    return Asked(stale(), values, "NoLakekeeperConflict")


SWITCHES: dict[str, tuple[Any, ...]] = {"AsyncParquet": (False, True), "RestampPatch": (False, True)}


@pytest.mark.slow
def test_a_grid_is_filled_cell_by_cell_and_outlasts_a_check() -> None:
    session, seen = checked(stale()), list[int]()
    session.grid.filling.on_change(lambda: seen.append(len(session.grid.cells)))
    session.grid.begin(asked(**SWITCHES))
    session.begin(session.settings.with_constants({"RestampPatch": True}))
    assert session.settle(300)
    grid = session.grid
    assert grid.filled is not None
    assert not grid.filled.stopped
    assert [grid.word(grid.cells[number]) for number in range(4)] == ["holds", "holds", "violated", "holds"]
    assert seen == sorted(seen)
    assert {1, 2, 3} & set(seen)
    grid.explain()
    assert session.settle(300)
    assert str(grid.explaining.outcome.rule) == "not AsyncParquet or RestampPatch"
    assert [failing.row for failing in grid.explaining.outcome.failing] == [2]


def test_a_stopped_grid_keeps_what_is_done_and_a_new_one_forgets_it() -> None:
    session = checked(stale())
    grid = session.grid
    grid.filling.on_change(lambda: grid.filling.stop() if len(grid.cells) == 1 else None)
    grid.begin(asked(Writers=(2, 3), **SWITCHES))
    assert session.settle(300)
    assert grid.filled is not None
    assert grid.filled.stopped
    assert 0 < len(grid.cells) < 8
    assert grid.word(grid.filled.cells[-1]) is None, "it was not reached"
    grid.explain()
    assert session.settle(300)
    grid.begin(asked(**SWITCHES))
    assert (grid.filled, grid.explaining.outcome) == (None, None)
    session.close()
    assert session.settle(300)
    assert (grid.asked, grid.cells) == (None, {})


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"RestampPatch": (False, True)}, "1 constants are not accepted; a grid takes 2 to 4"),
        ({"Writers": tuple(range(1, 41)), "MaxCrashes": tuple(range(40))}, "1,600 settings are too many"),
    ],
)
def test_a_grid_of_the_wrong_size_is_refused_in_one_line(values: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        asked(**values)


# Stories -------------------------------------------------------------------------------------------------------------


STORIES = {name: told for one in protocols().values() for name, told in one.stories.items()}


@pytest.mark.parametrize("name", STORIES)
def test_something_breaks_in_every_story_but_the_last(name: str) -> None:
    model = get_model(name)
    told = stories(model)
    assert list(told) == list(STORIES[name]), "every story is that of a configuration that comes with the package"
    *broken, whole = [configurations.configuration(path) for path in told.values()]
    assert all(type(one.model.author) is model for one in (*broken, whole))
    assert all("violated" in str(one.expect["verdicts"]) for one in broken)
    assert "violated" not in str(whole.expect["verdicts"])


@pytest.mark.parametrize("name", ["sink", "late_sink", "row_ids", "several_tables", "deletion_vectors"])
def test_the_first_switch_in_sight_repairs_the_first_story(name: str) -> None:
    model = get_model(name)
    told = configurations.configuration(next(iter(stories(model).values()))).model.constants
    switch = in_sight(model)[0]
    assert told[switch] != model().constants[switch]
    repaired = check(model(**{**told, switch: model().constants[switch]}))
    assert all(verdict.holds is not False for verdict in repaired.verdicts)


def test_what_is_in_sight_is_declared() -> None:
    for name in models():
        model = get_model(name)
        assert set(in_sight(model)) <= model.declared.constants.keys()
        assert in_sight(model) or not model.declared.constants


def test_a_constant_with_a_single_value_is_folded_away() -> None:
    text = "---- MODULE M ---- CONSTANTS None, Quick, N VARIABLE x Init == x = None Next == UNCHANGED x ===="
    model = module_of_text(text, "CONSTANTS None = None Quick = TRUE N = 2 INIT Init NEXT Next")
    assert in_sight(model) == ["Quick", "N"]


def test_a_story_opens_only_where_nothing_else_is_asked_for() -> None:
    assert opening("paimon", {}).configuration is not None
    assert opening("paimon", {"NUM_WRITERS": 1}).configuration is None
    assert opening(get_model("paimon"), {}).is_default
    assert opening("bakery_endless", {}).is_default, "a model without stories"
