"""The modelling language: what a declaration means, and a clear error for everything that breaks the rules."""

import copy
import itertools
import pickle
import random
import re
from typing import Any, NamedTuple

import pytest

from workbench.checking.check import check
from workbench.kernel import ModelError, machine_of, search
from workbench.kernel.meaning.budget import Budget
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2


class Point(NamedTuple):
    x: int
    y: int


class Base(Model):
    """Variables of every shape, and no action: tests add one."""

    Actors = Constant(2, Names("p", range(1, 4)), "who acts")
    n = Variable(0)
    pair = Variable((1, 2))
    stock = Variable(Map({"a": 1}))
    point = Variable(Point(1, 2))
    pc = Variable("A", per="Actors")


def model_with(**declared):
    if not any(type(what).__name__ == "Action" for what in declared.values()):
        declared["step"] = action(lambda self, s: None)
    return type("Toy", (Base,), declared)


def run(body):
    """Search a model whose only action does what `body` says."""
    return search(model_with(step=action(lambda self, s: body(self, s)))(), budget=Budget(states=20))


def plain(error):
    """What an error says, but for the place in this file."""
    return re.sub(r" \(test_model\.py:\d+\)", "", str(error.value))


def set_(target, name, value):
    setattr(target, name, value)


def put(target, key, value):
    target[key] = value


CALLS = itertools.count()
FIVE: Any = 5


class Outside:
    calls = 0


def counts_on_a_class(self, s):
    Outside.calls += 1
    s.n = Outside.calls


def counts_on_its_own_class(self, s):
    type(self).calls = getattr(type(self), "calls", 0) + 1
    s.n = type(self).calls


@pytest.mark.parametrize(
    ("body", "message"),
    [
        # Changing a value in place
        (lambda self, s: put(s.pair, 0, 9), "TypeError: 'tuple' object does not support item assignment"),
        (lambda self, s: put(s.stock, "a", 9), "a Map is immutable: use map.set(key, value) and assign the result"),
        (lambda self, s: set_(s.point, "x", 9), "AttributeError: can't set attribute"),
        # What cannot be in a state
        (lambda self, s: set_(s, "n", [1]), "a list cannot be part of a state ([1]); use None, bool, int, str, tuple"),
        (lambda self, s: set_(s, "n", (1, {})), "a dict cannot be part of a state ({})"),
        (lambda self, s: put(s.pc, "p1", {1}), "a set cannot be part of a state ({1})"),
        (lambda self, s: set_(s, "n", 0.5), "a float cannot be part of a state (0.5)"),
        (lambda self, s: set_(s, "n", s.pc), "a Indexed cannot be part of a state (pc[p1=A, p2=A])"),
        # Names and indices
        (lambda self, s: s.foo, "undeclared variable 'foo'; declared: n, pair, stock, point, pc"),
        (lambda self, s: set_(s, "_foo", 1), "undeclared variable '_foo'; declared: n, pair, stock, point, pc"),
        (lambda self, s: s.pc["p9"], "pc has no index 'p9'; it has p1, p2"),
        (lambda self, s: put(s.pc, "p9", "B"), "pc has no index 'p9'; it has p1, p2"),
        (lambda self, s: s.pc[["p1"]], "pc has no index ['p1']; it has p1, p2"),
        (lambda self, s: set_(s, "pc", "B"), "pc has one cell per index: assign to s.pc[...]"),
        (lambda self, s: put(s.n, "p1", 1), "'int' object does not support item assignment"),
        # Not a function of the state
        (lambda self, s: set_(s, "n", random.randrange(10**9)), "step is not a function of the state: run twice"),
        (lambda self, s: set_(s, "n", next(CALLS)), "step is not a function of the state: run twice"),
        (counts_on_a_class, "step is not a function of the state: run twice"),
        (counts_on_its_own_class, "step is not a function of the state: run twice"),
        (
            lambda self, s: choose(range(1, 2 + next(CALLS))),
            "nondeterministic: a choice had other options when it was run again",
        ),
        # choose, and whatever else goes wrong
        (lambda self, s: choose(5), "TypeError: 'int' object is not iterable"),
        (lambda self, s: choose([[1]]), "a list cannot be part of a state ([1])"),
        (lambda self, s: choose({0.5}), "a float cannot be part of a state (0.5)"),
        (lambda self, s: 1 / s.n, "action step raised ZeroDivisionError: division by zero"),
    ],
)
def test_misuse_in_an_action(body, message):
    with pytest.raises(ModelError) as caught:
        run(body)
    text = plain(caught)
    assert text.startswith("action step")
    assert message in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda self, s: 1, "invariant P returned 1; it must return True or False, or a text that says what is wrong"),
        (lambda self, s: s.pc, "invariant P returned pc[p1=A, p2=A];"),
        (lambda self, s: s.foo, "property P: undeclared variable 'foo'"),
        (lambda self, s: put(s.pc, "p1", "B"), "property P: only an action may assign: pc[p1] = B"),
        (lambda self, s: set_(s, "foo", 1), "property P: undeclared variable 'foo'"),
        (lambda self, s: set_(self, "seen", 1), "property P: self.seen may not be assigned: what changes belongs in"),
        (lambda self, s: 1 // s.n, "property P raised ZeroDivisionError: integer division"),
    ],
)
def test_misuse_in_a_property(body, message):
    with pytest.raises(ModelError) as caught:
        search(model_with(P=invariant(lambda self, s: body(self, s)))())
    assert plain(caught).startswith(message)


