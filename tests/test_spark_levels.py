"""What a level is made of, beside Spark: packed messages, files whose numbers grow, and a level that a budget cuts."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.engines.check import check
from workbench.engines.kernels import Frontier
from workbench.engines.spark import admission, executors, outbox
from workbench.engines.spark.manifest import RUN, Manifest, Run
from workbench.engines.spark.outbox import Outbox
from workbench.engines.spark.packing import UNKNOWN, PackedRows
from workbench.kernel import Model, Variable, action, invariant, require
from workbench.runs import resume
from workbench.storage.folder import Folder


class NoJobs:
    """Stands in for a session of two cores: all levels here are narrow, so that nothing else is asked of it."""

    def __init__(self) -> None:
        self.sparkContext = SimpleNamespace(defaultParallelism=2)


NO_JOBS = NoJobs()


# Messages ------------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(data=st.data())
def test_packed_rows_are_the_rows_in_global_numbers(data):
    cells = data.draw(st.integers(1, 40))
    most = data.draw(st.lists(st.sampled_from([0, 1, 7, 300, 70_000]), min_size=cells, max_size=cells))
    count = data.draw(st.integers(1, 20))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    rows = rng.integers(0, np.array(most) + 1, (count, cells)).astype(np.int32)
    shared = [np.where(rng.random(m + 1) < 0.9, rng.permutation(m + 1), UNKNOWN).astype(np.int32) for m in most]
    some = rng.random(count) < 0.7
    packed, extras = PackedRows.of(rows.copy(), shared)
    unpacked = packed.unpack(some)
    for row, numbers in zip(rows[some].tolist(), unpacked.tolist(), strict=True):
        for cell, (local, number) in enumerate(zip(row, numbers, strict=True)):
            assert number == shared[cell][local] or (number < 0 and extras[cell][UNKNOWN - number] == local)
    for cell, lacking in enumerate(extras):
        assert sorted(lacking) == sorted({v for v in rows[:, cell].tolist() if shared[cell][v] == UNKNOWN})


def test_an_outbox_gives_back_what_was_put_in(monkeypatch):
    """In messages that are full, but for the last of each bucket."""
    monkeypatch.setattr(outbox, "CHUNK", 3)
    states = np.arange(20)
    piece = Frontier(
        base=0,
        rows=np.stack([states % 4, states], axis=1).astype(np.int32),
        sums=np.empty((20, 0), np.uint64),
        parent=(states // 2).astype(np.uint32),
        step=(states % 2).astype(np.int32),
        degree=np.empty(0, np.uint32),
    )
    fingerprints, sources = states.astype(np.uint64)[:, None], (100 + states).astype(np.uint64)[:, None]
    buckets = np.where(states == 5, -1, states % 2).astype(np.int32)
    shared = [np.arange(20, dtype=np.int32)] * 2
    box, taken = Outbox(2, 1, 2), []
    for bucket in box.put(piece, fingerprints, buckets, sources, np.array([[7, 0], [8, 1]], np.int32)):
        taken.append((bucket, box.take(bucket, shared)[0]))
    assert {len(message.fingerprints) for _, message in taken} == {3}
    taken += [(bucket, box.take(bucket, shared)[0]) for bucket in box.waiting]
    assert box.waiting == []
    found = {}
    for bucket, message in taken:
        rows = message.rows.unpack(np.ones(len(message.fingerprints), bool))
        for at, fingerprint in enumerate(message.fingerprints[:, 0].tolist()):
            step = message.instances[at], message.ordinals[at]
            found[fingerprint] = (bucket, int(message.parents[at, 0]), *map(int, step), rows[at].tolist())
    assert found == {s: (s % 2, 100 + s // 2, 7 + s % 2, s % 2, [s % 4, s]) for s in range(20) if s != 5}


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


def done(run: Path) -> Manifest:
    return Run.of(Folder.open(run, RUN)).done


def test_numbers_that_outgrow_two_bytes_begin_a_file(tmp_path, monkeypatch):
    """A bucket of a level then has two files, which are visited, expanded, cut and told of as one."""
    monkeypatch.setattr(executors, "_check", lambda session: None)
    monkeypatch.setattr(outbox, "CHUNK", 1)
    wanted = figures(check(Grid(), engine="local"))
    in_two = set()
    for most in (2, 4, 7):
        monkeypatch.setattr(admission, "MOST_NARROW", most)
        run = tmp_path / f"{most}"
        assert figures(check(Grid(), engine="spark", spark=NO_JOBS, run_dir=run)) == wanted
        for number, level in enumerate(done(run).levels):
            if len(level.files) > len({file.bucket for file in level.files}):
                in_two.add((most, number))
    assert in_two
    most, number = max(in_two)
    monkeypatch.setattr(admission, "MOST_NARROW", most)
    before = sum(wanted[0][:number])
    for more in (1, wanted[0][number] // 2, wanted[0][number] - 1):
        run = tmp_path / f"cut-{more}"
        part = check(Grid(), engine="spark", spark=NO_JOBS, run_dir=run, max_states=before + more)
        assert part.distinct == before + more
        assert sum(action.new for action in part.actions) == part.distinct - 1
        assert figures(resume(run, Grid, spark=NO_JOBS)) == wanted
