"""What must be true of every engine: the reference search says what is to be found, and the others find it.

A new engine gets a line in ENGINES here, and no test of its own for what this suite says.
"""

import functools
import itertools
import random
import re
import signal
import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import campaign
import pytest
from campaign import compare, expect_partial, expect_same, expect_sound, judged, told
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from random_models import EQUAL, random_model

from tests.checking.failing import PARTS, failing, failing_initially, failing_late
from tests.checking.impure import impure
from tests.places import SPECS
from tests.products import examples
from tests.toys import ALIKE, BY_STEPS, DECIDED, SAFE, STATES, Alike, Growing, Hindmost, Steps, Still, Wide
from workbench.checking.check import check
from workbench.checking.contract import Auto, Local, Spark
from workbench.checking.runs import resume
from workbench.kernel import ModelError, Result, machine_of, replay
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.plan import Fingerprints
from workbench.kernel.meaning.values import counted
from workbench.language import *
from workbench.protocols.bakery.extended import BakeryExtended
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.bakery.v2_extended import BakeryV2Extended
from workbench.registry import configurations


class Way(NamedTuple):
    """One way of checking, with options for :func:`check`."""

    options: dict[str, Any]


ENGINES = {
    "reference": Way({"engine": "reference"}),
    "local": Way({"engine": "local"}),
    "local 128, 4 threads": Way({"engine": Local(workers=4), "fingerprints": Fingerprints(bits=128)}),
    "2 threads": Way({"engine": Local(workers=2)}),
    "auto": Way({"engine": "auto"}),
    "spark": Way({"engine": Spark()}),
    "hand-over": Way({"engine": Auto(hand_over_states=3)}),
}
ON_SPARK = ("spark", "hand-over")


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.spark] if name in ON_SPARK else []) for name in ENGINES])
def way(request: pytest.FixtureRequest) -> Way:
    _prepare(request)
    if request.param in ON_SPARK:
        return request.getfixturevalue("on_spark")(request.param)
    return ENGINES[request.param]


@pytest.fixture
def on_spark(spark: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Way]:
    """The ways that use Spark: after a hand-over the driver makes the narrow levels, else each is a job."""

    def made(name: str) -> Way:
        if name == "spark":
            monkeypatch.setattr("workbench.checking.spark.search.narrow_levels.MOST_STATES", 0)
            monkeypatch.setattr("workbench.checking.spark.search.levels_per_job.LEAST_TOGETHER", 1)
        way = ENGINES[name]
        return Way({"engine": replace(way.options["engine"], session=spark)})

    return made


@pytest.fixture(params=[name for name in ENGINES if name not in ("reference", *ON_SPARK)])
def way_in_process(request: pytest.FixtureRequest) -> Way:
    _prepare(request)
    return ENGINES[request.param]


def _prepare(request: pytest.FixtureRequest) -> None:
    """Small models do not have what makes the ways differ, unless one sees to it."""
    if request.param == "auto":
        request.getfixturevalue("interpreted")
    if "threads" in request.param:
        request.getfixturevalue("in_pieces")


@functools.cache
def reference(kind, constants, names, symmetry):
    """What the reference search finds, which is slow: made once for all engines."""
    return check(kind(**dict(constants)), names, symmetry=symmetry, engine="reference")


def expect_agreement(result, wanted):
    """That both found the same, and lassos that are as long: of random models only that they are lassos is certain."""
    expect_same(result, wanted)
    assert [v.trace_states for v in result.verdicts] == [v.trace_states for v in wanted.verdicts]


def assert_conforms(model, way, names=None, symmetry=False):
    """Check with the engine and with the reference, and compare."""
    names = [p.name for p in machine_of(model).select(names)]
    result = check(model, names, symmetry=symmetry, **way.options)
    expect_agreement(
        result, reference(type(machine_of(model).author), tuple(model.constants.items()), tuple(names), symmetry)
    )
    return result


# Counts, verdicts and traces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("symmetry", [False, True])
def test_a_model_counted_by_hand(way, symmetry):
    result = assert_conforms(Steps(), way, SAFE, symmetry)
    assert result.levels == ([1, 1, 2, 1, 1] if symmetry else [1, 2, 3, 2, 1])
    assert [v.trace_states for v in result.verdicts] == [5, None, 3, None]


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [False, True])
def test_steps_judged_by_hand(way, symmetry):
    """They all end in the one state where nobody walks any more, which is Deadlock where no @ends says otherwise."""
    result = assert_conforms(Steps(), way, BY_STEPS, symmetry)
    assert [v.trace_states for v in result.verdicts] == [None, 3, None, None, 5, 1, 5]
    assert result["NobodyOvertakes"].why.endswith(": one is too far ahead")
    assert result["LastWalksHalfway"].why.startswith("walk(p")
    assert (
        "at goes from 1 to 2, which no action of Hindmost does; come may not, since" in result["LastWalksHalfway"].why
    )
    assert result["LastIsAhead"].why == "initial state: no behaviour of Hindmost begins with at: 1"
    assert result["Deadlock"].why == "stuck: p1 is at the end; p2 is at the end"


