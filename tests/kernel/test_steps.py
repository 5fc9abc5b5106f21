"""Properties of steps: what is judged, what a refinement's mapping may say, and what is refused."""

import pytest

from workbench.checking.check import check
from workbench.formats.refinement_trace import abstract
from workbench.kernel import ModelError, machine_of, search
from workbench.language import *


class Log(Model):
    """What is promised: entries are appended, and acknowledged one by one once they are there."""

    Writers = Constant(2, Names("w", range(1, 4)), "who appends")
    entries = Variable(())
    acked = Variable(False, per="Writers")
    writer = Process(per="Writers")

    @action(writer)
    def append(self, s, w):
        require(w not in s.entries, f"{w} has appended already")
        s.entries = (*s.entries, w)

    @action(writer)
    def acknowledge(self, s, w):
        require(w in s.entries, f"{w} has appended nothing")
        s.acked[w] = True


class Store(Model):
    """What is built: who has the lock writes, counts what is written, and is told; by a slip it is told too early."""

    People = Constant(2, Names("p", range(1, 4)), "who writes")
    TooEarly = Constant(False, bool, "who has written is told before that counts")
    pc = Variable("Lock", per="People")
    lock = Variable(None)
    pages = Variable(())
    length = Variable(0)
    told = Variable(False, per="People")
    person = Process(per="People")

    def validate(self):
        self.path = ("Lock", "Write", *(("Tell", "Count") if self.TooEarly else ("Count", "Tell")), "Done")

    def go_on(self, s, p, step):
        require(s.pc[p] == step, f"{p} is not at {step}")
        s.pc[p] = self.path[self.path.index(step) + 1]

    @action(person)
    def take(self, s, p):
        self.go_on(s, p, "Lock")
        require(s.lock is None, "somebody has the lock")
        s.lock = p

    @action(person)
    def write(self, s, p):
        self.go_on(s, p, "Write")
        s.pages = (*s.pages, p)

    @action(person)
    def count(self, s, p):
        self.go_on(s, p, "Count")
        s.length += 1
        s.lock = None

    @action(person)
    def tell(self, s, p):
        self.go_on(s, p, "Tell")
        s.told[p] = True

    @ends
    def over(self, s):
        return all(s.told.values()) and s.length == len(s.pages)

    @step
    def PagesStay(self, s, t):
        return t.pages[: len(s.pages)] == s.pages

    @step(of="take")
    def TakingWritesNothing(self, s, t):
        return unchanged(s, t, "pages", "length")

    @step(of=("write", "count"), p="People")
    def OnlyTheHolderWrites(self, s, t, p):
        return s.lock == p or unchanged(s, t, Place("pc", p)) or f"{p} writes without the lock"

    @step
    def OnePartAtATime(self, s, t):
        parts = ("pages", "length", "told")
        return any(unchanged(s, t, *(other for other in parts if other != part)) for part in parts)

    @refines(Log, Writers="People")
    def IsALog(self, s):
        return {"entries": s.pages[: s.length], "acked": s.told}


NAMES = ["PagesStay", "TakingWritesNothing", "OnlyTheHolderWrites", "OnePartAtATime", "IsALog", "Deadlock"]


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_what_is_said_of_steps(engine):
    result = check(Store(), NAMES, engine=engine)
    assert [v.word for v in result.verdicts] == ["holds"] * 6
    result = check(Store(TooEarly=True), NAMES, engine=engine)
    assert [v.word for v in result.violated] == ["violated"]
    assert result["IsALog"].why == (
        "tell(p1): acked[p1] goes from FALSE to TRUE, which no action of Log does; "
        "acknowledge(p1) may not, since p1 has appended nothing"
    )


def test_a_trace_as_the_abstract_model_sees_it():
    trace = check(Store(TooEarly=True), ["IsALog"])["IsALog"].trace
    seen = abstract(trace, "IsALog")
    assert seen.model.constants == {"Writers": ("p1", "p2")}
    assert [(one.label, one.allowed) for one in seen.steps] == [
        ("initial state", True),
        (None, True),
        (None, True),
        (None, False),
    ]
    assert repr(seen).splitlines()[-2:] == ["  4  not a step of Log", "       acked[p1]: FALSE -> TRUE"]
    with pytest.raises(InputError, match="PagesStay of store is of kind step; a refinement is needed"):
        abstract(trace, "PagesStay")


