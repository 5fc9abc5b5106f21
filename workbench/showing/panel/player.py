"""The trace player: the picture of a state beside lanes to click through, and every property's truth."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import anywidget
import traitlets

from workbench.formats.expression import Expression, example_of
from workbench.kernel import InputError, Trace
from workbench.kernel.meaning.given import names_in
from workbench.kernel.meaning.values import show
from workbench.showing.panel.lifetime import Panel
from workbench.showing.pictures import options_of
from workbench.showing.session import Session
from workbench.showing.view import TraceView, animated_svg, trace_page, trace_view
from workbench.showing.view.html import drawn_style, player_script
from workbench.showing.view.listing import listing
from workbench.showing.view.trace import packed
from workbench.showing.view.watches import watch_table

#: How wide the lanes are until the page has said how much room there is.
WIDTH = 830


class Player(anywidget.AnyWidget):
    """What shows a trace: all that the page's player asks its widget for.

    Args:
        lock: Is held while anything changes.

    Attributes:
        on_take: Gets what a person has clicked among the `moves`.
        watches: The expressions that are watched. One that does not fit the trace's model is kept, and not shown.
        step: The index of the state that is shown.
        variables (list of str): Only changes of these are shown; empty for all.
        room (int): How wide the lanes may be; the page says.
        chosen (dict of str to int): What was chosen for the picture, as positions in `options`.
    """

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
    #: The dots to scrub along, see :attr:`workbench.showing.view.steps.Lanes.strip`.
    strip = traitlets.Dict().tag(sync=True)
    #: Per step the file and line of its action.
    sources = traitlets.List(traitlets.Unicode()).tag(sync=True)
    #: The texts in which these are, as HTML.
    listing = traitlets.Unicode().tag(sync=True)
    #: What can be done instead of the next step, as HTML; "" where nobody may step.
    moves = traitlets.Unicode().tag(sync=True)
    #: Where somebody has left the story, and a way back, as HTML.
    left = traitlets.Unicode().tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    variables = traitlets.List(traitlets.Unicode()).tag(sync=True)
    permalink = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    #: Per step what can be found in it.
    texts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    #: Not told to the page, nor taken from it: what is here is run.
    watches = traitlets.Tuple()
    watched = traitlets.List(traitlets.Dict()).tag(sync=True)
    watch_table = traitlets.Unicode().tag(sync=True)
    example = traitlets.Unicode().tag(sync=True)
    mistake = traitlets.Unicode().tag(sync=True)

    def __init__(self, lock: Any = None, **more: Any) -> None:
        self._lock = threading.RLock() if lock is None else lock
        super().__init__(**more)
        self.trace: Trace | None = None
        self._view: TraceView | None = None
        self._properties: list[str] | None = None
        self._remark = ""
        self.on_take: Callable[[str], None] | None = None
        self.observe(self._draw, ["variables", "watches"])
        self.observe(self._fill, "step")
        self.observe(self._draw_lanes, "room")
        self.observe(self._draw_pictures, "chosen")
        self.on_msg(self._asked)

    def show(
        self,
        trace: Trace,
        step: int | None = None,
        *,
        properties: list[str] | None = None,
        lazy: bool = False,
        remark: str = "",
    ) -> None:
        """Show another trace.

        Args:
            step: The index of the state to show; the last one by default.
            properties: The properties whose truth is shown; all for None.
            lazy: Draw a state only when it is stepped to, so that long traces may grow quickly. Needs a live kernel.
            remark: What is said at its end.
        """
        names = trace.model.layout.variables
        with self._lock, self.hold_sync(), self.hold_trait_notifications():
            if self.trace is None or self.trace.model is not trace.model:
                self.listing = listing(trace.model, f"{trace.model.name}-")
            self.trace, self.lazy, self._properties, self._remark = trace, lazy, properties, remark
            self.options = {name: list(map(show, choices)) for name, choices in options_of(trace.model).items()}
            self.chosen = {name: at for name, at in self.chosen.items() if at < len(self.options.get(name, ()))}
            self.names = names
            self.example = example_of(trace.model)
            self.variables = [name for name in self.variables if name in names]
            self.step = len(trace) - 1 if step is None else step
            self._draw()

    def _draw(self, _: Any = None) -> None:
        with self._lock, self.hold_sync():
            if self.trace is None:
                return
            variables, watches = self.variables or None, self._fitting(self.trace)
            view = trace_view(
                self.trace, variables=variables, properties=self._properties, watches=watches, remark=self._remark
            )
            self._view = view
            self.step = min(self.step, len(view.steps) - 1)
            self.watched = [watch.as_dict() for watch in view.watches]
            labels = [step.label for step in view.steps]
            self.watch_table = watch_table(view.watches, labels).html() if view.watches else ""
            self.texts = view.texts
            shown = range(len(view.steps))
            self.states = [view.step_html(i) if i == self.step or not self.lazy else "" for i in shown]
            self.labels, self.strip, self.sources = labels, view.strip, [step.source for step in view.steps]
            self.permalink = view.permalink
            self._draw_lanes()
            self._draw_pictures()

    def _fitting(self, trace: Trace) -> list[str]:
        """The watches that the trace's model takes; why it does not take the others is said."""
        fitting, mistakes = [], []
        for text in self.watches:
            try:
                fitting.append(Expression(trace.model, text).text)
            except InputError as error:
                mistakes.append(str(error))
        self.mistake = "; ".join(mistakes)
        return fitting

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
        """The page wants something that was not drawn yet, or a person has said what to watch."""
        match content:
            case {"want": str(what)}:
                self._draw_for_page(what)
            case {"watch": str(text)}:
                self._watch(text)
            case {"unwatch": str(text)}:
                self.watches = tuple(other for other in self.watches if other != text)
            case {"take": str(move)} if self.on_take is not None:
                self.on_take(move)

    def _draw_for_page(self, what: str) -> None:
        with self._lock:
            if self._view is None:
                return
            if what == "pictures":
                self.packed = packed(self._view.pictures(**self._choices()))
            elif what == "lanes":
                self.send({"lanes": self._view.lanes_for_lessons()})
            elif what == "page":
                self.send({"page": trace_page(self._view)})
            elif what == "animation":
                self.send({"animation": animated_svg(self._view)})

    def _watch(self, typed: str) -> None:
        """Watch what a person has typed, or say what is wrong with it. Others may follow, so the lock is not held."""
        trace = self.trace
        if trace is None:
            return
        try:
            text = Expression(trace.model, typed).text
        except InputError as error:
            self.mistake = str(error)
            return
        self.mistake = ""
        self.watches = tuple(dict.fromkeys([*self.watches, text]))
        self.send({"watched": text})

    def _drawn(self) -> TraceView | None:
        if self._view is not None:
            self._view.at = self.step
        return self._view


