"""The gallery: a page for every violation that the configurations expect, and a searchable index.

A page's name, ``gallery/FOLDER/CONFIGURATION/PROPERTY``, is stable. Its text is Markdown, which Sphinx reads. The
trace's player is a separate file that ``conf.py`` inserts into the page, which keeps it out of the search index. If
other pages link to it with a picture, the trace is also stored as an animated picture, and its last state for chats.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from resvg_py import svg_to_bytes

from website import incidents
from website.broken import MOST_STATES, Broken, expected, find, inputs
from website.keeping import ROOT, in_processes, write
from workbench.checking.questions.whatif import Attempt, never_happen
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.values import counted
from workbench.registry import protocols
from workbench.registry.configurations import Configuration, configuration, shipped
from workbench.showing.panel.tabs import MapTab
from workbench.showing.pictures import Picture
from workbench.showing.pictures.letters import FONT
from workbench.showing.pictures.markup import Markup, address_of, element, joined
from workbench.showing.pictures.paint import PAPER
from workbench.showing.view import animated_svg
from workbench.showing.view.trace.trace import verdict_view

FOLDER = "gallery"
#: The placeholder of the trace in a page.
PLAYER = "<!-- player -->"
#: The suffixes of the pictures of a page that other pages link to with a picture.
ANIMATED, STILL = ".svg", ".png"
#: The width of a card's picture, in pixels, as chats ask for it.
CARD_WIDTH = 1200
#: The configurations at the top, with titles for newcomers.
CHOSEN = {
    "paimon/two_buckets_unprotected": "Two writers rename to one name: a row is lost",
    "hudi/timestamp_collision": "Two writers take the same timestamp: a row disappears",
    "delta/overwritten": "One log entry overwrites another",
    "iceberg/blind_swap": "A catalog swaps without a look: a commit is gone",
    "incidents/pypaimon": "Found by an audit: a write that a real table lost",
    "hudi/duplicate_key": "One key, two rows",
    "iceberg/orphans": "Clean-up deletes the files of a commit under way",
    "delta/lock_expires": "A lock expires while its holder still writes",
    "paimon/dangling": "Two compactions meet: a key is read twice",
    "bakery/v2_two_writers_wedge": "A writer waits for an answer that never comes",
}
_ROW = re.compile(r"\| `([\w/]+)` \|")


@dataclass(frozen=True)
class Entry:
    """A violation in the index.

    Attributes:
        page: Relative to the index, without a suffix.
        breaks: What breaks, in a sentence or two.
        repairs: The changes that only repair it.
        at_a_price: The changes that repair it, but break something else, or rule something out.
        states: The length of the trace.
        shown: How many of its states the player shows: bookkeeping at the end is left out.
        picture: Its last state as SVG, if pictures link to the page; otherwise "".
        fault: The box at fault in that state, if a report links to the page; otherwise "".
    """

    page: str
    protocol: str
    configuration: str
    title: str
    property: str
    breaks: str
    repairs: Sequence[str]
    at_a_price: Sequence[str]
    states: int
    shown: int
    picture: str = ""
    fault: str = ""


def stage(folder: Path, kept: Path, only: Iterable[str] | None = None) -> list[Entry]:
    """Write all pages and the index below `folder`.

    Args:
        kept: Has the pages of earlier builds.
        only: The names of configurations, such as ``bakery/v2_race``; all for None.

    Raises:
        InputError: For an unknown configuration, or one whose check does not meet its expectations.
    """
    configurations = _known()
    for name in only or ():
        if name not in configurations:
            raise unknown("configuration", name, configurations)
    names = [name for name in (configurations if only is None else only) if expected(configurations[name])]
    report = {name: [ROOT / incidents.PAGE] for name in incidents.reports()}
    inputs_of = {name: [*inputs(configurations[name]), *report.get(name, ())] for name in names}
    staged = in_processes("gallery", _stage_one, folder, inputs_of, kept)
    entries = [Entry(**fields) for rows in staged for fields in rows]
    write(folder / FOLDER / "index.md", index(entries))
    return entries


def stage_one(folder: Path, name: str) -> list[Entry]:
    """Write the pages of one configuration."""
    entries = []
    for broken in find(shipped()[name]):
        view = verdict_view(broken.verdict, broken.trace)
        last = view.picture(len(view.steps) - 1)
        picture = last.svg_with(view.prefix) if _is_on_top(name) else ""
        fault = incidents.fault(last) if name in incidents.reports() else ""
        entries.append(_entry(name, broken, picture, fault))
        page = folder / FOLDER / entries[-1].page
        write(page.with_suffix(".md"), words(name, broken))
        write(page.with_suffix(".player"), view.html())
        if entries[-1].picture:
            write(page.with_suffix(ANIMATED), animated_svg(view))
            write(page.with_suffix(STILL), _card(last))
    return entries


def _card(picture: Picture) -> bytes:
    """The picture as chats show it: without its style sheet, which colours it as a reader prefers."""
    width, height = picture.size
    svg = element(
        "svg",
        picture.content(""),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        font_family=FONT,
    )
    return svg_to_bytes(svg, width=CARD_WIDTH, background=PAPER)


def _stage_one(folder: Path, name: str) -> list[dict[str, Any]]:
    return list(map(asdict, stage_one(folder, name)))


@cache
def _known() -> dict[str, Configuration]:
    return {name: configuration(path) for name, path in shipped().items()}


# A page --------------------------------------------------------------------------------------------------------------


def words(name: str, broken: Broken) -> str:
    """The text around the trace on the page of a violation."""
    configured, verdict = broken.one, broken.verdict
    protocol = name.partition("/")[0]
    parts = [
        f"---\norphan: true\nhide-toc: true\nproperty: {verdict.name}\n---\n",
        f"# {literal(configured.title)}\n",
        f"[Gallery](/{FOLDER}/index.md) \N{MIDDLE DOT} [{protocol}](/{_page_of(protocol)}) "
        f"\N{MIDDLE DOT} `{configured.name}`\n",
        *([f"## The report\n\n{report}\n"] if (report := incidents.reports().get(name)) else []),
        "## What breaks\n",
        f"`{verdict.name}` is violated; a shortest trace has {counted(len(broken.trace), 'state')}{_unseen(broken)}. "
        "What it promises: "
        f"{literal(broken.doc)}\n",
        *([f"{{.broken}}\n\N{BALLOT X} {literal(verdict.why)}\n"] if verdict.why else []),
        "## Step by step\n",
        f"```{{raw}} html\n{PLAYER}\n{_as_picture(verdict.name) if _is_on_top(name) else ''}```\n",
        "## What repairs it\n",
        *_repairs(broken),
        "## Once more\n",
        f"The model is `{configured.model.name}` {_with(broken.constants)}. The search found "
        f"{counted(broken.result.distinct, 'state')}{_up_to(configured)}, at a depth of {broken.result.depth}. "
        "This finds the violation again, and writes it as a page of its own:\n",
        f"```console\n$ {broken.command}\n```\n",
    ]
    return "\n".join(parts)


def _as_picture(property: str) -> str:
    link = element("a", "an animated picture", href=property + ANIMATED)
    return element("p", "For a chat or a slide: ", link, ".") + "\n"


def _unseen(broken: Broken) -> str:
    """The states at the end that the player leaves out."""
    end = len(broken.trace) - broken.trace.end - 1
    return f", the last {'' if end == 1 else f'{end} '}without an event" if end else ""


def _page_of(folder: str) -> str:
    return incidents.PAGE if folder == "incidents" else f"specs/{folder}/README.md"


def _with(constants: Sequence[str]) -> str:
    return f"with {_list(constants)}" if constants else "with its default constants"


def _up_to(configured: Configuration) -> str:
    return f", up to symmetry of {_list(configured.symmetry)}" if configured.symmetry else ""


def _repairs(broken: Broken) -> list[str]:
    name = broken.verdict.name
    parts = []
    if broken.repairs:
        parts.append(f"After any one of these changes `{name}` holds:\n")
        parts.append("".join(f"- `{repair.in_line}`{_but(repair)}\n" for repair in broken.repairs))
    else:
        decided = "" if not broken.undecided else " that could be decided"
        parts.append(
            f"No single switch or choice{decided} repairs it. In a panel, *Find repairs* under *{MapTab.title}* tries "
            "several at once.\n"
        )
    if broken.undecided:
        changes = _list([attempt.in_line for attempt in broken.undecided])
        parts.append(f"Not known, since {MOST_STATES:,} states do not decide it: {changes}.\n")
    if broken.neighbours:
        parts.append(f"`{name}` also holds in:\n")
        parts += [
            "".join(
                f"- `{near.one.name}`, with `{near.differs}`: {literal(_sentence(near.one.title))}\n"
                for near in broken.neighbours
            )
        ]
    return parts


def _but(repair: Attempt) -> str:
    """What else a repair breaks or rules out: some repairs only prevent events that the protocol cannot handle."""
    names, clauses = repair.breaks, []
    if names:
        clauses.append(f"{_list(names)} {'does' if len(names) == 1 else 'do'} not")
    if repair.never:
        clauses.append(never_happen([f"`{name}`" for name in repair.never]))
    return f", but then {', and '.join(clauses)}" if clauses else ""


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def literal(text: str) -> str:
    r"""Text as Markdown that shows it as it is.

    Examples:
        >>> literal("a row_id [1] of <t>")
        'a row\\_id \\[1\\] of \\<t\\>'
    """
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]<>#$|" else letter for letter in text)


# Ways to the pages ---------------------------------------------------------------------------------------------------


def link_tables(folder: Path, entries: Iterable[Entry]) -> None:
    """Link violations in the tables of the pages below `folder` to their pages in the gallery."""
    violated: dict[str, list[Entry]] = {}
    for entry in entries:
        violated.setdefault(f"{entry.protocol}/{entry.configuration}", []).append(entry)
    folders = dict.fromkeys(name.partition("/")[0] for name in violated)
    for page, beside in {incidents.PAGE: "incidents", **{_page_of(folder): folder for folder in folders}}.items():
        path = folder / page
        text = "".join(_linked(line, beside, violated) for line in path.read_text().splitlines(keepends=True))
        is_incidents = page == incidents.PAGE
        write(path, incidents.cards(text, _shown(violated)) if is_incidents else _with_stories(text, beside, violated))


def _linked(line: str, beside: str, violated: Mapping[str, Sequence[Entry]]) -> str:
    """A row of a table that begins with a configuration, with links from the properties that it violates.

    Configurations without a folder are in the folder `beside` the page.
    """
    row = _ROW.match(line)
    name = row[1] if row else ""
    for entry in violated.get(name if "/" in name else f"{beside}/{name}", ()):
        violation = f"{entry.property} ({entry.states})"
        line = line.replace(violation, f"[{violation}](/{FOLDER}/{entry.page}.md)")
    return line


def _shown(violated: Mapping[str, Sequence[Entry]]) -> dict[str, incidents.Shown]:
    """For the page of incidents, the trace that shows the reports of each configuration."""
    return {
        name: incidents.Shown(f"../{FOLDER}/{entry.page}.html", _title_of(_known()[name].model.name), entry.fault)
        for name, (entry, *_) in violated.items()
        if entry.fault
    }


def _title_of(model: str) -> str:
    """The title of a model's protocol, as its page begins."""
    protocol = next(name for name, listed in protocols().items() if model in listed.models)
    return (ROOT / _page_of(protocol)).read_text(encoding="utf-8").partition(":")[0].removeprefix("# ")


