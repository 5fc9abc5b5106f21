"""The panels in a real JupyterLab, driven in headless Chromium.

The picture of the panel that the README shows is made by these tests too, where a folder for it is given::

    WORKBENCH_PICTURES=docs/pictures pytest tests/showing/browser/test_panels.py
"""

import os
import shutil
import time
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import ROOT, Lab, Notebook, until
from tests.playing import plays

TOUR = ROOT / "notebooks" / "00_tour.ipynb"
IMPORTED = "from workbench.showing.panel import Workbench"
NOTEBOOK = f'{IMPORTED}\npanel = Workbench("v2_async")\npanel'
PAIMON = f'{IMPORTED}\npanel = Workbench("paimon")\npanel'
pytestmark = pytest.mark.browser


@pytest.fixture
def notebook(shared: Notebook) -> Notebook:
    """A panel of the test's own."""
    shared.show(NOTEBOOK)
    return shared


def test_the_panel_answers_at_once_and_its_trace_can_be_stepped(notebook: Notebook, record_property: Any) -> None:
    page = notebook.page
    expect(notebook.headline()).to_contain_text("everything holds")
    took = notebook.flip("RestampPatch")
    record_property("milliseconds_from_click_to_verdict", round(took))
    print(f"\nfrom click to verdict: {took:.0f} ms")
    expect(notebook.headline()).to_contain_text("1 of 5 violated")
    expect(notebook.headline()).to_contain_text("RestampPatch off: NoLakekeeperConflict now fails")

    notebook.open("Story")
    link = page.locator(".wb-player .wb-link")
    expect(link).to_contain_text("RestampPatch=false")  # not the witness that was there before
    print(f"from key to picture: {', '.join(f'{t:.0f} ms' for t in notebook.redraws(6))}")
    where, state = page.locator(".wb-player .wb-where"), page.locator(".wb-player .wb-now")
    expect(page.locator(".wb-player [data-picture=bakery_v2] [data-fault]")).not_to_have_count(0)
    expect(where).to_contain_text("State 22 of 22: commit(w2)")
    expect(state).to_contain_text("HTTP 409")
    plays(page.locator(".wb-player"), 22)
    page.locator(".wb-player .wb-dot").nth(13).click()
    expect(where).to_contain_text("State 14 of 22: commit(w1)")
    expect(state).to_contain_text("committed")
    page.click(".wb-more > summary")
    page.click(".wb-player .wb-filter summary:text-is('all variables')")
    page.click(".wb-player .wb-choices label:text-is('iceberg')")
    expect(state).not_to_contain_text("decision[w1]")
    copied = notebook.copied(page.locator(".wb-player button:text-is('Copy link')").click)
    assert copied.startswith("workbench:bakery_v2?AsyncParquet=true&RestampPatch=false#0/")

    for ending in ("SVG", "PNG", "a page"):
        page.click(".wb-player summary:text-is('Save')")
        with page.expect_download() as saved:
            page.click(f".wb-player .wb-choices button:has-text('{ending}')")
        assert saved.value.path().stat().st_size > 5_000

    page.click(".wb-moves .wb-button:not([aria-current]) >> nth=0")
    expect(where).to_contain_text("State 15 of 15")
    expect(page.locator(".wb-tree label")).to_have_count(2)  # the story is a branch to go back to
    page.click(".wb-player .wb-left-story:has-text('You have left the story at state 14') button")
    expect(where).to_contain_text("State 14 of 22")
    expect(page.locator(".wb-left-story")).to_be_hidden()
    notebook.settle()
    notebook.assert_fits()


def test_the_tour_runs_and_its_panel_answers(browser: Any, lab: Lab) -> None:
    lab.settings("themes", {"theme": "JupyterLab Light"})
    shutil.copy(TOUR, lab.notebooks)
    notebook = Notebook(browser, lab, TOUR.name)
    notebook.run_all()
    expect(notebook.page.locator(".wb-tabs .wb-player .wb-said")).to_contain_text("ConsistentRead(jack, 1) violated")
    notebook.flip("PUT_IF_ABSENT")
    expect(notebook.headline()).to_contain_text("PUT_IF_ABSENT on: ConsistentRead now holds")
    notebook.settle()
    notebook.assert_fits()
    assert notebook.complaints == []
    notebook.close()


