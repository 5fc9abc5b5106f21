"""Expansion in passes: what it finds, and under which numbers, depends on neither threads nor the sizes of chunks."""

import itertools
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from random_models import random_model

from tests.checking.test_conformance import Bounded, Scattered
from tests.products import examples
from tests.toys import Steps, Wide
from workbench.checking.check import check
from workbench.checking.contract import Auto, Local
from workbench.checking.kernels import loops
from workbench.checking.kernels.compiled import interpreting
from workbench.checking.kernels.in_numpy import FORMS
from workbench.checking.kernels.threads import Threads
from workbench.checking.local import expander, store
from workbench.checking.local.search import LocalSearch
from workbench.checking.local.store import Visited
from workbench.checking.trees import cells
from workbench.kernel import machine_of
from workbench.kernel.meaning.budget import Budget, Limits, Watch
from workbench.kernel.meaning.plan import Fingerprints, make_plan
from workbench.kernel.meaning.symmetry import Canonical
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2


def searched(model, names=None, symmetry=False, bits=64, most=None, workers=1):
    """A search that kept everything, with what the constraints kept out of it, in that order."""
    plan = make_plan(model, names, symmetry, fingerprints=Fingerprints(bits))
    searching = LocalSearch(plan, keep_rows=True, keep_edges=True, workers=workers)
    outside, aside = searching.expander.pruned, []
    forget = outside.forget

    def noted():
        aside.extend(
            zip(*(part[: len(outside)].tolist() for part in outside.block[1:2] + outside.block[3:5]), strict=True)
        )
        forget()

    outside.forget = noted
    searching.run(Limits(Budget(most)))
    return searching, aside


def everything(searching, aside):
    """All that a search knows, decoded: numbers of values and steps follow the order in which Python was asked."""
    kept, trees = searching.store, searching.trees
    transitions = searching.store.transitions()
    named = dict(enumerate(trees.steps))
    return {
        "levels": searching.levels,
        "states": [searching.cells.decode(row) for row in kept.column("rows").tolist()],
        "parents": kept.column("parent").tolist(),
        "steps": [named.get(step, step) for step in kept.column("step").tolist()],
        "counts": [part.tolist() for part in searching.expander.counts],
        "calls": trees.misses,
        "degree": transitions.degree.tolist(),
        "targets": transitions.targets.tolist(),
        "taken": [named[step] for step in transitions.steps.tolist()],
        "leaving": transitions.leaving.tolist(),
        "left by": [named[step] for step in transitions.leaving_steps.tolist()],
        "outside": searching.expander.pruned.total,
        "aside": [(searching.cells.decode(row), parent, named.get(step, step)) for row, parent, step in aside],
        "decided": searching.decided.keys(),
    }


MODELS = [
    pytest.param(Steps(), None, False, 64, id="steps"),
    pytest.param(Bounded(), None, True, 64, id="bounded"),
    pytest.param(Scattered(), None, False, 64, id="scattered"),
    pytest.param(Bakery(Writers=2), ["UniqueTickets"], False, 128, id="bakery, 128 bits"),
    pytest.param(Bakery(Writers=2), ["UniqueTickets"], True, 64, id="bakery, symmetry"),
    pytest.param(Bakery(Writers=2), ["UniqueTickets"], True, 128, id="bakery, both"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "names", "symmetry", "bits"), MODELS)
def test_a_search_in_pieces_is_the_same_search(model, names, symmetry, bits, request):
    whole = everything(*searched(model, names, symmetry, bits))
    request.getfixturevalue("in_pieces")
    for workers in (1, 2, 4):
        assert everything(*searched(model, names, symmetry, bits, workers=workers)) == whole


