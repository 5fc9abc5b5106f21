"""Models that are wrong in ways that are easily overlooked: each is refused, by every engine in the same words."""

import asyncio
import functools
import sys
import time

import pytest

from tests.command import python
from workbench.checking.check import check
from workbench.kernel import ModelError
from workbench.kernel.model import model_object
from workbench.language import *

ENGINES = ("reference", "local")
engines = pytest.mark.parametrize("engine", ENGINES)


class Counter(Model):
    """Counts to three."""

    n = Variable(0)

    @action
    def step(self, s):
        require(s.n < 3, "enough")
        s.n += 1

    @invariant
    def Small(self, s):
        return s.n <= 3


def refused(declared, engine="reference", base=Counter, **options):
    """The error for a model with something declared in addition."""
    with pytest.raises(ModelError) as caught:
        check(type("Toy", (base,), declared)(), engine=engine, **options)
    text = str(caught.value)
    assert "\n" not in text
    return text


# What is the same, and what only looks the same -----------------------------------------------------------------------

ALIKE = [(1, "1"), (True, "TRUE"), (None, "-"), (("a", "b"), "(a, b)"), (frozenset({1}), "{1}")]


@engines
@pytest.mark.parametrize("members", ALIKE, ids=str)
@pytest.mark.parametrize("fair", ["process", "action"])
def test_members_that_look_alike_have_a_fairness_each(members, fair, engine):
    """Only one of them works again and again; taken for one condition, its steps would do for both."""

    class Workers(Model):
        workers = members
        worker = Process(per="workers", fair="weak" if fair == "process" else None)
        done = Variable(0, per="workers")

        @action(worker, fair=None if fair == "process" else "weak")
        def work(self, s, w):
            s.done[w] = 1 - s.done[w]

        @liveness(w="workers")
        def Works(self, w):
            return always_eventually(lambda s: s.done[w] == 1)

    model = Workers()
    assert [condition.actions for condition in model.fairness()] == [{0}, {1}]
    assert len({condition.label for condition in model.fairness()}) == 2
    assert len({instance.label for instance in model.instances}) == 2
    assert len({instance.lane for instance in model.instances}) == 2
    assert check(model, engine=engine)["Works"].holds is True


def test_members_that_are_equal_are_one():
    with pytest.raises(ModelError, match="which holds a member twice"):
        type("Toy", (Counter,), {"m": (True, 1), "x": Variable(0, per="m")})()


# Functions of the state -----------------------------------------------------------------------------------------------


class Cached(Model):
    """Remembers what it should ask."""

    a = Variable(0)
    b = Variable(0)

    @functools.cache  # noqa: B019 - that is the mistake
    def done(self, s):
        return s.b > 2

    @action
    def first(self, s):
        require(s.a < 3, "enough")
        s.a += 1

    @action
    def second(self, s):
        require(s.a > 0 and not self.done(s), "done")
        s.b += 1


@engines
def test_what_depends_on_the_state_is_not_cached(engine):
    with pytest.raises(ModelError, match=r"action second \(test_misuse.py:\d+\): what an action or a property"):
        check(Cached(), engine=engine)


@engines
def test_nor_in_a_property(engine):
    declared = {"known": functools.cache(lambda self, s: s.n < 3), "P": invariant(lambda self, s: self.known(s))}
    assert "what an action or a property sees of a state cannot be a key" in refused(declared, engine)


@engines
def test_nor_in_a_formula(engine):
    known = functools.cache(lambda s: s.n == 3)
    text = refused({"P": liveness(lambda self: eventually(lambda s: known(s)))}, engine)
    assert "what an action or a property sees of a state cannot be a key" in text


def test_reads_that_end_sooner_than_the_time_before_are_noticed():
    """Otherwise nothing would be remembered of them, and the engine would ask again and again."""
    asked = []

    def forgetful(self, s):
        require(s.a >= 0 and (len(asked) > 40 or s.b >= 0) and s.a < 50, "end")
        asked.append(1)
        s.a += 1

    class Forgetful(Model):
        a = Variable(0)
        b = Variable(0)
        step = action(forgetful)

        @action
        def other(self, s):
            require(s.a in (20, 30), "not now")
            s.b += 1

    with pytest.raises(ModelError, match=r"step \(.*\) is not a function of the state: after the same reads it read"):
        check(Forgetful(), engine="local", max_states=500)