def test_a_panel_outlives_re_runs_of_its_cell_and_a_reload(browser: Any, lab: Lab) -> None:
    """A page asks the kernel for all widgets at once and waits four seconds; on a slow one ten panels are too many."""
    count = (
        "from ipywidgets import Widget\nruns = globals().get('runs', 0) + 1\n"
        "print(f'run {runs}:', len(Widget.get_manager_state()['state']), 'widgets')"
    )
    lab.settings("themes", {"theme": "JupyterLab Light"})
    lab.write("again.ipynb", [PAIMON, count])
    notebook = Notebook(browser, lab, "again.ipynb")
    notebook.run_all()
    page = notebook.page
    printed = page.locator(".jp-OutputArea-output:has-text('widgets')").last
    expect(printed).to_contain_text("run 1:")
    widgets = []
    for run in range(2, 5):
        notebook.again()
        expect(printed).to_contain_text(f"run {run}:")  # so the notebook has the panel that was shown before
        widgets.append(int(printed.inner_text().split()[2]))
    assert widgets == widgets[:1] * 3, "each run closes the panel of the one before"

    def saved() -> bool:
        page.keyboard.press("Control+s")  # again and again: what is being saved meanwhile may be the run before
        return "run 4:" in lab.saved("again.ipynb")

    until(saved, "the last run is saved")
    page.goto(notebook.address.removesuffix("?reset"))
    notebook.wait_for_kernel()
    missing = page.locator(".jp-OutputArea-output:visible:has-text('model not found')")  # other tabs' models are gone
    expect(notebook.headline().or_(missing).first).to_be_visible()
    expect(missing).to_have_count(0)
    notebook.flip("PUT_IF_ABSENT")
    expect(notebook.headline()).to_contain_text("PUT_IF_ABSENT on: ConsistentRead now holds")
    notebook.close()


#: Two promises are broken at once, long before all states are seen.
BROKEN = f"""{IMPORTED}
from workbench.language import *

class Counted(Model):
    a, b, c = Variable(0), Variable(0), Variable(0)

    @action
    def count(self, s):
        name = choose(("a", "b", "c"))
        require(getattr(s, name) < 250)
        setattr(s, name, getattr(s, name) + 1)

    @invariant
    def NothingIsEverLostFromTheTable(self, s):
        return s.a < 2

    @invariant
    def NobodyReadsWhatIsNotCommitted(self, s):
        return s.b < 2

Workbench(Counted)"""


def test_what_a_check_has_found_so_far_stands_beside_how_far_it_is(shared: Notebook, tmp_path: Path) -> None:
    shared.show(BROKEN, part=".wb-headline")
    page = shared.page
    page.wait_for_selector(".wb-headline:has-text('checking') .wb-badge >> nth=2")
    covered = page.evaluate(
        """() => {
            const boxes = [...document.querySelectorAll(".wb-run .wb-badge, .wb-run .wb-progress > *")]
                .map((one) => one.getBoundingClientRect());
            return boxes.filter((a, at) => boxes.slice(0, at).some((b) =>
                a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
        }"""
    )
    page.screenshot(path=tmp_path / "found.png")
    assert covered == 0
    page.click("button:has-text('Stop'):visible")
    expect(page.locator(".wb-progress")).to_contain_text("incomplete: stopped on request")


def test_a_number_that_is_not_accepted_is_put_back(notebook: Notebook) -> None:
    notebook.unfold()
    crashes = notebook.page.locator(".wb-field:has(.wb-label:text-is('MaxCrashes')) input")
    crashes.fill("-7")
    notebook.page.keyboard.press("Enter")
    expect(crashes).to_have_value("0")


FAULT_IN_SIGHT = ["hudi", "paimon", "bakery_v2", "delta", "iceberg"]
OWN = f"""{IMPORTED}
from workbench.protocols.classics.peterson import Peterson

class Own(Peterson):
    pass

panel = Workbench(Own, LevelFirst=False)
panel"""


