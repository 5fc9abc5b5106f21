"""A JupyterLab of the tests' own, and notebooks that are driven in it.

Nothing here, nor in the tests, waits for time to pass: a machine that is busy may take ten times as long as usual. What
is waited for is named, and is not there before.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from tests.chromium import PATIENCE
from tests.places import ROOT
from tests.ports import free_port


def until(done: Callable[[], Any], what: str) -> Any:
    """Wait for what only this process can see, and return it."""
    end = time.monotonic() + PATIENCE / 1000
    while not (seen := done()):
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.1)
    return seen


class Lab:
    """A JupyterLab of its own: no token, and its folders apart from the user's."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.notebooks = folder, folder / "notebooks"
        self.notebooks.mkdir()
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.settings("notification", {"fetchNews": "false", "checkForUpdates": False})
        own = {f"JUPYTER_{name.upper()}_DIR": str(folder / name) for name in ("config", "data")}
        self.runtime = tempfile.mkdtemp(prefix="lab")  # a socket's path has about a hundred bytes
        own["JUPYTER_RUNTIME_DIR"] = self.runtime
        own |= {f"JUPYTERLAB_{name.upper()}_DIR": str(folder / name) for name in ("settings", "workspaces")}
        options = ["--no-browser", "--ip=127.0.0.1", f"--port={port}", f"--ServerApp.root_dir={self.notebooks}"]
        options += ["--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"]
        options += ["--ServerApp.port_retries=0", "--allow-root", "--LabApp.expose_app_in_browser=True"]
        options.append("--KernelManager.transport=ipc")  # it calls the ports of kernels that have ended again and again
        self.log = folder / "lab.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyterlab", *options],
                cwd=self.notebooks,
                env={**os.environ, **own, "PYTHONPATH": str(ROOT)},
                stdout=log,
                stderr=log,
            )
        until(self._answers, "JupyterLab starts")

    def _answers(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text()}")
        try:
            self._ask("GET", "status")
        except OSError:
            return False
        return True

    def _ask(self, method: str, what: str) -> Any:
        asked = urllib.request.Request(f"{self.address}/api/{what}", method=method)
        return json.loads(urllib.request.urlopen(asked, timeout=PATIENCE / 1000).read() or "null")

    def settings(self, plugin: str, values: dict[str, Any]) -> None:
        """What a person would set in JupyterLab's own settings."""
        folder = self.folder / "settings" / "@jupyterlab" / "apputils-extension"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values))

    def write(self, name: str, cells: list[str]) -> None:
        import nbformat  # takes seconds to load

        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, self.notebooks / name)

    def saved(self, name: str) -> str:
        """A notebook as it is on disk, once it is whole: JupyterLab writes in place."""

        def whole() -> str:
            text = (self.notebooks / name).read_text(encoding="utf-8")
            return text if text.endswith("}\n") else ""

        return str(until(whole, f"{name} is saved"))

    def url(self, name: str) -> str:
        return f"{self.address}/lab/tree/{name}?reset"

    def wait_for_page(self, name: str) -> None:
        """Wait until the page of a notebook is connected to its kernel, and that has nothing to do."""
        until(lambda: name in self._idle(), f"{name} has its kernel")

    def _idle(self) -> list[str]:
        sessions = [(session["path"], session["kernel"]) for session in self._ask("GET", "sessions")]
        return [path for path, kernel in sessions if kernel["connections"] and kernel["execution_state"] == "idle"]

    def end_kernel(self, name: str) -> None:
        """Nobody looks at that notebook any more: what its kernel still computes slows down what comes next."""
        until(lambda: self._ended(name), f"the kernel of {name} ends")

    def _ended(self, name: str) -> bool:
        for session in self._ask("GET", "sessions"):
            if session["path"] == name:
                try:
                    self._ask("DELETE", f"sessions/{session['id']}")
                except HTTPError:  # it is being started again
                    return False
        return True

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE / 1000)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.runtime, ignore_errors=True)


