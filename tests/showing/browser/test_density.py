"""Densities in a browser: by mouse and by keyboard, light and dark, wide and narrow, and as a widget with a player."""

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
IMPORTS = "from workbench import Density, get_model, state_space"
CELL = "Density(state_space(get_model('paimon')(PUT_IF_ABSENT=False)))"
WHOLE = "1,533 states, 504 of them (33 %) violate ConsistentRead"


def barriers(page: Any) -> list[str]:
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
    violations = page.evaluate("async () => (await axe.run('.wb-density')).violations")
    return [f"{rule['id']}: {node['html']}" for rule in violations for node in rule["nodes"]]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)])
def test_a_density_on_a_page_counts_exactly_what_is_selected(
    browser: Any, tmp_path: Path, scheme: str, width: int
) -> None:
    space = explore(get_model("paimon")(PUT_IF_ABSENT=False))
    wrong = ~space.holds("ConsistentRead")
    file = tmp_path / "density.html"
    file.write_text(view.page("a density", view.density(space).html()))
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.goto(file.as_uri())
    words, canvas, table = page.locator(".wb-whole-words"), page.locator("canvas"), page.locator(".wb-density-found")
    expect(words).to_have_text(WHOLE)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    box = canvas.bounding_box()
    left = min(196, box["width"] * 0.32)
    across = (box["width"] - left - 8) / 17

    def at(depth: int) -> tuple[float, float]:
        return left + (depth - 0.5) * across, 20

    canvas.hover(position=dict(zip("xy", at(9), strict=True)))
    page.mouse.down()
    canvas.hover(position=dict(zip("xy", at(11), strict=True)))
    page.mouse.up()
    inside = (space.levels >= 9) & (space.levels <= 11)
    size, bad = int(inside.sum()), int((inside & wrong).sum())
    selected = f"{size} of 1,533 states selected, {bad} of them ({round(100 * bad / size)} %) violate ConsistentRead"
    expect(words).to_have_text(selected)
    expect(table.locator("thead th")).to_have_count(5)
    expect(table.locator("thead")).to_contain_text("\N{HEAVY BALLOT X}")
    assert table.locator("tbody tr").first.get_attribute("class") == "wb-differs"
    assert barriers(page) == []
    page.locator(".wb-density-lenses summary:has(b:text-is('pc'))").click()
    value = page.locator(".wb-density-lenses details:has(b:text-is('pc')) button").first
    count = value.locator(".wb-number").inner_text()
    value.click()
    expect(words).to_contain_text(f"{count} of 1,533 states selected")
    page.locator("button:text-is('Clear')").click()
    expect(canvas).to_be_focused()
    expect(words).to_have_text(WHOLE)
    expect(table).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(words).to_contain_text("Depth 1, manifest = 6 -: 1 state, 0 of them (0 %) violate ConsistentRead; the trace")
    page.keyboard.press("Shift+ArrowRight")
    expect(words).to_contain_text(" of 1,533 states selected")
    page.keyboard.press("Enter")
    expect(table).to_be_visible()
    page.keyboard.press("Escape")
    expect(words).to_have_text(WHOLE)
    page.locator(".wb-density select").select_option(label="log (78 %, read by the property)")
    page.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    expect(words).to_contain_text("Depth 1, log = ")
    assert barriers(page) == []
    assert logged == []
    page.close()


def test_the_widget_plays_to_a_state(shared: Notebook) -> None:
    shared.show(IMPORTS, CELL, theme="Dark", part=".wb-density")
    page = shared.page
    expect(page.locator(".wb-density .wb-whole-words")).to_have_text(WHOLE)
    page.locator(".wb-density canvas").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".wb-density-found button").first.click()
    expect(page.locator(".wb-panel:has(.wb-density) .wb-player [data-picture=paimon]")).to_have_count(1)
    assert barriers(page) == []