@pytest.mark.parametrize("name", [*FAULT_IN_SIGHT, "bakery", "two_phase_commit", "own"])
def test_a_story_and_the_switches_share_one_small_screen(shared: Notebook, name: str) -> None:
    """What one sees in the first ten seconds: nothing of it is cut, and nothing has to be scrolled."""
    shared.show(OWN if name == "own" else NOTEBOOK.replace("v2_async", name), height=800)
    notebook, page = shared, shared.page
    expect(notebook.headline()).to_contain_text("violated")
    marked = "[data-fault]" if name in FAULT_IN_SIGHT else ":is([data-fault], [data-change])"
    fault = page.locator(f".wb-player {marked}").first
    expect(fault).to_be_visible()
    notebook.settle()
    page.evaluate("document.querySelector('.wb-panel').scrollIntoView()")
    parts = [".wb-headline", ".wb-what-if .wb-switch", ".wb-player .wb-said", ".wb-strip", ".wb-player .wb-picture"]
    for part in [*parts, ".wb-moves .wb-note"]:
        expect(page.locator(part).first).to_be_in_viewport(ratio=0.97)
    expect(fault).to_be_in_viewport(ratio=0.9)
    expect(page.locator(".wb-said .wb-wrong-here").first).to_be_in_viewport(ratio=1)
    told = page.locator(".wb-told").first
    assert told.evaluate("told => told.scrollHeight <= told.clientHeight && told.scrollWidth <= told.clientWidth")
    notebook.assert_fits()


def test_after_a_repair_nothing_moves_and_the_story_says_what_is_otherwise(shared: Notebook) -> None:
    shared.show(PAIMON, height=800)
    notebook, page = shared, shared.page
    tops = """() => [...document.querySelectorAll(".wb-near .wb-switch, .wb-player > .wb-bar, .wb-player .wb-picture")]
        .map((part) => Math.round(part.getBoundingClientRect().top
            - document.querySelector(".wb-panel").getBoundingClientRect().top))"""
    said = page.locator(".wb-said")
    expect(said.locator(".wb-wrong-here")).to_contain_text("ConsistentRead(jack, 1) violated")
    expect(page.locator(".wb-hint.wb-good")).to_have_count(2)
    notebook.settle()
    before = page.evaluate(tops)
    for steps in range(8):
        page.locator(".wb-player .wb-dot").nth(steps).click()
        expect(page.locator(".wb-where")).to_contain_text(f"State {steps + 1} of 9")
        assert page.evaluate(tops) == before
    notebook.flip("PUT_IF_ABSENT")
    expect(said.locator(".wb-right-here")).to_contain_text("Now it differs: next, w1: Prepare the snapshot that")
    expect(page.locator(".wb-hint.wb-bad")).not_to_have_count(0)
    assert page.evaluate(tops) == before
    notebook.flip("PUT_IF_ABSENT")
    expect(said.locator(".wb-wrong-here")).to_contain_text("ConsistentRead(jack, 1) violated")
    expect(page.locator(".wb-story[aria-pressed=true]")).to_have_text("Overwritten snapshot")
    expect(page.locator(".wb-hint.wb-good")).to_have_count(2)
    assert page.evaluate(tops) == before
    assert page.evaluate(STOPS) == 15, "a story, a verdict, nine switches, a tab, and of the player itself three"
    page.keyboard.press("Control+b")  # the file browser would leave the panel no room there
    for width, height in ((640, 400), (390, 844)):  # 1280 x 800 at 200 %, and a phone
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator(".jp-FileBrowser")).to_be_hidden()
        notebook.settle()
        page.evaluate("document.querySelector('.wb-panel').scrollIntoView()")
        for part in (".wb-headline", ".wb-verdict[aria-pressed=true]"):
            expect(page.locator(part).first).to_be_in_viewport(ratio=0.97)
        expect(page.locator(".wb-player .wb-picture")).to_be_in_viewport(ratio=0.7)
        notebook.assert_fits()
    page.keyboard.press("Control+b")


def test_a_large_window_has_the_lanes_and_the_moves_beside_the_picture(shared: Notebook) -> None:
    shared.show(NOTEBOOK, width=1920, height=1080)
    notebook, page = shared, shared.page
    lanes = page.locator(".wb-player .wb-lanes > svg")
    expect(lanes).to_be_visible()
    notebook.settle()
    notebook.assert_fits()
    page.wait_for_function(
        """() => {
            const [picture, lanes, moves] = ["picture", "lanes", "moves"]
                .map((part) => document.querySelector(`.wb-player .wb-${part}`).getBoundingClientRect());
            return picture.right <= Math.min(lanes.left, moves.left) && lanes.bottom <= moves.top
                && moves.height > 20 && moves.bottom <= picture.bottom + 1;
        }"""
    )
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(lanes).to_be_hidden()
    page.set_viewport_size({"width": 853, "height": 533})
    notebook.assert_fits()


