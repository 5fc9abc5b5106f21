"""The panels in a real JupyterLab, driven in headless Chromium.

The pictures that the README shows are made by these tests too, where a folder for them is given::

    WORKBENCH_PICTURES=docs/pictures pytest tests/test_browser.py
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
TOUR = Path(__file__).parents[1] / "notebooks" / "00_tour.ipynb"
NOTEBOOK = [
    "from workbench.widgets import Workbench",
    'panel = Workbench("v2_async")\npanel',
]
PATIENCE = 30_000  # how long anything may take, in milliseconds

pytestmark = pytest.mark.browser


class Lab:
    """A JupyterLab of its own: no token, and its folders apart from the user's."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.notebooks = folder, folder / "notebooks"
        self.notebooks.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.settings("notification", {"fetchNews": "false", "checkForUpdates": False})
        own = {f"JUPYTER_{name.upper()}_DIR": str(folder / name) for name in ("runtime", "config", "data")}
        own |= {f"JUPYTERLAB_{name.upper()}_DIR": str(folder / name) for name in ("settings", "workspaces")}
        options = ["--no-browser", "--ip=127.0.0.1", f"--port={self.port}", f"--ServerApp.root_dir={self.notebooks}"]
        options += ["--IdentityProvider.token=", "--ServerApp.port_retries=0", "--allow-root"]
        self.log = folder / "lab.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyterlab", *options],
                cwd=self.notebooks,
                env={**os.environ, **own, "PYTHONPATH": str(ROOT)},
                stdout=log,
                stderr=log,
            )
        self._wait()

    def settings(self, plugin: str, values: dict[str, Any]) -> None:
        """What a person would set in JupyterLab's own settings."""
        folder = self.folder / "settings" / "@jupyterlab" / "apputils-extension"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values))

    def _wait(self) -> None:
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/status", timeout=5)
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text()}")

    def write(self, name: str, cells: list[str]) -> None:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, self.notebooks / name)

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/lab/tree/{name}?reset"

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def lab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.stop()


class Notebook:
    """A notebook in a window of a common small size, and what the browser's console said about it."""

    def __init__(self, browser: Any, lab: Lab, name: str, height: int = 900) -> None:
        context = browser.new_context(viewport={"width": 1280, "height": height})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self._heard(said.type, said.text))
        self.page.on("pageerror", lambda error: self._heard("error", str(error)))
        self.address = lab.url(name)
        self.page.goto(self.address)
        self.page.wait_for_selector(".jp-StatusBar-TextItem:has-text('| Idle')")  # the kernel is there
        self.run_all()
        for part in (".wb-headline", ".wb-switch:has-text('RestampPatch')", ".wb-tabs"):
            self.page.wait_for_selector(part)

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(text)

    def run_all(self) -> None:
        self.page.click(".lm-MenuBar-itemLabel:text-is('Run')")
        self.page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")

    def open(self, tab: str) -> None:
        self.page.click(f".wb-tabs .lm-TabBar-tabLabel:text-is('{tab}')")

    def flip(self, switch: str) -> float:
        """Click a switch; how many milliseconds later the verdict on it is there."""
        return self.page.evaluate(
            """([box, name]) => new Promise((resolve) => {
                const start = performance.now();
                const seen = new MutationObserver(() => {
                    const line = document.querySelector(".wb-headline")?.textContent ?? "";
                    if (!line.includes(`${name} ${box.checked ? "on" : "off"}`)) return;
                    seen.disconnect();
                    requestAnimationFrame(() => resolve(performance.now() - start));
                });
                seen.observe(document.querySelector(".wb-panel"), { subtree: true, childList: true });
                box.click();
            })""",
            [self.page.wait_for_selector(f".wb-switch:has-text('{switch}') input"), switch],
        )

    def redraws(self, steps: int) -> list[float]:
        """Step back through the trace and forth again; how many milliseconds until each picture is laid out."""
        self.page.wait_for_selector(".wb-player [data-picture]")
        self.page.wait_for_timeout(500)  # the pictures of the other states are fetched
        return self.page.evaluate(
            """async (steps) => {
                const player = document.querySelector(".wb-player");
                const label = () => player.querySelector("[data-picture]").getAttribute("aria-label");
                const times = [];
                for (const key of [...Array(steps).fill("ArrowUp"), ...Array(steps).fill("ArrowDown")]) {
                    const before = label();
                    const start = performance.now();
                    player.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                    if (label() === before) throw new Error(`the picture is still that of ${before}`);
                    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
                    times.push(performance.now() - start);
                }
                return times;
            }""",
            steps,
        )

    def slide(self, name: str, steps: int) -> None:
        """Move a slider by that many steps, with the keyboard."""
        handle = f".widget-hslider:has(.widget-label:text-is('{name}')) .noUi-handle"
        self.page.focus(handle)
        for _ in range(steps):
            self.page.keyboard.press("ArrowRight")

    def headline(self) -> str:
        return self.page.text_content(".wb-headline") or ""  # also where the notebook has scrolled on

    def too_wide(self) -> list[str]:
        """What would have to be scrolled sideways, apart from code."""
        return self.page.evaluate(
            """() => [document.documentElement, ...document.querySelectorAll(
                    ".jp-WindowedPanel-outer, .jp-OutputArea-output, .wb-panel, .wb-pane, .widget-tab-contents")]
                .filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 1)
                .map((box) => `${box.className}: ${box.scrollWidth} in ${box.clientWidth}`)"""
        )

    def close(self) -> None:
        self.page.context.close()


