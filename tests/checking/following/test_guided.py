"""Recordings, followed by the engine: held to a plain reference, on random models and on published ones."""

import itertools
import math
import random
import re
import signal
from collections import defaultdict
from dataclasses import replace

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.behaviours import small_model, steps_from
from tests.products import examples
from workbench.checking.following import recording_search
from workbench.checking.following import validate as validation
from workbench.checking.following.settings import accepted_under
from workbench.checking.following.validate import validate
from workbench.formats.recording import Observation, Recording
from workbench.kernel import ModelError, machine_of, replay
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.registry import get_model

# The reference -------------------------------------------------------------------------------------------------------


def differing(one, other):
    return {cell for cell, (x, y) in enumerate(zip(one.values, other.values, strict=True)) if x != y}


def follow(model, states, here, there, watched, hidden):
    """The goals of the next observation, and all edges on the way, between (state, visible steps) and goals."""
    edges, goals = [], set()
    seen, queue = {(state, 0) for state in states}, [(state, 0) for state in states]
    while queue:
        state, taken = queue.pop()
        if hidden and there.action is None and taken == 0 and there.agrees(state):
            edges.append(((state, taken), state))
        for names, after in steps_from(model, state):
            changed = differing(state, after)
            if watched is not None and changed & (watched - there.cells.keys()):
                continue
            visible = not hidden or bool(changed & (here.cells.keys() if watched is None else watched))
            if there.agrees(after) and (visible if there.action is None else there.action in names):
                edges.append(((state, taken), after))
            further = (after, taken + visible)
            if further[1] < there.steps and (visible or changed):
                edges.append(((state, taken), further))
                if further not in seen:
                    seen.add(further)
                    queue.append(further)
    goals = {target for _, target in edges if not isinstance(target, tuple)}
    return goals, edges


def reference(model, recording, stutter):
    """Whether a recording is valid, what fails, how many states agree with the last one explained, and the ways."""
    hidden = stutter or recording.watched is not None
    states = {state for state in model.initial_states() if recording.states[0].agrees(state)}
    if not states:
        return False, 1, 0, None
    graph = nx.MultiDiGraph()
    graph.add_edges_from(("begin", (0, state, 0)) for state in states)
    for number, (here, there) in enumerate(itertools.pairwise(recording.states), start=1):
        goals, edges = follow(model, states, here, there, recording.watched, hidden)
        if not goals:
            return False, number + 1, len(states), count(graph, [(number - 1, state, 0) for state in states])
        for source, target in edges:
            of_next = not isinstance(target, tuple)
            graph.add_edge((number - 1, *source), (number, target, 0) if of_next else (number - 1, *target))
        states = goals
    last = len(recording.states) - 1
    return True, None, len(states), count(graph, [(last, state, 0) for state in states])


def count(graph, ends):
    """The number of paths from the beginning to the ends."""
    useful = set(ends)
    for end in ends:
        useful |= nx.ancestors(graph, end)
    graph = graph.subgraph(useful)
    if not nx.is_directed_acyclic_graph(graph):
        return math.inf
    ways = defaultdict(int, begin=1)
    for node in nx.topological_sort(graph):
        for _, after, _ in graph.out_edges(node, keys=True):
            ways[after] += ways[node]
    return sum(ways[end] for end in ends)


# Random recordings ---------------------------------------------------------------------------------------------------


def walk(model, seed, length):
    """States of the model, and the names of the steps between them."""
    chance, state = random.Random(seed), model.initial_states()[0]
    states, names = [state], []
    for _ in range(length):
        options = list(steps_from(model, state))
        if not options:
            break
        taken, state = chance.choice(options)
        names.append(chance.choice(sorted(taken)))
        states.append(state)
    return states, names


def record(states, names, chance, seen, watched):
    """What is seen of a walk: some cells, sometimes, several steps at once, with or without the step's name."""
    observations, at, changed = [Observation({cell: states[0].values[cell] for cell in seen})], 0, set()
    for here, (before, after) in enumerate(itertools.pairwise(states), start=1):
        changed |= differing(before, after)
        if not differing(before, after) & seen or (chance.random() < 0.3 and here < len(states) - 1):
            continue
        steps = sum(bool(differing(x, y) & seen) for x, y in itertools.pairwise(states[at : here + 1]))
        cells = seen & changed if watched else seen
        name = names[here - 1] if chance.random() < 0.3 else None
        observations.append(Observation({cell: after.values[cell] for cell in cells}, name, steps))
        at, changed = here, set()
    return Recording(observations, watched=frozenset(seen) if watched else None)