#: Whether the panel's player in sight has all pictures, and lanes that were drawn for the room which they have.
_SETTLED = """() => [...document.querySelectorAll(".wb-tabs .wb-player")].every((player) => {
    const lanes = player.querySelector(".wb-lanes");
    const wide = lanes.clientWidth;  // narrow windows have no room for them
    const fits = !wide || Math.abs(lanes.dataset.room - wide) < 8;
    return (player.querySelector(".wb-picture").ariaBusy === "false" && fits) || !player.checkVisibility();
})"""
#: What would have to be scrolled sideways, apart from code.
_TOO_WIDE = """() => [document.documentElement, ...document.querySelectorAll(
        ".jp-WindowedPanel-outer, .jp-OutputArea-output, .wb-panel, .wb-pane, .wb-tabs")]
    .filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 1)
    .map((box) => `${box.className}: ${box.scrollWidth} in ${box.clientWidth}`)"""
#: Whether nothing fades in or moves, other than what does so for ever.
_STILL = """() => document.getAnimations().every((one) =>
    one.playState !== "running" || one.effect?.getComputedTiming().endTime === Infinity)"""


#: Whether no panel is at its first check, or at a later one.
_CHECKED = (
    """() => [...document.querySelectorAll(".wb-headline")].every((one) => !one.textContent.includes("checking"))"""
)


#: The first parts of a panel.
_PANEL = (".wb-headline", ".wb-verdict", ".wb-tabs")
#: Puts other cells into the notebook, and closes all widgets; its kernel starts again if a test has ended it.
_REPLACE = """async ([cells, theme]) => {
    const { model, sessionContext } = jupyterapp.shell.currentWidget;
    if (document.body.dataset.jpThemeName !== theme)
        await jupyterapp.commands.execute("apputils:change-theme", { theme });
    if (!sessionContext.session?.kernel) await sessionContext.changeKernel({ name: "python3" });
    const code = "__import__('ipywidgets').Widget.close_all()";
    await sessionContext.session.kernel.requestExecute({ code, silent: true }).done;
    const shared = model.sharedModel;
    shared.transact(() => {
        shared.deleteCellRange(0, shared.cells.length);
        shared.insertCells(0, cells.map((source) => ({ cell_type: "code", source })));
    });
}"""