def _with_stories(text: str, protocol: str, violated: Mapping[str, Sequence[Entry]]) -> str:
    """A protocol's page with the stories that its panels tell, as pictures above its first section."""
    titled = [(title, violated[name][0]) for name, title in _stories(protocol).items() if name in violated]
    if not titled:
        return text
    stories = joined(_story(title, entry, f"../../{FOLDER}/") for title, entry in titled)
    above, section, below = text.partition("\n## ")
    return f'{above}\n```{{raw}} html\n<ul class="gallery-stories">\n{stories}</ul>\n```\n{section}{below}'


def _stories(protocol: str) -> dict[str, str]:
    """The titles of a protocol's stories, by the names of configurations."""
    listed = protocols().get(protocol)
    return {name: title for stories in listed.stories.values() for title, name in stories.items()} if listed else {}


# The index -----------------------------------------------------------------------------------------------------------


def _is_on_top(name: str) -> bool:
    """Whether pictures of a configuration link to its page, since it is at the top, an incident's, or a story."""
    return name in {*CHOSEN, *incidents.reports(), *_stories(name.partition("/")[0])}


def _entry(name: str, broken: Broken, picture: str, fault: str) -> Entry:
    protocol = name.partition("/")[0]
    return Entry(
        page=f"{name}/{broken.verdict.name}",
        protocol=protocol,
        configuration=broken.one.name,
        title=broken.one.title,
        property=broken.verdict.name,
        breaks=f"{broken.doc} {broken.verdict.why or ''}".strip(),
        repairs=tuple(repair.in_line for repair in broken.repairs if not any(repair.price)),
        at_a_price=tuple(repair.in_line for repair in broken.repairs if any(repair.price)),
        states=len(broken.trace),
        shown=broken.trace.end + 1,
        picture=picture,
        fault=fault,
    )


