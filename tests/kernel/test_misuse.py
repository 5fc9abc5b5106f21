"""Models that are wrong in ways that are easily overlooked: each is refused, by every engine in the same words."""

import abc
import functools
import pickle
import re
import sys
import time

import pytest
from numba import cloudpickle

from workbench.checking.check import check
from workbench.checking.questions.sweep import sweep
from workbench.checking.questions.variants import variant
from workbench.kernel import ModelError
from workbench.kernel.language.model import reserved_names
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.machine import machine_of
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


def refused(declared, engine="reference", base=Counter):
    """The error for a model with something declared in addition."""
    with pytest.raises(ModelError) as caught:
        check(type("Toy", (base,), declared)(), engine=engine)
    text = str(caught.value)
    assert "\n" not in text
    return text


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


class PerMember(Model):
    """A process per member."""

    one, two = ("a",), ("b", "c")
    p = Process(per="one", fair="weak")
    x = Variable(0, per="two")

    @action(p, v="two")
    def go(self, s, w, v):
        s.x[v] = 1


# What is refused ------------------------------------------------------------------------------------------------------


class Unspeakable(Exception):
    """Has no text."""

    def __str__(self):
        raise RuntimeError


def speechless(*_):
    raise Unspeakable


class Odd(BaseException):
    """What is no Exception."""


def leave(*_):
    sys.exit(0)


def close(*_):
    raise GeneratorExit


def be_odd(*_):
    raise Odd("it is")


def numbers():
    yield 1


async def sleeps(self, s=None):
    s.n = 1


def yields(self, s):
    s.n = yield


def alone(self):
    yield eventually(lambda s: True)


def calling(function):
    return lambda self, s: function(self, s)


def nested(depth, make=lambda inner: (inner,)):
    value = ()
    for _ in range(depth):
        value = make(value)
    return value


CACHED, CACHED_TOO = functools.cache(lambda self, s: s.n < 3), functools.cache(lambda s: s.n == 3)
NO_KEY = "what an action or a property sees of a state cannot be a key"
BEGUN = "it is a generator or async, so that calling it does nothing"
USED_UP = "Toy: domain is an iterator, which its first user uses up; make it a tuple HERE"
ENDS = {leave: "raised SystemExit: 0", close: "raised GeneratorExit", be_odd: "raised Odd: it is"}
NO_TEXT = "raised Unspeakable: (its text is not known: that raised RuntimeError)"
DEEP = [nested(depth, make) for depth in (900, 5000) for make in (lambda v: (v,), lambda v: frozenset({v}))]
ITERATORS = [lambda: iter((1, 2)), lambda: (i for i in (1, 2)), numbers, lambda: map(abs, (1,))]

