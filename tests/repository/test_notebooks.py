"""The notebooks run from top to bottom, and what they show is what comes out."""

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pages import with_commands

import notebooks
from tests.command import python
from tests.kept import EXERCISES, FEWEST_CELLS, differences, faults
from workbench.showing.lessons.exercise import exercises

PATHS = notebooks.find()
#: In the order in which they build on each other.
NAMES = [
    "06_your_own_model",
    "00_tour",
    "01_bakery",
    "02_hudi",
    "03_paimon",
    "04_what_if",
    "05_state_space_as_data",
    "07_real_tables",
    "08_real_logs",
    "09_one_promise",
    "10_published",
    "11_pluscal",
]
#: They begin with nothing: a cell of theirs has the model.
WITHOUT_A_MODEL = {"06_your_own_model", "10_published", "11_pluscal"}
#: What a lesson may need besides the workbench.
NEEDS = {"Graphviz", "Java", "pypaimon", with_commands("`pip install '.[spark]'`")}

_LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")


def links(notebook: Any) -> list[str]:
    """The files that a notebook's texts link to."""
    texts = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return [target for target in _LINK.findall(texts) if "://" not in target]


def v4() -> Any:
    """The module that makes parts of notebooks; it takes seconds to load, in each worker that collects these tests."""
    import nbformat.v4

    return nbformat.v4


def read(path: Path) -> Any:
    import nbformat

    return nbformat.read(path, as_version=4)


def notebook(*cells: Any) -> Any:
    """A notebook of these cells, filled up to the number that is asked for."""
    title = v4().new_markdown_cell("# A title")
    rest = [v4().new_markdown_cell("more") for _ in range(FEWEST_CELLS - 1 - len(cells))]
    return v4().new_notebook(cells=[title, *cells, *rest])


def cell(source: str, text: str = "", count: int | None = 1, name: str = "stdout") -> Any:
    outputs = [v4().new_output("stream", text=text, name=name)] if text else []
    return v4().new_code_cell(source, outputs=outputs, execution_count=count)


# The notebooks -------------------------------------------------------------------------------------------------------


