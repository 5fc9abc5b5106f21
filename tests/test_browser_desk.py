"""An analyst's work in a real JupyterLab: a history to go back in, permalinks, and grids of settings."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.test_browser import Lab, Notebook
from workbench.engines.check import check
from workbench.formats.permalink import permalink
from workbench.models import get_model

pytestmark = pytest.mark.browser
CELLS = [
    "from workbench.widgets import Workbench\n"
    'panel = Workbench("bakery_v2", Writers=2, AsyncParquet=True, RestampPatch=False)\npanel'
]


@pytest.fixture(scope="module")
def lab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where pictures go."""
    return Path(os.environ.get("WORKBENCH_PICTURES", tmp_path))


@pytest.fixture(params=["Light", "Dark"])
def desk(request: pytest.FixtureRequest, browser: Any, lab: Lab) -> Iterator[Notebook]:
    lab.settings("themes", {"theme": f"JupyterLab {request.param}"})
    lab.write("desk.ipynb", CELLS)
    notebook = Notebook(browser, lab, "desk.ipynb", height=1400)
    notebook.theme = request.param.lower()  # type: ignore[attr-defined]
    yield notebook
    assert notebook.complaints == []
    notebook.close()


def picture(desk: Notebook, folder: Path, name: str) -> None:
    desk.page.wait_for_timeout(700)  # for what fades in
    desk.page.locator(".wb-tabs").screenshot(path=folder / f"{name}-{desk.theme}.png")  # type: ignore[attr-defined]
    assert desk.too_wide() == []


def step(page: Any, label: str) -> None:
    page.click(f".wb-moves button:has-text('{label}')")
    page.wait_for_selector(f".wb-player:visible .wb-where:has-text('{label}')")


def test_one_goes_back_to_an_abandoned_branch_and_compares_two(desk: Notebook, folder: Path) -> None:
    page = desk.page
    desk.open("Step it yourself")
    for label in ("start(w1)", "stage(w1)", "begin_claim(w1"):
        step(page, label)
    page.click("button:has-text('Undo')")
    page.wait_for_selector(".wb-player:visible .wb-where:has-text('State 3 of')")
    page.click("button:has-text('Undo')")
    page.wait_for_selector(".wb-player:visible .wb-where:has-text('State 2 of')")
    step(page, "start(w2)")
    step(page, "stage(w2)")
    assert page.locator(".wb-tree label").count() == 2
    page.fill("input[placeholder^='such as: before']", "both at work")
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-tree button:has-text('both at work')")

    first = page.locator(".wb-tree button[title*='begin_claim']")
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-player:visible .wb-where:has-text('begin_claim(w1')")
    assert first.get_attribute("aria-current") == "step"
    assert page.evaluate("() => document.activeElement.title").startswith("state 4: begin_claim"), "it keeps the focus"

    for box in page.locator(".wb-tree input").all():
        box.focus()
        page.keyboard.press("Space")
    page.wait_for_selector(".wb-pair")
    assert page.locator(".wb-pair >> nth=0 >> [data-change=differs]").count() > 0
    assert "both at work" in page.locator(".wb-panel p:has-text('part after')").inner_text()
    picture(desk, folder, "history")


def test_a_pasted_permalink_is_opened_and_watched_only_after_a_click(desk: Notebook, folder: Path) -> None:
    page = desk.page
    trace = check(get_model("bakery_v2")(Writers=2, SafeAcks=False), ["EventualProgress"])["EventualProgress"].trace
    assert trace is not None
    desk.open("Step it yourself")
    page.fill("input[placeholder^='workbench:']", permalink(trace, ["len(s.iceberg)"]))
    page.keyboard.press("Enter")
    page.wait_for_selector(f".wb-player:visible .wb-where:has-text('State {len(trace)} of {len(trace)}')")
    assert "SafeAcks=false" in page.locator(".wb-player:visible .wb-link code").inner_text()
    offered = page.wait_for_selector("p:has-text('The permalink says to watch')")
    assert "len(s.iceberg)" in offered.inner_text()
    assert page.locator("th:text-is('watched')").count() == 0
    picture(desk, folder, "permalink")
    page.click("button:has-text('Watch these')")
    page.wait_for_selector("code:text-is('len(s.iceberg)') >> visible=true")
    page.fill("input[placeholder^='workbench:']", "workbench:hudi#0/")
    page.keyboard.press("Enter")
    assert "is for model hudi" in page.wait_for_selector(".wb-wrong >> visible=true").inner_text()


