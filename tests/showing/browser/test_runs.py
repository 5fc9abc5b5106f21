"""Two runs in a browser: on a page, light and dark, wide and narrow, by mouse and by keyboard, and as a widget."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import Notebook
from tests.showing.browser.holding import answered, held
from workbench import get_model
from workbench.checking.check import check
from workbench.showing import view

pytestmark = pytest.mark.browser
PANEL = "from workbench import Workbench\npanel = Workbench('paimon', PUT_IF_ABSENT=False)\npanel"
CELL = """from workbench import Compare, check, get_model
paimon = get_model("paimon")
runs = Compare(*(check(paimon(PUT_IF_ABSENT=value), ["ConsistentRead"]) for value in (False, True)))
runs"""
DIVERGE = "w1: Create the snapshot file, or overwrite it - another effect (PUT_IF_ABSENT off sets snapshots[1]: w0-0 "
SCALES = """[...document.querySelectorAll(".wb-run svg")]
    .map((svg) => svg.clientWidth / svg.viewBox.baseVal.width)"""

IN_SIGHT = """[...document.querySelectorAll("[data-change=differs]")].map((part) => {
    const [at, pane] = [part, part.closest(".wb-picture")].map((box) => box.getBoundingClientRect());
    return at.left >= pane.left && at.right <= pane.right;
})"""


@pytest.mark.parametrize(("scheme", "width", "bands"), [("light", 1280, 1), ("dark", 390, 2)])
def test_a_page_of_two_runs_opens_where_they_diverge(
    browser: Any, tmp_path: Path, scheme: str, width: int, bands: int
) -> None:
    paimon = get_model("paimon")
    results = (check(paimon(PUT_IF_ABSENT=value), ["ConsistentRead"]) for value in (False, True))
    file = tmp_path / "runs.html"
    file.write_text(view.page("two runs", view.compare(*results, ("PUT_IF_ABSENT off", "PUT_IF_ABSENT on")).html()))
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    asked: list[str] = []
    logged: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.goto(file.as_uri())
    strip, said = page.locator(".wb-runs-strip"), page.locator(".wb-runs-at .wb-sentence")
    expect(said).to_contain_text(f"9. {DIVERGE}")
    expect(strip.locator("text:text-is('w1')")).to_have_count(bands)
    one, other = page.evaluate(SCALES)
    assert one == pytest.approx(other, abs=0.01)
    strip.focus()
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text("8. w0: Create the snapshot file, or overwrite it - the same in both")
    expect(page.locator("[data-change=differs]")).to_have_count(0)
    strip.locator(".wb-dot").nth(2).click()
    expect(said).to_have_text("3. w0: Write the row into a new file of level 0 - the same in both")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert (asked, logged) == ([file.as_uri()], [])
    page.close()


def test_a_marked_effect_is_in_sight_where_a_picture_is_wider_than_its_pane(browser: Any, tmp_path: Path) -> None:
    hudi, controls = get_model("hudi"), ("none", "optimistic")
    results = (check(hudi(Values=1, ConcurrencyControl=control), ["ConsistentRead"]) for control in controls)
    file = tmp_path / "runs.html"
    file.write_text(view.page("two runs", view.compare(*results, controls).html()))
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(file.as_uri())
    expect(page.locator("[data-change=differs]")).to_have_count(4)
    page.wait_for_function(f"({IN_SIGHT}).every(Boolean)")
    assert page.evaluate("[...document.querySelectorAll('.wb-run > .wb-picture')].some((pane) => pane.scrollLeft > 0)")
    page.close()


def test_a_switch_and_its_runs_are_two_clicks_and_a_widget_shares_its_step_with_python(shared: Notebook) -> None:
    page = shared.page
    widget = page.locator(".wb-panel:not(:has(.wb-tabs))")
    said = widget.locator(".wb-runs-at .wb-sentence")
    with held(page, '"method": "custom"'):  # a page that is just there asks where its runs stand
        shared.show(CELL, PANEL, part=".wb-runs .wb-dot")
        widget.locator(".wb-dot").nth(5).click()
        answered(page, '"heard": [')
    shared.execute("")
    expect(said).to_have_text("6. w1: Write the row into a new file of level 0 - the same in both")
    shared.execute("runs.step -= 3")
    expect(said).to_have_text("3. w0: Write the row into a new file of level 0 - the same in both")
    shared.flip("PUT_IF_ABSENT")
    page.locator(".wb-tab:text-is('Compare')").click()
    expect(page.locator(".wb-tabs .wb-runs figcaption")).to_contain_text(DIVERGE)
    page.locator(".wb-tabs .wb-runs-strip").focus()
    page.keyboard.press("Home")
    expect(page.locator(".wb-tabs .wb-runs-at .wb-sentence")).to_have_text("1. initial state - the same in both")
