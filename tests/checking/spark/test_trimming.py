"""Liveness of searches in run directories: by trimming and in one piece, as the in-process engine decides."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checking.spark.narrow_searches import search_here
from tests.checking.test_liveness import IN_LINE, Case, cases, line, lock
from tests.places import SPECS
from tests.products import examples
from workbench.checking.check import check
from workbench.checking.spark.driver import engine
from workbench.checking.spark.driver.engine import SparkSearch
from workbench.checking.spark.driver.entry import read_run
from workbench.checking.spark.files.manifest import RUN, Run
from workbench.checking.spark.files.transitions import OUTSIDE, Part, Steps
from workbench.checking.spark.liveness import sweeping
from workbench.checking.spark.liveness.bits import StateSet
from workbench.checking.spark.liveness.liveness import LivenessRoom, SparkLivenessJudge
from workbench.checking.spark.liveness.trimming import Conditions, Describe, SpaceOutline, Sweep, Trimmer
from workbench.kernel import ModelError, machine_of
from workbench.kernel.meaning.budget import Budget, Limits, Watch
from workbench.kernel.meaning.conclusion import conclude
from workbench.kernel.meaning.steps import Fairness
from workbench.kernel.meaning.temporal import condition_of, fair_states
from workbench.kernel.meaning.trace import Move
from workbench.language import *
from workbench.registry import configurations
from workbench.storage.folder import Folder

TRIMMED = LivenessRoom(early=0, most=10**6)


def found(verdicts: Any) -> list[Any]:
    """What engines must agree on: the word, the size of the lasso, and whether it stops."""
    return [(v.name, v.word, v.trace_states, v.trace is not None and v.trace.back is None) for v in verdicts]


def judged(search: Any, room: LivenessRoom | None = None) -> list[Any]:
    """The verdicts on the liveness properties of a search."""
    judge = SparkLivenessJudge(search, room)
    return [judge.verdict(declared) for declared in search.plan().liveness]


def _is_at(where: frozenset[int], s: Any) -> bool:
    return s.at in where


def in_process(model: Model) -> list[Any]:
    names = [p.name for p in machine_of(model).select() if p.kind == "liveness"]
    return found(check(model, names, engine="local").verdicts)


# Verdicts and lassos -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@examples(20, derandomize=True)
@given(
    case=cases(states=8),
    said=st.lists(st.none() | st.frozensets(st.integers(0, 7)), min_size=4, max_size=4),
    hand_over=st.sampled_from([None, 2, 4]),
    part_states=st.sampled_from([1, 3, 100]),
)
def test_random_graphs(tmp_path_factory: Any, case: Case, said: Any, hand_over: int | None, part_states: int) -> None:
    """Verdict, size of the lasso and its kind are those of the in-process engine; lassos are verified.

    Some conditions say themselves where they are enabled.
    """
    for at, where in enumerate(said[: len(case.fairness)]):
        if where is not None:
            case.fairness[at] = replace(case.fairness[at], enabled=partial(_is_at, where))
    model = machine_of(case.model())
    search = search_here(tmp_path_factory.mktemp("run") / "run", model, None, hand_over, part_states)
    assert found(judged(search, TRIMMED)) == found(judged(search)) == in_process(case.model())


@pytest.mark.slow
@pytest.mark.parametrize("hand_over", [None, 100])
@pytest.mark.parametrize(
    "name",
    [
        "bakery/samenode_restart_no_clean_up",  # three properties, violated in three ways
        "bakery/v1_no_crash_liveness",
        "classics/allocator_simple",  # cycles, and strong fairness
        "classics/peterson_stays",
        "classics/readers_writers_starve",
        "hudi/locks_stay_deadlock_pessimistic",
        "paimon/two_buckets_lock_as_published",
    ],
)
def test_named_configurations(tmp_path: Path, name: str, hand_over: int | None) -> None:
    one = configurations.configuration(SPECS / f"{name}.toml")
    names = [p.name for p in one.model.select(one.properties) if p.kind == "liveness"]
    search = search_here(tmp_path / "run", one.model, names, hand_over, part_states=150)
    assert len(search.manifest.transitions) > 2
    expected = found(check(one.model, names, engine="local").verdicts)
    assert found(judged(search, TRIMMED)) == found(judged(search)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("fair", ["weak", "strong"])
def test_all_kinds_of_formulas(tmp_path: Path, fair: str) -> None:
    model = lock(fair)
    search = search_here(tmp_path / "run", model, part_states=2, bits=128)
    assert found(judged(search, TRIMMED)) == found(judged(search)) == in_process(model)
    assert judged(search, TRIMMED)[0].holds is (fair == "strong")


@pytest.mark.slow
@pytest.mark.parametrize("part_states", [1, 3])
@pytest.mark.parametrize("goes_back", [True, False])
def test_a_goal_that_must_always_hold(tmp_path: Path, goes_back: bool, part_states: int) -> None:
    model = line(goes_back)
    search = search_here(tmp_path / "run", model, list(IN_LINE), part_states=part_states, bits=128)
    assert found(judged(search, TRIMMED)) == found(judged(search)) == in_process(model)


class Climber(Model):
    """Goes up, and down again from even steps where it counts, by steps that fairness is of at the bottom alone."""

    at = Variable(0)
    rests = Variable(False)
    climber = Process(fair="weak")

    @action(climber, fair_when=lambda self, s: s.at < 2)
    def up(self, s):
        require(not s.rests, "it rests")
        s.at += 1

    @action
    def rest(self, s):
        s.rests = choose([False, True])

    @constraint
    def Low(self, s):
        return s.at < 5

    @liveness
    def GetsUp(self):
        return eventually(lambda s: s.at == 2)

    @liveness
    def GetsHigh(self):
        return leads_to(lambda s: s.at == 1, lambda s: s.at == 4)

    @liveness
    def Rests(self):
        return always_eventually(lambda s: s.rests)


@pytest.mark.slow
@pytest.mark.parametrize("hand_over", [None, 3])
def test_constraints_and_steps_that_do_not_count(tmp_path: Path, hand_over: int | None) -> None:
    search = search_here(tmp_path / "run", Climber(), None, hand_over, part_states=2)
    result = check(Climber(), engine="local")
    assert result.outside > 0
    assert [v.trace_states for v in result.verdicts] == [2, 3, 3]
    assert found(judged(search, TRIMMED)) == found(judged(search)) == found(result.verdicts)


# Trimming by itself --------------------------------------------------------------------------------------------------


def space_of(states: int, steps: list[tuple[int, int, int]], part_states: int) -> tuple[SpaceOutline, list[Part]]:
    """A space in parts, all in one level."""
    columns = np.array(steps, np.uint32).reshape(len(steps), 3).T
    parts = []
    for first in range(0, states, part_states):
        end = min(first + part_states, states)
        some = (columns[0] >= first) & (columns[0] < end)
        source, label, target = columns[:, some]
        parts.append(Part.of(first, np.empty((0, end - first), bool), Steps(source, target, label, 0 * label)))
    firsts = np.array([*range(0, states, part_states), states])
    follows = np.zeros((len(parts), len(parts)), bool)
    for number, part in enumerate(parts):
        follows[number, Describe(firsts, np.ones(10, bool))(part).targets] = True
    transitions = np.array([len(part.targets) for part in parts])
    return SpaceOutline(firsts, np.array([0, states]), transitions, follows), parts


def swept(parts: list[Part]) -> Sweep:
    """Asks parts that are in memory."""
    return lambda question, numbers: [question(parts[number]) for number in numbers]


WEAK, STRONG = (Fairness("one", strong, frozenset({1})) for strong in (False, True))


@pytest.mark.slow
@pytest.mark.parametrize("part_states", [1, 2, 10])
@pytest.mark.parametrize(
    ("steps", "fairness", "left"),
    [
        ([(0, 0, 1), (1, 0, 2), (2, 0, 3)], [], []),  # no cycle
        ([(0, 0, 1), (1, 0, 2), (2, 0, 1), (2, 0, 3)], [], [0, 1, 2]),  # and what leads there
        ([(0, 0, 0), (1, 0, 1)], [], []),  # staying where one is is no cycle
        ([(0, 0, 1), (1, 0, 0)], [WEAK], [0, 1]),  # it is never enabled
        ([(0, 0, 1), (1, 0, 0), (0, 1, 2)], [WEAK], [0, 1]),  # it is enabled in one state of the cycle alone
        ([(0, 0, 1), (1, 0, 0), (0, 1, 2)], [STRONG], []),
        ([(0, 0, 1), (1, 0, 0), (0, 1, 2), (1, 1, 2)], [WEAK], []),
        ([(0, 0, 1), (1, 0, 0), (0, 1, OUTSIDE), (1, 1, OUTSIDE)], [WEAK], []),  # enabled, but it leads nowhere
        ([(0, 0, 1), (1, 1, 0)], [STRONG], [0, 1]),  # it steps
        ([(0, 0, 1), (1, 0, 0), (1, 1, 2), (2, 0, 3), (3, 1, 2)], [STRONG], [0, 1, 2, 3]),  # one cycle leads to another
        ([(0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 1, 1)], [STRONG], [0, 1]),  # steps that change nothing enable nothing
    ],
)
def test_what_trimming_leaves(
    steps: list[tuple[int, int, int]], fairness: list[Fairness], left: list[int], part_states: int
) -> None:
    space, parts = space_of(4, steps, part_states)
    trimmer = Trimmer(space, swept(parts))
    conditions = Conditions.of(fairness, 2, {})
    assert trimmer.fair_part(StateSet.full(4), conditions).members().tolist() == left


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "where", "left"),
    [(WEAK, [0], [0, 1]), (WEAK, [0, 1], []), (STRONG, [0], []), (STRONG, [], [0, 1])],
)
def test_a_condition_that_says_where_it_is_enabled(condition: Fairness, where: list[int], left: list[int]) -> None:
    """It has steps from both states of the cycle, which say nothing of that."""
    space, parts = space_of(3, [(0, 0, 1), (1, 0, 0), (0, 1, 2), (1, 1, 2)], 1)
    said = {0: StateSet.of(np.isin(np.arange(3), where))}
    found = Trimmer(space, swept(parts)).fair_part(StateSet.full(3), Conditions.of([condition], 2, said))
    assert found.members().tolist() == left


def test_more_conditions_than_a_byte_has_bits() -> None:
    """Each is enabled in both states of the cycle, and all but the last of them step there."""
    own = [(0, number, 1) for number in range(10)] + [(1, number, 0) for number in range(10)]
    fairness = [Fairness(str(n), n % 2 == 0, frozenset({n})) for n in range(10)]
    for steps, left in ((own, [0, 1]), ([*own[:9], (0, 9, 2), *own[10:19], (1, 9, 2)], [])):
        space, parts = space_of(3, steps, 2)
        trimmer = Trimmer(space, swept(parts))
        conditions = Conditions.of(fairness, 10, {})
        assert len(conditions) == 2
        assert trimmer.fair_part(StateSet.full(3), conditions).members().tolist() == left


def test_only_parts_that_lead_to_a_change_are_swept_again() -> None:
    """A chain through six parts, whose last state is removed first, and a cycle in the seventh."""
    space, parts = space_of(7 * 2, [(i, 0, i + 1) for i in range(11)] + [(12, 0, 13), (13, 0, 12)], 2)
    asked: list[list[int]] = []

    def sweep(question: Any, numbers: Any) -> list[Any]:
        asked.append(list(numbers))
        return [question(parts[number]) for number in numbers]

    left = Trimmer(space, sweep).fair_part(StateSet.full(14), [])
    assert left.members().tolist() == [12, 13]
    assert asked == [[0, 1, 2, 3, 4, 5, 6], [4], [3], [2], [1], [0]]


@pytest.mark.slow
@examples(200)
@given(case=cases(states=10), part_states=st.integers(1, 10))
def test_trimming_leaves_what_leads_to_a_fair_cycle(case: Case, part_states: int) -> None:
    """As the reference's fixpoint has it of a graph in which no state is one to stop in."""
    always = Fairness("always", False, frozenset({4}))  # enabled everywhere, so that nothing stops
    steps = [*case.transitions, *((s, 4, (s + 1) % 10) for s in range(10))]
    space, parts = space_of(10, steps, part_states)
    fairness = [*case.fairness, always]
    trimmer = Trimmer(space, swept(parts))
    goal = StateSet.of(np.isin(np.arange(10), list(case.goal)))
    left = trimmer.fair_part(StateSet.full(10) - goal, Conditions.of(fairness, 5, {}))
    graph = [[(Move(label, 0), t) for at, label, t in steps if at == s] for s in range(10)]
    expected = fair_states(
        graph, set(range(10)) - case.goal, [condition_of(graph, at, f, {}) for at, f in enumerate(fairness)]
    )
    assert set(left.members().tolist()) == expected


