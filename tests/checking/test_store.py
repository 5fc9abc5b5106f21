"""Visited sets and predecessor links: what they hold does not depend on how they take less memory."""

import numpy as np
import pytest

from workbench.checking.check import check
from workbench.checking.contract import Room
from workbench.checking.kernels import loops
from workbench.checking.kernels.packing import PackedRows
from workbench.checking.local import store
from workbench.checking.local.search import LocalSearch
from workbench.checking.local.store import StateStore, Visited
from workbench.kernel.meaning.budget import Budget, Limits
from workbench.kernel.meaning.plan import make_plan
from workbench.protocols.bakery.v2 import BakeryV2


@pytest.fixture
def soon_large(monkeypatch):
    """Tables grow in place when they are still small."""
    monkeypatch.setattr(store, "_SLOTS", 64)
    monkeypatch.setattr(store, "_LARGE", 256)
    monkeypatch.setattr(store, "_BOTTOM", 16)


def assert_holds(visited, fingerprints):
    parts = list(visited.slices())
    held = np.concatenate([part for part, _ in parts])
    assert sorted(map(tuple, held.tolist())) == sorted(map(tuple, fingerprints.tolist()))
    assert loops.contains(fingerprints, visited.table).all()
    if visited.numbered:
        assert np.array_equal(fingerprints[np.concatenate([numbers for _, numbers in parts])], held)


@pytest.mark.slow
@pytest.mark.usefixtures("soon_large")
@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize("words", [1, 2])
def test_a_table_that_grows_in_place_loses_nothing(words, numbered):
    fingerprints = np.random.default_rng(words).integers(1, 2**64, (20_000, words), np.uint64)
    visited, room = Visited(words, numbered, in_place=True), set()
    for first in range(0, len(fingerprints), 500):
        assert visited.add_new(fingerprints[first : first + 500], first).all()
        room.add(visited.table.low.ctypes.data)
    assert len(room) <= 4  # copied while it was small
    assert not visited.add_new(fingerprints, len(fingerprints)).any()
    assert_holds(visited, fingerprints)


@pytest.mark.usefixtures("soon_large")
def test_fingerprints_that_crowd_a_table_are_found_again():
    """Their homes are its last slots, so that look-ups go on at its beginning."""
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)  # of the factor in `home`
    crowd = np.array([[(2**64 - 1 - k * 2**44) * inverse % 2**64] for k in range(3000)], np.uint64)
    visited = Visited(1, numbered=True, in_place=True)
    for first in range(0, len(crowd), 100):
        assert visited.add_new(crowd[first : first + 100], first).all()
    assert_holds(visited, crowd)


def test_a_table_grows_by_copies_where_addresses_are_limited(soon_large, monkeypatch):
    def refuse(count, dtype):
        raise OSError

    monkeypatch.setattr(store, "reserve", refuse)
    fingerprints = np.random.default_rng(0).integers(1, 2**64, (5000, 1), np.uint64)
    visited = Visited(1, numbered=False, in_place=True)
    assert visited.add_new(fingerprints, 0).all()
    assert_holds(visited, fingerprints)


def test_initial_states_are_numbered_as_they_come(monkeypatch):
    """Repeated ones are not numbered again; a batch may fill one block and begin the next."""
    monkeypatch.setattr(store, "BLOCK", 4)
    searching = LocalSearch(make_plan(BakeryV2()))
    row = searching.cells.encode(searching.model.initial_states()[0])
    rows = [[searching.cells.number(0, value), *row[1:]] for value in range(100, 110)]
    states = StateStore(searching.cells, keep_rows=True, keep_edges=False)
    batches = [[0, 1, 0, 2], [2, 3, 4, 5, 6, 7, 8, 1], [9, 9]]
    order, which = [], 0
    for batch in batches:
        states.add_initial([rows[at] for at in batch], range(which, which + len(batch)))
        order += batch
        which += len(batch)
    assert states.count == len(rows)
    assert states.column("rows").tolist() == rows
    assert [states.path(number) for number in range(len(rows))] == [(order.index(at), []) for at in range(len(rows))]
    assert states.column("sums").tolist() == [searching.cells.sums(row).tolist() for row in rows]


@pytest.mark.slow
def test_packed_links_are_the_links(monkeypatch):
    """For states of released blocks, among them initial ones."""
    plan = make_plan(BakeryV2(), ["UniqueTickets"])
    packed = LocalSearch(plan)
    packed.run(Limits())
    monkeypatch.setattr(StateStore, "release_before", lambda self, number: None)
    plain = LocalSearch(plan)
    plain.run(Limits())
    assert packed.store.count == plain.store.count > store.BLOCK
    assert len(packed.store.blocks[0].parent) == 0
    for name in ("parent", "step"):
        assert np.array_equal(packed.store.column(name), plain.store.column(name))
    for number in (0, 1, store.BLOCK - 1, store.BLOCK, packed.store.count - 1):
        assert packed.store.path(number) == plain.store.path(number)


@pytest.mark.slow
def test_a_level_is_released_while_it_is_expanded():
    """Only a search that Spark may continue keeps it to its end."""
    plan, held = make_plan(BakeryV2(MaxCrashes=1), ["UniqueTickets"]), []
    for room in (Room(), Room(bytes=2**40)):
        searching = LocalSearch(plan)
        searching.run(Limits(), room)
        held.append(searching.store.bytes_per_state)
        assert searching.store.count == 1_376_826
    assert held[0] < held[1]


@pytest.mark.slow
@pytest.mark.parametrize("most", [None, 1_000_000])
def test_blocks_that_wait_packed_are_the_blocks(monkeypatch, most):
    """Also after a search is stopped while some wait."""
    plan, found, opened = make_plan(BakeryV2(MaxCrashes=1), ["UniqueTickets"]), [], []
    unpack = PackedRows.unpack_as
    monkeypatch.setattr(PackedRows, "unpack_as", lambda *given: opened.append(1) or unpack(*given))
    for waiting in (store._OPEN, 1):
        monkeypatch.setattr(store, "_OPEN", waiting)
        searching = LocalSearch(plan)
        searching.run(Limits(Budget(states=most)))
        found.append((searching, searching.exploration().generated, len(opened)))
    (plain, generated, none), (packed, again, some) = found
    assert none == 0 < some
    assert packed.levels == plain.levels
    assert again == generated
    for name in ("parent", "step"):
        assert np.array_equal(packed.store.column(name), plain.store.column(name))
    last = packed.store.count - 1
    assert packed.trace_to(last).steps == plain.trace_to(last).steps


@pytest.mark.slow
@pytest.mark.parametrize(("waiting", "most"), [(store._OPEN, 21), (2, 16)])
def test_ten_million_states_take_few_bytes_each_with_everything(monkeypatch, waiting, most):
    monkeypatch.setattr(store, "_OPEN", waiting)
    result = check(BakeryV2(MaxCrashes=2, AsyncParquet=True), ["UniqueTickets"], engine="local")
    assert result.distinct == 10_265_940
    assert result.figures["bytes_per_state"] < most