#: What is declared beside a counter, or another model; how the line begins, with HERE for this file; and part of it.
REFUSED = [
    ({"known": CACHED, "go": action(lambda self, s: require(self.known(s), "known"))}, "action go HERE: ", NO_KEY),
    ({"known": CACHED, "P": invariant(lambda self, s: self.known(s))}, "", NO_KEY),
    ({"P": liveness(lambda self: eventually(lambda s: CACHED_TOO(s)))}, "", NO_KEY),
    *(({"go": kind(calling(body))}, "", BEGUN) for kind in (action, initial) for body in (yields, sleeps)),
    ({"validate": sleeps}, "validate of Toy: it is a generator or async", ""),
    *(({"domain": make()}, USED_UP, "") for make in ITERATORS),
    *(({"domain": make(), "go": action(d="domain")(lambda self, s, d: None)}, USED_UP, "") for make in ITERATORS),
    *(({"validate": lambda self, make=make: setattr(self, "domain", make())}, USED_UP, "") for make in ITERATORS),
    ({"go": action(lambda self, s: speechless())}, "", NO_TEXT),
    ({"P": invariant(lambda self, s: speechless())}, "", NO_TEXT),
    ({"x": Variable(speechless)}, "", NO_TEXT),
    ({"validate": speechless}, "", NO_TEXT),
    ({"validate": lambda self: 1 // 0}, "", " raised ZeroDivisionError: "),
    *(({"go": action(calling(lambda self, s, v=v: setattr(s, "n", v)))}, "", "is nested more than") for v in DEEP),
    *(({"x": Variable(deep)}, "", "the initial value of x") for deep in DEEP),
    ({"go": action(lambda self, s: setattr(s, "n", ("\ud800",)))}, "", r"'\ud800' cannot be part of a state"),
    (
        {"__init__": lambda self, **constants: None},
        "Toy: __init__ belongs to Model; what has to be checked",
        "",
    ),
    ({"constants": lambda self: None}, "Toy: constants belongs to Model", ""),
    ({"m": (True, 1), "x": Variable(0, per="m")}, "", "which holds a member twice"),
    ({"nobody": (), "x": Variable(0, per="nobody"), "go": action(lambda self, s: None)}, "Toy has no cell", "", Model),
    ({"p": Process()}, "Toy: p is one process, but go was written for a process per member", "", PerMember),
    ({"p": Process(per="x")}, "Toy: p is a process per member, but go was written for one", "", Fair),
]


def ended(end, ends):
    """What is no Exception, wherever a model can raise it."""
    return [
        ({"go": action(lambda self, s: end())}, "action go HERE", ends),
        ({"P": invariant(lambda self, s: end())}, "property P HERE", ends),
        ({"P": reachable(lambda self, s: end())}, "property P HERE", ends),
        ({"P": liveness(lambda self: end())}, "property P HERE", ends),
        ({"P": liveness(lambda self: eventually(lambda s: end()))}, "property P HERE", ends),
        ({"go": initial(lambda self, s: end())}, "action initial HERE", ends),
        ({"x": Variable(end)}, "the initial value of x HERE", ends),
        ({"x": Variable(0, per="domain"), "domain": end}, "domain of Toy HERE", ends),
        ({"P": invariant(when=end)(lambda self, s: True)}, "when of P HERE", ends),
        ({"validate": end}, "validate of Toy HERE", ends),
    ]


REFUSED += [row for end, ends in ENDS.items() for row in ended(end, ends)]


@engines
@pytest.mark.parametrize("row", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(row, engine):
    declared, beginning, part, *base = row
    line = re.sub(r"\(test_misuse.py:\d+\)", "HERE", refused(declared, engine, *base))
    assert line.startswith(beginning)
    assert part in line
    assert part not in ENDS.values() or line.endswith(part)


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


def test_bad_input_that_validate_raises_is_said_as_it_is():
    def validate(self):
        raise InputError("constants do not go together")

    with pytest.raises(InputError, match=r"^constants do not go together$"):
        type("Toy", (Counter,), {"validate": validate})()
    with pytest.raises(InputError, match="unknown constant of counter 'self'"):
        Counter(**{"self": 1})


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
    assert len({instance.label for instance in machine_of(model).instances}) == 2
    assert len({instance.lane for instance in machine_of(model).instances}) == 2
    assert check(model, engine=engine)["Works"].holds is True


# Functions of the state -----------------------------------------------------------------------------------------------


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
        check(Forgetful(), engine="local", budget=Budget(states=500))


# Declarations ---------------------------------------------------------------------------------------------------------


@engines
def test_a_subclass_replaces_a_process_for_inherited_actions_too(engine):
    class Unfair(Fair):
        p = Process()

    assert check(Fair(), engine=engine)["Goes"].holds is True
    assert Unfair().fairness() == []
    assert check(Unfair(), engine=engine)["Goes"].holds is False
    assert len(Fair().fairness()) == 1


def test_the_members_of_a_process_that_was_replaced_are_the_new_ones():
    class Other(PerMember):
        p = Process(per="two")

    assert [i.label for i in machine_of(PerMember()).instances] == ["go(a, v=b)", "go(a, v=c)"]
    assert [i.label for i in machine_of(Other()).instances] == ["go(b, v=b)", "go(b, v=c)", "go(c, v=b)", "go(c, v=c)"]


def test_a_second_name_does_not_rename_a_process():
    class Same(Fair):
        q = Fair.p

    assert (Fair.p.name, machine_of(Fair()).instances[0].lane, len(Same().fairness())) == ("p", "p", 1)


def test_a_method_may_make_its_members_one_by_one():
    class Toy(Counter):
        def domain(self):
            yield from (1, 2)

        @action(d="domain")
        def go(self, s, d):
            require(s.n + d <= 3, "enough")
            s.n += d

    assert [i.label for i in machine_of(Toy()).instances] == ["step", "go(1)", "go(2)"]


# What replaces something, and what it keeps ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "n = Variable(0)\nm = 1\nn = Variable(1)",
        "n = Constant(0, range(3))\nm = 1\ndef n(self): pass",
        "@invariant\ndef n(self, s): return True\n@invariant\ndef n(self, s): return False",
        "@action\ndef n(self, s): pass\n\n@liveness\ndef n(self): pass",
        "@ends\ndef n(self, s): return True\n@ends\ndef n(self, s): return False",
        "n = Process(fair='weak')\nm = 1\nn = Process()",
    ],
)
def test_a_second_declaration_of_a_name_does_not_replace_the_first(body):
    lines = ["class Twice(Model):", *(f"    {line}" for line in body.splitlines())]
    first, second = [at for at, line in enumerate(lines, 1) if re.match("    (n = |def n)", line)]
    with pytest.raises(ModelError) as caught:
        exec(compile("\n".join(lines), "twice.py", "exec"), globals() | {"__name__": "twice"})
    assert str(caught.value) == (
        f"Twice: n is declared (twice.py:{first}) and again (twice.py:{second}); the second would replace the first"
    )


class Mixin(abc.ABC):
    """Not a model; it declares something all the same."""

    @invariant
    def Low(self, s):
        return s.n <= self.most()

    @abc.abstractmethod
    def most(self): ...


class Mixed(Mixin, Counter):
    """A model with a mixin, which overrides what both of them declare."""

    n = Variable(1)

    def grow(self, s):
        s.n += 1

    step = action(grow)

    @invariant
    def Low(self, s):
        return super().Low(s)

    def most(self):
        return 4

    @constraint
    def Bounded(self, s):
        return s.n < 5


def test_what_overrides_on_purpose_is_not_refused():
    found = check(variant(Mixed(), Small=invariant(lambda self, s: s.n > 0)), engine="reference")
    assert {v.name: v.holds for v in found.verdicts} == {"Low": False, "Small": True}
    again = pickle.loads(pickle.dumps(Mixed()))
    assert type(again) is Mixed
    assert check(again, engine="reference")["Low"].trace_states == 5
    assert check(cloudpickle.loads(cloudpickle.dumps(type("Here", (Mixed,), {})()))).distinct == 4


class Base(Model):
    """Every option of an action."""

    Switch = Constant(False, bool, "there is a way back")
    who = ("a", "b")
    p = Process(per="who", start="Here", fair="weak")
    idle = Process()
    x = Variable(0, per="who")

    @action(p, at="Here", to="There", fair="strong", fair_when=lambda self, s, w: s.x[w] == 0)
    def go(self, s, w):
        s.x[w] = 1

    @action(p, at="There", to="Here", when="Switch", fair=False)
    def back(self, s, w):
        s.x[w] = 0

    @action(idle, stutters=True)
    def rest(self, s):
        pass

    @liveness(w="who")
    def Goes(self, w):
        return eventually(lambda s: s.x[w] == 1)


class Over(Base):
    """Overrides every action, and gives no option."""

    @action(Base.p)
    def go(self, s, w):
        super().go(s, w)

    @action(w="who")
    def back(self, s, w):
        super().back(s, w)

    @action
    def rest(self, s):
        super().rest(s)


class Otherwise(Over):
    """Overrides some options."""

    @action(when=True)
    def rest(self, s):
        super().rest(s)

    @action(Base.p, to="Here", fair="weak")
    def go(self, s, w):
        super().go(s, w)

    @action(Base.p, at="Here", when=True, stutters=True)
    def back(self, s, w):
        super().back(s, w)


OPTIONS = ("process", "at", "to", "when", "fair", "fair_when", "stutters")


def options(model, name):
    return {option: getattr(model.declared.actions[name], option) for option in OPTIONS}


@engines
def test_an_action_that_overrides_inherits_each_option_that_it_does_not_give(engine):
    for name in ("go", "back", "rest"):
        assert options(Over, name) == options(Base, name)
    assert [i.label for i in machine_of(Over()).instances] == ["go(a)", "go(b)", "rest"]
    assert Over().fairness() == Base().fairness()
    assert check(Over(), engine=engine)["Goes"].holds is True
    assert check(Over(), engine=engine).notes == []
    assert options(Otherwise, "go") == options(Base, "go") | {"to": "Here", "fair": "weak"}
    assert options(Otherwise, "back") == options(Base, "back") | {"at": "Here", "when": True, "stutters": True}
    assert options(Otherwise, "rest") == options(Base, "rest") | {"when": True}


def test_an_inherited_condition_of_fairness_has_to_fit():
    go = action(Base.p, v="who")(lambda self, s, w, v: None)
    with pytest.raises(ModelError, match=r"^go: fair_when takes \(self, s, w\); it takes self, s and the action's"):
        type("More", (Base,), {"go": go})


def test_declarations_may_be_called_as_the_methods_that_they_are():
    class Calls(Counter):
        @ends
        def over(self, s):
            return s.n == 3

        @invariant
        def Ends(self, s):
            return self.Small(s) and (s.n < 3) is not self.over(s)

        @reachable
        def Over(self, s):
            return self.over(s) and not self.Bounded(s)

        @constraint
        def Bounded(self, s):
            return s.n < 3

        @step
        def Upwards(self, s, t):
            return s.n < t.n

        @step
        def Up(self, s, t):
            return self.Upwards(s, t)

        @liveness
        def Zero(self):
            return eventually(lambda s: s.n == 0)

        @liveness
        def Twice(self):
            return self.Zero() & self.Zero()

    found = check(Calls(), engine="reference", properties=["Ends", "Over", "Up", "Deadlock"])
    assert [v.holds for v in found.verdicts] == [True, True, True, True]
    assert len(machine_of(Calls()).formulas("Twice")) == 2
    with pytest.raises(ModelError, match="Toy has no 'Small' to range over"):
        type("Toy", (Counter,), {"x": Variable(0, per="Small")})()


# Conditions -----------------------------------------------------------------------------------------------------------


@engines
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (lambda self, s: (s.n < 3, "enough"), "(True, 'enough')"),
        (lambda self, s: self.free, "<bound method "),
        (lambda self, s: "n < 3", "'n < 3'"),
        (lambda self, s: s.n, "0"),
        (lambda self, s: s.some, "{}"),
        (lambda self, s: s.some.where(), "{}"),
        (lambda self, s: None, "None"),
        (lambda self, s: self.Free, "functools.partial("),
    ],
)
def test_a_condition_that_is_no_boolean_is_refused(given, shown, engine):
    class Asks(Counter):
        domain = (1, 2)
        some = SetOf("domain")

        def free(self, s):
            return s.n < 3

        @invariant
        def Free(self, s):
            return True

        @action
        def go(self, s):
            require(given(self, s), "why not")
            s.n += 1

    with pytest.raises(ModelError) as caught:
        check(Asks(), engine=engine, budget=Budget(states=100))
    said = re.sub(r"\(test_misuse.py:\d+\)", "HERE", str(caught.value))
    assert said.startswith(f"action go HERE: require() was given {shown}")
    assert said.endswith("; it takes True or False, such as a comparison")


