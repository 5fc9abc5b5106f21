"""Caches the files of a build, so that the next build makes only those whose inputs changed."""

import filecmp
import gc
import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from importlib.metadata import distributions
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

#: The file among the pages that holds the digest of the code.
CODE = "code.digest"
#: How many lines tell the progress of a long list, at most.
_LINES = 200
#: The file, next to those made for a name, with the value that the call returned.
_RETURNED = "returned.json"


@cache
def code_digest() -> str:
    """A digest of the code that checks and draws: the package's and the site's, and what is installed."""
    return digest(versions(), [*files(ROOT / "workbench"), *sorted((ROOT / "website").glob("*.py"))])


def versions() -> list[str]:
    """The versions of Python and of all installed distributions."""
    return [sys.version, *sorted({f"{distribution.name} {distribution.version}" for distribution in distributions()})]


def digest(words: Iterable[str], paths: Iterable[Path]) -> str:
    """A digest of words, and of files with their paths."""
    hasher = hashlib.blake2b(digest_size=16)
    for part in [*words, *(f"{path} {hashlib.blake2b(path.read_bytes()).hexdigest()}" for path in paths)]:
        hasher.update(f"{len(part)} {part}".encode())
    return hasher.hexdigest()


def files(folder: Path) -> Iterator[Path]:
    """The files below a folder, except the caches of Python and Numba."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and path.parent.name != "__pycache__")


def in_processes(
    title: str, make: Callable[[Path, str], Any], folder: Path, inputs: Mapping[str, Iterable[Path]], kept: Path
) -> list[Any]:
    """Call `make` for each name, in a process per core, and collect its files in a folder; prints a count.

    If the same code has already run on the same inputs, its files are taken from `kept`.

    Args:
        make: Writes files below the folder that it gets, and returns a value that JSON can represent.
        inputs: For each name, the files that the result depends on.

    Returns:
        What `make` returned for each name.
    """
    folders = {name: kept / title / name / digest([code_digest()], paths) for name, paths in inputs.items()}
    # Checks make many long-lived objects; at Python's own threshold, looking for cycles takes a tenth of their time.
    pool = ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=gc.set_threshold, initargs=(100_000,))
    try:
        running = [pool.submit(_keep, make, path, name) for name, path in folders.items() if not path.is_dir()]
        if not running:
            print(f"{title}: nothing changed", flush=True)
        for count, future in enumerate(as_completed(running), len(folders) - len(running) + 1):
            future.result()
            if count % (len(folders) // _LINES + 1) == 0 or count == len(folders):
                print(f"{title}: {count} of {len(folders)}", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    for path in folders.values():
        shutil.copytree(path, folder, ignore=shutil.ignore_patterns(_RETURNED), dirs_exist_ok=True)
    return [json.loads((path / _RETURNED).read_text()) for path in folders.values()]


def _keep(make: Callable[[Path, str], Any], folder: Path, name: str) -> None:
    """Make a folder atomically. It replaces the folders of other inputs."""
    shutil.rmtree(folder.parent, ignore_errors=True)
    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(parents=True)
    returned = make(unfinished, name)
    (unfinished / _RETURNED).write_text(json.dumps(returned))
    unfinished.rename(folder)


def write(path: Path, content: str | bytes) -> None:
    """Write a file, and the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def update(folder: Path, fresh: Path) -> list[Path]:
    """Make a folder like a fresh one; a file that is the same keeps its time, by which Sphinx knows it.

    Returns:
        The paths in the folder that are gone.
    """
    paths = {path.relative_to(fresh) for path in files(fresh)}
    gone = [path for path in (path.relative_to(folder) for path in files(folder)) if path not in paths]
    for path in gone:
        (folder / path).unlink()
    for path in paths:
        if not (folder / path).is_file() or not filecmp.cmp(fresh / path, folder / path, shallow=False):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(fresh / path, folder / path)
    return gone
