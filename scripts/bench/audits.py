"""Audits of tables that grow: how long each format's takes by version, and the memory that it needs."""

import tempfile
import time
from pathlib import Path
from typing import Any

from bench import processes
from bench.tables import WRITERS
from workbench.checking.local.memory import peak_bytes

#: The formats, and the versions that their tables have.
CASES = tuple((format, versions) for format in WRITERS for versions in (1_000, 10_000))


def measure(format: str, versions: int) -> dict[str, Any]:
    """Write a table, and audit it in a separate process."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        WRITERS[format](Path(folder, "t"), versions)
        there = [path.stat().st_size for path in Path(folder, "t").rglob("*") if path.is_file()]
        measured = processes.apart("bench.audits", f"{folder}/t")
    size = {"format": format, "versions": versions, "files": len(there), "MB": round(sum(there) / 1e6, 1)}
    return {**size, **measured, "ms/version": round(1000 * measured["CPU s"] / versions, 2)}


def row(folder: str) -> dict[str, Any]:
    """One audit; run it in a separate process."""
    from workbench.audits import audit

    began = time.process_time()
    answer = audit(folder)
    seconds = time.process_time() - began
    return {"CPU s": round(seconds, 2), "peak MiB": round(peak_bytes() / 2**20), "answer": answer.why}
