"""Pages that need no kernel, in headless Chromium: traces with their pictures, state graphs, and animated pictures.

The screenshots that docs/pictures.md shows are made here, where a folder for them is given; the others are written
beside them in a temporary folder::

    WORKBENCH_PICTURES=docs/pictures pytest tests/showing/browser/test_pages.py
"""

import functools
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.lab import PATIENCE
from tests.places import ROOT
from tests.playing import plays
from website.broken import expected
from workbench import get_model
from workbench.checking.check import check
from workbench.formats.permalink import permalink
from workbench.kernel import Trace
from workbench.registry import configurations
from workbench.showing import view
from workbench.showing.view.base.html import portable
from workbench.showing.view.trace.trace import WIDTH
from workbench.tlaplus.machine.specification import module_of_text

pytestmark = pytest.mark.browser

#: What a window shows: its width, how many of the screen's pixels make one of its own, and the reader's wish.
WINDOWS = {
    "1280": (1280, 1, "light"),
    "1920-dark": (1920, 1, "dark"),
    "150-percent": (853, 1.5, "light"),
    "150-percent-dark": (853, 1.5, "dark"),
    "1280-dark": (1280, 1, "dark"),
    "1920": (1920, 1, "light"),
    "phone": (390, 2, "light"),
}
#: Those that documents show.
KEPT = {("hudi", "1280"), ("paimon", "1920-dark"), ("bakery", "1280")}
STORIES = {
    "hudi": ("hudi", {"Keys": 1, "Values": 1, "MonotonicTs": False}, "ConsistentRead"),
    "paimon": (ROOT / "specs" / "paimon" / "dangling.toml", {}, "NoDanglingDeletionVectors"),
    "bakery": ("bakery_v2", {"Writers": 2, "SafeAcks": False}, "EventualProgress"),
}


@functools.cache
def story(name: str) -> Trace:
    source, constants, violated = STORIES[name]
    model = configurations.configuration(source).model if isinstance(source, Path) else get_model(source)(**constants)
    trace = check(model, [violated])[violated].trace
    assert trace is not None
    return trace


@pytest.fixture(scope="module", params=STORIES)
def told(request: pytest.FixtureRequest) -> tuple[str, Trace]:
    return request.param, story(request.param)