@pytest.mark.slow
def test_liveness_is_decided(way):
    result = assert_conforms(Steps(), way, ["EveryoneArrives", "EveryoneFlies", "OnTheWay"])
    assert [v.holds for v in result.verdicts] == [True, False, True]


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("values", ALIKE)
def test_equal_values_of_different_kinds(way, values, symmetry):
    """Each is a state of its own, whichever comes first."""
    names = ["NeverOne", "NeverOther", "Stays"]
    result = assert_conforms(Alike(Values=values), way, names, symmetry)
    assert (result.levels, result.generated) == ([1, 2], 7) if symmetry else ([1, 4], 9)
    assert [v.trace_states for v in result.verdicts] == [2, 2, 3]
    assert [len(result["Stays"].trace.changes(at)) for at in (1, 2)] == [2, 1]


def test_a_cycle_through_equal_values(way):
    result = assert_conforms(Alike(), way, ["Settles", "Alternates"])
    assert [v.holds for v in result.verdicts] == [False, True]
    assert result["Settles"].trace.back is not None


@pytest.mark.slow
def test_many_initial_states_and_many_outcomes(way):
    result = assert_conforms(Wide(), way)
    assert result.levels == [5000, 2999]
    assert result["Small"].trace_states == 1


def test_actions_that_read_or_change_nothing(way):
    result = assert_conforms(Still(), way)
    assert (result.distinct, result.never_taken) == (2, ["never"])
    assert [a.assigns for a in result.actions] == [True, False, False, False]
    assert sum("compare never changes anything" in note for note in result.notes) == 1
    assert not any("rest never" in note for note in result.notes)
    assert any("nothing is checked" in note for note in result.notes)


NAMED = [
    "bakery/documented_v1",
    "bakery/documented_v2_race",
    "bakery/v1_orphan",
    "bakery/v1_restart_heals",
    "bakery/samenode_restart_no_clean_up",
    "delta/lock_expires",
    "delta/overwritten",
    "hudi/one_file_group",
    "hudi/timestamp_collision_one_key",
    "iceberg/blind_swap",
    "iceberg/lost_answer",
    "iceberg/no_validation_compaction",
    "paimon/published_default",
]
SLOWEST = {"bakery/v1_restart_heals", "hudi/one_file_group", "hudi/timestamp_collision_one_key"}
NAMED_ON_SPARK = ["bakery/documented_v1", "bakery/documented_v2_race", "hudi/timestamp_collision", "paimon/two_buckets"]


#: Whether something is switched on.
ON = st.booleans()


def switches(*names):
    return st.fixed_dictionaries(dict.fromkeys(names, ON))


def named(name):
    return configurations.configuration(SPECS / f"{name}.toml")


def together(name):
    """One worker takes all engines' tests of a configuration, so that the reference searches it once."""
    return pytest.param(name, marks=[pytest.mark.xdist_group(name), *([pytest.mark.slow] if name in SLOWEST else [])])


@pytest.mark.slow
@pytest.mark.parametrize("name", [together(name) for name in NAMED])
def test_named_configurations(way_in_process, name):
    one = named(name)
    result = assert_conforms(one.model, way_in_process, one.properties, one.symmetry)
    assert one.differences(result) == []


@pytest.mark.spark
@pytest.mark.parametrize("name", NAMED_ON_SPARK)
def test_named_configurations_on_spark(spark, name):
    """Larger than the reference can do in a test: the in-process engine, which conforms, says what is to be found."""
    one = named(name)
    names = [p.name for p in one.model.select(one.properties)]
    result = check(one.model, names, symmetry=one.symmetry, engine=Spark(session=spark))
    expect_agreement(result, check(one.model, names, symmetry=one.symmetry, engine="local"))