class TracePlayer(Panel, Player):
    """A trace to step through.

    Args:
        step: The index of the state shown first; the last one by default.
        watches: Python expressions over the state, see :func:`workbench.showing.view.trace_view`. They are run.

    Examples:
        >>> from workbench.kernel import replay
        >>> from workbench.protocols.bakery.model import Bakery
        >>> player = TracePlayer(replay(Bakery(), 0, [(0, 0), (3, 0)]))
        >>> player.step, player.labels[2]
        (2, 'begin_claim(w1)')
    """

    _esm = f"{player_script()}export default {{ render: playTrace }};\n"
    _css = drawn_style()

    def __init__(self, trace: Trace, step: int | None = None, watches: Sequence[str] = ()) -> None:
        super().__init__()
        watches = names_in("watches", watches)
        for text in watches:
            Expression(trace.model, text)  # a mistake is an error here, where no person typed it
        self.watches = watches
        self.show(trace, step)

    def __repr__(self) -> str:
        return f"TracePlayer at state {self.step + 1} of\n{self.trace!r}"

    def _when_other(self, changed: Callable[[], None]) -> None:
        self.observe(lambda _: changed(), ["step", "permalink"])

    def static(self) -> TraceView | None:
        return self._drawn()


def share_watches(player: Player, session: Session) -> None:
    """Let a player watch what the session watches, and the session what is typed into the player."""

    def tell(_: Any) -> None:
        if session.watches != player.watches:
            session.watch(player.watches)

    def hear() -> None:
        player.watches = session.watches

    hear()
    player.observe(tell, "watches")
    session.on("watches", hear)