@pytest.fixture
def notebook(browser: Any, lab: Lab) -> Iterator[Notebook]:
    lab.settings("themes", {"theme": "JupyterLab Light"})
    lab.write("panel.ipynb", NOTEBOOK)
    notebook = Notebook(browser, lab, "panel.ipynb")
    yield notebook
    notebook.close()


def test_the_panel_answers_at_once_and_its_trace_can_be_stepped(notebook: Notebook, record_property: Any) -> None:
    page = notebook.page
    assert "everything holds" in notebook.headline()
    times = [notebook.flip("RestampPatch") for _ in range(5)]
    record_property("milliseconds_from_click_to_verdict", [round(t) for t in times])
    print(f"\nfrom click to verdict: {', '.join(f'{t:.0f} ms' for t in times)}")
    assert "1 of 5 violated" in notebook.headline()
    assert "RestampPatch off: NoLakekeeperConflict now fails" in notebook.headline()

    notebook.open("Trace")
    print(f"from key to picture: {', '.join(f'{t:.0f} ms' for t in notebook.redraws(6))}")
    where, state = page.locator(".wb-player .wb-where"), page.locator(".wb-player .wb-now")
    page.wait_for_selector(".wb-player .wb-step")
    shown = page.locator(".wb-player [data-picture=bakery_v2]")
    assert shown.locator("[data-fault]").count() > 0
    assert "State 22 of 22: commit(w2)" in where.inner_text()
    assert "HTTP 409" in state.inner_text()
    page.locator(".wb-player .wb-lanes > svg .wb-step").nth(13).click()
    assert "State 14 of 22: commit(w1)" in where.inner_text()
    page.keyboard.press("ArrowDown")
    assert "State 15 of 22" in where.inner_text()
    page.keyboard.press("ArrowLeft")
    assert "State 14 of 22" in where.inner_text()
    assert "committed" in state.inner_text()
    page.click(".wb-player .wb-filter summary")
    page.click(".wb-player .wb-choices label:text-is('iceberg')")
    page.wait_for_selector(".wb-player .wb-now:not(:has-text('decision[w1]'))")
    page.click(".wb-player .wb-link button")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("workbench:bakery_v2?AsyncParquet=true&RestampPatch=false#0/")

    for ending in ("SVG", "PNG", "a page"):
        page.click(".wb-player summary:text-is('Save')")
        with page.expect_download() as saved:
            page.click(f".wb-player .wb-choices button:has-text('{ending}')")
        assert saved.value.path().stat().st_size > 5_000

    page.click("button:has-text('Step on from here')")
    page.wait_for_selector(".wb-moves")
    assert "State 14 of 22" in page.locator(".wb-player:visible .wb-where").inner_text()
    assert notebook.too_wide() == []
    assert notebook.complaints == []


def test_the_tour_runs_and_its_panel_answers(browser: Any, lab: Lab) -> None:
    lab.settings("themes", {"theme": "JupyterLab Light"})
    shutil.copy(TOUR, lab.notebooks)
    notebook = Notebook(browser, lab, TOUR.name)
    notebook.flip("RestampPatch")
    assert "RestampPatch off: NoLakekeeperConflict now fails" in notebook.headline()
    notebook.open("Trace")
    notebook.page.wait_for_selector(".wb-player .wb-step")
    assert notebook.too_wide() == []
    assert notebook.complaints == []
    notebook.close()


def test_a_panel_outlives_ten_re_runs_of_its_cell_and_a_reload(browser: Any, lab: Lab) -> None:
    """A page asks the kernel for all widgets at once and waits four seconds; on a slow one ten panels are too many."""
    lab.settings("themes", {"theme": "JupyterLab Light"})
    count = "from ipywidgets import Widget\nprint(len(Widget.get_manager_state()['state']), 'widgets')"
    lab.write("again.ipynb", [*NOTEBOOK, count])
    notebook = Notebook(browser, lab, "again.ipynb")
    page = notebook.page
    for _ in range(9):
        page.evaluate("() => document.querySelectorAll('.wb-panel').forEach((old) => (old.dataset.old = 'yes'))")
        notebook.run_all()
        page.wait_for_selector(".wb-panel:not([data-old]) .wb-headline")
    page.wait_for_selector(".jp-StatusBar-TextItem:has-text('| Idle')")
    printed = page.text_content(".jp-OutputArea-output:has-text('widgets') >> nth=-1") or ""
    assert int(printed.split()[0]) < 120
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1000)
    slow = page.context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    page.goto(notebook.address.removesuffix("?reset"))
    page.wait_for_selector(".wb-headline, .jp-OutputArea-output:has-text('model not found')", timeout=4 * PATIENCE)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    assert page.locator(".jp-OutputArea-output:has-text('model not found')").count() == 0
    notebook.flip("RestampPatch")
    assert "RestampPatch off: NoLakekeeperConflict now fails" in notebook.headline()
    notebook.close()


