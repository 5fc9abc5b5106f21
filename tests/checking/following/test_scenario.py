"""Scenarios: a shortest behaviour through the lines, or the first that cannot follow, held to a plain search."""

import json
import signal
from collections import deque
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_models import CELLS

from tests.behaviours import small_model, steps_from
from tests.products import examples
from workbench import check, get_model
from workbench.checking.following.scenario import read_lines, scenario
from workbench.commands import cli
from workbench.kernel import InputError, Model, Variable, action, constraint, machine_of, replay, require
from workbench.kernel.meaning.budget import Budget, Watch

# The reference -------------------------------------------------------------------------------------------------------


def conditions(lines, state, passed):
    """Every number of lines that may have been passed in `state`, after `passed` of them."""
    yield passed
    while passed < len(lines) and lines[passed].step is None and lines[passed].holds(state):
        passed += 1
        yield passed


def reference(model, lines):
    """The number of states of a shortest behaviour, or None; and the most lines that any behaviour passes.

    Every way to pass the lines is followed, not just the one that passes each as soon as it can.
    """
    queue = deque((state, passed, 1) for state in model.initial_states() for passed in conditions(lines, state, 0))
    seen = {(state, passed) for state, passed, _ in queue}
    farthest = 0
    while queue:
        state, passed, depth = queue.popleft()
        farthest = max(farthest, passed)
        if passed == len(lines):
            return depth, farthest
        for names, after in steps_from(model, state):
            line = lines[passed]
            taken = line.step in names and line.holds(after)
            for now in [*conditions(lines, after, passed), *(conditions(lines, after, passed + 1) if taken else ())]:
                if (after, now) not in seen:
                    seen.add((after, now))
                    queue.append((after, now, depth + 1))
    return None, farthest


def passes(trace, lines):
    """Whether a behaviour passes through the lines in their order: by trying all places."""
    reached = {0}
    for index, step in enumerate(trace.steps):
        names = set()
        if step.move is not None:
            instance = trace.model.instances[step.move.instance]
            names = {instance.action.name, instance.label, step.label}
        after = set(reached)
        for passed in reached:
            if passed < len(lines) and lines[passed].step in names and lines[passed].holds(step.state):
                after.add(passed + 1)
        reached = {now for passed in after for now in conditions(lines, step.state, passed)}
        assert index or step.move is None
    return len(lines) in reached


CELL = st.sampled_from(['s.own["p1"]', 's.own["p2"]', *(f's.shared["{cell}"]' for cell in CELLS)])
LINE = st.one_of(
    st.sampled_from(["first", "second"]),
    st.integers(0, 40),  # a step of the model's, by its number
    st.builds("{} == {}".format, CELL, st.integers(0, 2)),
    st.builds("{} < {}".format, CELL, CELL),
    st.builds("{} where {} == {}".format, st.sampled_from(["first", "second"]), CELL, st.integers(0, 2)),
)


@pytest.mark.slow
@examples(60)
@given(st.integers(0, 100), st.lists(LINE, min_size=1, max_size=5))
def test_a_scenario_is_found_as_by_the_reference(seed, given_lines):
    model = machine_of(small_model(seed))
    labels = [instance.label for instance in model.instances]
    given_lines = [line if isinstance(line, str) else labels[line % len(labels)] for line in given_lines]
    lines = read_lines(model, given_lines)
    told, (shortest, farthest) = scenario(model, given_lines), reference(model, lines)
    assert told.holds is (shortest is not None)
    if told.holds:
        assert len(told.trace) == shortest
        assert passes(told.trace, lines)
        assert told.at[-1] == shortest - 1
    else:
        assert told.failed == farthest
        assert told.why
        assert passes(told.trace, lines[:farthest])
    assert told.at == sorted(told.at)
    assert replay(model, told.trace.start, told.trace.moves) == told.trace
    for line, at in zip(lines, told.at, strict=False):
        assert line.holds(told.trace.states[at])


# Published models ----------------------------------------------------------------------------------------------------

RACE = {"Writers": 2, "AsyncParquet": True, "RestampPatch": False}

STORIES = [
    ("bakery_v2", RACE, 'commit(w1)\ns.decision["w2"] == "lk_409"'),
    ("bakery_v2", {"Writers": 2}, "stage(w2)\nstart(w1)\nbegin_claim(w1, witness=w2)\ncommit(w1)\nrollback(w2)"),
    ("bakery", {"Writers": 2}, 'crash(w1)\ncommit where s.decision["w2"] == "committed"'),
    ("hudi", {}, "append_commit(w2)\nappend_commit(w1)"),
    ("paimon", {}, "start_compaction\ns.latest == 2\ncommit(c0)"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "constants", "text"), STORIES)
