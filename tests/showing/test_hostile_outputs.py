"""Hostile texts through every output: each is read by a parser of its format, says what was said, and runs nothing."""

import csv
import io
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import graphviz
import lxml.etree
import lxml.html
import networkx
import pytest

from workbench.formats.graphs import GraphEdge, GraphNode, write_dot, write_graphml, write_tables
from workbench.formats.itf import parse_itf, read_itf, to_itf
from workbench.formats.junit import annotations, suite_of, to_junit
from workbench.formats.mermaid import to_mermaid
from workbench.formats.permalink import open_permalink, permalink
from workbench.formats.tlc_trace import to_tlc_json
from workbench.kernel import Constant, Model, Result, Trace, Variable, action, choose, invariant, require, search
from workbench.kernel.meaning.text import printable
from workbench.showing import pictures, view
from workbench.showing.view.base.html import portable

TEXTS = {
    "and": "A & B <i>c</i> &amp; &lt;",
    "title": "</title><script>ran()</script>",
    "style": "</style></svg></text></code><script>ran()</script>",
    "script": "</script><script>ran()</script>",
    "image": "<img src=x onerror=ran()><svg onload=ran()>",
    "quotes": "\" onload=\"ran()\" ' onmouseover='ran()'",
    "cdata": "]]><![CDATA[ --> <!-- <?xml?>",
    "template": "`${ran()}` {{ran()}} #lt; #35; ; %%",
    "escapes": '\\n \\" \\N %0A%25 \\u003cscript>',
    "controls": "\x1b[2J\x07\x00\x7f\x9b",
    "surrogate": "\ud800 \udfff",
    "nothing": "\ufffe\uffff",
    "turned": "\u202eevil\u202c\u2066\u200f",
    "lines": "one\n::error::two\r\nthree\u2028four",
    "formula": "=1+cmd|' /C calc'!A0",
    "wide": "\N{CJK UNIFIED IDEOGRAPH-6F22}\N{GRINNING FACE}e\N{COMBINING ACUTE ACCENT}",
}

#: What of it may be in a state, or in a class's docstring: Python and the kernel refuse texts that cannot be written.
VALUES = {which: text.encode("utf-8", "replace").decode() for which, text in TEXTS.items()}


@cache
def result_of(which: str) -> Result:
    """A violation of a model that has the text in its values, labels, reasons, constants and docstrings."""
    text, value = TEXTS[which], VALUES[which]

    def say(self, s):
        require(s.said != value, f"not {text}")
        s.said = choose([value], "word")

    def Silent(self, s):
        return s.said != value or f"it said {text}"

    say.__doc__ = Silent.__doc__ = text
    declared = {
        "__doc__": value,
        "Word": Constant("plain", ("plain", value), text),
        "said": Variable("", doc=text),
        "say": action(say),
        "Silent": invariant(Silent),
    }
    return search(type("Said", (Model,), declared)(Word=value), ["Silent"])


def trace_of(which: str) -> Trace:
    trace = result_of(which)["Silent"].trace
    assert trace is not None
    return trace


@pytest.fixture(params=TEXTS)
def which(request: pytest.FixtureRequest) -> str:
    return request.param


# Drawings and pages --------------------------------------------------------------------------------------------------

PAGES: dict[str, Callable[[Result, Trace], str]] = {
    "trace": lambda result, trace: view.trace_page(trace),
    "report": lambda result, trace: view.report(result, title=trace.last.said, source=trace.last.said),
    "model": lambda result, trace: view.page("model", view.model_view(result.model).html()),
    "comparison": lambda result, trace: view.page("both", view.compare(result, result, (trace.last.said,) * 2).html()),
    "graph": lambda result, trace: view.page("graph", view.alternatives(trace).html()),
    "notebook": lambda result, trace: portable(view.trace_view(trace, watches=["s.said"]).html()),
    "notebook's graph": lambda result, trace: view.alternatives(trace).bundle()["text/html"],
}
DRAWINGS: dict[str, Callable[[Result, Trace], str]] = {
    "animated": lambda result, trace: view.animated_svg(trace),
    "lanes": lambda result, trace: view.trace_view(trace).svg(),
    "picture": lambda result, trace: view.trace_view(trace).picture(1).svg,
    "things": lambda result, trace: pictures.picture(trace.model, trace.last, title=trace.last.said).svg,
    "chart": lambda result, trace: view.Bars("t", (trace.last.said,), {"n": (1,)}, ("a", "b"), horizontal=True).svg(),
    "graph": lambda result, trace: view.alternatives(trace).svg(),
}


def said(text: str) -> str:
    """The text as a person reads it, however it is broken into lines."""
    return re.sub(r"\s|\\[nr]|\N{HORIZONTAL ELLIPSIS}", "", text)


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_xml_that_says_what_was_said(which: str, name: str) -> None:
    svg = DRAWINGS[name](result_of(which), trace_of(which))
    root = lxml.etree.fromstring(svg.encode(), lxml.etree.XMLParser(resolve_entities=False))
    assert said(printable(VALUES[which]))[:12] in said("".join(root.itertext()))
    assert not [one for one in root.iter() if lxml.etree.QName(one).localname in ("script", "img", "i", "code")]
    assert not [key for one in root.iter() for key in one.attrib if key.startswith("on")]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_only_what_it_has_with_a_harmless_text(which: str, name: str) -> None:
    page = lxml.html.document_fromstring(PAGES[name](result_of(which), trace_of(which)))
    if name != "notebook's graph":  # which is an image
        assert said(printable(VALUES[which]))[:12] in said("".join(page.itertext()))
    assert len(page.findall(".//script")) == 1
    assert not page.findall(".//i")
    assert not [key for one in page.iter() for key in one.attrib if key.startswith("on")]


