"""The trace player: lanes to click through, the state beside them, and every property's truth."""

import threading
from typing import Any

import anywidget
import traitlets

from workbench.kernel import Trace
from workbench.view import TraceView, trace_view
from workbench.widgets.pane import HERE, STYLE

#: How wide the lanes may be: what a notebook has beside its file browser on a small screen.
WIDTH = 830


class TracePlayer(anywidget.AnyWidget):
    """A trace to step through.

    Parameters
    ----------
    trace : Trace, optional
    step : int, optional
        The index of the state shown first; the last one by default.

    Attributes
    ----------
    trace : Trace or None
    step : int
        The index of the state that is shown.
    variables : list of str
        Only changes of these are shown; empty for all.

    Examples
    --------
    >>> from workbench.kernel import replay
    >>> from workbench.models.bakery import Bakery
    >>> player = TracePlayer(replay(Bakery(), 0, [(0, 0), (3, 0)]))
    >>> player.step, player.labels[2]
    (2, 'begin_claim(w1)')
    """

    _esm = HERE / "player.js"
    _css = STYLE

    lanes = traitlets.Unicode().tag(sync=True)
    states = traitlets.List(traitlets.Unicode()).tag(sync=True)
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    variables = traitlets.List(traitlets.Unicode()).tag(sync=True)
    permalink = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, trace: Trace | None = None, step: int | None = None) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self.trace: Trace | None = None
        self._view: TraceView | None = None
        self._lazy = False
        self._properties: list[str] | None = None
        self.observe(self._draw, "variables")
        self.observe(self._fill, "step")
        if trace is not None:
            self.show(trace, step)

    def show(
        self, trace: Trace, step: int | None = None, *, properties: list[str] | None = None, lazy: bool = False
    ) -> None:
        """Show another trace.

        Parameters
        ----------
        trace : Trace
        step : int, optional
            The index of the state to show; the last one by default.
        properties : list of str, optional
            The properties whose truth is shown; all for None.
        lazy : bool
            Draw a state only when it is stepped to, so that long traces may grow quickly. Needs a live kernel.
        """
        names = list(trace.model.declared_variables)
        with self._lock, self.hold_sync(), self.hold_trait_notifications():
            self.trace, self._lazy, self._properties = trace, lazy, properties
            self.names = names
            self.variables = [name for name in self.variables if name in names]
            self.step = len(trace) - 1 if step is None else step
            self._draw()

    def _draw(self, _: Any = None) -> None:
        with self._lock, self.hold_sync():
            if self.trace is None:
                return
            view = trace_view(self.trace, variables=self.variables or None, properties=self._properties)
            self._view = view
            shown = range(len(view.steps))
            self.states = [view.step_html(i) if i == self.step or not self._lazy else "" for i in shown]
            self.labels = [step.label for step in view.steps]
            self.permalink = view.permalink
            self.lanes = view.svg(width=WIDTH)

    def _fill(self, _: Any) -> None:
        """Draw the state that has been stepped to, if it is not there yet."""
        with self._lock:
            if self._view is not None and self.step < len(self.states) and not self.states[self.step]:
                states = list(self.states)
                states[self.step] = self._view.step_html(self.step)
                self.states = states

    def __repr__(self) -> str:
        return "TracePlayer()" if self.trace is None else f"TracePlayer at state {self.step + 1} of\n{self.trace!r}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return with_static(super()._repr_mimebundle_(**options), self._view)


def with_static(bundle: Any, drawn: Any) -> Any:
    """A widget's MIME bundle, with what a notebook shows where there is no kernel."""
    if drawn is None or bundle is None:
        return bundle
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return {**data, **drawn.bundle()}, metadata