def one(self, s):
    """An action or invariant without parameters."""


def two(self, s, p):
    """One with a parameter."""


def alone(self):
    """Neither."""


actors = Process(per="Actors")


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: action(p="Actors")(one), "one takes the parameters () but declares domains for (p)"),
        (lambda: action(q="Actors")(two), "two takes the parameters (p) but declares domains for (q)"),
        (lambda: action("actors"), "'actors' is not a Process: write @action(writer), with writer = Process(...)"),
        (lambda: action(fair="very"), "fair = 'very' is not known; it takes 'weak', 'strong' or False"),
        (lambda: invariant(two), "two takes the parameters (p) but declares domains for ()"),
        (lambda: reachable(two), "two takes the parameters (p) but declares domains for ()"),
        (lambda: liveness(one), "one takes the parameters (s) but declares domains for ()"),
        (lambda: model_with(step=action(Process())(one)), "Toy: the process of step has no name in a class"),
        (lambda: model_with(symmetry=("n",)), "Toy: symmetry names 'n', which is not a set of names"),
        (lambda: model_with(symmetry="Actors"), "Toy: symmetry = 'Actors' is not a tuple of names of sets"),
        (lambda: model_with(_n=Variable(0)), "Toy: no variable may be called '_n'"),
        (lambda: model_with(symmetry=Constant(1, range(3), "")), "Toy: no constant may be called 'symmetry'"),
        (lambda: model_with(renamings=action(one)), "Toy: no action may be called 'renamings'"),
        (lambda: model_with(fairness=invariant(one)), "Toy: no invariant may be called 'fairness'"),
    ],
)
def test_misuse_in_a_declaration(declare, message):
    with pytest.raises(ModelError) as caught:
        declare()
    assert plain(caught).startswith(message)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"x": Variable(0, per=FIVE)}, "Toy has no 5 to range over"),
        ({"step": action(p="rest")(two), "rest": action(one)}, "Toy has no 'rest' to range over"),
        ({"step": action(p="most")(two), "most": 3}, "most is 3, which has no members to range over"),
        ({"step": action(p="word")(two), "word": "ab"}, "word is 'ab', which has no members to range over"),
    ],
)
def test_misuse_that_shows_when_the_model_is_made(declared, message):
    with pytest.raises(ModelError) as caught:
        model_with(**declared)()
    assert plain(caught).startswith(message)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (
            {"x": Variable(lambda m, p: [p], per="Actors")},
            "the initial value of x[p1]: a list cannot be part of a state",
        ),
        ({"x": Variable(lambda m, p: 1)}, "the initial value of x raised TypeError: "),
        ({"go": initial(lambda self, s: choose([]))}, "Toy has no initial state: nothing to choose from"),
        (
            {"go": initial(lambda self, s: set_(s, "n", next(CALLS)))},
            "action initial is not a fun",
        ),
    ],
)
def test_misuse_that_shows_in_the_initial_states(declared, message):
    with pytest.raises(ModelError) as caught:
        model_with(**declared)().initial_states()
    assert plain(caught).startswith(message)


