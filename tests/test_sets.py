"""Sets with a declared universe: to a model they are frozensets, and what engines find is the same as of one."""

import random
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_conformance import ENGINES, figures
from workbench.engines.check import check
from workbench.formats.recording import Observation, Recording
from workbench.guided.scenario import scenario
from workbench.guided.validate import validate
from workbench.kernel import (
    Constant,
    InputError,
    Map,
    Model,
    ModelError,
    Names,
    SetOf,
    Variable,
    action,
    choose,
    invariant,
    reachable,
    require,
)
from workbench.kernel.expression import Expression
from workbench.kernel.state import Reads
from workbench.spaces.dataset import load, save
from workbench.spaces.space import explore

# Random models -------------------------------------------------------------------------------------------------------


class Item(NamedTuple):
    kind: str
    owner: str


KINDS = ("a", "b")


def of_kind(box, kind):
    return box.where(kind=kind) if hasattr(box, "where") else frozenset(m for m in box if m.kind == kind)


class Boxes(Model):
    """What the random models share: they differ in how the boxes are declared."""

    symmetry = ("Owners",)
    Owners = Constant(2, Names("p", range(1, 4)), "who has items")
    pc = Variable(0, per="Owners")

    def items(self):
        return [Item(kind, owner) for kind in KINDS for owner in self.Owners]

    @reachable
    def Full(self, s):
        return len(s.shelf) == len(self.items())


def read_or_write(model, s, p, entry):
    """One of the things that one can do with a set; `entry` says which."""
    kind, item = KINDS[entry("kind") % 2], Item(KINDS[entry("item") % 2], p)
    mine = entry("where") % 2
    box = s.boxes[p] if mine else s.shelf

    def put(value):
        if mine:
            s.boxes[p] = value
        else:
            s.shelf = value

    match entry("what") % 14:
        case 0 | 1 | 2:
            put(box | {item})
        case 3:
            put(box - {item})
        case 4:
            put(frozenset({item}))
        case 5:
            put(of_kind(box, kind))
        case 6:
            put(box - of_kind(box, kind))
        case 7:
            require(item in box, "it is not there")
        case 8:
            require(not box, "it is not empty")
        case 9:
            require(len(box) < 3, "there are too many")
        case 10:
            put(box - {choose(of_kind(box, kind), "taken")})
        case 11:
            require(box <= {Item(kind, owner) for owner in model.Owners}, "there is another kind")
        case 12:
            put(box ^ {item, Item(kind, p)})
        case 13:
            before = box
            put(box | {item})
            s.pc[p] = (len(before) + len(s.boxes[p] if mine else s.shelf) + (item in before)) % 3


@cache
def boxes_model(seed, declared):
    """A random model whose boxes are sets with a declared universe, or frozensets in cells."""

    def entry(*what):
        return random.Random(repr((seed, *what))).randrange(10000)

    def step(kind):
        def act(self, s, p):
            require(s.pc[p] != entry(kind, "pc") % 4, "the table says no")
            for which in range(1 + entry(kind, "things") % 3):
                read_or_write(self, s, p, lambda what: entry(kind, which, what))
            s.pc[p] = (s.pc[p] + entry(kind, "next") % 2) % 3

        act.__name__ = kind
        return action(p="Owners")(act)

    def judge(self, s, p):
        item, most = Item(KINDS[entry("bad") % 2], p), entry("most") % 5
        if item in s.shelf and s.pc[p] == 2:
            return f"{item} is on the shelf: {sorted(s.shelf)}"
        return s.boxes[p] >= s.shelf or len(s.boxes[p]) <= most

    boxes = SetOf("items", per="Owners") if declared else Variable(frozenset(), per="Owners")
    shelf = SetOf("items") if declared else Variable(frozenset())
    kinds = {kind: step(kind) for kind in ("first", "second", "third")}
    judge.__name__ = "Judge"
    return type("Random", (Boxes,), {"boxes": boxes, "shelf": shelf, "Judge": invariant(p="Owners")(judge), **kinds})


def found(model, **options):
    """What every engine must find of both."""
    result = check(model, **options)
    traces = [v.trace and [(step.label, step.state.values) for step in v.trace.steps] for v in result.verdicts]
    return figures(result), [v.why for v in result.verdicts], traces


IN_PROCESS = [name for name in ENGINES if name not in ("spark", "hand-over")]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 5000), st.booleans(), st.sampled_from(IN_PROCESS))
def test_a_declared_set_is_what_a_frozenset_is(seed, symmetry, engine):
    options = {**ENGINES[engine].options, "symmetry": symmetry}
    assert found(boxes_model(seed, True)(), **options) == found(boxes_model(seed, False)(), **options)
