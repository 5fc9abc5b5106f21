"""Sets with a declared universe: to a model they are frozensets, and what engines find is the same as of one."""

from dataclasses import dataclass
from typing import NamedTuple

import pytest
from bench.sets import WAYS, written
from campaign import expect_same, figures
from hypothesis import assume, given
from hypothesis import strategies as st
from random_models import Item, random_model

from tests.checking.test_conformance import ENGINES
from tests.products import examples
from workbench.checking.check import check
from workbench.checking.contract import Auto, Spark
from workbench.checking.following.scenario import scenario
from workbench.checking.following.validate import validate
from workbench.checking.spaces.columns import StateColumns
from workbench.checking.spaces.dataset import load
from workbench.checking.spaces.export import save_run
from workbench.checking.spaces.space import explore
from workbench.formats.expression import Expression
from workbench.formats.recording import Observation, Recording
from workbench.kernel import ModelError, machine_of
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.state import Reads
from workbench.language import *

# Random models -------------------------------------------------------------------------------------------------------

SEED = 10  # of one that is neither small nor large


def boxes(seed, sets="declared", **constants):
    """A random model whose boxes are sets with a declared universe, or frozensets in cells."""
    return random_model(seed, sets=sets, held="number", actors=2, numbers=1, keeps=False)(**constants)


def found(model, **options):
    """What every engine must find of both."""
    result = check(model, ["All", "Full", "Judge", "Move", "Deadlock"], **options)
    traces = [v.trace and [(step.label, list(step.state.items())) for step in v.trace.steps] for v in result.verdicts]
    return figures(result), [v.why for v in result.verdicts], traces


IN_PROCESS = [name for name in ENGINES if name not in ("spark", "hand-over")]


@pytest.mark.slow
@examples(25)
@given(st.integers(0, 5000), st.booleans(), st.sampled_from(IN_PROCESS))
def test_a_declared_set_is_what_a_frozenset_is(seed, symmetry, engine):
    options = {**ENGINES[engine].options, "symmetry": symmetry}
    declared, plain = boxes(seed), boxes(seed, "plain")
    small = check(declared, [], budget=Budget(states=200))
    assume(small.complete)
    assume(all(a.assigns or not a.enabled for a in small.actions))  # taking out what is not there assigns no part
    assert found(declared, **options) == found(plain, **options)


def test_so_it_is_on_spark_after_a_hand_over(spark):
    plain = check(boxes(SEED, "plain"), symmetry=True, engine="reference")
    result = check(boxes(SEED), symmetry=True, engine=Auto(session=spark, hand_over_states=3))
    expect_same(result, plain)


# What code sees ------------------------------------------------------------------------------------------------------

NUMBERS = range(6)


class Numbers(Model):
    """One set of numbers."""

    held = SetOf("numbers")
    kept = Variable(frozenset())
    numbers = tuple(NUMBERS)

    @action
    def act(self, s):
        require(False, "it is never taken")


SOME = st.frozensets(st.sampled_from(NUMBERS))
OPERATIONS = {
    "or": lambda box, other: box | other,
    "ror": lambda box, other: other | box,
    "minus": lambda box, other: box - other,
    "rminus": lambda box, other: other - box,
    "and": lambda box, other: box & other,
    "rand": lambda box, other: other & box,
    "xor": lambda box, other: box ^ other,
    "rxor": lambda box, other: other ^ box,
    "union": lambda box, other: box.union(other, [0]),
    "difference": lambda box, other: box.difference(other, [0]),
    "intersection": lambda box, other: box.intersection(other, NUMBERS),
    "le": lambda box, other: box <= other,
    "lt": lambda box, other: box < other,
    "ge": lambda box, other: box >= other,
    "gt": lambda box, other: box > other,
    "eq": lambda box, other: box == other,
    "ne": lambda box, other: box != other,
    "req": lambda box, other: other == box,
    "rle": lambda box, other: other <= box,
    "rlt": lambda box, other: other < box,
    "subset": lambda box, other: box.issubset(tuple(other)),
    "superset": lambda box, other: box.issuperset(tuple(other)),
    "disjoint": lambda box, other: box.isdisjoint(other),
    "in": lambda box, other: [number in box for number in (*NUMBERS, 99, "x")],
    "len": lambda box, other: len(box),
    "bool": lambda box, other: bool(box),
    "sorted": lambda box, other: sorted(box),
    "max": lambda box, other: max(box, default=None),
}


