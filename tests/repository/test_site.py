"""The site: pages and links as they are on the site, and a gallery whose figures are those of specs/."""

import io
import json
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.playing import plays
from website import conf, contents, front, gallery, incidents, lessons, links
from website.broken import find
from website.keeping import ROOT
from website.playground import first_model, in_browser, packed, runtime
from website.staging import FRONT, Staging, docname, pages
from workbench import check
from workbench.commands.cli import main
from workbench.formats.permalink import permalink
from workbench.kernel import InputError, replay
from workbench.registry import addresses, get_model, protocols
from workbench.registry.configurations import configuration, shipped
from workbench.showing.view.trace.trace import verdict_view

# The gallery ---------------------------------------------------------------------------------------------------------

STAGED = [
    "bakery/v2_two_writers_wedge", "classics/two_phase_commit_impatient", "delta/overwritten", "hudi/duplicate_key",
    "incidents/pypaimon",
]  # fmt: skip


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[gallery.Entry]]]:
    """All pages before Sphinx, with a gallery of a few configurations, and the entries of each."""
    folder = tmp_path_factory.mktemp("staged")
    entries = {name: gallery.stage_one(folder, name) for name in STAGED}
    gallery.stage(folder, folder / "kept", only=[])
    lessons.stage(folder)
    Staging(folder).stage()
    contents.stage(folder)
    gallery.link_tables(folder, [entry for each in entries.values() for entry in each])
    return folder, entries


def pages_linked(folder: Path, page: str, name: str) -> list[str]:
    """The pages of the gallery to which the row of a configuration leads."""
    (row,) = re.findall(rf"^\| `{name}` .*", (folder / page).read_text(), re.M)
    return re.findall(r"\]\(/gallery/([\w/]+)\.md\)", row)


@pytest.mark.slow
def test_a_violation_becomes_a_page(tmp_path: Path) -> None:
    (entry,) = gallery.stage_one(tmp_path, "classics/peterson_stays")
    assert entry.page == "classics/peterson_stays/WhoWantsEnters"
    assert (entry.states, entry.repairs, entry.at_a_price) == (12, ("LeavesLevels=on",), ())
    page = (tmp_path / "gallery" / f"{entry.page}.md").read_text()
    assert page.index("# Who leaves keeps its level") < page.index("12 states") < page.index("- `LeavesLevels=on`\n")
    assert "`peterson`, with `LeavesLevels=on`" in page
    assert page.count(gallery.PLAYER) == 1
    player = (tmp_path / "gallery" / f"{entry.page}.player").read_text()
    assert player.count('<details class="wb-state"') == 12
    assert "data-pictures" in player


@pytest.mark.slow
def test_the_command_on_a_page_finds_the_violation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (broken,) = find(shipped()["classics/peterson_stays"])
    monkeypatch.chdir(tmp_path)
    program, *arguments = broken.command.split()
    assert (program, main(arguments)) == ("workbench", 1)
    assert (tmp_path / "peterson_stays.html").read_text().count('<details class="wb-state"') == len(broken.trace)


@pytest.mark.slow
def test_a_card_counts_the_states_that_its_player_shows(staged: Any) -> None:
    folder, entries = staged
    (entry,) = entries["bakery/v2_two_writers_wedge"]
    page = folder / gallery.FOLDER / entry.page
    played = page.with_suffix(".player").read_text().count('<details class="wb-state"')
    assert (entry.states, played) == (18, 17)
    assert gallery.index([entry]).count("17 states") == 2
    assert "has 18 states, the last without an event. " in page.with_suffix(".md").read_text()


@pytest.mark.slow
def test_a_change_that_breaks_something_else_is_named_last_and_with_that(tmp_path: Path) -> None:
    """So is one that only rules out what the protocol cannot cope with, which comes before."""
    (entry,) = gallery.stage_one(tmp_path, "classics/two_phase_commit_blocks")
    assert (entry.repairs, entry.at_a_price) == ((), ("CoordinatorCrashes=off", "LosesPatience=on"))
    text = (tmp_path / "gallery" / f"{entry.page}.md").read_text()
    ruled_out = "- `CoordinatorCrashes=off`, but then `crash` never happens\n"
    broken = "- `LosesPatience=on`, but then `Agreement`, `IsTransactionCommit` do not\n"
    assert text.index(ruled_out) < text.index(broken)
    repaired = 'repaired <span class="gallery-repairs">at a price by <code>CoordinatorCrashes=off</code>'
    assert repaired in gallery.index([entry])


@pytest.mark.slow
def test_a_change_after_which_everything_still_happens_is_named_first() -> None:
    name = "paimon/one_table_row_returns"
    text = gallery.words(name, find(shipped()[name])[0])
    ruled_out = "- `ALLOW_DELETES=off`, but then `start_delete` never happens\n"
    assert text.index("- `AsPublished=off`\n") < text.index(ruled_out)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "row", "name"),
    [
        ("specs/classics/README.md", "two_phase_commit_impatient", "classics/two_phase_commit_impatient"),
        ("docs/incidents.md", "incidents/pypaimon", "incidents/pypaimon"),
        ("specs/hudi/README.md", "duplicate_key", "hudi/duplicate_key"),
    ],
)
def test_a_row_of_a_table_leads_to_what_it_says_is_violated(staged: Any, page: str, row: str, name: str) -> None:
    folder, entries = staged
    assert pages_linked(folder, page, row) == [entry.page for entry in entries[name]] != []
    back = {"incidents": "/docs/incidents.md"}.get(entries[name][0].protocol, f"/specs/{name.split('/')[0]}/README.md")
    assert f"]({back})" in (folder / "gallery" / f"{entries[name][0].page}.md").read_text()