@pytest.mark.slow
@given(writers=st.integers(1, 3), crashes=st.integers(0, 2), switches=switches("NodeStartup", "LazyReap"), symmetry=ON)
@examples(10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bakery_with_any_constants(way_in_process, writers, crashes, switches, symmetry):
    model = machine_of(Bakery(Writers=writers, MaxCrashes=crashes, **switches))
    assert_conforms(model, way_in_process, [p.name for p in model.select() if p.kind != "liveness"], symmetry)


RACE = {"AsyncParquet": True, "RestampPatch": False}
#: Of these the constants are drawn; what is drawn together goes together.
DRAWN = {
    BakeryExtended: [
        st.fixed_dictionaries(dict.fromkeys(["MaxCrashes", "MaxRestarts"], st.integers(0, 2))),
        switches("NodeStartup", "LazyReap"),
    ],
    BakeryV2: [
        switches("SafeAcks", "AsyncParquet", "RestampPatch", "SameNodeLock"),
        st.sampled_from([{}, {"MaxCrashes": 1}, {"StepGranularity": "atomic"}]),
        st.sampled_from([{}, {"NodeParts": [["w1", "w2"]]}]),
    ],
    BakeryV2Extended: [
        switches("ClaimTimeout", "UserTable", "Witness", "LockDiesWithHolder", "ReleaseTransaction"),
        st.sampled_from([{}, {"MaxRestarts": 1, "MaxCrashes": 1}, {"MaxCrashes": 1}, {"MaxRounds": 2}]),
        st.sampled_from([{}, {"MaxSkew": 1}, {"MaxSkew": 1, "RaiseClocks": True}, {"MaxSuspicions": 1}]),
        st.sampled_from([{"CleanUp": how} for how in ("stale", "node", "off", "age")]),
        st.sampled_from([{}, RACE, {"MaxRetries": 1}]),
        st.sampled_from([{}, {"NodeParts": [["w1", "w2"]]}]),
        st.just({"StepGranularity": "atomic"}),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", DRAWN)
@given(data=st.data(), symmetry=ON)
@examples(10)
def test_any_constants_and_extensions(kind, data, symmetry):
    """Of spaces that are not large, for they would take nearly all of the time."""
    model = kind(Writers=2, **functools.reduce(dict.__or__, map(data.draw, DRAWN[kind])))
    assume(check(model, [], budget=Budget(states=3000)).complete)
    names = [p.name for p in machine_of(model).properties.values() if not symmetry or p.kind != "liveness"]
    assert_conforms(model, ENGINES["local"], names, symmetry)


@pytest.mark.slow
@pytest.mark.parametrize(
    "constants",
    [
        {"ReleaseTransaction": True},
        {"ReleaseTransaction": True, "ClaimTimeout": True, "SafeAcks": False, "Rollbacks": False},
        {"ReleaseTransaction": True, "StepGranularity": "atomic", "MaxCrashes": 1},
        {"MaxRounds": 2, "StepGranularity": "atomic", "Rollbacks": False},
        {"MaxSkew": 2, "StepGranularity": "atomic"},
        {"MaxSkew": 1},
        {"Witness": False, "StepGranularity": "atomic", "MaxCrashes": 1},
        {"MaxSuspicions": 1, "StepGranularity": "atomic"},
        {"CleanUp": "age", "MaxRestarts": 1, "StepGranularity": "atomic"},
    ],
)
def test_each_extension(constants):
    model = machine_of(BakeryV2Extended(Writers=2, **constants))
    assert_conforms(model, ENGINES["local"], list(model.properties))


def distinct(path):
    """How many states a configuration expects; only those that are checked are opened."""
    return tomllib.loads(path.read_text())["expect"]["distinct"]


# Of larger spaces the published figures say what the reference would, in a minute or more.
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path for path in sorted((SPECS / "classics").glob("*.toml")) if distinct(path) < 4_000],
    ids=lambda path: path.stem,
)
def test_the_reference_search_finds_the_same_of_the_classics(path):
    """All but the lengths of loops: the reference does not make them small."""
    one = configurations.configuration(path)
    asked = {"properties": one.properties, "symmetry": one.symmetry}
    expect_same(check(one.model, **asked), check(one.model, engine="reference", **asked))


@pytest.mark.slow
@pytest.mark.parametrize("sets", [None, "plain", "declared"])
@given(seed=st.integers(0, 10**6))
@examples(25)
def test_random_models(sets, seed):
    """Some of those of a campaign, which has thousands."""
    compare(seed, most=150, sets=sets)


@pytest.mark.slow
@pytest.mark.parametrize("held", EQUAL)
@given(seed=st.integers(0, 10**6))
@examples(5)
def test_random_models_of_equal_values(held, seed):
    compare(seed, most=150, held=held)


@pytest.mark.slow
def test_a_campaign_tells_what_differs(monkeypatch, capsys):
    def forgetful(model, **options):
        result = check(model, **options)
        return result if options["engine"] == "reference" else replace(result, levels=[*result.levels, 1])

    monkeypatch.setattr(campaign, "check", forgetful)
    monkeypatch.setattr("sys.argv", ["campaign.py", "--models", "1", "--seed", "3"])
    assert campaign.main() == 1
    difference, _, summary = capsys.readouterr().out.partition("\n1 models (seeds 3 to ")
    how = r"one thread, \d+ bits, symmetry False, Local\(workers=1\)"
    assert re.match(rf"seed \d+: {how}: levels: \[1, .*, not \[1", difference)
    assert ": 1 models differ (" in summary


@pytest.mark.spark
@pytest.mark.parametrize(("seed", "bounded"), [(7, False), (6, True)])
@pytest.mark.parametrize("name", ON_SPARK)
def test_random_models_on_spark(on_spark, name, seed, bounded):
    """The classes are made by a function, so their code travels with them."""
    model = random_model(seed, bounded=bounded)()
    assert_conforms(model, on_spark(name), judged(machine_of(model)), symmetry=True)


@pytest.mark.spark
@pytest.mark.parametrize("held", EQUAL)
def test_random_models_of_equal_values_in_a_run_directory(on_spark, tmp_path, held):
    """Values come from files after a resume, and what has been met here differs from what the files number."""
    model, run = random_model(5, held=held, actors=2)(), tmp_path / "run"
    names, engine = judged(machine_of(model)), on_spark("spark").options["engine"]
    part = check(model, names, symmetry=True, budget=Budget(states=9), engine=replace(engine, run_dir=run))
    assert not part.complete
    result = resume(run, type(machine_of(model).author), spark=engine.session)
    expect_agreement(result, check(model, names, symmetry=True, engine="reference"))


# Hand-over after every level -----------------------------------------------------------------------------------------


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [False, True])
def test_hand_over_after_every_level(spark, symmetry):
    model, names = Steps(), [*SAFE, *BY_STEPS]
    wanted = check(model, names, symmetry=symmetry, engine="reference")
    for states in [0, *itertools.accumulate(wanted.levels[:-1])]:
        result = check(model, names, symmetry=symmetry, engine=Auto(session=spark, hand_over_states=states))
        assert result.engine == "spark"
        with told(f"after {states} states"):
            expect_same(result, wanted)


