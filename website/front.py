"""The switches on the front page: of each combination of a protocol's main switches, the verdict and a trace.

All combinations are checked when the site is built, at small sizes. What the page shows then lies beside the sources:
a page for a frame per distinct trace, and one document that says which combination has which.
"""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from website.staging import in_processes, write
from workbench.checking.check import check
from workbench.checking.questions.whatif import Attempt
from workbench.kernel import InputError, Model, Result, Verdict
from workbench.kernel.result import differing_constants
from workbench.kernel.values import counted
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.session.start import start_from
from workbench.showing.session.stories import in_sight
from workbench.showing.view.tables import headline
from workbench.showing.view.trace import verdict_view

#: Where the frames and the document are, in the sources and on the site.
FOLDER = "front"
#: By protocol, the configuration that gives the sizes, and which switches are on at first.
PROTOCOLS = {
    "Paimon": "paimon/two_buckets_unprotected",
    "Hudi": "hudi/timestamp_collision",
    "Delta Lake": "delta/overwritten",
    "Iceberg": "iceberg/update_and_delete",
    "ColdFront's bakery": "bakery/v2_two_writers_wedge",
}
#: Switches in sight on the panel that would double the combinations and tell no other story.
_LEFT_OUT = {"AsPublished", "Isolation", "UpdateMode", "DeleteMode"}


class Shown(NamedTuple):
    """What the page shows of one combination.

    Attributes:
        frame: The name of the page in the frame; "" if there is nothing to play.
        said: The verdict as HTML.
        hints: For each switch what flipping it would do, and whether that is good.
    """

    frame: str
    said: str
    hints: list[tuple[str, str]]


def stage(folder: Path, only: Sequence[str] | None = None) -> None:
    """Write what the front page shows of the protocols whose configuration is among `only`; of all for None."""
    wanted = [title for title, name in PROTOCOLS.items() if only is None or name in only]
    protocols = in_processes("front page", _explore, folder, wanted)
    if protocols:
        write(folder / FOLDER / "front.json", json.dumps(protocols))


def _explore(folder: Path, title: str) -> dict[str, Any]:
    """Check all combinations of a protocol, and write the frames."""
    start = start_from(PROTOCOLS[title])
    model, constants = start.model_class, dict(start.constants)
    names = [name for name in in_sight(model) if _values(model, name) and name not in _LEFT_OUT]
    values = [_values(model, name) for name in names]
    results = {chosen: _checked(model, constants, names, chosen) for chosen in itertools.product(*values)}
    frames: dict[str, str] = {}
    shown = {}
    for chosen, result in results.items():
        frame = ""
        if isinstance(result, Result) and (told := _told(result)) is not None:
            text = _frame(told)
            frame = frames.setdefault(text, f"{model.name}-{len(frames) + 1}.html")
            write(folder / FOLDER / frame, text)
        key = " ".join(str(values[i].index(value)) for i, value in enumerate(chosen))
        shown[key] = Shown(frame, _said(result), _hints(names, values, chosen, results))
    switches = [
        {
            "name": name,
            "doc": model.declared.constants[name].doc,
            "is_switch": model.declared.constants[name].domain.kind == "switch",
            "words": [model.declared.constants[name].domain.word(value) for value in values[i]],
            "first": values[i].index(constants[name]),
        }
        for i, name in enumerate(names)
    ]
    return {"title": title, "model": model.name, "sizes": _sizes(model, constants, names), "switches": switches} | {
        "shown": shown
    }


def _values(model: type[Model], name: str) -> tuple[Any, ...]:
    """The values of a switch or a choice; none for a size."""
    domain = model.declared.constants[name].domain
    return tuple(domain) if domain.kind in ("switch", "choice") else ()


def _checked(
    model: type[Model], constants: Mapping[str, Any], names: Iterable[str], chosen: Iterable[Any]
) -> Result | InputError:
    try:
        return check(model(**{**constants, **dict(zip(names, chosen, strict=True))}))
    except InputError as error:
        return error


