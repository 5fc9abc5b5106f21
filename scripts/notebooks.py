"""Execute the notebooks from top to bottom, and keep only outputs that are the same on every machine.

::

    python scripts/notebooks.py          # all
    python scripts/notebooks.py 01 05    # those with these prefixes

An .ipynb file is the source of its notebook: edit it in JupyterLab, then run this before a commit.
``tests/repository/test_notebooks.py`` reports what is wrong with a notebook.
"""

import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "notebooks"
#: The time limit of a cell, in seconds.
PATIENCE = 300

#: A widget's view is a number that only the kernel knows; our widgets add a static output after it.
WIDGET = "application/vnd.jupyter.widget-view+json"
#: The keys of `metadata` that viewers read, and `lesson`, which describes the notebook as a lesson. The rest (versions,
#: window layouts, states of widgets) depends on the machine.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "name": "python", "pygments_lexer": "ipython3"},
}


def find(*prefixes: str) -> list[Path]:
    """The notebooks whose names begin with one of the `prefixes`; all of them if there are none."""
    return [path for path in sorted(FOLDER.glob("*.ipynb")) if path.name.startswith(prefixes or "")]


def execute(path: Path) -> Any:
    """The notebook with what comes out of every cell in a fresh kernel, in its folder; the first error is raised."""
    import nbclient  # not above: these take seconds to load, and tests of other things import this module
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook,
        timeout=PATIENCE,
        kernel_name=METADATA["kernelspec"]["name"],
        resources={"metadata": {"path": str(path.parent)}},
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
    ).execute()
    return clean(notebook)


def clean(notebook: Any) -> Any:
    """The notebook without what differs from machine to machine and from run to run."""
    lesson = {"lesson": notebook.metadata["lesson"]} if "lesson" in notebook.metadata else {}
    notebook.metadata = METADATA | lesson
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number:02}", {}
        if cell.cell_type == "markdown":  # a slide, with the code that follows on it; one of a section below its first
            kind = "slide" if cell.source.startswith("#") else "subslide"
            cell.metadata = {"slideshow": {"slide_type": kind}}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if set(output.get("data", ())) != {WIDGET}]
            for output in cell.outputs:
                output.pop("transient", None)
                if "data" in output:
                    output.metadata = {}
    return notebook


if __name__ == "__main__":
    import nbformat

    for path in find(*sys.argv[1:]):
        print(path.name, flush=True)
        nbformat.write(execute(path), path)