# What is said after a search ------------------------------------------------------------------------------------------


class Slips(Model):
    """Slips that a search cannot refuse."""

    Never = Constant(True, bool, "a switch that nothing reads")
    Named = Constant(True, bool, "nothing reads it, on purpose", ghost=True)
    Switch = Constant(True, bool, "an action has it")
    Inner = Constant(3, range(4), "a helper reads it")
    who = ("a", "b")
    x = Variable(0)
    written = Variable(0)
    p = Process(per="who", start="Read", fair="weak")

    @action(p, at="Read", to="Dne")
    def go(self, s, w):
        s.x = choose((0, 1), "way") + choose((0, 1), "way") + choose((0, 1)) + choose((0, 1), "other")
        s.written = 1

    @action(p, at="Reed", to="Read", when="Switch")
    def again(self, s, w):
        s.x = below(self)

    @action(p, at="Read", to="Done")
    def end(self, s, w):
        s.x = 0

    @invariant
    def Small(self, s):
        return s.x < 9 or any(s.pc[w] == DONE for w in self.who)


DONE = "Done"


def below(model):
    return model.Inner


@engines
def test_what_nothing_reads_and_steps_that_lead_nowhere_are_named(engine):
    assert [note.partition(":")[0] for note in check(Slips(), engine=engine).notes] == [
        "nothing reads the constant Never",
        "nothing reads the variable written",
        "action go leads to Dne, where no action starts, and which nothing else mentions",
        "action again starts at Reed, to which nothing leads, and which nothing else mentions",
        "action go chooses twice under the name way",
    ]