def test_abstract_steps_have_their_labels_and_lanes():
    class Full(Store):
        @invariant
        def SomebodyIsNotTold(self, s):
            return not all(s.told.values())

    trace = check(Full(), ["SomebodyIsNotTold"])["SomebodyIsNotTold"].trace
    steps = abstract(trace, "IsALog").steps
    told = [(one.label, one.step.lane) for one in steps if one.step]
    assert told[0] == ("initial state", "")
    assert sorted(told[1:]) == [(f"{what}({p})", p) for what in ("acknowledge", "append") for p in ("p1", "p2")]
    assert all(one.allowed for one in steps)


@pytest.mark.slow
def test_what_changes_is_asked_without_reading_the_values():
    """Else there would be a branch for each pair of states: 200 values of n, twice."""

    class Wide(Model):
        n = Variable(0, per="axes")
        axes = ("x", "y")

        @action(axis="axes")
        def up(self, s, axis):
            require(s.n[axis] < 200, "enough")
            s.n[axis] += 1

        @step
        def OneAtATime(self, s, t):
            return any(unchanged(s, t, Place("n", axis)) for axis in self.axes)

        @step(of="up")
        def NothingElse(self, s, t):
            return not unchanged(s, t, "n")

    names = ["OneAtATime", "NothingElse"]
    with_them, without = check(Wide(), names), check(Wide(), [])
    assert [v.word for v in with_them.verdicts] == ["holds", "holds"]
    assert with_them.figures["python_calls"] - without.figures["python_calls"] <= 4


class Told(Model):
    """Who is told of something."""

    people = ("p1", "p2")
    told = SetOf("people")
    other = Variable(frozenset())

    @action(p="people")
    def tell(self, s, p):
        require(p not in s.told, f"{p} knows")
        s.told |= {p}


class Gossip(Model):
    """The same, told in pairs of one that knows and one that does not; once everybody may be told at once."""

    people = ("p1", "p2", "p3")
    pairs = (("p1", "p2"), ("p2", "p1"))
    knows = SetOf("people")
    mute = SetOf("people")

    @action
    def begin(self, s):
        require(not s.knows.any(), "somebody knows")
        s.knows |= {"p1"}

    @action("p, q in pairs")
    def whisper(self, s, p, q):
        require(p in s.knows and q not in s.knows, "there is nothing to whisper")
        s.knows |= {q}

    @action
    def shout(self, s):
        require("p3" not in s.knows, "it is known")
        s.knows |= {"p1", "p2"}
        s.mute |= {"p3"}

    @step("p, q in pairs")
    def NobodyForgets(self, s, t, p, q):
        return not (p in s.knows and q in s.knows) or {p, q} <= t.knows

    @step(of="whisper")
    def WhisperingLeavesOthersAlone(self, s, t):
        return unchanged(s, t, "mute")

    @refines(Told)
    def OneByOne(self, s):
        return {"told": s.knows, "other": s.mute - {"p3"}}

    @refines(Told)
    def OneByOneOfAll(self, s):
        return {"told": frozenset(), "other": s.mute}


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_sets_with_a_universe_and_parameters_that_are_unpacked(engine):
    result = check(Gossip(), engine=engine)
    assert [v.holds for v in result.verdicts] == [True, True, False, False]
    assert result["OneByOne"].why == "shout: told goes from {} to {p1, p2}, which no action of Told does"
    assert result["OneByOneOfAll"].why == "shout: other goes from {} to {p3}, which no action of Told does"


def test_a_step_that_changes_nothing_is_a_step_but_is_not_judged():
    waiting = {"wait": action(stutters=True)(lambda self, s: None), "Never": step(lambda self, s, t: False)}
    for engine in ("reference", "local"):
        assert check(wrong(Model, n=Variable(0), **waiting)(), ["Never", "Deadlock"], engine=engine).holds is True


def test_where_a_behaviour_may_begin():
    class Elsewhere(Store):
        @initial
        def begin(self, s):
            s.length = choose([0, 1])
            s.pages = ("p1",) if s.length else ()

    for engine in ("reference", "local"):
        verdict = check(Elsewhere(), ["IsALog"], engine=engine)["IsALog"]
        assert verdict.trace_states == 1
        assert verdict.why == (
            "initial state: no behaviour of Log begins with entries: (p1); acked: p1=FALSE, p2=FALSE"
        )


