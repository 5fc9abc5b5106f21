"""Members of enumerations and objects of dataclasses as values: equal, ordered, shown, hashed and stored exactly."""

import dataclasses
import json
from dataclasses import dataclass, field
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.command import python
from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.following.validate import validate
from workbench.checking.spaces.columns import to_array
from workbench.checking.trees.cells import cell_hash, encode
from workbench.formats.expression import Expression, example_of
from workbench.formats.itf import parse_itf, read_itf, to_itf
from workbench.formats.itf_expressions import ItfDecoder
from workbench.formats.itf_expressions import decode_itf as from_itf
from workbench.formats.itf_expressions import encode_itf as as_itf
from workbench.formats.permalink import open_permalink, permalink
from workbench.formats.tla import tla
from workbench.formats.tlc_trace import tlc_plain
from workbench.kernel import ModelError, machine_of, replay, search
from workbench.kernel.meaning.plan import Fingerprints
from workbench.kernel.meaning.values import check_value, is_same, permute, show, sort_key
from workbench.language import *
from workbench.storage.digest import enumerations_of, model_digest, records_of
from workbench.storage.encoding import Encoding


class Phase(Enum):
    WRITE = "w"
    READ = "r"


class Other(Enum):
    WRITE = "w"


class Word(StrEnum):
    IDLE = "idle"


class Level(IntEnum):
    LOW = 1


class Rights(Flag):
    READ = 1


class Pair(NamedTuple):
    one: Any
    two: Any


@dataclass(frozen=True)
class Claim:
    """Its code would be noticed."""

    ticket: int
    by: Any

    def __post_init__(self):
        if self.ticket < 0:
            raise ValueError


@dataclass(frozen=True, slots=True)
class Slot:
    ticket: Any
    by: Any


class Journal(Model):
    """Writers read and write, and leave claims."""

    symmetry = ("Writers",)
    kinds = (Phase, Other, Word, Level, Slot, Pair)

    Writers = Constant(2, Names("w", range(1, 4)))
    phase = Variable(Phase.READ, per="Writers")
    claims = Variable(frozenset())
    last = Variable(None)
    by_phase = Variable(Map({Phase.READ: 0}))
    word = Variable(Word.IDLE)

    @action(w="Writers")
    def read(self, s, w):
        require(s.phase[w] is Phase.READ and len(s.claims) < 2)
        s.phase[w] = choose(frozenset(Phase), "to")
        s.claims |= {Claim(len(s.claims), w)}
        s.last = Claim(0, Slot(s.phase[w], Pair(Level.LOW, w)))

    @action(w="Writers")
    def write(self, s, w):
        require(s.phase[w] is Phase.WRITE)
        s.by_phase = s.by_phase.set(Phase.WRITE, s.by_phase.get(Phase.WRITE, 0) + 1)
        s.claims = frozenset(claim for claim in s.claims if claim.by != w)
        s.phase[w] = Phase.READ
        require(s.by_phase[Phase.WRITE] < 3)

    @invariant
    def Claimed(self, s):
        return all(isinstance(claim, Claim) for claim in s.claims)

    @reachable
    def Twice(self, s):
        return s.by_phase.get(Phase.WRITE) == 2


VALUES = st.recursive(
    st.sampled_from(
        [None, True, 0, 1, "a", "WRITE", "w", Phase.WRITE, Phase.READ, Other.WRITE, Word.IDLE, "idle", Level.LOW]
    ),
    lambda inner: st.one_of(
        st.tuples(inner),
        st.tuples(inner, inner),
        st.frozensets(inner, max_size=2),
        st.dictionaries(inner, inner, max_size=2).map(Map),
        st.builds(Claim, st.integers(0, 2), inner),
        st.builds(Slot, inner, inner),
        st.builds(Pair, inner, inner),
    ),
    max_leaves=5,
)
JOURNAL = machine_of(Journal)
ENCODING, DECODER = Encoding(JOURNAL), ItfDecoder(JOURNAL)


@pytest.mark.slow
@given(one=VALUES, other=VALUES)
def test_bytes_and_order_agree_with_identity(one, other):
    check_value(one)
    assert (encode(one) == encode(other)) == is_same(one, other)
    assert (sort_key(one) == sort_key(other)) == is_same(one, other)
    assert (sort_key(one) < sort_key(other)) != (sort_key(other) <= sort_key(one))


