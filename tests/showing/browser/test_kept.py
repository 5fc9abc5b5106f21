"""What a person has typed, selected, focused or opened in a panel stays there, whatever the panel draws meanwhile.

What the kernel answers is held back here, as by a slow one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import Lab, Notebook, until
from tests.playing import plays
from tests.showing.browser.holding import HELD, answered, heard, held

pytestmark = pytest.mark.browser
PLAYER = ".wb-player:visible"
CELLS = (
    "from workbench.showing.panel import Workbench\n"
    'panel = Workbench("bakery_v2", Writers=2, AsyncParquet=True, RestampPatch=False)\npanel',
    """
from workbench.showing.pictures.markup import Markup
from workbench.showing.panel.parts import Part, copied
from workbench.showing.panel.surface import Surface
class Clicked(Part):
    clicks, said = 0, {"a": "", "b": ""}
    def markup(self):
        clicks = self.clicks
        boxes = "".join(f'<input type="checkbox" data-send="{name}" {ticked}>' for name, ticked in self.said.items())
        once = "" if clicks > 1 else '<button data-send="once">once</button>'
        box = f'<div class="wb-scroll" style="height: 40px; overflow: auto"><p style="height: 400px">{clicks}</p></div>'
        unfolds = f"<details><summary>{clicks} clicks</summary>{clicks}</details>"
        more = f'<button data-send="more">{clicks}</button>'
        return Markup(f'<div>{box}{unfolds}{more}{once}{boxes}</div>{copied("Copy", "1 + 1", "")}')
    def receive(self, sent, value):
        if value is not None:
            self.said[sent] = "checked" if value else ""
        self.clicks = 2 if value is not None else 1 if sent == "more" else 3
        self.draw()
