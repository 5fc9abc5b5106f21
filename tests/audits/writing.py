"""What the programs share that write real tables, in an environment of their own: ``python -m ... FOLDER [KIND]``."""

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from multiprocessing import get_context
from pathlib import Path


def write(kinds: Mapping[str, Callable[[Path], None]], **apart: Callable[[Path], None]) -> None:
    """Write a table of the kind that is named, or of each of `kinds`, below the folder; what it prints lies beside it.

    One process writes them all, since to import what writes them takes longest.
    """
    folder, *names = sys.argv[1:]
    for name in names or kinds:
        here = Path(folder, name)
        here.mkdir()
        with (here / "printed").open("w") as out, redirect_stdout(out):
            {**kinds, **apart}[name](here)


def race(module: str, many: Callable[[Path, int], None], folder: Path, writers: int) -> None:
    """Some processes do the same at once; they are forks of one that has imported the module."""
    context = get_context("forkserver")
    context.set_forkserver_preload([module])
    processes = [context.Process(target=many, args=(folder, writer)) for writer in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
