"""A panel and its parts in boxes of a notebook's author, in a real JupyterLab."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import Lab, Notebook

pytestmark = pytest.mark.browser
PANEL = 'from workbench import Workbench\npanel = Workbench("bakery", Writers=2, LazyReap=False)\npanel'
PARTS = """
from ipywidgets import HBox, IntSlider, VBox, link
from workbench import Switches, TracePlayer, Verdicts
panel.wait()
switches = Switches("bakery", "LazyReap", "MaxCrashes", Writers=2, LazyReap=False)
slider = IntSlider(panel.step, 0, len(panel.session.story) - 1, description="step")
linked = link((switches, "value"), (panel, "constants")), link((slider, "value"), (panel, "step"))
VBox([HBox([switches, Verdicts(panel=panel)]), slider, TracePlayer(panel=panel)])
"""


@pytest.fixture(scope="module")
def notebook(browser: Any, lab: Lab) -> Iterator[Notebook]:
    """One for all tests, which go on where the one before has left it."""
    lab.settings("themes", {"theme": "JupyterLab Light"})
    lab.write("boxed.ipynb", [PANEL, PARTS])
    notebook = Notebook(browser, lab, "boxed.ipynb", width=1280, height=800)
    yield notebook
    notebook.close()


def test_parts_in_boxes_follow_a_panel_and_leave_their_neighbours_alone(notebook: Notebook, tmp_path: Path) -> None:
    page = notebook.page
    player = page.locator(".widget-box .wb-player")
    expect(player.locator(".wb-where")).to_contain_text("State 6 of")
    broken = page.locator(".wb-verdict[aria-label='NonCrashedProgress violated']")
    expect(broken).to_have_count(2)
    player.focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".widget-readout")).to_have_text("4")
    boxes = page.evaluate(
        """() => [...document.querySelectorAll(".widget-box .wb-panel, .widget-slider")].map((one) => {
            const { left, top, right, bottom } = one.getBoundingClientRect();
            return [left, top, right, bottom];
        })"""
    )
    page.screenshot(path=tmp_path / "boxed.png")
    assert len(boxes) == 4
    for at, (left, top, right, bottom) in enumerate(boxes):
        assert right - left > 100, "it has its room"
        assert bottom - top > 20
        for other in boxes[:at]:
            apart = left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom
            assert apart, f"{boxes[at]} covers {other}"
    page.locator(".widget-box .wb-switch:has-text('LazyReap') input").click()
    expect(page.locator(".wb-verdict[aria-label='NonCrashedProgress holds']")).to_have_count(2)
    assert notebook.complaints == []


def test_the_copy_in_the_notebook_is_of_the_panel_as_somebody_has_left_it(notebook: Notebook) -> None:
    page = notebook.page
    row = page.locator(".jp-Cell >> nth=0").locator(".wb-kept tr:has-text('NonCrashedProgress')").first
    for word in ("violated", "holds"):
        page.locator(".wb-screen .wb-switch:has-text('LazyReap') input").click()
        expect(page.locator(f".wb-verdict[aria-label='NonCrashedProgress {word}']")).to_have_count(2)
        page.mouse.move(5, 5)
        expect(row).to_contain_text(word)


def test_after_a_shut_down_a_click_is_taken_back_and_the_panel_says_so(notebook: Notebook) -> None:
    page = notebook.page
    notebook.menu("Kernel", "Shut Down Kernel")
    page.wait_for_selector(".jp-KernelName:has-text('No Kernel')")
    switch = page.locator(".wb-screen .wb-switch:has-text('LazyReap') input")
    expect(switch).to_be_checked()
    switch.click()
    page.wait_for_selector(".wb-panel.wb-lost .wb-screen")
    expect(switch).to_be_checked()