@pytest.mark.usefixtures("in_pieces")
@pytest.mark.slow
@pytest.mark.parametrize("in_pieces", [(3, 2, 4), (7, 3, 64)], indirect=True)
@given(seed=st.integers(0, 10**6), symmetry=st.booleans(), bits=st.sampled_from([64, 128]), most=st.integers(1, 60))
@examples(8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_models_by_any_number_of_threads(seed, symmetry, bits, most):
    for bounded, budget in itertools.product((False, True), (None, most)):
        model = random_model(seed, bounded=bounded, actors=2, numbers=2, starts=2)()
        one, *more = (
            everything(*searched(model, ["Never", "Bounded"], symmetry, bits, budget, workers)) for workers in (1, 2, 3)
        )
        assert all(other == one for other in more)


class Doubling(Model):
    """More values of one cell than a byte can number: in initial states, in what follows, and in what is outside."""

    n = Variable(0)
    last = Variable(None)

    @initial
    def begin(self, s):
        s.n = choose((0, *range(1000, 1100)))

    @action
    def double(self, s):
        require(s.n < 150)
        s.last, s.n = s.n, 2 * s.n + choose((1, 2))

    @constraint
    def Near(self, s):
        return not 270 < s.n < 290

    @reachable
    def Far(self, s):
        return s.n == 300

    @invariant
    def NotNegative(self, s):
        return s.n >= 0


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_rows_become_wider_where_a_cell_has_many_values(monkeypatch):
    with interpreting(FORMS):  # kernels for rows of bytes need not be compiled
        enough = everything(*searched(Doubling(), ["Far", "NotNegative"]))
        monkeypatch.setattr(cells, "NARROW", np.uint8)
        searching, aside = searched(Doubling(), ["Far", "NotNegative"])
    assert everything(searching, aside) == enough
    assert searching.store.column("rows").dtype == cells.WIDE
    assert len(aside) == 19


@pytest.mark.parametrize("symmetry", [False, True])
def test_numbers_are_those_of_a_plain_search(symmetry):
    """Breadth first, and the actions in the order of the dispatch: by the cells that they read first."""
    model = machine_of(Bakery(Writers=2))
    searching, _ = searched(model, ["UniqueTickets"], symmetry)
    order = [model.instances[n] for group in searching.trees.dispatch._groups.values() for n in group]
    canonical = Canonical(model, searching.plan.symmetry)
    states = list(model.each_initial_state())
    links = [(0, -1 - which) for which in range(len(states))]
    numbers = {canonical(state): number for number, state in enumerate(states)}
    targets = []
    for number in itertools.takewhile(lambda at: at < len(states), itertools.count()):
        for instance in order:
            for ordinal, (_, successor) in enumerate(model.outcomes(instance, states[number])):
                key = canonical(successor)
                if key not in numbers:
                    numbers[key] = len(states)
                    states.append(successor)
                    links.append((number, (instance.number, ordinal)))
                targets.append(numbers[key])
    found = everything(searching, [])
    assert found["states"] == states
    assert list(zip(found["parents"], found["steps"], strict=True)) == links
    assert found["targets"] == targets


@pytest.mark.slow
@pytest.mark.usefixtures("in_pieces")
@pytest.mark.parametrize("workers", [1, 3])
def test_every_budget_ends_where_it_is_used_up(workers):
    """The store holds the first states of the whole search, and counts are those of the reference at that point."""
    model = Bakery(Writers=2)
    whole = everything(*searched(model, ["UniqueTickets"]))
    for most in [*range(1, 40), 100, len(whole["states"]) - 1]:
        searching, _ = searched(model, ["UniqueTickets"], most=most, workers=workers)
        part = everything(searching, [])
        for name in ("states", "parents", "steps"):
            assert part[name] == whole[name][:most]
        edges = len(part["targets"])
        assert (part["targets"], part["taken"]) == (whole["targets"][:edges], whole["taken"][:edges])
        assert sum(part["degree"]) == edges == sum(part["counts"][1])
        assert sum(part["counts"][2]) == most - 1
        assert max(part["targets"], default=0) < most
        sums = np.stack([searching.cells.sums(row) for row in searching.store.column("rows")])
        held = loops.canonical_fingerprints(sums, 1)[:, 0]
        visited = [fingerprints for fingerprints, _ in searching.store.visited.slices()]
        assert sorted(np.concatenate(visited)[:, 0]) == sorted(held)


@pytest.mark.parametrize("budget", [1, 2, 3, 7, 8])
def test_counts_under_a_budget_are_those_of_the_reference(budget):
    engines = [
        check(Steps(), ["OnTheWay"], engine=name, budget=Budget(states=budget)) for name in ("local", "reference")
    ]
    assert engines[0].generated == engines[1].generated
    assert [a.enabled for a in engines[0].actions] == [a.enabled for a in engines[1].actions]


@pytest.mark.usefixtures("in_pieces")
@pytest.mark.slow
@pytest.mark.parametrize("in_pieces", [(8, 100, 4)], indirect=True)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_state_with_more_successors_than_there_is_room_for(workers):
    searching, _ = searched(Wide(), workers=workers)
    assert searching.levels == [5000, 2999]
    assert len(searching.store.transitions().targets) == 2999


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 4])
def test_tables_grow_while_threads_admit(workers, monkeypatch):
    """Large enough for several growths, with passes that end in the middle of a block, and cut short by a budget."""
    monkeypatch.setattr(expander, "ALONE", 64)
    monkeypatch.setattr(store, "_SLOTS", 64)
    model, names = BakeryV2(Writers=2), ["UniqueTickets"]
    grown = []
    grow = Visited.grow
    monkeypatch.setattr(Visited, "grow", lambda self, *more: grown.append(1) or grow(self, *more))
    for most in (None, 1000):
        alone, together = (everything(*searched(model, names, most=most, workers=n)) for n in (1, workers))
        assert alone == together
    assert len(grown) >= 4


def test_what_all_threads_do_is_done_when_one_fails():
    """They would go on working on what is changed next."""
    done = []

    def work(number):
        if number == 0:
            raise ZeroDivisionError
        for at in range(10_000):
            if at == 9_999:
                done.append(number)
        return 0

    threads = Threads(3)
    with pytest.raises(ZeroDivisionError):
        threads.each(work)
    assert sorted(done) == [1, 2]
    assert threads.each(lambda number: 10 * number) == [0, 10, 20]
    threads.end()
    assert threads.each(lambda number: number) == [0, 1, 2]
    threads.end()


def assert_no_thread_is_left(before):
    for thread in set(threading.enumerate()) - set(before):
        thread.join(300)
        assert not thread.is_alive()


@pytest.mark.usefixtures("in_pieces")
@pytest.mark.parametrize(
    "options",
    [{"budget": Budget(states=5)}, {"watch": Watch(should_stop=lambda: True)}, {"budget": Budget(bytes=1)}, {}],
)
def test_no_thread_is_left_when_a_search_ends(options):
    """What is judged after a stop is judged by threads, too."""
    before = threading.enumerate()
    check(Steps(Last=3), ["OnTheWay", "SomebodyFlies"], engine=Local(workers=3), **options)
    assert_no_thread_is_left(before)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, 10**6])
def test_a_number_of_workers_that_is_none(workers):
    with pytest.raises(InputError, match=r"workers = .* is not accepted; it takes an integer from 1 to 1024"):
        check(Steps(), engine=Auto(workers=workers))
