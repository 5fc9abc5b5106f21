"""Whole state graphs in a browser: on a page of a result, and as a widget that asks its kernel."""

from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import Notebook
from workbench import get_model
from workbench.checking.spaces.space import explore
from workbench.showing import view

pytestmark = pytest.mark.browser
IMPORTS = "from workbench import StateGraph, get_model, state_space"
GRAPH = "graph = StateGraph(state_space(get_model('paimon')(PUT_IF_ABSENT=False)))\ngraph"
LAST = "State 242 of 1,533, depth 9, ConsistentRead violated, on the trace, one step on"


def walk(page: Any) -> None:
    """Through a graph by the keyboard, which says in words where it is."""
    words, canvas = page.locator(".wb-whole-words"), page.locator(".wb-whole canvas")
    expect(words).to_have_text(LAST)
    canvas.focus()
    for key, says in (
        ("ArrowLeft", "State 152 of 1,533, depth 8, on the trace, 2 steps on"),
        ("ArrowRight", LAST),
        ("ArrowRight", "State 359 of 1,533, depth 10, ConsistentRead violated, one step on"),
        ("Home", "State 0 of 1,533, depth 1, on the trace, 4 steps on"),
        ("End", LAST),
        ("ArrowDown", "State 243 of 1,533, depth 9, 2 steps on"),
        ("ArrowUp", LAST),
    ):
        page.keyboard.press(key)
        expect(words).to_have_text(says)


def barriers(page: Any) -> list[str]:
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
    violations = page.evaluate("async () => (await axe.run('.wb-whole')).violations")
    return [f"{rule['id']}: {node['html']}" for rule in violations for node in rule["nodes"]]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_graph_on_a_page_is_walked_zoomed_coloured_and_searched(
    browser: Any, tmp_path: Path, scheme: str, width: int
) -> None:
    file = tmp_path / "graph.html"
    file.write_text(view.page("a graph", view.whole_graph(explore(get_model("paimon")(PUT_IF_ABSENT=False))).html()))
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.goto(file.as_uri())
    walk(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    expect(page.locator(".wb-whole-picture [data-picture=paimon]")).to_have_count(1)
    drawn = page.locator(".wb-whole canvas")
    page.keyboard.press("0")
    frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    shown = f"async (canvas) => {{ await {frames}; return canvas.toDataURL(); }}"
    fitted = drawn.evaluate(shown)
    page.keyboard.press("+")
    assert drawn.evaluate(shown) != fitted
    page.locator(".wb-whole button:text-is('Fit')").click()
    page.mouse.move(1, 1)
    assert drawn.evaluate(shown) == fitted
    page.locator(".wb-whole select").select_option(label="latest")
    expect(page.locator(".wb-whole-legend")).to_contain_text("1: ")
    assert drawn.evaluate(shown) != fitted
    page.locator(".wb-whole input").fill("latest = 2")
    expect(page.locator(".wb-whole-bar .wb-note")).to_contain_text("found")
    page.keyboard.press("Enter")
    expect(page.locator(".wb-whole-values tr:has(td:text-is('latest')) td:last-child")).to_have_text("2")
    page.locator(".wb-whole-steps button").first.click()
    expect(drawn).to_be_focused()
    assert barriers(page) == []
    assert logged == []
    page.close()


def test_the_widget_asks_for_the_picture_of_any_state(shared: Notebook) -> None:
    shared.show(IMPORTS, GRAPH, theme="Dark", part=".wb-whole")
    page = shared.page
    walk(page)
    page.locator(".wb-whole-steps button:has-text('359')").click()
    expect(page.locator(".wb-whole-words")).to_contain_text("State 359 of 1,533")
    expect(page.locator(".wb-whole-picture [data-picture=paimon]")).to_have_count(1)
    assert barriers(page) == []