def kinds(value):
    """The types in a value, at any depth."""
    if isinstance(value, Enum):
        return type(value), value.name
    if dataclasses.is_dataclass(value):
        return type(value), [kinds(getattr(value, f.name)) for f in dataclasses.fields(value)]
    if isinstance(value, tuple):
        return type(value), [kinds(item) for item in value]
    if isinstance(value, frozenset):
        return frozenset, [kinds(item) for item in sorted(value, key=sort_key)]
    if isinstance(value, Map):
        return Map, [(kinds(k), kinds(v)) for k, v in value.items()]
    return type(value), value


@settings(max_examples=60)
@given(value=VALUES)
def test_ways_out_and_in_again(value):
    stored = ENCODING.decode(json.loads(json.dumps(ENCODING.encode(value))), "it")
    assert stored == value
    assert kinds(stored) == kinds(value)
    assert hash(stored) == hash(value)
    told = DECODER.decode(json.loads(json.dumps(as_itf(value))), "it")
    assert told == value
    assert permute(value, {}) == value
    assert is_same(value, permute(value, {}))
    assert "\n" not in show(value)
    to_array([value, value, None])


def test_how_they_are_shown():
    claim = Claim(3, Slot(Phase.READ, None))
    assert show(claim) == "Claim(ticket=3, by=Slot(ticket=READ, by=-))"
    assert [show(v) for v in (Phase.WRITE, Word.IDLE, Level.LOW)] == ["WRITE", "idle", "LOW"]
    assert tla(claim) == "[ticket |-> 3, by |-> [ticket |-> READ, by |-> None]]"
    assert tlc_plain(claim) == {"ticket": 3, "by": {"ticket": "READ", "by": "None"}}
    assert to_array([claim]).to_pylist() == [{"ticket": 3, "by": {"ticket": "READ", "by": None}}]
    assert to_array([Phase.READ, Word.IDLE]).to_pylist() == ["READ", "idle"]
    assert sorted([Phase.READ, Phase.WRITE], key=sort_key) == [Phase.WRITE, Phase.READ]


def test_names_in_them_are_exchanged():
    value = (Claim(1, "w1"), frozenset({Slot("w2", Phase.READ)}))
    assert permute(value, {"w1": "w2", "w2": "w1"}) == (Claim(1, "w2"), frozenset({Slot("w1", Phase.READ)}))
    assert not is_same(Claim(1, True), Claim(1, 1))


def test_both_searches_agree():
    plain_result, fast = search(JOURNAL), check(JOURNAL)
    assert (plain_result.levels, plain_result.generated) == (fast.levels, fast.generated)
    assert [v.word for v in fast.verdicts] == [v.word for v in plain_result.verdicts] == ["holds", "reached"]
    one, two = search(JOURNAL, symmetry=True), check(JOURNAL, symmetry=True)
    assert one.distinct == two.distinct < fast.distinct
    assert check(JOURNAL, fingerprints=Fingerprints(bits=128)).levels == fast.levels


def test_spark_agrees(spark):
    """Its workers cannot import these classes: objects travel by the names of them."""
    result, here = check(JOURNAL, engine=Spark(session=spark)), check(JOURNAL)
    assert (result.levels, result.generated) == (here.levels, here.generated)
    assert result["Twice"].trace_states == here["Twice"].trace_states


def test_a_trace_goes_out_and_comes_back():
    trace = check(JOURNAL)["Twice"].trace
    assert open_permalink(permalink(trace), lambda _: Journal).states == trace.states
    document = parse_itf(json.dumps(to_itf(trace)))
    recording = read_itf(JOURNAL, document)
    for observed, state in zip(recording.states, trace.states, strict=True):
        assert observed.cells == dict(enumerate(state.values))
    assert validate(JOURNAL, recording).holds