@examples(50)
@given(data=st.data(), size=st.integers(1, 40))
def test_sets_of_states(data: st.DataObject, size: int) -> None:
    one, other = (np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size))) for _ in range(2))
    first = data.draw(st.integers(0, size))
    span = slice(first, data.draw(st.integers(first, size)))
    some, more = StateSet.of(one), StateSet.of(other)
    assert (some[span] == one[span]).all()
    assert (some.count, bool(some), some.members().tolist()) == (one.sum(), one.any(), np.flatnonzero(one).tolist())
    for made, wanted in ((some & more, one & other), (some | more, one | other), (some - more, one & ~other)):
        assert (made[0:size] == wanted).all()
    some.add(np.flatnonzero(other).astype(np.uint32))
    assert (some.bits == StateSet.of(one | other).bits).all()
    some[span] = other[span]
    one = one | other
    one[span] = other[span]
    assert (some.bits == StateSet.of(one).bits).all()
    assert (StateSet.full(size).bits == StateSet.of(np.ones(size, bool)).bits).all()


# What cannot be decided, and what is damaged -------------------------------------------------------------------------


@pytest.mark.slow
def test_what_does_not_fit_is_unknown_unless_something_stops(tmp_path: Path) -> None:
    search = search_here(tmp_path / "run", lock("weak"), part_states=2)
    served, *others = judged(search, LivenessRoom(0, 1))
    assert served.word == "unknown"
    assert served.why == (
        "liveness is not decided: 5 transitions are left where a fair cycle may be, and this process has the memory "
        "for 1"
    )
    assert [v.holds for v in others] == [True, True, None]
    stopping = search_here(tmp_path / "stopping", lock("weak", greedy_fair=None), part_states=2)
    assert [v.trace_states for v in judged(stopping, LivenessRoom(0, 0))] == [
        verdict[2] for verdict in in_process(lock("weak", greedy_fair=None))
    ]