# Declarations ---------------------------------------------------------------------------------------------------------


@engines
def test_a_model_without_a_cell_is_refused(engine):
    class Empty(Model):
        nobody = ()
        x = Variable(0, per="nobody")

        @action
        def step(self, s):
            pass

    with pytest.raises(ModelError, match=r"^Empty has no cell"):
        check(Empty(), engine=engine)


class Fair(Model):
    """A process that gets there if it goes on."""

    p = Process(fair="weak")
    x = Variable(0)

    @action(p)
    def go(self, s):
        require(s.x == 0, "gone")
        s.x = 1

    @liveness
    def Goes(self):
        return eventually(lambda s: s.x == 1)


@engines
def test_a_subclass_replaces_a_process_for_inherited_actions_too(engine):
    class Unfair(Fair):
        p = Process()

    assert check(Fair(), engine=engine)["Goes"].holds is True
    assert Unfair().fairness() == []
    assert check(Unfair(), engine=engine)["Goes"].holds is False
    assert len(Fair().fairness()) == 1


class PerMember(Model):
    """A process per member."""

    one, two = ("a",), ("b", "c")
    p = Process(per="one", fair="weak")
    x = Variable(0, per="two")

    @action(p, v="two")
    def go(self, s, w, v):
        s.x[v] = 1


def test_the_members_of_a_process_that_was_replaced_are_the_new_ones():
    class Other(PerMember):
        p = Process(per="two")

    assert [i.label for i in PerMember().instances] == ["go(a, v=b)", "go(a, v=c)"]
    assert [i.label for i in Other().instances] == ["go(b, v=b)", "go(b, v=c)", "go(c, v=b)", "go(c, v=c)"]


def test_a_process_is_not_replaced_by_one_of_another_kind():
    with pytest.raises(ModelError, match=r"^One: p is one process, but go was written for a process per member"):
        type("One", (PerMember,), {"p": Process()})
    with pytest.raises(ModelError, match=r"^Many: p is a process per member, but go was written for one"):
        type("Many", (Fair,), {"p": Process(per="x")})


def test_a_second_name_does_not_rename_a_process():
    class Same(Fair):
        q = Fair.p

    assert (Fair.p.name, Fair().instances[0].lane, len(Same().fairness())) == ("p", "p", 1)


def numbers():
    yield 1


async def sleeps(self, s):
    s.n = 1


def yields(self, s):
    s.n = yield


def alone(self):
    yield eventually(lambda s: True)


@pytest.mark.parametrize(
    "declare",
    [
        lambda: action(yields),
        lambda: action(sleeps),
        lambda: invariant(yields),
        lambda: reachable(sleeps),
        lambda: liveness(alone),
        lambda: initial(yields),
    ],
)
def test_a_function_that_stops_in_the_middle_is_refused(declare):
    with pytest.raises(ModelError, match=r"^\w+ \(test_misuse.py:\d+\) is a generator or async"):
        declare()


@engines
@pytest.mark.parametrize("kind", [action, initial])
@pytest.mark.parametrize("body", [yields, sleeps])
def test_a_result_that_has_only_begun_is_refused(body, kind, engine):
    text = refused({"go": kind(lambda self, s: body(self, s))}, engine)
    assert "it is a generator or async, so that calling it does nothing" in text


def test_validate_is_a_plain_function():
    async def validate(self):
        await asyncio.sleep(0)

    assert refused({"validate": validate}).startswith("validate of Toy: it is a generator or async")


@pytest.mark.parametrize("make", [lambda: iter((1, 2)), lambda: (i for i in (1, 2)), numbers, lambda: map(abs, (1,))])
def test_a_domain_that_is_used_up_is_refused(make):
    def validate(self):
        self.domain = make()

    message = "Toy: domain is an iterator, which its first user uses up; make it a tuple (test_misuse.py:"
    assert refused({"domain": make(), "go": action(d="domain")(lambda self, s, d: None)}).startswith(message)
    assert refused({"domain": make()}).startswith(message)
    assert refused({"validate": validate}).startswith(message)


