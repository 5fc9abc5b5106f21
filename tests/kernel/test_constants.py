"""Constants: every kind of domain, what it accepts, and the one line that says why something is not accepted."""

import math

import pytest

from workbench.formats.permalink import open_permalink, permalink
from workbench.kernel import (
    Constant,
    InputError,
    Model,
    ModelError,
    Names,
    Partition,
    Variable,
    action,
    machine_of,
    replay,
)
from workbench.kernel.meaning.constants import spell
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.hudi.extended import HudiExtended
from workbench.registry import get_model, models

SWITCH = Constant(True, bool, "a switch")
INTEGER = Constant(1, range(0, 4), "an integer")
EVEN = Constant(2, range(2, 9, 2), "an integer, in steps")
CHOICE = Constant("split", ("split", "atomic", 3), "a choice")
WORDED = Constant(0, {0: "keep", 1: "eager", "2": "lazy"}, "a choice with words")
NAMES = Constant(2, Names("w", range(1, 4)), "a set")
PARTS = Constant(None, Partition("Writers"), "a partition")


@pytest.mark.parametrize(
    ("constant", "given", "value"),
    [
        (SWITCH, False, False),
        (INTEGER, 3, 3),
        (EVEN, 8, 8),
        (CHOICE, "atomic", "atomic"),
        (CHOICE, 3, 3),
        (WORDED, 1, 1),
        (WORDED, "eager", 1),
        (WORDED, "lazy", "2"),
        (WORDED, "2", "2"),
        (NAMES, 3, ("w1", "w2", "w3")),
        (NAMES, ["a", "b2"], ("a", "b2")),
        (NAMES, ("x",), ("x",)),
        (PARTS, None, None),
        (PARTS, [["w1", "w2"], ["w3"]], (("w1", "w2"), ("w3",))),
        *((SWITCH, said, True) for said in ("true", "TRUE", "True", "yes", "on")),
        *((SWITCH, said, False) for said in ("false", "FALSE", "no", "off")),
        *((INTEGER, said, 1) for said in ("1", "1e0")),
        (CHOICE, "Split", "split"),
        (WORDED, "EAGER", 1),
        (NAMES, "3", ("w1", "w2", "w3")),
        *((NAMES, said, ("a", "b2")) for said in ("(a, b2)", "{a, b2}", "a,b2", "[a, b2]")),
        (PARTS, "((w1, w2), (w3))", (("w1", "w2"), ("w3",))),
        (PARTS, "-", None),
    ],
)
def test_accepted(constant, given, value):
    assert constant.parse("K", given) == value
    assert type(constant.parse("K", given)) is type(value)


@pytest.mark.parametrize(
    ("constant", "given", "accepts"),
    [
        *((SWITCH, bad, "true or false") for bad in (0, 1, "truth", None, [1])),
        *((INTEGER, bad, "an integer from 0 to 3") for bad in (4, -1, True, 1.0, math.nan, "one", None, 10**30, [1])),
        *((EVEN, bad, "an integer from 2 to 8 in steps of 2") for bad in (3, 10)),
        *((CHOICE, bad, "one of split, atomic, 3") for bad in ("Splot", "", 3.0, True, None, ["split"])),
        *(
            (WORDED, bad, "one of 0 (keep), 1 (eager), 2 (lazy)")
            for bad in (2, "1", "Eeger", "", True, 1.0, None, ["keep"])
        ),
        *(
            (NAMES, bad, "a size from 1 to 3, or a list of that many names (a-z, A-Z, then also 0-9 and _)")
            for bad in (0, 4, -1, 10**18, True, 2.0, "ab", None, [], ["a", "a"], ["a", ""], ["a b"], ["1a"], ["é"])
        ),
        *(
            (NAMES, bad, "a size from 1 to 3, or a list of that many names (a-z, A-Z, then also 0-9 and _)")
            for bad in ([1, 2], [["a"], ["b"]], {"a": 1}, ["a\n"], ["a", "b", "c", "d"])
        ),
        *(
            (PARTS, bad, "a list of lists that holds each of Writers exactly once")
            for bad in (3, "w1", [], ["w1"], {"w1": 1}, True, [["w1"], "w2"])
        ),
    ],
)
def test_not_accepted(constant, given, accepts):
    with pytest.raises(InputError) as caught:
        constant.parse("K", given)
    text = str(caught.value)
    assert text.startswith(f"K = {given!r} is not accepted; it takes {accepts}")
    assert "\n" not in text


@pytest.mark.parametrize("model", models())
def test_what_is_printed_is_taken_back(model):
    declared = get_model(model).declared.constants
    for name, constant in declared.items():
        kind = constant.domain.kind
        for value in constant.domain if kind in ("switch", "choice") else (constant.default,):
            try:
                given = get_model(model)(**{name: value}).constants[name]
            except InputError:  # it needs another constant
                continue
            assert get_model(model)(**{name: constant.domain.word(given)}).constants[name] == given, name


def test_kinds():
    kinds = ["switch", "integer", "choice", "choice", "names", "partition"]
    assert [constant.domain.kind for constant in (SWITCH, INTEGER, CHOICE, WORDED, NAMES, PARTS)] == kinds


