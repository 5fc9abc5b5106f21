"""Compile the search kernels, once per machine; they are kept in Numba's cache."""

import argparse
import time

from workbench.engines.check import check
from workbench.models.bakery import Bakery

NAME = "warm"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing to add."""


def run(arguments: argparse.Namespace) -> int:
    print("compiling the search kernels (only the first time on a machine) ...", flush=True)
    began = time.perf_counter()
    check(Bakery(Writers=2))
    print(f"ready after {time.perf_counter() - began:.1f} s")
    return 0