RECORDINGS = {
    "seed": st.integers(0, 200),
    "length": st.integers(0, 12),
    "chance": st.randoms(use_true_random=False),
    "seen": st.sets(st.integers(0, 3), min_size=1),
    "watched": st.booleans(),
}


@pytest.mark.slow
@examples(150)
@given(**RECORDINGS)
def test_what_is_seen_of_a_walk_is_a_behaviour(seed, length, chance, seen, watched):
    model = small_model(seed)
    recording = record(*walk(model, chance.random(), length), chance, seen, watched)
    report = validate(model, recording, stutter=True)
    assert report.holds
    assert (report.states, len(report.at)) == (len(recording.states), len(recording.states))
    assert report.trace.states == replay(model, report.trace.start, report.trace.moves).states
    for observation, at in zip(recording.states, report.at, strict=True):
        assert observation.agrees(report.trace.states[at])
    for one, other, observation in zip(report.at, report.at[1:], recording.states[1:], strict=False):
        parts = report.trace.states[one : other + 1]
        assert sum(bool(differing(x, y) & seen) for x, y in itertools.pairwise(parts)) <= observation.steps


@pytest.mark.slow
@examples(250)
@given(
    **RECORDINGS, damage=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 2)), max_size=2), stutter=st.booleans()
)
def test_recordings_are_judged_as_by_the_reference(seed, length, chance, seen, watched, damage, stutter):
    """Acceptance, the first observation that fails, the number of candidates and that of ways."""
    model = small_model(seed)
    recording = record(*walk(model, chance.random(), length), chance, seen, watched)
    for at, value in damage:
        observation = recording.states[at % len(recording.states)]
        for cell in list(observation.cells)[:1]:
            observation.cells[cell] = value
    report = validate(model, recording, stutter)
    found = (report.holds, report.failed, report.candidates, report.ways)
    assert found == reference(model, recording, stutter)
    if report.holds is False:
        assert report.why


@pytest.mark.slow
@examples(50)
@given(**RECORDINGS)
def test_nothing_changes_when_trees_are_begun_anew_again_and_again(seed, length, chance, seen, watched):
    model = small_model(seed)
    recording = record(*walk(model, chance.random(), length), chance, seen, watched)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording_search, "_TREES", 0)
        patch.setattr(recording_search, "_FEW_LAYERS", 0)
        often = validate(model, recording, stutter=True)
    once = validate(model, recording, stutter=True)
    assert (often.holds, often.candidates, often.ways) == (once.holds, once.candidates, once.ways)
    assert often.trace.states == once.trace.states


# What an observation means -------------------------------------------------------------------------------------------


class Rows(Model):
    """Two tables that are written row by row; a worker who is not seen decides what comes next."""

    Limit = Constant(4, range(1, 9), "rows")
    Strict = Constant(True, bool, "the second table follows the first")
    left = Variable(0)
    right = Variable(0)
    thought = Variable(0)
    worker = Process()

    @action(worker)
    def think(self, s):
        require(s.thought < 3, "it has thought enough")
        s.thought += 1

    @action(worker)
    def rest(self, s):
        require(s.thought == 3, "it is not tired")
        s.thought = 0

    @action
    def put_left(self, s):
        require(s.left < self.Limit, "the table is full")
        s.left += 1

    @action
    def put_right(self, s):
        require(s.right < s.left or not self.Strict, "the left table is not ahead")
        require(s.thought == 2, "it has not thought")
        s.right += 1


LEFT, RIGHT, THOUGHT = range(3)
WATCHED = frozenset({LEFT, RIGHT})


def rows(*observations, **more):
    return Recording([Observation({LEFT: 0, RIGHT: 0}), *observations], **{"watched": WATCHED, **more})


