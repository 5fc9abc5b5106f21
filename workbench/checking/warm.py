"""Compile the search kernels, once per machine, into Numba's cache.

python -m workbench.checking.warm
python -m workbench.checking.warm --spark    also what only searches on Spark need, and Spark starts sooner
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from filelock import FileLock, Timeout

from workbench.checking.check import check
from workbench.checking.kernels import compiling, numba_cache
from workbench.kernel import InputError, Model
from workbench.registry import get_model

#: The niceness that the process beside a search adds: the search comes first, even on a single core.
_NICER = 5
#: The seconds after which a process that waits for another looks whether its search has ended.
_PATIENCE = 1.0


def compile_checks() -> None:
    """Compile what checks need."""
    compiling.compile_here()
    bakery = get_model("bakery_published")
    needs: list[tuple[Model, list[str] | None]] = [
        (bakery(Writers=2), None),
        (bakery(Writers=2), ["Deadlock"]),  # as properties of steps
        (get_model("table")(), None),  # prunes states outside a constraint
        (get_model("chang_roberts")(PassesOnSmaller=True), ["SomebodyLeads"]),  # its lasso is a cycle
    ]
    for model, properties in needs:
        check(model, properties, engine="local")


def compile_all(spark: bool = False) -> None:
    """Compile all kernels."""
    compile_checks()
    from workbench.checking.following import recording_search, scenario_search
    from workbench.checking.walks import simulate

    recording_search.load_layers()
    scenario_search.load_scenario_search()
    simulate.load_walks()
    if spark:
        from workbench.checking.spark.cluster.session import DRIVER_OPTIONS, check_java, class_archive, spark_session

        archive = class_archive(check_java())
        archive.unlink(missing_ok=True)
        spark_session(**{DRIVER_OPTIONS: f'-XX:ArchiveClassesAtExit="{archive}" -Xlog:disable'})
        check(get_model("bakery_published")(), engine="spark")
        # Java writes the archive when it ends, a little later than this process.


def _one_at_a_time(seconds: float = -1) -> FileLock:
    """The lock of the process that compiles; others wait for it that many `seconds`, or as long as it takes."""
    return FileLock(numba_cache.folder() / "compiling.lock", timeout=seconds)


def beside() -> None:
    """Compile all kernels beside a search, in one process at a time.

    The search waits for the end of this process's standard output: what checks need is compiled then.
    """
    if hasattr(os, "nice"):
        os.nice(_NICER)
    started_by, alone = os.getppid(), _one_at_a_time(_PATIENCE)
    while True:
        with suppress(Timeout), alone:
            compile_checks()
            break
        if os.getppid() != started_by:  # nobody waits for this process, and another one compiles
            return
    os.close(1)
    with suppress(Timeout), alone:
        compile_all()


def main(words: Sequence[str] | None = None) -> int:
    """Compile the kernels that the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="warm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--spark", action="store_true", help="also compile what only searches on Spark need, which takes Java"
    )
    spark, began = parser.parse_args(words).spark, time.perf_counter()
    try:
        if spark:
            from workbench.checking.spark.cluster.session import check_java  # pyspark loads here

            check_java()
        print("compiling the search kernels, only the first time on a machine: half a minute or so", flush=True)
        with _one_at_a_time():
            compile_all(spark)
    except InputError as error:
        print(f"warm: {error}", file=sys.stderr)
        return 2
    print(f"the search kernels are compiled, after {time.perf_counter() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
