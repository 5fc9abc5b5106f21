"""Execute the notebooks from top to bottom, and keep of them only what is the same on every machine.

::

    python scripts/notebooks.py               # execute all, and write them back with their outputs
    python scripts/notebooks.py 01 05         # those whose names begin so
    python scripts/notebooks.py --check 03    # execute, write nothing, say what comes out differently

An .ipynb file is the source of its notebook: edit it in JupyterLab, then run this before it is committed.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parent.parent / "notebooks"
FEWEST_CELLS, MOST_CELLS = 20, 30
#: How long a cell may take before it is taken for hanging, in seconds.
PATIENCE = 300

#: A view of a widget is a number that only the kernel knows; every widget of ours comes with a static twin.
WIDGET = "application/vnd.jupyter.widget-view+json"
#: What viewers take from `metadata`. The rest (versions, window layouts, states of widgets) says who ran it, and where.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "name": "python", "pygments_lexer": "ipython3"},
}

_EMBEDDED = re.compile(r"data:[\w/+-]+;base64,[\w/+=]+")
_ABSOLUTE_PATH = re.compile(r"""(?:^|[\s"'(=,\[])(/(?!/)[\w.-]+/[\w./-]+|[A-Z]:\\\w+)""")
_LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")
#: What Java says of itself as Spark starts it; nothing can be done about it.
_JAVA_STARTS = "WARNING: Using incubator modules: jdk.incubator.vector\n"
_COLOR = re.compile(r"\x1b\[[\d;]*m")
_MEMORY_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


def find(prefixes: list[str]) -> list[Path]:
    """The notebooks whose names begin with one of `prefixes`; all of them for none."""
    return [path for path in sorted(FOLDER.glob("*.ipynb")) if not prefixes or path.name.startswith(tuple(prefixes))]


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def execute(notebook: Any) -> None:
    """Run every cell in a fresh kernel, and clean what comes out; the first error is raised."""
    NotebookClient(
        notebook,
        timeout=PATIENCE,
        kernel_name=METADATA["kernelspec"]["name"],
        resources={"metadata": {"path": str(FOLDER)}},
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
    ).execute()
    clean(notebook)


def clean(notebook: Any) -> None:
    """Drop what differs from machine to machine and from run to run."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02}"
        cell.metadata = {}
        if cell.cell_type != "code":
            continue
        cell.outputs = [output for output in cell.outputs if output.get("text") != _JAVA_STARTS]
        for output in cell.outputs:
            output.pop("transient", None)
            if "metadata" in output:
                output.metadata = {}
            if "text/html" in output.get("data", ()):
                output.data.pop(WIDGET, None)


# What must be true of a notebook -------------------------------------------------------------------------------------


def faults(notebook: Any) -> list[str]:
    """What is wrong with a notebook as it is kept, a line each."""
    cells, found = notebook.cells, []
    if not FEWEST_CELLS <= len(cells) <= MOST_CELLS:
        found.append(f"it has {len(cells)} cells, not {FEWEST_CELLS} to {MOST_CELLS}")
    if not cells or cells[0].cell_type != "markdown" or not cells[0].source.startswith("# "):
        found.append("its first cell is no title")
    code = [cell for cell in cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        found.append(f"its cells were not executed from top to bottom: {counts}")
    if not any(cell.outputs for cell in code):
        found.append("no outputs are kept")
    for number, cell in enumerate(cells):
        found += [f"cell {number}: {fault}" for output in cell.get("outputs", ()) for fault in _faults_of(output)]
        found += [f"cell {number}: the source has the path {path}" for path in local_paths(cell.source)]
    return found


def _faults_of(output: Any) -> list[str]:
    if output.output_type == "error":
        return [f"an error is kept: {output.ename}"]
    if output.get("name") == "stderr":
        return [f"something was written to stderr: {output.text[:80]!r}"]
    found = ["a view of a widget is kept"] if WIDGET in output.get("data", ()) else []
    texts = [output.get("text", ""), *output.get("data", {}).values()]
    return found + [f"an output has the path {path}" for text in texts for path in local_paths(str(text))]


def local_paths(text: str) -> list[str]:
    """The absolute paths in `text`, and what else tells on which machine it was made."""
    text = _EMBEDDED.sub("", text)
    mine = {str(Path.home()), str(FOLDER.parent), tempfile.gettempdir(), sys.prefix} - {"/"}
    return [*(path for path in sorted(mine) if path in text), *_ABSOLUTE_PATH.findall(text)]


def links(notebook: Any) -> list[str]:
    """The files that a notebook's texts link to."""
    texts = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return [target for target in _LINK.findall(texts) if "://" not in target]


# What was kept, and what comes out -----------------------------------------------------------------------------------


def differences(kept: Any, fresh: Any) -> list[str]:
    """Where the texts of two executions differ, a line each; how long something took does not count."""
    pairs = enumerate(zip(kept.cells, fresh.cells, strict=True))
    return [
        f"cell {number}: kept is {one!r}, and what comes out is {other!r}"
        for number, (a, b) in pairs
        if (one := _texts(a)) != (other := _texts(b))
    ]


def _texts(cell: Any) -> list[str]:
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", ())]
    return [_MEMORY_ADDRESS.sub("0x", _SECONDS.sub("_ s", text)) for text in texts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefixes", nargs="*", metavar="NAME", help="the beginning of a notebook's name")
    parser.add_argument("--check", action="store_true", help="write nothing, and say what comes out differently")
    given = parser.parse_args()
    wrong = 0
    for path in find(given.prefixes):
        kept, fresh = read(path), read(path)
        try:
            execute(fresh)
        except CellExecutionError as error:
            print(f"{path.name}: {_COLOR.sub('', str(error))}")
            wrong += 1
            continue
        found = [*faults(fresh), *(differences(kept, fresh) if given.check else ())]
        print(f"{path.name}: {len(found) or 'no'} faults", *found, sep="\n  ")
        wrong += bool(found)
        if not given.check:
            nbformat.write(fresh, path)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
