"""Liveness: reference, array version and definition give one verdict, and every lasso found is verified."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.products import examples
from workbench.checking.check import check
from workbench.checking.local.lassos import Graph, LassoFinder
from workbench.kernel import Machine, ModelError, machine_of, replay, search
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.lasso import Lasso, verify_lasso
from workbench.kernel.meaning.properties import Formula
from workbench.kernel.meaning.steps import Fairness, met_by
from workbench.kernel.meaning.temporal import find_lasso
from workbench.kernel.meaning.trace import Move, Trace
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.showing.view.base.truth import truths

TRIGGERED = ("leads_to", "initially_leads_to", "implies_always", "initially_implies_always")
#: The kinds whose goal must always hold, from some time on.
LASTING = ("implies_always", "initially_implies_always", "eventually_always")
KINDS = (*TRIGGERED, "eventually", "always_eventually", "eventually_always")


#: What no behaviour keeps.
NEVER = eventually(lambda s: False)


# Graphs ----------------------------------------------------------------------------------------------------------


def explored(model: Machine) -> tuple[list[Any], int, list[list[tuple[Move, int]]]]:
    """All states breadth-first, how many are initial, and their transitions."""
    states = model.initial_states()
    number = {state: i for i, state in enumerate(states)}
    first = len(states)
    graph: list[list[tuple[Move, int]]] = []
    for state in states:  # grows
        graph.append([])
        for instance in model.instances:
            for ordinal, (_, after) in enumerate(model.outcomes(instance, state)):
                if after not in number:
                    number[after] = len(states)
                    states.append(after)
                graph[-1].append((Move(instance.number, ordinal), number[after]))
    return states, first, graph


def arrays(graph: Sequence[Sequence[tuple[Move, int]]], first: int) -> Graph:
    return Graph(
        np.cumsum([0, *map(len, graph)], dtype=np.int64),
        np.array([target for transitions in graph for _, target in transitions], np.uint32),
        np.array([move.instance for transitions in graph for move, _ in transitions], np.uint16),
        first,
    )


def marked(count: int, members: Iterable[int]) -> np.ndarray:
    found = np.zeros(count, bool)
    found[list(members)] = True
    return found


def find_in_arrays(
    graph: Sequence[Sequence[tuple[Move, int]]],
    first: int,
    fairness: Sequence[Fairness],
    formula: Formula,
    trigger: set[int],
    goal: set[int],
    said: Mapping[int, set[int]] = MappingProxyType({}),
) -> Lasso | None:
    """What the array version finds, with moves for steps as in the reference."""
    finder = LassoFinder(arrays(graph, first), fairness, {n: marked(len(graph), where) for n, where in said.items()})
    labels = np.array(sorted(frozenset().union(*(fairness[at].actions for at in formula.steps))), np.int32)
    given = None if formula.trigger is None else marked(len(graph), trigger)
    lasso = finder.find(formula.kind, given, marked(len(graph), goal), met_by(fairness, formula), labels)
    if lasso is None:
        return None
    moves = [move for transitions in graph for move, _ in transitions]
    return lasso._replace(steps=[moves[step] for step in lasso.steps])


class Case(NamedTuple):
    """A random graph with its initial states, fairness and formula."""

    initial: int
    transitions: list[tuple[int, int, int]]  # source, label, target
    fairness: list[Fairness]
    kind: str
    trigger: frozenset[int]
    goal: frozenset[int]
    unless: frozenset[int] = frozenset()  # positions in fairness
    steps: frozenset[int] = frozenset()

    def model(self) -> Model:
        case = self

        class Walk(Model):
            labels = (0, 1, 2, 3)
            at = Variable(0)

            @initial
            def begin(self, s):
                s.at = choose(range(case.initial))

            @action(label="labels")
            def step(self, s, label):
                s.at = choose([t for source, own, t in case.transitions if (source, own) == (s.at, label)])

            @liveness
            def Promise(self):
                return case.formula()

            def fairness(self):
                return case.fairness

        return Walk()

    def formula(self) -> Formula:
        trigger = (lambda s: s.at in self.trigger) if self.kind in TRIGGERED else None
        return Formula(self.kind, trigger, lambda s: s.at in self.goal, unless=self.unless, steps=self.steps)


@st.composite
def cases(draw: st.DrawFn, states: int) -> Case:
    state, label = st.integers(0, states - 1), st.integers(0, 3)
    conditions = draw(st.lists(st.tuples(st.booleans(), st.frozensets(label, min_size=1, max_size=2)), max_size=4))
    kind, positions = draw(st.sampled_from(KINDS)), range(len(conditions))
    own = draw(st.frozensets(st.sampled_from(positions), max_size=2)) if conditions else frozenset()
    steps = frozenset() if kind in LASTING else frozenset(at for at in own if draw(st.booleans()))
    return Case(
        draw(st.integers(1, 2)),
        draw(st.lists(st.tuples(state, label, state), min_size=states, max_size=4 * states)),
        [
            Fairness(
                f"c{i}",
                *conditions[i],
                partial(_is_at, draw(st.frozensets(state))) if i in own else None,
                assumed=i not in own,
            )
            for i in positions
        ],
        kind,
        draw(st.frozensets(state, max_size=2)),
        draw(st.frozensets(state, max_size=states - 1)),
        own - steps,
        steps,
    )


def _is_at(where: frozenset[int], s: Any) -> bool:
    return s.at in where


def said_in(states: Sequence[Any], fairness: Sequence[Fairness]) -> dict[int, set[int]]:
    """Where the conditions are enabled that say so themselves."""
    return {
        at: {number for number, s in enumerate(states) if one.enabled(s)}
        for at, one in enumerate(fairness)
        if one.enabled is not None
    }


def violated_by_definition(case: Case) -> bool:
    """Whether some set of states can be what a fair behaviour visits again and again while it violates the formula."""
    steps = {(s, t) for s, _, t in case.transitions if s != t}

    def reach(starts: Iterable[int], within: Iterable[int]) -> set[int]:
        found = set(starts) & set(within)
        while more := {t for s, t in steps if s in found and t in within} - found:
            found |= more
        return found

    def changes(condition: Fairness) -> set[tuple[int, int]]:
        return {(s, t) for s, label, t in case.transitions if label in condition.actions and s != t}

    everything = reach(range(case.initial), range(8))
    steps -= {step for at in case.steps for step in changes(case.fairness[at])}
    region = everything if case.kind in LASTING else everything - case.goal
    if case.kind == "leads_to":
        region = reach(region & case.trigger, region)
    elif case.kind == "initially_leads_to":
        region = reach(case.trigger & set(range(case.initial)), region)
    elif case.kind == "implies_always":
        region = reach(reach(case.trigger & region, region) - case.goal, region)
    elif case.kind == "initially_implies_always":
        region = reach(reach(case.trigger & set(range(case.initial)), region) - case.goal, region)
    elif case.kind == "eventually":
        region = reach(range(case.initial), region)
    for size in range(1, len(region) + 1):
        for loop in map(set, itertools.combinations(sorted(region), size)):
            if any(reach({state}, loop) != loop for state in loop):
                continue
            if case.kind == "eventually_always" and loop <= case.goal:
                continue
            for condition in (case.fairness[at] for at in met_by(case.fairness, case.formula())):
                says = condition.enabled
                enabled = {s for s, _ in changes(condition)} & loop
                if says is not None:
                    enabled = {s for s in loop if says(cast(Any, SimpleNamespace(at=s)))}
                due = bool(enabled) if condition.strong else enabled == loop
                if due and not any(s in loop and t in loop for s, t in changes(condition) & steps):
                    break
            else:
                return True
    return False


def found_by_both(model: Model, case: Case) -> tuple[Lasso | None, Lasso | None]:
    """What the plain finder finds, and what the one finds that searches in arrays."""
    states, first, graph = explored(machine_of(model))
    trigger = {i for i, s in enumerate(states) if s.at in case.trigger}
    goal = {i for i, s in enumerate(states) if s.at in case.goal}
    said = said_in(states, case.fairness)
    plain = find_lasso(graph, first, case.fairness, case.formula(), trigger, goal, enabled=said)
    return plain, find_in_arrays(graph, first, case.fairness, case.formula(), trigger, goal, said)


@pytest.mark.slow
@examples(150)
@given(cases(states=6))
def test_the_finders_agree_with_the_definition_on_random_graphs(case: Case) -> None:
    model, expected = case.model(), violated_by_definition(case)
    plain, small = found_by_both(model, case)
    assert (plain is not None) is expected
    assert (small is not None) is expected
    if plain is not None and small is not None:
        for lasso in (plain, small):
            trace = replay(model, *lasso)
            assert len(trace) == lasso.states
            verify_lasso(trace, case.formula(), case.fairness)
        if plain.loop == len(plain.steps):  # a shortest one that stops
            assert small.states <= plain.states
        if small.loop == len(small.steps):
            assert small.states == plain.states
    assert search(model)["Promise"].holds is not expected


@pytest.mark.slow
@examples(150)
@given(cases(states=24))
def test_the_finders_agree_on_larger_random_graphs(case: Case) -> None:
    model = case.model()
    plain, small = found_by_both(model, case)
    assert (plain is None) is (small is None)
    if small is not None:
        verify_lasso(replay(model, *small), case.formula(), case.fairness)


# The bakeries ----------------------------------------------------------------------------------------------------

BAKERIES = [
    (Bakery(MaxCrashes=0), "EventualProgress", None),
    (Bakery(MaxCrashes=1), "EventualProgress", 15),
    (Bakery(MaxCrashes=1), "NonCrashedProgress", None),
    (Bakery(MaxCrashes=1, LazyReap=False, NodeStartup=False), "NonCrashedProgress", 6),
    (BakeryV2(Writers=2), "EventualProgress", None),
    (BakeryV2(Writers=2, SafeAcks=False), "EventualProgress", 18),
    (BakeryV2(Writers=2, MaxCrashes=1), "EventualProgress", 5),
]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "name", "expected"), BAKERIES, ids=lambda value: str(value).replace(" ", ""))
def test_the_bakeries_keep_their_promises_or_stop(model: Model, name: str, expected: int | None) -> None:
    verdict = search(model, [name])[name]
    assert (verdict.holds, verdict.trace_states) == (expected is None, expected)
    if verdict.trace is not None:
        assert verdict.trace.loop == len(verdict.trace) - 1
        assert str(verdict.trace).endswith("and stops for ever")
    states, first, graph = explored(machine_of(model))
    finder = LassoFinder(arrays(graph, first), model.fairness())
    found = []
    for _, formula in machine_of(model).formulas(name):
        trigger, goal = ((np.array([p(s) for s in states]) if p else None) for p in (formula.trigger, formula.goal))
        assert goal is not None
        found.append(finder.find(formula.kind, trigger, goal))
    assert min((lasso.states for lasso in found if lasso), default=None) == expected


@pytest.mark.slow
def test_the_explanation_names_what_each_process_waits_for() -> None:
    verdict = search(BakeryV2(Writers=2, SafeAcks=False), ["EventualProgress"])["EventualProgress"]
    assert verdict.why is not None
    assert "stuck: w1 waits for the ack of n2 for ticket 2" in verdict.why
    assert "is not at" not in verdict.why


def without_fairness(leaves: bool) -> Model:
    class Unfair(Model):
        done = Variable(False)
        turn = Variable(0)

        @action
        def finish(self, s: Any) -> None:
            require(s.turn == 2, "not yet")
            s.done = True

        @action(when=leaves)
        def turn_on(self, s: Any) -> None:
            s.turn += 1 if s.turn < 2 else 0

        @liveness
        def Ends(self) -> Formula:
            return eventually(lambda s: s.done)

    return Unfair()


@pytest.mark.parametrize("leaves", [True, False])
def test_a_model_without_fairness_says_so_and_blames_no_guard(leaves: bool) -> None:
    why = search(without_fairness(leaves), ["Ends"])["Ends"].why
    assert why == "stuck: no action or process of unfair is fair, so everything may stop"


# A model with cycles ---------------------------------------------------------------------------------------------


def lock(fair: str, greedy_fair: str | None = "weak") -> Model:
    """Greedy takes and frees a lock for ever; modest wants it once, and can take it only while it is free."""

    class Lock(Model):
        holder = Variable(None)
        served = Variable(False)
        greedy = Process(fair=greedy_fair)
        modest = Process(fair=fair)

        @action(greedy)
        def take(self, s):
            require(s.holder is None, "the lock is taken")
            s.holder = "greedy"

        @action(greedy)
        def free(self, s):
            require(s.holder == "greedy", "greedy does not hold the lock")
            s.holder = None

        @action(modest)
        def borrow(self, s):
            require(not s.served, "modest has been served")
            require(s.holder is None, "modest waits for the lock")
            s.served = True

        @action
        def idle(self, s):
            """A step that changes nothing."""

        @liveness
        def Served(self):
            return eventually(lambda s: s.served)

        @liveness
        def FreedAgain(self):
            return leads_to(lambda s: s.holder is not None, lambda s: s.holder is None)

        @liveness
        def TakenAgain(self):
            return always_eventually(lambda s: s.holder is not None)

        @liveness
        def FreeInTheEnd(self):
            return eventually_always(lambda s: s.holder is None)

    return Lock()


@pytest.mark.slow
def test_strong_fairness_forbids_a_cycle_that_weak_fairness_allows() -> None:
    weak = search(lock("weak"))
    assert (weak["Served"].holds, weak["Served"].trace_states) == (False, 2)
    assert search(lock("strong"))["Served"].holds is True
    for fair, expected in (("weak", 2), ("strong", None)):
        model = lock(fair)
        states, first, graph = explored(machine_of(model))
        goal = {i for i, s in enumerate(states) if s.served}
        lasso = find_in_arrays(graph, first, model.fairness(), NEVER, set(), goal)
        assert (lasso and lasso.states) == expected


def test_a_cycle_is_printed_and_replayed_with_the_step_that_leads_back() -> None:
    trace = search(lock("weak"))["Served"].trace
    assert trace is not None
    assert trace.back is not None
    assert [step.label for step in (*trace.steps, trace.back)] == ["initial state", "take", "free"]
    assert "initial state  <- the loop begins here" in str(trace)
    assert str(trace).endswith("free  -> back to state 1, and so on for ever")
    assert replay(trace.model, trace.start, trace.moves, trace.loop) == trace
    with pytest.raises(ModelError, match=r"step 4 \(free\) does not lead back to state 2"):
        replay(trace.model, trace.start, [*trace.moves, *trace.moves], 1)


def test_the_explanation_of_a_cycle_says_who_stands_still() -> None:
    model = lock("weak")
    trace = search(model)["Served"].trace
    assert trace is not None
    assert search(model)["Served"].why == "it goes round and round; modest waits for the lock"


def test_without_fairness_everything_may_stop() -> None:
    result = search(lock("weak", greedy_fair=None))
    assert result["FreedAgain"].trace_states == 2  # it stops with the lock taken
    assert result["TakenAgain"].trace_states == 2  # it stops when modest has been served
    assert search(lock("weak"))["FreedAgain"].holds is True
    assert search(lock("weak"))["TakenAgain"].holds is True
    assert search(lock("weak"))["FreeInTheEnd"].holds is False


@pytest.mark.slow
def test_steps_that_change_nothing_are_neither_enabledness_nor_a_step() -> None:
    nothing = Fairness("idle", True, frozenset({0}))
    assert find_lasso([[(Move(0, 0), 0)]], 1, [nothing], NEVER, set(), set()) == Lasso(0, [], 0)
    assert find_in_arrays([[(Move(0, 0), 0)]], 1, [nothing], NEVER, set(), set()) == Lasso(0, [], 0)


@pytest.mark.slow
def test_a_step_belongs_to_every_action_that_makes_it() -> None:
    graph = [[(Move(0, 0), 1), (Move(1, 0), 1)], [(Move(0, 0), 0)]]
    both = [Fairness("a", True, frozenset({0})), Fairness("b", True, frozenset({1}))]
    lasso = find_in_arrays(graph, 1, both, NEVER, set(), set())
    assert lasso is not None
    assert lasso.states == 2


@pytest.mark.slow
def test_a_cycle_is_no_longer_than_fairness_demands() -> None:
    ring = [[(Move(0, 0), (i + 1) % 20), (Move(1, 0), (i - 1) % 20)] for i in range(20)]
    clockwise, back = Fairness("clockwise", True, frozenset({0})), Fairness("back", True, frozenset({1}))
    lengths = {}
    for name, conditions in {"both": [clockwise, back], "one": [clockwise], "none": []}.items():
        lasso = find_in_arrays(ring, 1, conditions, NEVER, set(), set())
        assert lasso is not None
        lengths[name] = lasso.states
    assert lengths == {"both": 2, "one": 2, "none": 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before_cycle", "before_stop", "expected"), [(0, 3, 2), (0, 1, 2), (2, 1, 2), (2, 4, 4), (3, 2, 3)]
)
def test_the_smaller_of_a_cycle_and_a_stop_is_shown(before_cycle: int, before_stop: int, expected: int) -> None:
    """From state 0 some steps lead to a cycle of two states, and some lead to a state where nothing goes on."""
    first = list(range(1, before_cycle + 1))
    cycle = [0, *first][-1], before_cycle + 1
    second = list(range(before_cycle + 2, before_cycle + 2 + before_stop))
    pairs = [*itertools.pairwise([0, *first]), cycle, cycle[::-1], *itertools.pairwise([0, *second])]
    graph = [[(Move(0, i), t) for i, (s, t) in enumerate(pairs) if s == state] for state in range(second[-1] + 1)]
    lasso = find_in_arrays(graph, 1, [Fairness("all", False, frozenset({0}))], NEVER, set(), set())
    assert lasso is not None
    assert lasso.states == expected


# Verification ----------------------------------------------------------------------------------------------------


class Two(Model):
    """Counts to one, or to two if it begins with one."""

    n = Variable(0)
    p = Process(fair="weak")

    @initial
    def begin(self, s: Any) -> None:
        s.n = choose((0, 1))

    @action(p)
    def step(self, s: Any) -> None:
        require(s.n == 1, "done")
        s.n = 2

    @liveness
    def Both(self) -> Any:
        return eventually(lambda s: s.n >= 1) & eventually(lambda s: s.n < 2)

    @liveness
    def Other(self) -> Any:
        return eventually(lambda s: s.n < 2) & eventually(lambda s: s.n >= 1) & always_eventually(lambda s: s.n != 1)

    @liveness
    def All(self) -> Any:
        return eventually(lambda s: s.n < 2) & always_eventually(lambda s: s.n != 1)

    @liveness
    def FromOne(self) -> Any:
        return initially_leads_to(lambda s: s.n == 1, lambda s: s.n == 2)

    @liveness
    def FromZero(self) -> Any:
        return initially_leads_to(lambda s: s.n == 0, lambda s: s.n == 2)

    @liveness
    def FromTwo(self) -> Any:
        return initially_leads_to(lambda s: s.n == 2, lambda s: s.n == 7)


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_each_part_of_joined_formulas_is_decided(engine: str) -> None:
    result = check(Two(), engine=engine)
    assert [(v.name, v.holds) for v in result.verdicts[:3]] == [("Both", False), ("Other", False), ("All", True)]
    assert str(result["Both"].why).startswith("part 1 of 2 fails; stuck")
    assert str(result["Other"].why).startswith("part 2 of 3 fails; stuck")
    assert result["Both"].trace is not None
    assert [state.n for state in result["Both"].trace.states] == [0]


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_a_trigger_of_initial_states_asks_nothing_of_later_ones(engine: str) -> None:
    """From 2, which no behaviour begins in, nothing leads to 7."""
    result = check(Two(), engine=engine)
    assert {name: result[name].holds for name in ("FromOne", "FromZero", "FromTwo")} == {
        "FromOne": True,
        "FromZero": False,
        "FromTwo": True,
    }
    assert result["FromTwo"].why == "it asks for nothing: its trigger is never true"


def line(goes_back: bool) -> Model:
    """Goes from 0 to 1, 2 and 3, or from 1 to 4, where no fair behaviour stays and which none leaves."""

    class Line(Model):
        at = Variable(0)

        @action
        def step(self, s: Any) -> None:
            ways = {0: [1], 1: [2, 4], 2: [3], 3: [2] if goes_back else []}
            s.at = choose(ways.get(s.at, []))

        @liveness
        def NeverThreeAfterOne(self) -> Any:
            return implies_always(lambda s: s.at == 1, lambda s: s.at != 3)

        @liveness
        def NeverOneAtOne(self) -> Any:
            return implies_always(lambda s: s.at == 1, lambda s: s.at != 1)

        @liveness
        def NeverOneAfterTwo(self) -> Any:
            return implies_always(lambda s: s.at == 2, lambda s: s.at != 1)

        @liveness
        def NeverTwoAfterThree(self) -> Any:
            return implies_always(lambda s: s.at == 3, lambda s: s.at != 2)

        @liveness
        def NeverFour(self) -> Any:
            return implies_always(lambda s: s.at == 1, lambda s: s.at != 4)

        @liveness
        def NeverTwo(self) -> Any:
            return initially_implies_always(lambda s: s.at == 0, lambda s: s.at != 2)

        @liveness
        def IfItBeginsWithOne(self) -> Any:
            return initially_implies_always(lambda s: s.at == 1, lambda s: s.at != 2)

        def fairness(self) -> Any:
            return [Fairness("leaves 4", False, frozenset(), lambda s: s.at == 4)]

    return Line()


#: The states of the lassos that violate what `line` promises, if it goes back and if it does not.
IN_LINE = {
    "NeverThreeAfterOne": (4, 4),
    "NeverOneAtOne": (2, 2),
    "NeverOneAfterTwo": (None, None),
    "NeverTwoAfterThree": (5, None),
    "NeverFour": (None, None),
    "NeverTwo": (3, 3),
    "IfItBeginsWithOne": (None, None),
}


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize("goes_back", [True, False])
def test_a_goal_that_must_always_hold_is_violated_by_a_fair_way_through_a_state_without_it(
    engine: str, goes_back: bool
) -> None:
    result = check(line(goes_back), engine=engine)
    for name, (back, there) in IN_LINE.items():
        expected = back if goes_back else there
        assert (result[name].holds, result[name].trace_states) == (expected is None, expected)
    assert result["NeverFour"].why is None
    assert result["IfItBeginsWithOne"].why == "it asks for nothing: its trigger is never true"


def test_the_truth_of_joined_formulas_is_told_for_each_part() -> None:
    model = machine_of(Two)
    told = truths(model, model.initial_states()[0], ["Both"])
    assert [(truth.name, truth.holds) for truth in told] == [("Both, part 1 of 2", False), ("Both, part 2 of 2", True)]


def rejected(model: Model, moves: Sequence[str], loop: int, formula: Formula) -> str:
    """Why :func:`verify_lasso` does not take the lasso of the steps with these labels."""
    number = {instance.label: instance.number for instance in machine_of(model).instances}
    trace = replay(model, 0, [(number[label], 0) for label in moves], loop)
    with pytest.raises(ModelError) as caught:
        verify_lasso(trace, formula, model.fairness())
    return str(caught.value)


def test_verification_rejects_what_is_no_counterexample() -> None:
    served, free = eventually(lambda s: s.served), always_eventually(lambda s: s.holder is None)
    assert "greedy is always enabled" in rejected(lock("weak"), ["take"], 1, served)
    assert "modest is again and again enabled" in rejected(lock("strong"), ["take", "free"], 0, served)
    assert "does not violate the formula (eventually)" in rejected(lock("weak"), ["borrow", "take", "free"], 1, served)
    assert "does not violate the formula (always_eventually)" in rejected(lock("weak"), ["take", "free"], 0, free)
    stays = leads_to(lambda s: s.served, lambda s: s.holder is None)
    assert "(leads_to)" in rejected(lock("weak"), ["borrow", "take", "free"], 1, stays)
    kept = implies_always(lambda s: s.served, lambda s: s.served)
    assert "(implies_always)" in rejected(lock("weak"), ["borrow", "take", "free"], 1, kept)
    not_yet = initially_implies_always(lambda s: s.served, lambda s: s.holder is None)
    assert "(initially_implies_always)" in rejected(lock("weak"), ["borrow", "take", "free"], 1, not_yet)
    ever = eventually_always(lambda s: not s.served)
    assert "(eventually_always)" in rejected(lock("weak"), ["take", "free"], 0, ever)


def test_verification_rejects_a_trace_that_is_no_lasso_of_the_model() -> None:
    formula = eventually(lambda s: s.served)
    trace = search(lock("weak"))["Served"].trace
    assert trace is not None
    finite = replay(trace.model, 0, trace.moves)
    with pytest.raises(ModelError, match="needs the state it returns to"):
        verify_lasso(finite, formula, [])
    jump = Trace(trace.model, 0, (trace.steps[0], replace(trace.steps[1], state=trace.model.state([None, True]))), 1)
    with pytest.raises(ModelError, match="step take is not one of the model"):
        verify_lasso(jump, formula, [])
    swapped = Trace(trace.model, 0, (trace.steps[1], trace.steps[0]), 1)
    with pytest.raises(ModelError, match="does not begin in an initial state"):
        verify_lasso(swapped, formula, [])


# The reference search --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_symmetry_is_not_used_where_a_liveness_property_is_checked() -> None:
    model = Bakery(Writers=2)
    with_it = search(model, ["NoLakekeeperConflict"], symmetry=["Writers"])
    without = search(model, ["NoLakekeeperConflict", "NonCrashedProgress"], symmetry=["Writers"])
    assert with_it.notes == []
    assert with_it.distinct < without.distinct == search(model, ["UniqueTickets"]).distinct
    assert without.symmetry == ()
    assert "without symmetry" in without.notes[0]


def test_an_incomplete_search_decides_no_liveness_property() -> None:
    result = search(Bakery(), ["EventualProgress"], budget=Budget(states=100))
    assert result["EventualProgress"].word == "unknown"


def test_a_formula_must_be_made_of_predicates() -> None:
    class Sloppy(Model):
        x = Variable(0)

        @action
        def step(self, s):
            require(s.x == 0, "x is 1 already")
            s.x = 1

        @liveness
        def Promise(self):
            return eventually(lambda s: s.x)

    with pytest.raises(ModelError, match=r"a predicate of its formula \(test_liveness.py:\d+\) returned 0"):
        search(Sloppy())