def test_what_is_found_in_a_published_model_is_a_behaviour(name, constants, text):
    model = get_model(name)(**constants)
    told = scenario(model, text)
    assert told.holds
    assert passes(told.trace, told.lines)
    assert replay(model, told.trace.start, told.trace.moves) == told.trace


@pytest.mark.slow
def test_a_scenario_of_one_condition_is_as_short_as_the_search_for_it():
    model = get_model("bakery_v2")(**RACE)
    shortest = check(model, ["NoLakekeeperConflict"])["NoLakekeeperConflict"].trace_states
    assert len(scenario(model, 's.decision["w1"] == "lk_409" or s.decision["w2"] == "lk_409"').trace) == shortest


def test_a_line_that_cannot_follow_is_told_with_what_stands_in_its_way():
    model = get_model("bakery_v2")(Writers=2)
    again = scenario(model, "commit(w1)\ncommit(w1)")
    assert (again.holds, again.failed, again.why) == (False, 1, "w1 is not at Decide")
    assert str(again).splitlines()[0] == "impossible: line 2: commit(w1): w1 is not at Decide"
    assert again.trace.steps[-1].label == "commit(w1)"
    conflict = scenario(model, 'commit(w1)\ns.decision["w2"] == "lk_409"')
    assert conflict.why.startswith("it is true in none of the ")
    assert conflict.why.endswith("there s.decision['w2'] is -, committed, rolled_back")
    where = scenario(model, 'commit(w1) where s.decision["w1"] == "lk_409"')
    assert where.why == 'commit(w1) is possible, but never leads to a state in which s.decision["w1"] == "lk_409"'
    off = scenario(model, "crash(w1)")
    assert off.why == "these constants switch it off"
    no_such_choice = scenario(get_model("paimon")(), "start_insert(w0, key=jack, col2=green)")
    assert no_such_choice.why == "start_insert(w0, key=jack) is possible, but with other choices"


class Steps(Model):
    """Up, and down again."""

    n = Variable(0)

    @action
    def up(self, s):
        require(s.n < 3, "it is at the top")
        s.n += 1

    @action
    def down(self, s):
        require(s.n > 0, "it is at the bottom")
        s.n -= 1


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("s.n == 0", 1),  # the initial state counts
        ("s.n == 0\ns.n < 1", 1),  # one state is the place of two conditions
        ("s.n == 0\nup", 2),
        ("up\ns.n == 1", 2),  # right where the step leads
        ("up\nup", 3),  # one step is the place of one line
        ("s.n == 2\ndown\nup\ns.n == 2", 5),
        ("up where s.n == 3\ns.n == 0", 7),
        ("# a comment\n\n  up  # and one here\n", 2),
        ("up where s.n == 2 # here too", 3),
        ("s.n == 1\nup", 3),  # the step that leads to a state is not one from there
        ("s.n == 3\nup", 6),  # down, and up again
    ],
)
def test_where_lines_are_passed(text, states):
    assert len(scenario(Steps(), text).trace) == states


class Pruned(Steps):
    """A model whose checks go on from no state above 1."""

    @constraint
    def low(self, s):
        return s.n < 2


def test_a_behaviour_that_goes_on_outside_of_a_constraint_says_so():
    remark = "state 3 is outside of the constraint low, where a check does not go on"
    assert scenario(Pruned(), "s.n == 3").remarks == [remark]
    assert scenario(Pruned(), "s.n == 2").remarks == scenario(Pruned(), "s.n == 0").remarks == []


def test_a_step_that_the_model_does_not_have_is_bad_input():
    with pytest.raises(
        InputError, match=r"^line 1: 'commit\(w9\)' is not accepted: there is no such step; there is comm"
    ):
        scenario(get_model("bakery")(), "commit(w9)")


