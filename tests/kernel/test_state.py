"""States, what changed between two of them, and traces that only the model itself can make."""

import threading

import pytest

from workbench.checking.check import check
from workbench.kernel import (
    Constant,
    Map,
    Model,
    ModelError,
    Names,
    SetOf,
    State,
    Variable,
    action,
    choose,
    invariant,
    machine_of,
    replay,
    require,
)
from workbench.kernel.meaning.cells import Cell, Whole
from workbench.kernel.meaning.state import Change, Draft, Layout, Reads, cells_of, changes_of, lines_of
from workbench.kernel.meaning.trace import Move


class Shop(Model):
    """Customers take what is in stock."""

    Customers = Constant(2, Names("c", range(1, 4)), "who buys")
    stock = Variable(Map({"apple": 1, "pear": 2}), doc="what is left")
    sold = Variable(0)
    basket = Variable(frozenset(), per="Customers")
    grid = Variable(None, per="places")
    places = ((1, "a"), (2, "b"))

    @action(c="Customers")
    def buy(self, s, c):
        """Take one thing."""
        what = choose(sorted(k for k, n in s.stock.items() if n), "what")
        require(what not in s.basket[c], f"{c} has one")
        s.stock = s.stock.set(what, s.stock[what] - 1)
        s.basket[c] |= {what}
        s.sold += 1

    @action(c="Customers")
    def wait(self, s, c):
        """Nothing happens."""
        s.sold = s.sold


MODEL = machine_of(Shop)
BUY, WAIT = 0, 2


def test_the_layout_numbers_cells_in_the_order_of_declaration():
    cells = "stock; sold; basket[c1]; basket[c2]; grid[1, a]; grid[2, b]"
    assert "; ".join(map(str, MODEL.layout.cells)) == cells


def test_a_state_reads_like_the_model_says():
    (start,) = MODEL.initial_states()
    assert start.values == (Map({"apple": 1, "pear": 2}), 0, frozenset(), frozenset(), None, None)
    assert start.stock["pear"] == 2
    assert start.basket["c1"] == frozenset()
    assert start.grid[1, "a"] is None
    assert list(start.basket) == ["c1", "c2"]
    assert "c3" not in start.basket
    assert dict(start.items())[Cell("sold", None)] == 0
    assert start.lines() == [
        "stock: {apple: 1, pear: 2}",
        "sold: 0",
        "basket: c1={}, c2={}",
        "grid: (1, a)=-, (2, b)=-",
    ]
    assert repr(start) == "\n".join(start.lines())
    assert repr(start.basket) == "basket[c1={}, c2={}]"


def test_a_variable_without_cells_is_not_shown():
    class Closed(Shop):
        places = ()

    assert machine_of(Closed()).layout.variables == ["stock", "sold", "basket"]
    start = Closed().initial_states()[0]
    assert start.lines() == ["stock: {apple: 1, pear: 2}", "sold: 0", "basket: c1={}, c2={}"]
    assert not start.grid


def test_a_state_does_not_change():
    (start,) = MODEL.initial_states()
    with pytest.raises(ModelError, match="only an action may assign: sold = 1"):
        start.sold = 1
    with pytest.raises(ModelError, match=r"only an action may assign: basket\[c1\] = -"):
        start.basket["c1"] = None
    with pytest.raises(ModelError, match="undeclared variable 'sould'"):
        start.sould = 1
    with pytest.raises(ModelError, match="undeclared variable 'sould'; declared: stock, sold, basket, grid"):
        start.sould  # noqa: B018 - the look alone is the error


def test_what_a_state_lacks_is_an_error_of_the_model_and_of_python():
    (start,) = MODEL.initial_states()
    assert (hasattr(start, "sold"), hasattr(start, "sould"), getattr(start, "sould", 7)) == (True, False, 7)
    assert (start.basket.get("c1"), start.basket.get("c9", 7)) == (frozenset(), 7)
    with pytest.raises(ModelError) as error:
        start.basket["c9"]
    assert str(error.value) == "basket has no index 'c9'; it has c1, c2"


class Printing(Shop):
    """Notes how its states are printed."""

    Goods = Constant(2, Names("g", range(1, 4)), "what there is")
    offered = SetOf("Goods", initial=frozenset({"g1"}))
    printed = Variable("")

    @action
    def note(self, s):
        s.sold = 7
        s.printed = ""
        s.offered |= {"g2"}
        s.printed = str(s).replace("\n", "; ")

    @invariant
    def NotYet(self, s):
        return not s.printed or f"{s.printed} | {s}"


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_in_model_code_a_state_is_printed_as_it_is(engine):
    why = check(Printing(Customers=1), ["NotYet"], engine=engine)["NotYet"].why
    drafted, seen = why.replace("\n", "; ").split(" | ")
    assert drafted == (
        "stock: {apple: 1, pear: 2}; sold: 7; basket: c1={}; grid: (1, a)=-, (2, b)=-; offered: {g1, g2}; printed: "
    )
    assert "offered: {g1, g2}" in seen