# Budgets and stops ---------------------------------------------------------------------------------------------------


def assert_partial(result, names):
    """What it has found is what the reference finds in the whole space."""
    model = result.model
    symmetry = result.symmetry or False
    expect_partial(
        result, reference(type(machine_of(model).author), tuple(model.constants.items()), tuple(names), symmetry)
    )


def budgets(way, most):
    """All of them; on Spark, where each takes a second or two, a level, part of one, all but one state, and enough."""
    return (
        (1, 4, most - 1, most, most + 1)
        if isinstance(way.options["engine"], Spark) or way == ENGINES["hand-over"]
        else range(1, most + 2)
    )


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [False, True])
def test_every_budget_of_states(way, symmetry):
    """So many states are counted as there is room for, all of them judged; a budget that suffices changes nothing."""
    most, names = 6 if symmetry else STATES, [*SAFE, *BY_STEPS]
    spaces = {check(Steps(), names, symmetry=symmetry, **way.options).distinct}
    for budget in budgets(way, most):
        result = check(Steps(), names, symmetry=symmetry, budget=Budget(states=budget), **way.options)
        assert result.distinct == min(budget, most)
        assert result.complete is (budget >= most)
        if budget < most:
            assert result.stopped == f"the budget of {counted(budget, 'state')} is used up"
            assert_partial(result, names)
        assert result["SomebodyArrives"].holds is not None or budget < most - 1
        assert result["NobodyOvertakes"].holds is False or budget < most - 1
    assert spaces == {most}


@pytest.mark.parametrize("name", ["states", "seconds", "bytes"])
@pytest.mark.parametrize("value", [0, -5, float("nan"), True])
def test_a_budget_that_is_none(way_in_process, name, value):
    with pytest.raises(InputError, match=rf"{name} = .* is not accepted; it takes an? \w+ above 0"):
        check(Steps(), **way_in_process.options, budget=Budget(**{name: value}))


@pytest.mark.parametrize(
    ("options", "stopped"),
    [
        ({"budget": Budget(seconds=1e-9)}, "the budget of 1e-09 seconds is used up"),
        ({"budget": Budget(bytes=1)}, "the budget of 0.0 MiB is used up"),
        ({"watch": Watch(should_stop=lambda: True)}, "stopped on request"),
    ],
)
def test_other_budgets_and_stops(way, options, stopped):
    model, names = Steps(Last=3), [*SAFE, *BY_STEPS]
    result = check(model, names, **way.options, **options)
    assert result.stopped == stopped
    assert_partial(result, names)


@pytest.mark.slow
def test_initial_states_are_under_the_budget_too(way):
    result = check(Wide(), budget=Budget(states=4995), **way.options)
    assert result.levels == [4995]
    assert result["Small"].holds is False  # n = 4990 is among them, or another one from there on


class Endless(Model):
    """More initial states than anybody can wait for."""

    n = Variable(0)

    @initial
    def begin(self, s):
        s.n = sum(choose(range(10)) * 10**i for i in range(9))

    @action
    def stop(self, s):
        require(False, "there is nothing to do")

    @invariant
    def Small(self, s):
        return s.n < 200


