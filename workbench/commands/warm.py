"""Compile the search kernels, once per machine, into Numba's cache.

workbench warm
workbench warm --spark      on the machines of a cluster: also what only searches on Spark need
"""

import argparse
import time

from workbench.commands.standard import say


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
    from workbench.engines.warm import compile_all  # numba loads here, not with the command line

    compile_all(arguments.spark)
    say(f"  ready after {time.perf_counter() - began:.1f} s")
    return 0