class Notebook:
    """A notebook in a window of a common small size, and what the browser's console said about it.

    Attributes:
        cells: What `show` has put there.
        theme: Light or Dark, as `show` has set it.
    """

    def __init__(self, browser: Any, lab: Lab, name: str, script: str = "") -> None:
        context = browser.new_context(script, viewport={"width": 1280, "height": 900})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.lab, self.name, self.page = lab, name, context.new_page()
        self.complaints: list[str] = []
        self.cells: tuple[str, ...] = ()
        self.theme = ""
        self.page.on("console", lambda said: self._heard(said.type, said.text))
        self.page.on("pageerror", lambda error: self._heard("error", str(error)))
        self.address = lab.url(name)
        self.page.goto(self.address)
        self.wait_for_kernel()

    def wait_for_kernel(self) -> None:
        self.page.wait_for_selector(".jp-StatusBar-TextItem:has-text('| Idle')")

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(text)

    def menu(self, name: str, *items: str) -> None:
        self.page.click(f".lm-MenuBar-itemLabel:text-is('{name}')")
        for item in items:
            self.page.click(f".lm-Menu-itemLabel:text-is('{item}')")

    def run_all(self, *parts: str) -> None:
        """Run all cells, until these parts are there, or else a panel."""
        self.menu("Run", "Run All Cells")
        for part in parts or _PANEL:
            self.page.wait_for_selector(part)

    def again(self) -> None:
        """Run all cells again, until a new panel is there instead of the one before."""
        page = self.page
        page.evaluate("() => document.querySelectorAll('.wb-panel').forEach((old) => (old.dataset.old = 'yes'))")
        self.run_all(".wb-panel:not([data-old]) .wb-headline")
        page.wait_for_function("() => !document.querySelector('.wb-panel[data-old]')")

    def show(self, *cells: str, width: int = 1280, height: int = 900, theme: str = "Light", part: str = "") -> None:
        """Run these cells instead of all that are there, until that part is there, or else a panel.

        The window and its kernel stay, which take longer to start than a panel.
        """
        self.cells, self.theme = (), theme
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.evaluate(_REPLACE, [cells, f"JupyterLab {theme}"])
        self.page.wait_for_function("() => !document.querySelector('.wb-panel')")
        self.run_all(*filter(None, [part]))
        self.cells = cells

    def execute(self, code: str) -> None:
        """Let the kernel execute this, once it has answered all that the page has sent so far."""
        self.page.evaluate(
            """async (code) => {
                const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
                await kernel.requestExecute({ code, silent: true }).done;
            }""",
            code,
        )

    def open(self, tab: str) -> None:
        self.page.click(f".wb-tabs [role=tab]:text-is('{tab}')")

    def wait_for_top(self, selector: str, most: int) -> None:
        """Scroll the panel to the top of the notebook, where the top of a part of it is then at `most` pixels."""
        self.page.wait_for_function(
            """([selector, most]) => {
                document.querySelector(".wb-panel").scrollIntoView();
                const top = document.querySelector(selector)?.getBoundingClientRect().top;
                return 0 < top && top < most;
            }""",
            arg=[selector, most],
        )

    def unfold(self, what: str = "More settings") -> None:
        """Show what is folded away; by key, since what is filling above may move the line under a click."""
        line = self.page.locator(f".wb-fold > summary:has-text('{what}'):visible")
        if not line.evaluate("line => line.parentElement.open"):
            line.press("Enter")

    def flip(self, switch: str) -> float:
        """Click a switch; how many milliseconds later the verdict on it is there.

        The one before must be there, too: without it there is nothing to compare with, and no word of the switch.
        """
        self.page.wait_for_selector(f".wb-switch:has-text('{switch}') input")
        self.page.wait_for_function(_CHECKED)
        self.page.evaluate(
            """(name) => {
                const switches = [...document.querySelectorAll(".wb-switch")];
                const box = switches.find((one) => one.textContent.includes(name)).querySelector("input");
                const start = performance.now();
                window.answered = undefined;
                const seen = new MutationObserver(() => {
                    const lines = [...document.querySelectorAll(".wb-headline")].map((line) => line.textContent);
                    if (!lines.some((line) => line.includes(`${name} ${box.checked ? "on" : "off"}`))) return;
                    seen.disconnect();
                    requestAnimationFrame(() => (window.answered = performance.now() - start));
                });
                seen.observe(document.body, { subtree: true, childList: true });  // a panel may be drawn anew
                box.click();
            }""",
            switch,
        )
        return self.page.wait_for_function("() => window.answered").json_value()

    def settle(self) -> None:
        """Wait until the panel's player, if it is in sight, has drawn what the window has room for.

        Not for windows so narrow, or pictures so wide, that the lanes cannot be as narrow as their room.
        """
        self.page.wait_for_function(_SETTLED)

    def still(self) -> None:
        """Wait until nothing moves, with the mouse where it changes nothing."""
        self.page.mouse.move(5, 5)
        self.page.wait_for_function(_STILL)

    def redraws(self, steps: int) -> list[float]:
        """Step back through the trace and forth again; how many milliseconds until each picture is laid out."""
        self.settle()
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

    def count(self, name: str, steps: int) -> None:
        """Change a number by that many steps, with the keyboard."""
        self.page.focus(f".wb-field:has(.wb-label:text-is('{name}')) input")
        for _ in range(abs(steps)):
            self.page.keyboard.press("ArrowUp" if steps > 0 else "ArrowDown")

    def copied(self, click: Callable[[], Any]) -> str:
        """What comes into the clipboard by a click; what was there before is no answer."""
        self.page.evaluate("navigator.clipboard.writeText('')")
        click()
        return self.page.wait_for_function("() => navigator.clipboard.readText()").json_value()

    def headline(self) -> Any:
        """What was found last, also where the notebook has scrolled on."""
        return self.page.locator(".wb-headline:visible").first

    def assert_fits(self) -> None:
        """Nothing has to be scrolled sideways, once what was drawn for another room is drawn again."""
        try:
            self.page.wait_for_function(f"() => !({_TOO_WIDE})().length")
        finally:
            assert self.page.evaluate(_TOO_WIDE) == []

    def close(self) -> None:
        self.page.context.close()
        self.lab.end_kernel(self.name)