Surface(Clicked())""",
)


@pytest.fixture
def notebook(shared: Notebook) -> Notebook:
    """One panel for all tests: each of them leaves it as it was, apart from what it is about."""
    if shared.cells != CELLS:
        shared.show(*CELLS, width=2200, height=800)
        shared.page.click(".wb-more > summary")
    return shared


@pytest.fixture
def page(notebook: Notebook) -> Any:
    return notebook.page


@pytest.fixture
def player(notebook: Notebook, page: Any) -> Any:
    """The trace player, with the last state of the trace."""
    notebook.open("Story")
    page.wait_for_selector(f"{PLAYER} > .wb-beside > .wb-picture[aria-busy=false] [data-picture]")
    notebook.settle()
    page.locator(PLAYER).focus()
    page.keyboard.press("End")
    return page.locator(PLAYER)


@contextmanager
def replaced(page: Any, what: str) -> Iterator[None]:
    """Wait until what is there has made place for another one."""
    before = page.query_selector(what)
    yield
    page.wait_for_function("(before) => !before.isConnected", arg=before)


@contextmanager
def narrower(page: Any) -> Iterator[None]:
    """Make the window narrower, until the lanes are drawn for that; and as wide as before, afterwards."""
    size = page.viewport_size
    with replaced(page, f"{PLAYER} .wb-lanes > svg"):
        page.set_viewport_size({**size, "width": size["width"] - 240})
    try:
        yield
    finally:  # the tests that follow count on it
        with replaced(page, f"{PLAYER} .wb-lanes > svg"):
            page.set_viewport_size(size)


def focused(page: Any, what: str) -> Any:
    return page.evaluate(f"() => document.activeElement.{what}")


def test_what_was_put_there_to_be_copied_outlasts_a_window_of_another_width(page: Any, player: Any) -> None:
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    player.locator("button:text-is('Copy link')").click()
    field = player.locator("textarea.wb-copied")
    line = field.input_value()
    player.locator(".wb-filter summary:text-is('all variables')").click()
    field.focus()
    field.evaluate("field => field.select()")
    with narrower(page):
        assert focused(page, "value") == line
        assert field.evaluate("field => field.selectionEnd - field.selectionStart") == len(line)
        assert player.locator(".wb-filter[open] summary").count() == 1
    player.locator(".wb-filter summary:text-is('all variables')").click()
    page.evaluate("delete navigator.clipboard")


def test_the_lanes_stay_where_somebody_has_scrolled_them(page: Any, player: Any) -> None:
    lanes = player.locator(".wb-lanes")
    scrolled = "lanes => new Promise((heard) => { lanes.addEventListener('scroll', heard); lanes.scrollTop = 3; })"
    # Heard, since a window that is made narrower before that has scrolled by itself.
    assert lanes.evaluate(f"{scrolled}.then(() => lanes.scrollTop)") == 3
    with narrower(page):
        assert lanes.evaluate("lanes => lanes.scrollTop") == 3


def test_a_check_box_keeps_the_focus_when_it_is_toggled(page: Any, player: Any) -> None:
    player.locator(".wb-filter summary:text-is('all variables')").click()
    player.locator(".wb-filter input[type=checkbox]").nth(1).focus()
    for said in ("1 of", "all variables"):
        page.keyboard.press("Space")
        player.locator(f".wb-filter summary:has-text('{said}')").wait_for()
        page.wait_for_function("() => document.activeElement.type === 'checkbox'")
    player.locator(".wb-filter summary:text-is('all variables')").click()


def test_switches_show_the_last_click_whatever_is_said_of_those_before_it(page: Any, notebook: Notebook) -> None:
    safe, early = (page.locator(f".wb-switch:has-text('{name}') input") for name in ("SafeAcks", "AsyncParquet"))

    def ticked() -> list[bool]:
        return [safe.is_checked(), early.is_checked()]

    assert ticked() == [True, True]
    with held(page):
        safe.click()
        heard(page, 1)
        early.click()
        safe.click()
        assert ticked() == [True, False]
        heard(page, 3)
        for _ in range(page.evaluate("held.length")):
            page.evaluate("held.shift().hear()")
            assert ticked() == [True, False]
    # Else nothing has changed in the end. A kernel that has checked what the second click set says what the third did.
    said = page.locator(".wb-headline:has-text('AsyncParquet off'), .wb-headline:has-text('SafeAcks on')")
    said.wait_for()
    assert ticked() == [True, False]
    early.click()
    page.wait_for_selector(".wb-headline:has-text('AsyncParquet on')")
    assert ticked() == [True, True]


def test_what_is_typed_while_a_watch_is_added_stays(page: Any, player: Any) -> None:
    field = player.locator(".wb-watch")
    field.fill("len(s.iceberg)")
    with held(page):
        page.keyboard.press("Enter")
        answered(page, '"watched": "len')
        field.fill("len(s.iceberg) > 1")
    player.locator(".wb-link code:has-text('watch=len')").wait_for()
    player.locator(".wb-watched code:text-is('len(s.iceberg)')").wait_for()
    field.press("Enter")
    player.locator(".wb-watched code:text-is('len(s.iceberg) > 1')").wait_for()
    page.wait_for_function("(field) => field.value === ''", arg=field.element_handle())
    for _ in range(2):
        remove = player.locator(".wb-watched .wb-remove >> nth=0").element_handle()
        remove.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("(button) => !button.isConnected", arg=remove)
        assert focused(page, "classList.contains('wb-player')"), "the keys go on stepping"


def test_what_is_searched_in_a_graph_outlasts_another_drawing(page: Any, notebook: Notebook) -> None:
    notebook.open("Graph")
    field = page.locator(".wb-legend input[type=search]")
    field.fill("iceberg")
    field.focus()
    with replaced(page, ".wb-graph"):
        variables = page.locator(".wb-options select[multiple]")  # which takes no focus like this
        variables.evaluate("""list => {
            for (const option of list.options) option.selected = option.text === "iceberg";
            list.dispatchEvent(new Event("change", { bubbles: true }));
        }""")
    assert field.input_value() == "iceberg"
    assert focused(page, "type") == "search"
    assert page.locator(".wb-legend .wb-note:has-text('found')").count() == 1
    assert page.locator(".wb-graph .wb-dimmed").count() == 0, "all nodes show what is searched now"


def test_a_picture_is_that_of_the_state_also_if_somebody_steps_while_pictures_come(page: Any, player: Any) -> None:
    picture = player.locator(":scope > .wb-beside > .wb-picture > [data-picture]")
    labels = []
    for key in ("ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
        labels.append(picture.get_attribute("aria-label"))
    assert labels[0] != labels[1]
    packed = '"packed": "H'
    toggle = player.locator(".wb-filter input[type=checkbox] >> nth=0")
    with held(page, packed):
        toggle.evaluate("box => box.click()")
        answered(page, packed)
        page.keyboard.press("ArrowUp")
        heard(page, 1)
    drawn = picture.locator("..").element_handle()
    page.wait_for_function("([box, label]) => box.firstElementChild.ariaLabel === label", arg=[drawn, labels[0]])
    toggle.evaluate("box => box.click()")
    player.locator("summary:text-is('all variables')").wait_for(state="attached")


def test_html_that_changes_leaves_alone_what_stays_the_same(page: Any, notebook: Notebook) -> None:
    pane = page.locator(".wb-panel").nth(1)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    pane.locator("button:text-is('Copy')").click()
    page.evaluate("delete navigator.clipboard")
    pane.locator("details").evaluate("details => details.open = true")
    pane.locator(".wb-scroll").evaluate("box => box.scrollTop = 30")
    pane.locator("[data-send=more]").evaluate("button => button.click()")
    pane.locator("summary:text-is('1 clicks')").wait_for()
    assert focused(page, "value") == "1 + 1"
    assert focused(page, "selectionEnd") == len("1 + 1")
    assert pane.locator("details").evaluate("details => details.open")
    assert pane.locator(".wb-scroll").evaluate("box => box.scrollTop") == 30

    once = pane.locator("[data-send=once]")
    once.focus()
    page.keyboard.press("Enter")
    once.wait_for(state="detached")
    assert focused(page, "dataset.part !== undefined"), "the keyboard goes on from here"

    boxes = pane.locator("input[type=checkbox]")
    with held(page):
        boxes.nth(0).click()
        heard(page, 1)
        boxes.nth(1).click()
        heard(page, 2)
        for _ in range(page.evaluate("held.length")):
            page.evaluate("held.shift().hear()")
            assert [box.is_checked() for box in boxes.all()] == [True, True]


# The next morning ----------------------------------------------------------------------------------------------------

SHOWS = (
    "from workbench import Simulator, TracePlayer, Workbench, check\n"
    "from workbench.showing.lessons import predict\n"
    "from workbench.registry import get_model\n"
    "model = get_model('hudi')(Keys=1, Values=1, MonotonicTs=False)",
    "Workbench(model)",
    "TracePlayer(check(model, ['ConsistentRead'])['ConsistentRead'].trace)",
    "Simulator(model)",
    "predict('Is 1 < 2?', 'yes', 'no')",
)


@pytest.fixture
def evening(shared: Notebook) -> Notebook:
    """A notebook that somebody has worked in and saved; its window is open."""
    if shared.cells != SHOWS:
        shared.show(*SHOWS, height=800)
        page = shared.page
        expect(page.locator(".wb-kept")).to_have_count(len(SHOWS) - 1)
        expect(page.locator(".wb-kept:visible")).to_have_count(0)
        for left in range(2):
            page.locator(".wb-tabs .wb-player").press("ArrowLeft")
            expect(page.locator(".wb-tabs .wb-where")).to_contain_text(f"State {13 - left} of 14")
        expect(page.locator(".wb-hint.wb-good")).not_to_have_count(0)
        saved(shared, 'data-at=\\"11\\"', "everything holds")
    return shared


def saved(notebook: Notebook, *texts: str) -> None:
    """Save the notebook as a person does, with what all of its cells show, and with these texts."""

    def done() -> bool:
        notebook.page.keyboard.press("Control+s")
        kept = notebook.lab.saved(notebook.name)
        return kept.count('class=\\"wb-kept\\"') == len(SHOWS) - 1 and all(text in kept for text in texts)

    until(done, "everything is saved")


@pytest.fixture(scope="module")
def elsewhere(browser: Any) -> Iterator[Any]:
    """Another window."""
    context = browser.new_context(HELD, viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


@contextmanager
def opened(window: Any, lab: Lab, name: str) -> Iterator[Any]:
    """Open a notebook there, the first one by its address, and close it at the end."""
    if window.url == "about:blank":
        window.goto(lab.url(name))
        window.wait_for_selector(".jp-NotebookPanel")
    else:
        window.evaluate("async (path) => { await jupyterapp.commands.execute('docmanager:open', { path }); }", name)
    try:
        yield window.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    finally:
        window.evaluate("() => jupyterapp.shell.currentWidget.close()")


def expect_static(notebook: Any) -> None:
    """What is static is what one sees, and not that there are no widgets."""
    kept = notebook.locator(".wb-kept")
    expect(kept).to_have_count(len(SHOWS) - 1)
    for one in kept.all():
        expect(one).to_be_visible()
    expect(kept.first).to_contain_text("ConsistentRead")
    expect(notebook.locator(".jp-OutputArea-child:has-text('widget'):visible")).to_have_count(0)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_notebook_shows_what_its_panels_showed_when_their_kernel_is_gone(
    lab: Lab, evening: Notebook, elsewhere: Any, tmp_path: Any, theme: str
) -> None:
    name = f"morning{theme}.ipynb"  # and a kernel of its own
    (lab.notebooks / name).write_text(lab.saved(evening.name), encoding="utf-8")
    with opened(elsewhere, lab, name) as notebook:
        change = "(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })"
        elsewhere.evaluate(change, f"JupyterLab {theme}")
        expect_static(notebook)
        expect(notebook.locator(".wb-kept .wb-trace.wb-live").first).to_be_visible()
        shown = notebook.locator(".wb-kept [data-picture=hudi]").first
        expect(shown).to_be_visible()
        expect(shown).to_contain_text("12 w2: Read the latest slice")  # the state that was looked at last
        expect(notebook.locator(".wb-kept").first).to_contain_text("everything holds")  # what a switch would do
        elsewhere.screenshot(path=tmp_path / f"{theme}.png")
        plays(notebook.locator(".wb-kept .wb-player").first, 14)
    lab.end_kernel(name)


def test_what_is_static_is_in_sight_where_widgets_do_not_come(lab: Lab, evening: Notebook, elsewhere: Any) -> None:
    """A kernel that is too busy says nothing of its widgets; whoever opens somebody else's notebook has none."""
    name = "theirs.ipynb"
    theirs = lab.saved(evening.name).replace("import predict", "import predict  # and nobody has signed it")
    (lab.notebooks / name).write_text(theirs, encoding="utf-8")
    with opened(elsewhere, lab, name) as notebook:
        expect(notebook.locator(".jp-OutputArea-output:has-text('ConsistentRead')").first).to_be_visible()
        expect(notebook.locator(".jp-OutputArea-child:has-text('widget'):visible")).to_have_count(0)
    lab.end_kernel(name)
    elsewhere.evaluate("() => { window.from = 'update_states'; }")
    with opened(elsewhere, lab, evening.name) as notebook:
        expect(notebook.locator(".wb-kept").first).to_be_visible()
        expect(notebook.locator(".wb-kept").first).to_contain_text("ConsistentRead")
        answered(elsewhere, "update_states")
    elsewhere.evaluate("() => { window.held = window.from = null; }")
