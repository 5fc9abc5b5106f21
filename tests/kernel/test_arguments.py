"""What callers give as they have it: numbers of NumPy's, and a single name where a list of names is expected."""

import numpy as np
import pytest

from workbench.checking.check import check
from workbench.checking.contract import Auto
from workbench.checking.questions import whatif
from workbench.checking.questions.constant_grid import fill
from workbench.checking.questions.explain import explain
from workbench.checking.spaces.space import explore
from workbench.checking.walks.result import WalkRule
from workbench.checking.walks.simulate import simulate
from workbench.formats.code import check_as_code, trace_as_code
from workbench.formats.permalink import permalink
from workbench.kernel import Constant, InputError, Names, machine_of, replay
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.domains import OneOf
from workbench.kernel.meaning.plan import Fingerprints, make_plan
from workbench.kernel.meaning.search import search
from workbench.protocols.bakery.model import Bakery
from workbench.showing import view
from workbench.showing.panel import Simulator, TracePlayer
from workbench.showing.session import Session, start_from
from workbench.showing.view.charts.charts import verdict_map
from workbench.showing.view.graph.selection import alternatives, neighbourhood, projection

SMALL = Bakery(Writers=2, MaxCrashes=0)
NAME = "NoLakekeeperConflict"
WATCH = "s.next_ticket"


@pytest.mark.parametrize(
    ("domain", "given", "value"),
    [
        (range(4), np.int64(2), 2),
        (range(4), np.uint8(3), 3),
        (bool, np.bool_(True), True),
        (range(4), np.array(3), 3),
        ((3, 5), np.int32(5), 5),
        (list(np.arange(3)), 1, 1),
        ({1: "one", 2: "two"}, np.int64(2), 2),
        (Names("w", range(1, 4)), np.int64(2), ("w1", "w2")),
    ],
)
def test_a_constant_takes_numbers_of_numpy(domain, given, value):
    parsed = Constant(value, domain, "").parse("K", given)
    assert parsed == value
    assert "numpy" not in {type(one).__module__ for one in (parsed, *getattr(parsed, "values", tuple)())}


def test_domains_are_of_pythons_numbers():
    assert set(map(type, OneOf(list(np.arange(3))))) == {int}


def test_budgets_and_other_integers_may_be_numpys():
    few, engine, wide = Budget(states=np.int64(20)), Auto(workers=np.int64(2)), Fingerprints(bits=np.int64(128))
    assert check(SMALL, budget=few, engine=engine, fingerprints=wide).distinct == 20
    assert check(SMALL, engine=Auto(hand_over_states=np.int64(10**6)), budget=Budget(bytes=np.int64(2**30))).complete
    budget = Budget(np.int64(1), np.float32(0.5), np.int64(3), np.int64(4))
    assert [type(bound) for bound in vars(budget).values()] == [int, float, int, int]
    rule = WalkRule(depth=np.int64(4), seed=np.uint8(3))
    assert [type(number) for number in (rule.depth, rule.seed)] == [int, int]
    assert simulate(SMALL, [], rule=WalkRule(walks=np.int64(5)), workers=np.int64(1), shorten=np.int64(0)).walks == 5
    assert simulate(SMALL, [], rule=WalkRule(seconds=np.float32(600), walks=1)).walks
    assert type(make_plan(SMALL, fingerprints=Fingerprints(bits=np.int64(64))).bits) is int


def test_the_number_of_a_state_may_be_numpys():
    space = explore(SMALL, [])
    found = np.flatnonzero(space.where(lambda s: s.decision["w1"] == "committed"))
    assert neighbourhood(space, found[0]) == neighbourhood(space, int(found[0]))


def test_a_grid_may_hold_numbers_of_numpy():
    grid = {"Writers": list(np.arange(1, 3)), "LazyReap": [np.bool_(True)]}
    filled = fill(Bakery, grid, NAME, constants={"MaxCrashes": np.int64(0)}, budget=Budget(states=np.int64(50)))
    assert [cell.setting for cell in filled.cells] == [{"Writers": n, "LazyReap": True} for n in (1, 2)]
    assert {type(value) for cell in filled.cells for value in cell.constants.values()} <= {int, bool}
    assert list(filled.table["complete"]) == [True, False]


