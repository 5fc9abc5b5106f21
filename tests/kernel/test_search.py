"""The reference search, on models small enough to be counted by hand, and symmetry."""

import itertools
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.behaviours import reachable_states
from tests.toys import SAFE, Steps
from workbench.checking.check import check
from workbench.kernel import ModelError, machine_of, search
from workbench.kernel.meaning.symmetry import Canonical
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2


def test_counts_by_hand():
    """Two walkers with three places: a grid of 3 x 3 states, whose diagonals are the levels."""
    result = search(Steps(), SAFE)
    assert (result.distinct, result.depth, result.levels) == (9, 5, [1, 2, 3, 2, 1])
    assert result.generated == 1 + 12  # each of the two walks from 6 of the 9 states
    assert [(a.name, a.enabled, a.generated, a.new) for a in result.actions] == [("walk", 12, 12, 8), ("fly", 0, 0, 0)]
    assert result.never_taken == ["fly"]
    assert (result.complete, result.stopped, result.engine) == (True, None, "reference")


def test_verdicts_by_hand():
    result = search(Steps(), SAFE)
    found = {v.name: (v.holds, v.word, v.trace_states, v.why) for v in result.verdicts}
    assert found == {
        "Together": (False, "violated", 5, "p1 and p2 are all at the end"),
        "OnTheWay": (True, "holds", None, None),
        "SomebodyArrives": (True, "reached", 3, None),
        "SomebodyFlies": (False, "not reached", None, "no reachable state satisfies it"),
    }
    assert [v.name for v in result.violated] == ["Together", "SomebodyFlies"]
    assert [dict(s.at) for s in result["SomebodyArrives"].trace.states] == [
        {"p1": 0, "p2": 0},
        {"p1": 1, "p2": 0},
        {"p1": 2, "p2": 0},
    ]


def test_unknown_names():
    with pytest.raises(InputError, match=r"unknown property of steps 'Togther' \(did you mean Together\?\)"):
        search(Steps(), ["Togther"])
    with pytest.raises(InputError, match="unknown symmetric set of steps 'Last'; known: Walkers"):
        search(Steps(), symmetry=["Last"])
    with pytest.raises(InputError, match="unknown checked property 'Nope'; known: Together"):
        search(Steps(), ["Together"])["Nope"]


# Symmetry ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        Steps(Walkers=3),
        Bakery(Writers=2),
        Bakery(MaxCrashes=0),
        BakeryV2(Writers=2, StepGranularity="atomic", MaxCrashes=1),
        BakeryV2(Writers=3, NodeParts=[["w1", "w2"], ["w3"]], StepGranularity="atomic"),
        BakeryV2(Writers=4, NodeParts=[["w1", "w2"], ["w4", "w3"]], StepGranularity="atomic", SafeAcks=False),
    ],
    ids=repr,
)
def test_the_orbits_of_the_representatives_are_the_whole_space(model):
    """Each representative stands for as many states as its orbit has; together they are what there is without it."""
    model = machine_of(model)
    names = [p.name for p in model.select() if p.kind == "invariant"]
    full, reduced = check(model, names, engine="local"), search(model, names, model.symmetry)
    states, representatives = (reachable_states(model, sets) for sets in ((), model.symmetry))
    canonical = Canonical(model, model.symmetry)
    orbits = [set(canonical.orbit(state.values)) for state in representatives]
    assert sum(map(len, orbits)) == full.distinct == len(states)
    assert set().union(*orbits) == {state.values for state in states}
    assert len(representatives) == reduced.distinct < full.distinct
    assert [v.holds for v in reduced.verdicts] == [v.holds for v in full.verdicts]


def test_permutations_of_writers_keep_nodes_together():
    apart = BakeryV2(Writers=3)
    together = BakeryV2(Writers=["a", "b", "c"], NodeParts=[["a", "b"], ["c"]])
    assert (len(apart.renamings()), len(together.renamings())) == (6, 2)
    assert {"a": "b", "b": "a", "c": "c", "n1": "n1", "n2": "n2"} in together.renamings()
    swapped = next(r for r in apart.renamings() if (r["w1"], r["w2"]) == ("w2", "w1"))
    assert (swapped["n1"], swapped["n2"], swapped["n3"]) == ("n2", "n1", "n3")


class Tag(NamedTuple):
    owner: str
    number: int


class Tags(Model):
    symmetry = ("Owners", "Things")
    Owners = Constant(3, Names("o", range(1, 4)), "one set")
    Things = Constant(2, Names("t", range(1, 3)), "another")
    of = Variable(frozenset(), per="Owners")
    first = Variable(None)
    pairs = Variable(0, per="everything")

    def everything(self):
        return tuple(itertools.product(self.Owners, self.Things))

    @action(o="Owners", t="Things")
    def tag(self, s, o, t):
        s.of[o] |= {Tag(t, 1)}
        s.first = s.first or (o, t)
        s.pairs[o, t] = 1


TAGS = machine_of(Tags)
values = st.tuples(
    *[st.frozensets(st.builds(Tag, st.sampled_from(["t1", "t2"]), st.integers(0, 1)), max_size=2)] * 3,
    st.sampled_from([None, ("o1", "t1"), ("o3", "t2")]),
    *[st.integers(0, 1)] * 6,
).map(TAGS.mark)


@pytest.mark.slow
@given(values, st.integers(0, 11))
def test_the_canonical_value_is_the_same_for_the_whole_orbit(start, which):
    canonical = Canonical(TAGS, ("Owners", "Things"))
    orbit = canonical.orbit(start)
    assert len(orbit) == 3 * 2 * 2
    assert orbit[0] == start
    image = orbit[which]
    assert set(canonical.orbit(image)) == set(orbit)
    assert canonical(TAGS.state(image)) == canonical(TAGS.state(start))


@pytest.mark.slow
@given(values, values)
def test_different_orbits_have_different_canonical_values(one, other):
    canonical = Canonical(TAGS, ("Owners", "Things"))
    first, second = (canonical(TAGS.state(values)) for values in (one, other))
    assert (first == second) is (one in canonical.orbit(other))


def test_without_symmetry_a_state_is_its_own_orbit():
    canonical = Canonical(TAGS, ())
    (start,) = Tags().initial_states()
    assert (canonical.orbit(start.values), canonical(start)) == ([start.values], start)


@pytest.mark.slow
def test_some_of_the_sets():
    assert len(Tags().renamings(["Things"])) == 2
    assert len(Tags().renamings()) == 12
    both, owners = (search(Tags(), symmetry=sets).distinct for sets in (["Owners", "Things"], ["Owners"]))
    assert both < owners < search(Tags()).distinct


def test_cells_that_are_not_symmetric():
    class Lopsided(Steps):
        captain = Variable(0, per="captains")

        def captains(self):
            return self.Walkers[:1]

    with pytest.raises(ModelError, match=r"a renaming maps a cell to captain\[p2\], which does not exist"):
        search(Lopsided(), SAFE, symmetry=["Walkers"])