def drafts(content):
    """A draft of a state with that content, and a function that gives the set once it is written."""
    layout = machine_of(Numbers()).layout
    held, other = (shown.cell for shown in layout.shown)
    start = list(layout.put({held: content, other: frozenset()}).values())
    draft = layout.draft()
    draft._start(Reads(start))
    yield lambda: layout.shown[0].value([draft._writes.get(at, v) for at, v in enumerate(start)]), draft


@pytest.mark.slow
@given(SOME, st.lists(st.tuples(st.sampled_from(sorted(OPERATIONS)), SOME), max_size=6))
def test_whatever_is_done_to_it_it_is_a_frozenset(content, operations):
    for now, draft in drafts(content):
        real = before = content
        first = draft.held
        for name, other in operations:
            do = OPERATIONS[name]
            wanted, given_back = do(real, other), do(draft.held, other)
            assert given_back == wanted
            if isinstance(wanted, frozenset):
                draft.held, real = given_back, wanted
            assert draft.held == real
            assert (len(draft.held), list(draft.held)) == (len(real), sorted(real))
        assert first == before  # what somebody looked at stays as it was
        assert now() == real


def reads_of(question, content=(), writes=()):
    """How many members a question reads, of a set with that content."""
    *_, (_, draft) = drafts(frozenset(content))
    draft.held |= frozenset(writes)
    question(draft)
    return len(draft._row)


@pytest.mark.parametrize(
    ("question", "content", "read"),
    [
        (lambda s: 3 in s.held, (), 1),
        (lambda s: 99 in s.held, (), 0),
        (lambda s: bool(s.held), (2, 4), 3),
        (lambda s: bool(s.held), (), 6),
        (lambda s: s.held.any(lambda n: n > 2), (4,), 2),
        (lambda s: s.held.where(lambda n: n > 2).where(lambda n: n % 2).count(), (), 2),
        (lambda s: len(s.held), (), 6),
        (lambda s: s.held <= {0, 1, 2}, (), 3),
        (lambda s: s.held >= {0, 1}, (0,), 2),
        (lambda s: s.held == {0, 1}, (2, 3), 1),
        (lambda s: s.held & {1, 2}, (), 2),
        (lambda s: {1, 2} - s.held, (), 2),
        (lambda s: s.held - {1, 2}, (), 0),
        (lambda s: setattr(s, "held", s.held | {1, 2}), (), 0),
        (lambda s: setattr(s, "held", frozenset({1})), (), 0),
        (lambda s: setattr(s, "held", s.held.where(lambda n: n < 3)), (), 0),
        (lambda s: setattr(s, "held", s.held - s.held.where(lambda n: n < 3)), (), 3),
    ],
)
def test_a_question_reads_what_it_is_about(question, content, read):
    assert reads_of(question, content) == read


def test_what_was_written_is_not_read():
    assert reads_of(lambda s: 3 in s.held, writes=[3]) == 0
    assert reads_of(lambda s: bool(s.held), writes=[1]) == 1


class Parcel(NamedTuple):
    kind: str
    to: str
    weight: int = 0


class Post(Model):
    """Members with fields: records of one kind, and maps."""

    bags = SetOf("parcels", initial=lambda model: model.parcels()[:4])
    maps = SetOf("tables", initial=frozenset({Map({"a": 1, 2: 3})}))

    def parcels(self):
        return frozenset(Parcel(kind, to, w) for kind in ("letter", "box") for to in ("ann", "bob") for w in range(3))

    def tables(self):
        return [Map({"a": 1, 2: 3}), Map({"a": 2}), Map({"b": 1})]

    @action
    def act(self, s):
        require(False, "it is never taken")


def test_members_are_chosen_by_their_fields():
    model = type("Full", (Post,), {"bags": SetOf("parcels", initial=lambda model: model.parcels())})()
    (state,) = model.initial_states()
    assert isinstance(state.bags, frozenset)
    for s in (state, machine_of(model).view(state.values)):
        letters = s.bags.where(kind="letter")
        assert letters == {Parcel("letter", to, weight) for to in ("ann", "bob") for weight in range(3)}
        assert letters.where(to="ann").count(lambda p: p.weight) == 2
        assert list(letters.where(to="ann", weight=2)) == [Parcel("letter", "ann", 2)]
        assert not s.bags.any(kind="letter", to="eve")
        assert (letters | {Parcel("box", "bob", 1)}).where(to="bob", weight=1).count() == 2
        assert s.maps.where(a=1) == {Map({"a": 1, 2: 3})}
        assert s.bags.value == dict(state.items())[Cell("bags", None)]
        with pytest.raises(ModelError, match=r"no member of bags has a field 'wight' \(did you mean weight\?\)"):
            s.bags.where(wight=1)


