"""The switches on the front page: for each combination of a protocol's main switches, the verdict and a trace.

All combinations are checked at small sizes when the site is built. The results are stored with the sources: a page for
a frame for each distinct trace, and a document that maps combinations to traces.
"""

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from website import playground
from website.broken import MOST_STATES
from website.keeping import in_processes, write
from website.staging import SCRIPT, STYLE
from workbench.checking.check import check
from workbench.checking.questions.whatif import Attempt
from workbench.formats.permalink import permalink
from workbench.kernel import InputError, Model, Result, Verdict, replay
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.replay_after_change import retold
from workbench.kernel.meaning.result import differing_constants
from workbench.kernel.meaning.values import counted
from workbench.registry.configurations import Configuration, configuration, shipped
from workbench.showing.panel.stepping import goes_on
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.session import Settings, in_sight, presets, start_from, stories
from workbench.showing.view.trace.tables import headline, said_of, what_changed
from workbench.showing.view.trace.trace import TraceView, trace_view, verdict_view

#: Where the frames and the document are, in the sources and on the site.
FOLDER = "front"
DATA = f"{FOLDER}/front.json"
#: The panel's style sheet, which the page takes from the package, among the static files.
PANEL_STYLE = "panel.css"
#: By protocol, the configuration that gives the sizes, and which switches are on at first.
PROTOCOLS = {
    "Paimon": "paimon/two_buckets_unprotected",
    "Hudi": "hudi/timestamp_collision",
    "Delta Lake": "delta/overwritten",
    "Iceberg": "iceberg/update_and_delete",
    "ColdFront's bakery": "bakery/v2_two_writers_wedge",
}
#: Switches of the panel that are left out: some would double the combinations without adding a story; with those for
#: lost answers and clean-up, some spaces have more than :data:`website.broken.MOST_STATES` states.
_LEFT_OUT = {"AsPublished", "Isolation", "UpdateMode", "DeleteMode", "LostAnswer", "Remember", "CleanUp"}


class Shown(NamedTuple):
    """What the page shows for one combination.

    Attributes:
        why: The property with the reason why it is violated; for settings that are not accepted, the reason for that.
        frame: The name of the page in the frame; "" if there is nothing to play.
        badge: The verdict as HTML.
        visited: The number of states visited by the check.
        start: The permalink of the initial state, for taking steps by hand; "" for none.
        title: The title of the configuration with these settings; "" if there is none.
        doc: The description of the property whose trace is played.
        hints: For each switch what flipping it would do, and whether that is good.
        flips: For each switch or choice, a sentence on the effect of each of its values. If a value repairs everything,
            also the name of the page that retells the trace up to its first difference.
    """

    why: str
    frame: str = ""
    badge: str = ""
    visited: str = ""
    start: str = ""
    title: str = ""
    doc: str = ""
    hints: Sequence[tuple[str, str]] = ()
    flips: Sequence[Sequence[tuple[str, str]]] = ()


def stage(folder: Path, kept: Path, only: Sequence[str] | None = None) -> None:
    """Write the front page's data for the protocols whose configuration is among `only`; None means all."""
    models = {title: start_from(name).model_class for title, name in PROTOCOLS.items() if only is None or name in only}
    inputs = {title: [shipped()[PROTOCOLS[title]], *_files_of(model)] for title, model in models.items()}
    protocols = in_processes("front page", _explore, folder, inputs, kept)
    if protocols:
        write(folder / DATA, json.dumps(protocols))


