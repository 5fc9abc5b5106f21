"""The trace player: the picture of a state next to clickable lanes, and every property's truth."""

from collections.abc import Callable
from typing import Any, Literal

from workbench.formats.expression import Expression, placeholder_of
from workbench.kernel import InputError, Trace
from workbench.kernel.meaning.values import show
from workbench.registry.addresses import playground_of
from workbench.showing.panel.parts import Part, Seen
from workbench.showing.pictures import options_of
from workbench.showing.pictures.markup import Markup
from workbench.showing.session import Session
from workbench.showing.session.events import Events
from workbench.showing.view import TraceView, animated_svg, trace_page, trace_view
from workbench.showing.view.base.wording import Wording
from workbench.showing.view.trace.source_listing import listing
from workbench.showing.view.trace.trace import packed
from workbench.showing.view.trace.watches import watch_table

#: The width of the lanes until the page has reported its room.
WIDTH = 830


class Player(Part):
    """A place in a panel that shows a trace. Its page draws it itself, of values, and keeps what a person did there.

    Args:
        lock: Is held while anything changes.

    Attributes:
        on_take: Gets what a person has clicked among the possible moves.
        watches: The expressions that are watched. One that does not fit the trace's model is kept, and not shown. They
            are run, so the page has no say in them.
        step: The index of the state that is shown.
        variables: Only changes of these are shown; empty for all.
        room (int): The room for the lanes, as told by the page.
        chosen (dict of str to int): What was chosen for the picture, as positions in ``values["options"]``.
        values: The values that the page draws:

            - ``picture``: the picture of one state, and which; ``packed``: those of all, and then all states, once the
              page has asked;
            - ``lanes``, and ``strip``, the dots to scrub along (`Lanes.strip`);
            - per step ``labels``, ``states`` (only the one that is shown), ``sources`` (the file and line of its
              action), ``texts`` (what can be found in it); with ``lazy``, the page does not ask for all;
            - ``listing``: the texts in which the sources are; ``standing``: per step, who stands at which of their
              lines; ``marks``: per step, what is false there; ``names`` of variables; ``options`` of the picture;
            - ``moves``: what can be done instead of the next step; ``left``: where somebody has left the story, and a
              way back;
            - ``permalink``, and ``opens``, the address that goes before it;
            - ``watched``, ``watch_table``, an ``example`` and the ``mistake`` in what was typed.
    """

    step, room, chosen = Seen(), Seen(), Seen()
    variables, watches = Seen(tuple), Seen(tuple)
    #: The choices of the person in the page.
    _OF_THE_PAGE = ("step", "variables", "room", "chosen")

    def __init__(self, lock: Any) -> None:
        self._lock, self._events = lock, Events[Literal["step", "watches"]]()
        self.trace: Trace | None = None
        self._view: TraceView | None = None
        self._properties: list[str] | None = None
        self._remark: Wording | None = None
        self.on_take: Callable[[str], None] | None = None
        self.values: dict[str, Any] = {"lazy": False, "picture": (0, ""), "strip": {}, "options": {}}
        per_step = ("labels", "states", "sources", "standing", "marks", "texts")
        self.values |= dict.fromkeys((*per_step, "names", "watched"), ())
        texts = (
            "packed",
            "lanes",
            "listing",
            "moves",
            "left",
            "permalink",
            "opens",
            "watch_table",
            "example",
            "mistake",
        )
        self.values |= dict.fromkeys(texts, "")
        super().__init__()
        self.step, self.room, self.chosen, self.variables, self.watches = 0, WIDTH, {}, (), ()

    def on(self, event: Literal["step", "watches"], call: Callable[[], None]) -> None:
        """Have `call` called when another state is shown, or other expressions are watched."""
        self._events.on(event, call)

    def markup(self) -> Markup:
        return Markup('<div data-player="true"></div>')

    def page_values(self) -> dict[str, Any]:
        return {**self.values, **{name: getattr(self, name) for name in self._OF_THE_PAGE}}

    def say(self, **values: Any) -> None:
        """Have the page draw these values."""
        news = {name: value for name, value in values.items() if self.values[name] != value}
        self.values |= news
        self._tell(news)

    def _tell(self, news: dict[str, Any]) -> None:
        if self.surface is not None and news:
            self.surface.put_values(self, news)

    def changed(self, name: str) -> None:
        if name in self._OF_THE_PAGE:
            self._tell({name: getattr(self, name)})
        match name:
            case "variables":
                self._draw()
            case "watches":
                self._draw()
                self._events.tell("watches")
            case "step":
                self._fill()
                self._events.tell("step")
            case "room":
                self._draw_lanes()
            case "chosen":
                self._draw_pictures()
            case _:
                super().changed(name)

    def hear(self, values: dict[str, Any]) -> None:
        match values:
            case {"step": int(step)} if 0 <= step < len(self.values["states"]):
                self.step = step
        match values:
            case {"room": int(room)}:
                self.room = room
        match values:
            case {"variables": [*names]}:
                self.variables = [name for name in self.values["names"] if name in names]
        match values:
            case {"chosen": {**chosen}}:
                self.chosen = {name: at for name, at in chosen.items() if self._offers(name, at)}

    def _offers(self, name: Any, at: Any) -> bool:
        return isinstance(at, int) and 0 <= at < len(self.values["options"].get(name, ()))

    def show(
        self,
        trace: Trace,
        step: int | None = None,
        *,
        properties: list[str] | None = None,
        lazy: bool = False,
        remark: Wording | None = None,
    ) -> None:
        """Show another trace.

        Args:
            step: The index of the state to show; the last one by default.
            properties: The properties whose truth is shown; all for None.
            lazy: Have the page ask for no other state than the one shown, so that long traces may grow quickly.
            remark: The remark at its end.
        """
        names = trace.model.layout.variables
        with self._lock, self._held():
            if self.trace is None or self.trace.model is not trace.model:
                follows = bool(trace.model.standing(trace.states[0]))
                self.say(listing=listing(trace.model, f"{trace.model.name}-", is_open=follows))
            self.trace, self._view, self._properties, self._remark = trace, None, properties, remark
            options = {name: list(map(show, choices)) for name, choices in options_of(trace.model).items()}
            self.say(lazy=lazy, options=options, names=names, example=placeholder_of(trace.model))
            self.chosen = {name: at for name, at in self.chosen.items() if self._offers(name, at)}
            self.variables = [name for name in self.variables if name in names]
            self.step = len(trace) - 1 if step is None else step
            self._draw()

    def go(self, step: int) -> None:
        """Show another state.

        Raises:
            InputError: If there is no state with that index.
        """
        if not 0 <= step < len(self.values["states"]):
            raise InputError(f"step {step} is not accepted; the trace has states 0 to {len(self.values['states']) - 1}")
        self.step = step

    def _draw(self) -> None:
        with self._lock, self._held():
            if self.trace is None:
                return
            fitting, mistake = self._fitting(self.trace)
            view = self._view = trace_view(
                self.trace,
                variables=list(self.variables) or None,
                properties=self._properties,
                watches=fitting,
                remark=self._remark,
            )
            self.step = min(self.step, len(view.steps) - 1)
            labels = [step.label for step in view.steps]
            self.say(
                mistake=mistake,
                watched=[watch.as_dict() for watch in view.watches],
                watch_table=watch_table(view.watches, labels).html() if view.watches else "",
                texts=view.texts,
                states=[""] * len(labels),
                labels=labels,
                strip=view.strip,
                sources=[step.source for step in view.steps],
                standing=view.standing,
                marks=view.marks,
                permalink=view.permalink,
                opens=playground_of(view.trace.model.name),
            )
            self._draw_lanes()
            self._draw_pictures()

    def _fitting(self, trace: Trace) -> tuple[list[str], str]:
        """The watches that the trace's model accepts; and the reasons why it does not accept the others."""
        fitting, mistakes = [], []
        for text in self.watches:
            try:
                fitting.append(Expression(trace.model, text).text)
            except InputError as error:
                mistakes.append(str(error))
        return fitting, "; ".join(mistakes)

    def _draw_lanes(self) -> None:
        with self._lock:
            if self._view is not None:
                self.say(lanes=self._view.svg(width=self.room))

    def _draw_pictures(self) -> None:
        """Draw the present state; the page asks for the others when it is idle."""
        with self._lock:
            if self._view is not None:
                self.say(packed="", **self._present(self._view))

    def _present(self, view: TraceView) -> dict[str, Any]:
        """The state that is shown, and its picture."""
        states = [""] * len(view.steps)
        states[self.step] = view.step_html(self.step)
        return {"states": states, "picture": (self.step, view.picture_svg(self.step, **self._choices()))}

    def _choices(self) -> dict[str, Any]:
        assert self.trace is not None
        options = options_of(self.trace.model)
        return {name: options[name][at] for name, at in self.chosen.items()}

    def _fill(self) -> None:
        """Draw the current state, unless the page already has all states."""
        with self._lock:
            if self._view is not None and self.step < len(self.values["states"]) and not self.values["packed"]:
                self.say(**self._present(self._view))

    def asked(self, content: dict[str, Any]) -> None:
        match content:
            case {"want": str(kind)}:
                self._draw_for_page(kind)
            case {"watch": str(text)}:
                self._watch(text)
            case {"unwatch": str(text)}:
                self.watches = [other for other in self.watches if other != text]
            case {"take": str(move)} if self.on_take is not None:
                self.on_take(move)

    def _draw_for_page(self, kind: str) -> None:
        with self._lock:
            if self._view is None:
                return
            if kind == "pictures":
                states = (self._view.step_html(at) for at in range(len(self._view.steps)))
                self.say(packed=packed([*self._view.pictures(**self._choices()), *states]))
            elif kind == "lanes":
                self._send(lanes=self._view.lanes_for_lessons())
            elif kind == "page":
                self._send(page=trace_page(self._view))
            elif kind == "animation":
                self._send(animation=animated_svg(self._view))

    def _watch(self, typed: str) -> None:
        """Watch a typed expression, or show its error. The lock is not held, since further input may arrive."""
        trace = self.trace
        if trace is None:
            return
        try:
            text = Expression(trace.model, typed).text
        except InputError as error:
            self.say(mistake=str(error))
            return
        self.say(mistake="")
        self.watches = dict.fromkeys([*self.watches, text])
        self._send(watched=text)

    def _send(self, **content: Any) -> None:
        if self.surface is not None:
            self.surface.send({"player": self.number, **content})

    def drawn(self) -> TraceView | None:
        """The trace at the state that is shown."""
        if self._view is not None:
            self._view.at = self.step
        return self._view


def share_watches(player: Player, session: Session) -> None:
    """Give a player the session's watches, and the session those typed into the player."""

    def tell() -> None:
        if session.watches != player.watches:
            session.watch(player.watches)

    def hear() -> None:
        player.watches = session.watches

    hear()
    player.on("watches", tell)
    session.on("watches", hear)