def index(entries: Sequence[Entry]) -> str:
    """The page with the chosen stories, and all configurations to search in."""
    by_configuration: dict[str, list[Entry]] = {}
    for entry in entries:
        by_configuration.setdefault(f"{entry.protocol}/{entry.configuration}", []).append(entry)
    changes = sorted({repair for entry in entries for repair in (*entry.repairs, *entry.at_a_price)})
    options = joined(element("option", value=change) for change in changes)
    choices = joined(element("option", name) for name in dict.fromkeys(entry.protocol for entry in entries))
    chosen = [_story(title, by_configuration[name][0]) for name, title in CHOSEN.items() if name in by_configuration]
    many = counted(len(by_configuration), "configuration")
    return f"""---
hide-toc: true
---

# Gallery

{counted(len(entries), "violation")} of {many}: what breaks, as a shortest trace with a picture of every state.
Each page plays the steps, and keeps its address.

```{{raw}} html
<ul class="gallery-stories">
{"".join(chosen)}</ul>
<form class="gallery-search" role="search">
<label>What breaks <input type="search" name="breaks" placeholder="duplicate, 409, waits for ever"></label>
<label>What repairs it <input type="search" name="repairs" list="changes" placeholder="UseSalt, SafeAcks=on"></label>
<label>Protocol <select name="protocol"><option value="">all</option>{choices}</select></label>
<datalist id="changes">{options}</datalist>
<output name="count" aria-live="polite"></output>
</form>
<details class="gallery-all">
<summary>All {many}</summary>
<ol class="gallery-list">
{"".join(map(_item, by_configuration.values()))}</ol>
</details>
```
"""


