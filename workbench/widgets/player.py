"""The trace player: the picture of a state beside lanes to click through, and every property's truth."""

import threading
from typing import Any

import anywidget
import traitlets

from workbench.kernel import Trace
from workbench.kernel.values import show
from workbench.pictures import options_of
from workbench.view import TraceView, trace_page, trace_view
from workbench.view.trace import packed
from workbench.widgets.lifetime import Panel
from workbench.widgets.pane import HERE, STYLE

#: How wide the lanes are until the page has said how much room there is.
WIDTH = 830


class TracePlayer(Panel, anywidget.AnyWidget):
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
    room : int
        How wide the lanes may be; the page says.
    chosen : dict of str to int
        What was chosen for the picture, as positions in `options`.

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

    #: The picture of one state, and which.
    picture = traitlets.Tuple(traitlets.Int(), traitlets.Unicode(), default_value=(0, "")).tag(sync=True)
    #: The pictures of all states, once the page has asked for them.
    packed = traitlets.Unicode().tag(sync=True)
    lazy = traitlets.Bool(False).tag(sync=True)
    room = traitlets.Int(WIDTH).tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    chosen = traitlets.Dict().tag(sync=True)
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
        self._properties: list[str] | None = None
        self.observe(self._draw, "variables")
        self.observe(self._fill, "step")
        self.observe(self._draw_lanes, "room")
        self.observe(self._draw_pictures, "chosen")
        self.on_msg(self._asked)
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
            self.trace, self.lazy, self._properties = trace, lazy, properties
            self.options = {name: list(map(show, choices)) for name, choices in options_of(trace.model).items()}
            self.chosen = {name: at for name, at in self.chosen.items() if at < len(self.options.get(name, ()))}
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
            self.states = [view.step_html(i) if i == self.step or not self.lazy else "" for i in shown]
            self.labels = [step.label for step in view.steps]
            self.permalink = view.permalink
            self._draw_lanes()
            self._draw_pictures()

    def _draw_lanes(self, _: Any = None) -> None:
        with self._lock:
            if self._view is not None:
                self.lanes = self._view.svg(width=self.room)

    def _draw_pictures(self, _: Any = None) -> None:
        """Draw the present state; the page asks for the others when it has nothing else to do."""
        with self._lock, self.hold_sync():
            if self._view is not None:
                self.packed = ""
                self.picture = (self.step, self._view.picture_svg(self.step, **self._choices()))

    def _choices(self) -> dict[str, Any]:
        assert self.trace is not None
        options = options_of(self.trace.model)
        return {name: options[name][at] for name, at in self.chosen.items()}

    def _fill(self, _: Any) -> None:
        """Draw the state that has been stepped to, if it is not there yet."""
        with self._lock, self.hold_sync():
            if self._view is None or self.step >= len(self.states):
                return
            if not self.states[self.step]:
                states = list(self.states)
                states[self.step] = self._view.step_html(self.step)
                self.states = states
            if not self.packed:
                self.picture = (self.step, self._view.picture_svg(self.step, **self._choices()))

    def _asked(self, _: Any, content: dict[str, Any], __: Any) -> None:
        """The page wants the pictures of all states, or the trace as a page of its own."""
        with self._lock:
            if self._view is None:
                return
            if content.get("want") == "pictures":
                self.packed = packed(self._view.pictures(**self._choices()))
            elif content.get("want") == "page":
                self.send({"page": trace_page(self._view)})

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
