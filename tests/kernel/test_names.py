"""The names of a symmetric set are told from words of the model that read the same."""

import copy
import json
import pickle
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from workbench.checking.check import check
from workbench.checking.spaces.columns import to_array
from workbench.checking.trees.cells import encode
from workbench.kernel import Constant, InputError, Map, Model, Names, Partition, Variable, action, machine_of, require
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.values import Name, check_value, permute, show, sort_key
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.registry import get_model, models

engines = pytest.mark.parametrize("engine", ["reference", "local"])


class Point(NamedTuple):
    who: Any
    what: Any


class Walk(Model):
    """Walkers who leave a word behind after two steps."""

    symmetry = ("Walkers",)
    Walkers = Constant(2, Names("w", range(1, 4)), "who walks")
    Groups = Constant(None, Partition("Walkers"), "who walks together")
    word: Any = "done"
    at = Variable(0, per="Walkers")
    last = Variable(None)

    @action(w="Walkers")
    def walk(self, s, w):
        require(s.at[w] < 2, "at the end")
        s.at[w] += 1
        if s.at[w] == 2:
            s.last = self.word


def walk(word, names=("ann", "bob"), **declared):
    return type("Walk", (Walk,), {"word": word, **declared})(Walkers=list(names))


WORDS = [
    "ann",
    "".join(["an", "n"]),
    ("x", "bob"),
    (1, ("y", ("ann",))),
    frozenset({"bob"}),
    Map({"ann": 1}),
    Map({1: "ann"}),
    Point(1, "bob"),
    Point("ann", frozenset({("bob",)})),
]


@engines
@pytest.mark.parametrize("word", WORDS, ids=repr)
def test_a_word_that_is_also_a_name_is_refused_with_symmetry(word, engine):
    with pytest.raises(InputError) as caught:
        check(walk(word), engine=engine, symmetry=True)
    text = str(caught.value)
    assert text.startswith(("Walkers: the name 'ann' is also a text", "Walkers: the name 'bob' is also a text"))
    assert "in last, and" in text
    assert "take another name" in text
    assert "\n" not in text
    assert check(walk(word), engine=engine).complete


@engines
@pytest.mark.parametrize(
    "declared",
    [
        {"extra": Variable("ann")},
        {"extra": Variable(lambda model: ("b" + "ob",))},
        {"extra": Variable(0, per="places"), "places": ("ann",)},
        {"extra": Variable(0, per="places"), "places": ((1, "bob"),)},
    ],
    ids=["value", "inner value", "index", "inner index"],
)
def test_so_is_one_in_the_beginning(declared, engine):
    with pytest.raises(InputError, match=r"^Walkers: the name '(ann|bob)' is also a text of the model's own, in extra"):
        check(walk("done", **declared), engine=engine, symmetry=True)
    assert check(walk("done", **declared), engine=engine).complete


@engines
def test_names_from_the_set_are_names_wherever_they_are(engine):
    class Kept(Walk):
        first = Variable(lambda model: model.Walkers[0])
        group = Variable(lambda model: frozenset(model.Groups[0]))
        by_pair = Variable(0, per="pairs")

        def pairs(self):
            return [(a, b) for a in self.Walkers for b in sorted(self.Walkers)]

        @action(w="Walkers")
        def keep(self, s, w):
            s.first = max(self.Walkers)
            s.by_pair[w, w] = 1

    model = Kept(Groups=[["w2"], ["w1"]])
    assert check(model, engine=engine, symmetry=True).complete
    assert check(copy.deepcopy(model), engine=engine, symmetry=True).complete


@engines
def test_a_name_that_is_put_together_is_refused(engine):
    class Formatted(Walk):
        @action(w="Walkers")
        def format(self, s, w):
            s.last = f"{w}"

    with pytest.raises(InputError, match=r"a text that the model builds is not a name: take names from Walkers\)$"):
        check(Formatted(), engine=engine, symmetry=True)
    assert check(Formatted(), engine=engine).complete


@engines
@pytest.mark.parametrize("names", [["Stage", "Start"], ["w1", "".join(["St", "art"])], ["w1", "committed"]])
def test_words_of_bakery_v2(names, engine):
    with pytest.raises(InputError, match="is also a text of the model's own, in "):
        check(BakeryV2(Writers=names), ["UniqueTickets"], engine=engine, symmetry=True)
    assert check(BakeryV2(Writers=names), ["UniqueTickets"], engine=engine, budget=Budget(states=200)).distinct


@pytest.mark.parametrize("name", models())
def test_no_model_uses_the_names_of_its_sets_for_something_else(name):
    model = machine_of(get_model(name)())
    if model.symmetry:
        safety = [p.name for p in model.select() if p.kind != "liveness"]
        assert check(model, safety, engine="local", symmetry=True, budget=Budget(states=20_000)).distinct > 5


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)), lambda v: permute(v, {"x": "y"})]
)
def test_a_name_stays_a_name(again):
    for name in (Walk().Walkers[0], Walk(Groups=[["w1", "w2"]]).Groups[0][0], Walk(Walkers=["u", "v"]).Walkers[0]):
        assert type(again(name)) is Name
        assert type(again((1, name))[1]) is Name


def test_a_name_is_the_text_that_it_is():
    name = Name("w1")
    check_value(name)
    assert (name == "w1", hash(name) == hash("w1"), {"w1": 1}[name]) == (True, True, 1)
    assert (repr(name), show(name), f"{name}") == ("'w1'", "w1", "w1")
    assert (encode(name), sort_key(name)) == (encode("w1"), sort_key("w1"))
    assert json.loads(json.dumps({name: [name]})) == {"w1": ["w1"]}
    assert to_array([name, "x"]).to_pylist() == ["w1", "x"]
    assert to_array([Map({name: (name,)})]).to_pylist() == [[("w1", ["w1"])]]
    assert pa.types.is_string(to_array([name]).type)


def test_texts_from_files_become_names():
    model = machine_of(Walk(Walkers=["ann", "bob"]))
    marked = model.mark(("ann", frozenset({"bob", "cid"}), Map({"ann": Point("bob", 1)})))
    assert marked == ("ann", frozenset({"bob", "cid"}), Map({"ann": Point("bob", 1)}))
    assert type(marked[0]) is Name
    assert {text: type(text) for text in marked[1]} == {"bob": Name, "cid": str}
    assert [(type(key), type(value.who), type(value)) for key, value in marked[2].items()] == [(Name, Name, Point)]
