"""The trace player in a real JupyterLab: watches, search, lessons, keys, and copying."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import Notebook

pytestmark = pytest.mark.browser
PLAYER = ".wb-player:visible"
CELLS = (
    'from workbench.showing.panel import Workbench\npanel = Workbench("v2_async", RestampPatch=False)\npanel',
    "1 + 1",
)


@pytest.fixture
def opened(shared: Notebook) -> Notebook:
    """One panel for all tests: each of them leaves the player as it was, apart from what it is about."""
    if shared.cells != CELLS:
        shared.show(*CELLS, width=1920, height=1080, theme="Dark")
        shared.open("Story")
        shared.page.click(f"{PLAYER} .wb-more > summary")
    return shared


@pytest.fixture
def page(opened: Notebook, tmp_path: Path) -> Iterator[Any]:
    """All pictures are there, the last state of the trace is shown, and the player has the focus."""
    opened.settle()
    opened.page.locator(PLAYER).focus()
    opened.page.keyboard.press("End")
    expect_at(opened.page, "State 22 of 22: ")
    yield opened.page
    opened.page.screenshot(path=tmp_path / "end.png")


def expect_at(page: Any, text: str) -> None:
    expect(page.locator(f"{PLAYER} .wb-where")).to_contain_text(text)


def test_keys_of_the_notebook_are_kept_out_of_a_panel(page: Any) -> None:
    cells = page.locator(".jp-Notebook .jp-Cell")
    before = cells.count()
    places = [PLAYER, f"{PLAYER} .wb-button >> nth=0", ".wb-verdict >> nth=0", ".wb-switch input >> nth=0"]
    for place in [*places, ".wb-tabs [role=tab][aria-selected=true]"]:
        page.locator(place).focus()
        for key in ("b", "a", "d"):
            for _ in range(2):
                page.keyboard.press(key)
        page.wait_for_timeout(150)  # for what must not happen: cells that come or go
        assert cells.count() == before, place
    find = page.locator(f"{PLAYER} .wb-find")
    find.fill("")
    find.focus()
    page.keyboard.type("adding b")
    expect(find).to_have_value("adding b")
    find.fill("")
    page.locator(PLAYER).focus()
    page.keyboard.press("ArrowUp")
    expect_at(page, "State 21 of 22")
    assert cells.count() == before


def test_keys_with_ctrl_are_still_the_notebooks(page: Any) -> None:
    page.locator(PLAYER).focus()
    page.keyboard.press("Control+Shift+c")
    page.wait_for_selector(".lm-CommandPalette-input")
    page.keyboard.press("Escape")


def test_a_person_watches_an_expression(page: Any, tmp_path: Path) -> None:
    field = page.locator(f"{PLAYER} .wb-watch")
    expect(field).to_have_attribute("placeholder", re.compile(r"s\."))
    field.fill("len(s.icebreg)")
    page.keyboard.press("Enter")
    mistake = page.locator(f"{PLAYER} .wb-mistake:visible")
    expect(mistake).to_contain_text("did you mean")
    expect(field).to_have_value("len(s.icebreg)")  # what was refused can be corrected
    for text in ("len(s.iceberg)", "len(s.iceberg) > 1"):
        field.fill(text)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"{PLAYER} .wb-watched code:text-is('{text}')")
        expect(field).to_have_value("")
    expect(mistake).to_have_count(0)
    watched, rows = page.locator(f"{PLAYER} .wb-watched"), page.locator(f"{PLAYER} .wb-watched .wb-remove")
    expect(watched).to_contain_text("a number")
    expect(page.locator(f"{PLAYER} .wb-link code")).to_contain_text("watch=len")
    where = page.locator(f"{PLAYER} .wb-where")

    def jump(word: str) -> int:
        before = where.inner_text()
        watched.locator(f"[data-jump='len(s.iceberg) > 1 {word}']").click()
        expect(where).not_to_have_text(before)
        return int(where.inner_text().split()[1])

    first = jump("first")
    expect(watched.locator("code.wb-new")).to_have_text(["2", "TRUE"])
    expect(watched.locator("[data-jump='len(s.iceberg) > 1 previous']")).to_be_disabled()
    assert jump("next") == first + 1
    assert jump("previous") == first
    assert jump("last") == 22
    page.click(f"{PLAYER} .wb-watched-all summary")
    page.locator(f"{PLAYER} .wb-watched-all tbody tr >> nth={first - 1}").click()
    expect_at(page, f"State {first} of")
    page.locator(PLAYER).screenshot(path=tmp_path / "watches.png")

    expect(rows).to_have_count(2)
    rows.first.click()
    expect(rows).to_have_count(1)
    rows.first.click()
    expect(rows).to_have_count(0)


def test_a_step_is_found(page: Any, tmp_path: Path) -> None:
    page.keyboard.press("Home")
    field, found = page.locator(f"{PLAYER} .wb-find"), page.locator(f"{PLAYER} .wb-found")
    field.fill("COMMIT(w")
    expect(found).to_have_text("2 found")
    page.keyboard.press("Enter")
    expect_at(page, "commit(w1)")
    expect(found).to_have_text("1 of 2")
    page.keyboard.press("Enter")
    expect_at(page, "State 22 of 22: commit(w2)")
    page.keyboard.press("Enter")
    expect_at(page, "commit(w1)")  # after the last hit the first one comes again
    page.keyboard.press("Shift+Enter")
    expect_at(page, "commit(w2)")
    field.fill("next_ticket")
    expect(found).to_have_text(re.compile(r"^([2-9]|\d\d+) found"))  # in changed cells
    page.locator(PLAYER).screenshot(path=tmp_path / "found.png")
    field.fill("")
    expect(found).to_have_text("")


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)], ids=["1280", "1920"])
def test_a_lesson_is_given_from_the_player(page: Any, opened: Notebook, tmp_path: Path, size: tuple[int, int]) -> None:
    before = page.viewport_size
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.click(f"{PLAYER} button:text-is('Present')")
    page.wait_for_selector(".wb-present[open] .wb-picture svg")
    opened.still()
    page.screenshot(path=tmp_path / "lesson.png")
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    told = page.locator(".wb-present")
    expect(told).to_contain_text("NoLakekeeperConflict")
    times = page.evaluate(
        """async () => {
            const dialog = document.querySelector(".wb-present"), times = [];
            for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", " ", "b", "b"]) {
                const start = performance.now();
                dialog.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
                times.push(performance.now() - start);
            }
            return times;
        }"""
    )
    print(f"\nfrom key to lesson: {', '.join(f'{t:.0f} ms' for t in times)}")
    expect(told.locator(".wb-where")).to_contain_text("21 of 22")
    for key in ("d", "d", "a"):
        page.keyboard.press(key)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    page.keyboard.press("Escape")
    page.wait_for_selector(".wb-present", state="detached")
    expect_at(page, "State 21 of 22")
    page.set_viewport_size(before)


def test_an_animated_picture_is_saved(page: Any) -> None:
    page.click(f"{PLAYER} summary:text-is('Save')")
    with page.expect_download() as saved:
        page.click(f"{PLAYER} .wb-choices button:has-text('animated')")
    text = saved.value.path().read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "bakery_v2.svg"
    assert text.startswith("<svg")
    assert "@keyframes" in text


def test_a_permalink_is_copied_where_there_is_no_clipboard(page: Any) -> None:
    page.evaluate("navigator.clipboard.writeText('')")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    page.get_by_role("button", name="an address that opens").click()
    field = page.locator(f"{PLAYER} .wb-copied")
    line = field.input_value()
    assert re.match(r"workbench:bakery_v2\?.*&step=\d+$", line)
    assert field.evaluate("field => field.selectionEnd - field.selectionStart") == len(line)
    page.evaluate("delete navigator.clipboard")
    page.wait_for_function("async (line) => await navigator.clipboard.readText() === line", arg=line)


def test_the_picture_keeps_its_place_and_shows_what_matters(page: Any) -> None:
    picture = page.locator(f"{PLAYER} .wb-picture")
    places = set()
    for step in range(22, 1, -1):
        expect_at(page, f"State {step} of")
        places.add(tuple(picture.bounding_box().values()))
        expect(picture.locator("[data-fault], [data-change]").first).to_be_in_viewport()
        page.keyboard.press("ArrowUp")
    assert len(places) == 1, "nothing jumps"


def test_the_fault_has_its_dot_and_a_trace_is_played(page: Any) -> None:
    expect(page.locator(f"{PLAYER} .wb-dot.wb-bad")).to_have_attribute("data-dot", "21")
    page.keyboard.press("ArrowUp")
    expect_at(page, "State 21 of 22")
    page.click(f"{PLAYER} button[title^='play']")
    expect_at(page, "State 22 of 22")


def test_boxes_in_the_lanes_are_dark_on_dark_pages(page: Any) -> None:
    colours = page.locator(f"{PLAYER} .wb-lanes > svg").evaluate(
        """svg => [".wb-paper", ".wb-ink"].map((part) => {
            const colour = getComputedStyle(svg.querySelector(part)).fill.match(/[0-9]+/g).slice(0, 3);
            return colour.reduce((sum, one) => sum + Number(one), 0);
        })"""
    )
    dark = page.evaluate("document.body.dataset.jpThemeLight") == "false"
    paper, ink = colours
    assert (paper < 200 and ink > 500) if dark else (paper > 700 and ink < 200)


def test_the_player_says_what_it_is_and_which_step_is_shown(page: Any) -> None:
    expect(page.locator(PLAYER)).to_have_attribute("aria-label", "trace of bakery_v2")
    expect(page.locator(f"{PLAYER} .wb-said[role=status]")).to_contain_text("Compare-and-swap on the head")
