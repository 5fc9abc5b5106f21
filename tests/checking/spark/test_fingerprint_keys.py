"""The key of fingerprints on Spark: kept, handed on, sent to workers; and what depends on it there."""

import pyarrow.parquet as pq
import pytest

from tests.toys import Steps
from workbench.checking.check import check
from workbench.checking.contract import Auto, Spark
from workbench.checking.runs import resume, save_run
from workbench.checking.spark.files.manifest import RUN, Run
from workbench.checking.spark.search import narrow_levels
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.plan import Fingerprints
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.storage.folder import Folder, changing_folder, new_folder
from workbench.storage.versions import FolderKind

pytestmark = pytest.mark.spark

RACE = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")
KEYS = ["00" * 16, "0123456789abcdef" * 2]


def counts(result):
    verdicts = [(v.name, v.word, v.trace_states) for v in result.verdicts]
    return result.levels, result.generated, verdicts, [(a.name, a.enabled, a.generated) for a in result.actions]


def kept(run_dir):
    return Run.of(Folder.open(run_dir, RUN)).fingerprint_key


@pytest.mark.parametrize("most", [narrow_levels.MOST_STATES, 17], ids=["driver", "jobs"])
def test_the_key_is_kept_and_a_search_is_resumed_with_it(spark, tmp_path, monkeypatch, most):
    """A level that was found with another one would be found again; wide levels are jobs, before and after."""
    monkeypatch.setattr(narrow_levels, "MOST_STATES", most)
    part = check(RACE, engine=Spark(session=spark, run_dir=tmp_path / "run"), budget=Budget(states=80))
    assert kept(tmp_path / "run") == part.fingerprint_key
    rest = resume(tmp_path / "run", spark=spark)
    assert rest.fingerprint_key == part.fingerprint_key
    assert counts(rest) == counts(check(RACE, engine="local"))


@pytest.mark.parametrize("key", [None, KEYS[1]])
def test_auto_hands_its_key_on(spark, tmp_path, key):
    """Else the states visited in process would be found again."""
    moved = check(
        RACE,
        engine=Auto(session=spark, hand_over_states=60, run_dir=tmp_path / "run"),
        fingerprints=Fingerprints(key=key),
    )
    assert (moved.engine, moved.fingerprint_key) == ("spark", kept(tmp_path / "run"))
    assert key in (None, moved.fingerprint_key)
    assert counts(moved) == counts(check(RACE, engine="local"))


def test_ids_depend_on_the_key_and_counts_do_not(spark, tmp_path):
    """docs/operating.md says what does."""

    def found(name, key):
        run, data = tmp_path / f"run {name}", tmp_path / f"data {name}"
        result = check(RACE, engine=Spark(session=spark, run_dir=run), fingerprints=Fingerprints(key=key))
        states = pq.read_table(save_run(run, data, spark=spark) / "states").to_pylist()
        return counts(result), {state.pop("id"): str(state) for state in states}

    (one, states), (again, same), (other, others) = map(found, "abc", [KEYS[0], *KEYS])
    assert one == again == other
    assert states == same
    assert not states.keys() & others.keys()
    assert sorted(states.values()) == sorted(others.values())


def test_a_run_directory_without_a_key_is_refused_in_one_line(tmp_path, run):
    """Format 5 had none, and what is no key is damage."""
    with new_folder(tmp_path / "old", FolderKind("run directory", 5)) as folder:
        folder.commit({}, {})
    done = run("check", str(tmp_path / "old"))
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.endswith("has format 5; format 7 is read\n")
    check(Steps(), engine=Spark(run_dir=tmp_path / "run"))
    with changing_folder(tmp_path / "run", RUN) as folder:
        folder.commit({**folder.content, "fingerprint_key": "0"}, folder.files)
    with pytest.raises(InputError, match=r"^fingerprint_key of run directory .* = '0' is not accepted; it takes 32"):
        resume(tmp_path / "run", Steps)