def _explore(folder: Path, title: str) -> dict[str, Any]:
    """Check all combinations of a protocol, and write the frames."""
    start = start_from(PROTOCOLS[title])
    model, constants = start.model_class, dict(start.constants)
    names = _switches(model)
    values = [_values(model, name) for name in names]
    results = checked(title)
    configurations = list(map(configuration, _files_of(model)))
    frames: dict[str, str] = {}
    shown = {}

    def framed(text: str) -> str:
        if text not in frames:
            frames[text] = f"{model.name}-{len(frames) + 1}.html"
            write(folder / FOLDER / frames[text], text)
        return frames[text]

    def flip(verdict: Verdict | None, before: Result, after: Result | InputError) -> tuple[str, str]:
        if after is before or isinstance(after, InputError):
            return "", ""
        again = _again(verdict, after)
        return what_changed(before, after), framed(again) if again else ""

    for chosen, result in results.items():
        key = " ".join(str(values[i].index(value)) for i, value in enumerate(chosen))
        if isinstance(result, InputError):
            shown[key] = Shown(str(result))._asdict()
            continue
        main = _main_verdict(result)
        others = _others(values, chosen, results)
        shown[key] = Shown(
            _why(main),
            "" if main is None else framed(_frame(f"{main.name}: {main.word}", verdict_view(main, main.trace))),  # type: ignore[arg-type]
            headline(result),
            counted(result.distinct, "state"),
            permalink(replay(result.model, 0, [])),
            _title(configurations, result, main),
            _promise(result, main),
            [_hint(result, name, after) for name, after in zip(names, others, strict=True)],
            [[flip(main, result, other) for other in after.values()] for after in others],
        )._asdict()
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


def checked(title: str) -> dict[tuple[Any, ...], Result | InputError]:
    """The result of each combination of a protocol's switches, with the progress on the standard output.

    Raises:
        InputError: If one has more than :data:`website.broken.MOST_STATES` states: a site is built in minutes.
    """
    start = start_from(PROTOCOLS[title])
    names = _switches(start.model_class)
    combinations = list(itertools.product(*(_values(start.model_class, name) for name in names)))
    results: dict[tuple[Any, ...], Result | InputError] = {}
    for chosen in combinations:
        results[chosen] = _checked(start, names, chosen)
        print(f"front page, {title}: {len(results)} of {len(combinations)} combinations", flush=True)
    return results


def _switches(model: type[Model]) -> list[str]:
    """The switches and choices on the page."""
    return [name for name in in_sight(model) if _values(model, name) and name not in _LEFT_OUT]


def _files_of(model: type[Model]) -> list[Path]:
    """The configurations of a model, beginning with those of its stories."""
    return [*stories(model).values(), *presets(model).values()]


def _values(model: type[Model], name: str) -> tuple[Any, ...]:
    """The values of a switch or a choice; none for a size."""
    domain = model.declared.constants[name].domain
    return tuple(domain) if domain.kind in ("switch", "choice") else ()


def _checked(start: Settings, names: Iterable[str], chosen: Iterable[Any]) -> Result | InputError:
    """The check that a panel makes of the same settings, so that both count the same."""
    try:
        settings = start.with_constants(dict(zip(names, chosen, strict=True)))
        result = check(settings.model(), settings.applicable(), budget=Budget(states=MOST_STATES))
    except InputError as error:
        return error
    if not result.complete:
        raise InputError(f"{result.model} has more than {MOST_STATES:,} states, too many for the front page")
    return result


def _main_verdict(result: Result) -> Verdict | None:
    """The verdict to play: the shortest violation, or else the longest run to something that can be reached."""
    traced = [verdict for verdict in result.verdicts if verdict.trace is not None]
    broken = [verdict for verdict in traced if verdict.holds is False]
    return (
        min(broken, key=lambda verdict: len(verdict.trace), default=None)  # type: ignore[arg-type]
        or max(traced, key=lambda verdict: len(verdict.trace), default=None)  # type: ignore[arg-type]
    )


def _title(configurations: Iterable[Configuration], result: Result, verdict: Verdict | None) -> str:
    """The title of the first configuration with this check, or with fewer properties, the verdict's among them."""
    for configured in configurations:
        checked = configured.properties is None or verdict is None or verdict.name in configured.properties
        if checked and not configured.symmetry and configured.model.constants == result.model.constants:
            return configured.title
    return ""


def _promise(result: Result, verdict: Verdict | None) -> str:
    """The first sentence of a property's docstring, after its name; "" if it has none."""
    if verdict is None or not (doc := said_of(result, verdict.name)):
        return ""
    return f"{verdict.name}: {re.split(r'(?<=[.?!]) ', doc)[0]}"


def _why(verdict: Verdict | None) -> str:
    if verdict is None or verdict.holds is not False:
        return ""
    return f"{verdict.name}: {verdict.why or 'what it promises never happens'}"