@dataclass(frozen=True)
class Vote:
    voter: str
    round: int


def test_members_may_be_dataclasses():
    votes = [Vote(voter, number) for voter in ("ann", "bob") for number in range(2)]
    held = {"held": SetOf("votes", initial=frozenset(votes)), "votes": lambda self: votes}
    model = machine_of(type("Votes", (Numbers,), held))
    state = model.initial_states()[0]
    assert state.held.where(voter="ann") == {Vote("ann", 0), Vote("ann", 1)}
    assert model.view(state.values).held.count(round=1) == 2


def test_the_first_members_are_in_the_universe():
    with pytest.raises(ModelError, match=r"initial value of held.*: held cannot hold 9, which is not in numbers"):
        type("Nine", (Numbers,), {"held": SetOf("numbers", initial=frozenset({9}))})().initial_states()


OF_ANOTHER_KIND = "which is not in numbers; 1 is, an equal value of another kind"
NO_VALUE = "held is read member by member, and is not a value: write frozenset(s.held)"


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda self, s: setattr(s, "held", s.held | {1, 7}), "held cannot hold 7, which is not in numbers"),
        (lambda self, s: setattr(s, "held", s.held | {True}), f"held cannot hold True, {OF_ANOTHER_KIND}"),
        (lambda self, s: setattr(s, "held", frozenset({True})), f"held cannot hold True, {OF_ANOTHER_KIND}"),
        (lambda self, s: setattr(s, "held", [1]), "held is a set, but [1] is not"),
        (lambda self, s: setattr(s, "kept", s.held), NO_VALUE),
        (lambda self, s: setattr(s, "kept", frozenset({s.held})), NO_VALUE),
        (lambda self, s: s.held.add(1), "held has no add(): write s.held |= {...}, or -= {...}"),
    ],
)
def test_mistakes_are_named_with_their_line(act, said, engine):
    with pytest.raises(ModelError) as error:
        check(type("Wrong", (Numbers,), {"act": action(act)})(), engine=engine)
    assert str(error.value) == f"action act (test_sets.py:{act.__code__.co_firstlineno}): {said}"


def test_a_universe_is_closed_under_renaming():
    class Uneven(Model):
        symmetry = ("Owners",)
        Owners = Constant(2, Names("p", range(1, 4)), "who has items")
        shelf = SetOf("some")

        def some(self):
            return [Item("a", self.Owners[0])]

        @action
        def put(self, s):
            s.shelf |= frozenset(self.some())

    for engine in ("reference", "local"):
        with pytest.raises(ModelError, match="a renaming maps a cell to shelf"):
            check(Uneven(), symmetry=True, engine=engine)


def test_a_word_of_the_universe_may_be_no_name():
    for engine in ("reference", "local"):
        with pytest.raises(InputError, match="the name 'a' is also a text of the model's own"):
            check(boxes(SEED, Actors=["a", "q"]), ["Judge"], symmetry=True, engine=engine)


def test_a_state_from_outside_is_in_the_universe():
    model = machine_of(Numbers())
    with pytest.raises(InputError, match="held cannot hold 9"):
        model.layout.put({Cell("held", None): frozenset({9})})


def test_a_set_of_a_kept_state_is_not_assigned():
    model = machine_of(boxes(SEED))
    (start,) = model.initial_states()
    (some, *_) = model.layout.universes["shelf"].members
    with pytest.raises(ModelError, match=r"only an action may assign: shelf\[.*\] = TRUE"):
        start.shelf = frozenset({some})
    with pytest.raises(ModelError, match=r"only an action may assign: boxes\[p1, .*\] = TRUE"):
        start.boxes["p1"] = frozenset({some})
    assert start.shelf == start.boxes["p1"] == frozenset()


