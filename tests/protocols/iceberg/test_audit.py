"""Iceberg's tables, written by `writer.py` with pyiceberg, are read and judged; cases are in `audit.txt`."""

import functools
import gzip
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.audits.cases import cases
from tests.audits.expected import agreed, answer, refusal
from tests.products import examples
from tests.protocols.iceberg.tables import IcebergTable, unpack
from workbench.audits.damaged import Damages
from workbench.audits.source import Source
from workbench.checking.check import check
from workbench.protocols.iceberg.audit import states as iceberg_states
from workbench.protocols.iceberg.audit.metadata import IcebergSnapshot, Metadata
from workbench.protocols.iceberg.audit.read import read


@pytest.fixture(scope="session")
def meanwhile():
    """What audits say of the table for which writers race, while they do: the audit, or the line instead of it."""
    return []


@pytest.fixture(scope="session")
def written(writing, all_written, meanwhile):
    """Gives the folder of the tables of some kind, which are not to be changed."""

    @functools.cache
    def write(kind: str) -> Path:
        if kind != "races":
            return all_written("iceberg") / kind
        folder, process = writing("iceberg", kind)
        while process.poll() is None:
            meanwhile.append(answer(folder / kind / "ns" / "t"))
            time.sleep(0.1)
        assert process.returncode == 0
        return folder / kind

    return write


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """The same for a few small tables of which the metadata is kept, so that no writer is needed."""
    folder = tmp_path_factory.mktemp("kept")
    unpack(folder)
    return lambda kind: folder / kind


def own(original: Path, folder: Path) -> IcebergTable:
    """A table of one's own, elsewhere than it was written."""
    table = shutil.copytree(original / "ns" / "t", folder / "t")
    return IcebergTable(table, (original / "printed").read_text())


@pytest.mark.parametrize(("case", "kind"), cases(Path(__file__).with_name("audit.txt")))
def test_case(request, tmp_path, case, kind):
    where, _, name = kind.partition(":")
    case.play(own(request.getfixturevalue(where)(name), tmp_path))


def test_four_processes_and_48_commits_are_linear(written):
    found = read(Source(written("races") / "ns" / "t"), Damages())
    assert [found.versions_of.get(one.parent) for one in found.chain] == [None, *range(1, 48)]
    assert found.breaks == ()
    assert sorted(one.first for one in found.lives) == list(range(1, 49))
    assert [(one.last, one.entry.rows) for one in found.lives] == [(None, 1)] * 48


def test_the_model_gets_to_a_stale_parent_and_the_repair_prevents_it():
    projected = iceberg_states.stale_parent(1)
    model, cause = type(projected["model"].author), projected["cause"]
    assert check(model(**cause), ["NoLakekeeperConflict"])["NoLakekeeperConflict"].holds is False
    assert check(model(**cause | projected["repair"]), ["NoLakekeeperConflict"])["NoLakekeeperConflict"].holds


def test_a_table_that_is_written_to(written, meanwhile):
    written("races")
    assert any(found is not None for found, _ in meanwhile)
    for found, said in meanwhile:
        assert "\n" not in said
        assert found is None or not [one for one in found.findings if one.grade == "proved"], found.text()


@pytest.mark.slow
def test_packed_metadata_that_grows_without_end(kept, tmp_path):
    table = own(kept("retried"), tmp_path)
    (path,) = table.files("metadata")
    path.write_bytes(gzip.compress(b" " * 2**27))
    assert "when it is unpacked" in refusal(table)


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_broken_is_found(written, tmp_path_factory, data):
    table = own(written("races"), tmp_path_factory.mktemp("broken"))
    place = data.draw(st.integers(1, 46))
    other = data.draw(st.integers(0, 47).filter(lambda one: one not in (place, place - 1)))
    changes = (
        f"snapshots.{place}.parent-snapshot-id=<snapshots.{other}.snapshot-id>",
        f"snapshots.{place}.sequence-number={other + 1}",
        f'snapshots.{place}.manifest-list="<snapshots.{other}.manifest-list>"',
        f"-snapshots.{place}",
    )
    table.edit("metadata", table.filled(data.draw(st.sampled_from(changes))))
    assert agreed(table).holds is False


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_an_answer_or_one_line(written, tmp_path_factory, corrupt, data):
    table = own(written("life1"), tmp_path_factory.mktemp("damaged"))
    corrupt(table.folder / "metadata", data)
    assert "\n" not in answer(table)[1]


class Counting(dict):
    """Snapshots by id, which counts how often one is asked for."""

    asked = 0

    def __getitem__(self, id):
        self.asked += 1
        return super().__getitem__(id)


def history(parents: dict[int, int | None]) -> Metadata:
    """A metadata file with these snapshots and their parents."""
    snapshots = Counting({id: IcebergSnapshot(id, parent, id, id, None, "append") for id, parent in parents.items()})
    return Metadata("m", 1, "t", "t", None, 0, 0, snapshots, frozenset(), frozenset(), (), (), ())


@given(st.lists(st.integers(0, 9), min_size=2, max_size=12), st.data())
def test_what_a_head_leaves_is_what_the_other_does_not_descend_from(picks, data):
    metadata = history({id: (id - 1 - pick if id - 1 - pick >= 0 else None) for id, pick in enumerate(picks)})
    before, after = (data.draw(st.sampled_from(sorted(metadata.snapshots))) for _ in range(2))
    old, new = ([one.id for one in metadata.ancestors(head)] for head in (before, after))
    left = metadata.left_by(before, after)
    assert [one.id for one in left.snapshots] == [id for id in old if id not in new]
    assert (left.first and left.first.id) == next((id for id in reversed(new) if id not in old), None)


def test_a_step_of_a_long_history_does_not_walk_through_it():
    metadata = history({id: id - 1 or None for id in range(1, 10_001)})
    assert metadata.left_by(9_999, 10_000).snapshots == ()
    assert metadata.snapshots.asked < 10