@pytest.mark.slow
def test_a_sweep_names_the_constants_that_change_nothing():
    table = sweep(Slips, {"Never": [False, True], "Switch": [False, True], "Inner": [1, 2]}, workers=1)
    assert table.attrs["notes"] == [
        "Never changes nothing in 8 settings",
        "Switch changes nothing in 8 settings",
        "Inner changes nothing in 8 settings",
    ]
    deeper = sweep(Deeper, {"Never": [False, True], "Most": [1, 2]}, workers=1)
    assert deeper.attrs["notes"] == ["Never changes nothing in 4 settings"]


class Deeper(Counter):
    """A constant that matters, and another one."""

    Never = Constant(True, bool, "a switch that nothing reads")
    Most = Constant(1, range(4), "where it ends")

    @constraint
    def Bounded(self, s):
        return s.n <= self.Most


# Formulas -------------------------------------------------------------------------------------------------------------

ONE, ANOTHER = eventually(lambda s: s.n == 7), always_eventually(lambda s: s.n == 1)


@engines
@pytest.mark.parametrize(
    ("joined", "said"),
    [
        (lambda: ONE and ANOTHER, "write two liveness properties, or join formulas with &"),
        (lambda: ONE or ANOTHER, "write two liveness properties"),
        (lambda: ONE & ANOTHER or ONE, "write two liveness properties"),
        (lambda: not ONE, "write two liveness properties"),
        (lambda: ONE < ANOTHER, "write two liveness properties"),
        (lambda: max(ONE, ANOTHER), "write two liveness properties"),
        (lambda: ONE | ANOTHER, r"write eventually(lambda s: P(s) or Q(s))"),
        (lambda: ~ONE, "the opposite of eventually(Q) is an invariant that says not Q"),
        (lambda: ONE.implies(ANOTHER), "write leads_to(P, Q)"),
        (lambda: ONE >> ANOTHER, "initially_leads_to(P, Q)"),
        (lambda: ONE & True, "& joins formulas, not True"),
        (lambda: True & ONE, "& joins formulas, not True"),
    ],
)
def test_a_formula_is_not_a_boolean(joined, said, engine):
    """Python's `and` would check the last one alone."""
    line = refused({"P": liveness(lambda self: joined())}, engine)
    assert re.match(r"property P \(test_misuse.py:\d+\): ", line)
    assert said in line


