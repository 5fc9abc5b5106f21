"""Results to pictures, as plain data that shows itself: in a notebook, in a script, on a page.

Everything here has ``html()`` and ``text()``; pictures also have ``svg()``, and charts a plotly ``figure()``.

Each name is imported on first use: a trace needs neither NumPy nor what draws the charts.
"""

import importlib
from typing import Any

_MODULES = {
    "access": ("Access", "accesses"),
    "animation": ("animated_svg",),
    "answer": ("answer_view",),
    "audited": ("audit_page", "audit_view", "finding_picture", "finding_view"),
    "bars": ("Bars",),
    "charts": ("access_chart", "coverage_chart", "levels_chart", "verdict_map"),
    "graph": ("StateGraph",),
    "grid": ("Grid",),
    "html": ("Drawn", "Figure", "Joined"),
    "nodes": ("Edge", "Node"),
    "overview": ("model_view", "result_view", "space_view"),
    "parted": ("Parted", "parting"),
    "profile": ("profile_chart", "profile_table", "profile_view"),
    "pages": ("page", "report"),
    "selection": ("alternatives", "neighbourhood", "projection", "state_graph", "telling"),
    "statetable": ("state_table",),
    "steps": ("StepView",),
    "tables": ("Comparison", "Rendered", "compare", "constants_table", "summary", "verdict_table", "what_changed"),
    "trace": ("TraceView", "trace_view"),
    "tracepage": ("trace_page",),
    "truth": ("Truth", "truths"),
    "walks": ("simulation_view", "walks_chart"),
    "watches": ("Watch", "watch"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