def test_a_sign_in_a_text_begins_no_comment():
    (line,) = read_lines(machine_of(Steps), "str(s.n) != '#' # but this does")
    assert line.text == "str(s.n) != '#'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the scenario is empty; it takes lines, each a step or a condition"),
        ("# nothing", "the scenario is empty"),
        ("up\nupp", r"line 2: unknown action 'upp' \(did you mean up\?\); known: down, up"),
        ("up\n\ns.m == 1", r"line 3: expression 's.m == 1' is not accepted: unknown variable 'm'"),
        ("up and down", "line 1: expression 'up and down' is not accepted"),
        ("up where n == 1", "line 1: expression 'n == 1' is not accepted: unknown name 'n'"),
        ("s.n == 0 where s.n == 1", "line 1: expression 's.n == 0 where s.n == 1' is not accepted"),
        ("1 / (s.n - 1) > 5", r"line 1: .* cannot be evaluated in a reachable state \(ZeroDivisionError: "),
        ("up\n" * 65, "the scenario has 65 lines; it takes at most 64"),
    ],
)
def test_bad_lines_are_refused_in_one_line(text, message):
    with pytest.raises(InputError, match=f"^{message}"):
        scenario(Steps(), text)


@pytest.mark.parametrize(
    ("budget", "why"),
    [
        ({"budget": Budget(states=20)}, "the budget of 20 states is used up"),
        ({"budget": Budget(bytes=1)}, "the budget of 0.0 MiB is used up"),
        ({"watch": Watch(should_stop=lambda: True)}, "stopped on request"),
    ],
)
def test_what_is_not_decided_is_not_impossible(budget, why):
    told = scenario(get_model("bakery")(), "commit(w1)\ncommit(w1)", **budget)
    assert (told.holds, told.failed) == (None, None)
    assert told.why.startswith(why)
    assert "of 2 lines passed so far" in told.why


def test_an_interrupt_is_no_answer():
    def interrupt(progress):
        signal.raise_signal(signal.SIGINT)

    assert scenario(get_model("bakery")(), "commit(w1)\ncommit(w1)", watch=Watch(on_progress=interrupt)).holds is None


def test_a_space_is_walked_through_about_once():
    """A state is followed again only with more lines passed."""
    model = get_model("bakery")(Writers=2)
    states = check(model, []).distinct
    assert scenario(model, "s.next_ticket < 9\n" * 20 + "s.next_ticket == 9").states == states
    assert scenario(model, "commit(w1)\ncommit(w1)").states == states


# The command ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def tell(tmp_path, monkeypatch, capsys):
    """Runs ``workbench scenario`` on a text."""
    monkeypatch.chdir(tmp_path)

    def command(text, *more):
        Path("story.txt").write_text(text)
        status = cli.main(["scenario", "bakery_v2", "story.txt", "--set", "Writers=2", *map(str, more)])
        return status, *capsys.readouterr()

    return command


STALE = ["--set", "AsyncParquet=true", "--set", "RestampPatch=false"]


@pytest.mark.slow
def test_a_scenario_that_is_found_is_shown(tell):
    status, out, err = tell(STORIES[0][2], *STALE, "-o", "t.itf.json", "-o", "t.html", "--trace")
    assert status == 0
    assert out.startswith('found: 18 states\n  state 12: commit(w1)\n  state 18: s.decision["w2"] == "lk_409"\n')
    assert "initial state" in out
    assert "the behaviour, 18 states, is written to t.itf.json\n" in err
    assert Path("t.html").read_text().count('<details class="wb-state"') == 18
    assert cli.main(["validate", "bakery_v2", "t.itf.json"]) == 0


def test_a_scenario_that_is_impossible_is_shown_up_to_there(tell):
    status, out, _ = tell("commit(w1)\ncommit(w1)", "-o", ".itf.json")
    assert status == 1
    assert json.loads(out)["states"][-1]["#meta"]["action"] == "commit(w1)"


def test_a_scenario_that_is_not_decided_has_a_status_of_its_own(tell):
    status, out, err = tell("commit(w1)\ncommit(w1)", "--max-states", 20, "-o", "t.svg")
    assert status == 3
    assert out.startswith("not decided: the budget of 20 states is used up")
    assert "note: -o t.svg: nothing is written; there is no behaviour to show" in err


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("comit(w1)", [], "story.txt: line 1: unknown action 'comit' (did you mean commit?)"),
        ("commit(w1)", ["--set", "MaxTickets=0"], "MaxTickets = 0 is not accepted"),
        ("commit(w1)", ["-o", "story.txt"], "its ending says what is written"),
        ("commit(w1)", ["--max-states", 0], "argument --max-states: '0' is not accepted"),
    ],
)
def test_bad_input_is_one_line_and_status_2(tell, text, more, message):
    status, out, err = tell(text, *more)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert Path("story.txt").read_text() == text
