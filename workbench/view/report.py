"""A page that stands on its own: verdicts, traces, the state graph and charts, with nothing to load."""

from collections.abc import Sequence

from workbench.kernel import InputError, Result, Trace, Verdict
from workbench.kernel.values import counted
from workbench.view.charts import access_chart, coverage_chart, levels_chart
from workbench.view.graph import MOST_EDGES, MOST_PICTURES, Space, StateGraph
from workbench.view.html import asset, badge, element, escape, script, table
from workbench.view.profile import profile_view
from workbench.view.selection import alternatives, state_graph
from workbench.view.tables import constants_table, summary, verdict_table
from workbench.view.trace import verdict_view


def page(title: str, body: str) -> str:
    """A whole HTML page around fragments of it; it follows the reader's preference for light or dark."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{asset('style.css')}{asset('page.css')}</style></head>"
        f'<body><main class="wb"><h1>{escape(title)}</h1>{body}'
        f"{script()}</main></body></html>\n"
    )


def report(
    result: Result,
    *,
    title: str | None = None,
    source: str = "",
    differences: Sequence[str] = (),
    as_expected: bool = False,
    space: Space | None = None,
) -> str:
    """A self-contained HTML page on one result.

    Parameters
    ----------
    result : Result
    title : str, optional
        The model's name by default.
    source : str
        Where the model or its expected figures come from.
    differences : sequence of str
        How the result differs from what was expected.
    as_expected : bool
        Whether it is all that was expected; a result that differs in nothing may have left something open.
    space : StateSpace, optional
        The states, for the graph and for what reads and writes what.
    """
    parts = [element("p", escape(source), class_="wb-note") if source else "", _expected(differences, as_expected)]
    parts += ["<h2>Verdicts</h2>", verdict_table(result).html()]
    parts += [element("p", escape(note), class_="wb-note") for note in (summary(result), *result.notes)]
    parts += ["<h2>Constants</h2>", constants_table(result.model).html()]
    parts += [_trace(verdict, verdict.trace) for verdict in result.verdicts if verdict.trace is not None]
    parts += [_graph(result, space)]
    parts += ["<h2>Charts</h2>", levels_chart(result).html(), coverage_chart(result).html()]
    parts += [access_chart(space).html()] if space is not None else []
    parts += ["<h2>What Python was called for</h2>", profile_view(result.profile).html()] if result.profile else []
    parts += ["<h2>Figures</h2>", _figures(result)]
    return page(title or result.model.name, "".join(parts))


def _expected(differences: Sequence[str], as_expected: bool) -> str:
    if not differences:
        return element("p", badge("holds", "as expected")) if as_expected else ""
    lines = "".join(element("li", escape(line)) for line in differences)
    return element("p", badge("violated", "not as expected")) + element("ul", lines)


def _trace(verdict: Verdict, trace: Trace) -> str:
    opened = " open" if verdict.holds is False else ""
    heading = f"{escape(verdict.name)} {escape(verdict.word)}: {counted(len(trace), 'state')}"
    view = verdict_view(verdict, trace)
    return f"<details{opened}><summary><h2>{heading}</h2></summary>{view.html()}</details>"


def _graph(result: Result, space: Space | None) -> str:
    graph = _choose_graph(result, space)
    if graph is None:
        return ""
    try:
        drawn = graph.html()
    except InputError as error:
        drawn = element("p", f"Not drawn: {escape(error)}.", class_="wb-note")
    return f"<h2>State graph</h2>{drawn}"


def _choose_graph(result: Result, space: Space | None) -> StateGraph | None:
    """The whole graph if it is small, else a counterexample with the steps not taken, if there is one."""
    trace = next((verdict.trace for verdict in result.violated if verdict.trace is not None), None)
    if space is not None and len(space.sources) <= MOST_EDGES:
        return state_graph(space, trace=trace, pictures=len(space) <= MOST_PICTURES)
    return None if trace is None else alternatives(trace)


def _figures(result: Result) -> str:
    figures = {
        "distinct states": f"{result.distinct:,}",
        "generated states": f"{result.generated:,}",
        "depth": f"{result.depth:,}",
        "seconds": f"{result.seconds:.2f}",
        "engine": result.engine,
        "symmetry": ", ".join(result.symmetry) or "none",
        "peak memory": f"{result.peak_bytes / 2**20:,.0f} MiB" if result.peak_bytes else "not measured",
        "chance that a state was missed": f"below {result.collision_probability:.1e}",
    }
    return table((), ((escape(name), element("code", escape(value))) for name, value in figures.items()))