def _others(
    values: Sequence[Sequence[Any]], chosen: tuple[Any, ...], results: Mapping[tuple[Any, ...], Result | InputError]
) -> list[dict[Any, Result | InputError]]:
    """For each switch or choice the results with each of its values, all else the same."""
    return [{value: results[*chosen[:i], value, *chosen[i + 1 :]] for value in each} for i, each in enumerate(values)]


def _hint(before: Result, name: str, others: Mapping[Any, Result | InputError]) -> tuple[str, str]:
    """What flipping a switch would do; empty for choices."""
    if set(others) != {False, True}:
        return "", "idle"
    value = not before.model.constants[name]
    after = others[value]
    return Attempt(before, {name: value}, None if isinstance(after, InputError) else after).hint


def _sizes(model: type[Model], constants: Mapping[str, Any], names: Sequence[str]) -> str:
    """The sizes and other settings that are not at their defaults."""
    return ", ".join(line for line in differing_constants(model(**constants)) if line.partition("=")[0] not in names)


def _again(violation: Verdict | None, after: Result) -> str:
    """The page of a violation's trace as it goes with other constants, if these repair everything; else ""."""
    if violation is None or violation.holds is not False or after.violated:
        return ""
    again = retold(violation.trace, after.model)  # type: ignore[arg-type]
    names = [verdict.name for verdict in after.verdicts]
    return _frame(
        f"{violation.name}: {after[violation.name].word}",
        trace_view(again.trace, properties=names, remark=goes_on(again)),
    )


def _frame(title: str, view: TraceView) -> str:
    """A page that plays a trace as soon as it is there."""
    head = [
        element("meta", charset="utf-8"),
        element("title", title),
        *(element("link", rel="stylesheet", href=f"../_static/{name}") for name in (STYLE, "front.css")),
    ]
    scripts = (element("script", src=f"../_static/{name}") for name in (SCRIPT, "frame.js"))
    main = element("main", view.html(), class_="wb")
    body = element("body", main, *scripts, data_plays="", data_opens=f"../{playground.PAGE}.html#")
    return f"<!DOCTYPE html>\n{element('html', element('head', *head), body, lang='en')}\n"


def put(body: str, folder: Path, static: str) -> str:
    """The front page with its switches in place of its picture, and a link to the playground next to its title.

    Args:
        static: The relative address of the static files.
        folder: The folder with the staged data; without data, the page stays unchanged.
    """
    staged = folder / DATA
    if not staged.is_file():
        return body
    switches = _block(json.loads(staged.read_text()), static)
    play = element("a", "Playground", class_="front-playground", href=f"{playground.PAGE}.html")
    body = body.replace("<h1>", '<div class="front-title"><h1>', 1).replace("</h1>", f"</h1>{play}</div>", 1)
    return re.sub("<p><img [^>]*></p>", lambda _: switches, body, count=1)


def _block(protocols: Sequence[Mapping[str, Any]], static: str) -> Markup:
    combinations = sum(len(protocol["shown"]) for protocol in protocols)
    tabs = [
        element(
            "label",
            element("input", type="radio", name="protocol", value=str(i), checked="" if i == 0 else None),
            protocol["title"],
            class_="wb-story",
        )
        for i, protocol in enumerate(protocols)
    ]
    data = Markup(json.dumps(protocols).replace("<", "\\u003c"))
    return element(
        "section",
        element("link", rel="stylesheet", href=f"{static}/{PANEL_STYLE}"),
        element("div", *tabs, class_="front-protocols", role="radiogroup", aria_label="protocol"),
        element("div", class_="front-said", role="status"),
        element("div", class_="wb-controls wb-what-if", role="group", aria_label="switches"),
        element("iframe", title="the trace, state by state"),
        element(
            "p",
            f"All {combinations} combinations were checked when this page was built. ",
            element("a", "Break it yourself", class_="front-by-hand"),
            " takes these settings to the playground, where you take the steps.",
            class_="wb-note",
        ),
        element("script", data, type="application/json"),
        element("script", src=f"{static}/front.js"),
        class_="front wb wb-pane",
        aria_label="what breaks",
    )
