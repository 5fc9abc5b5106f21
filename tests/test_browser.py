"""The panels in a real JupyterLab, driven in headless Chromium.

The picture of the panel that the README shows is made by these tests too, where a folder for it is given::

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
from importlib import resources
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

    def __init__(self, browser: Any, lab: Lab, name: str, width: int = 1280, height: int = 900) -> None:
        context = browser.new_context(viewport={"width": width, "height": height})
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
        for part in (".wb-headline", ".wb-verdict", ".wb-tabs"):
            self.page.wait_for_selector(part)

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(text)

    def run_all(self) -> None:
        self.page.click(".lm-MenuBar-itemLabel:text-is('Run')")
        self.page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")

    def open(self, tab: str) -> None:
        self.page.click(f".wb-tabs .lm-TabBar-tabLabel:text-is('{tab}')")

    def view(self) -> None:
        """Scroll the panel to the top of the notebook."""
        self.page.evaluate("() => document.querySelector('.wb-panel').scrollIntoView()")
        self.page.wait_for_timeout(300)

    def unfold(self) -> None:
        """Show the settings, if the window is too low for them to be there."""
        button = self.page.locator(".wb-fold-button:has-text('Settings'):visible")
        if button.get_attribute("aria-expanded") == "false":
            button.click()
        self.page.wait_for_selector(".wb-controls")

    def flip(self, switch: str) -> float:
        """Click a switch; how many milliseconds later the verdict on it is there."""
        self.unfold()
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
        self.page.wait_for_selector(".wb-player > .wb-beside > .wb-picture[aria-busy=false] [data-picture]")
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
        self.unfold()
        handle = f".widget-hslider:has(.widget-label:text-is('{name}')) .noUi-handle"
        self.page.focus(handle)
        for _ in range(abs(steps)):
            self.page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")

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
    page.wait_for_selector(".wb-player .wb-link:has-text('RestampPatch=false')")  # not the trace before the last click
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
    progress = page.locator(".wb-progress")
    page.wait_for_function("() => document.querySelector('.wb-progress').textContent.includes('states/s')")
    assert "frontier" in progress.inner_text()
    assert "checking" in notebook.headline()
    page.click("button:has-text('Stop'):visible")
    page.wait_for_function("() => document.querySelector('.wb-progress').textContent.includes('incomplete')")
    assert "stopped on request" in progress.inner_text()
    assert "not decided" in notebook.headline()
    assert notebook.complaints == []


def test_bad_constants_are_one_line(notebook: Notebook) -> None:
    page = notebook.page
    notebook.unfold()
    page.fill(".widget-text:has(.widget-label:text-is('NodeParts')) input", "w1 w2 | w9")
    page.keyboard.press("Enter")
    complaint = page.wait_for_selector(".wb-wrong")
    assert "must hold each of w1, w2, w3 exactly once" in complaint.inner_text()
    assert page.locator(".wb-stale.wb-headline").count() == 1
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


def test_settings_verdicts_and_trace_share_one_screen(browser: Any, lab: Lab) -> None:
    lab.settings("themes", {"theme": "JupyterLab Light"})
    lab.write("screen.ipynb", NOTEBOOK)
    notebook = Notebook(browser, lab, "screen.ipynb", height=800)
    page = notebook.page
    switch = page.locator(".wb-switch:has-text('RestampPatch')")
    notebook.view()
    assert not switch.is_visible()
    assert "AsyncParquet=TRUE" in page.locator(".wb-fold-line >> nth=0").inner_text()
    assert page.locator(".wb-tabs .lm-TabBar").bounding_box()["y"] < 400
    assert page.locator(".wb-player .wb-picture").bounding_box()["y"] < 600
    notebook.flip("RestampPatch")
    assert switch.is_visible(), "who has unfolded the settings sees them stay"
    assert "RestampPatch=FALSE" in page.locator(".wb-fold-line >> nth=0").inner_text()
    page.click(".wb-fold-button:has-text('Settings'):visible")
    page.wait_for_selector(".wb-switch:has-text('RestampPatch')", state="hidden")
    page.click(".wb-verdict:has-text('EveryoneCommits')")
    page.wait_for_selector(".wb-tabs p:has-text('EveryoneCommits reached')")
    page.set_viewport_size({"width": 1280, "height": 1080})
    assert not switch.is_visible(), "nor does a taller window unfold what somebody has folded"
    page.set_viewport_size({"width": 853, "height": 533})
    page.wait_for_timeout(500)
    assert notebook.too_wide() == []
    assert notebook.complaints == []
    notebook.close()


def test_on_a_large_screen_all_is_unfolded_and_the_lanes_stand_beside_the_picture(browser: Any, lab: Lab) -> None:
    lab.settings("themes", {"theme": "JupyterLab Light"})
    lab.write("large.ipynb", NOTEBOOK)
    notebook = Notebook(browser, lab, "large.ipynb", width=1920, height=1080)
    notebook.view()
    page = notebook.page
    assert page.locator(".wb-switch:has-text('RestampPatch')").is_visible()
    assert page.locator(".wb-tabs .lm-TabBar").bounding_box()["y"] < 540
    picture, lanes = (page.locator(f".wb-player .wb-{part}").bounding_box() for part in ("picture", "lanes"))
    assert picture["x"] + picture["width"] <= lanes["x"]
    assert notebook.too_wide() == []
    notebook.close()


def test_a_check_of_some_seconds_says_so_and_needs_one_click(browser: Any, lab: Lab) -> None:
    lab.settings("themes", {"theme": "JupyterLab Light"})
    lab.write("medium.ipynb", [NOTEBOOK[0], 'Workbench("bakery_v2", AsyncParquet=True, RestampPatch=False)'])
    notebook = Notebook(browser, lab, "medium.ipynb")
    page = notebook.page
    notebook.unfold()
    page.evaluate(
        """() => {
            window.said = [];
            new MutationObserver(() => window.said.push(document.querySelector(".wb-run").textContent))
                .observe(document.querySelector(".wb-run"), { subtree: true, childList: true });
        }"""
    )
    notebook.slide("MaxCrashes", 1)
    page.wait_for_selector(".wb-headline:has-text('MaxCrashes 1 instead of 0')")
    said = page.evaluate("() => window.said")
    assert any("Checking" in line for line in said)
    assert any("checking" in line and "NoLakekeeperConflict violated" in line for line in said)
    assert "press Run" not in page.locator(".wb-run").inner_text()
    notebook.close()


def test_the_graph_and_the_charts_are_there_soon(notebook: Notebook, record_property: Any) -> None:
    page = notebook.page
    notebook.slide("Writers", -1)
    page.wait_for_selector(".wb-headline:has-text('Writers')")
    flips = []
    for _ in range(5):
        page.wait_for_timeout(1000)  # as a person looks at what came of it
        flips.append(round(notebook.flip("RestampPatch")))
    page.wait_for_timeout(1000)
    states = page.locator(".wb-progress").inner_text().partition(",")[0]
    print(f"\nfrom click to verdict, with {states}: {flips} ms")
    record_property("milliseconds_from_click_to_verdict_of_a_small_space", flips)
    times = {}
    for tab, shown in (("Charts", ".wb-tabs figure >> nth=2"), ("Graph", ".wb-tabs .wb-graph svg")):
        began = time.perf_counter()
        notebook.open(tab)
        page.wait_for_selector(shown)
        times[tab] = round(1000 * (time.perf_counter() - began))
    record_property("milliseconds_until_a_tab_is_filled", times)
    print(f"until a tab is filled the first time: {times}")
    notebook.open("Charts")
    page.click(".widget-checkbox:has-text('interactive') input")
    page.wait_for_selector(".wb-tabs .js-plotly-plot >> nth=2")
    assert notebook.complaints == []


def test_a_state_of_the_graph_shows_its_picture(notebook: Notebook) -> None:
    page = notebook.page
    notebook.open("Graph")
    page.locator(".wb-graph g.node >> nth=0").scroll_into_view_if_needed()
    page.hover(".wb-graph g.node >> nth=0")
    page.wait_for_selector(".wb-peek:popover-open [data-picture=bakery_v2]")
    assert notebook.complaints == []


def test_everything_can_be_done_with_the_keyboard(notebook: Notebook) -> None:
    page = notebook.page
    page.evaluate("() => { const panel = document.querySelector('.wb-panel'); panel.tabIndex = -1; panel.focus(); }")

    def tab_to(selector: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"the keyboard does not reach {selector}")

    tab_to(".wb-fold-button[data-send=unfold]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-switch:has-text('RestampPatch')")
    assert page.evaluate("() => document.activeElement.dataset.send") == "fold"
    tab_to(".wb-switch:nth-child(3) input")
    page.keyboard.press("Space")
    page.wait_for_selector(".wb-headline:has-text('RestampPatch off: NoLakekeeperConflict now fails')")
    assert page.locator("[role=status]:has-text('NoLakekeeperConflict now fails')").count() == 1
    tab_to(".wb-fold-button[data-send=unfold]")  # the properties
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-switch:has-text('UniqueTickets')")
    tab_to(".wb-verdict[data-send=EveryoneCommits]")
    page.keyboard.press("b")  # in a notebook: another cell
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-tabs p:has-text('EveryoneCommits reached')")
    assert page.evaluate("() => document.activeElement.dataset.send") == "EveryoneCommits"
    assert page.locator(".jp-Notebook .jp-CodeCell").count() == len(NOTEBOOK)


def test_a_panel_without_its_kernel_says_what_to_do(notebook: Notebook) -> None:
    page = notebook.page
    page.click(".lm-MenuBar-itemLabel:text-is('Kernel')")
    page.click(".lm-Menu-itemLabel:text-is('Restart Kernel\u2026')")
    page.click(".jp-Dialog button:has-text('Restart')")
    page.wait_for_selector(".wb-panel.jupyter-widgets-disconnected")
    said = "(element) => getComputedStyle(element, '::before').content"
    assert "run its cell again" in page.locator(".wb-panel >> nth=0").evaluate(said)
    icons = "(all) => all.filter((one) => getComputedStyle(one, '::before').content !== 'none').length"
    assert page.locator(".wb-panel .jupyter-widgets-disconnected").evaluate_all(icons) == 0


SIMULATOR = "from workbench.widgets import Simulator\nSimulator('bakery')"


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_nothing_critical_or_serious_stands_in_the_way_of_assistive_technology(
    browser: Any, lab: Lab, theme: str
) -> None:
    lab.settings("themes", {"theme": f"JupyterLab {theme}"})
    lab.write("axe.ipynb", [*NOTEBOOK, SIMULATOR])
    notebook = Notebook(browser, lab, "axe.ipynb", height=1400)
    page = notebook.page
    notebook.flip("RestampPatch")
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())

    def found(where: str) -> list[str]:
        violations = page.evaluate("async (where) => (await axe.run(where)).violations", where)
        bad = [rule for rule in violations if rule["impact"] in ("critical", "serious")]
        return [f"{rule['id']}: {node['html']}" for rule in bad for node in rule["nodes"]]

    titles = page.locator(".wb-tabs .lm-TabBar-tabLabel").all_inner_texts()
    for title in titles:
        notebook.open(title)
        page.mouse.move(5, 5)
        page.wait_for_timeout(1500)
        assert found(".wb-panel") == [], title
    page.wait_for_selector(".jp-Cell:has-text('Simulator') .wb-moves")
    assert found(".jp-Cell:last-of-type .wb-panel") == []
    notebook.close()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures_of_every_part(browser: Any, lab: Lab, tmp_path: Path, theme: str) -> None:
    """Every tab fits beside the file browser and says nothing to the console, in both themes; with pictures."""
    kept = Path(os.environ.get("WORKBENCH_PICTURES", tmp_path)) if theme == "Light" else tmp_path
    lab.settings("themes", {"theme": f"JupyterLab {theme}"})
    lab.write("pictures.ipynb", NOTEBOOK)
    notebook = Notebook(browser, lab, "pictures.ipynb", height=1000)
    page = notebook.page
    notebook.flip("RestampPatch")
    page.mouse.move(5, 5)

    def picture(name: str, selector: str) -> None:
        page.wait_for_timeout(700)  # for what fades in
        page.locator(selector).screenshot(path=tmp_path / f"{name}-{theme.lower()}.png")
        assert notebook.too_wide() == [], name

    page.click(".wb-fold-button[data-send=fold]:visible")
    page.mouse.move(5, 5)
    page.wait_for_timeout(700)
    page.screenshot(path=kept / f"panel-{theme.lower()}.png")
    page.set_viewport_size({"width": 1280, "height": 2600})
    notebook.open("Trace")
    page.wait_for_selector(".wb-player .wb-step")
    picture("trace", ".wb-tabs")
    notebook.open("Graph")
    page.wait_for_selector(".wb-graph svg")
    picture("graph", ".wb-tabs")
    notebook.open("Charts")
    page.wait_for_selector(".wb-tabs figure >> nth=2")
    picture("charts", ".wb-tabs")
    dark = page.evaluate("() => document.body.dataset.jpThemeLight")
    assert dark == ("true" if theme == "Light" else "false")
    assert notebook.complaints == []
    notebook.close()