#: Runs the code of a notebook in this folder as if pypaimon were nowhere, and prints how many cells that are.
WITHOUT_PYPAIMON = """
import json, sys
from pathlib import Path
from workbench.protocols.paimon import driver
driver.MODULES = Path.cwd()
cells = [cell for cell in json.loads(Path(sys.argv[1]).read_text())["cells"] if cell["cell_type"] == "code"]
names = {}
for cell in cells:
    exec("".join(cell["source"]), names)
print(len(cells), "cells;", *(names[name].grade for name in sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lesson", "instead", "findings"),
    [
        (
            "07",
            "Nothing is written here; two processes of pypaimon have raced for the table that follows. ",
            "lost proved",
        ),
        ("08", "Nothing is driven here; the table that follows was made in this way. ", "finding"),
    ],
)
def test_a_lesson_goes_on_where_there_is_no_pypaimon(lesson: str, instead: str, findings: str, tmp_path: Path) -> None:
    (path,) = notebooks.find(lesson)
    said = python(WITHOUT_PYPAIMON, path, *findings.split(), here=tmp_path, check=True).stdout
    wanted = f"`python3 -m venv {tmp_path}/.writers` and `{tmp_path}/.writers/bin/pip install pypaimon==2.1.0` make it"
    assert instead in said
    assert wanted in said
    assert re.search(r"^\d+ cells; (suspect proved|suspect)$", said, re.MULTILINE)


def test_all_of_them_are_there() -> None:
    assert [path.stem for path in PATHS] == sorted(NAMES)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_as_it_should_be(path: Path) -> None:
    import nbformat

    kept = read(path)
    nbformat.validate(kept)
    assert faults(kept) == []
    cleaned = copy.deepcopy(kept)
    notebooks.clean(cleaned)
    assert cleaned == kept, "run scripts/notebooks.py before it is committed"


@pytest.mark.parametrize(
    "path", [path for path in PATHS if path.stem not in WITHOUT_A_MODEL], ids=lambda path: path.stem
)
def test_a_notebook_begins_with_a_picture(path: Path) -> None:
    first = next(cell for cell in read(path).cells if cell.cell_type == "code")
    assert any("<img " in output.get("data", {}).get("text/html", "") for output in first.outputs)
    assert first.source.count("\n") < 6
    assert not re.search(r"^(def|class) ", first.source, re.MULTILINE)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_links_to_files_that_are_there(path: Path) -> None:
    for target in links(read(path)):
        assert (path.parent / target).exists(), target


@pytest.mark.slow

# The lessons ----------------------------------------------------------------------------------------------------------


def opening(lesson: Any) -> str:
    """What a notebook says of itself below its title."""
    after = ", ".join(f"[{name}]({name}.ipynb)" for name in lesson["after"]) or "no other lesson"
    needs = ", ".join(lesson["needs"]) or "only the workbench"
    return (
        f"- \\*\\*You will learn:\\*\\* {re.escape(lesson['about'])}\n"
        f"- \\*\\*Time:\\*\\* {lesson['minutes']} minutes\\. The cells run in [^\n]+\\.\n"
        f"- \\*\\*Needs:\\*\\* {re.escape(needs)}\n"
        f"- \\*\\*After:\\*\\* {re.escape(after)}$"
    )


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_says_what_it_is_as_a_lesson(path: Path) -> None:
    kept = read(path)
    lesson = kept.metadata["lesson"]
    assert set(lesson) == {"minutes", "needs", "after", "about"}
    assert type(lesson["minutes"]) is int
    assert 15 <= lesson["minutes"] <= 90
    assert set(lesson["needs"]) <= NEEDS
    assert ("Java" in lesson["needs"]) is (path.stem == "05_state_space_as_data")
    assert set(lesson["after"]) <= set(NAMES[: NAMES.index(path.stem)])
    assert re.fullmatch(r"[A-Z][^.?!\n]+\.", lesson["about"])
    assert re.search(opening(lesson), kept.cells[0].source, re.MULTILINE)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_ends_with_its_exercises(path: Path) -> None:
    """Two or three, each in a cell that is to be filled in; whatever has gone before, they run by themselves."""
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    found = [re.search(r'^exercise\("(\w+)"\)\.check\(answer\)$', cell.source, re.MULTILINE) for cell in cells]
    asked = [match[1] for match in found if match]
    assert sorted(asked) == sorted(name for name, one in exercises().items() if one.notebook == path.stem)
    assert 2 <= len(asked) <= 3
    assert all(match for match in found[-len(asked) :])
    for cell, match in zip(cells, found, strict=True):
        if match:
            assert cell.source.endswith(match[0])
            assert re.search(r"^answer = \.\.\.", cell.source, re.MULTILINE)
            assert any("Your turn." in output["data"]["text/plain"] for output in cell.outputs)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_what_a_notebook_asks_is_answered_in_a_later_cell(path: Path) -> None:
    code = [cell.source for cell in read(path).cells if cell.cell_type == "code"]
    asked = [at for at, source in enumerate(code) if "guess = predict(" in source]
    answered = [at for at, source in enumerate(code) if "guess.answer(" in source]
    assert len(asked) >= 2
    assert len(asked) == len(answered)
    assert all(one < other for one, other in zip(asked, answered, strict=True))
    assert all(one < other for one, other in zip(answered, asked[1:], strict=False))


# What looks after them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (lambda: cell("x", count=2), "its cells were not executed from top to bottom: [2]"),
        (lambda: cell("x", count=None), "its cells were not executed from top to bottom: [None]"),
        (lambda: cell("x"), "no outputs are kept"),
        (lambda: cell("x", "kept in /home/me/table\n"), "cell 1: an output has the path /home/me/table"),
        (lambda: cell("open('/etc/hosts')", "1"), "cell 1: the source has the path /etc/hosts"),
        (lambda: cell("x", "careful\n", name="stderr"), "cell 1: something was written to stderr: 'careful\\n'"),
    ],
)
def test_a_fault_is_found(wrong: Callable[[], Any], fault: str) -> None:
    assert fault in faults(notebook(wrong()))


def test_a_notebook_without_faults_has_none() -> None:
    one = notebook(cell("1 / 2", "0.5, see https://example.org/a/b and ../specs/hudi, half/half\n"))
    assert faults(one) == []
    one.cells += [v4().new_markdown_cell(text) for text in (EXERCISES, *"three", *"four", *"more")]
    assert faults(one) == []
    del one.cells[FEWEST_CELLS - 1]
    assert faults(one) == [f"it has {FEWEST_CELLS - 1} cells, not 20 to 30"]


def test_other_words_are_a_difference_and_other_seconds_are_not() -> None:
    kept = notebook(cell("x", "5 states, 0.25 s"))
    assert differences(kept, notebook(cell("x", "5 states, 12.00 s"))) == []
    (line,) = differences(kept, notebook(cell("x", "6 states, 0.25 s")))
    assert line.startswith("cell 1: ")


def test_cleaning_keeps_the_picture_of_a_widget_and_drops_who_ran_it() -> None:
    view, static = {notebooks.WIDGET: {"model_id": "1f"}}, {"text/html": "<p>", "text/plain": "p"}
    outputs = [v4().new_output("display_data", data=data, metadata={"x": 1}) for data in (view, static)]
    one = notebook(v4().new_code_cell("x", outputs=outputs, metadata={"execution": {"started": "now"}}))
    one.metadata["widgets"] = {"state": {}}
    one.metadata["lesson"] = {"minutes": 15}
    notebooks.clean(one)
    assert one.metadata == notebooks.METADATA | {"lesson": {"minutes": 15}}
    assert [part.metadata for part in one.cells[:2]] == [{"slideshow": {"slide_type": "slide"}}, {}]
    (kept,) = one.cells[1].outputs
    assert kept.data == static
    assert kept.metadata == {}


@pytest.mark.slow
def test_a_lesson_is_a_deck_of_slides() -> None:
    from nbconvert import SlidesExporter

    lesson = read(notebooks.FOLDER / "06_your_own_model.ipynb")
    texts = [one.source for one in lesson.cells if one.cell_type == "markdown"]
    deck, _ = SlidesExporter().from_notebook_node(lesson)
    sections = sum(text.startswith("#") for text in texts)
    assert deck.count("<section") == sections + len(texts)  # each section is one, and each slide in it


@pytest.mark.slow
def test_an_error_in_a_cell_is_raised(tmp_path: Path) -> None:
    import nbclient
    import nbformat

    path = tmp_path / "one.ipynb"
    nbformat.write(notebook(cell("1 / 0", count=None)), path)
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="ZeroDivisionError"):
        notebooks.execute(path)