@pytest.mark.slow
def test_a_page_that_pictures_lead_to_has_an_animated_one_and_a_card(
    staged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, entries = staged
    entry, *_ = entries["delta/overwritten"]
    page = folder / gallery.FOLDER / entry.page
    played = page.with_suffix(".player").read_text().count('<details class="wb-state"')
    assert page.with_suffix(".svg").read_text().count("<g class=") == played == entry.shown
    assert f'href="{entry.property}.svg"' in page.with_suffix(".md").read_text()
    card = page.with_suffix(".png").read_bytes()
    empty = page.with_suffix(".svg").read_text().partition("<g ")[0] + "</svg>"
    blank = gallery.svg_to_bytes(empty, width=gallery.CARD_WIDTH)
    assert (card[16:20], len(card) > 5 * len(blank)) == (gallery.CARD_WIDTH.to_bytes(4), True)
    monkeypatch.setattr(addresses, "SITE", "https://tables.example/")
    app, context = SimpleNamespace(srcdir=folder), {"metatags": ""}
    conf.add_card(app, f"{gallery.FOLDER}/{entry.page}", "page.html", context, None)
    assert f'content="https://tables.example/gallery/{entry.page}.png"' in context["metatags"]
    above, _, below = (folder / "specs/delta/README.md").read_text().partition("\n## ")
    story = f'<a href="../../gallery/{entry.page}.html"><img src="data:image/svg+xml'
    assert (story in above, "<img" in below) == (True, False), "the page of the protocol begins with its stories"
    (title,) = (title for title, name in protocols()["delta"].stories["delta"].items() if name == "delta/overwritten")
    assert f"<b>{title}</b>" in above


@pytest.mark.slow
def test_the_reports_of_what_is_staged_are_cards(staged: Any) -> None:
    folder, entries = staged
    text = (folder / incidents.PAGE).read_text()
    titles = [title for name in STAGED for title in re.findall(r"^\*\*", incidents.reports().get(name, ""), re.M)]
    assert text.count("```{container} incident\n") == len(titles) == 6
    entry, *_ = entries["incidents/pypaimon"]
    assert f'href="../gallery/{entry.page}.html" class="incident-fault"' in text
    assert "\n{.incidents-of}\nPaimon\n" in text


def _page(*reports: str) -> str:
    return "\n\n".join(["# A page", "## A kind", *reports, "A last word."])


def test_a_report_s_card_has_its_first_sentence_and_what_prevents_it() -> None:
    reports = [
        "**Late.** [a#1](https://a/1): it came\nlate. Then more.\nShown by `x/late`; prevented by `A=true` and `B=2`.",
        "**Other.** No card here. So be it.\nShown by `x/other`; prevented by `C=1`.",
        "**Lost.** Of v2.1.0, [one](../README.md) is lost.\nShown by `x/lost`; prevented by `D=1`.",
    ]
    shown = {
        f"x/{name}": incidents.Shown(f"{name}.html", title, "<svg/>") for name, title in [("late", "B"), ("lost", "A")]
    }
    text = incidents.cards(_page(reports[0], reports[2], reports[1]), shown)
    order = [
        "## A kind",
        "\nA\n",
        "**Lost.** Of v2.1.0, one is lost.",
        "`D=1`",
        "\nB\n",
        "late.html",
        reports[1],
        "A last",
    ]
    assert [text.index(one) for one in order] == sorted(text.index(one) for one in order)
    assert "**Late.** [a#1](https://a/1): it came\nlate.\n\n{.incident-by}\nPrevented by `A=true` and `B=2`\n" in text
    assert ("Then more" in text, text.count("```{container} incident\n")) == (False, 2)
    assert incidents.cards(_page(*reports), {}) == _page(*reports)


def test_a_card_has_the_box_at_fault_at_its_own_size() -> None:
    """And what lies behind it, or is wrong beside it; neither what is right nor what is far away."""
    verdict = check(get_model("paimon")(PUT_IF_ABSENT=False), ["ConsistentRead"])["ConsistentRead"]
    view = verdict_view(verdict, verdict.trace)
    last = view.picture(len(view.steps) - 1)
    svg = ElementTree.fromstring(incidents.fault(last))
    shown = {one.get("data-thing") for one in svg.iter() if one.get("data-thing")}
    assert {"snapshot-1", "pile-1"} <= shown
    assert not shown & {"bucket-p0b0", "operation-w0", "heading"}
    left, top, width, height = map(float, svg.attrib["viewBox"].split())
    assert (float(svg.attrib["width"]), float(svg.attrib["height"])) == (width, height)
    assert width <= 360
    for one in last.placed:
        if one.thing.id in last.at_fault:
            assert left < one.x < one.x + one.w < left + width
            assert top < one.y < one.y + one.h < top + height


def test_figures_that_are_not_expected_make_no_page(tmp_path: Path) -> None:
    text = shipped()["classics/peterson_stays"].read_text()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(text.replace("violated = 12", "violated = 11"))
    with pytest.raises(
        InputError, match=r"wrong\.toml is not as expected: WhoWantsEnters: expected violated \(11 states"
    ):
        find(wrong)


@pytest.mark.slow
def test_every_expected_violation_has_an_address_of_its_own() -> None:
    known = {name: configuration(path) for name, path in shipped().items()}
    addresses = [f"{name}/{wrong}" for name, one in known.items() for wrong in gallery.expected(one)]
    assert len(addresses) == len({address.lower() for address in addresses}) > 200
    assert [address for address in addresses if quote(address) != address] == []


@pytest.mark.slow
def test_a_configuration_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown configuration 'bakery/v2_rase' .did you mean bakery/v2_race"):
        gallery.stage(tmp_path, tmp_path / "kept", ["bakery/v2_rase"])


# Pages and links -----------------------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository with a page, a guide, a protocol and a file that is no page."""
    root = tmp_path / "repository"
    for path, text in {
        "README.md": "# Front\n\n[guide](docs/guide.md)\n",
        "docs/guide.md": "# Guide\n",
        "docs/other.md": "# Other\n",
        "specs/one/README.md": "# One: a protocol\n",
        "code.py": "x = '''```'''\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.mark.parametrize(
    ("link", "on_the_site"),
    [
        ("../README.md", "/index.md"),
        ("other.md#place", "/docs/other.md#place"),
        ("../specs/one", "/specs/one/README.md"),
        ("../code.py", "/files/code.py.md"),
        ("#here", "#here"),
        ("https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_a_link_leads_to_the_page_on_the_site(small: Path, tmp_path: Path, link: str, on_the_site: str) -> None:
    staging = Staging(tmp_path / "pages", small)
    assert staging.text(f"[words]({link})", "docs/guide.md") == f"[words]({on_the_site})"


@pytest.mark.parametrize(
    ("link", "what"),
    [
        ("gone.md", "docs/guide.md links to 'gone.md', which is not in the repository"),
        ("../../outside.md", "docs/guide.md links to '../../outside.md', which is not in the repository"),
        ("../docs", "docs/guide.md links to the folder '../docs', which has no page"),
    ],
)
def test_a_link_that_leads_nowhere_is_refused(small: Path, tmp_path: Path, link: str, what: str) -> None:
    with pytest.raises(InputError) as refused:
        Staging(tmp_path / "pages", small).text(f"[words]({link})", "docs/guide.md")
    assert str(refused.value) == what


def test_code_stays_as_it_is_and_a_file_is_shown(small: Path, tmp_path: Path) -> None:
    code = "```python\nf = [a](gone.md)\n```\n"
    (small / "docs/guide.md").write_text(f"# Guide\n\n[code](../code.py)\n\n{code}")
    Staging(tmp_path / "pages", small).stage()
    assert (tmp_path / "pages/docs/guide.md").read_text().endswith(code)
    assert "````python\nx = '''```'''\n````" in (tmp_path / "pages/files/code.py.md").read_text()


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"^(?:.* <)?/([^\n>]+)>?$", "".join(contents.toctrees().values()), re.MULTILINE)
    notebooks = {path for path in pages() if path.startswith("notebooks/")}
    assert {docname(path) for path in set(pages()) - notebooks - {FRONT}} <= set(listed)
    assert len(listed) == len(set(listed))


def test_the_navigation_has_few_entries_at_its_first_level() -> None:
    assert sum(map(len, contents.NAVIGATION.values())) <= 15


@pytest.mark.slow
def test_tables_of_contents_are_at_the_end_of_their_pages(staged: Any) -> None:
    folder, _ = staged
    assert ":caption: Protocols\n\nThe bakery </specs/bakery/README>\n" in (folder / "index.md").read_text()
    assert (folder / "docs/modelling.md").read_text().endswith("/docs/pictures\n```\n")
    assert (folder / "lessons.md").read_text().endswith("The classics </specs/classics/README>\n```\n")


@pytest.mark.slow
def test_what_is_wrong_with_links_of_built_pages_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">1</a><a href="b.html#gone">2</a><img src="gone.png"><a href="#me">3</a>'
        '<a href="https://example.org/">4</a><p id="me"></p><script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<p id="there"></p><a href="">5</a>')
    assert list(links.broken(tmp_path, tmp_path / "kept")) == [
        "a.html links to 'b.html#gone', a place that is not there",
        "a.html links to 'gone.png', which is not there",
        "a.html loads 'https://example.org/x.js' from elsewhere",
    ]


# Lessons -------------------------------------------------------------------------------------------------------------

FACTS = {"minutes": 20, "needs": ["Java"], "after": [], "about": "locks"}


def notebook(path: Path, facts: dict[str, Any]) -> lessons.Lesson:
    cells = [{"cell_type": "markdown", "source": ["# A lesson\n", "words"]}]
    path.write_text(json.dumps({"cells": cells, "metadata": {"lesson": facts}}))
    return lessons.read(path)


def test_the_page_of_lessons_says_what_the_notebooks_say(tmp_path: Path) -> None:
    one = notebook(tmp_path / "00_one.ipynb", FACTS)
    two = notebook(tmp_path / "01_two.ipynb", {**FACTS, "after": ["00_one"], "needs": []})
    rows = lessons.page([one, two]).splitlines()
    assert "| [00 A lesson](/notebooks/00_one.ipynb). locks | 20&nbsp;min | Java |" in rows
    after = "After [00](/notebooks/00_one.ipynb)."
    assert f"| [01 A lesson](/notebooks/01_two.ipynb). locks {after} | 20&nbsp;min |  |" in rows


def test_lessons_open_in_binder_and_links_have_a_card_where_both_are_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = notebook(tmp_path / "00_one.ipynb", FACTS)
    context: dict[str, Any] = {"title": "A <page>", "metatags": ""}
    app = SimpleNamespace(srcdir=tmp_path)
    conf.add_card(app, "docs/audit", "page.html", context, None)
    assert ("mybinder.org" in lessons.page([one]), context["metatags"]) == (False, "")
    monkeypatch.setattr(addresses, "REPOSITORY", "https://git.example/team/tables/")
    monkeypatch.setattr(addresses, "SITE", "https://tables.example/")
    conf.add_card(app, "docs/audit", "page.html", context, None)
    address = "https://mybinder.org/v2/git/https%3A%2F%2Fgit.example%2Fteam%2Ftables/HEAD?urlpath=lab/tree/notebooks"
    assert f"[Binder]({address})" in lessons.page([one])
    assert '<meta property="og:url" content="https://tables.example/docs/audit.html"/>' in context["metatags"]
    assert '<meta property="og:title" content="A &lt;page&gt;"/>' in context["metatags"]


@pytest.mark.parametrize("facts", [{}, {**FACTS, "minutes": "20"}, {"minutes": 20}, {**FACTS, "after": ["gone"]}])
def test_what_a_notebook_says_of_itself_is_complete(tmp_path: Path, facts: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^00_one.ipynb: metadata\.lesson"):
        notebook(tmp_path / "00_one.ipynb", facts)


# The whole site, in a browser ----------------------------------------------------------------------------------------

SHOWN = ["bakery/v2_race", "classics/peterson_stays", "hudi/salt_no_key_check", "iceberg/update_and_delete"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, with a gallery of a few configurations: it is built without a warning, and no link leads nowhere."""
    folder = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "website", str(folder), "--only", *SHOWN]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert f"gallery: {len(SHOWN)} of {len(SHOWN)}\n" in done.stdout
    return folder


@pytest.fixture(params=[(390, "dark"), (1280, "light")], ids=["phone", "desk"])
def page(request: pytest.FixtureRequest, browser: Any, site: Path) -> Iterator[Any]:
    """A page, on a phone and on a desk: nothing goes wrong in it, and it loads nothing from elsewhere."""
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else complaints.append(asked.url))
    yield page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("title", front.PROTOCOLS)
def test_no_combination_of_switches_takes_long(title: str) -> None:
    assert len(front.checked(title)) >= 8


def test_a_combination_that_takes_long_ends_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "MOST_STATES", 10)
    with pytest.raises(InputError, match=r"^BakeryV2Extended.* has more than 10 states, too many for the front page$"):
        front.checked("ColdFront's bakery")


#: What the front page says first, and the reason below.
SENTENCES = ".front-said .front-roomy > :first-child > div"


@pytest.mark.slow
@pytest.mark.browser
def test_the_front_page_says_at_once_what_a_switch_does(page: Any, site: Path) -> None:
    loaded: list[str] = []
    page.on("requestfinished", lambda asked: loaded.append(asked.url.partition("?")[0]))
    page.clock.install(time=0)  # the page's time goes on when it is told to, however busy the machine is
    page.clock.pause_at(1)
    page.goto((site / "index.html").as_uri())
    said, frame = page.locator(".front-said"), page.frame_locator(".front iframe")
    one = configuration(shipped()["iceberg/update_and_delete"])
    told, asked = one.model, one.properties
    effects = {
        False: "on \N{RIGHTWARDS ARROW} everything holds",
        True: "off \N{RIGHTWARDS ARROW} breaks ConsistentRead",
    }
    for on in (False, True):
        found = check(told.changed(DeleteChecksDeletes=on), asked)
        names = [one.name for one in found.violated]
        expect(said).to_contain_text(f"{len(names)} of {len(found.verdicts)} violated" if names else "everything holds")
        expect(said).to_contain_text(f"{found.distinct:,} states")
        if names:
            expect(page.locator(SENTENCES).nth(1)).to_contain_text(f"{names[0]}: ")
            trace = min((one.trace for one in found.violated), key=len)
            expect(frame.get_by_role("button", name="play from")).to_have_text("\N{BLACK SQUARE}")  # it plays
            page.clock.run_for(1_300)  # milliseconds; the player shows a state for 1,200
            expect(frame.locator(".wb-where")).to_contain_text(f"State 2 of {len(trace)}")
            frame.get_by_role("button", name="to the beginning").click()  # and stops
            expect(frame.locator(".wb-where")).to_contain_text(f"State 1 of {len(trace)}")
            expect(frame.get_by_role("button", name="play from")).to_have_text("\N{WHITE RIGHT-POINTING TRIANGLE}")
        by_hand = page.locator(".front-by-hand").get_attribute("href") or ""
        assert by_hand.endswith(f"/playground.html#{permalink(replay(told.changed(DeleteChecksDeletes=on), 0, []))}")
        below = page.locator(".wb-switch", has_text="DeleteChecksDeletes").locator("~ div")
        expect(below.nth(0)).to_have_text(told.declared.constants["DeleteChecksDeletes"].doc)
        expect(below.nth(1).locator("> :first-child")).to_have_text(effects[on])
        page.get_by_label("DeleteChecksDeletes").set_checked(not on)
    assert sum((site / url.removeprefix(site.as_uri() + "/")).stat().st_size for url in set(loaded)) < 1_000_000


@pytest.mark.slow
@pytest.mark.browser
def test_the_front_page_says_first_what_its_settings_show_or_what_a_flip_did(page: Any, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    told, why = page.locator(SENTENCES).all()
    titles = [
        configuration(shipped()[f"iceberg/{name}"]).title
        for name in ("update_and_delete", "update_and_delete_repaired")
    ]
    expect(told).to_have_text(titles[0])
    page.get_by_label("DeleteChecksDeletes").check()
    expect(told).to_have_text(titles[1])
    expect(why).to_have_text("")
    page.get_by_label("Validate").uncheck()
    expect(told).to_have_text(re.compile("^Validate off: "))
    expect(page.locator("article img[src*='lost-write']")).to_have_count(0)  # the switches are its picture
    assert page.get_by_role("link", name="Playground").first.get_attribute("href") == "playground.html"


@pytest.mark.slow
@pytest.mark.browser
def test_what_a_flip_repairs_is_told_again_on_the_front_page(page: Any, site: Path) -> None:
    """The same steps, up to the one that is refused now, and why."""
    page.goto((site / "index.html").as_uri())
    frame = page.frame_locator(".front iframe")
    steps = len(check(configuration(shipped()["iceberg/update_and_delete"]).model)["ConsistentRead"].trace)
    frame.get_by_role("button", name="to the fault").click()
    expect(frame.locator(".wb-where")).to_have_text(re.compile(rf"State {steps} of {steps}: .*commit"))
    page.get_by_label("DeleteChecksDeletes").check()
    frame.get_by_role("button", name="to the end").click()
    expect(frame.locator(".wb-where")).to_have_text(re.compile(rf"State {steps - 1} of {steps - 1}: .*validate"))
    expect(frame.locator(".wb-right-here")).to_contain_text("Now it differs: ")
    expect(frame.locator(".wb-wrong-here")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.browser
def test_what_is_at_fault_is_in_sight_on_the_front_page(page: Any, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    page.locator(".front iframe").scroll_into_view_if_needed()
    page.frame_locator(".front iframe").locator(".wb-dot.wb-bad").click()
    page.frames[1].wait_for_function(
        """() => {
            const within = (inner, outer) => inner.left >= outer.left && inner.right <= outer.right
                && inner.top >= outer.top && inner.bottom <= outer.bottom;
            const place = document.querySelector(".wb-picture").getBoundingClientRect();
            const faults = [...document.querySelectorAll("[data-fault]")].map((one) => one.getBoundingClientRect());
            const svg = document.querySelector(".wb-picture svg");
            return faults.length && faults.every((fault) => within(fault, place))
                && within(place, new DOMRect(0, 0, innerWidth, innerHeight))
                && svg.getBoundingClientRect().width >= 0.68 * svg.viewBox.baseVal.width - 1;
        }"""
    )


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_moves_on_the_front_page_when_a_switch_is_flipped(page: Any, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    places = ".front :is(.wb-switch, .wb-hint, .wb-note, iframe)"
    top = "getBoundingClientRect().top"
    tops = f"(all) => all.map((one) => one.{top} - one.closest('.front').{top})"
    before, said = page.locator(places).evaluate_all(tops), set()
    for box in page.locator(".wb-switch input").all() * 2:
        box.click()
        said.add(page.locator(".front-said").inner_text())
        assert page.locator(places).evaluate_all(tops) == pytest.approx(before, abs=0.5)
    assert len(said) == 4, "each click says another thing"


@pytest.mark.slow
@pytest.mark.browser
def test_the_front_page_is_accessible(page: Any, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    expect(page.frame_locator(".front iframe").locator(".wb-where")).to_contain_text("State")
    page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found = page.evaluate("async () => (await axe.run('.front', { preload: false })).violations")
    assert [(one["id"], node["target"]) for one in found for node in one["nodes"]] == []


@pytest.mark.slow
@pytest.mark.browser
def test_the_gallery_is_searched_by_what_breaks_and_by_what_repairs_it(page: Any, site: Path) -> None:
    page.goto(f"{(site / 'gallery' / 'index.html').as_uri()}")
    shown, breaks, repairs = (
        page.locator(".gallery-list > li:visible"),
        page.get_by_label("What breaks"),
        page.get_by_label("What repairs it"),
    )
    stories = page.locator(".gallery-stories a")
    expect(stories).to_have_count(len(gallery.CHOSEN.keys() & SHOWN))
    assert stories.locator("img").evaluate_all("(all) => all.every((one) => one.naturalWidth > 100)")
    expect(shown).to_have_count(0)
    page.get_by_text(f"All {len(SHOWN)} configurations").click()
    expect(shown).to_have_count(len(SHOWN))
    breaks.fill("wait ever")
    expect(shown.locator("> b")).to_have_text(["Who leaves keeps its level: others wait for ever"])
    expect(page.locator("output")).to_have_text(f"1 of {len(SHOWN)}")
    breaks.fill("")
    repairs.fill("restamppatch=on")
    expect(shown).to_have_count(1)
    page.reload()
    expect(repairs).to_have_value("restamppatch=on")  # the address holds the question
    expect(shown).to_have_count(1)
    shown.get_by_text("NoLakekeeperConflict").click()
    page.wait_for_url("**/gallery/bakery/v2_race/NoLakekeeperConflict.html")


@pytest.mark.slow
@pytest.mark.browser
def test_a_trace_is_played_without_a_kernel_and_a_link_opens_one_step_of_it(page: Any, site: Path) -> None:
    address = (site / "gallery" / "bakery" / "v2_race" / "NoLakekeeperConflict.html").as_uri()
    page.goto(address)
    plays(page.locator(".wb-player"), 22)
    where, step = page.locator(".wb-where"), page.get_by_role("button", name="previous step")
    step.press("Enter")
    step.press("Enter")
    expect(where).to_contain_text("State 20 of 22")
    link = copied(page)
    assert link.startswith(f"{address}#workbench:bakery_v2?")
    for opened, state in ((link, 20), (link.replace("&step=19", "&step=4"), 5)):
        page.goto("about:blank")
        page.goto(opened)
        expect(where).to_contain_text(f"State {state} of 22")
        expect(page.get_by_role("alert")).to_have_count(0)
    page.goto("about:blank")
    page.goto(re.sub("&of=.{8}", "&of=00000000", link))
    expect(page.get_by_role("alert")).to_have_text("The link is to another behaviour than this page has.")
    expect(where).to_contain_text("State 22 of 22")


def copied(player: Any) -> str:
    """What *Copy link* takes, where the clipboard is not to be had: the button puts it into a field."""
    player.locator("body").first.evaluate(
        "() => Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })"
    )
    player.get_by_role("button", name="an address that opens").press("Enter")
    return str(player.locator(".wb-copied").input_value())


@pytest.mark.slow
@pytest.mark.browser
def test_pages_fit_their_window(page: Any, site: Path) -> None:
    for name in ("index", "lessons", "api/workbench", "specs/hudi/README", "notebooks/00_tour"):
        page.goto((site / f"{name}.html").as_uri())
        expect(page.locator("article h1")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"], name


# The playground ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", [runtime.PYODIDE, runtime.CODEMIRROR], ids=lambda package: package.name)
def test_what_comes_from_npm_is_the_published_package(tmp_path: Path, package: runtime.Package) -> None:
    (tmp_path / package.archive).write_bytes(b"other")
    with pytest.raises(InputError, match=rf"{package.archive} from npm has the digest sha512-"):
        runtime.files(package, tmp_path)
    assert f") {package.version}" in (ROOT / "website/playground/README.md").read_text()


@pytest.mark.slow
def test_what_the_playground_packs_takes_python_alone() -> None:
    with zipfile.ZipFile(io.BytesIO(packed())) as archive:
        names = set(archive.namelist())
    assert {
        "in_browser.py",
        "workbench/kernel/meaning/search.py",
        "workbench/protocols/hudi/model.py",
        "specs/delta/overwritten.toml",
    } <= names
    assert not any(name.startswith("workbench/checking") for name in names)


_AS_IN_NOTEBOOKS = """
import asyncio, json, sys
sys.path.insert(0, "workbench.zip")
from in_browser import begin
source = "from workbench import *" + sys.stdin.read() + "print(check(LostUpdate, budget=Budget(states=9)).distinct)"
ask = {"do": "check", "source": source, "settings": "", "max_states": 100}
print(asyncio.run(begin(len).answer(json.dumps(ask))))
from workbench import get_model
import workbench, workbench.language
print(sorted({*workbench.__all__} ^ {*workbench.language.__all__}))
"""


@pytest.mark.slow
def test_a_model_in_the_playground_imports_as_notebooks_do(tmp_path: Path) -> None:
    (tmp_path / "workbench.zip").write_bytes(packed())
    command = [sys.executable, "-S", "-c", _AS_IN_NOTEBOOKS]
    source = first_model().partition("from workbench.language import *")[2]
    done = subprocess.run(command, input=source, capture_output=True, text=True, cwd=tmp_path)
    *printed, answer, differing = done.stdout.splitlines()
    assert (set(printed), differing) == ({"9"}, "['Budget', 'check']"), done.stderr
    assert json.loads(answer)["word"] == "1 of 1 violated"


def test_the_playground_answers_in_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # it writes the model into a file
    told: list[str] = []
    playing = in_browser.Playground(told.append)

    def ask(**request: Any) -> Any:
        answering = playing.answer(json.dumps(request))
        while True:  # the browser's loop would; here that of the browser's driver may be running
            try:
                answering.send(None)
            except StopIteration as end:
                return json.loads(end.value)

    answer = ask(do="check", source=first_model(), settings="", max_states=100)
    assert (answer["word"], answer["states"], answer["traces"]) == (
        "1 of 1 violated",
        13,
        {"NothingLost": "violated (5 states)"},
    )
    assert "is not at Write" in ask(do="possible", at=1)["possible"]
    steps = re.findall(r'data-take="([^"]*)"', ask(do="possible", at=3)["possible"])
    by_hand = [ask(do="take", at=3, step=step)["trace"] for step in steps]
    assert ["You broke NothingLost in 4 steps; the shortest takes 4." in one for one in by_hand].count(True) == 1
    assert ask(do="take", at=9, step="0.0 read(w1)")["error"].startswith("step 5 cannot be read(w1): ")
    ask(do="check", source=ENDLESS, settings="", max_states=9)
    by_hand = [ask(do="take", at=at, step="0.0 go_on")["trace"] for at in (1, 2, 3)]
    assert ["You broke" in one for one in by_hand] == [False, True, False], "where it breaks, and not once more"
    for old, new, line, said in (
        ("s.at = s.at + 1", "s.at = s.at +", 8, "invalid syntax"),
        ("s.at + 1", "s.to + 1", 8, "to"),
        ("s.at >= 0", "s.at", 14, "Positive"),
    ):
        answer = ask(do="check", source=ENDLESS.replace(old, new), settings="", max_states=9)
        assert (answer["line"], said in answer["error"]) == (line, True)
    unknown = ask(do="check", source=ENDLESS, settings="[constants]\nWriters = 2\n", max_states=9)["error"]
    assert "unknown constant of endless 'Writers'" in unknown
    assert "defines no model" in ask(do="check", source="", settings="", max_states=9)["error"]
    opened = ask(do="open", name="delta/overwritten_no_partitions")
    known = {one.pop("name"): one for one in opened["constants"]}
    assert known["OpLimit"]["bounds"] == {"min": 1, "max": 6, "step": 1}
    assert known["OpLimit"]["doc"] == "transactions that are started in a run, by all writers together"
    assert (known["Writers"]["value"], known["Writers"]["bounds"]) == (2, {"min": 1, "max": 4, "step": 1})
    trace = check(get_model("bakery")(Writers=2, LazyReap=False))["SomeoneCommits"].trace
    named = ask(do="named", line=permalink(trace))
    assert named["settings"] == 'model = "bakery"\n\n[constants]\nWriters = ["w1", "w2"]\nLazyReap = false\n'
    del named["constants"]
    followed = ask(do="follow", line=f"{permalink(trace)}&step=1", **named)
    assert (followed["permalink"], 'data-at="1"' in followed["trace"]) == (permalink(trace), True)
    assert "another version" in ask(do="follow", line=f"{permalink(trace)[:-8]}00000000", **named)["error"]
    changed = opened["source"].replace("class Delta(", "class Changed(", 1)
    given = {"source": changed, "settings": opened["settings"], "max_states": 9}
    assert "unknown model in model.py 'Delta'" in ask(do="check", **given)["error"]


ENDLESS = """from workbench.language import *

class Endless(Model):
    at = Variable(0)

    @action
    def go_on(self, s):
        s.at = s.at + 1

    @invariant
    def Small(self, s):
        return s.at < 3 or f"{s.at} is too large"

    @invariant
    def Positive(self, s):
        return s.at >= 0
"""


class Playground:
    """The playground, served from a folder, in one page for all tests."""

    def __init__(self, browser: Any, folder: Path) -> None:
        quiet = {"log_message": lambda *_: None}
        handler = type("Handler", (SimpleHTTPRequestHandler,), quiet)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/playground.html"
        self.context = browser.new_context(viewport={"width": 1280, "height": 800})
        self.page, self.complaints = self.context.new_page(), list[str]()
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.context.on("request", self._asked)
        self.page.goto(self.address)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.address.rpartition("/")[0], "blob:", "data:", "about:")):
            self.complaints.append(request.url)

    def check(self, source: str | None = None, settings: str | None = None) -> None:
        for name, text in (("source", source), ("settings", settings)):
            if text is not None:
                self.editor(name).evaluate("(editor, text) => editor.CodeMirror.setValue(text)", text)
        # By key: a click that comes with a scroll may be sent to a frame that was there before it.
        button = self.page.get_by_role("button", name="Check")
        expect(button).to_be_enabled()
        button.press("Enter")

    def editor(self, name: str) -> Any:
        return self.page.locator(f"[name={name}] + .CodeMirror")

    def text(self, name: str) -> str:
        text: str = self.editor(name).evaluate("(editor) => editor.CodeMirror.getValue()")
        return text

    def open(self, name: str) -> None:
        self.page.locator("[name=open]").select_option(name)

    @property
    def status(self) -> Any:
        return self.page.locator(".status")

    @property
    def verdicts(self) -> Any:
        return self.page.frame_locator(".verdicts iframe").locator("main")

    @property
    def trace(self) -> Any:
        return self.page.frame_locator(".trace iframe").locator("main")


@pytest.fixture(scope="module")
def playground(browser: Any, site: Path) -> Iterator[Playground]:
    playground = Playground(browser, site)
    yield playground
    assert playground.complaints == []
    if playground.context.browser.is_connected():  # closed after the last test in one, which need not be the file's
        playground.context.close()
    playground.server.server_close()


@pytest.mark.slow
@pytest.mark.browser
def test_the_first_model_is_checked_edited_and_stepped_by_hand(playground: Playground) -> None:
    first = playground.text("source")
    assert first == first_model()
    expect(playground.status).to_have_text("1 of 1 violated (13 states).")  # nobody has pressed anything
    expect(playground.verdicts).to_contain_text("2 writers are done, and the counter is 1")
    expect(playground.trace.locator(".wb-where")).to_contain_text("State 5 of 5")
    expect(playground.trace.locator(".wb-moves")).to_contain_text("No step is possible: the end.")
    plays(playground.trace.locator(".wb-player"), 5)
    playground.trace.get_by_role("button", name="to the beginning").press("Enter")
    expect(playground.trace.locator(".wb-picture text").first).to_have_text(re.compile("^1 "))
    playground.trace.get_by_role("button", name="read(w2)").press("Enter")
    expect(playground.trace.locator(".wb-where")).to_contain_text("State 2 of 2")
    playground.trace.locator(".wb-moves summary").press("Enter")
    expect(playground.trace.locator(".wb-greyed")).to_contain_text("w2 is not at Read")

    playground.check(first.replace('"w1", "w2"', '"w1",'), "")
    expect(playground.status).to_have_text("Everything holds (3 states).")
    expect(playground.page.locator("[name=traces]")).to_have_value("")  # there is none, but steps by hand
    expect(playground.trace.get_by_role("button", name="read(w1)")).to_be_visible()


@pytest.mark.slow
@pytest.mark.browser
def test_a_constant_is_set_by_its_control(playground: Playground) -> None:
    constants = playground.page.locator(".constants")
    playground.open("new")
    expect(playground.status).to_have_text("1 of 3 violated (13 states).")
    constants.locator("[name=UseLock]").check()
    expect(playground.status).to_have_text(re.compile("^Everything holds"))
    assert playground.text("settings") == "[constants]\nUseLock = true\n"
    expect(constants.locator("[name=UseLock]")).to_be_focused()
    constants.locator("[name=Workers]").fill("3")
    constants.locator("[name=Workers]").press("Enter")
    expect(playground.status).to_have_text("Everything holds (31 states).")
    expect(constants.locator("label").first).to_have_text("Workerswho takes part")
    assert playground.text("settings") == "[constants]\nWorkers = 3\nUseLock = true\n"
    constants.locator("[name=Workers]").fill("99")
    constants.locator("[name=Workers]").press("Enter")
    assert "99" not in playground.text("settings")


@pytest.mark.slow
@pytest.mark.browser
def test_an_error_marks_its_line_of_the_model_or_of_the_settings(playground: Playground) -> None:
    error, marked = playground.page.locator(".error"), ".bad .CodeMirror-linenumber"
    playground.check(ENDLESS.replace("s.at >= 0", "s.at"), "")
    expect(error).to_contain_text("Positive")
    expect(playground.page.locator(f".model {marked}")).to_have_text("14")
    expect(playground.status).to_have_text("No verdict.")
    playground.check(ENDLESS, "symmetry = []\n[constants\n")
    expect(error).to_contain_text("settings.toml is not TOML")
    expect(playground.page.locator(f".field {marked}")).to_have_text("2")


@pytest.mark.slow
@pytest.mark.browser
def test_the_editor_colours_indents_and_lets_go(playground: Playground) -> None:
    source, keyboard = playground.editor("source"), playground.page.keyboard
    playground.check(ENDLESS.replace("s.at + 1", "1"), "")
    expect(playground.status).to_have_text("Everything holds (2 states).")
    expect(source.locator(".cm-keyword").first).to_have_text("from")
    source.click()
    keyboard.press("Control+End")
    keyboard.type("def f():")
    keyboard.press("Enter")
    keyboard.type("pass")
    assert playground.text("source").endswith("\ndef f():\n    pass")
    keyboard.press("Shift+Tab")
    keyboard.press("Control+Enter")
    expect(playground.page.locator(".error")).to_contain_text("expected an indented block")
    keyboard.press("Home")
    keyboard.press("Tab")
    keyboard.press("Control+Enter")
    expect(playground.status).to_have_text("Everything holds (2 states).")
    for keys, focused in (("Tab", 1), ("Escape Tab", 0), ("Shift+Tab", 1), ("Tab", 1)):
        for key in keys.split():
            keyboard.press(key)
        expect(source.locator(":focus")).to_have_count(focused)


@pytest.mark.slow
@pytest.mark.browser
def test_a_space_without_end_is_stopped_and_what_was_found_counts(playground: Playground) -> None:
    most = playground.page.locator("[name=most]")
    most.fill("50")
    playground.check(ENDLESS, "")
    expect(playground.status).to_have_text("Incomplete: 1 of 2 violated so far (50 states).")
    most.fill("100000000")
    playground.check()
    expect(playground.status).to_have_text(re.compile("^Checking: [1-9]"))
    playground.page.get_by_role("button", name="Stop").press("Enter")
    expect(playground.status).to_have_text(re.compile("^Incomplete: 1 of 2 violated so far"))
    expect(playground.verdicts).to_contain_text("stopped on request")
    expect(playground.verdicts.locator(".wb-badge")).to_have_text(["✗ violated", "? unknown"])
    expect(playground.trace.locator(".wb-where")).to_contain_text("State 4 of 4")

    playground.check(ENDLESS.replace("s.at = s.at + 1", "while True: pass"))
    playground.page.get_by_role("button", name="Stop").press("Enter")
    playground.page.get_by_role("button", name="Stop now").press("Enter")
    expect(playground.status).to_have_text(re.compile("^Incomplete: stopped at"))
    playground.check(ENDLESS.replace("s.at = s.at + 1", "__import__('os')._exit(print('bye') or 1)"))
    expect(playground.page.locator(".error")).to_contain_text("Python ended")
    expect(playground.page.locator(".printed")).to_have_text("bye")
    assert [said for said in playground.complaints if not said.startswith("Program terminated")] == []
    playground.complaints.clear()
    most.fill("20000")
    playground.check(ENDLESS.replace("s.at + 1", "1"))  # another Python
    expect(playground.status).to_have_text("Everything holds (2 states).")


@pytest.mark.slow
@pytest.mark.browser
def test_a_configuration_has_its_figures_and_a_changed_one_its_picture(playground: Playground) -> None:
    playground.open("hudi/no_concurrency_control")
    expect(playground.status).to_have_text("1 of 4 violated (3,227 states).")
    expect(playground.verdicts).to_contain_text("as expected")
    expect(playground.trace.locator(".wb-where")).to_contain_text("State 15 of 15")
    expect(playground.trace.locator("[data-picture=hudi]").first).to_be_visible()
    constants = playground.page.locator(".constants")
    constants.locator("[name=ConcurrencyControl]").select_option("optimistic")
    expect(playground.verdicts).to_contain_text("not what the settings expect")
    assert '\nConcurrencyControl = "optimistic"\n' in playground.text("settings")
    playground.open("delta/overwritten_no_partitions")
    expect(playground.status).to_have_text(re.compile(r"violated \(575 states\)\.$"))
    playground.check(playground.text("source") + "# changed")
    expect(playground.status).to_have_text(re.compile(r"violated \(575 states\)\.$"))
    expect(playground.trace.locator("[data-picture=delta]").first).to_be_visible()
    playground.open("bakery/as_built")
    expect(playground.page.locator(".remark")).to_contain_text("too many for a browser")
    expect(playground.status).to_have_text("Ready.")  # and no verdict of the model before
    playground.check(first_model(), "")
    expect(constants).to_be_hidden()


@pytest.mark.slow
@pytest.mark.browser
def test_a_link_holds_the_model_and_its_settings(playground: Playground) -> None:
    playground.check(ENDLESS, "properties = ['Positive']  # ü\n")
    expect(playground.status).to_have_text(re.compile("^Incomplete: nothing violated so far"))
    link = playground.page.url
    assert "#model=" in link
    playground.page.goto("about:blank")
    playground.page.goto(link)
    expect(playground.page.locator(".remark")).to_contain_text("from a link")
    assert playground.text("source") == ENDLESS
    with playground.page.expect_download() as saving:
        playground.page.get_by_role("button", name="Save", exact=True).click()
    assert saving.value.suggested_filename == "model.py"
    assert saving.value.path().read_text() == ENDLESS
    assert playground.text("settings") == "properties = ['Positive']  # ü\n"
    expect(playground.status).to_have_text("Ready.")
    playground.page.goto(f"{playground.address}#model=AAAA")
    expect(playground.page.locator(".remark")).to_contain_text("The link is damaged")
    expect(playground.status).to_have_text("1 of 1 violated (13 states).")
    playground.page.goto(link)
    expect(playground.page.locator(".remark")).to_contain_text("from a link")
    expect(playground.verdicts).to_have_count(0)
    playground.page.goto(f"{playground.address}#open=hudi/no_concurrency_control")
    expect(playground.status).to_have_text("1 of 4 violated (3,227 states).")
    assert "hudi" in playground.text("settings")


@pytest.mark.slow
@pytest.mark.browser
def test_a_link_opens_one_step_of_a_behaviour_and_the_way_back_undoes(playground: Playground) -> None:
    page, where = playground.page, playground.trace.locator(".wb-where")
    page.goto(f"{playground.address}#open=delta/overwritten_no_partitions")
    expect(playground.status).to_have_text(re.compile(r"violated \(575 states\)\.$"))
    playground.trace.get_by_role("button", name="to the beginning").press("Enter")
    playground.trace.locator("[data-take]").first.press("Enter")
    expect(where).to_contain_text("State 2 of 2")
    playground.trace.locator("[data-take]").first.press("Enter")
    expect(where).to_contain_text("State 3 of 3")
    page.go_back()
    expect(where).to_contain_text("State 2 of 2")
    link = copied(page.frames[-1])
    assert re.search("#open=delta/overwritten_no_partitions&workbench:delta[?].*&step=1$", link)
    page.goto(link.replace("&step=1", "&step=0"))  # in the page that is open
    expect(where).to_contain_text("State 1 of 2")
    page.goto("about:blank")
    page.goto(link.replace("open=delta/overwritten_no_partitions&", ""))  # as a panel copies it
    expect(where).to_contain_text("State 2 of 2")
    assert 'model = "delta"' in playground.text("settings")
    page.goto(re.sub("&of=.{8}", "&of=00000000", link))
    expect(page.get_by_role("alert")).to_contain_text("is of another version of model delta, with other steps")
    page.goto(playground.address)  # the first model has no name
    expect(playground.status).to_have_text("1 of 1 violated (13 states).")
    playground.trace.get_by_role("button", name="to the beginning").press("Enter")
    playground.trace.get_by_role("button", name="read(w2)").press("Enter")
    expect(where).to_contain_text("State 2 of 2")
    page.reload()
    expect(where).to_contain_text("State 2 of 2")
    before = page.url
    playground.editor("settings").evaluate("(editor) => editor.CodeMirror.setValue('# edited')")
    page.get_by_role("button", name="Copy link", exact=True).first.press("Enter")
    page.wait_for_function("(before) => location.href !== before && location.hash.startsWith('#model=')", arg=before)
    playground.check(ENDLESS.replace("s.at + 1", "1"), "")
    expect(playground.status).to_have_text("Everything holds (2 states).")
    page.go_back()  # to code that was written here
    page.go_forward()
    expect(playground.status).to_have_text("Everything holds (2 states).")
    ahead = page.evaluate("[location.href, history.length]")
    page.evaluate(SLOW_PACKING)
    page.go_back()
    expect(playground.status).to_have_text("1 of 1 violated (13 states).")
    page.go_forward()  # before the address of what was checked is ready
    page.evaluate("pack()")
    expect(playground.status).to_have_text("Everything holds (2 states).")
    assert page.evaluate("[location.href, history.length]") == ahead


#: Packs what an address holds only when `pack()` is called; the call waits until all of it is done.
SLOW_PACKING = """() => {
  const Whole = CompressionStream;
  const all = [];
  const asked = new Promise((resolve) => (window.pack = async () => {
    resolve();
    await Promise.all(all);
    await new Promise((resolve) => setTimeout(resolve));
  }));
  window.CompressionStream = class {
    constructor(format) {
      const stream = new Whole(format);
      this.writable = stream.writable;
      let ended;
      all.push(new Promise((resolve) => (ended = resolve)));
      this.readable = stream.readable.pipeThrough(new TransformStream({
        transform: async (bytes, to) => { await asked; to.enqueue(bytes); },
        flush: () => ended(),
      }));
    }
  };
}"""

#: Runs in the playground as code of a model, which gets hold of the worker through a timer's `this`, and tries ways.
REACHES = """import asyncio, js
from pyodide.ffi import create_proxy, to_js
from pyodide_js import FS

async def settled(request):
    done = asyncio.get_running_loop().create_future()
    request.onsuccess = lambda event: done.done() or done.set_result(event.target.result.name)
    request.onerror = request.onblocked = lambda event: done.done() or done.set_exception(OSError("refused"))
    return await done

async def heard(socket):
    done = asyncio.get_running_loop().create_future()
    socket.onopen = socket.onmessage = lambda event: done.done() or done.set_result("open")
    socket.onerror = lambda event: done.done() or done.set_exception(OSError("refused"))
    return await done

def got(address, options={}):
    return worker.fetch(address, to_js(options, dict_converter=js.Object.fromEntries))

async def reach():
    global worker
    found = asyncio.get_running_loop().create_future()
    js.setTimeout(create_proxy(found.set_result, capture_this=True), 0)
    worker = await found
    address = "ADDRESS"
WAYS

asyncio.ensure_future(reach())
"""
_TRY = """
    try:
        print(NAME, "reached", WAY)
    except BaseException as error:
        print(NAME, "shut:", type(error).__name__, str(error).partition("\\n")[0])"""
WAYS = {
    "databases": "await settled(worker.indexedDB.open('kept'))",
    "databases of Emscripten": "await settled(FS.filesystems.IDBFS.indexedDB().open('kept'))",
    "databases, deleted": "await settled(worker.indexedDB.deleteDatabase('kept'))",
    "local storage": "worker.localStorage.getItem('kept')",
    "session storage": "worker.sessionStorage.getItem('kept')",
    "cookies": "worker.document.cookie",
    "cookie store": "await worker.cookieStore.get('kept')",
    "caches": "await worker.caches.keys()",
    "files": "await worker.navigator.storage.getDirectory()",
    "locks": "(await worker.navigator.locks.query()).held",
    "service worker": "await worker.navigator.serviceWorker.getRegistrations()",
    "shared worker": "worker.SharedWorker.new(address)",
    "worker": "worker.Worker.new(address)",
    "script": "worker.importScripts(address)",
    "code": "worker.eval('1')",
    "import": "await worker.eval(f'import({address!r})')",
    "fetch": "(await got(address)).status",
    "fetch, blindly": "(await got(address, {'mode': 'no-cors', 'credentials': 'include'})).type",
    "fetch from elsewhere": "(await got(address.replace('127.0.0.1', 'localhost'), {'mode': 'no-cors'})).type",
    "events": "await heard(worker.EventSource.new(address))",
    "socket": "await heard(worker.WebSocket.new(address.replace('http', 'ws')))",
    "socket of Python": "__import__('urllib.request').request.urlopen(address, timeout=1).status",
    "request": "__import__('pyodide.http').http.open_url(address).read()",
}


def reaching(address: str, ways: dict[str, str]) -> str:
    """Code that tries ways, and prints a line for each."""
    tries = "".join(_TRY.replace("NAME", repr(name)).replace("WAY", way) for name, way in ways.items())
    return REACHES.replace("ADDRESS", f"{address}?reached").replace("\nWAYS", tries)


@pytest.mark.slow
@pytest.mark.browser
def test_a_model_in_the_playground_reaches_neither_storage_nor_a_server(playground: Playground) -> None:
    playground.page.evaluate(
        """() => new Promise((resolve) => {
            localStorage.kept = sessionStorage.kept = document.cookie = "kept=1";
            indexedDB.open("kept").onsuccess = ({ target }) => resolve(target.result.close());
        })"""
    )
    playground.check(reaching(playground.address, WAYS) + ENDLESS.replace("s.at + 1", "1"), "")
    last = list(WAYS)[-1]
    expect(playground.page.locator(".printed")).to_have_text(re.compile(rf"^{last} (shut|reached)", re.MULTILINE))
    said = playground.page.locator(".printed").inner_text().splitlines()
    expect(playground.status).to_have_text("Everything holds (2 states).")
    assert [line for line in said if " shut: " not in line] == []
    assert {line.partition(" shut: ")[0] for line in said} == set(WAYS)  # the code may run twice
    assert "kept" in playground.page.evaluate("indexedDB.databases().then((all) => all.map(({ name }) => name))")
    assert [told for told in playground.complaints if "Content Security Policy" not in told] == []
    playground.complaints.clear()


@pytest.mark.slow
@pytest.mark.browser
def test_a_model_in_the_playground_speaks_to_no_other_page(playground: Playground) -> None:
    playground.page.evaluate(
        "() => { self.heard = []; new BroadcastChannel('all').onmessage = ({ data }) => heard.push(data); }"
    )
    ways = {"channel": "worker.BroadcastChannel.new('all').postMessage('from a model')"}
    playground.check(reaching(playground.address, ways) + ENDLESS.replace("s.at + 1", "1"), "")
    expect(playground.page.locator(".printed")).to_have_text(re.compile("^channel reached"))
    playground.page.evaluate("new BroadcastChannel('all').postMessage('from the page')")
    playground.page.wait_for_function("heard.includes('from the page')")
    assert playground.page.evaluate("heard") == ["from the page"]


@pytest.mark.slow
@pytest.mark.browser
def test_a_model_in_the_playground_is_given_no_requests(playground: Playground) -> None:
    playground.check("import js\njs.fetch\n" + ENDLESS, "")
    expect(playground.page.locator(".error")).to_contain_text("fetch")
    expect(playground.page.locator(".model .bad .CodeMirror-linenumber")).to_have_text("2")


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_playground_is_accessible_and_fits(playground: Playground, width: int, scheme: Any) -> None:
    page = playground.page
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme)
    playground.check(ENDLESS.replace("at + 1", "at + 1 if s.at < 5 else 0"), "")
    expect(playground.trace.locator(".wb-moves")).to_contain_text("what can happen here")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for frame in page.frames:
        frame.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
        rules = {"page-has-heading-one": {"enabled": frame == page.main_frame}}
        found = frame.evaluate("async (rules) => (await axe.run({ rules })).violations", rules)
        assert [(one["id"], node["target"]) for one in found for node in one["nodes"]] == []


@pytest.mark.slow
@pytest.mark.browser
def test_it_opens_without_a_server_later(playground: Playground) -> None:
    playground.page.wait_for_load_state()
    playground.page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    playground.server.shutdown()
    playground.page.goto("about:blank")
    playground.page.goto(playground.address)
    expect(playground.status).to_have_text("1 of 1 violated (13 states).")


def test_the_chosen_stories_are_violations_of_the_gallery() -> None:
    known = shipped()
    assert all(gallery.expected(configuration(known[name])) for name in gallery.CHOSEN)