def test_a_method_may_make_its_members_one_by_one():
    class Toy(Counter):
        def domain(self):
            yield from (1, 2)

        @action(d="domain")
        def go(self, s, d):
            require(s.n + d <= 3, "enough")
            s.n += d

    assert [i.label for i in Toy().instances] == ["step", "go(1)", "go(2)"]


def leave(*_):
    sys.exit(0)


@engines
@pytest.mark.parametrize(
    ("declared", "what"),
    [
        ({"go": action(lambda self, s: leave())}, "action go"),
        ({"P": invariant(lambda self, s: leave())}, "property P"),
        ({"P": reachable(lambda self, s: leave())}, "property P"),
        ({"P": liveness(lambda self: leave())}, "property P"),
        ({"P": liveness(lambda self: eventually(lambda s: leave()))}, "property P"),
        ({"go": initial(lambda self, s: leave())}, "action initial"),
        ({"x": Variable(leave)}, "the initial value of x"),
        ({"x": Variable(0, per="domain"), "domain": leave}, "domain of Toy"),
        ({"P": invariant(when=leave)(lambda self, s: True)}, "when of P"),
        ({"validate": leave}, "validate of Toy"),
    ],
)
def test_a_model_does_not_end_the_program(declared, what, engine):
    text = refused(declared, engine)
    assert text.startswith(f"{what} (test_misuse.py:")
    assert text.endswith(") raised SystemExit: 0")


# Errors ---------------------------------------------------------------------------------------------------------------


class Unspeakable(Exception):
    """Has no text."""

    def __str__(self):
        raise RuntimeError


def speechless(*_):
    raise Unspeakable


@engines
@pytest.mark.parametrize(
    "declared",
    [
        {"go": action(lambda self, s: speechless())},
        {"P": invariant(lambda self, s: speechless())},
        {"x": Variable(speechless)},
        {"validate": speechless},
    ],
)
def test_an_error_without_a_text_is_one_all_the_same(declared, engine):
    assert "raised Unspeakable: (its text is not known: that raised RuntimeError)" in refused(declared, engine)