def test_rows_of_a_transaction_come_in_any_order():
    both = Observation({LEFT: 1, RIGHT: 1}, steps=2, source="line 7")
    report = validate(Rows(), rows(both))
    assert report.holds
    labels = [step.label for step in report.trace.steps]
    assert labels == ["initial state", "think", "think", "put_left", "put_right"] or labels[-1] == "put_right"
    one = validate(Rows(), rows(both._replace(steps=1)))
    assert (one.holds, one.failed) == (False, 2)
    assert one.why == "no step leads from state 1 to line 7"


def test_a_watched_cell_that_is_not_named_does_not_change():
    assert not validate(Rows(), rows(Observation({RIGHT: 1}, steps=2))).holds  # it takes a row on the left first
    assert validate(Rows(), rows(Observation({RIGHT: 1}, steps=2), watched=None), stutter=True).holds
    gone = validate(Rows(), rows(Observation({LEFT: 1}), Observation({RIGHT: 1}), Observation({RIGHT: 1})))
    assert gone.holds  # and what is seen again is still there


def test_hidden_steps_that_go_round_are_any_number_of_ways():
    report = validate(Rows(), rows(Observation({LEFT: 1})))
    assert report.ways == math.inf
    assert "in any number of ways" in str(report)
    assert validate(Rows(), Recording([Observation({LEFT: 0}), Observation({LEFT: 1})])).ways == 1


def test_the_closest_steps_say_which_requirement_stands_in_the_way():
    report = validate(Rows(), rows(Observation({RIGHT: 1}, source="line 3")))
    nearest = report.nearest
    assert (nearest.label, nearest.differences, nearest.lacks) == ("put_right", [], ("the left table is not ahead",))
    assert "nearest: put_right, but\n    it cannot be taken: the left table is not ahead" in str(report)
    full = validate(Rows(Limit=1), rows(Observation({LEFT: 1}), Observation({LEFT: 2})))
    assert full.nearest.lacks == ("the table is full",)


def test_a_step_that_changes_what_was_not_seen_to_change_is_not_close():
    class Both(Rows):
        @action
        def put_both(self, s):
            s.left += 1
            s.right += 1

    report = validate(Both(Limit=1), rows(Observation({LEFT: 1}), Observation({LEFT: 2})))
    assert "put_left" in [near.label for near in report.closest]
    other = next(near for near in report.closest if near.label == "put_both")
    assert [(str(d.cell), d.recorded, d.model) for d in other.differences] == [("right", 0, 1)]


def test_the_settings_under_which_a_recording_is_accepted():
    found = accepted_under(Rows(), lambda model: rows(Observation({RIGHT: 1})))
    assert found.accepted == [{"Strict": False}]
    assert str(found) == "accepted with Strict=off (it is on)"
    none = accepted_under(Rows(), lambda model: rows(Observation({RIGHT: 9})))
    assert str(none) == "accepted with none of 3 other settings that differ in one constant"
    stopped = accepted_under(Rows(), lambda model: rows(Observation({RIGHT: 1})), watch=Watch(should_stop=lambda: True))
    assert not stopped.complete
    assert not stopped.accepted


def test_a_recording_may_have_no_place_in_other_settings():
    def one_only(model):
        if model.constants["Limit"] != 4:
            raise InputError("there are other cells")
        return rows(Observation({RIGHT: 1}))

    tried = accepted_under(Rows(), one_only).tried
    assert [(one.changes, one.error) for one in tried if one.error] == [
        ({"Limit": 3}, "there are other cells"),
        ({"Limit": 5}, "there are other cells"),
    ]


# Where it begins -----------------------------------------------------------------------------------------------------


def test_a_recording_may_begin_anywhere_that_is_reachable():
    late = [Observation({LEFT: 3, RIGHT: 2}), Observation({RIGHT: 3})]
    assert validate(Rows(), Recording(late, watched=WATCHED)).failed == 1
    report = validate(Rows(), Recording(late, begins="reachable", watched=WATCHED))
    assert (report.holds, report.states) == (True, 2)
    assert report.trace.states[0] == Rows().initial_states()[0]
    assert [report.trace.states[at].right for at in report.at] == [2, 3]
    never = validate(Rows(), Recording([Observation({LEFT: 1, RIGHT: 2})], begins="reachable"))
    assert never.why == "state 1 is in no state that rows can reach"
    assert len(never.nearest.differences) == 1