class Windows:
    """Windows on pages in files, one of each kind. It takes long to open one, so it stays for the tests that follow."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._free: dict[Any, Any] = {}
        self._complaints: list[str] = []

    @contextmanager
    def showing(self, file: Path, name: str = "1280", **options: Any) -> Iterator[Any]:
        """A page in a window of :data:`WINDOWS`, whose console must have said nothing at the end."""
        width, scale, scheme = WINDOWS[name]
        with self.of((width, 900), scheme, device_scale_factor=scale, **options) as page:
            page.goto(file.as_uri())
            yield page

    @contextmanager
    def of(self, size: tuple[int, int], scheme: str, **options: Any) -> Iterator[Any]:
        """A window of this size that shows some page, with the same care for what its console says."""
        kind = size, scheme, *options.items()
        page = self._free.pop(kind, None)
        if page is None:
            viewport = dict(zip(("width", "height"), size, strict=True))
            page = self._browser.new_context(viewport=viewport, color_scheme=scheme, **options).new_page()
            page.on("console", lambda said: self._complaints.append(said.text))
            page.on("pageerror", lambda error: self._complaints.append(str(error)))
        page.mouse.move(0, 0)
        self._complaints.clear()
        yield page
        page.evaluate("0")  # what the console has said before is heard before its answer
        assert self._complaints == []
        self._free[kind] = page

    def close(self) -> None:
        for page in self._free.values():
            page.context.close()


@pytest.fixture(scope="module")
def windows(browser: Any) -> Iterator[Windows]:
    windows = Windows(browser)
    yield windows
    windows.close()


@pytest.mark.parametrize("window", WINDOWS)
def test_a_story_is_seen_with_its_picture_beside_its_lanes(
    windows: Windows, told: tuple[str, Trace], tmp_path: Path, window: str
) -> None:
    """Letters of a picture have 10 px or more, and nothing is scrolled sideways."""
    name, trace = told
    file = tmp_path / "story.html"
    file.write_text(view.trace_page(trace), encoding="utf-8")
    with windows.showing(file, window) as page:
        page.wait_for_selector(".wb-live")
        shown = page.locator(".wb-picture > [data-picture]")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if WINDOWS[window][0] >= 1280:  # a window may be narrower than a picture
            assert shown.evaluate("svg => 12 * svg.getScreenCTM().a") >= 9.9
        kept = os.environ.get("WORKBENCH_PICTURES") if (name, window) in KEPT else None
        beside = page.locator(".wb-beside")
        beside.screenshot(path=Path(kept or tmp_path) / f"story-{name}.png")


#: The texts of faulty parts that are not in the picture's box, neither in the picture nor repeated below it.
_OUT_OF_SIGHT = """() => {
    const picture = document.querySelector(".wb-picture"), box = picture.getBoundingClientRect();
    const within = ({ left, right, top, bottom }) => left >= box.left && right <= box.right
        && top >= box.top && bottom <= box.bottom;
    const all = new Set(), seen = new Set();
    for (const one of picture.querySelectorAll(":is([data-fault], [data-tone=bad], .wb-repeated) text")) {
        if (!one.closest(".wb-repeated")) all.add(one.textContent);
        if (within(one.getBoundingClientRect())) seen.add(one.textContent);
    }
    return [...all].filter((one) => !seen.has(one));
}"""


#: The configurations of the gallery, by name.
BROKEN = {name: path for name, path in configurations.shipped().items() if "violated" in path.read_text()}


@pytest.mark.parametrize("name", BROKEN)
def test_no_text_of_what_is_at_fault_is_out_of_sight(windows: Windows, tmp_path: Path, name: str) -> None:
    """In the picture, or else repeated below it; large or small, as the page opens."""
    configuration = configurations.configuration(BROKEN[name])
    result = check(configuration.model, expected(configuration), symmetry=configuration.symmetry)
    traces = [verdict.trace for verdict in result.verdicts if verdict.trace is not None]
    assert traces
    file = tmp_path / "page.html"
    for trace in traces:
        file.write_text(view.trace_page(trace), encoding="utf-8")
        for window in ("1280", "phone"):
            with windows.showing(file, window) as page:
                page.wait_for_selector(".wb-live")
                page.wait_for_selector(".wb-picture > svg")
                assert page.evaluate(_OUT_OF_SIGHT) == [], window


#: Two steps; a comment that no page may take for an element.
TICK = r"""---- MODULE Tick ----
EXTENDS Naturals VARIABLE tick
Init == tick = 0
Up == /\ tick = 0  \* <b id="bold">up</b>
      /\ tick' = 1
Down == /\ tick = 1
        /\ tick' = 2