def unlinked(monkeypatch: pytest.MonkeyPatch, path: Path, model: Model) -> SparkSearch:
    """A complete search that was killed before its transitions were written."""
    with monkeypatch.context() as patch:
        patch.setattr(SparkSearch, "_link", lambda self: None)
        return search_here(path, model)


def test_a_search_that_is_complete_but_not_linked_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = unlinked(monkeypatch, tmp_path / "run", lock("weak"))
    assert {verdict.why for verdict in judged(search)} == {
        "liveness is not decided: the transitions are not written yet; resume the search"
    }
    search.run(Limits(watch=Watch(should_stop=lambda: True)))
    assert {verdict.why for verdict in judged(search)} == {"liveness is not decided: stopped on request"}
    search.run(Limits())
    assert found(judged(search)) == in_process(lock("weak"))
    assert Run.of(Folder.open(tmp_path / "run", RUN)).done.transitions == search.manifest.transitions


def test_a_budget_ends_the_decision_too(tmp_path: Path) -> None:
    search = search_here(tmp_path / "run", lock("weak"))
    search.run(Limits(Budget(seconds=0.5), spent=1.0))
    assert {verdict.why for verdict in judged(search, TRIMMED)} == {
        "liveness is not decided: the budget of 0.5 seconds is used up"
    }


