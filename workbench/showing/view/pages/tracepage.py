"""A trace as a page of its own: all pictures, the lanes and the states, with nothing to load."""

from workbench.kernel import Trace
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures.markup import element
from workbench.showing.view.base.html import noted
from workbench.showing.view.pages.pages import page
from workbench.showing.view.trace.tables import constants_line
from workbench.showing.view.trace.trace import TraceView, trace_view

#: In a wide window, pictures and lanes are side by side.
_WIDE = element("style", "main.wb { max-width: 1860px; }")


def trace_page(trace: Trace | TraceView) -> str:
    """A self-contained HTML page that shows a trace; the arrow keys step through it."""
    view = trace if isinstance(trace, TraceView) else trace_view(trace)
    model = view.trace.model
    title = f"{model.name}: a behaviour of {counted(len(view.steps), 'state')}"
    return page(title, _WIDE + noted(constants_line(model)) + view.html())