def test_states_are_equal_by_their_values():
    (start,) = MODEL.initial_states()
    same = MODEL.state(start.values)
    other = MODEL.state((*start.values[:-1], 1))
    assert (start == same, start == other, start == start.values) == (True, False, False)
    assert len({start, same, other}) == 2


def test_changes_are_cell_by_cell():
    ((_, after), _) = MODEL.outcomes(MODEL.instances[BUY], MODEL.initial_states()[0])
    (start,) = MODEL.initial_states()
    assert start.changes_to(after) == [
        Change(Cell("stock", None), Map({"apple": 1, "pear": 2}), Map({"apple": 0, "pear": 2})),
        Change(Cell("sold", None), 0, 1),
        Change(Cell("basket", "c1"), frozenset(), frozenset({"apple"})),
    ]
    assert start.changes_to(start) == []
    assert [c.after for c in after.changes_to(start)] == [c.before for c in start.changes_to(after)]


# Traces ------------------------------------------------------------------------------------------------------------


def test_a_trace_is_made_by_the_model():
    trace = replay(MODEL, 0, [(BUY, 0), (BUY + 1, 0), (WAIT, 0)])
    assert [(step.label, step.lane) for step in trace.steps] == [
        ("initial state", ""),
        ("buy(c1, what=apple)", ""),
        ("buy(c2, what=pear)", ""),
        ("wait(c1)", ""),
    ]
    assert len(trace) == len(trace.states) == 4
    assert trace.moves == [Move(0, 0), Move(1, 0), Move(2, 0)]
    assert trace.last.sold == 2
    assert [str(change.cell) for change in trace.changes(2)] == ["stock", "sold", "basket[c2]"]
    assert trace.changes(0) == trace.changes(3) == []
    assert all(isinstance(state, State) for state in trace.states)
    assert replay(MODEL, trace.start, trace.moves) == trace


def test_a_trace_prints_the_action_and_only_what_changed():
    assert repr(replay(MODEL, 0, [(BUY, 1)])).splitlines() == [
        "  1  initial state",
        "       stock: {apple: 1, pear: 2}",
        "       sold: 0",
        "       basket: c1={} (1 more, empty)",
        "       empty throughout: grid",
        "  2  buy(c1, what=pear)",
        "       stock[pear]: 2 -> 1",
        "       sold: 0 -> 1",
        "       basket[c1]: + pear",
    ]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (frozenset({1}), frozenset(), [("x", None, "- 1")]),
        (frozenset({1}), frozenset({1, 2, 3}), [("x", None, "+ 2, + 3")]),
        (Map({"a": 1, "b": 2}), Map({"a": 3, "c": 4}), [("x[a]", "1", "3"), ("x", None, "+ c: 4, - b")]),
        (Map({"a": ("m",)}), Map({"a": ("m", "n")}), [("x[a]", None, "+ n")]),
        ((), (None,), [("x", None, "+ -")]),
        (("a", "b", "c"), ("b", "c", "d"), [("x", None, "+ d, - a")]),
        (("a", "b", "a"), ("a", "b"), [("x", "(a, b, a)", "(a, b)")]),
        (("a", "a"), ("a", "b"), [("x[1]", "a", "b")]),
        (("a", "b"), ("b", "a"), [("x", "(a, b)", "(b, a)")]),
        (("a", "b"), ("c",), [("x", "(a, b)", "(c)")]),
        (Cell("n", 1), Cell("n", 2), [("x.index", "1", "2")]),
        (Cell("n", 1), Cell("m", 2), [("x", "Cell(variable=n, index=1)", "Cell(variable=m, index=2)")]),
        (Cell("n", 1), ("m", 2), [("x", "Cell(variable=n, index=1)", "(m, 2)")]),
        (frozenset(), (), [("x", "{}", "()")]),
        (None, 4, [("x", "-", "4")]),
    ],
)
def test_a_change_is_told_by_its_parts(before, after, told):
    assert [tuple(part) for part in Change(Cell("x", None), before, after).parts] == told


def test_a_lasso_goes_back_or_stops():
    around = replay(MODEL, 0, [(BUY, 0), (WAIT, 0)], loop=1)
    assert (len(around), around.loop, around.back.label, around.moves) == (2, 1, "wait(c1)", [(0, 0), (2, 0)])
    assert repr(around).splitlines()[-1].strip() == "wait(c1)  -> back to state 2, and so on for ever"
    stops = replay(MODEL, 0, [(BUY, 0)], loop=1)
    assert (len(stops), stops.loop, stops.back) == (2, 1, None)
    assert repr(stops).splitlines()[-1].strip() == "and stops for ever"


