"""Values: what may be in a state, and how it is encoded, hashed, ordered, permuted and shown."""

import hashlib
import itertools
import pickle
from enum import IntEnum, StrEnum
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command import python
from workbench.checking.trees.cells import cell_hash, encode
from workbench.kernel import Map, ModelError
from workbench.kernel.meaning.differences import differences
from workbench.kernel.meaning.values import Name, check_value, identity, is_same, permute, show, sort_key

NAMES = ("w1", "w2", "w3")


class Claim(NamedTuple):
    ticket: object
    writer: object


def nested(atoms):
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(tuple),
            st.builds(Claim, inner, inner),
            st.frozensets(inner, max_size=3),
            st.dictionaries(inner, inner, max_size=3).map(Map),
        ),
        max_leaves=8,
    )


#: Any values, and values from so few atoms that two of them are often equal, or nearly so.
anything = nested(st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)))
similar = nested(st.sampled_from([None, False, True, 0, 1, -1, 10, "", "0", "1", "n", "i1;", "w1", "w2"]))
with_names = nested(st.sampled_from([None, 1, "Done", *NAMES]))
renamings = st.permutations(NAMES).map(lambda images: dict(zip(NAMES, images, strict=True)))


def exact(value):
    """The value with the kinds of all its parts, written apart from what is tested."""
    if isinstance(value, Map):
        return Map, frozenset((exact(key), exact(part)) for key, part in value.items())
    if isinstance(value, frozenset):
        return frozenset, frozenset(map(exact, value))
    return (type(value), *map(exact, value)) if isinstance(value, tuple) else (type(value), value)


@pytest.mark.slow
@given(similar, similar)
def test_the_same_values_and_only_they_have_equal_encodings(one, other):
    same = exact(one) == exact(other)
    assert is_same(one, other) is same
    assert (identity(one) == identity(other)) is same
    assert (encode(one) == encode(other)) is same
    assert (sort_key(one) == sort_key(other)) is same
    told = [part.before or part.after for part in differences("it", one, other)]
    assert same or (told and all(told))


def test_a_name_and_a_word_are_their_text():
    class Word(StrEnum):
        A = "a"

    class Number(IntEnum):
        ONE = 1

    assert is_same(("a", 1), (Name("a"), 1))
    assert is_same(frozenset({"a"}), frozenset({Word.A}))
    assert is_same(Map({"a": 1}), Map({Word.A: Number.ONE}))
    assert not is_same(Number.ONE, True)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Map([(1, "a"), (True, "b")]),
        lambda: Map({(1, 2): "a"}).set(Claim(1, 2), "b"),
        lambda: permute(Map({(1, "w1"): 0, (True, "w2"): 0}), {"w2": "w1"}),
    ],
)
def test_a_map_takes_no_equal_keys_of_two_kinds(make):
    with pytest.raises(ModelError, match=r"a Map cannot hold both keys: .*1.* and .*(True|Claim).* are equal"):
        make()


def test_a_map_takes_the_same_key_again():
    assert Map([(1, "a"), (1, "b")]).set(1, "c") == Map({1: "c"})
    assert Map({"w1": 1}).set(Name("w1"), 2) == Map({"w1": 2})


@pytest.mark.slow
@given(anything, anything)
def test_nothing_encodes_to_the_beginning_of_something_else(one, other):
    """So that a sequence of encodings can be read in one way only."""
    assert is_same(one, other) or not encode(one).startswith(encode(other))


@pytest.mark.slow
@given(anything)
def test_what_is_encoded_is_accepted_in_a_state(value):
    check_value(value)
    assert isinstance(encode(value), bytes)


@pytest.mark.slow
@given(st.lists(similar, unique=True, max_size=5).flatmap(lambda xs: st.tuples(st.just(xs), st.permutations(xs))))
def test_the_order_of_construction_leaves_no_mark(orders):
    first, second = orders
    sets = frozenset(first), frozenset(second)
    maps = (Map((v, n) for n, v in enumerate(first)), Map((v, first.index(v)) for v in second))
    for one, other in (sets, maps):
        assert one == other
        assert hash(one) == hash(other)
        assert encode(one) == encode(other)
        assert cell_hash("x", None, one) == cell_hash("x", None, other)
        assert sort_key(one) == sort_key(other)