def test_a_model_needs_variables_and_actions():
    with pytest.raises(ModelError, match="Base declares no action"):
        Base()
    with pytest.raises(ModelError, match="NoVariable declares no variable"):
        type("NoVariable", (Model,), {"step": action(one)})()


def test_a_model_does_not_change():
    model = Bakery()
    with pytest.raises(ModelError, match=r"self\.MaxCrashes may not be assigned"):
        model.MaxCrashes = 2


def test_choose_outside_an_action():
    with pytest.raises(ModelError, match=r"choose\(\) may be called only inside an action"):
        choose([1, 2])


def test_choose_of_nothing_disables():
    model = machine_of(model_with(step=action(lambda self, s: choose(frozenset(), "claim")))())
    (instance,) = model.instances
    (start,) = model.initial_states()
    assert model.outcomes(instance, start) == []
    assert model.why_disabled(instance, start) == "nothing to choose from for claim"


def test_choose_takes_sets_in_canonical_order_and_names_the_step():
    def step(self, s):
        s.n = choose(frozenset({"b", "a", 3}), "what")
        s.pair = choose([(), (1,)])

    model = machine_of(model_with(step=action(step))())
    found = model.outcomes(model.instances[0], model.initial_states()[0])
    assert [after.n for _, after in found] == [3, 3, "a", "a", "b", "b"]
    assert [dict(outcome.choices)["what"] for outcome, _ in found] == [3, 3, "a", "a", "b", "b"]
    assert [after.pair for _, after in found] == [(), (1,)] * 3


def test_a_later_choice_may_depend_on_an_earlier_one():
    def step(self, s):
        first = choose([1, 2, 3])
        require(first != 2, "two is not allowed")
        s.n = (first, choose(range(first)))

    model = machine_of(model_with(step=action(step))())
    (start,) = model.initial_states()
    found = model.outcomes(model.instances[0], start)
    assert [after.n for _, after in found] == [(1, 0), (3, 0), (3, 1), (3, 2)]
    assert model.why_disabled(model.instances[0], start) is None


def test_assignments_are_seen_by_later_reads_of_the_same_action_alone():
    def step(self, s):
        s.n += 1
        s.n += 1
        s.pc["p1"] = f"at {s.n}"
        s.pair = tuple(s.pc.values())

    model = machine_of(model_with(step=action(step))())
    (start,) = model.initial_states()
    ((_, after),) = model.outcomes(model.instances[0], start)
    assert (after.n, after.pair) == (2, ("at 2", "A"))
    assert (start.n, start.pc["p1"]) == (0, "A")


def test_why_disabled_says_every_reason_once():
    def step(self, s):
        which = choose(["a", "b", "c"])
        require(which == "c", "neither a nor b")
        require(s.n == 1, f"n is {s.n}")

    model = machine_of(model_with(step=action(step))())
    assert model.why_disabled(model.instances[0], model.initial_states()[0]) == "neither a nor b; n is 0"


def test_initial_states_may_be_chosen():
    def go(self, s):
        for p in self.Actors:
            s.pc[p] = choose(["A", "B"], p)
        s.n = len(set(s.pc.values()))

    model = model_with(go=initial(go))()
    found = ["".join(s.pc.values()) + str(s.n) for s in model.initial_states()]
    assert found == ["AA1", "AB2", "BA2", "BB1"]
    assert search(model).levels == [4]


