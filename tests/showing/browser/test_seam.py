"""A panel and its parts in boxes of a notebook's author, in a real JupyterLab."""

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


def test_parts_in_boxes_follow_a_panel_and_leave_their_neighbours_alone(browser: Any, lab: Lab, tmp_path: Path) -> None:
    lab.settings("themes", {"theme": "JupyterLab Light"})
    lab.write("boxed.ipynb", [PANEL, PARTS])
    notebook = Notebook(browser, lab, "boxed.ipynb", width=1280, height=800)
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
    notebook.close()