@pytest.mark.slow
def test_time_is_up_among_the_initial_states(way):
    result = check(Endless(), budget=Budget(seconds=0.5), **way.options)
    assert result.stopped == "the budget of 0.5 seconds is used up"
    assert result["Small"].holds is (None if result.distinct == 0 else False)


@pytest.mark.slow
def test_initial_states_are_judged_as_they_come(way):
    """Whoever has to wait for all of them to be judged waits beyond any budget."""
    judged = []

    class Many(Still):
        @initial
        def begin(self, s):
            s.n = choose(range(3000))

        @invariant
        def Small(self, s):
            judged.append(s.n)
            return s.n < 5000

    result = check(Many(), ["Small"], watch=Watch(should_stop=lambda: len(judged) > 100), **way.options)
    assert result.stopped == "stopped on request"
    assert result.distinct < 2000


def test_a_stop_on_the_way(way):
    calls = itertools.count()
    result = check(Steps(Last=3), SAFE, watch=Watch(should_stop=lambda: next(calls) > 3), **way.options)
    assert (result.stopped, result.complete) == ("stopped on request", False)
    assert 0 < result.distinct < 16
    assert_partial(result, SAFE)


def test_an_interrupt_keeps_what_was_visited(way):
    def interrupt(progress):
        if progress.level >= 3:
            signal.raise_signal(signal.SIGINT)

    result = check(Steps(Last=3), SAFE, watch=Watch(on_progress=interrupt), **way.options)
    assert (result.stopped, result.complete) == ("interrupted", False)
    assert sum(result.levels) == result.distinct > 3
    assert_partial(result, SAFE)


@pytest.mark.slow
def test_progress_is_told(way):
    told = []
    result = check(Steps(), SAFE, watch=Watch(on_progress=told.append), **way.options)
    assert [p.states for p in told] == sorted(p.states for p in told)
    assert told[0].states <= 1 <= told[-1].states <= STATES
    assert told[0].decided == ()
    assert set(map(str, told[-1].decided)) == {
        "Together is violated after 4 steps",
        "SomebodyArrives is reached after 2 steps",
    }
    assert all(list(p.levels) == result.levels[: p.level] for p in told)
    assert len(told[-1].levels) > 1


@pytest.mark.parametrize("end", ["stop", "interrupt", "budget"])
def test_what_is_decided_is_told_while_the_search_goes_on(way, end):
    """It has no end, and so nothing else would ever tell it."""
    told = {}

    def tell(progress):
        told.update((one.name, (one.word, one.steps)) for one in progress.decided)
        if end == "interrupt" and told.keys() == DECIDED.keys():
            signal.raise_signal(signal.SIGINT)

    enough = Watch(tell, lambda: end == "stop" and told.keys() == DECIDED.keys())
    budget = Budget(states=12) if end == "budget" else Budget()
    result = check(Growing(), list(Growing.declared.properties), watch=enough, budget=budget, **way.options)
    assert told == DECIDED
    assert not result.complete
    traced = {v.name: (v.word, v.trace_states - 1) for v in result.verdicts if v.trace is not None}
    assert (traced, result["Fine"].word) == (DECIDED, "unknown")


def test_what_a_pruned_state_decides_is_told_with_the_steps_to_it(way):
    class Back(Growing):
        """Every other state is pruned, and so are some initial ones."""

        @initial
        def begin(self, s):
            s.n = choose((0, 7))

        @action
        def leave(self, s):
            require(s.n == 2, "elsewhere")
            s.n = 50

        @constraint
        def Inside(self, s):
            return s.n not in (7, 50)

        @invariant
        def NotSeven(self, s):
            return s.n != 7

        @invariant
        def NotFifty(self, s):
            return s.n != 50

    told = {}
    watch = Watch(lambda progress: told.update((one.name, one.steps) for one in progress.decided))
    result = check(Back(), ["NotSeven", "NotFifty"], watch=watch, budget=Budget(states=6), **way.options)
    assert told == {"NotSeven": 0, "NotFifty": 3}
    assert [v.trace_states for v in result.verdicts] == [1, 4]


def test_a_search_that_ends_at_a_violation_does_not_tell_that_it_goes_on(way):
    told = []
    result = check(Growing(), ["Short"], fail_fast=True, watch=Watch(told.append), **way.options)
    assert result["Short"].trace_states == 5
    assert not any(progress.decided for progress in told)


def test_fail_fast(way):
    result = check(Steps(), SAFE, fail_fast=True, **way.options)
    assert result["Together"].trace_states == 5
    assert result["OnTheWay"].holds is True or not result.complete


@pytest.mark.parametrize("name", ["NobodyOvertakes", "LastIsAhead", "Deadlock"])
def test_fail_fast_over_steps(way, name):
    result = check(Steps(), ["OnTheWay", name], fail_fast=True, **way.options)
    assert result[name].word == "violated"
    if not result.complete:  # on Spark, the last level's steps are the search's end
        assert result.stopped == "stopped at the first violation"
        assert_partial(result, ["OnTheWay", name])