def test_the_same_initial_state_twice_is_one():
    model = model_with(go=initial(lambda self, s: set_(s, "n", choose([1, 2, 3]) % 2)))()
    assert [s.n for s in model.initial_states()] == [1, 0]


def test_what_a_parameter_ranges_over():
    class Domains(Base):
        rows = Variable(0, per="grid")
        grid = ((1, "a"), (1, "b"))
        colours = frozenset({"red", "blue"})

        def sizes(self):
            return range(len(self.Actors))

        @action(p="Actors", size="sizes")
        def grow(self, s, p, size):
            s.n = (p, size)

        @action(c="colours")
        def paint(self, s, c):
            s.rows[1, "b"] = c

    model = machine_of(Domains())
    sizes = [f"grow(p={p}, size={size})" for p in ("p1", "p2") for size in (0, 1)]
    assert [i.label for i in model.instances] == [*sizes, "paint(blue)", "paint(red)"]
    assert [i.number for i in model.instances] == list(range(6))
    assert [str(cell) for cell in model.layout.cells if cell.variable == "rows"] == ["rows[1, a]", "rows[1, b]"]


def test_processes_give_lanes_and_fairness():
    worker, helper = Process(per="Actors", fair="weak"), Process(fair="strong")
    model = model_with(
        worker=worker,
        helper=helper,
        work=action(worker)(two),
        rest=action(worker, fair=False)(two),  # left out of the process's fairness
        hurry=action(worker, fair="strong")(two),  # a condition of its own
        help=action(helper)(one),
        other=action(one),
    )()
    assert [(i.label, i.lane) for i in machine_of(model).instances][::2] == [
        ("work(p1)", "p1"),
        ("rest(p1)", "p1"),
        ("hurry(p1)", "p1"),
        ("help", "helper"),
    ]
    number = {i.label: i.number for i in machine_of(model).instances}
    assert [(f.label, f.strong, f.actions) for f in model.fairness()] == [
        ("p1", False, {number["work(p1)"]}),
        ("p2", False, {number["work(p2)"]}),
        ("hurry(p1)", True, {number["hurry(p1)"]}),
        ("hurry(p2)", True, {number["hurry(p2)"]}),
        ("helper", True, {number["help"]}),
    ]


def test_a_declaration_is_called_what_the_class_calls_it():
    model = machine_of(model_with(Small=invariant(lambda self, s: s.n == 0))())
    assert (model.declared.properties["Small"].name, model.instances[0].label) == ("Small", "step")
    assert search(model)["Small"].holds is True


@pytest.mark.parametrize(
    "model", [Bakery(), BakeryV2(Writers=["a1", "a2", "b1"], NodeParts=[["a1", "a2"], ["b1"]], AsyncParquet=True)]
)
@pytest.mark.parametrize("again", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_a_model_survives_the_way_to_another_process(model, again):
    other = again(model)
    assert other is not model
    assert (type(other), other.constants, repr(other)) == (type(model), model.constants, repr(model))
    assert [i.label for i in machine_of(other).instances] == [i.label for i in machine_of(model).instances]
    assert [s.values for s in other.initial_states()] == [s.values for s in model.initial_states()]


def test_variables_may_be_called_like_what_the_engine_does():
    """An engine may keep notes in the drafts that it hands to actions, but under names that no variable has."""

    class Rows(Model):
        read = Variable(0)
        row = Variable(0)
        source = Variable(0)
        begin = Variable(0)

        @action
        def step(self, s):
            s.row, s.source, s.begin = s.begin, s.row, 1 - s.read
            s.read = s.source

        @liveness
        def Settles(self):
            return eventually(lambda s: s.read == 2)

    slow, fast = (check(Rows(), engine=engine) for engine in ("reference", "local"))
    assert (fast.levels, fast.generated) == (slow.levels, slow.generated)
    assert fast["Settles"].why == slow["Settles"].why