Next == Up \/ Down
Small == tick < 2
===="""


def test_what_is_false_is_marked_in_the_text_and_a_step_leads_to_its_line(windows: Windows, tmp_path: Path) -> None:
    trace = check(module_of_text(TICK, "INIT Init NEXT Next INVARIANT Small")())["Small"].trace
    (file := tmp_path / "tick.html").write_text(view.trace_page(trace), encoding="utf-8")
    with windows.showing(file) as page:
        places, lit = page.locator(".wb-source"), page.locator(".wb-listing li[data-current]")
        false = page.locator(".wb-listing mark")
        expect(false).to_have_text("tick < 2")
        expect(false).to_be_visible()
        expect(places).to_have_text(["Tick.tla:9:10", "Tick.tla:6:9"])
        places.last.click()
        expect(lit).to_have_text("Down == /\\ tick = 1")
        expect(lit).to_be_in_viewport()
        assert places.last.get_attribute("href") == f"#{lit.get_attribute('id')}"
        page.locator(".wb-player").press("ArrowLeft")
        expect(places).to_have_text(["Tick.tla:4:7"])
        expect(false).to_have_count(0)
        expect(lit).to_have_text(TICK.split("\n")[3])
        page.locator(".wb-player").press("Home")
        expect(lit).to_have_count(0)


#: A lock that does not wait.
LOCK = r"""---- MODULE Lock ----
EXTENDS Naturals
(* --algorithm Lock {
  variables free = TRUE;
  process (Worker \in 1..2) {
    take: free := FALSE;
    give: free := TRUE;
  }
} *)
One == ~ \A w \in 1..2 : pc[w] = "give"
===="""


@pytest.mark.parametrize("window", ["1280", "phone"])
def test_an_algorithm_stands_beside_the_picture_with_who_is_at_which_label(
    windows: Windows, tmp_path: Path, window: str
) -> None:
    trace = check(module_of_text(LOCK, "SPECIFICATION Spec INVARIANT One")())["One"].trace
    (file := tmp_path / "lock.html").write_text(view.trace_page(trace), encoding="utf-8")
    with windows.showing(file, window) as page:
        here, lit = (page.locator(f".wb-listing li[data-{name}]") for name in ("here", "current"))
        expect(lit).to_have_text("    take: free := FALSE;")
        assert [(one.inner_text().split(":")[0].strip(), one.get_attribute("data-here")) for one in here.all()] == [
            ("give", "1, 2")
        ]
        beside, lanes = (page.locator(name).bounding_box() for name in (".wb-listings", ".wb-lanes"))
        assert (beside["x"], beside["y"] > lanes["y"]) == (lanes["x"], True)
        page.locator(".wb-player").press("ArrowLeft")
        assert [one.get_attribute("data-here") for one in here.all()] == ["2", "1"]
        page.locator(".wb-player").press("Home")
        assert [one.get_attribute("data-here") for one in here.all()] == ["1, 2"]
        assert here.inner_text().strip().startswith("take")


def test_a_page_plays_a_trace(windows: Windows, told: tuple[str, Trace], tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(view.trace_page(told[1]), encoding="utf-8")
    with windows.showing(file) as page:
        plays(page.locator(".wb-player"), told[1].end + 1)
        page.click(".wb-more > summary")
        page.get_by_label("find in the trace").fill("w1")
        known = sum("w1" in text for text in view.trace_view(told[1]).texts)
        assert known < told[1].end + 1, "labels, sentences and changed cells; w1 is in every state"
        expect(page.locator(".wb-found")).to_have_text(re.compile(rf"^({known} found|\d+ of {known})$"))
        expect(page.locator(".wb-link code")).to_have_text(permalink(told[1]))


@pytest.mark.parametrize("window", ["phone", "1280-dark"])
@pytest.mark.parametrize("whole", [False, True], ids=["trace", "report"])
def test_a_page_is_accessible(windows: Windows, tmp_path: Path, whole: bool, window: str) -> None:
    """With what is folded away, too."""
    result, file = check(story("bakery").model), tmp_path / "page.html"
    watched = view.trace_view(story("bakery"), watches=["len(s.iceberg)"])
    file.write_text(view.report(result) if whole else view.trace_page(watched), encoding="utf-8")
    with windows.showing(file, window, bypass_csp=True) as page:
        page.wait_for_selector(".wb-live")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
        found = page.evaluate("async () => (await axe.run(document, { preload: false })).violations")
        assert [(one["id"], node["target"]) for one in found for node in one["nodes"]] == []


@pytest.mark.parametrize("kept", [False, True], ids=["page", "notebook"])
def test_a_state_is_seen_at_its_node(windows: Windows, tmp_path: Path, kept: bool) -> None:
    graph = view.alternatives(story("bakery"))
    file = tmp_path / "graph.html"
    file.write_text(portable(graph.html()) if kept else view.page("graph", graph.html()), encoding="utf-8")
    with windows.showing(file) as page:
        expect(page.locator("g.node[tabindex]")).to_have_count(len(graph.nodes))
        seen = page.locator(".wb-peek:popover-open [data-picture=bakery_v2]")
        node = page.locator("g.node[data-node='3']")
        node.hover()
        assert graph.draw is not None
        expect(seen).to_have_attribute("aria-label", graph.draw("3").label)
        box, at = seen.bounding_box(), node.bounding_box()
        assert box["x"] >= at["x"] + at["width"] or box["x"] + box["width"] <= at["x"]
        page.mouse.move(1, 1)
        expect(seen).to_have_count(0)
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        expect(seen).to_have_count(1)
        page.keyboard.press("Escape")
        expect(seen).to_have_count(0)


@pytest.fixture
def animated(tmp_path: Path) -> tuple[Path, int]:
    trace, file = story("hudi"), tmp_path / "story.svg"
    file.write_text(view.animated_svg(trace, seconds=2), encoding="utf-8")
    return file, len(trace)


FRAMES = "[...document.querySelectorAll('svg > g')].map(frame => getComputedStyle(frame).visibility === 'visible')"


def test_an_animated_picture_shows_one_state_at_a_time(windows: Windows, animated: tuple[Path, int]) -> None:
    file, states = animated
    with windows.showing(file) as page:
        for moment in range(states + 2):  # the last one stays longer
            page.evaluate(
                "at => document.getAnimations().forEach(one => { one.pause(); one.currentTime = at; })",
                2000 * moment + 1000,
            )
            shown = [index for index, visible in enumerate(page.evaluate(FRAMES)) if visible]
            assert shown == [min(moment, states - 1)], moment


def test_an_animated_picture_rests_for_who_prefers_that(windows: Windows, animated: tuple[Path, int]) -> None:
    file, states = animated
    with windows.showing(file, reduced_motion="reduce") as page:
        assert page.evaluate("document.getAnimations().length") == 0
        assert page.evaluate(FRAMES) == [False] * (states - 1) + [True]


def test_an_animated_picture_is_an_image(windows: Windows, animated: tuple[Path, int]) -> None:
    file, _ = animated
    page_of_it = file.with_name("page.html")
    page_of_it.write_text(f'<img src="{file.name}" alt="">', encoding="utf-8")
    with windows.showing(page_of_it) as page:
        assert page.evaluate("document.images[0].decode().then(() => document.images[0].naturalWidth)") > 500


# Lessons -------------------------------------------------------------------------------------------------------------

SIZES = [(1280, 800), (1920, 1080)]
#: The sizes of all letters in sight, as they are on the screen; those of pictures and lanes are scaled.
LETTERS = """() => {
    const sizes = {};
    for (const part of ["wb-bar", "wb-picture", "wb-lanes", "wb-said"]) {
        const texts = [...document.querySelectorAll(`.wb-present .${part} :is(text, p, code, button, span)`)]
            .filter((text) => text.textContent.trim() && text.checkVisibility());
        sizes[part] = Math.min(...texts.map((text) =>
            parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM?.()?.a ?? 1)));
    }
    return sizes;
}"""


@pytest.fixture(scope="module")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("pages")

    def page_of(name: str) -> Path:
        file: Path = folder / f"{name}.html"
        if not file.exists():
            file.write_text(view.trace_page(story(name)), encoding="utf-8")
        return file

    return page_of


@pytest.fixture
def lesson(windows: Windows, page_of: Any) -> Iterator[Any]:
    """Opens a page, and begins the lesson."""
    with ExitStack() as shown:

        def begin(name: str, size: tuple[int, int] = (1280, 800), scheme: str = "light", **options: Any) -> Any:
            page = shown.enter_context(windows.of(size, scheme, **options))
            page.goto(page_of(name).as_uri())
            page.wait_for_selector(".wb-trace.wb-live")
            page.click("button:text-is('Present')")
            page.wait_for_selector(".wb-present[open] .wb-picture svg")
            return page

        yield begin


def expect_at(page: Any, step: int) -> None:
    expect(page.locator(".wb-present .wb-where")).to_have_text(re.compile(rf"^{step} of "))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=["1280", "1920"])
@pytest.mark.parametrize("name", ["hudi", "paimon", "bakery"])
def test_a_lesson_can_be_read_from_the_last_row(
    lesson: Any, tmp_path: Path, record_property: Any, name: str, size: tuple[int, int], scheme: str
) -> None:
    page = lesson(name, size, scheme)
    page.screenshot(path=tmp_path / "last.png")
    for key in ("w", "Home", " ", " ", " ", " "):  # at first, the whole picture is in sight
        page.keyboard.press(key)
    expect_at(page, 5)
    page.screenshot(path=tmp_path / "middle.png")
    letters = page.evaluate(LETTERS)
    record_property("letters", letters)
    print(f"\n{name} {size}: {letters}")
    assert min(letters.values()) >= 20
    box = page.locator(".wb-present").bounding_box()
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, *size)


def test_what_a_tall_picture_leaves_of_a_lesson_has_the_lanes(lesson: Any) -> None:
    page = lesson("hudi")
    picture, lanes = (page.locator(f".wb-present .wb-{part}").bounding_box() for part in ("picture svg", "lanes"))
    assert picture["x"] + picture["width"] <= lanes["x"]
    assert picture["width"] + lanes["width"] > 1100
    assert page.locator(".wb-present .wb-lanes").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_keys_step_through_a_lesson_and_leave_it(lesson: Any) -> None:
    page = lesson("bakery")
    count = story("bakery").end + 1
    expect_at(page, count)
    expected = [("Home", 1), (" ", 2), ("ArrowRight", 3), ("ArrowDown", 4), ("ArrowUp", 3), ("Shift+ ", 2)]
    for key, at in [*expected, ("ArrowLeft", 1), ("ArrowLeft", 1), ("PageDown", 2), ("End", count), (" ", count)]:
        page.keyboard.press(key.replace(" ", "Space"))
        expect_at(page, at)
    page.click(".wb-present button:has-text('◀')")
    page.keyboard.press("Space")
    expect_at(page, count)  # a click leaves the keys to the lesson
    page.keyboard.press("Escape")
    page.wait_for_selector(".wb-present", state="detached")
    page.wait_for_function("document.fullscreenElement === null")
    expect(page.locator(".wb-trace .wb-where")).to_contain_text(f"State {count} of {count}")


def test_the_verdict_is_hidden_until_it_is_revealed(lesson: Any, tmp_path: Path) -> None:
    page = lesson("hudi")
    page.keyboard.press("w")  # so that the lanes are there
    told = page.locator(".wb-present")
    verdict, said = told.locator(".wb-verdict"), told.locator(".wb-said")
    remark, faults = told.locator(".wb-drawing > svg .wb-remark"), told.locator(".wb-picture [data-fault]")
    expect(verdict).to_contain_text("ConsistentRead")
    expect(remark).to_be_visible()
    expect(faults).not_to_have_count(0)
    page.keyboard.press("b")
    expect(said).to_have_text("What will happen?")
    page.screenshot(path=tmp_path / "asking.png")
    expect(told).not_to_contain_text("ConsistentRead", use_inner_text=True)
    expect(remark).to_be_hidden()
    expect(faults).to_have_count(0)
    before = view.trace_view(story("hudi")).picture(len(story("hudi")) - 2).label
    expect(told.locator(".wb-picture svg")).to_have_attribute("aria-label", before)
    page.keyboard.press("ArrowUp")
    last = len(story("hudi"))
    expect_at(page, last - 1)
    expect(told.locator(".wb-picture svg")).to_have_count(1)
    expect(told.locator(f".wb-drawing > svg .wb-step[data-step='{last - 2}']")).to_be_visible()
    expect(told.locator(f".wb-drawing > svg .wb-step[data-step='{last - 1}']")).to_be_hidden()
    page.keyboard.press("End")
    page.keyboard.press("b")
    expect(verdict).to_contain_text("ConsistentRead")
    expect(remark).to_be_visible()
    expect(faults).not_to_have_count(0)


def test_the_ending_of_a_cycle_is_part_of_the_verdict(lesson: Any) -> None:
    page = lesson("bakery")
    verdict = page.locator(".wb-present .wb-verdict")
    expect(verdict).to_contain_text("for ever")
    page.keyboard.press("b")
    expect(verdict).to_have_count(0)
    expect(page.locator(".wb-present")).not_to_contain_text("for ever", use_inner_text=True)


@pytest.mark.parametrize(("wish", "moving"), [("reduce", False), ("no-preference", True)])
def test_nothing_moves_for_who_prefers_that(lesson: Any, wish: str, moving: bool) -> None:
    page = lesson("hudi", reduced_motion=wish)
    page.evaluate("""() => {
        window.moved = [];
        document.addEventListener("animationstart", (event) => window.moved.push(event.animationName));
    }""")
    page.keyboard.press("Home")
    picture, views = page.locator(".wb-present .wb-picture svg"), view.trace_view(story("hudi"))
    expect(picture).to_have_attribute("aria-label", views.picture(0).label)  # so all pictures are here
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    expect(picture).to_have_attribute("aria-label", views.picture(2).label)
    if moving:
        for _ in range(PATIENCE // 100):  # the page lets nobody make code of a text, which waiting for it would be
            page.wait_for_timeout(100)
            if page.evaluate("moved.some((name) => name.startsWith('wb-picture'))"):
                break
        else:
            raise AssertionError("nothing moves")
    else:
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert page.evaluate("[moved, document.getAnimations().length]") == [[], 0]


def test_a_lesson_begins_where_the_window_may_not_be_filled(browser: Any, page_of: Any) -> None:
    page = browser.new_page()
    page.add_init_script("Element.prototype.requestFullscreen = () => Promise.reject(new Error('not here'))")
    page.goto(page_of("hudi").as_uri())
    page.click("button:text-is('Present')")
    page.wait_for_selector(".wb-present[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector(".wb-present", state="detached")
    page.close()


def test_slides_ask_first_and_print_one_to_a_page(browser: Any, page_of: Any, tmp_path: Path) -> None:
    count = len(story("hudi"))
    page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="dark")
    page.goto(page_of("hudi").as_uri() + "#slides")
    page.wait_for_selector(".wb-present[open] .wb-picture svg")
    expect_at(page, 1)
    page.wait_for_function(  # lanes that were drawn for large letters
        "wide => document.querySelector('.wb-present .wb-lanes svg').viewBox.baseVal.width < wide", arg=WIDTH
    )
    page.keyboard.press("End")
    expect(page.locator(".wb-present .wb-said")).to_have_text("What will happen?")
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == count + 1, "one for each state, and one that asks"
    assert set(re.findall(rb"/MediaBox \[([^\]]*)\]", printed)) == {b"0 0 960 540"}, "1280 x 720 pixels, in points"
    expect(page.locator(".wb-deck")).to_have_count(0)

    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.screenshot(path=tmp_path / "slides.png", full_page=True)
    schemes = "all => [...new Set(all.map((one) => getComputedStyle(one).colorScheme))]"
    assert page.locator(".wb-deck [data-picture]").evaluate_all(schemes) == ["light"], "paper is white"
    said = page.locator(".wb-slide .wb-said").all_inner_texts()
    assert said[-2] == "What will happen?"
    assert ["ConsistentRead" in text for text in said] == [False] * count + [True]
    overflow = "all => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length"
    assert page.locator(".wb-slide, .wb-slide .wb-picture").evaluate_all(overflow) == 0
    page.close()


def test_a_page_is_printed_whole(browser: Any, page_of: Any) -> None:
    """What is scrolled on a screen is not cut off on paper: lanes ended in the row that violates a promise."""
    page = browser.new_page(viewport={"width": 794, "height": 1123})  # A4
    page.goto(page_of("hudi").as_uri())
    page.wait_for_selector(".wb-live")
    page.emulate_media(media="print")
    cut = "all => all.filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)"
    shown = page.locator(".wb-lanes:visible, .wb-picture:visible")
    assert shown.evaluate_all(f"all => [all.length, ({cut})(all).length]") == [2, 0]
    expect(page.get_by_role("button", name="Present")).to_be_hidden()
    page.close()