def test_the_deadlock_is_a_property_of_every_model_and_listed_where_ends_are_declared():
    assert "Deadlock" in Store.declared.properties
    assert "Deadlock" not in [p.name for p in machine_of(Store()).select()]
    assert "Deadlock" not in Log.declared.properties
    for engine in ("reference", "local"):
        verdict = check(Log(), ["Deadlock"], engine=engine)["Deadlock"]
        assert (verdict.word, verdict.kind) == ("holds", "deadlock")  # one may acknowledge again and again


def test_the_deadlock_goes_with_any_choice_of_properties_or_without():
    store = machine_of(Store())
    others = [p.name for p in store.select()]
    assert store.chosen(None, None) == store.chosen([*others, "Deadlock"], False) == others
    assert store.chosen(None, True) == store.chosen(["Deadlock", *others], True) == [*others, "Deadlock"]
    assert store.chosen(["Deadlock"], None) == ["Deadlock"]
    assert store.chosen(["Deadlock"], False) == []


# What is refused -----------------------------------------------------------------------------------------------------


def wrong(base, **declared):
    return type("Wrong", (base,), declared)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: wrong(Log, Never=step(of="fly")(lambda self, s, t: False)), "Wrong: Never is of 'fly', which is not"),
        (lambda: refines(7), r"refines: 7 is not a model's class: write @refines\(Table\)"),
        (
            lambda: wrong(Store, IsALog=refines(Log, Writer="People")(lambda self, s: {})),
            r"Wrong: IsALog: unknown constant of log 'Writer' \(did you mean Writers\?\)",
        ),
        (lambda: wrong(Log, Deadlock=invariant(lambda self, s: True)), "nothing may be called 'Deadlock'"),
        (lambda: wrong(Store, again=ends(lambda self, s: True)), "more than one @ends method: over, again"),
    ],
)
def test_declarations_that_are_refused(declare, message):
    with pytest.raises(ModelError, match=message):
        declare()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda self, s: 3, r"3 is not what maps the variables of log to values"),
        (lambda self, s: {}, r"it says nothing about variable entries"),
        (lambda self, s: {"entries": ()}, r"it says nothing about variable acked"),
        (lambda self, s: {"entries": (), "acked": {}}, r"it says nothing about index p1"),
        (lambda self, s: {"entries": (), "acked": True}, r"True is not acked, which has a value for each index"),
        (lambda self, s: {"entries": [], "acked": s.told}, r"a list cannot be part of a state"),
        (lambda self, s: {"entry": ()}, r"unknown variable 'entry'; known: entries, acked"),
        (lambda self, s: {"entries": (), "acked": {**s.told, "w9": False}}, r"unknown index 'w9'; known: p1, p2"),
        (lambda self, s: {"entries": s.page}, r"undeclared variable 'page'"),
    ],
)
@pytest.mark.parametrize("engine", ["reference", "local"])
def test_mappings_that_are_refused(answer, message, engine):
    model = wrong(Store, IsALog=refines(Log, Writers="People")(answer))()
    with pytest.raises(ModelError, match=message):
        check(model, ["IsALog"], engine=engine)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("Peoples", ModelError, "Wrong has no constant, attribute or method 'Peoples'"),
        ("path", InputError, "IsALog of wrong refines log: Writers = .* is not accepted"),
    ],
)
def test_constants_that_the_abstract_model_cannot_be_given(source, error, message):
    model = wrong(Store, IsALog=refines(Log, Writers=source)(lambda self, s: {"entries": (), "acked": s.told}))()
    with pytest.raises(error, match=message):
        check(model, ["IsALog"])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda s, t: 3, r"step Answers.* returned 3; it must return True or False, or a text"),
        (lambda s, t: unchanged(s, t, "page"), r"unknown variable 'page' \(did you mean pages\?\)"),
        (lambda s, t: unchanged(s, t, Place("pc", "w9")), r"pc has no index 'w9'"),
        (lambda s, t: s.lock / 0, r"property Answers .* raised TypeError"),
        (lambda s, t: setattr(t, "lock", None), r"only an action may assign"),
    ],
)
@pytest.mark.parametrize("engine", ["reference", "local"])
def test_answers_that_are_refused(answer, message, engine):
    asking = wrong(Store, Answers=step(lambda self, s, t: answer(s, t)))()
    with pytest.raises(ModelError, match=message):
        check(asking, ["Answers"], engine=engine)


@pytest.mark.parametrize("run", [search, check])
def test_ends_answer_yes_or_no(run):
    with pytest.raises(ModelError, match=r"ends .* returned 'perhaps'; it must return True or False"):
        run(wrong(Store, over=ends(lambda self, s: "perhaps"))(), ["Deadlock"])
