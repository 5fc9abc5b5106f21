"""A page that stands on its own: verdicts, traces, the state graph and charts, with nothing to load."""

import base64
import hashlib
from collections.abc import Sequence

from workbench.kernel import InputError, Result, Verdict
from workbench.kernel.meaning.properties import DEADLOCK
from workbench.kernel.meaning.result import model_line
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.html import badge, bullets, drawn_style, folded, live_script, noted, style, table
from workbench.showing.view.charts.charts import access_chart, coverage_chart, levels_chart
from workbench.showing.view.charts.profile import profile_view
from workbench.showing.view.graph.density import density
from workbench.showing.view.graph.graph import Space
from workbench.showing.view.graph.selection import alternatives
from workbench.showing.view.graph.whole import too_large, whole_graph
from workbench.showing.view.trace.tables import constants_table, headline, summary, verdict_table
from workbench.showing.view.trace.trace import trace_view, verdict_view


def page(title: str, body: Markup) -> str:
    """A whole HTML page around fragments of it; it follows the reader's preference for light or dark."""
    states, density, runs = (f'class="wb-{name}"' in body for name in ("whole", "density", "runs"))
    script = live_script(states=states, density=density, runs=runs)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("title", title),
        element("meta", name="viewport", content="width=device-width"),
        element("style", Markup(drawn_style() + style("page.css"))),
    )
    main = element("main", element("h1", title), body, element("script", script), class_="wb")
    return f"<!DOCTYPE html>\n{element('html', head, element('body', main), lang='en')}\n"


def _policy(script: str) -> str:
    """The page's Content-Security-Policy: run this one script, use styles and images, and load nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def report(
    result: Result,
    *,
    title: str | None = None,
    source: str = "",
    differences: Sequence[str] = (),
    as_expected: bool = False,
    space: Space | None = None,
    repair: str = "",
    left_out: str = "",
) -> str:
    """A self-contained HTML page on one result.

    Args:
        title: The title; by default the model and its settings.
        source: The source of the expected figures.
        differences: The differences between the result and the expectations.
        as_expected: Whether the result is all that was expected. Even without differences, some of it may be open.
        space: The states, for the graph and for what reads and writes what.
        repair: What would repair the first violation.
        left_out: Why there is no `space`, and how to see it.
    """
    shown, deadlock = result.shown, any(verdict.kind == DEADLOCK.kind for verdict in result.verdicts)
    parts = [_expected(differences, as_expected), _in_short(result)]
    parts += [element("p", element("b", "Repaired by "), element("code", repair))] if repair else []
    parts += [_trace(shown, deadlock)] if shown is not None else []  # what the page is about comes first
    parts += [element("h2", "Verdicts"), _wide("verdicts", verdict_table(result).html())]
    from_where = [f"Expected figures are from: {source}"] if source else []
    parts += map(noted, (summary(result), *result.notes, *from_where))
    parts += [element("h2", "Constants"), _wide("constants", constants_table(result.model).html())]
    parts += [_trace(v, deadlock) for v in result.verdicts if v.trace is not None and v is not shown]
    if result.error is not None and result.error.trace is not None:
        parts += [element("h2", "Error"), element("p", str(result.error)), trace_view(result.error.trace).html()]
    parts += [_graph(result, space, left_out)]
    parts += [element("h2", "Charts"), levels_chart(result).html(), _wide("actions", coverage_chart(result).html())]
    parts += [_wide("accesses", access_chart(space).html())] if space is not None else []
    if result.profile:
        called = _wide("calls", profile_view(result.profile).html())
        parts += [element("h2", "What Python was called for"), called]
    parts += [element("h2", "Figures"), _wide("figures", _figures(result))]
    return page(title or model_line(result.model), joined(parts))


def _expected(differences: Sequence[str], as_expected: bool) -> Markup | None:
    if not differences:
        return element("p", badge("holds", "as expected")) if as_expected else None
    return element("p", badge("violated", "not as expected")) + bullets(differences)


def _in_short(result: Result) -> Markup:
    """The verdicts in a line, each with its property."""
    each = (badge(verdict.word, f"{verdict.name} {verdict.word}") for verdict in result.verdicts)
    return element("div", headline(result), *each, class_="wb-in-short")


def _wide(name: str, table: Markup) -> Markup:
    """Wrap a table that may be wider than the window, so that it scrolls on its own."""
    return element("div", table, class_="wb-wide", tabindex=0, role="group", aria_label=name)


def _trace(verdict: Verdict, deadlock: bool) -> Markup:
    trace = verdict.trace
    assert trace is not None
    heading = f"{verdict.name} {verdict.word}: {counted(len(trace), 'state')}"
    reason = element("p", verdict.why, class_="wb-sentence") if verdict.why else Markup("")
    view = verdict_view(verdict, trace, deadlock=deadlock)
    return folded(element("h2", heading), reason + view.html(), is_open=verdict.holds is False)


def _graph(result: Result, space: Space | None, left_out: str) -> Markup | None:
    """The whole graph, if it has few enough states; otherwise the density, and a trace with the steps not taken."""
    trace = next((verdict.trace for verdict in result.violated if verdict.trace is not None), None)
    refusal = too_large(result.distinct)
    parts = [noted(line) for line in (refusal, left_out) if line]
    if space is not None and refusal is None:
        parts.append(whole_graph(space, trace=trace).html())
    elif space is not None:
        parts.append(density(space).html())
    if trace is not None and (space is None or refusal is not None):
        try:
            parts.append(alternatives(trace).html())
        except InputError as error:
            parts.append(noted(f"Not drawn: {error}."))
    return element("h2", "State graph") + joined(parts) if parts else None


def _figures(result: Result) -> Markup:
    figures = {
        "distinct states": f"{result.distinct:,}",
        "generated states": f"{result.generated:,}",
        "depth": f"{result.depth:,}",
        "seconds": f"{result.seconds:.2f}",
        "engine": result.engine,
        "symmetry": ", ".join(result.symmetry) or "none",
        "peak memory": f"{result.peak_bytes / 2**20:,.0f} MiB" if result.peak_bytes else "not measured",
        "chance that a state was missed": f"at most {result.collision_probability:.1e}",
    }
    return table((), ((name, element("code", value)) for name, value in figures.items()))