# Errors ---------------------------------------------------------------------------------------------------------------


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


def test_a_class_is_a_model_with_its_defaults_and_nothing_else_is_one():
    model = Counter()
    assert machine_of(model) is machine_of(machine_of(model))
    assert machine_of(Counter).constants == model.constants
    with pytest.raises(InputError, match=r"^'bakery' is not a model; give an object such as Bakery\(\)"):
        machine_of("bakery")


def test_an_authors_object_has_nothing_of_its_machine():
    """What engines ask has one place, so that no name of an author's can hide it."""
    asked = {name for name in dir(machine_of(Counter())) if not name.startswith("_")} - {*reserved_names()}
    assert not [name for name in asked if hasattr(Counter(), name)]
    assert len(reserved_names()) == 6


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

    model = machine_of(Chooser)
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

    model = machine_of(Chooser())
    after = [state.n for _, state in model.outcomes(model.instances[0], model.initial_states()[0])]
    assert after == [5, 4, 15, 14, 25, 24]


@pytest.mark.parametrize("kind", [tuple, list, set])
def test_options_that_change_are_noticed(kind):
    calls = []

    def step(self, s):
        calls.append(1)
        s.n = choose(kind(range(9 * len(calls), 9 * len(calls) + 3)))

    with pytest.raises(ModelError, match="nondeterministic: a choice had other options"):
        check(type("Toy", (Counter,), {"go": action(step)})(), engine="reference")
