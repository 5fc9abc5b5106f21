"""The pages under docs/ do what they say: their Python runs, block by block, and prints what they print."""

import contextlib
import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import transcripts
from tests.command import Done, Run
from tests.places import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
#: What has links to follow: these, and the pages outside of docs/.
LINKING = [*sorted(ROOT.glob("*.md")), *PAGES, *sorted((ROOT / "specs").rglob("*.md")), *ROOT.glob("website/*/*.md")]

#: A block of Python, and the block of text right below it, if there is one: what it prints.
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n*^```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL)


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def printed_by(text: str, name: str) -> list[tuple[str, str | None]]:
    """What each block of a page prints, and what the page says; the blocks share their names."""
    space: dict[str, Any] = {"__name__": name}
    printed_and_said = []
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start("code"))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile("\n" * line + block["code"], name, "exec"), space)
        printed_and_said.append((printed.getvalue(), block["output"]))
    return printed_and_said


def clean(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page writes does not get into the repository."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_python_of_a_page_runs(page: Path) -> None:
    for printed, said in printed_by(page.read_text(), str(page)):
        assert clean(printed) == clean(said or "")


def test_there_are_pages_with_python() -> None:
    assert sum(len(BLOCK.findall(page.read_text())) for page in PAGES) >= 10


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("page", ["commands.md", "operating.md"])
def test_what_is_typed_on_a_page_prints_what_it_says(page: str, run: Run, request: pytest.FixtureRequest) -> None:
    """Exit statuses are not on the pages."""
    accept = request.config.getoption("accept")

    def quiet(*arguments: object) -> Done:
        return run(*arguments)._replace(status=0)

    transcripts.compare(DOCS / page, (DOCS / page).read_text(), quiet, accept=accept)


@pytest.mark.parametrize(("name", "unlisted"), [("examples", set()), ("regressions", {"same", "complete"})])
def test_published_models_are_counted_as_their_table_has_them(name: str, unlisted: set[str]) -> None:
    said, _, *rows = (ROOT / "data" / "published" / f"{name}.tsv").read_text().splitlines()
    counts = {kind: int(count) for count, kind in re.findall(r"(\d+) ([a-z]+)[,.]", said)}
    assert {kind: count for kind, count in counts.items() if kind not in unlisted} == Counter(
        row.split("\t")[1] for row in rows
    )
    assert said.startswith(f"# {sum(counts.values())} models: ")
    assert "differs" not in counts
    if slower := re.search(r"Slower than TLC: (\d+)", said):
        times = [float(row.rpartition("\t")[2].lstrip("<>") or 0) for row in rows]
        assert int(slower[1]) == sum(ratio > 1 for ratio in times)
        assert times == sorted(times, reverse=True)
    assert said.removeprefix("# ") in " ".join((DOCS / "tla.md").read_text().split())


def test_a_page_that_is_wrong_is_noticed() -> None:
    page = "```python\nn = 1\n```\n\nwords\n\n```python\nprint(n + 1)\n```\n\n```text\n3\n```\n"
    assert printed_by(page, "page") == [("", None), ("2\n", "3\n")]
    with pytest.raises(ZeroDivisionError):
        printed_by("```python\n1 / 0\n```\n", "page")


def anchors(page: Path) -> set[str]:
    """The places on a page that a link may name, as GitHub makes them of its headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for target, place in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text()):
        if "://" not in target:
            found = page.parent / target if target else page
            assert found.exists(), target
            assert not place or place in anchors(found), f"{target}#{place}"