# Data ----------------------------------------------------------------------------------------------------------------


def test_a_trace_in_the_informal_format_is_read_again(which: str) -> None:
    trace = trace_of(which)
    document = json.loads(json.dumps(to_itf(trace)))
    assert read_itf(trace.model, parse_itf(json.dumps(document))) is not None


def test_a_trace_as_tlc_writes_it_is_json(which: str) -> None:
    document = json.loads(json.dumps(to_tlc_json(trace_of(which))))
    assert VALUES[which] in str(document) or repr(VALUES[which])[1:-1] in str(document)


def test_results_are_json(which: str) -> None:
    for told in (result_of(which).as_dict(), view.trace_view(trace_of(which)).as_dict()):
        assert json.loads(json.dumps(told)) == told


def test_a_permalink_is_one_line_and_opens_the_trace(which: str) -> None:
    trace = trace_of(which)
    line = permalink(trace, ["s.said"])
    assert line.isprintable()
    assert " " not in line
    assert open_permalink(line, lambda name: type(trace.model.author)).states == trace.states


def graph(which: str) -> tuple[list[GraphNode], list[GraphEdge]]:
    trace = trace_of(which)
    return [GraphNode(number, state) for number, state in enumerate(trace.states)], [
        GraphEdge(0, 1, trace.steps[1].label)
    ]


def test_a_graph_is_read_by_graphviz(which: str) -> None:
    out = io.StringIO()
    write_dot(out, *graph(which))
    drawn = graphviz.Source(out.getvalue()).pipe(format="svg")
    assert said(printable(VALUES[which])) in said("".join(lxml.etree.fromstring(drawn).itertext()))


def test_a_graph_is_read_by_networkx(which: str) -> None:
    out = io.BytesIO()
    write_graphml(out, *graph(which))
    read = networkx.read_graphml(io.BytesIO(out.getvalue()), force_multigraph=True)
    assert printable(VALUES[which]) in read.nodes["1"]["said"]
    assert printable(VALUES[which]) in next(label for _, _, label in read.edges(data="label"))


def test_tables_have_a_row_per_state_and_no_formula(which: str) -> None:
    nodes, edges = io.StringIO(), io.StringIO()
    write_tables(nodes, edges, *graph(which))
    rows = [row for out in (nodes, edges) for row in csv.reader(io.StringIO(out.getvalue()))]
    assert [len(row) for row in rows] == [4] * 5
    assert printable(VALUES[which]) in rows[2][3]
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+"))]


def test_junit_is_xml(which: str) -> None:
    root = lxml.etree.fromstring(to_junit([suite_of(TEXTS[which], result_of(which))]).encode())
    assert root.find("testsuite").get("name") == printable(TEXTS[which])
    assert printable(TEXTS[which]) in root.find(".//failure").get("message")


def test_an_annotation_is_one_line(which: str) -> None:
    (line,) = annotations([suite_of(TEXTS[which], result_of(which))], TEXTS[which])
    assert line.isprintable()
    head, message = re.fullmatch(r"::error ([^:]*)::(.*)", line).groups()
    assert [part.partition("=")[0] for part in head.split(",")] == ["file", "title"]
    assert printable(TEXTS[which]) in re.sub("%([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), message)


def test_a_sequence_diagram_has_a_line_per_step(which: str) -> None:
    _, diagram, _ = to_mermaid(trace_of(which)).split("```", 2)
    _, *lines = diagram.splitlines()
    assert [line.split()[0] for line in lines] == ["sequenceDiagram", "participant", "Note"]
    assert not set("<>;") & set(re.sub("<br/>|#[a-z0-9]+;", "", lines[-1]))


def test_a_terminal_is_given_nothing_to_obey(which: str) -> None:
    for told in (repr(result_of(which)), repr(trace_of(which)), view.result_view(result_of(which)).text()):
        assert all(line.isprintable() for line in told.split("\n"))
        assert "\n::error::" not in told


# In a browser --------------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_nothing_runs_that_a_text_says(browser: Any, tmp_path: Any, which: str) -> None:
    page = browser.new_page()
    ran, refused = [], []
    page.expose_function("ran", lambda: ran.append(page.url))
    page.on("console", lambda told: refused.append(told.text))
    page.on("pageerror", lambda error: refused.append(str(error)))
    for kind, ending in ((PAGES, "html"), (DRAWINGS, "svg")):
        for name, write in kind.items():
            file = tmp_path / f"{name}.{ending}"
            file.write_text(write(result_of(which), trace_of(which)), encoding="utf-8")
            page.goto(file.as_uri())
            if name in ("trace", "report", "notebook"):
                page.wait_for_selector(".wb-trace.wb-live >> nth=0")
    page.close()
    assert (ran, refused) == ([], [])


@pytest.mark.browser
def test_a_page_runs_no_other_script_and_loads_nothing(browser: Any, tmp_path: Any) -> None:
    """Were a text not escaped, it would not run."""
    page = browser.new_page()
    file = tmp_path / "page.html"
    injected = (
        '<script>document.title = "ran"</script><img src="https://example.org/x.png" onerror="document.title = 1">'
    )
    for name in ("trace", "report", "graph"):
        written = PAGES[name](result_of("and"), trace_of("and"))
        file.write_text(written.replace("<main", f"{injected}<main"), encoding="utf-8")
        refused: list[str] = []
        page.on("console", lambda told, refused=refused: refused.append(told.text))
        page.goto(file.as_uri())
        assert page.title() not in ("ran", "1")
        assert {name for told in refused for name in re.findall("script-src|img-src", told)} == {
            "script-src",
            "img-src",
        }
