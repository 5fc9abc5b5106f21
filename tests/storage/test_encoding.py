"""Values are stored exactly, and nothing else is taken for one."""

import collections
import json
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernel import Constant, InputError, Map, Model, ModelError, Names, Variable, action, machine_of
from workbench.kernel.meaning.values import DEEPEST, Name
from workbench.registry import get_model, models
from workbench.storage.digest import records_of
from workbench.storage.encoding import Encoding
from workbench.storage.strict_json import read_json


class Pair(NamedTuple):
    one: Any
    two: Any


class Claim(NamedTuple):
    owner: Any


class Stranger(NamedTuple):
    owner: Any


Other = collections.namedtuple("Other", ["owner"])


class Keeper(Model):
    """Refers to `Claim` in an initial value alone."""

    Workers = Constant(2, Names("w", range(1, 3)), "who keeps")
    cell = Variable(Claim("w1"))

    @action
    def put(self, s):
        s.cell = Pair(1, 2)


ENCODING = Encoding(Keeper())
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(["w1", "w2", "set"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([2**53, 2**53 + 1, -(2**53), -(2**53) - 1]) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple)
        | st.frozensets(inner, max_size=4)
        | st.dictionaries(inner, inner, max_size=4).map(Map)
        | st.builds(Pair, inner, inner)
        | st.builds(Claim, inner)
    ),
    max_leaves=15,
)


def exact(value: Any) -> Any:
    """The value with the types of all its parts, and a map's order."""
    if isinstance(value, Map):
        return Map, tuple((exact(k), exact(v)) for k, v in value.items())
    if isinstance(value, frozenset):
        return frozenset, frozenset(map(exact, value))
    if isinstance(value, tuple):
        return type(value), tuple(map(exact, value))
    return type(value), value


@pytest.mark.slow
@given(VALUES)
def test_a_value_is_what_it_was(value: Any) -> None:
    document = read_json(json.dumps(ENCODING.encode(value)), "it")
    decoded = ENCODING.decode(document, "it")
    assert decoded == value
    assert exact(decoded) == exact(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(["one", "0x1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["int", "set", "map", "text", "name", "record", "one", "two"]), inner, max_size=2
        )
        | st.tuples(st.sampled_from(["Pair", "Claim", "Stranger"]), inner).map(lambda pair: {"record": list(pair)})
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(JSON)
def test_any_document_is_a_value_that_is_written_so_or_refused_in_a_line(document: Any) -> None:
    try:
        value = ENCODING.decode(document, "cell[0]")
    except InputError as error:
        refusal = str(error)
        assert refusal.startswith("cell[0]")
        assert "\n" not in refusal
    else:
        assert exact(ENCODING.decode(ENCODING.encode(value), "it")) == exact(value)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (1.0, "it is 1.0, which is not a value"),
        (2**53 + 1, "which is not a value"),
        ({}, "it is {}, which is not a value"),
        ({"set": [1], "map": []}, "which is not a value"),
        ({"list": [1]}, "which is not a value"),
        ({"set": {"a": 1}}, "which is not a value"),
        ({"set": [1, True]}, "which holds a member twice"),
        ({"set": [["a"], {"record": ["Claim", {"owner": "a"}]}]}, "which holds a member twice"),
        ({"map": [[1, 2], [1, 3]]}, "which holds a member twice"),
        ({"map": [[1, 2], [True, 3]]}, "which holds a member twice"),
        ({"map": [[1]]}, "which is not a value"),
        ({"map": None}, "which is not a value"),
        ({"int": 7}, "which is not a value"),
        ({"int": "0x7"}, "which is not an integer beyond 2**53"),
        ({"int": " 0x20000000000001"}, "not an integer beyond"),
        ({"int": "0x2_0000000000001"}, "not an integer beyond"),
        ({"int": "0X20000000000001"}, "not an integer beyond"),
        ({"int": "9007199254740993"}, "not an integer beyond"),
        ({"int": "٩٠٠٧١٩٩٢٥٤٧٤٠٩٩٣"}, "not an integer beyond"),
        ({"text": "w3"}, "which matches no name of keeper"),
        ({"name": "w1"}, "which matches a name of keeper"),
        ({"name": "\ud800"}, "which is not Unicode text"),
        ("\ud800", "which is not Unicode text"),
        ({"record": ["Pair", {"one": 1}]}, "it is a 'Pair' of ['one'], which keeper lacks"),
        ({"record": ["Pair", {"two": 1, "one": 2}]}, "which keeper lacks"),
        ({"record": ["Stranger", {"owner": 1}]}, "which keeper lacks"),
        ({"record": ["Pair", [1, 2]]}, "which is not a record"),
        ({"record": "Pair"}, "which is not a value"),
        ([1, {"set": [[2.5]]}], "it[1][0][0] is 2.5"),
    ],
)
def test_what_is_no_value_is_refused(document: Any, why: str) -> None:
    with pytest.raises(InputError) as error:
        ENCODING.decode(document, "it")
    assert why in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("kind", ["set", "map", None])
def test_nesting_has_an_end(kind: str | None) -> None:
    document: Any = 1
    for _ in range(DEEPEST + 1):
        inner = [[document, 1]] if kind == "map" else [document]
        document = inner if kind is None else {kind: inner}
    with pytest.raises(InputError, match="nested too deeply"):
        ENCODING.decode(document, "it")
    value: Any = 1
    for _ in range(DEEPEST):
        value = (value,)
    assert ENCODING.decode(read_json(json.dumps(ENCODING.encode(value)), "it"), "it") == value
    for deep in ((value,), frozenset({(value,)})):
        with pytest.raises(ModelError, match="more than 100 values in each other"):
            ENCODING.encode(deep)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (1.5, "a float cannot be part of a state"),
        ([1], "a list cannot"),
        ((1, {"a"}), "a set cannot"),
        ("\ud800", "not Unicode"),
        (Stranger(1), "refers to no such record"),
        (Other(1), "refers to no such record"),
    ],
)
def test_what_cannot_be_read_again_is_not_written(value: Any, why: str) -> None:
    with pytest.raises(ModelError, match=why):
        ENCODING.encode(value)


def test_names_stay_names_and_plain_strings_stay_plain() -> None:
    encoding = Encoding(Keeper(Workers=["a", "b"]))
    for value in (Name("a"), "a", "c", Name("c"), (Name("b"), "b", Map({Name("a"): "a"}))):
        assert exact(encoding.decode(encoding.encode(value), "it")) == exact(value)
    assert encoding.encode((Name("a"), "c", Name("c"))) == ["a", "c", {"name": "c"}]


def test_a_record_that_cannot_be_told_from_another_is_not_stored() -> None:
    other = collections.namedtuple("Pair", ["one", "two"])  # type: ignore[name-match]

    class Confused(Keeper):
        @action
        def put_another(self, s):
            s.cell = other(1, 2)

    with pytest.raises(ModelError, match="two records of that name"):
        Encoding(Confused()).encode(Pair(1, 2))


@pytest.mark.parametrize("name", models())
def test_the_records_of_every_model_are_known(name: str) -> None:
    model = machine_of(get_model(name)())
    encoding = Encoding(model)
    states = model.initial_states()
    for _ in range(4):
        states += [after for instance in model.instances for _, after in model.outcomes(instance, states[-1])]
    for state in states:
        for value in state.values:
            assert exact(encoding.decode(encoding.encode(value), "it")) == exact(value)


def test_records_are_those_that_the_code_refers_to() -> None:
    assert set(records_of(Keeper)) == {Claim, Pair}
