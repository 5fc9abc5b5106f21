"""The notebooks run from top to bottom, and what they show is what comes out."""

import copy
import importlib.util
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "notebooks.py"

_spec = importlib.util.spec_from_file_location("notebooks", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
notebooks: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(notebooks)

PATHS = notebooks.find([])
NAMES = ["00_tour", "01_bakery", "02_hudi", "03_paimon", "04_what_if", "05_state_space_as_data", "06_your_own_model"]
ON_SPARK = {"04_what_if", "05_state_space_as_data"}


def notebook(*cells: Any) -> Any:
    """A notebook of these cells, filled up to the number that is asked for."""
    title = nbformat.v4.new_markdown_cell("# A title")
    rest = [nbformat.v4.new_markdown_cell("more") for _ in range(notebooks.FEWEST_CELLS - 1 - len(cells))]
    return nbformat.v4.new_notebook(cells=[title, *cells, *rest])


def cell(source: str, text: str = "", count: int | None = 1, name: str = "stdout") -> Any:
    outputs = [nbformat.v4.new_output("stream", text=text, name=name)] if text else []
    return nbformat.v4.new_code_cell(source, outputs=outputs, execution_count=count)


# The notebooks -------------------------------------------------------------------------------------------------------


def test_all_of_them_are_there() -> None:
    assert [path.stem for path in PATHS] == NAMES


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_as_it_should_be(path: Path) -> None:
    kept = notebooks.read(path)
    nbformat.validate(kept)
    assert notebooks.faults(kept) == []
    cleaned = copy.deepcopy(kept)
    notebooks.clean(cleaned)
    assert cleaned == kept, "run scripts/notebooks.py before it is committed"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_links_to_files_that_are_there(path: Path) -> None:
    for target in notebooks.links(notebooks.read(path)):
        assert (path.parent / target).exists(), target


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=[pytest.mark.spark] if p.stem in ON_SPARK else []) for p in PATHS],
)
def test_a_notebook_runs_and_shows_what_it_keeps(path: Path) -> None:
    kept, fresh = notebooks.read(path), notebooks.read(path)
    notebooks.execute(fresh)
    assert notebooks.faults(fresh) == []
    assert notebooks.differences(kept, fresh) == []


# What looks after them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (cell("x", count=2), "its cells were not executed from top to bottom: [2]"),
        (cell("x", count=None), "its cells were not executed from top to bottom: [None]"),
        (cell("x"), "no outputs are kept"),
        (cell("x", "kept in /home/me/table\n"), "cell 1: an output has the path /home/me/table"),
        (cell("open('/etc/hosts')", "1"), "cell 1: the source has the path /etc/hosts"),
        (cell("x", "careful\n", name="stderr"), "cell 1: something was written to stderr: 'careful\\n'"),
    ],
)
def test_a_fault_is_found(wrong: Any, fault: str) -> None:
    assert fault in notebooks.faults(notebook(wrong))


def test_a_notebook_without_faults_has_none() -> None:
    one = notebook(cell("1 / 2", "0.5, see https://example.org/a/b and ../specs/hudi, half/half\n"))
    assert notebooks.faults(one) == []
    del one.cells[-1]
    assert notebooks.faults(one) == [f"it has {notebooks.FEWEST_CELLS - 1} cells, not 20 to 30"]


def test_other_words_are_a_difference_and_other_seconds_are_not() -> None:
    kept = notebook(cell("x", "5 states, 0.25 s"))
    assert notebooks.differences(kept, notebook(cell("x", "5 states, 12.00 s"))) == []
    (line,) = notebooks.differences(kept, notebook(cell("x", "6 states, 0.25 s")))
    assert line.startswith("cell 1: ")


def test_cleaning_keeps_the_picture_of_a_widget_and_drops_who_ran_it() -> None:
    both = {notebooks.WIDGET: {"model_id": "1f"}, "text/html": "<p>", "text/plain": "p"}
    shown = nbformat.v4.new_output("display_data", data=both, metadata={"x": 1})
    one = notebook(nbformat.v4.new_code_cell("x", outputs=[shown], metadata={"execution": {"started": "now"}}))
    one.metadata["widgets"] = {"state": {}}
    notebooks.clean(one)
    assert one.metadata == notebooks.METADATA
    assert one.cells[1].metadata == {}
    assert one.cells[1].outputs[0].data == {"text/html": "<p>", "text/plain": "p"}
    assert one.cells[1].outputs[0].metadata == {}


def test_an_error_in_a_cell_is_raised() -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        notebooks.execute(notebook(cell("1 / 0", count=None)))