def test_a_long_check_shows_its_progress_and_can_be_stopped(notebook: Notebook) -> None:
    page = notebook.page
    notebook.slide("Writers", 2)
    notebook.slide("MaxCrashes", 3)
    progress = page.locator(".wb-run .wb-pane")
    page.wait_for_function("() => document.querySelector('.wb-run .wb-pane').textContent.includes('states/s')")
    assert "frontier" in progress.inner_text()
    page.click("button:has-text('Stop'):visible")
    page.wait_for_function("() => document.querySelector('.wb-run .wb-pane').textContent.includes('incomplete')")
    assert "stopped on request" in progress.inner_text()
    assert "not decided" in notebook.headline()
    assert notebook.complaints == []


def test_bad_constants_are_one_line(notebook: Notebook) -> None:
    page = notebook.page
    page.fill(".widget-text:has(.widget-label:text-is('NodeParts')) input", "w1 w2 | w9")
    page.keyboard.press("Enter")
    complaint = page.wait_for_selector(".wb-wrong")
    assert "must hold each of w1, w2, w3 exactly once" in complaint.inner_text()
    assert page.locator(".wb-stale .wb-headline").count() == 1
    assert page.locator(".jp-OutputArea-output:has-text('Traceback')").count() == 0


def test_one_steps_by_hand(notebook: Notebook) -> None:
    page = notebook.page
    notebook.open("Step it yourself")
    page.click(".wb-moves button:has-text('start(w2)')")
    page.click(".wb-moves button:has-text('stage(w2)')")
    page.wait_for_selector(".wb-player:visible .wb-where:has-text('State 3 of 3')")
    page.click("summary:has-text('not possible now')")
    why = page.locator(".wb-greyed > div:has(code:text-is('wait_acks(w2)'))")
    assert "w2 is not at WaitAcks" in why.inner_text()
    assert why.locator("button").is_disabled()
    page.click("button:has-text('Undo')")
    page.wait_for_selector(".wb-moves button:has-text('stage(w2)')")
    page.fill(".widget-text input[placeholder^='such as']", 's.decision["w3"] == "committed"')
    page.click("button:has-text('Take me there')")
    page.wait_for_selector(".wb-player:visible .wb-where:has-text('commit(w3)')")
    page.click("button:has-text('Random walk')")
    page.wait_for_selector(".wb-player:visible .wb-where:not(:has-text('commit(w3)'))")
    assert notebook.too_wide() == []
    assert notebook.complaints == []


def test_a_change_is_applied_from_the_table_of_what_if(notebook: Notebook) -> None:
    page = notebook.page
    notebook.flip("RestampPatch")
    notebook.open("What if")
    page.click("tr:has(code:text-is('RestampPatch=TRUE')) button")
    page.wait_for_selector(".wb-headline:has-text('RestampPatch on: NoLakekeeperConflict now holds')")
    assert page.locator(".wb-switch:has-text('RestampPatch') input").is_checked()
    assert notebook.complaints == []


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures_of_every_part(browser: Any, lab: Lab, tmp_path: Path, theme: str) -> None:
    """Every tab fits beside the file browser and says nothing to the console, in both themes; with pictures."""
    folder = Path(os.environ.get("WORKBENCH_PICTURES", tmp_path))
    lab.settings("themes", {"theme": f"JupyterLab {theme}"})
    lab.write("pictures.ipynb", NOTEBOOK)
    notebook = Notebook(browser, lab, "pictures.ipynb", height=1900)
    page = notebook.page
    notebook.flip("RestampPatch")
    page.mouse.move(5, 5)

    def picture(name: str, selector: str) -> None:
        page.wait_for_timeout(700)  # for what fades in
        page.locator(selector).screenshot(path=folder / f"{name}-{theme.lower()}.png")
        assert notebook.too_wide() == [], name

    picture("panel", ".wb-panel >> nth=0")
    notebook.open("Trace")
    page.wait_for_selector(".wb-player .wb-step")
    picture("trace", ".wb-tabs")
    notebook.open("Graph")
    page.wait_for_selector(".wb-graph svg")
    picture("graph", ".wb-tabs")
    notebook.open("Charts")
    page.wait_for_selector(".wb-tabs .js-plotly-plot >> nth=2")
    picture("charts", ".wb-tabs")
    dark = page.evaluate("() => document.body.dataset.jpThemeLight")
    assert dark == ("true" if theme == "Light" else "false")
    assert notebook.complaints == []
    notebook.close()