class Impatient(Steps):
    """Its initial states can be had once: whoever makes a trace is interrupted."""

    asked: ClassVar[list[int]] = []

    def initial_states(self):
        self.asked.append(1)
        if len(self.asked) > 1:
            signal.raise_signal(signal.SIGINT)
        return super().initial_states()


@pytest.mark.slow
def test_an_interrupt_while_traces_are_made_keeps_the_verdicts(way_in_process):
    for options in (way_in_process.options, ENGINES["reference"].options):
        Impatient.asked.clear()
        result = check(Impatient(), [*SAFE, "EveryoneArrives", "EveryoneFlies"], **options)
        assert result.complete
        assert [v.holds for v in result.verdicts] == [False, True, True, False, None, None]
        assert result.interrupted
        assert "interrupted" in result["EveryoneFlies"].why


# Constraints, and variables by which states are not told apart -----------------------------------------------------


class Bounded(Steps):
    """Whoever is at Last is outside: 9 states inside, and from each of 6 a step that leads out."""

    Last = Constant(3, range(1, 4), "where the way ends")

    @constraint(p="Walkers")
    def Inside(self, s, p):
        return s.at[p] < self.Last


class Scattered(Bounded):
    """Behaviours begin inside and outside, and come back from there."""

    Begin = Constant((0, 3), {(0, 3): "both", (3,): "outside"}, "where the first walker may begin")
    turns = Variable(0)

    @initial
    def begin(self, s):
        s.at["p1"] = choose(self.Begin)
        s.turns = choose(range(2))

    @action
    def turn(self, s):
        require(s.at["p1"] != 1, "it stands")
        s.turns = (s.turns + 1) % 4

    @constraint
    def NotThree(self, s):
        return s.turns != 3

    @invariant
    def Slow(self, s):
        return s.turns < 3 or s.at["p1"] < 2 or f"{s.turns} turns"

    @refines(Hindmost, Length="Last", by_default=False)
    def FirstWalks(self, s):
        return {"at": max(s.at.values())}


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [False, True])
def test_what_lies_outside_is_generated_and_judged_but_neither_distinct_nor_explored(way, symmetry):
    result = assert_conforms(Bounded(), way, [*SAFE, *BY_STEPS], symmetry)
    assert (result.distinct, result.generated, result.outside) == ((6, 13, 4) if symmetry else (9, 19, 6))
    told = [(v.word, v.trace_states) for v in result.verdicts[: len(SAFE)]]
    within = "within the constraint"
    assert told == [(f"holds {within}", None)] * 2 + [("reached", 4), (f"not reached {within}", None)]
    assert any("explored within the constraint Inside: " in note for note in result.notes)


@pytest.mark.slow
def test_a_constraint_that_keeps_nothing_out_bounds_no_verdict(way):
    class Wider(Bounded):
        @constraint(p="Walkers")
        def Inside(self, s, p):
            return s.at[p] <= self.Last

    result = assert_conforms(Wider(), way, SAFE)
    assert [v.word for v in result.verdicts] == [v.word for v in check(Steps(Last=3), SAFE).verdicts]
    assert (result.outside, result.within) == (0, None)


@pytest.mark.slow
def test_behaviours_that_begin_outside(way):
    result = assert_conforms(Scattered(), way, [*SAFE, "Slow", "FirstWalks", *BY_STEPS])
    assert result["SomebodyArrives"].trace_states == 1
    assert result["Slow"].trace_states == 5
    assert result.levels[0] == 2
    assert result["FirstWalks"].trace_states == 1  # it begins at the end
    nowhere = assert_conforms(Scattered(Begin=(3,)), way, [*SAFE, "FirstWalks", *BY_STEPS])
    assert (nowhere.levels, nowhere.generated, nowhere.outside, nowhere.complete) == ([], 2, 2, True)
    assert nowhere.depth == 1  # as TLC says: that of the initial states is a level, even if none is inside
    assert any("no initial state is inside, so nothing was explored" in note for note in nowhere.notes)
    assert [v.trace_states for v in nowhere.verdicts[: len(SAFE) + 1]] == [None, None, 1, None, 1]


@pytest.mark.slow
def test_fairness_does_not_see_a_constraint(way_in_process):
    """Who may step out may step: inside, nobody stops for ever. What becomes of who leaves is not known."""

    class Lazy(Bounded):
        walker = Process(per="Walkers")
        walk = action(walker)(Bounded.walk.function)

    names = ["EveryoneArrives", "EveryoneFlies"]
    fair, lazy = (check(kind(), names, **way_in_process.options) for kind in (Bounded, Lazy))
    assert [v.holds for v in fair.verdicts] == [None, None]
    assert all("no fair behaviour within the constraint Inside breaks it" in v.why for v in fair.verdicts)
    assert [(v.holds, v.trace_states) for v in lazy.verdicts] == [(False, 1), (False, 1)]
    for result in (fair, lazy):
        expect_sound(result, names)