def _told(result: Result) -> Verdict | None:
    """The verdict to play: the shortest violation, or else the longest run to something that can be reached."""
    traced = [verdict for verdict in result.verdicts if verdict.trace is not None]
    broken = [verdict for verdict in traced if verdict.holds is False]
    return (
        min(broken, key=lambda one: len(one.trace), default=None)  # type: ignore[arg-type]
        or max(traced, key=lambda one: len(one.trace), default=None)  # type: ignore[arg-type]
    )


def _said(result: Result | InputError) -> Markup:
    if isinstance(result, InputError):
        return element("span", str(result))
    told, visited = _told(result), f"{counted(result.distinct, 'state')} visited"
    parts = [headline(result), " ", element("span", visited, class_="front-visited")]
    if told is not None and told.holds is False:
        parts += [element("br"), element("b", told.name), f": {told.why or 'what it promises never happens'}"]
    return joined(parts)


def _hints(
    names: Sequence[str],
    values: Sequence[Sequence[Any]],
    chosen: tuple[Any, ...],
    results: Mapping[tuple[Any, ...], Result | InputError],
) -> list[tuple[str, str]]:
    """What flipping each switch would do; nothing is said of choices."""
    hints, before = [], results[chosen]
    for i, name in enumerate(names):
        if set(values[i]) != {False, True} or isinstance(before, InputError):
            hints.append(("", "idle"))
            continue
        flipped = (*chosen[:i], not chosen[i], *chosen[i + 1 :])
        after = results[flipped]
        result = None if isinstance(after, InputError) else after
        hints.append(Attempt(before, {name: flipped[i]}, result).hint)
    return hints


def _sizes(model: type[Model], constants: Mapping[str, Any], names: Sequence[str]) -> str:
    """The sizes and other settings that are not at their defaults."""
    return ", ".join(line for line in differing_constants(model(**constants)) if line.partition("=")[0] not in names)


def _frame(verdict: Verdict) -> str:
    """A page that plays a trace as soon as it is there."""
    head = [
        element("meta", charset="utf-8"),
        element("title", f"{verdict.name}: {verdict.word}"),
        *(element("link", rel="stylesheet", href=f"../_static/{name}") for name in ("drawings.css", "steps.css")),
        element("link", rel="stylesheet", href="../_static/front.css"),
    ]
    scripts = [element("script", src=f"../_static/{name}") for name in ("drawings.js", "steps.js", "frame.js")]
    main = element("main", verdict_view(verdict, verdict.trace).html(), class_="wb player front-frame")  # type: ignore[arg-type]
    body = element("body", main, *scripts, data_plays="")
    return f"<!DOCTYPE html>\n{element('html', element('head', *head), body, lang='en')}\n"


def block(folder: Path, static: str) -> Markup:
    """The part of the front page; `static` leads to the static files, `folder` has what was staged."""
    staged = folder / FOLDER / "front.json"
    if not staged.is_file():
        return Markup("")
    protocols = json.loads(staged.read_text())
    combinations = sum(len(one["shown"]) for one in protocols)
    tabs = [
        element(
            "label",
            element("input", type="radio", name="protocol", value=str(i), checked="" if i == 0 else None),
            one["title"],
        )
        for i, one in enumerate(protocols)
    ]
    data = Markup(json.dumps(protocols).replace("<", "\\u003c"))
    return element(
        "section",
        element("link", rel="stylesheet", href=f"{static}/drawings.css"),
        element("div", *tabs, class_="front-protocols", role="radiogroup", aria_label="protocol"),
        element("div", class_="front-switches", role="group", aria_label="switches"),
        element("p", class_="front-said wb", role="status"),
        element("iframe", title="the trace, state by state"),
        element("p", f"All {combinations} combinations were checked when this page was built.", class_="front-note"),
        element("script", data, type="application/json"),
        element("script", src=f"{static}/front.js"),
        class_="front",
        aria_label="what breaks",
    )