def test_what_validate_raises_is_named_but_for_bad_input():
    def validate(self):
        raise InputError("constants do not go together")

    with pytest.raises(InputError, match=r"^constants do not go together$"):
        type("Toy", (Counter,), {"validate": validate})()
    assert " raised ZeroDivisionError: " in refused({"validate": lambda self: 1 // 0})


def test_an_error_tells_the_line_of_the_models_code():
    def helper(s):
        return {}[s.n]  # the line

    line = helper.__code__.co_firstlineno + 1
    assert refused({"go": action(lambda self, s: helper(s))}) == (
        f"action go (test_misuse.py:{line}) raised KeyError: 0"
    )
    below = {"go": action(lambda self, s: time.strptime("", 5 + s.n))}  # the deepest frame is in the library
    line = below["go"].function.__code__.co_firstlineno
    assert f"action go (test_misuse.py:{line}) raised TypeError" in refused(below)


# Constants and values -------------------------------------------------------------------------------------------------


class Sized(Counter):
    """A model with a constant of each kind."""

    Some = Constant(2, Names("m", range(1, 4)), "names")
    Parts = Constant(None, Partition("Some"), "a partition")
    Most = Constant(3, range(5), "a number")
    Switch = Constant(True, bool, "a switch")
    Choice = Constant("a", ("a", "b"), "a choice")


def nested(depth, make=lambda inner: (inner,)):
    value = ()
    for _ in range(depth):
        value = make(value)
    return value


ODD = [
    10**5000,
    -(10**5000),
    [10**5000],
    "\ud800",
    ["\ud800", "m1"],
    [["\ud800"]],
    nested(900),
    nested(5000),
    [nested(900)],
]


@pytest.mark.parametrize("name", ["Some", "Parts", "Most", "Switch", "Choice"])
@pytest.mark.parametrize("given", ODD, ids=range(len(ODD)))
def test_any_value_of_a_constant_is_refused_in_one_line(name, given):
    with pytest.raises(InputError) as caught:
        Sized(**{name: given})
    text = str(caught.value)
    assert text.startswith(f"{name} = ")
    assert text.encode()
    assert len(text) < 250


def test_self_is_a_constant_that_no_model_has():
    with pytest.raises(InputError, match="unknown constant of counter 'self'"):
        Counter(**{"self": 1})


@engines
@pytest.mark.parametrize("depth", [900, 5000])
def test_values_that_are_nested_too_deep_are_refused(depth, engine):
    for make in (lambda v: (v,), lambda v: frozenset({v})):
        deep = nested(depth, make)
        text = refused({"deep": deep, "go": action(lambda self, s: setattr(s, "n", self.deep))}, engine)
        assert "is nested more than" in text
        assert "the initial value of x" in refused({"x": Variable(deep)}, engine)


@engines
def test_text_that_cannot_be_written_is_refused(engine):
    text = refused({"go": action(lambda self, s: setattr(s, "n", ("\ud800",)))}, engine)
    assert r"'\ud800' cannot be part of a state" in text


@engines
def test_integers_of_thousands_of_digits_are_values(engine):
    class Long(Model):
        n = Variable(10**3000)

        @action
        def grow(self, s):
            require(s.n < 10**9000, "enough")
            s.n = s.n * s.n

        @invariant
        def Short(self, s):
            return s.n < 10**6000

    result = check(Long(), engine=engine)
    assert (result.distinct, result["Short"].trace_states) == (3, 2)
    assert "0x" in repr(result["Short"].trace)


def test_a_model_has_no_constructor_of_its_own():
    with pytest.raises(ModelError, match=r"^Toy: __init__ belongs to Model; what has to be checked or made once goes"):
        type("Toy", (Counter,), {"__init__": lambda self, **constants: None})


@pytest.mark.parametrize("name", ["outcomes", "members", "instances", "properties"])
def test_a_model_does_not_replace_what_a_model_is(name):
    with pytest.raises(ModelError, match=f"^Toy: {name} belongs to Model"):
        type("Toy", (Counter,), {name: lambda self: None})


def test_a_class_is_a_model_with_its_defaults_and_nothing_else_is_one():
    model = Counter()
    assert model_object(model) is model
    assert model_object(Counter).constants == model.constants
    with pytest.raises(InputError, match=r"^'bakery' is not a model; give an object such as Bakery\(\)"):
        model_object("bakery")


# Choices --------------------------------------------------------------------------------------------------------------

MANY = 30_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        range(MANY),
        tuple(range(MANY)),
        list(range(MANY)),
        frozenset(range(MANY)),
        {str(i) for i in range(MANY)},
        dict.fromkeys(range(MANY)),
    ],
    ids=lambda options: type(options).__name__,
)
def test_many_options_take_linear_time(options):
    class Chooser(Model):
        n = Variable(None)

        @action
        def step(self, s):
            s.n = choose(options)

    model = Chooser()
    began = time.process_time()
    outcomes = model.outcomes(model.instances[0], model.initial_states()[0])
    assert time.process_time() - began < 4  # far above what linear takes on a busy machine; quadratic takes longer
    assert {outcome.choices[0][1] for outcome, _ in outcomes} == set(options)


def test_an_iterator_of_options_is_used_once():
    class Chooser(Model):
        n = Variable(0)

        @action
        def step(self, s):
            s.n = 10 * choose(i for i in range(3)) + choose(reversed((4, 5)))

    model = Chooser()
    assert [state.n for _, state in model.outcomes(model.instances[0], model.initial_states()[0])] == [
        5,
        4,
        15,
        14,
        25,
        24,
    ]


@pytest.mark.parametrize("kind", [tuple, list, set])
def test_options_that_change_are_noticed(kind):
    calls = []

    def step(self, s):
        calls.append(1)
        s.n = choose(kind(range(9 * len(calls), 9 * len(calls) + 3)))

    with pytest.raises(ModelError, match="nondeterministic: a choice had other options"):
        check(type("Toy", (Counter,), {"go": action(step)})(), engine="reference")


@pytest.mark.slow
def test_a_process_of_its_own_is_not_ended_either():
    script = (
        "import sys\n"
        "from tests.kernel.test_misuse import Counter, check, invariant\n"
        "class Toy(Counter):\n"
        "    @invariant\n"
        "    def P(self, s): sys.exit(0)\n"
        "check(Toy())"
    )
    ended = python(script)
    assert ended.returncode == 1
    assert "raised SystemExit: 0" in ended.stderr
