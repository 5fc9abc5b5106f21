"""Branches of decision trees: for each value of a cell a child, in an array or, where few are met, in a table."""

import random

import numpy as np
import pytest

from workbench.checking.check import check
from workbench.checking.kernels import branches
from workbench.checking.kernels.branches import UNKNOWN, TreeNodes, branches_of, in_table
from workbench.checking.kernels.compiled import interpreting
from workbench.checking.trees.cells import Interner
from workbench.checking.trees.decision_trees import TRUE, Trees
from workbench.kernel import Model, Variable, action, choose, initial, invariant, machine_of, require, step


def found(nodes, node, value):
    """The child as the kernels find it."""
    base, size = nodes.base.array[node], nodes.size.array[node]
    if value < size:
        return nodes.branch.array[base + value]
    with interpreting({}):
        return UNKNOWN if size else in_table(nodes.branch.array, base, value)


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("few", [0, 20, 1024])
@pytest.mark.parametrize("most", [12, 300, 100_000, 2**31 - 2])
def test_every_value_has_the_child_that_it_was_given(monkeypatch, few, most):
    monkeypatch.setattr(branches, "_FEW", few)
    rng = random.Random(repr((few, most)))
    nodes, given = TreeNodes(), {}
    for number in range(1, 600):
        value = rng.randrange(rng.choice([most, min(most, 40)]) + 1)
        node = rng.choice([*given, 0])
        if node == 0:
            node = nodes.add(7, value)
            given[node] = {}
        place = nodes.place(node, value)
        assert nodes.branch.items[place] == given[node].get(value, UNKNOWN)
        nodes.branch.items[place] = given[node][value] = rng.choice([-1, 1]) * number
    for node, children in given.items():
        for value in {*children, *range(50), most - 1, most}:
            child = children.get(value, UNKNOWN)
            assert nodes.child(node, value) == found(nodes, node, value) == child
        at = slice(node, node + 1)
        counts, taken, places = branches_of(nodes.base.array[at], nodes.size.array[at], nodes.branch.array)
        held = nodes.branch.array[places]
        assert sorted(held[held != UNKNOWN].tolist()) == sorted(children.values())
        assert counts.sum() <= taken.sum() <= max(8, few, most if most < 400 else 0, 20 * len(children))


class Together(Model):
    """Two clocks that show nearly the same."""

    one = Variable(0)
    other = Variable(0)

    @initial
    def begin(self, s):
        s.one = s.other = choose(range(0, 600, 3))

    @action
    def go_on(self, s):
        require(s.one % 3 < 2 and s.one == s.other, "it is time to stop")
        s.one, s.other = s.one + 1, s.other + choose((1, 2))

    @invariant
    def Near(self, s):
        return s.other - s.one < 2 and s.one <= s.other

    @step
    def Onwards(self, s, t):
        return t.one == s.one + 1


def test_what_is_read_of_two_cells_with_many_values_takes_memory_for_what_was_met():
    """As many branches as one cell has values, for each value of the other, would be four and a half million."""
    model = machine_of(Together())
    its = Interner(model, key=b"")
    trees = Trees(its)
    trees.add_predicate(model.predicates("Near")[0].holds)
    for value in range(3000):
        trees.memoize_predicate(0, [its.number(0, value), its.number(1, value)])
    assert all(trees.leaf(int(trees.predicate_roots[0]), [value, value]) == TRUE for value in range(3000))
    assert trees.leaf(int(trees.predicate_roots[0]), [2000, 2001]) < 0
    assert trees.nbytes < 5_000_000


@pytest.mark.slow
def test_a_search_is_the_same_with_tables_everywhere(monkeypatch):
    monkeypatch.setattr(branches, "_FEW", 0)
    results = [check(Together(), ["Near", "Onwards", "Deadlock"], engine=engine) for engine in ("local", "reference")]
    assert len({str((r.levels, r.generated, [(v.word, v.trace_states) for v in r.verdicts])) for r in results}) == 1
    assert results[0].profile is not None
    assert np.isfinite(results[0].figures["tree_bytes"])