@pytest.mark.slow
def test_liveness_where_nothing_is_inside(way_in_process):
    result = check(Scattered(Begin=(3,)), ["EveryoneArrives"], **way_in_process.options)
    assert result["EveryoneArrives"].holds is None


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [False, True])
def test_every_budget_of_states_within_a_constraint(way, symmetry):
    most = 6 if symmetry else 9
    for budget in budgets(way, most):
        result = check(Bounded(), SAFE, symmetry=symmetry, budget=Budget(states=budget), **way.options)
        assert result.distinct == min(budget, most)
        assert result.complete is (budget >= most)
        if budget < most:
            assert_partial(result, SAFE)


def test_fail_fast_at_a_state_that_is_outside(way):
    class Careful(Bounded):
        @invariant
        def NobodyArrives(self, s):
            return self.Last not in s.at.values()

    result = check(Careful(), ["NobodyArrives", "OnTheWay"], fail_fast=True, **way.options)
    assert result["NobodyArrives"].trace_states == 4
    assert not result.complete


# What is refused, by every engine alike ------------------------------------------------------------------------------


def refused(way: Way, make: Callable[[], Model], error: type[Exception], match: str, **options: Any) -> None:
    with pytest.raises(error, match=match):
        check(make(), **way.options, **options)


def test_impure_actions(way):
    class Random(Still):
        @action
        def roll(self, s):
            s.n = random.randrange(10**9)

    refused(way, Random, ModelError, "roll.* is not a function of the state")


def test_what_is_impure_in_one_situation(way, monkeypatch):
    """With time enough, as a process has that is not busy with other searches."""
    monkeypatch.setattr("workbench.kernel.meaning.rerunning._MOST", float("inf"))
    refused(way, impure("action"), ModelError, "is not a function of the state")


def led_to(way: Way, model: Model) -> Any:
    """The trace to where a check of `model` fails."""
    with pytest.raises(ModelError, match="raised ZeroDivisionError") as caught:
        check(model, **way.options)
    trace = caught.value.trace
    assert replay(model, trace.start, trace.moves).states == trace.states
    assert caught.value.__notes__[0].endswith(str(trace))
    return trace


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_an_error_that_a_state_causes_comes_with_the_way_there(way_in_process, part):
    trace = led_to(way_in_process, failing(part)())
    assert (len(trace), trace.last.n) == (PARTS[part] + 1, PARTS[part])


@pytest.mark.parametrize("part", ["action", "invariant", "constraint"])
def test_an_error_that_an_initial_state_causes_comes_with_that_state(way_in_process, part):
    trace = led_to(way_in_process, failing_initially(part)())
    assert (len(trace), trace.start, trace.last.n) == (1, 3, 3)


@pytest.mark.parametrize("part", PARTS)
def test_so_does_one_that_the_reference_search_meets(part):
    trace = led_to(ENGINES["reference"], failing(part)())
    assert (len(trace), trace.last.n) == (PARTS[part] + 1, PARTS[part])
    if part in ("action", "invariant", "constraint"):
        assert led_to(ENGINES["reference"], failing_initially(part)()).start == 3


@pytest.mark.spark
@pytest.mark.parametrize(
    ("name", "part"), [("spark", "action"), ("spark", "invariant"), *(("hand-over", part) for part in PARTS)]
)
def test_so_does_one_that_spark_meets(on_spark, name, part):
    """Most parts where the driver makes the levels: a job that fails is tried again and again."""
    trace = led_to(on_spark(name), failing(part)())
    assert (len(trace), trace.last.n) == (PARTS[part] + 1, PARTS[part])


@pytest.mark.spark
@pytest.mark.parametrize("part", ["action", "invariant", "constraint"])
def test_so_does_one_that_spark_meets_in_an_initial_state(on_spark, part):
    trace = led_to(on_spark("spark"), failing_initially(part)())
    assert (len(trace), trace.start, trace.last.n) == (1, 3, 3)


def expect_what_was_found(way: Way, part: str) -> Result:
    """What is decided stays decided beside the model's error, and nothing else holds."""
    result = check(failing_late(part)(), **way.options)
    assert {v.name: (v.word, v.trace_states) for v in result.verdicts if v.holds is not None} == {
        "Low": ("violated", 4),
        "Slow": ("violated", 3),
        "Two": ("reached", 3),
    }
    assert all(verdict.trace.last.n == verdict.trace_states - 1 for verdict in result.verdicts if verdict.trace)
    assert "raised ZeroDivisionError" in str(result.error)
    assert result.error.trace.last.n == PARTS[part]
    assert {v.why for v in result.undecided} == {f"an error of the model: {result.error}"} == {result.stopped}
    assert (result.holds, result.complete) == (False, False)
    alone = check(failing_late(part)(), ["Two", *failing(part).declared.properties], **way.options)
    assert (alone["Two"].holds, alone.holds) == (True, None)
    return result


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_what_is_decided_before_an_error_stays_decided(way_in_process, part):
    expect_what_was_found(way_in_process, part)


