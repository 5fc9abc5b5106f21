"""What docs/panel.md says of a notebook's own panels, in front ends besides JupyterLab: each flips a switch."""

import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import Lab, until
from tests.places import ROOT
from tests.ports import free_port

pytestmark = pytest.mark.browser
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Three switches and what they do; a slider that drives a panel.
CELLS = [block for block in BLOCK.findall((ROOT / "docs" / "panel.md").read_text()) if "VBox([" in block]
MARIMO = """
import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
    from ipywidgets import link
    from workbench import Switches, Workbench
    panel = Workbench("bakery", Writers=2, LazyReap=False)
    switches = Switches("bakery", "LazyReap", Writers=2, LazyReap=False)
    linked = link((switches, "value"), (panel, "constants"))
    mo.vstack([switches, panel])
    return (panel,)

@app.cell
def _(panel):
    panel.wait()
    return

@app.cell
def _(panel):
    panel.wait()["NonCrashedProgress"].trace
    return
"""


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page()
    yield page
    page.close()


def has_one_script(page: Any) -> None:
    """All panels of the page share it, and with it their style."""
    panels = page.locator(".wb-panel")
    assert panels.count() > 1
    counts = panels.evaluate_all(
        """(panels) => {
            const ofPanels = (sheet) => [...sheet.cssRules].some((rule) => rule.cssText.includes(".wb-panel"));
            const sheets = panels.map((panel) => panel.getRootNode().adoptedStyleSheets.filter(ofPanels));
            return [...sheets.map((own) => own.length), new Set(sheets.flat()).size];
        }"""
    )
    assert set(counts) == {1}


def both_answer(page: Any) -> None:
    """The switches in a box, and the slider before the panel."""
    said = page.locator("pre:has-text('NonCrashedProgress')")
    expect(said).to_contain_text("\N{CHECK MARK} holds NonCrashedProgress")
    page.locator(".wb-panel:not(:has(.wb-tabs)) .wb-switch:has-text('LazyReap') input").click()
    expect(said).to_contain_text("\N{BALLOT X} violated (7 states) NonCrashedProgress")
    panel = page.locator(".wb-panel:has(.wb-tabs)")
    expect(panel.locator(".wb-verdict[aria-label='ConsistentRead violated']")).to_be_visible()
    page.locator(".widget-readout").fill("1")
    page.keyboard.press("Enter")
    expect(panel.locator(".wb-headline")).to_contain_text("NUM_WRITERS 1 instead of 2")
    for copy in page.locator(".wb-kept").all():
        expect(copy).to_be_hidden()
    has_one_script(page)


def test_a_switch_is_flipped_in_notebook_7(page: Any, lab: Lab) -> None:
    lab.write("seven.ipynb", CELLS)
    page.goto(f"{lab.address}/notebooks/seven.ipynb")
    lab.wait_for_page("seven.ipynb")
    page.click(".lm-MenuBar-itemLabel:text-is('Run')")
    page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")
    both_answer(page)
    lab.end_kernel("seven.ipynb")


def test_a_switch_is_flipped_in_voila(page: Any, lab: Lab) -> None:
    lab.write("voila.ipynb", CELLS)
    page.goto(f"{lab.address}/voila/render/voila.ipynb")
    both_answer(page)


@pytest.fixture
def marimo(tmp_path: Path) -> Iterator[str]:
    app = tmp_path / "app.py"
    app.write_text(MARIMO)
    address = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "marimo", "run", str(app), "--headless", "--no-token", f"--port={port}"]
    own = {"PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    log = tmp_path / "marimo.log"

    def answers() -> bool:
        assert server.poll() is None, log.read_text()
        try:
            return urllib.request.urlopen(address).status == 200
        except OSError:
            return False

    with log.open("w") as out, subprocess.Popen(command, env=os.environ | own, stdout=out, stderr=out) as server:
        try:
            until(answers, "marimo starts")
            yield address
        finally:
            server.terminate()


def test_a_switch_is_flipped_in_marimo(page: Any, marimo: str) -> None:
    page.goto(marimo)
    promise = page.locator(".wb-verdict[data-send=NonCrashedProgress]")
    expect(promise).to_have_attribute("aria-label", "NonCrashedProgress violated")
    trace = page.frame_locator("iframe").locator(".wb-player")
    expect(trace.locator(".wb-where")).to_contain_text("State 6 of")
    page.locator(".wb-panel:not(:has(.wb-tabs)) .wb-switch:has-text('LazyReap') input").click()
    expect(promise).to_have_attribute("aria-label", "NonCrashedProgress holds")
    expect(page.locator("body")).not_to_contain_text("[object Object]")
    expect(page.locator("body")).not_to_contain_text("{}")
    has_one_script(page)
