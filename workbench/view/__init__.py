"""Results to pictures, as plain data that shows itself: in a notebook, in a script, on a page.

Everything here has ``html()`` and ``text()``; pictures also have ``svg()``, and charts a plotly ``figure()``.
"""

from workbench.view.access import Access, accesses
from workbench.view.animation import animated_svg
from workbench.view.answer import answer_view
from workbench.view.audited import audit_page, audit_view, finding_picture, finding_view
from workbench.view.bars import Bars
from workbench.view.charts import access_chart, coverage_chart, levels_chart, verdict_map
from workbench.view.graph import StateGraph
from workbench.view.grid import Grid
from workbench.view.html import Drawn, Joined, Picture
from workbench.view.nodes import Edge, Node
from workbench.view.overview import model_view, result_view, space_view
from workbench.view.parted import Parted, parting
from workbench.view.profile import profile_chart, profile_table, profile_view
from workbench.view.report import page, report
from workbench.view.selection import alternatives, neighbourhood, projection, state_graph, telling
from workbench.view.statetable import state_table
from workbench.view.steps import StepView
from workbench.view.tables import (
    Comparison,
    Rendered,
    compare,
    constants_table,
    summary,
    verdict_table,
    what_changed,
)
from workbench.view.trace import TraceView, trace_view
from workbench.view.tracepage import trace_page
from workbench.view.truth import Truth, truths
from workbench.view.walks import simulation_view, walks_chart
from workbench.view.watches import Watch, watch

__all__ = [
    "Access",
    "Bars",
    "Comparison",
    "Drawn",
    "Edge",
    "Grid",
    "Joined",
    "Node",
    "Parted",
    "Picture",
    "Rendered",
    "StateGraph",
    "StepView",
    "TraceView",
    "Truth",
    "Watch",
    "access_chart",
    "accesses",
    "alternatives",
    "animated_svg",
    "answer_view",
    "audit_page",
    "audit_view",
    "compare",
    "constants_table",
    "coverage_chart",
    "finding_picture",
    "finding_view",
    "levels_chart",
    "model_view",
    "neighbourhood",
    "page",
    "parting",
    "profile_chart",
    "profile_table",
    "profile_view",
    "projection",
    "report",
    "result_view",
    "simulation_view",
    "space_view",
    "state_graph",
    "state_table",
    "summary",
    "telling",
    "trace_page",
    "trace_view",
    "truths",
    "verdict_map",
    "verdict_table",
    "walks_chart",
    "watch",
    "what_changed",
]
