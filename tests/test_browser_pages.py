"""Pages that need no kernel, in headless Chromium: traces with their pictures, state graphs, and animated pictures.

The screenshots that docs/pictures.md shows are made here, where a folder for them is given; the others are written
beside them in a temporary folder::

    WORKBENCH_PICTURES=docs/pictures pytest tests/test_browser_pages.py
"""

import os
from pathlib import Path
from typing import Any

import pytest

from workbench import configurations, get_model, view
from workbench.engines.check import check
from workbench.kernel import Trace
from workbench.view.html import portable

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[1]
#: What a window shows: its width, how many of the screen's pixels make one of its own, and the reader's wish.
WINDOWS = {
    "1280": (1280, 1, "light"),
    "1920-dark": (1920, 1, "dark"),
    "150-percent": (853, 1.5, "light"),
    "150-percent-dark": (853, 1.5, "dark"),
    "1280-dark": (1280, 1, "dark"),
    "1920": (1920, 1, "light"),
}
#: Those that documents show.
KEPT = {("hudi", "1280"), ("paimon", "1920-dark"), ("bakery", "1280")}
STORIES = {
    "hudi": ("hudi", {"Keys": 1, "Values": 1, "MonotonicTs": False}, "ConsistentRead"),
    "paimon": (ROOT / "specs" / "paimon" / "dangling.toml", {}, "NoDanglingDeletionVectors"),
    "bakery": ("bakery_v2", {"Writers": 2, "SafeAcks": False}, "EventualProgress"),
}


def story(name: str) -> Trace:
    source, constants, violated = STORIES[name]
    model = configurations.load(source).model if isinstance(source, Path) else get_model(source)(**constants)
    trace = check(model, [violated])[violated].trace
    assert trace is not None
    return trace


@pytest.fixture(scope="module", params=STORIES)
def told(request: pytest.FixtureRequest) -> tuple[str, Trace]:
    return request.param, story(request.param)


class Window:
    """A window on a page in a file, and what its console said."""

    def __init__(self, browser: Any, file: Path, name: str = "1280", **options: Any) -> None:
        width, scale, scheme = WINDOWS[name]
        size = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size, device_scale_factor=scale, color_scheme=scheme, **options)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(file.as_uri())

    def __enter__(self) -> Any:
        return self.page

    def __exit__(self, *_: Any) -> None:
        complaints = self.complaints
        self.context.close()
        assert complaints == []


@pytest.mark.parametrize("window", WINDOWS)
def test_a_story_is_seen_with_its_picture_beside_its_lanes(
    browser: Any, told: tuple[str, Trace], tmp_path: Path, window: str
) -> None:
    """Letters of a picture have 10 px or more, nothing is scrolled sideways, and the arrow keys step."""
    name, trace = told
    file = tmp_path / "story.html"
    file.write_text(view.trace_page(trace), encoding="utf-8")
    with Window(browser, file, window) as page:
        page.wait_for_selector(".wb-live")
        shown = page.locator(".wb-picture > [data-picture]")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if WINDOWS[window][0] >= 1280:  # a window may be narrower than a picture
            assert shown.evaluate("svg => 12 * svg.getScreenCTM().a") >= 9.9
        kept = os.environ.get("WORKBENCH_PICTURES") if (name, window) in KEPT else None
        beside = page.locator(".wb-beside")
        beside.screenshot(path=Path(kept or tmp_path) / f"story-{name}.png")
        label = shown.get_attribute("aria-label")
        page.locator(".wb-trace").focus()
        page.keyboard.press("ArrowUp")
        page.wait_for_function("said => document.querySelector('[data-picture]').ariaLabel !== said", arg=label)
        page.keyboard.press("ArrowDown")
        page.wait_for_function("said => document.querySelector('[data-picture]').ariaLabel === said", arg=label)


@pytest.mark.parametrize("kept", [False, True], ids=["page", "notebook"])
def test_a_state_is_seen_at_its_node(browser: Any, tmp_path: Path, kept: bool) -> None:
    graph = view.alternatives(story("bakery"))
    file = tmp_path / "graph.html"
    file.write_text(portable(graph.html()) if kept else view.page("graph", graph.html()), encoding="utf-8")
    with Window(browser, file) as page:
        page.wait_for_selector("g.node[tabindex]")
        assert page.locator("g.node[tabindex]").count() == len(graph.nodes)
        seen = page.locator(".wb-peek:popover-open [data-picture=bakery_v2]")
        node = page.locator("g.node[data-node='3']")
        node.hover()
        assert graph.draw is not None
        assert seen.get_attribute("aria-label") == graph.draw("3").label
        box, at = seen.bounding_box(), node.bounding_box()
        assert box["x"] >= at["x"] + at["width"] or box["x"] + box["width"] <= at["x"]
        page.mouse.move(1, 1)
        assert seen.count() == 0
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert seen.count() == 1
        page.keyboard.press("Escape")
        assert seen.count() == 0


@pytest.fixture
def animated(tmp_path: Path) -> tuple[Path, int]:
    trace, file = story("hudi"), tmp_path / "story.svg"
    file.write_text(view.animated_svg(trace, seconds=2), encoding="utf-8")
    return file, len(trace)


FRAMES = "[...document.querySelectorAll('svg > g')].map(frame => getComputedStyle(frame).visibility === 'visible')"


def test_an_animated_picture_shows_one_state_at_a_time(browser: Any, animated: tuple[Path, int]) -> None:
    file, states = animated
    with Window(browser, file) as page:
        for moment in range(states + 2):  # the last one stays longer
            page.evaluate(
                "at => document.getAnimations().forEach(one => { one.pause(); one.currentTime = at; })",
                2000 * moment + 1000,
            )
            shown = [index for index, visible in enumerate(page.evaluate(FRAMES)) if visible]
            assert shown == [min(moment, states - 1)], moment


def test_an_animated_picture_rests_for_who_prefers_that(browser: Any, animated: tuple[Path, int]) -> None:
    file, states = animated
    with Window(browser, file, reduced_motion="reduce") as page:
        assert page.evaluate("document.getAnimations().length") == 0
        assert page.evaluate(FRAMES) == [False] * (states - 1) + [True]


def test_an_animated_picture_is_an_image(browser: Any, animated: tuple[Path, int]) -> None:
    file, _ = animated
    page_of_it = file.with_name("page.html")
    page_of_it.write_text(f'<img src="{file.name}" alt="">', encoding="utf-8")
    with Window(browser, page_of_it) as page:
        assert page.evaluate("document.images[0].decode().then(() => document.images[0].naturalWidth)") > 500