def test_what_people_ask_of_a_set():
    model = boxes(SEED)
    state = model.initial_states()[0]
    assert Expression(model, "s.shelf").read(state).text == "{}"
    assert Expression(model, "s.shelf | {self.items()[0]}").read(state).text == "{Item(kind=a, owner=p1)}"
    assert Expression(model, "s.boxes").read(state).text == "{p1: {}, p2: {}}"
    assert "is not true or false but a set" in (Expression(model, "s.shelf").remark or "")


# What is built on states ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@examples(20)
@given(st.integers(0, 300), st.integers(1, 8), st.randoms(use_true_random=False), st.booleans())
def test_recordings_of_both_are_followed_alike(seed, length, chance, watched):
    declared, plain = boxes(seed), machine_of(boxes(seed, "plain"))
    states = [plain.initial_states()[0]]
    for _ in range(length):
        after = [later for instance in plain.instances for _, later in plain.outcomes(instance, states[-1])]
        if not after:
            break
        states.append(chance.choice(after))
    seen = chance.sample(plain.layout.shown_of, 2)
    observed = [{cell: dict(state.items())[cell] for cell in seen} for state in states]
    if chance.random() < 0.4:
        observed.append({seen[0]: frozenset({Item("a", "nobody")})})

    def recording(model):
        model = machine_of(model)
        given = [Observation(model.layout.seek(cells), steps=2) for cells in observed]
        return Recording(given, watched=frozenset(model.layout.seek(observed[0])) if watched else None)

    one, other = (validate(model, recording(model)) for model in (declared, plain))
    assert (one.holds, one.failed, one.candidates, one.ways) == (
        other.holds,
        other.failed,
        other.candidates,
        other.ways,
    )


def test_a_story_is_told_to_both_alike():
    lines = ["len(s.shelf) == 1", "len(s.boxes['p1']) == 2", "len(s.shelf) == 4"]
    for end in (1, 2, 3):
        one, other = (scenario(boxes(SEED, sets), lines[:end]) for sets in ("declared", "plain"))
        assert (one.holds, one.at, one.failed, one.why) == (other.holds, other.at, other.failed, other.why)


def columns_of(space):
    arrays = StateColumns(space.model.layout, space.values).arrays(space.rows)
    return {name: column.to_pylist() for name, column in arrays.items()}


def test_state_spaces_of_both_are_the_same_data():
    spaces = [explore(boxes(SEED, sets)) for sets in ("declared", "plain")]
    assert len(spaces[0]) == len(spaces[1]) == 81
    told = []
    for space in spaces:
        values = [[known[at] for known, at in zip(space.values, row, strict=True)] for row in space.rows.tolist()]
        assert [tuple(row) for row in values] == [space.state(n).values for n in range(len(space))]
        shelves = [space.state(number).shelf for number in range(len(space))]
        assert space.where(lambda s: len(s.shelf) == 1).sum() == sum(len(shelf) == 1 for shelf in shelves)
        columns = columns_of(space)
        told.append(sorted(repr(row) for row in zip(columns["own"], columns["boxes"], columns["shelf"], strict=True)))
    assert told[0] == told[1]


def test_a_run_on_spark_becomes_the_same_data(spark, tmp_path):
    model = boxes(SEED)
    result = check(model, engine=Spark(session=spark, run_dir=tmp_path / "run"))
    expect_same(result, check(boxes(SEED, "plain"), engine="reference"))
    save_run(tmp_path / "run", tmp_path / "data", type(model), spark)
    rows = load(tmp_path / "data", spark).states.select("own", "boxes", "shelf").toArrow().to_pylist()
    columns = {name: column for name, column in columns_of(explore(model)).items() if name in ("own", "boxes", "shelf")}
    wanted = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert sorted(map(repr, rows)) == sorted(map(repr, wanted))


# What it is for ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "constants"), [("TwoPhaseCommit", {"Managers": 3}), ("Paxos", {"Acceptors": 2})])
@pytest.mark.parametrize("symmetry", [False, True])
def test_it_takes_as_many_calls_as_cells_by_hand(protocol, constants, symmetry):
    models = [written(protocol, way)(**constants) for way in WAYS]
    results = [check(model, symmetry=symmetry, engine="local") for model in models]
    plain = check(models[0], symmetry=symmetry, engine="reference")
    assert {repr(figures(result)) for result in results} == {repr(figures(plain))}
    calls = dict(zip(WAYS, (result.figures["python_calls"] for result in results), strict=True))
    assert calls["SetOf"] == calls["cells by hand"] < calls["one frozenset"]