@pytest.mark.parametrize("domain", ["abc", {1, 2}, float, range(0), (), [], None, 5])
def test_a_domain_that_is_none(domain):
    with pytest.raises(ModelError, match="of a constant is not known; it takes bool, a range"):
        Constant(1, domain, "")


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({0: "off", 1: "off"}, "each needs a word of its own"),
        ({0: "", 1: "on"}, "each needs a word of its own"),
        ({0: "two words"}, "each needs a word of its own"),
        ({0: 1}, "each needs a word of its own"),
        ({"on": "off", "off": "on"}, "a word may not be a value too"),
    ],
)
def test_words_that_do_not_tell_choices_apart(choices, why):
    with pytest.raises(ModelError, match=why):
        Constant(next(iter(choices)), choices, "")


@pytest.mark.parametrize(
    ("constant", "value", "word"),
    [(WORDED, 1, "eager"), (WORDED, "2", "lazy"), (CHOICE, 3, "3"), (SWITCH, True, "on"), (PARTS, None, "-")],
)
def test_what_people_read_for_a_value(constant, value, word):
    assert constant.domain.word(value) == word


def test_a_word_is_another_way_to_write_a_number():
    """Permalinks, JSON and what is stored have the number, whichever was given; people read the word."""
    by_word, by_number = (HudiExtended(ConcurrencyControl=it, FailedWrites=2) for it in ("none", 0))
    assert by_word.constants == by_number.constants
    assert repr(by_word) == "HudiExtended(ConcurrencyControl='none', FailedWrites='lazy')"
    given = spell(machine_of(by_word).differing(), HudiExtended.declared.constants)
    assert given == "ConcurrencyControl=none FailedWrites=lazy"
    assert permalink(replay(by_word, 0, [])).startswith("workbench:hudi?ConcurrencyControl=0&FailedWrites=2#0/")
    assert (
        open_permalink('workbench:hudi?ConcurrencyControl="none"#0/', get_model).model.constants["ConcurrencyControl"]
        == 0
    )


@pytest.mark.parametrize(("prefix", "sizes"), [("w", range(0)), ("", range(1, 3)), ("9", range(1, 3))])
def test_names_that_cannot_be(prefix, sizes):
    with pytest.raises(ModelError, match="it takes a prefix that begins with a letter, and some sizes"):
        Names(prefix, sizes)


def model_with(**declared):
    class Declared(Model):
        n = Variable(0)

        @action
        def step(self, s):
            s.n = 1 - s.n

    return type("Declared", (Declared,), declared)


def test_a_default_must_be_accepted():
    with pytest.raises(
        ModelError, match="Declared: the default K = 7 is not accepted; it takes an integer from 0 to 3"
    ):
        model_with(K=Constant(7, range(4), ""))


def test_unknown_constants_are_named_with_the_nearest():
    with pytest.raises(
        InputError, match=r"unknown constant of bakery_v2_published 'SafeAck' \(did you mean SafeAcks\?\); known: "
    ):
        BakeryV2(SafeAck=True)


def test_every_constant_is_an_attribute_and_is_kept():
    model = Bakery(Writers=["a", "b"], LazyReap=False)
    assert (model.Writers, model.LazyReap, model.MaxCrashes) == (("a", "b"), False, 1)
    assert model.constants == {**Bakery().constants, "Writers": ("a", "b"), "LazyReap": False}
    assert list(model.constants) == list(Bakery.declared.constants)
    assert repr(model) == "Bakery(Writers=('a', 'b'), LazyReap=False)"


@pytest.mark.parametrize(
    "parts", [[["w1"], ["w2"]], [["w1", "w2"], ["w2", "w3"]], [["w1", "w2", "w3", "x"]], [[1, 2, 3]]]
)
def test_parts_that_do_not_partition(parts):
    with pytest.raises(InputError) as caught:
        BakeryV2(NodeParts=parts)
    assert str(caught.value) == (
        f"NodeParts = {parts!r} is not a partition of Writers; it must hold each of w1, w2, w3 exactly once"
    )


def test_partitions_are_checked_for_any_model():
    declared = model_with(Ws=Constant(2, Names("w", range(1, 4)), ""), Parts=Constant(None, Partition("Ws"), ""))
    assert declared(Parts=[["w2"], ["w1"]]).Parts == (("w2",), ("w1",))
    with pytest.raises(InputError, match="is not a partition of Ws"):
        declared(Parts=[["w1"]])
    with pytest.raises(ModelError, match="Parts partitions 'Nope', which is not a set of names"):
        model_with(Parts=Constant(None, Partition("Nope"), ""))


def test_names_that_clash_between_sets():
    declared = model_with(A=Constant(2, Names("w", range(1, 4)), ""), B=Constant(["x"], Names("w", range(1, 4)), ""))
    assert declared().B == ("x",)
    with pytest.raises(InputError, match="A and B both hold 'w1'; names must differ"):
        declared(B=1)


def test_constants_that_do_not_go_together():
    with pytest.raises(
        InputError, match=r"MaxTickets = 2 is not accepted; it takes at least the number of Writers \(3\)"
    ):
        Bakery(MaxTickets=2)
