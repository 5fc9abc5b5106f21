"""Results to pictures, as plain data that shows itself: in a notebook, in a script, on a page.

Everything here has ``html()`` and ``text()``; pictures also have ``svg()``, and charts a plotly ``figure()``.

Each name is imported on first use: a trace needs neither NumPy nor what draws the charts.
"""

import importlib
from typing import Any

_MODULES = {
    "trace.read_write_sets": ("Access", "accesses"),
    "trace.animation": ("animated_svg",),
    "trace.answer": ("answer_view",),
    "pages.audited": ("audit_page", "audit_view", "finding_picture", "finding_view"),
    "charts.bars": ("Bars",),
    "charts.charts": ("access_chart", "coverage_chart", "levels_chart", "verdict_map"),
    "graph.graph": ("StateGraph",),
    "charts.grid": ("Grid",),
    "base.html": ("Drawn", "Figure", "Joined"),
    "base.nodes": ("Edge", "Node"),
    "pages.overview": ("model_view", "result_view", "space_view"),
    "trace.compared": ("TwoRuns",),
    "trace.runs": ("Runs", "runs_of"),
    "charts.profile": ("profile_chart", "profile_table", "profile_view"),
    "pages.pages": ("page", "report"),
    "graph.selection": ("alternatives", "neighbourhood", "projection", "state_graph", "telling"),
    "base.statetable": ("state_table",),
    "trace.steps": ("StepView",),
    "trace.tables": (
        "Comparison",
        "Rendered",
        "compare",
        "constants_table",
        "summary",
        "verdict_table",
        "what_changed",
    ),
    "trace.trace": ("TraceView", "trace_view"),
    "pages.tracepage": ("trace_page",),
    "base.truth": ("Truth", "truths"),
    "charts.walks": ("simulation_view", "walks_chart"),
    "graph.density": ("Density", "density"),
    "graph.whole": ("WholeGraph", "whole_graph"),
    "trace.watches": ("Watch", "watch"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