def test_what_is_read_is_not_run():
    assert ENCODING.decode({"record": ["Claim", {"ticket": -5, "by": None}]}, "it").ticket == -5  # no __post_init__
    for bad in (["Phase", "NONE"], ["Nothing", "READ"], ["Phase"], ["Phase", 1], [1, "READ"], []):
        with pytest.raises(InputError, match=r"it is .*, which journal lacks"):
            ENCODING.decode({"member": bad}, "it")


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ({"tag": "Phase.WRITE", "value": {"#tup": []}}, Phase.WRITE),
        ({"tag": "READ", "value": {}}, Phase.READ),
        ({"tag": "Slot", "value": {"by": "a", "ticket": True}}, Slot(True, "a")),
    ],
)
def test_variants_as_others_write_them(document, value):
    assert from_itf(document, JOURNAL) == value


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"tag": "WRITE", "value": {}}, "a record with fields that none of journal has"),  # of which enumeration?
        ({"tag": ["READ"], "value": {}}, "a record with fields that none of journal has"),
        ({"tag": "READ", "value": 3}, "the value.value is 3; a member of an enumeration has nothing there"),
        ({"#set": [1, True]}, "#set is [1, true], which no set can hold: 1 and True are equal values of two kinds"),
        ({"tag": "Slot", "value": {"by": 1}}, "it takes a record of ticket, by"),
        ({"tag": "Slot", "value": [1, 2]}, "it takes a record of ticket, by"),
    ],
)
def test_variants_that_are_none(document, message):
    with pytest.raises(InputError) as caught:
        from_itf(document, JOURNAL)
    assert message in str(caught.value)


def test_their_classes_are_found_in_a_models_code():
    assert {Phase, Other, Word, Level} <= set(enumerations_of(Journal))
    assert {Claim, Slot, Pair} <= set(records_of(Journal))


@dataclass
class Open:
    n: int


@dataclass(frozen=True)
class Half:
    n: int = field(compare=False)


@dataclass(frozen=True)
class Own:
    n: int

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


class OldWord(str, Enum):  # noqa: UP042 - what is refused
    A = "a"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (Open(1), "of dataclasses it takes those with frozen=True"),
        (Half(1), "a dataclass must compare all of its fields"),
        (Own(1), "a dataclass must compare all of its fields"),
        (Rights.READ, "a Flag is not a value; use a frozenset of the members of an Enum"),
        (OldWord.A, "of enumerations it takes Enum, StrEnum and IntEnum"),
        (Claim, "use None, bool, int, str, tuple, NamedTuple, frozenset, Map, Enum or a frozen dataclass"),
        (Phase, "use None, bool, int, str, tuple, NamedTuple, frozenset, Map, Enum or a frozen dataclass"),
        (object(), "use None"),
    ],
)
def test_not_accepted(value, why):
    with pytest.raises(ModelError, match=r"cannot be part of a state \(.*\); ") as caught:
        check_value((value,))
    assert why in str(caught.value)
    with pytest.raises(ModelError, match=r"a list cannot be part of a state"):
        check_value(Claim(1, [value]))


def twin_member():
    class Twin(Enum):
        A = 1

    return Twin.A


def twin_record():
    class Twin(NamedTuple):
        a: int

    return (Twin(1),)


@pytest.mark.parametrize("made", [twin_member, twin_record])
def test_two_classes_of_one_name(made):
    one, two = made(), made()

    class Both(Model):
        n = Variable(one)

        @action
        def act(self, s):
            s.n = two

    with pytest.raises(ModelError, match=r"two classes are called '.*Twin', and states hold objects of both"):
        check(Both())

    class First(Both):
        @action
        def act(self, s):
            s.n = one

    assert check(First()).distinct == 1
    with pytest.raises(
        ModelError, match=r"cannot be stored: the model's code refers to (no such|two) (enumeration|record)"
    ):
        Encoding(First()).encode(made())


def test_a_watch_is_proposed_for_them():
    assert Expression(JOURNAL, "s.phase['w1'].name == 'READ'")(JOURNAL.initial_states()[0]) is True
    assert example_of(JOURNAL) == "len(s.claims) == 0"


@pytest.mark.slow
def test_every_process_has_the_same_hashes():
    here = hashes()
    script = "from tests.kernel.test_object_values import hashes; print(*hashes())"
    run = python(script, check=True, PYTHONHASHSEED="7")
    assert run.stdout.split() == [str(number) for number in here]


def hashes():
    value = frozenset({Claim(1, Phase.READ), Slot(Other.WRITE, "w"), Phase.WRITE})
    return cell_hash("x", Phase.READ, value), cell_hash("x", None, Map({Phase.READ: 1})), model_digest(Journal)


def test_replay_makes_the_same_objects():
    trace = replay(JOURNAL, 0, [(0, 0), (2, 0)])
    assert trace.states[1].last == Claim(0, Slot(Phase.WRITE, (1, "w1")))