def test_a_narrow_window_shows_first_what_is_violated(shared: Notebook) -> None:
    """The list of verdicts has two lines there, and is scrolled; the story of this panel violates the last one."""
    shared.show(f'{IMPORTED}\nWorkbench("bakery")', width=640, height=400)
    page = shared.page
    violated = page.locator(".wb-verdict[aria-pressed=true]")
    expect(violated).to_contain_text("NonCrashedProgress")
    page.locator(".wb-headline").evaluate("line => line.scrollIntoView()")
    expect(violated).to_be_in_viewport(ratio=0.95)
    expect(page.locator(".wb-moves")).to_contain_text("only bookkeeping is left")


def test_the_graph_and_the_charts_are_there_soon(notebook: Notebook, record_property: Any) -> None:
    page = notebook.page
    expect(notebook.headline()).not_to_contain_text("checking")  # with what was found the next one is compared
    notebook.count("Writers", -1)
    expect(notebook.headline()).to_contain_text("Writers")
    flips = [round(notebook.flip("RestampPatch")) for _ in range(5)]
    states = page.locator(".wb-progress").inner_text().partition(",")[0]
    print(f"\nfrom click to verdict, with {states}: {flips} ms")
    record_property("milliseconds_from_click_to_verdict_of_a_small_space", flips)
    times = {}
    for tab, shown in (("Numbers", ".wb-tabs figure >> nth=2"), ("Graph", ".wb-tabs .wb-graph svg")):
        began = time.perf_counter()
        notebook.open(tab)
        page.wait_for_selector(shown)
        times[tab] = round(1000 * (time.perf_counter() - began))
    record_property("milliseconds_until_a_tab_is_filled", times)
    print(f"until a tab is filled the first time: {times}")


def test_a_graph_opens_on_the_trace_and_is_zoomed_moved_searched_and_shows_pictures(notebook: Notebook) -> None:
    page = notebook.page
    notebook.open("Graph")
    page.click("button:text-is('trace and alternatives')")
    page.wait_for_selector(".wb-graph[tabindex] g.node[tabindex]")  # its script has run
    graph, drawn = page.locator(".wb-graph"), page.locator(".wb-graph svg").first

    def in_sight(node: str) -> bool:
        inside = """(node, box) => {
            const [at, within] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
            return at.top >= within.top - 1 && at.bottom <= within.bottom + 1 && at.left >= within.left - 1;
        }"""
        return page.locator(node).first.evaluate(inside, graph.element_handle())

    assert in_sight(".wb-graph g.node[data-marks~=trace] >> nth=0") or in_sight(
        ".wb-graph g.node[data-marks~=violating]"
    )
    assert graph.bounding_box()["height"] <= page.viewport_size["height"] - 300
    page.hover(".wb-graph g.node >> nth=0")
    page.wait_for_selector(".wb-peek:popover-open [data-picture=bakery_v2]")
    before = drawn.bounding_box()["width"]
    page.click(".wb-zoom button:text-is('+')")
    assert drawn.bounding_box()["width"] > 1.2 * before
    graph.focus()
    page.keyboard.press("-")
    assert abs(drawn.bounding_box()["width"] - before) < 2
    graph.hover()
    page.mouse.wheel(0, -200)
    page.wait_for_function("(before) => document.querySelector('.wb-graph svg').clientWidth > 1.2 * before", arg=before)
    page.click(".wb-zoom button:text-is('Fit')")
    assert graph.evaluate("box => box.scrollHeight <= box.clientHeight + 1 && box.scrollWidth <= box.clientWidth + 1")
    for _ in range(8):
        page.click(".wb-zoom button:text-is('+')")
    page.fill(".wb-legend input[type=search]", "start(w1)")
    page.fill(".wb-legend input[type=search]", "WaitAcks")
    assert in_sight(".wb-graph g.node:not(.wb-dimmed)")
    page.fill(".wb-legend input[type=search]", "")
    page.click(".wb-options .wb-tick:has-text('pictures')")
    page.wait_for_selector(".wb-graph g.node [data-picture=bakery_v2]")
    page.click(".wb-options .wb-tick:has-text('pictures')")
    page.wait_for_selector(".wb-graph:not(:has([data-picture]))")


#: The number of times that Tab is pressed on the way to the picture, from above the panel.
STOPS = """() => {
    const picture = document.querySelector(".wb-player .wb-picture");
    const stops = [...document.querySelectorAll(":is(.wb-panel *):is(button, input, select, summary, [tabindex])")];
    return stops.filter((one) => one.tabIndex >= 0 && one.checkVisibility() && !one.disabled
        && (one === picture || one.compareDocumentPosition(picture) & Node.DOCUMENT_POSITION_FOLLOWING)).length;
}"""


