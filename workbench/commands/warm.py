"""Compile the search kernels, once per machine; they are kept in Numba's cache."""

import argparse
import time

from workbench.commands.standard import say
from workbench.engines.check import check
from workbench.models.bakery import Bakery


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing to add."""


def run(arguments: argparse.Namespace) -> int:
    say("Compiling the search kernels, only the first time on a machine: half a minute or so")
    began = time.perf_counter()
    for properties in (None, ["Deadlock"]):  # with properties of steps there is one kernel more
        check(Bakery(Writers=2), properties, engine="local")

    from workbench.engines import guided, passing  # numba loads here, not with the command line
    from workbench.engines.walks import simulate

    guided.load()
    passing.load()
    simulate.load()
    say(f"  ready after {time.perf_counter() - began:.1f} s")
    return 0
