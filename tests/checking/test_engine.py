"""The in-process engine's own affairs: its blocks, its memory, its traces. What it must find says test_conformance."""

import itertools
import signal

import numpy as np
import pytest

from workbench.checking.check import check
from workbench.checking.contract import Auto, Local, Reference, collision_probability
from workbench.checking.kernels import loops, numba_cache, step_loops
from workbench.checking.local import expander, search, store
from workbench.checking.local.search import LocalSearch
from workbench.checking.trees.cells import Interner
from workbench.checking.trees.decision_trees import Trees
from workbench.kernel import (
    InputError,
    Model,
    ModelError,
    Variable,
    action,
    choose,
    eventually,
    initial,
    invariant,
    liveness,
    machine_of,
    require,
    step,
)
from workbench.kernel.meaning.budget import Budget, Limits, Watch
from workbench.kernel.meaning.conclusion import conclude
from workbench.kernel.meaning.interrupts import interrupted, interruptible
from workbench.kernel.meaning.plan import Fingerprints, make_plan
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2

SAFETY = ["NoLakekeeperConflict", "RollbackNoIceberg", "UniqueTickets", "TicketOrderPreserved"]


@pytest.mark.slow
@pytest.mark.parametrize("block", [16, 64])
def test_states_in_many_blocks(monkeypatch, block):
    whole = check(Bakery(), SAFETY)
    for module in (store, search, expander):
        monkeypatch.setattr(module, "BLOCK", block)
    pieces = check(Bakery(), SAFETY)
    assert (pieces.levels, pieces.generated) == (whole.levels, whole.generated)
    searching = LocalSearch(make_plan(Bakery(), ["UniqueTickets"]), keep_rows=True, keep_edges=True)
    searching.run(Limits())
    targets = searching.store.transitions().targets
    assert len(targets) == searching.exploration().generated - 1 == int(searching.store.column("degree").sum())


class Halting(Model):
    """The third initial state cannot be computed."""

    n = Variable(0)

    @initial
    def begin(self, s):
        s.n = 10 // (2 - choose(range(5)))

    @action
    def stop(self, s):
        require(False, "there is nothing to do")

    @invariant
    def Small(self, s):
        return s.n < 7


def test_initial_states_before_an_error_are_judged():
    result = check(Halting(), ["Small"], engine="local")
    assert "ZeroDivisionError" in result.stopped
    assert result.distinct == 2
    assert result["Small"].trace.states[-1].n == 10


class Falling(Model):
    """Every predicate meets another value in each state."""

    n = Variable(0)

    @initial
    def begin(self, s):
        s.n = choose(range(500))

    @action
    def fall(self, s):
        require(s.n > 0, "down")
        s.n -= 1

    @step
    def Falls(self, s, t):
        return t.n < s.n

    @liveness
    def Down(self):
        return eventually(lambda s: s.n == 0)


@pytest.mark.parametrize("kernel", [(step_loops, "inspect_steps"), (loops, "evaluate_rows")], ids=lambda at: at[1])
def test_misses_are_collected(monkeypatch, kernel):
    called, calls = getattr(*kernel), []
    monkeypatch.setattr(*kernel, lambda *given: calls.append(1) or called(*given))
    result = check(Falling(), ["Falls", "Down"], engine="local")
    assert result.figures["python_calls"] == 1499
    assert result["Falls"].holds
    assert len(calls) < 30


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_progress_says_how_many_states_wait_to_be_expanded(engine):
    told = []
    result = check(BakeryV2(Writers=2), SAFETY, engine=engine, watch=Watch(on_progress=told.append))
    assert len(told) > 10
    assert all(0 < at.frontier <= at.states for at in told[:-1])
    assert told[-1].states - told[-1].frontier <= result.distinct


def test_another_control_c_while_the_first_is_noted_says_nothing_more(monkeypatch, capfd):
    """It comes before the handler is put back, as to a busy machine on which somebody keeps pressing."""
    put = signal.signal

    def pressed_again(number, handler):
        monkeypatch.setattr(signal, "signal", put)
        signal.raise_signal(signal.SIGINT)
        put(number, handler)

    with interruptible():
        monkeypatch.setattr(signal, "signal", pressed_again)
        signal.raise_signal(signal.SIGINT)
        assert interrupted()
    assert capfd.readouterr().err == "stopping ...; once more ends it\n"


def test_what_an_interrupted_search_kept_fits_together(monkeypatch):
    """Wherever the interrupt comes, transitions lead to states that are counted."""
    for when in (1, 5, 30, 60, 90, 120):
        calls = itertools.count()
        searching = LocalSearch(make_plan(BakeryV2(Writers=2), SAFETY), keep_rows=True, keep_edges=True)
        learn = searching.trees.memoize_action

        def interrupted(*arguments, calls=calls, learn=learn, when=when):
            if next(calls) == when:
                signal.raise_signal(signal.SIGINT)
            return learn(*arguments)

        monkeypatch.setattr(searching.trees, "memoize_action", interrupted)
        with interruptible():
            searching.run(Limits())
        _, targets, steps, *_ = searching.store.transitions()
        assert searching.stopped == "interrupted"
        assert len(targets) == len(steps) == int(searching.store.column("degree").sum())
        assert sum(searching.levels) == searching.store.count > int(targets.max(initial=0))