def test_files_of_transitions_are_believed_only_if_they_can_be_right() -> None:
    steps = Steps(*np.array([[3, 3, 4], [4, 5, OUTSIDE], [0, 1, 0], [0, 0, 0]], np.uint32))
    part = Part.of(3, np.array([[True, False]]), steps)
    table = part.to_arrow()
    again = Part.from_arrow(table, 3, 2, 1, 2, 6)
    assert all((one == other).all() for one, other in zip(part[1:], again[1:], strict=True))
    for wrong in ((3, 1, 1, 2, 6), (3, 2, 1, 1, 6), (3, 2, 1, 2, 5), (3, 2, 9, 2, 6)):
        with pytest.raises(InputError, match="a file of transitions has"):
            Part.from_arrow(table, *wrong)
    with pytest.raises(InputError, match="has not the columns"):
        Part.from_arrow(table.select(["sources", "targets"]), 3, 2, 1, 2, 6)
    with pytest.raises(InputError, match="sources that are none of its part"):
        Part.from_arrow(table[::-1], 3, 2, 1, 2, 6)


class Moody(Model):
    """What it does depends on what happened elsewhere."""

    elsewhere = 0
    at = Variable(0)

    @action
    def go(self, s):
        require(s.at == 0, "gone")
        s.at = 1 + self.elsewhere

    @liveness
    def Goes(self):
        return eventually(lambda s: s.at > 0)


def test_another_transition_than_before_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unlinked(monkeypatch, tmp_path / "run", Moody())
    again = read_run(tmp_path / "run", Moody, spark=object())
    monkeypatch.setattr(Moody, "elsewhere", 1)
    again.run(Limits())
    assert str(again.error).endswith("go led to another state when it was run again: the model is not pure")
    with pytest.raises(ModelError, match="the model is not pure"):
        conclude(again.plan(), again.exploration(), Limits())


# On Spark ------------------------------------------------------------------------------------------------------------


def test_on_spark(spark, tmp_path, monkeypatch):
    """Transitions are written, and trimmed, by tasks of Spark; the levels are made here."""
    monkeypatch.setattr(sweeping, "HERE", 0)
    monkeypatch.setattr(engine, "HERE", 0)
    model = lock("weak")
    search = search_here(tmp_path / "run", model, ["Served"], 2, part_states=2, spark=spark)
    assert len(search.manifest.transitions) == 2
    assert found(judged(search, TRIMMED)) == found(check(model, ["Served"], engine="local").verdicts)
    assert found(judged(read_run(tmp_path / "run", type(model), spark))) == found(judged(search))