def test_a_recording_may_begin_in_given_states():
    model = machine_of(Rows())
    given = [model.state([1, 0, 2]), model.state([2, 0, 0])]
    report = validate(model, Recording([Observation({LEFT: 1}), Observation({RIGHT: 1})], begins=given), stutter=True)
    assert report.holds
    assert report.trace.states[0] == given[0]
    other = validate(model, Recording([Observation({LEFT: 3})], begins=given))
    assert other.why == "state 1 is none of the states that it begins in"
    assert other.nearest.label in ("state to begin in 1", "state to begin in 2")


def test_states_that_differ_in_what_does_not_matter_are_followed_as_one():
    class Diary(Rows):
        diary = Variable(())

        @action(Rows.worker)
        def think(self, s):
            require(s.thought < 3, "it has thought enough")
            s.thought += 1
            s.diary += (choose(("well", "badly"), "how"),)

    days = [Observation({LEFT: number}) for number in range(1, 5)] + [Observation({RIGHT: 1})]
    recording = rows(*days, irrelevant=frozenset({3}))
    report = validate(Diary(), recording)
    assert (report.holds, report.candidates) == (True, 1)
    with_history = validate(Diary(), recording._replace(irrelevant=frozenset()), budget=Budget(states=2000))
    assert with_history.holds is None


# Budgets and stops ---------------------------------------------------------------------------------------------------