def test_everything_can_be_done_with_the_keyboard(notebook: Notebook) -> None:
    page = notebook.page
    page.evaluate("() => { const panel = document.querySelector('.wb-panel'); panel.tabIndex = -1; panel.focus(); }")

    def tab_to(selector: str) -> None:
        page.wait_for_selector(f"{selector}:visible")
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"the keyboard does not reach {selector}")

    def wait_for_focus(send: str) -> None:
        page.wait_for_function("(send) => document.activeElement.dataset.send === send", arg=send)

    tab_to(".wb-what-if label:nth-of-type(3) input")
    page.keyboard.press("Space")
    expect(notebook.headline()).to_contain_text("RestampPatch off: NoLakekeeperConflict now fails")
    expect(page.locator("[role=status]:has-text('NoLakekeeperConflict now fails')")).to_have_count(1)
    tab_to(".wb-panel > div > div > .wb-fold > summary")
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-switch:has-text('UniqueTickets')")
    page.evaluate("() => document.querySelector('.wb-panel').focus()")
    tab_to(".wb-verdict[aria-pressed=true]")
    names = page.locator(".wb-verdict").evaluate_all("(all) => all.map((one) => one.dataset.send)")
    assert names[-1] == "EveryoneCommits"
    for name in names[1:]:  # the arrow keys lead from one verdict to the next, and Tab past all
        page.keyboard.press("ArrowRight")
        wait_for_focus(name)
    page.keyboard.press("b")  # in a notebook: another cell
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-verdict[data-send=EveryoneCommits][aria-pressed=true]")
    wait_for_focus("EveryoneCommits")
    assert page.locator(".jp-Notebook .jp-CodeCell").count() == 1
    tab_to(".wb-transport button[tabindex='0']")
    for key, name in (("ArrowLeft", "previous step"), ("ArrowRight", "play"), ("ArrowRight", "an address")):
        page.keyboard.press(key)
        expect(page.locator(f".wb-transport [tabindex='0']:is([title^='{name}'], summary)")).to_be_focused()
    page.focus(".wb-tab[aria-selected=true]")
    for key, tab in (("ArrowRight", "Compare"), ("ArrowRight", "Map"), ("ArrowLeft", "Compare")):
        page.keyboard.press(key)
        expect(page.locator(f".wb-tab[tabindex='0'][aria-selected=true]:text-is('{tab}')")).to_be_focused()


def test_a_panel_without_its_kernel_says_what_to_do(notebook: Notebook) -> None:
    page = notebook.page
    assert notebook.complaints == []
    page.click(".lm-MenuBar-itemLabel:text-is('Kernel')")
    page.click(".lm-Menu-itemLabel:text-is('Restart Kernel\u2026')")
    page.click(".jp-Dialog button:has-text('Restart')")
    page.wait_for_selector(".wb-panel.wb-lost")
    said = "getComputedStyle(document.querySelector('.wb-panel'), '::before').content"
    page.wait_for_function(f"() => {said}.includes('run its cell again')")
    notebook.wait_for_kernel()
    notebook.complaints.clear()  # the old one closes widgets, as it ends, that its window has forgotten


SIMULATOR = "from workbench.showing.panel import Simulator\nSimulator('bakery')"
#: The tabs, and what is the last to come there.
CONTENTS = {
    "Story": ".wb-picture[aria-busy=false] [data-picture]",
    "Compare": ".wb-runs [data-picture]",
    "Map": "tr:has(code:text-is('RestampPatch=on')) button",
    "Graph": ".wb-graph svg",
    "Numbers": "figure >> nth=2",
}


