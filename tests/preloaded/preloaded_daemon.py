"""PySpark's daemon with everything loaded that workers need: each is a fork of it, so one that dies is soon replaced.

A worker dies with each task that raises. Without this, the next one loads Numba, Arrow, pandas and the kernels again,
seconds each time. The tests' Spark session starts its workers from here; sessions that tests start in other processes
do not.
"""

import runpy
import sys

# From Spark's archives each worker would compile PySpark, and look through them: it is installed.
sys.path[:] = [path for path in sys.path if not path.endswith(".zip")]

import pandas  # noqa: E402, F401 - PySpark's workers import it
import pyspark.worker  # noqa: E402, F401

from workbench.checking.walks import simulate  # noqa: E402

if __name__ == "__main__":
    simulate.load_walks()
    runpy.run_module("pyspark.daemon", run_name="__main__")
