"""Compile the search kernels, once per machine, into Numba's cache.

workbench warm
workbench warm --spark      on the machines of a cluster: also what only searches on Spark need
"""

import argparse
import time

from workbench.commands.standard import say
from workbench.engines.check import check
from workbench.models.bakery import Bakery


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--spark", action="store_true", help="also compile what only searches on Spark need, which takes Java"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.spark:
        from workbench.engines.spark.session import check_java  # pyspark loads here

        check_java()
    say("Compiling the search kernels, only the first time on a machine: half a minute or so")
    began = time.perf_counter()
    for properties in (None, ["Deadlock"]):  # properties of steps need one more kernel
        check(Bakery(Writers=2), properties, engine="local")

    from workbench.engines import guided, passing  # numba loads here, not with the command line
    from workbench.engines.walks import simulate

    guided.load_layers()
    passing.load_passing()
    simulate.load_walks()
    if arguments.spark:
        check(Bakery(), engine="spark")
    say(f"  ready after {time.perf_counter() - began:.1f} s")
    return 0