def test_every_part_fits_and_is_open_to_assistive_technology(shared: Notebook, tmp_path: Path) -> None:
    """Every tab fits beside the file browser and says nothing to the console, in both themes; with pictures."""
    kept = Path(os.environ.get("WORKBENCH_PICTURES", tmp_path))
    shared.show(NOTEBOOK, SIMULATOR, height=1000)
    notebook, page = shared, shared.page
    notebook.flip("RestampPatch")
    expect(page.locator(".wb-player .wb-link").first).to_contain_text("RestampPatch=false")
    notebook.settle()
    notebook.still()
    page.screenshot(path=kept / "panel-light.png")
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())

    def barriers(where: str) -> list[str]:
        violations = page.evaluate("async (where) => (await axe.run(where)).violations", where)
        bad = [rule for rule in violations if rule["impact"] in ("critical", "serious")]
        return [f"{rule['id']}: {node['html']}" for rule in bad for node in rule["nodes"]]

    # The body has no height in JupyterLab: axe takes all in it for hidden.
    high = page.add_style_tag(content="body { height: 100vh }")
    page.set_viewport_size({"width": 1280, "height": 2600})
    assert page.locator(".wb-tabs [role=tab]").all_inner_texts() == list(CONTENTS)
    page.wait_for_selector(".jp-Cell:has-text('Simulator') .wb-moves")
    for theme in ("Light", "Dark"):
        if theme == "Dark":
            notebook.menu("Settings", "Theme", "JupyterLab Dark")
        light = "true" if theme == "Light" else "false"
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", light)
        for tab, shown in CONTENTS.items():
            notebook.open(tab)
            page.wait_for_selector(f".wb-tabs {shown} >> visible=true")
            notebook.settle()
            notebook.assert_fits()
            notebook.still()
            page.locator(".wb-tabs").screenshot(path=tmp_path / f"{tab.lower()}-{theme.lower()}.png")
            assert barriers(".wb-panel") == [], (theme, tab)
        assert barriers(".jp-Cell:last-of-type .wb-panel") == [], theme
        faint = page.add_style_tag(content=".wb-panel .wb-label { color: #808080 !important; background: #8a8a8a }")
        assert any(barrier.startswith("color-contrast") for barrier in barriers(".wb-panel")), theme
        faint.evaluate("(style) => style.remove()")
    high.evaluate("(style) => style.remove()")


BOXED = f"""{IMPORTED}
from IPython.display import display
from ipywidgets import HBox, IntSlider, VBox, link
from workbench import Switches, TracePlayer, Verdicts
panel = Workbench("bakery", Writers=2, LazyReap=False)
display(panel)
panel.wait()
switches = Switches("bakery", "LazyReap", "MaxCrashes", Writers=2, LazyReap=False)
slider = IntSlider(panel.step, 0, len(panel.session.story) - 1, description="step")
linked = link((switches, "value"), (panel, "constants")), link((slider, "value"), (panel, "step"))
VBox([HBox([switches, Verdicts(panel=panel)]), slider, TracePlayer(panel=panel)])"""


def test_parts_in_boxes_follow_a_panel_and_leave_their_neighbours_alone(shared: Notebook, tmp_path: Path) -> None:
    """Boxes are a notebook's author's; the panel that the parts belong to is above them."""
    shared.show(BOXED, height=800)
    page = shared.page
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


@pytest.fixture
def repaired(shared: Notebook) -> Notebook:
    """The same boxes, with the switch on."""
    if shared.cells != (BOXED,):
        shared.show(BOXED, height=800)
        expect(shared.page.locator(".wb-verdict[aria-label='NonCrashedProgress violated']")).to_have_count(2)
        shared.page.locator(".wb-screen .wb-switch:has-text('LazyReap') input").click()
    expect(shared.page.locator(".wb-verdict[aria-label='NonCrashedProgress holds']")).to_have_count(2)
    return shared


def test_the_copy_in_the_notebook_is_of_the_panel_as_somebody_has_left_it(repaired: Notebook) -> None:
    page = repaired.page
    row = page.locator(".jp-Cell >> nth=0").locator(".wb-kept tr:has-text('NonCrashedProgress')").first
    for word in ("violated", "holds"):
        page.locator(".wb-screen .wb-switch:has-text('LazyReap') input").click()
        expect(page.locator(f".wb-verdict[aria-label='NonCrashedProgress {word}']")).to_have_count(2)
        page.mouse.move(5, 5)
        expect(row).to_contain_text(word)


def test_after_a_shut_down_a_click_is_taken_back_and_the_panel_says_so(repaired: Notebook) -> None:
    page = repaired.page
    repaired.menu("Kernel", "Shut Down Kernel")
    page.wait_for_selector(".jp-KernelName:has-text('No Kernel')")
    switch = page.locator(".wb-screen .wb-switch:has-text('LazyReap') input")
    expect(switch).to_be_checked()
    switch.click()
    page.wait_for_selector(".wb-panel.wb-lost .wb-screen")
    expect(switch).to_be_checked()