@pytest.mark.parametrize(
    ("start", "moves", "loop", "message"),
    [
        (1, [], None, "there is no initial state number 1; there are 1"),
        (-1, [], None, "there is no initial state number -1; there are 1"),
        (0, [(9, 0)], None, "step 1 names action instance 9; there are 4"),
        (0, [(0, 0), (-1, 0)], None, "step 2 names action instance -1; there are 4"),
        (0, [(WAIT, 0), (WAIT, 1)], None, r"step 2 cannot be wait\(c1\): it has 1 outcomes, not 2"),
        (0, [(0, 0), (0, 0), (0, 0)], None, r"step 3 cannot be buy\(c1\): c1 has one"),
        (0, [(0, 0), (1, 0)], 0, r"step 2 \(buy\(c2, what=pear\)\) does not lead back to state 1"),
        (0, [(WAIT, 0)], -1, r"step 1 \(wait\(c1\)\) does not lead back to state 0"),
    ],
)
def test_a_trace_that_the_model_cannot_do(start, moves, loop, message):
    with pytest.raises(ModelError, match=message):
        replay(MODEL, start, moves, loop)


def test_what_an_action_reads_is_kept_in_order_over_all_its_choices():
    (start,) = MODEL.initial_states()
    reads = Reads(start.values)
    outcomes, _ = MODEL.instances[BUY].run(reads)
    assert len(outcomes) == 2
    assert [(str(MODEL.layout.cells[cell]), value) for cell, value in reads.items()] == [
        ("stock", Map({"apple": 1, "pear": 2})),
        ("basket[c1]", frozenset()),
        ("sold", 0),
    ]


def test_one_model_serves_two_threads():
    """One thread asks while an action runs in the other one."""
    running, asked = threading.Event(), threading.Event()

    class Slow(Model):
        n = Variable(0)

        @action
        def step(self, s):
            value = s.n
            if threading.current_thread() is not threading.main_thread():
                running.set()
                assert asked.wait(300)
            s.n = value + 1

    model = machine_of(Slow())
    zero, seven = model.initial_states()[0], model.state([7])
    reached = []
    other = threading.Thread(target=lambda: reached.append(model.outcomes(model.instances[0], zero)[0][1].n))
    other.start()
    assert running.wait(300)
    assert model.outcomes(model.instances[0], seven)[0][1].n == 8
    asked.set()
    other.join()
    assert reached == [1]


# Variables that a language spreads over cells ------------------------------------------------------------------------


class Digits(Whole):
    """A number below 100 in two cells."""

    indices = ("tens", "ones")

    def __init__(self, first):
        self.first = first

    def value(self, row):
        return 10 * row[self.first] + row[self.first + 1]

    def contents(self, value):
        return {self.first: value // 10, self.first + 1: value % 10}


SPREAD = Layout({"head": None, "count": None, "pc": ["w1"]}, wholes={"count": Digits(1)})


def spread(row):
    return SPREAD.bind(State)(SPREAD, row)


def test_people_see_a_spread_variable_whole():
    before, after = spread((0, 1, 9, "a")), spread((0, 2, 0, "a"))
    assert list(cells_of(before)) == [(Cell("head", None), 0), (Cell("count", None), 19), (Cell("pc", "w1"), "a")]
    assert changes_of(before, after) == [Change(Cell("count", None), 19, 20)]
    assert lines_of(after) == ["head: 0", "count: 20", "pc: w1=a"]
    assert (after.count, after.pc["w1"]) == (20, "a")


def test_engines_see_the_cells_of_a_spread_variable():
    assert SPREAD.cells == [Cell("head", None), Cell("count", "tens"), Cell("count", "ones"), Cell("pc", "w1")]
    assert SPREAD.cells_of("count") == [1, 2]
    assert SPREAD.positions == {"head": 0, "count": 1, "pc": {"w1": 3}}
    assert [str(cell) for cell in SPREAD.shown_of] == ["head", "count", "count", "pc[w1]"]
    assert SPREAD.put({Cell("count", None): 42}) == SPREAD.seek({Cell("count", None): 42}) == {1: 4, 2: 2}


def test_a_spread_variable_is_read_and_written_by_cells():
    reads = Reads((0, 1, 9, "a"))
    draft = SPREAD.draft()
    draft._start(reads)
    draft.count = draft.count + 2
    assert (list(reads), draft._writes) == ([1, 2], {1: 2, 2: 1})
    assert draft.count == 21
    assert isinstance(draft, Draft)