def test_the_encoding_is_this_one():
    """Stored fingerprints stay valid only as long as these bytes do not change."""
    assert encode(("a", None, True, -12, frozenset({2, "b"}), Map({"k": ()}))) == b"(s1:anti-12;{i2;s1:b}<s1:k()>)"
    assert encode((Claim(1, False),)) == b"(d(s5:Claimi1;f))"
    for bits in (64, 128):
        digest = hashlib.blake2b(b"(s2:pcs2:w1s4:Done)", digest_size=bits // 8).digest()
        assert cell_hash("pc", "w1", "Done", bits) == int.from_bytes(digest, "little")


def test_a_cells_hash_depends_on_variable_index_and_value():
    cells = [("a", None, 1), ("b", None, 1), ("a", "w1", 1), ("a", None, 2), ("a", 1, None)]
    assert len({cell_hash(*cell) for cell in cells}) == len(cells)
    assert cell_hash("a", None, True) != cell_hash("a", None, 1)


SCRIPT = """
from workbench.kernel import Map, machine_of, search
from workbench.checking.trees.cells import cell_hash, encode
from workbench.kernel.meaning.values import show
from workbench.protocols.bakery.model import Bakery
value = frozenset({("w1", frozenset("abcdef")), ("w2", Map(dict.fromkeys("xyz", frozenset("uvw"))))})
print(encode(value).hex(), cell_hash("c", ("w1", 2), value), show(value))
model = Bakery(Writers=2)
result = search(model, ["SomeoneCommits"])
print(result.levels, [i.label for i in machine_of(model).instances], [a.new for a in result.actions])
print(result["SomeoneCommits"].trace)
print([[cell_hash(*cell, value, 128) for cell, value in s.items()] for s in result["SomeoneCommits"].trace.states])
"""


@pytest.mark.slow
def test_every_process_computes_the_same():
    outputs = {python(SCRIPT, check=True, PYTHONHASHSEED=seed).stdout for seed in ("0", "1", "4711")}
    assert len(outputs) == 1
    assert "initial state" in outputs.pop()


@pytest.mark.slow
def test_a_map_from_another_process_is_found_among_equal_ones():
    script = "import pickle; from workbench.kernel import Map; m = Map({'a': 1}); hash(m); print(pickle.dumps(m).hex())"
    for seed in ("1", "2"):
        sent = pickle.loads(bytes.fromhex(python(script, check=True, PYTHONHASHSEED=seed).stdout))
        assert sent in {Map({"a": 1})}


@pytest.mark.slow
@given(similar, similar, similar)
def test_sort_key_is_a_total_order(a, b, c):
    one, two, three = map(sort_key, (a, b, c))
    assert (one < two) + (one == two) + (one > two) == 1
    assert (one == two) is is_same(a, b)
    assert not (one < two < three) or one < three


@pytest.mark.slow
@given(st.lists(anything, max_size=6))
def test_anything_can_be_sorted(values):
    ordered = sorted(values, key=sort_key)
    assert all(sort_key(a) <= sort_key(b) for a, b in itertools.pairwise(ordered))


@pytest.mark.slow
@given(with_names, renamings, renamings)
def test_renaming_is_a_group_action(value, first, second):
    composed = {name: second[first[name]] for name in NAMES}
    inverse = {image: name for name, image in first.items()}
    assert permute(value, dict(zip(NAMES, NAMES, strict=True))) == value
    assert permute(permute(value, first), second) == permute(value, composed)
    assert permute(permute(value, first), inverse) == value


@pytest.mark.slow
@given(with_names, with_names, renamings)
def test_renaming_keeps_different_values_different(one, other, renaming):
    assert is_same(permute(one, renaming), permute(other, renaming)) is is_same(one, other)


def test_renaming_keeps_the_type_of_records():
    renamed = permute(Claim(1, "w1"), {"w1": "w2"})
    assert (type(renamed), renamed.writer) == (Claim, "w2")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "TRUE"),
        (0, "0"),
        ("Done", "Done"),
        ((), "()"),
        ((1, ("a",)), "(1, (a))"),
        (Claim(2, "w1"), "Claim(ticket=2, writer=w1)"),
        (frozenset({"b", "a", 3}), "{3, a, b}"),
        (Map({"b": 1, "a": frozenset()}), "{a: {}, b: 1}"),
    ],
)
def test_show(value, text):
    assert show(value) == text


@pytest.mark.slow
@given(with_names, with_names)
def test_a_map_is_a_value_of_its_own(key, value):
    empty = Map()
    one = empty.set(key, value)
    assert (len(empty), one[key], dict(one)) == (0, value, {key: value})
    assert one.without(key) == empty
    assert one.set(key, value) == one
    assert hash(one) == hash(Map([(key, value)]))
    assert one != {key: value}


@pytest.mark.parametrize("bad", [[1], {1: 2}, {1}, 1.5, object(), (1, [2]), Map({"a": [1]}), frozenset({1.5})])
def test_what_can_change_is_no_value(bad):
    with pytest.raises(ModelError, match=r"cannot be part of a state .*use None, bool, int, str, tuple, NamedTuple"):
        check_value(bad)


def test_a_map_cannot_be_changed_in_place():
    stock = Map({"a": 1})
    with pytest.raises(TypeError, match=r"immutable: use map\.set\(key, value\)"):
        stock["a"] = 2
    with pytest.raises(AttributeError):
        del stock["a"]
    with pytest.raises(AttributeError):
        stock.update(a=2)
    assert stock == Map({"a": 1})
