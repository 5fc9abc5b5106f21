"""What must be true of a notebook as it is kept, and where what comes out of it differs from that."""

import itertools
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import notebooks
from tests.places import ROOT

#: How many cells tell the story; the exercises are not counted.
FEWEST_CELLS, MOST_CELLS = 20, 30
EXERCISES = "## Exercises"

_EMBEDDED = re.compile(r"data:[\w/+-]+;base64,[\w/+=]+")
_ABSOLUTE_PATH = re.compile(r"""(?:^|[\s"'(=,\[])(/(?!/)[\w.-]+/[\w./-]+|[A-Z]:\\\w+)""")
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")
_MEMORY_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


def faults(notebook: Any) -> list[str]:
    """What is wrong with a notebook as it is kept, a line each."""
    cells, wrong = notebook.cells, []
    told = next((at for at, cell in enumerate(cells) if cell.source.startswith(EXERCISES)), len(cells))
    if not FEWEST_CELLS <= told <= MOST_CELLS:
        wrong.append(f"it has {told} cells, not {FEWEST_CELLS} to {MOST_CELLS}")
    if not cells or cells[0].cell_type != "markdown" or not cells[0].source.startswith("# "):
        wrong.append("its first cell is no title")
    code = [cell for cell in cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        wrong.append(f"its cells were not executed from top to bottom: {counts}")
    if not any(cell.outputs for cell in code):
        wrong.append("no outputs are kept")
    for number, cell in enumerate(cells):
        wrong += [f"cell {number}: {fault}" for output in cell.get("outputs", ()) for fault in _faults_of(output)]
        wrong += [f"cell {number}: the source has the path {path}" for path in local_paths(cell.source)]
    return wrong


def _faults_of(output: Any) -> list[str]:
    if output.output_type == "error":
        return [f"an error is kept: {output.ename}"]
    if output.get("name") == "stderr":
        return [f"something was written to stderr: {output.text[:80]!r}"]
    wrong = ["a view of a widget is kept"] if notebooks.WIDGET in output.get("data", ()) else []
    texts = [output.get("text", ""), *output.get("data", {}).values()]
    return wrong + [f"an output has the path {path}" for text in texts for path in local_paths(str(text))]


def local_paths(text: str) -> list[str]:
    """The absolute paths in `text`, and what else tells on which machine it was made."""
    text = _EMBEDDED.sub("", text)
    mine = {str(Path.home()), str(ROOT), tempfile.gettempdir(), sys.prefix} - {"/"}
    return [*(path for path in sorted(mine) if path in text), *_ABSOLUTE_PATH.findall(text)]


def differences(kept: Any, fresh: Any) -> list[str]:
    """Where the texts of two executions differ, a line each; how long something took does not count."""
    pairs = enumerate(zip(kept.cells, fresh.cells, strict=True))
    return [
        f"cell {number}: kept is {one!r}, and what comes out is {other!r}"
        for number, (a, b) in pairs
        if (one := _texts(a)) != (other := _texts(b))
    ]


def _texts(cell: Any) -> list[str]:
    """What its outputs say; what was printed in several pieces is one text."""
    texts: list[str] = []
    for printed, outputs in itertools.groupby(cell.get("outputs", ()), lambda output: output.output_type == "stream"):
        some = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
        texts += ["".join(some)] if printed else some
    return [_MEMORY_ADDRESS.sub("0x", _SECONDS.sub("_ s", text)) for text in texts]
