"""What a level is made of, beside Spark: packed messages, files whose numbers grow, and a level that a budget cuts."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.kernels import loops
from workbench.checking.kernels.loops import Frontier
from workbench.checking.kernels.packing import UNKNOWN, PackedRows
from workbench.checking.local import expander, store
from workbench.checking.local.expander import Expander
from workbench.checking.runs import resume
from workbench.checking.spark.cluster import executors
from workbench.checking.spark.files import states
from workbench.checking.spark.files.manifest import RUN, Level, Run, RunManifest, TransitionFile
from workbench.checking.spark.files.messages import Task
from workbench.checking.spark.files.numbering import Translation
from workbench.checking.spark.files.part_store import PartStore
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.worker import successor_messages, worker
from workbench.checking.spark.worker.successor_messages import messages_of
from workbench.checking.trees.cells import NARROW, WIDE
from workbench.kernel import InputError, Model, Variable, action, invariant, machine_of, require
from workbench.kernel.meaning.budget import Budget
from workbench.storage.folder import Folder, new_folder


class NoJobs:
    """Stands in for a session of two cores: all levels here are narrow, so that nothing else is asked of it."""

    def __init__(self) -> None:
        self.sparkContext = SimpleNamespace(defaultParallelism=2)


NO_JOBS = NoJobs()


# Messages ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(data=st.data())
def test_packed_rows_are_the_rows_in_global_numbers(data):
    cells = data.draw(st.integers(1, 40))
    most = data.draw(st.lists(st.sampled_from([0, 1, 7, 300, 70_000]), min_size=cells, max_size=cells))
    count = data.draw(st.integers(1, 20))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    rows = rng.integers(0, np.array(most) + 1, (count, cells)).astype(np.int32)
    shared = [np.where(rng.random(m + 1) < 0.9, rng.permutation(m + 1), UNKNOWN).astype(np.int32) for m in most]
    some = rng.random(count) < 0.7
    chosen = rng.permutation(count)[: rng.integers(1, count + 1)].astype(np.int32)
    packed, extras = PackedRows.of(rows.copy(), chosen, shared)
    rows, some = rows[chosen], some[chosen]
    unpacked = packed.unpack(some)
    for row, numbers in zip(rows[some].tolist(), unpacked.tolist(), strict=True):
        for cell, (local, number) in enumerate(zip(row, numbers, strict=True)):
            assert number == shared[cell][local] or (number < 0 and extras[cell][UNKNOWN - number] == local)
    for cell, lacking in enumerate(extras):
        assert sorted(lacking) == sorted({v for v in rows[:, cell].tolist() if shared[cell][v] == UNKNOWN})


def test_a_number_in_a_message_that_stands_for_no_value_is_refused():
    """Kernels would look beyond the end of an array."""
    to_local = Translation.of([np.array([4, 5]), np.array([6])], np.uint16)
    assert to_local.of_codes(np.array([2, 1]), np.array([1, 0, 0])).tolist() == [5, 4, 6]
    for numbers in ([2, 0, 0], [0, 0, 1]):
        with pytest.raises(InputError, match="a value without a number"):
            to_local.of_codes(np.array([2, 1]), np.array(numbers))


def test_what_is_done_to_the_copy_of_a_manifest_leaves_the_other_as_it_was():
    """It is what a level that is abandoned falls back on."""

    def made():
        return RunManifest(levels=[Level([], [[0]]), Level([], [[1]])], decided={"A": [0, 7]})

    before = made()
    after = before.copy()
    assert after == before
    after.levels[-1].counts = [[2]]
    after.levels.append(Level([], [[3]]))
    after.decided["B"] = [1, 8]
    after.transitions.append(TransitionFile(0, 1, 2, "part"))
    assert before == made()


@pytest.mark.slow
def test_messages_hold_what_a_part_leads_to(monkeypatch):
    """Each state once, in the message of its bucket, which is full or the bucket's last."""
    monkeypatch.setattr(successor_messages, "CHUNK", 3)
    states = np.arange(20)
    sums = (1000 + 7 * states).astype(np.uint64)[:, None]
    piece = Frontier(
        base=0,
        rows=np.stack([states % 4, states], axis=1).astype(np.int32),
        sums=sums,
        parent=(states // 2).astype(np.uint32),
        step=(states % 2).astype(np.int32),
        degree=np.empty(0, np.uint32),
    )
    sources, steps = (100 + states).astype(np.uint64)[:, None], np.array([[7, 0], [8, 1]], np.int32)
    messages = list(messages_of(piece, 2, sources, steps, [np.arange(20, dtype=np.int32)] * 2))
    found, buckets = {}, loops.bucket(sums, 2).tolist()
    for bucket, message, _ in messages:
        rows = message.rows.unpack(np.ones(len(message.fingerprints), bool))
        for at, fingerprint in enumerate(message.fingerprints[:, 0].tolist()):
            step = message.instances[at], message.ordinals[at]
            found[fingerprint] = (bucket, int(message.parents[at, 0]), *map(int, step), rows[at].tolist())
    assert found == {1000 + 7 * s: (buckets[s], 100 + s // 2, 7 + s % 2, s % 2, [s % 4, s]) for s in range(20)}
    for bucket in (0, 1):
        sizes = [len(message.fingerprints) for to, message, _ in messages if to == bucket]
        assert len(sizes) > 1
        assert set(sizes[:-1]) == {3}
        assert sizes[-1] <= 3


@pytest.mark.slow
@pytest.mark.parametrize("most", [1 << 16, 5])
def test_a_part_takes_what_fits_and_sends_nothing_twice(monkeypatch, most):
    """However many parts it takes, each task sends each successor once; also where rows come to need more bytes."""
    for module in (store, expander):
        monkeypatch.setattr(module, "BLOCK", 8)
    of_grid = Expander(machine_of(Grid), key=b"")
    monkeypatch.setattr(of_grid.cells, "_most", most)
    states = [(x, y) for x in range(6) for y in range(1, 6)]
    rows = np.array([of_grid.cells.encode(of_grid.model.state(state)) for state in states], np.int32)
    sums = np.array([of_grid.cells.sums(row) for row in rows.tolist()])
    part, found = PartStore(of_grid.cells, 2), []
    for _ in range(2):  # a task, and the next one
        part.begin_task()
        sent, taken = [], 0
        while taken < len(rows):
            taken += part.put(sums[taken:], rows[taken:])
            of_grid.begin(part)
            of_grid.expand(part, 0, part.filled)
            sent += [of_grid.cells.decode(row).values for piece in part.successors for row in piece.rows.tolist()]
            part.begin_part()
        found.append(sorted(sent))
    assert of_grid.cells.row_type is (NARROW if most > 5 else WIDE)
    assert found == 2 * [sorted({(x + 1, y) for x, y in states} | {(x, y - 1) for x, y in states})]


def test_beyond_its_room_a_process_drops_the_buckets_that_it_did_not_meet_a_level_before(tmp_path, monkeypatch):
    grid = machine_of(Grid)
    with new_folder(tmp_path / "run", RUN) as folder:
        process = worker.Worker(RunDirectory(folder, grid, 64), Task(grid, (), (), 64, b"", 4))
    none = process.memory.held

    def held(level, *buckets):
        for bucket in buckets:
            process.keep_bucket(bucket, process.bucket_set(bucket, []), level)
        return process.memory.held - none

    size = held(1, 0)
    monkeypatch.setattr(worker, "_ROOM", 3 * size)
    assert held(1, 1, 2, 3) == 4 * size
    assert held(2, 0, 1, 2) == 4 * size
    assert held(3, 0, 1) == 3 * size
    assert held(9, 3) == 3 * size


# Files ---------------------------------------------------------------------------------------------------------------


class Grid(Model):
    """Two numbers that grow, in both orders."""

    x, y = Variable(0), Variable(11)

    @action
    def right(self, s):
        require(s.x < 11, "at the end")
        s.x += 1

    @action
    def down(self, s):
        require(s.y > 0, "at the end")
        s.y -= 1

    @invariant
    def Apart(self, s):
        return s.x + 11 - s.y < 18


def figures(result):
    return result.levels, result.generated, [(v.name, v.word, v.trace_states) for v in result.verdicts]


def done(run: Path) -> RunManifest:
    return Run.of(Folder.open(run, RUN)).done


@pytest.mark.slow
def test_numbers_that_outgrow_a_byte_begin_a_file(tmp_path, monkeypatch):
    """A bucket of a level then has two files, which are visited, expanded, cut and told of as one."""
    monkeypatch.setattr(executors, "_check", lambda session: None)
    monkeypatch.setattr(successor_messages, "CHUNK", 1)
    wanted = figures(check(Grid(), engine="local"))
    in_two = set()
    for most in (1, 3, 6):
        monkeypatch.setitem(states.MOST, np.uint8, most)
        run = tmp_path / f"{most}"
        assert figures(check(Grid(), engine=Spark(session=NO_JOBS, run_dir=run))) == wanted
        for number, level in enumerate(done(run).levels):
            if len(level.files) > len({file.bucket for file in level.files}):
                in_two.add((most, number))
    assert in_two
    most, number = max(in_two)
    monkeypatch.setitem(states.MOST, np.uint8, most)
    before = sum(wanted[0][:number])
    for more in (1, wanted[0][number] // 2, wanted[0][number] - 1):
        run = tmp_path / f"cut-{more}"
        part = check(Grid(), engine=Spark(session=NO_JOBS, run_dir=run), budget=Budget(states=before + more))
        assert part.distinct == before + more
        assert sum(action.new for action in part.actions) == part.distinct - 1
        assert figures(resume(run, Grid, spark=NO_JOBS)) == wanted
