"""A budget of levels: what every engine counts and judges, and that nothing is said to hold beyond it."""

from functools import partial

import pytest

from tests.checking.spark.test_levels import NO_JOBS, Grid, figures
from tests.tlaplus.trees import module_of
from workbench import Budget, Spark, check
from workbench.checking.runs import resume
from workbench.checking.spark.cluster import executors
from workbench.kernel import InputError, search
from workbench.tlaplus.machine.specification import module_of_text

PAIR = r"""EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == (x < 3 /\ x' = x + 1 /\ y' = y) \/ (y < 3 /\ y' = y + 1 /\ x' = x)
Low == x + y < 3
Ends == <>(x = 3)
"""
MODULE = module_of_text(module_of(PAIR), "INIT Init NEXT Next INVARIANT Low PROPERTY Ends CHECK_DEADLOCK TRUE")
USED_UP = "the budget of {} is used up"
#: The levels of the budget; those of the search, the states generated, the reason of its end, and the verdicts on an
#: invariant that fails at level 4, on liveness and on deadlock.
DEPTHS = [
    (1, [1], 1, USED_UP.format("1 level"), ["unknown"] * 3),
    (3, [1, 2, 3], 7, USED_UP.format("3 levels"), ["unknown"] * 3),
    (4, [1, 2, 3, 4], 13, USED_UP.format("4 levels"), ["violated", "unknown", "unknown"]),
    (7, [1, 2, 3, 4, 3, 2, 1], 25, USED_UP.format("7 levels"), ["violated", "unknown", "unknown"]),
    (8, [1, 2, 3, 4, 3, 2, 1], 25, None, ["violated", "violated", "violated"]),
]


@pytest.mark.parametrize("searched", [search, partial(check, engine="reference"), partial(check, engine="local")])
@pytest.mark.parametrize(("depth", "levels", "generated", "stopped", "words"), DEPTHS)
def test_a_module_is_searched_to_a_depth(searched, depth, levels, generated, stopped, words):
    result = searched(MODULE(), budget=Budget(depth=depth))
    assert (result.levels, result.generated, result.stopped) == (levels, generated, stopped)
    assert [verdict.word for verdict in result.verdicts] == words


@pytest.mark.slow
def test_a_search_on_spark_is_bounded_alike_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "_check", lambda session: None)
    spark = Spark(session=NO_JOBS, run_dir=tmp_path / "run")
    bounded = [check(Grid(), engine=engine, budget=Budget(depth=3)) for engine in (spark, "reference")]
    assert figures(bounded[0]) == figures(bounded[1]) == ([1, 2, 3], 7, [("Apart", "unknown", None)])
    whole = resume(tmp_path / "run", Grid, spark=NO_JOBS)
    assert whole.complete
    assert figures(whole) == figures(search(Grid()))


def test_a_depth_is_a_number_above_0():
    with pytest.raises(InputError, match="depth = 0 is not accepted; it takes an integer above 0"):
        Budget(depth=0)
