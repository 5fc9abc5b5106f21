"""What an audit says of the test tables of public projects, beside what is right.

::

    python scripts/public_tables.py /path/to/repositories
    python scripts/public_tables.py /path/to/repositories --only hudi-rs

The tables are not ours, and not here: clone each repository of ``data/real/public_tables.jsonl`` to OWNER/NAME below
the folder, at the commit that the file names. A table in an archive is unpacked for the run. Printed is a line for each
table whose audit says something else, then the counts by format and state. Exit status: 0 if there is no such line, 2
if a table is not there.
"""

import argparse
import json
import os
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow

from workbench.audits.listing import Table
from workbench.audits.warehouse import STATES, Audited, audit_each
from workbench.kernel.meaning.text import columns
from workbench.kernel.meaning.values import counted

JUDGED = Path(__file__).parents[1] / "data" / "real" / "public_tables.jsonl"
_ARCHIVES = (".zip", ".tar.gz", ".tar.zst")


def rows() -> list[dict[str, Any]]:
    """The judged tables: repository, commit, path, format, state, the properties that are violated if any, and why."""
    return [json.loads(line) for line in JUDGED.read_text().splitlines()]


def place_of(path: Path, top: Path, unpacked: Path) -> Path:
    """Where a table is: its path, or its place in the archive that stands there, which is unpacked.

    Raises:
        FileNotFoundError: If there is neither.
    """
    if path.exists():
        return path
    here = path.relative_to(top)
    for folder in (here, *here.parents):
        for archive in (top / f"{folder}{ending}" for ending in _ARCHIVES):
            if archive.is_file():
                into = unpacked / archive.relative_to(top)
                if not into.exists():
                    unpack(archive, into)
                return into / here.relative_to(folder)
    raise FileNotFoundError(path)


def unpack(archive: Path, into: Path) -> None:
    """Unpack an archive into a folder."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(into)
        return
    into.mkdir(parents=True)
    compression = "zstd" if archive.suffix == ".zst" else "gzip"
    with (
        pyarrow.input_stream(str(archive), compression=compression) as stream,
        tarfile.open(fileobj=stream, mode="r|") as tar,
    ):
        for member in tar:  # extractall refuses what leads out of the folder only from Python 3.11.4 on
            place = (into / member.name).resolve()
            content = tar.extractfile(member) if member.isfile() else None
            if content is not None and place.is_relative_to(into.resolve()):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read())


def answer(audited: Audited) -> str:
    """The state of a table, and the properties of its findings or why it is refused."""
    findings = [] if audited.found is None else audited.found["findings"]
    return _told(audited.state, {finding["property"] for finding in findings})


def _told(state: str, violated: Iterable[str]) -> str:
    return " ".join([state, ", ".join(sorted(violated))]).strip()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="tables whose repository or path contains this")
    asked = parser.parse_args(arguments)
    judged = {f"{row['repository']}/{row['path']}": row for row in rows()}
    counts, different, missing = Counter[tuple[str, str]](), list[list[str]](), list[str]()
    with tempfile.TemporaryDirectory() as unpacked:
        names = {}
        for name in (name for name in judged if asked.only in name):
            try:
                names[str(place_of(asked.folder / name, asked.folder, Path(unpacked)))] = name
            except FileNotFoundError:
                missing.append(name)
        workers = min(os.cpu_count() or 1, 1 + len(names) // 20)  # a process takes as long to start as some audits
        for audited in audit_each(map(Table, names), workers=workers, without_data=True):
            name = names[audited.table.path]
            right = _told(judged[name]["state"], judged[name].get("violated", ()))
            counts[judged[name]["format"], audited.state] += 1
            if answer(audited) != right:
                different.append([name, answer(audited), f"not {right}", audited.refused])
    for name in missing:
        print(f"there is no {name}", file=sys.stderr)
    for line in columns(different):
        print(line)
    for format in sorted({format for format, _ in counts}):
        parts = [f"{counts[format, state]} {state}" for state in STATES if counts[format, state]]
        print(f"{format}: {', '.join(parts)}")
    print(f"{counted(counts.total(), 'table')}, {len(different)} with another answer than is right")
    return 2 if missing else bool(different)


if __name__ == "__main__":
    sys.exit(main())
