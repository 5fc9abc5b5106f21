"""A Spark worker's self-report: Python, packages, code digest.

This code travels to workers that may lack the package, so it imports nothing of it before it starts to answer.
"""

import gc
import hashlib
import json
import platform
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any

#: The packages that the engines need.
NEEDED = ("numba", "numpy", "pyarrow")
ANSWER = "payload binary"  # JSON


def answer(batches: Iterator[Any]) -> Iterator[Any]:
    """A task: load what a search needs, and report."""
    import pyarrow

    for _ in batches:
        code = problem = ""
        try:
            code = code_of_package()
            import_module("workbench.checking.spark.worker.expanding")
            from workbench.checking.local.search import load_cached_kernels

            load_cached_kernels()  # small settings of a sweep do without
            gc.freeze()  # PySpark's workers collect garbage after each task: spare them this
        except Exception as error:  # the problem is the answer
            problem = f"{type(error).__name__}: {error}".splitlines()[0]
        report = {
            "host": platform.node(),
            "python": sys.executable,
            "problem": problem,
            "code": code,
            "versions": [version_of(name) for name in NEEDED],
        }
        yield pyarrow.RecordBatch.from_pydict({"payload": [json.dumps(report).encode()]})


def code_of_package() -> str:
    """A digest of the workbench's code on disk."""
    digest = hashlib.blake2b(digest_size=16)
    for name, content in _code(files("workbench")):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _code(folder: Any) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _code(entry)
        elif entry.name.endswith(".py"):
            yield entry.name, entry.read_bytes()


def version_of(package: str) -> str:
    """The version of a package; "" if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
