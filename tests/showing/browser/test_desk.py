"""An analyst's work in a real JupyterLab: a history to go back in, permalinks, and grids of settings."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import Notebook

pytestmark = pytest.mark.browser
WHERE = ".wb-player:visible .wb-where"
DESK = (
    "from workbench.showing.panel import Workbench\n"
    'panel = Workbench("bakery_v2", Writers=2, AsyncParquet=True, RestampPatch=False)\npanel'
)


#: What one does is the same in both; pictures are for somebody who looks.
THEMES = ["Light", "Dark"] if "WORKBENCH_PICTURES" in os.environ else ["Light"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where pictures go."""
    return Path(os.environ.get("WORKBENCH_PICTURES", tmp_path))


@pytest.fixture(params=THEMES)
def desk(shared: Notebook, request: pytest.FixtureRequest) -> Notebook:
    """A panel of the test's own."""
    shared.show(DESK, height=1400, theme=request.param)
    return shared


def picture(desk: Notebook, folder: Path, name: str) -> None:
    desk.settle()
    desk.assert_fits()
    desk.still()
    desk.page.locator(".wb-tabs").screenshot(path=folder / f"{name}-{desk.theme.lower()}.png")


def step(page: Any, label: str) -> None:
    page.click(f".wb-moves button:has-text('{label}')")
    expect(page.locator(WHERE)).to_contain_text(label)


def test_one_goes_back_to_an_abandoned_branch_and_compares_two(desk: Notebook, folder: Path) -> None:
    page = desk.page
    where = page.locator(WHERE)
    desk.open("Story")
    page.click("button[title^='to the beginning']")
    for label in ("start(w2)", "stage(w2)", "begin_claim(w2"):
        step(page, label)
    page.locator(".wb-player:visible .wb-dot").nth(1).click()
    step(page, "start(w1)")
    step(page, "stage(w1)")
    expect(page.locator(".wb-tree label")).to_have_count(3)  # the story is one of them
    page.fill("input[placeholder^='such as: before']", "both at work")
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-tree button:has-text('both at work')")

    first = page.locator(".wb-tree button[title*='begin_claim(w2']")
    first.focus()
    page.keyboard.press("Enter")
    expect(where).to_contain_text("begin_claim(w2")
    expect(first).to_have_attribute("aria-current", "step")
    expect(first).to_be_focused()  # it keeps the focus

    for box in page.locator(".wb-tree input").all():
        box.focus()
        page.keyboard.press("Space")
        expect(box).to_be_checked()
        expect(box).to_be_focused()
    pair = page.locator(".wb-pair >> nth=0")
    expect(pair.locator("[data-change=differs]")).not_to_have_count(0)
    expect(page.locator(".wb-panel .wb-runs h4:text-is('both at work')")).to_have_count(1)
    picture(desk, folder, "history")


def test_an_initial_state_is_chosen_with_the_keyboard(desk: Notebook, folder: Path) -> None:
    """Of a model with 64, in a common small window; letters would be forgotten after a second, keys are not."""
    desk.show(
        'from workbench.showing.panel import Workbench\npanel = Workbench("ewd998", Machines=3)\npanel', height=800
    )
    page = desk.page
    desk.open("Story")
    chooser = page.get_by_label("Begin with")
    expect(chooser.locator("option")).to_have_count(64)
    chosen = chooser.locator("option").nth(61).inner_text()
    chooser.focus()
    for key in ("End", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect(page.locator(".wb-player:visible .wb-link code")).to_have_text(re.compile("^workbench:ewd998#61/&of="))
    expect(chooser).to_be_focused()
    picture(desk, folder, "begin")
    page.click(".wb-moves button >> nth=0")
    expect(page.locator(WHERE)).to_contain_text("State 2 of 2")
    page.click("button[title^='to the beginning']")
    expect(page.locator(WHERE)).to_contain_text("State 1 of 2")
    expect(chooser.locator("option:checked")).to_have_text(chosen)


def test_a_grid_is_walked_with_the_keyboard_and_taken_away(desk: Notebook, folder: Path) -> None:
    page = desk.page
    desk.open("Map")
    desk.unfold("Vary other constants")
    for name in ("AsyncParquet", "RestampPatch", "SafeAcks"):
        page.check(f".wb-tick:has-text('{name}') input")
    page.wait_for_selector("p:has-text('8 settings')")
    page.click("button:has-text('Fill')")
    cells = page.locator(".wb-map g[data-send]")
    expect(cells).to_have_count(8)
    page.click("button:text-is('Explain')")
    expect(page.locator(".wb-rule")).to_be_visible()
    picture(desk, folder, "grid")

    page.click(".wb-map g[aria-label*='holds'] >> nth=0")
    page.wait_for_selector(".wb-map g[aria-label*='holds'][aria-current]")
    on, off = (f".wb-switch:has-text('{name}') input" for name in ("RestampPatch", "AsyncParquet"))
    expect(page.locator(f"{on}:checked, {off}:not(:checked)")).not_to_have_count(0)  # the switches follow
    cells.first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    name = "violated: RestampPatch = off, AsyncParquet = on"
    page.wait_for_selector(f".wb-map g[aria-label*='{name}']:focus")
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-map g[aria-label*='violated'][aria-current]")

    assert "grid = {" in desk.copied(page.locator("button:text-is('Copy as code'):visible").click)
    with page.expect_download() as saved:
        page.click("button:text-is('Save as CSV')")
    assert saved.value.suggested_filename == "bakery_v2-NoLakekeeperConflict.csv"
    assert saved.value.path().read_text().startswith("AsyncParquet,RestampPatch,SafeAcks,NoLakekeeperConflict")


def test_steps_that_are_not_possible_are_disabled_and_a_refused_scenario_stays_to_be_corrected(
    desk: Notebook, folder: Path
) -> None:
    page = desk.page
    desk.open("Story")
    page.click("button[title^='to the beginning']")
    step(page, "start(w2)")
    page.click("summary:has-text('not possible here')")
    expect(page.locator(".wb-greyed > div:has(code:text-is('wait_acks(w2)')) button")).to_be_disabled()
    desk.unfold("Go to a state")
    lines = page.locator("textarea[placeholder^='a step or a condition']")
    lines.fill("commit(w2)\ncommit(w2)")
    page.click("button:has-text('Run scenario')")
    wrong = page.locator(".wb-wrong:has-text('impossible'):visible")
    expect(wrong).to_have_text("! error impossible: line 2: commit(w2): w2 is not at Decide")
    expect(lines).to_have_value("commit(w2)\ncommit(w2)")  # what was refused can be corrected
    picture(desk, folder, "impossible")