LONG = Recording([Observation({LEFT: number // 3}) for number in range(12)])


@pytest.mark.parametrize(
    ("budget", "why"),
    [
        ({"budget": Budget(states=5)}, "the budget of 5 states is used up, at state 2"),
        ({"budget": Budget(bytes=1)}, "the budget of 0.0 MiB is used up, at state 2"),
        ({"budget": Budget(seconds=1e-9)}, "the budget of 1e-09 seconds is used up, at state 2"),
        ({"watch": Watch(should_stop=lambda: True)}, "stopped on request, at state 2"),
    ],
)
def test_what_is_not_decided_is_not_refused(budget, why):
    report = validate(Rows(), LONG, stutter=True, **budget)
    assert (report.holds, report.failed, report.why) == (None, None, why)
    assert report.trace.states == Rows().initial_states()
    assert str(report).startswith("not decided: ")


def test_an_interrupt_keeps_what_was_explained():
    def interrupt(progress):
        if progress.level == 4:
            signal.raise_signal(signal.SIGINT)

    report = validate(Rows(), LONG, stutter=True, watch=Watch(on_progress=interrupt))
    assert (report.holds, report.why, report.states) == (None, "interrupted, at state 6", 5)
    assert [report.trace.states[at].left for at in report.at] == [0, 0, 0, 1, 1]


def test_that_nothing_follows_is_certain_even_if_nobody_waits_for_the_reason(monkeypatch):
    def interrupt(model, states, observation, watched, pause):
        signal.raise_signal(signal.SIGINT)
        pause()

    monkeypatch.setattr(validation, "nearest_steps", interrupt)
    report = validate(Rows(), rows(Observation({RIGHT: 1})))
    assert (report.holds, report.failed, report.closest) == (False, 2, [])
    assert report.why == "no step leads from state 1 to state 2"
    assert str(validate(Rows(), rows(Observation({RIGHT: 1})), explain=False)) == str(report)


@pytest.mark.parametrize("name", ["states", "seconds", "bytes"])
def test_a_budget_is_above_0(name):
    with pytest.raises(InputError, match=f"{name} = 0 is not accepted"):
        validate(Rows(), LONG, budget=Budget(**{name: 0}))


def test_ways_that_are_too_many_to_be_counted_are_not_guessed(monkeypatch):
    monkeypatch.setattr(recording_search, "_MOST_EDGES", 1)
    report = validate(Bakery(Writers=3), Recording([Observation({0: 1}), Observation({0: 4}, steps=3)]), stutter=True)
    assert report.holds
    assert report.ways is None


def test_a_model_that_is_not_pure_is_not_believed():
    class Moody(Rows):
        mood = iter(range(100)).__next__

        @action
        def put_left(self, s):
            s.left = 1 if type(self).mood() < 2 else 2

    with pytest.raises(
        ModelError,
        match=r"put_left .test_guided.py:\d+. led to another state when it was run again: the model is not pure",
    ):
        validate(Moody(), Recording([Observation({LEFT: 0}), *[Observation({LEFT: 1})] * 3]))


@pytest.mark.parametrize(
    ("recording", "message"),
    [
        (Recording([]), "the recording is empty; it takes at least one observation"),
        (Recording([Observation({}, steps=0)]), "state 1: steps = 0 is not accepted; it takes at least 1"),
        (
            Recording([Observation({3: 1}, source="line 9")]),
            "line 9: cell 3 is not accepted; the model has cells 0 to 2",
        ),
        (Recording([Observation({})], watched=frozenset({-1})), "watched: cell -1 is not accepted"),
        (Recording([Observation({})], irrelevant=frozenset({7})), "irrelevant: cell 7 is not accepted"),
        (
            Recording([Observation({})], begins="late"),  # type: ignore[arg-type]
            "begins = 'late' is not accepted; it takes initial, reachable or states",
        ),
    ],
)
def test_what_is_no_recording_of_the_model_is_refused(recording, message):
    with pytest.raises(InputError, match="^" + message):
        validate(Rows(), recording)


def test_very_many_ways_can_be_told():
    class Twice(Rows):
        @action
        def put_too(self, s):
            s.left += 1

    report = validate(Twice(Limit=8), Recording([Observation({LEFT: 0})] + [Observation({}, steps=1)] * 5))
    assert repr(report) == str(report)
    many = replace(report, ways=2**20_000)
    assert "in about 10^6021 ways" in repr(many)


def test_overlooking_what_is_required_leaves_nothing_behind():
    class Fragile(Rows):
        @action
        def look_up(self, s):
            require(s.left == 2, "there is nothing to look up")
            s.right = {2: 1}[s.left]

    model = machine_of(Fragile())
    (state,) = model.initial_states()
    put_right, look_up = (i for i in model.instances if i.label in ("look_up", "put_right"))
    assert look_up.overlooking(state.values) == []  # its code relies on what it requires
    assert model.why_disabled(look_up, state) == "there is nothing to look up"
    ((outcome, lacks),) = put_right.overlooking(state.values)
    assert (outcome.writes, lacks) == ({RIGHT: 1}, ["the left table is not ahead", "it has not thought"])
    assert model.why_disabled(put_right, state) == "the left table is not ahead"


# Real sizes ----------------------------------------------------------------------------------------------------------


def bakery_log(model, length):
    """The changes of the claims, acks and deferred acks in a random run, one observation each."""
    positions, chance = model.layout.positions, random.Random(1)
    tables = [cell for name in ("claims", "acks", "deferred") for cell in positions[name].values()]
    (state,) = model.initial_states()
    watched = frozenset(tables)
    observations = [Observation({cell: state.values[cell] for cell in tables})]
    while len(observations) < length:
        instances = chance.sample(model.instances, len(model.instances))
        outcomes = next(outcomes for i in instances if (outcomes := i.run(state.values)[0]))
        writes = chance.choice(outcomes).writes
        changed = {c: v for c, v in writes.items() if c in watched and v != state.values[c]}
        values = list(state.values)
        for cell, value in writes.items():
            values[cell] = value
        state = model.state(values)
        if changed:
            observations.append(Observation(changed, source=f"line {len(observations) + 1}"))
    unseen = [positions["iceberg"]] + [c for n in ("decision", "parent_seen") for c in positions[n].values()]
    return Recording(observations, watched=watched, irrelevant=frozenset(unseen))


@pytest.mark.slow
@pytest.mark.parametrize("length", [1_000, 4_000])
def test_a_long_log_of_the_bakery(length):
    model = machine_of(get_model("bakery_v2")(Writers=3, MaxRounds=length // 20, MaxTickets=3))
    recording = bakery_log(model, length)
    report = validate(model, recording)
    assert (report.holds, report.states) == (True, length)
    cells = model.layout.cells
    acks = [at for at, o in enumerate(recording.states) if at and cells[next(iter(o.cells))].variable == "acks"]
    dropped = acks[len(acks) // 2]
    damaged = [o for at, o in enumerate(recording.states) if at != dropped]
    refused = validate(model, recording._replace(states=damaged))
    assert refused.holds is False
    assert refused.failed > dropped
    (reason,) = refused.nearest.reasons  # the line that is missing, or what its absence keeps from happening
    assert re.search(r"it changes acks\[.*which was not recorded|waits for the ack of", reason)