@pytest.mark.slow
def test_a_single_name_is_one_name():
    walked = simulate(SMALL, NAME, rule=WalkRule(walks=1))
    for judged in (check(SMALL, NAME), search(SMALL, NAME), explore(SMALL, NAME).result, walked):
        assert [verdict.name for verdict in judged.verdicts] == [NAME]
    assert check(SMALL, NAME, symmetry="Writers").symmetry == ("Writers",)
    assert machine_of(SMALL).applicable(NAME) == [NAME]
    assert SMALL.renamings("Writers") == SMALL.renamings(["Writers"])
    assert whatif.flips(SMALL, NAME, budget=Budget(states=20))[0].before.verdicts[0].name == NAME
    assert whatif.repairs(Bakery(Writers=2, LazyReap=False), "NonCrashedProgress", NAME, most=1).found


def test_a_single_column_is_one_column():
    table = fill(Bakery, {"Writers": [1, 2]}, NAME, constants={"MaxCrashes": 0}, symmetry="Writers").table
    assert table.attrs["properties"] == [NAME]
    assert str(explain(table, NAME, "Writers").rule) == str(explain(table, NAME, ["Writers"]).rule)
    assert verdict_map(table, "Writers", properties=NAME) == verdict_map(table, ["Writers"], properties=[NAME])


def test_a_single_variable_or_expression_is_one():
    trace, space = replay(SMALL, 0, [(0, 0)]), explore(SMALL, [])
    shown = view.trace_view(trace, variables="claims", properties=NAME, watches=WATCH)
    assert [watch.expression for watch in shown.watches] == [WATCH]
    assert projection(space, "claims").title.endswith("seen through claims")
    assert alternatives(trace, variables="claims") == alternatives(trace, variables=["claims"])
    assert permalink(trace, WATCH) == permalink(trace, [WATCH])
    assert trace_as_code(trace, WATCH) == trace_as_code(trace, [WATCH])
    assert check_as_code(SMALL, NAME) == check_as_code(SMALL, [NAME])


def test_a_single_name_is_one_in_a_panel():
    session = Session(start_from(SMALL))
    session.watch(WATCH)
    assert session.watches == (WATCH,)
    assert session.settings.with_ticked(NAME).applicable() == [NAME]
    assert session.settings.with_symmetry("Writers").symmetry == ("Writers",)
    trace = replay(SMALL, 0, [])
    simulator = Simulator(trace, np.int64(0))
    simulator.check(NAME)
    simulator.watch(WATCH)
    assert simulator.watches == TracePlayer(trace, watches=WATCH).watches == (WATCH,)


def number(given):
    return Constant(1, range(4), "").parse("K", given)


@pytest.mark.parametrize(
    ("call", "given", "line"),
    [
        (number, np.int64(7), "K = 7 is not accepted; it takes an integer from 0 to 3"),
        (number, np.float64(1.5), "K = 1.5 is not accepted; it takes an integer from 0 to 3"),
        (number, np.bool_(True), "K = True is not accepted; it takes an integer from 0 to 3"),
        (Budget, np.bool_(True), "states = .* is not accepted; it takes an integer above 0"),
        (
            lambda n: check(SMALL, engine=Auto(workers=n)),
            np.float64(2),
            "workers = .* is not accepted; it takes an integer from 1 to",
        ),
        (lambda n: check(SMALL, n), 5, "properties = 5 is not accepted; it takes a name, or a list of names"),
        (lambda n: check(SMALL, symmetry=n), 5, "symmetry = 5 is not accepted; it takes a name, or a list of names"),
    ],
)
def test_what_is_refused_is_said_as_what_it_is(call, given, line):
    with pytest.raises(InputError, match=f"^{line}"):
        call(given)