def test_a_kernel_is_compiled_where_nothing_can_be_kept():
    """As for a user without a home in whose environment nobody may write."""
    defined = {}
    exec(compile("def next_one(x): return x + 1", "<nowhere>", "exec"), defined)
    assert numba_cache.compiled(defined["next_one"], {})(1) == 2


class Impatient(Model):
    """Whoever judges its fourth state is interrupted, also when what the search has met is judged."""

    n = Variable(0)

    @action
    def step(self, s):
        require(s.n < 9)
        s.n += 1

    @invariant
    def Low(self, s):
        return s.n < 1

    @invariant
    def Third(self, s):
        if s.n == 3:
            signal.raise_signal(signal.SIGINT)
        return s.n < 9


def test_an_interrupt_while_the_rest_is_judged_keeps_what_was_met():
    for most in (None, 4):
        result = check(Impatient(), engine="local", budget=Budget(states=most))
        assert (result.complete, result.stopped, result.interrupted) == (False, "interrupted", True)
        assert (result["Low"].trace_states, result["Third"].holds) == (2, None)


def test_several_misses_are_learnt_before_the_arrays_are_made_again():
    """One of them may answer another: the bakery's writers begin at one program counter."""
    model = machine_of(Bakery(Writers=2))
    trees = Trees(cells := Interner(model, key=b""))
    row = cells.encode(next(model.each_initial_state()))
    numbers = range(len(model.instances))
    nothing = trees.arrays
    assert all(trees.leaf(trees.roots[number], row) < 0 for number in numbers)
    for number in numbers:
        trees.memoize_action(number, row)
    assert trees.misses == len(numbers)
    assert all(trees.leaf(trees.roots[number], row) >= 0 for number in numbers)
    assert trees.arrays is trees.arrays
    assert len(trees.arrays.node_cell) > len(nothing.node_cell) == 1
    later = [cells.number(cell, ("something", "else")) for cell in range(len(row))]
    assert all(trees.leaf(trees.roots[number], later) < 0 for number in numbers)


def test_traces_end_in_the_first_violation():
    race = machine_of(BakeryV2(StepGranularity="atomic", AsyncParquet=True, RestampPatch=False))
    verdict = check(race, SAFETY)["NoLakekeeperConflict"]
    (instance,) = race.predicates("NoLakekeeperConflict")
    assert [instance.judge(state) is True for state in verdict.trace.states] == [True] * 16 + [False]
    assert "HTTP 409" in verdict.why


def test_a_trace_that_the_model_does_not_repeat_is_an_error():
    class Drifting(Model):
        n = Variable(0)
        drift = [0]

        @action
        def count(self, s):
            require(s.n < 20, "enough")
            s.n += 1 + self.drift[0]

        @invariant
        def Small(self, s):
            return s.n != 7

    plan, limits = make_plan(Drifting()), Limits()
    searching = LocalSearch(plan)
    searching.run(limits)
    Drifting.drift[0] = 1
    with pytest.raises(ModelError, match="the model is not pure"):
        conclude(plan, searching.exploration(), limits)


def test_the_chance_of_a_collision_under_symmetry():
    """Sixteen-bit hashes are few enough to count how often two minima of k of them are equal."""
    rng = np.random.default_rng(7)
    for renamings in (1, 2, 6):
        minima = rng.integers(0, 1 << 16, (400_000, 2, renamings)).min(axis=2)
        seen = (minima[:, 0] == minima[:, 1]).sum()
        expected = 400_000 * collision_probability(2, 16, renamings)
        assert expected * 0.5 < seen < expected * 1.8 + 8
    plain, symmetric = (check(Bakery(), SAFETY, symmetry=s) for s in (False, True))
    assert symmetric.collision_probability == collision_probability(symmetric.distinct, 64, 6)
    assert plain.collision_probability == collision_probability(plain.distinct, 64)
    assert 0 < check(Bakery(), SAFETY, fingerprints=Fingerprints(bits=128)).collision_probability < 1e-30


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"engine": 5}, "engine = 5 is not accepted; it takes a name, or an engine such as Local(workers=2)"),
        ({"engine": "locl"}, "unknown engine 'locl' (did you mean local?)"),
        ({"budget": 10}, "budget = 10 is not accepted; it takes Budget(...)"),
        ({"watch": None}, "watch = None is not accepted; it takes Watch(...)"),
        ({"fingerprints": 128}, "fingerprints = 128 is not accepted; it takes Fingerprints(...)"),
        ({"engine": Reference(), "fingerprints": Fingerprints(key="0" * 32)}, "not accepted with the engine reference"),
    ],
)
def test_options_that_are_none(options, why):
    with pytest.raises(InputError) as refused:
        check(Bakery(), **options)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Local(workers=0), "workers = 0 is not accepted; it takes an integer from 1 to 1024"),
        (lambda: Auto(hand_over_states=-1), "hand_over_states = -1 is not accepted; it takes an integer from 0 on"),
        (lambda: Fingerprints(bits=32), "bits = 32 is not accepted; it takes 64 or 128"),
        (lambda: Fingerprints(key="7"), "key = '7' is not accepted; it takes 32 hexadecimal digits"),
        (lambda: Budget(seconds=0), "seconds = 0 is not accepted; it takes a number above 0"),
    ],
)
def test_values_are_checked_where_they_are_made(make, why):
    with pytest.raises(InputError) as refused:
        make()
    assert str(refused.value) == why
