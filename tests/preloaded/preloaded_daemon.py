"""PySpark's daemon with everything loaded that workers need: each is a fork of it, so one that dies is soon replaced.

A worker dies with each task that raises. Without this, the next one loads Numba, Arrow and the kernels again, seconds
each time. The tests' Spark session starts its workers from here; sessions that tests start in other processes do not.
"""

import runpy

from workbench.checking.spark import sweeping, worker  # noqa: F401 - what workers run
from workbench.checking.walks import simulate

if __name__ == "__main__":
    simulate.load_walks()
    runpy.run_module("pyspark.daemon", run_name="__main__")
