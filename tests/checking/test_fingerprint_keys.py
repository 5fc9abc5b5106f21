"""Fingerprints have a key that no model can know; nothing else in this process depends on it."""

import json
from dataclasses import replace

import pytest
from random_models import random_model

from tests.toys import Steps
from workbench.checking.check import check
from workbench.checking.local.search import LocalSearch
from workbench.checking.spaces.space import explore
from workbench.checking.trees.cells import Interner
from workbench.kernel import InputError, machine_of
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.plan import Fingerprints, make_plan
from workbench.language import *
from workbench.protocols.bakery.v2 import BakeryV2

#: Four cells with equal sums of unkeyed hashes. From 1,900 numbers in each cell there are 3.6 million differences of
#: two, and Wagner's generalised birthday (2002) needs no more to find four of sum 0: a few seconds with NumPy.
ONE, OTHER = (1447, 1679, 1830, 14), (840, 942, 1175, 1111)
KEYS = ["00" * 16, "ff" * 16, "0123456789abcdef" * 2]


class Birthday(Model):
    """The bad state comes second, and without a key it passes for the other."""

    a, b, c, d = (Variable(0) for _ in range(4))

    @action
    def good(self, s):
        s.a, s.b, s.c, s.d = ONE

    @action
    def turn_bad(self, s):
        require(s.a == 0, "too late")
        s.a, s.b, s.c, s.d = OTHER

    @invariant
    def Good(self, s):
        return s.a != OTHER[0]


def test_a_collision_that_was_computed_beforehand_hides_nothing():
    searching = LocalSearch(replace(make_plan(Birthday()), key=b""))
    searching.run(Limits())
    assert (searching.store.count, dict(searching.decided)) == (2, {}), "without a key it hides the bad state"
    for _ in range(3):
        found = check(Birthday(), engine="local")
        assert (found.distinct, found["Good"].word, found["Good"].trace_states) == (3, "violated", 2)


def test_a_collision_for_one_key_is_none_for_another():
    model = machine_of(Birthday())

    def sums(key):
        cells = Interner(model, key=key)
        return [int(cells.sums([cells.number(*pair) for pair in enumerate(row)])[0]) for row in (ONE, OTHER)]

    assert len(set(sums(b""))) == 1
    assert len({fingerprint for key in KEYS for fingerprint in sums(bytes.fromhex(key))}) == 2 * len(KEYS)


def test_each_search_draws_a_key_and_a_given_one_repeats_it():
    first, second = check(Steps()), check(Steps())
    assert first.fingerprint_key != second.fingerprint_key
    assert check(Steps(), fingerprints=Fingerprints(key=first.fingerprint_key)).fingerprint_key == first.fingerprint_key
    assert check(Steps(), engine="reference").as_dict()["fingerprint_key"] is None


@pytest.mark.slow
def test_the_command_repeats_a_search_and_tells_people_no_key(run):
    one, other = (json.loads(run("check", "bakery_v2", "--json").out) for _ in range(2))
    assert one["fingerprint_key"] != other["fingerprint_key"]
    again = run("check", "bakery_v2", "--fingerprint-key", one["fingerprint_key"].upper(), "--json")
    assert json.loads(again.out)["fingerprint_key"] == one["fingerprint_key"]
    assert KEYS[2] not in run("check", "bakery_v2", "--fingerprint-key", KEYS[2]).out


@pytest.mark.parametrize("key", ["", "00", "0x" + "0" * 30, KEYS[0] + "\n", "é" * 32, 7, b"0" * 16])
def test_what_is_no_key_is_refused(key):
    with pytest.raises(InputError, match="it takes 32 hexadecimal digits"):
        check(Steps(), fingerprints=Fingerprints(key=key))


MODELS = {
    "steps": (Steps(Walkers=3), True),
    "bakery": (BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False), False),
    "symmetric bakery": (BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False), True),
    **{f"random {seed}": (random_model(seed), False) for seed in range(3)},
}


@pytest.mark.slow
@pytest.mark.parametrize(("model", "symmetry"), MODELS.values(), ids=MODELS)
def test_nothing_in_this_process_depends_on_the_key(model, symmetry, monkeypatch):
    """Neither states' numbers, transitions and traces, nor figures."""

    def all_of(key):
        monkeypatch.setattr("workbench.kernel.meaning.plan.token_bytes", lambda size: bytes.fromhex(key))
        safe = [p.name for p in machine_of(model).select() if p.kind != "liveness"]  # else there is no symmetry
        space = explore(model, safe, symmetry=symmetry)
        assert bool(space.result.symmetry) is symmetry
        answer = space.result.as_dict()
        assert (answer.pop("fingerprint_key"), answer.pop("seconds") >= 0) == (key, True)
        arrays = (space.rows, space.levels, space.sources, space.targets, space.steps)
        return answer, space.result.actions, [array.tolist() for array in arrays]

    first, *others = map(all_of, KEYS)
    assert others == [first] * len(others)