def test_a_scenario_is_typed_and_its_behaviour_opened(desk: Notebook, folder: Path) -> None:
    page = desk.page
    desk.open("Step it yourself")
    lines = page.locator("textarea[placeholder^='a step or a condition']")
    lines.fill('commit(w2)\ns.decision["w1"] is not None  # whatever it is')
    page.click("button:has-text('Run scenario')")
    page.wait_for_selector(".wb-note:has-text('commit(w2); state') >> visible=true")
    where = page.locator(".wb-player:visible .wb-where").inner_text()
    assert re.match(r"State (\d+) of \1\b", where)
    picture(desk, folder, "scenario")
    lines.fill("commit(w2)\ncommit(w2)")
    page.click("button:has-text('Run scenario')")
    wrong = page.wait_for_selector(".wb-wrong:has-text('impossible') >> visible=true").inner_text()
    assert wrong == "! error impossible: line 2: commit(w2): w2 is not at Decide"
    assert page.locator(".wb-player:visible .wb-where").inner_text() == where, "what was found before stays"
    picture(desk, folder, "impossible")


def tick(page: Any, *names: str) -> None:
    for name in names:
        page.check(f".widget-checkbox:not(.wb-switch):has-text('{name}') input")


def test_a_grid_is_filled_explained_and_its_cells_set_the_panel(desk: Notebook, folder: Path) -> None:
    page = desk.page
    desk.open("Grid")
    tick(page, "AsyncParquet", "RestampPatch", "SafeAcks")
    page.wait_for_selector("p:has-text('8 settings')")
    page.click("button:has-text('Fill')")
    page.wait_for_function("() => document.querySelectorAll('.wb-map g[data-send]').length === 8")
    page.click("button:text-is('Explain')")
    rule = page.wait_for_selector(".wb-rule")
    assert rule.inner_text() == "not AsyncParquet or RestampPatch"
    assert page.locator(".wb-list tbody tr").count() == 2
    picture(desk, folder, "grid")

    page.click(".wb-map g[aria-label*='holds'] >> nth=0")
    page.wait_for_selector(".wb-map g[aria-label*='holds'][aria-current]")
    assert page.locator(".wb-map g[data-send]").count() == 8, "the map outlasts the check"
    page.locator(".wb-map g[data-send] >> nth=0").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    assert "violated: RestampPatch = FALSE, AsyncParquet = TRUE" in page.evaluate(
        "() => document.activeElement.ariaLabel"
    )
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-map g[aria-label*='violated'][aria-current]")
    page.click(".wb-list button >> nth=1")
    page.wait_for_selector("p:has-text('SafeAcks = TRUE is set in the panel')")
    desk.open("Trace")
    page.wait_for_selector(".wb-player:visible .wb-where:has-text('State 18 of 18')")

    desk.open("Grid")
    assert page.locator(".wb-map g[data-send]").count() == 8
    page.click("button:text-is('Copy as code') >> visible=true")
    page.wait_for_selector("button:text-is('Copied')")
    assert "grid = {" in page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as saved:
        page.click("button:text-is('Save as CSV')")
    assert saved.value.suggested_filename == "bakery_v2-NoLakekeeperConflict.csv"
    assert saved.value.path().read_text().startswith("AsyncParquet,RestampPatch,SafeAcks,NoLakekeeperConflict")


def test_a_grid_shows_its_progress_and_can_be_stopped(desk: Notebook) -> None:
    page = desk.page
    desk.open("Grid")
    tick(page, "MaxCrashes", "Writers", "AsyncParquet")
    page.click("button:has-text('Fill')")
    page.wait_for_selector("p:has-text('settings checked')")
    page.wait_for_selector(".wb-map g[data-send]")
    desk.open("Trace")
    desk.open("Grid")
    stop = page.locator(".wb-tabs button:has-text('Stop') >> visible=true")
    stop.click()
    stop.wait_for(state="hidden")
    assert 0 < page.locator(".wb-map g[data-send]").count() < 18
    page.wait_for_selector("button:text-is('Explain'):not([disabled])")


def test_code_is_selected_in_a_field_where_there_is_no_clipboard(desk: Notebook) -> None:
    page = desk.page
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    desk.open("Step it yourself")
    page.click("button:text-is('Copy as code') >> visible=true")
    field = page.wait_for_selector("textarea.wb-copied")
    assert field.input_value().startswith("from workbench import get_model\n")
    assert page.evaluate("() => getSelection().toString().includes('open_permalink')")