@pytest.mark.parametrize("part", PARTS)
def test_the_reference_search_keeps_what_it_has_decided(part):
    expect_what_was_found(ENGINES["reference"], part)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("name", "part"), [("spark", "action"), ("spark", "invariant"), *(("hand-over", part) for part in PARTS)]
)
def test_so_does_spark(on_spark, name, part):
    expect_what_was_found(on_spark(name), part)


@pytest.mark.slow
def test_all_reached_is_not_all_well_after_an_error(way):
    result = check(failing_late("action")(), ["Two"], **way.options)
    assert (result["Two"].word, result.holds) == ("reached", None)
    assert result.why == "an error of the model"


def test_what_is_decided_before_impure_code_is_noticed_stays_decided(way):
    class Rolling(Still):
        @action
        def roll(self, s):
            s.n = 1 + random.randrange(10**9)

        @invariant
        def Nothing(self, s):
            return False

        @invariant
        def Fine(self, s):
            return s.n >= 0

    result = check(Rolling(), ["Nothing", "Fine"], **way.options)
    assert [v.summary for v in result.verdicts] == ["violated (1 state)", "unknown"]
    assert "is not a function of the state" in str(result.error)


@pytest.mark.parametrize("name", ["reference", "local"])
def test_what_only_a_repetition_violates_is_not_decided(name):
    class Turning(Model):
        n = Variable(0)
        calls: ClassVar[list[int]] = []

        @action(stutters=True)
        def rest(self, s):
            s.n = 0

        @invariant
        def Fine(self, s):
            self.calls.append(s.n)
            return len(self.calls) == 1

        @invariant
        def Nothing(self, s):
            return s.n == 1

    result = check(Turning(), ["Fine", "Nothing"], **ENGINES[name].options)
    assert [v.summary for v in result.verdicts] == ["unknown", "violated (1 state)"]
    assert "is not a function of the state" in str(result.error)


def test_a_liveness_property_that_cannot_be_judged_leaves_what_is_violated(way):
    class Live(Still):
        @liveness
        def Fails(self):
            return eventually(lambda s: 1 // 0)

        @invariant
        def Fine(self, s):
            return s.n >= 0

        @invariant
        def Nothing(self, s):
            return False

    result = check(Live(), ["Fails", "Fine", "Nothing"], **way.options)
    assert [v.summary for v in result.verdicts] == ["unknown", "unknown", "violated (1 state)"]
    assert "ZeroDivisionError" in str(result.error)


def test_a_property_may_not_assign(way):
    class Assigning(Still):
        @invariant
        def Assigns(self, s):
            s.n = 3
            return True

    refused(way, Assigning, ModelError, r"only an action may assign|assigns to the state")


def test_names_that_are_words_of_the_model(way):
    for names in (["Stage", "Start"], ["Done", "x"], ["committed", "x"]):
        model = BakeryV2(Writers=names)
        with pytest.raises(InputError, match=r"the name '\w+' is also a text of the model's own"):
            check(model, ["UniqueTickets"], symmetry=True, **way.options)


def test_what_is_no_model(way):
    with pytest.raises(InputError, match="7 is not a model"):
        check(7, **way.options)


# A space without an end ----------------------------------------------------------------------------------------------


class EverNew(Model):
    """Two cells take new values for ever; one takes a few, and then no more."""

    n, k, log, few = Variable(0), Variable(0), Variable(()), Variable(0)

    @action
    def up(self, s):
        s.n += 1
        s.few = min(s.n, 4)

    @action
    def turn(self, s):
        s.k = 1 - s.k

    @action
    def add(self, s):
        s.log += (1,)

    @invariant
    def Early(self, s):
        return s.n < 9


GROWING = r"n, log take new values with every level, [\d,]+ values so far: unless something bounds them, .* no end"


@pytest.mark.slow
def test_what_only_grows_is_named_where_a_search_does_not_end(way):
    result = check(EverNew(), budget=Budget(states=150), **way.options)
    assert [note for note in result.notes if re.fullmatch(GROWING, note)]
    stopped = check(EverNew(), fail_fast=True, **way.options)
    assert stopped.notes == [note for note in stopped.notes if "new values" not in note]


@pytest.mark.slow
def test_what_is_bounded_is_not_said_to_grow(way_in_process):
    result = check(Bakery(), budget=Budget(states=3000), **way_in_process.options)
    assert not result.complete
    assert not any("new values" in note for note in result.notes)