def _story(title: str, entry: Entry, gallery: str = "") -> Markup:
    """A picture that leads to a page; `gallery` is the way to its folder."""
    image = element("img", src=address_of(entry.picture), alt="", loading="lazy")
    facts = f"{entry.protocol} \N{MIDDLE DOT} {counted(entry.shown, 'state')}"
    caption = element("span", element("b", title), element("small", facts))
    return element("li", element("a", image, caption, href=f"{gallery}{entry.page}.html")) + "\n"


def _marked(how: str, changes: Sequence[str]) -> Markup | None:
    return joined([how, *(element("code", change) for change in changes)], " ") if changes else None


def _item(entries: Sequence[Entry]) -> Markup:
    """A configuration, with the properties that break in it."""
    first = entries[0]
    facts = [f"{first.protocol} \N{MIDDLE DOT} ", element("code", first.configuration)]
    line = element(
        "li",
        element("b", first.title),
        *map(_violation, entries),
        element("p", *facts, class_="gallery-facts"),
        data_protocol=first.protocol,
    )
    return line + "\n"


def _violation(entry: Entry) -> Markup:
    repairs = [_marked("by", entry.repairs), _marked("at a price by", entry.at_a_price)]
    repaired = joined(repairs, " \N{MIDDLE DOT} ") or "by no single switch"
    sign = element("span", "\N{BALLOT X} ", aria_hidden="true")
    link = element("a", entry.property, href=f"{entry.page}.html")
    facts = [f"{counted(entry.shown, 'state')} \N{MIDDLE DOT} repaired "]
    return joined(
        [
            element("p", sign, link, " ", entry.breaks, class_="gallery-breaks"),
            element("p", *facts, element("span", repaired, class_="gallery-repairs"), class_="gallery-facts"),
        ]
    )
