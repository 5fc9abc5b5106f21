"""What is stored knows what made it, and is not taken for anything else's."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from workbench.kernel import Constant, InputError, Model, ModelError, Names, Partition, Variable, action, machine_of
from workbench.registry import get_model, models
from workbench.storage.identity import Identity
from workbench.storage.strict_json import read_json


class Counter(Model):
    """Has a constant of each kind."""

    Workers = Constant(2, Names("w", range(1, 4)), "who counts")
    Groups = Constant(None, Partition("Workers"), "who counts together")
    Size = Constant(2, range(1, 5), "how far")
    Way = Constant((1, "up"), [(1, "up"), None, "down"], "in which way")
    Fast = Constant(False, bool, "whether")
    n = Variable(0)

    @action
    def count(self, s):
        s.n = 1 - s.n


def other_counter() -> Any:
    class Counter(Model):
        Workers = Constant(2, Names("w", range(1, 4)), "who counts")
        Groups = Constant(None, Partition("Workers"), "who counts together")
        Size = Constant(2, range(1, 3), "how far")
        Way = Constant((1, "up"), [(1, "up"), None, "down"], "in which way")
        Fast = Constant(False, bool, "whether")
        n = Variable(0)

        @action
        def count(self, s):
            s.n = 2 - s.n

    return Counter


MODEL = Counter(Workers=["a", "b"], Groups=[["b"], ["a"]], Size=3)
IDENTITY = Identity.of(MODEL, ["Small"], ["Workers"], 128)


def stored(identity: Identity) -> Identity:
    return Identity.from_json(read_json(json.dumps(identity.as_json()), "it"), "it")


def test_it_is_what_was_stored() -> None:
    assert stored(IDENTITY) == IDENTITY
    assert stored(IDENTITY).key == IDENTITY.key
    assert IDENTITY.source.endswith("test_identity.py:Counter")


@pytest.mark.parametrize("name", models())
def test_every_model_is_rebuilt(name: str) -> None:
    model = get_model(name)()
    identity = stored(Identity.of(model, list(machine_of(model).properties)))
    rebuilt = identity.rebuild(get_model(name), "run directory 'out'")
    assert rebuilt.constants == model.constants
    assert type(rebuilt.author) is type(model)


def test_the_model_that_made_it_is_rebuilt_with_its_constants() -> None:
    assert stored(IDENTITY).rebuild(Counter, "run directory 'out'").constants == MODEL.constants


def test_another_one_is_refused_by_name() -> None:
    def refused(identity: Identity, model: type[Model]) -> str:
        with pytest.raises(InputError) as error:
            identity.rebuild(model, "run directory 'out'")
        return str(error.value)

    assert "is of the model 'counter' (" in refused(IDENTITY, get_model("bakery"))
    small = Identity.of(Counter(), [])
    assert (
        refused(small, other_counter())
        == "run directory 'out' is not of this check: the model's code has changed since"
    )
    assert "the model has changed since: Size = 3 is not accepted" in refused(IDENTITY, other_counter())
    assert "the version of the workbench has changed since ('0.0.1' there" in refused(
        replace(small, workbench="0.0.1"), Counter
    )
    assert "the version of Python has changed since ('2.7' there" in refused(replace(small, python="2.7"), Counter)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"digest": "0"}, "the model's code has changed since"),
        ({"bits": 64}, "the bits of a fingerprint has changed since (128 there, 64 here)"),
        ({"symmetry": ()}, "the symmetric sets has changed since (Workers there, none here)"),
        ({"properties": ("Small", "Large")}, "the properties has changed since (Small there, Small, Large here)"),
        ({"constants": {**IDENTITY.constants, "Size": 2}}, "'Size' is 3 there, 2 here"),
        ({"constants": {**IDENTITY.constants, "Fast": 0}}, "'Fast' is False there, 0 here"),
        ({"constants": {}}, "'Workers' is ['a', 'b'] there, missing here"),
    ],
)
def test_whatever_differs_is_named(change: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError) as error:
        IDENTITY.check_same(replace(IDENTITY, **change), "the record 'x.json'")
    assert str(error.value) == f"the record 'x.json' is not of this check: {why}"
    assert replace(IDENTITY, **change).key != IDENTITY.key


def test_where_a_model_stands_does_not_matter() -> None:
    elsewhere = replace(IDENTITY, source="/elsewhere/counter.py:Counter")
    IDENTITY.check_same(elsewhere, "it")
    assert elsewhere.key == IDENTITY.key


def test_nothing_but_an_identity_is_taken_for_one() -> None:
    good = IDENTITY.as_json()
    for name in good:
        for bad in (None, 1.5, [1], "x" if name in ("bits", "constants", "properties", "symmetry") else {}):
            with pytest.raises(InputError, match=rf"^run\.{name}"):
                Identity.from_json({**good, name: bad}, "run")
        with pytest.raises(InputError, match=f"^run lacks '{name}'"):
            Identity.from_json({n: v for n, v in good.items() if n != name}, "run")


def test_constants_of_a_forged_one_are_refused_as_any_others_are() -> None:
    rng = random.Random(1)
    values: list[Any] = [None, True, 7, 1.5, "x", [], ["a"], [["a"], []], [[["a"]]], {}, {"a": []}, -1, 10**30]
    for _ in range(300):
        constants = {name: rng.choice(values) for name in rng.sample([*IDENTITY.constants, "More"], 3)}
        try:
            replace(IDENTITY, constants=constants).rebuild(Counter, "it")
        except InputError as error:
            refusal = str(error)
            assert "\n" not in refusal


def test_constants_that_json_cannot_say_are_refused() -> None:
    class Odd(Counter):
        Way = Constant(frozenset("a"), [frozenset("a")], "cannot be written")

    with pytest.raises(ModelError, match="cannot be stored as JSON"):
        Identity.of(Odd(), [])
