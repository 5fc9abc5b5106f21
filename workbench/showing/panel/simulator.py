"""Step it yourself: take a model's actions by hand, see why others are disabled, or be taken to a state."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import ipywidgets

from workbench.formats.code import trace_as_code
from workbench.formats.expression import example_of
from workbench.kernel import InputError, Model, ModelError, Trace
from workbench.kernel.given import names_in
from workbench.kernel.trace import Move
from workbench.showing.panel.fold import folded_away
from workbench.showing.panel.history import HistoryView
from workbench.showing.panel.lifetime import Panel
from workbench.showing.panel.pane import Pane, Style, Words, copied
from workbench.showing.panel.paste import OpenPermalink
from workbench.showing.panel.player import TracePlayer, share_watches
from workbench.showing.panel.tab import Working, button, complaint
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.session import Session, Stepper, start_from
from workbench.showing.session.retold import Retold
from workbench.showing.session.stepper import MOST_STARTS
from workbench.showing.view.difference import told_apart
from workbench.showing.view.html import noted
from workbench.showing.view.possible import possible_steps
from workbench.showing.view.trace import TraceView, trace_view
from workbench.showing.view.wording import told_change

_ANOTHER = element(
    "button", "another one", class_="wb-button wb-another", data_take="another",
    title="look for a behaviour that shows the same and ends otherwise; this one stays as a branch",
)  # fmt: skip
#: How many changes of a step that goes otherwise are told.
_MOST_CHANGES = 2
_HERE, _BEGINNING = "from this state", "from the beginning"


class _Player(TracePlayer):
    """A player in a panel, which has a style sheet."""

    _css = ""


class Simulator(Panel, ipywidgets.VBox):
    """A behaviour that grows step by step.

    Args:
        what: A model, its name, a behaviour to go on from, or a session whose stepper is shown.
        step: Of a behaviour, the index of the state to begin at; its last one by default.

    Attributes:
        stepper (Stepper): Where one is, and was.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> simulator = Simulator(Bakery(Writers=2))
        >>> simulator.take("node_startup(w1)")
        >>> simulator.state.pc["w1"]
        'BeginClaim'
        >>> simulator.go(lambda s: len(s.iceberg) == 2)
        >>> len(simulator.trace), simulator.trace.steps[-1].label
        (6, 'commit(w1)')
    """

    def __init__(self, what: Any, step: int | None = None) -> None:
        session = what if isinstance(what, Session) else None
        self.stepper = self._work = Stepper(_behaviour(what), step) if session is None else session.stepper()
        self._properties: list[str] | None = None
        self._drawing = False
        self._message = Words()
        self._player = _Player(on_take=self._clicked)
        self._player.observe(self._jumped, "step")
        self._history = HistoryView(self.stepper)
        self._open = (session or self.stepper).open
        self._session = session
        self._condition: Any = None
        self.further = folded_away("Go to a state, a scenario, a permalink", make=self._tools)
        row = ipywidgets.HBox(self._buttons()).add_class("wb-toolbar")
        parts = [self._message, self._player, row, self._history, self.further]
        super().__init__(parts if session else [Style(), *parts])
        if session is None:
            self.add_class("wb-panel")
        self.stepper.on_move(self._draw)
        self._player.observe(self._draw_tools, "watches")
        if session is not None:
            share_watches(self._player, session)
            session.another.on_change(self._say)
        self._draw()

    def _buttons(self) -> list[Any]:
        self._undo = button("Undo", "undo", "take the last step back", self.undo)
        self._start = ipywidgets.Dropdown(
            tooltip=f"the initial state; beyond the first {MOST_STARTS}, go to a state by a condition",
            style={"description_width": "initial"},
            description="Begin with",
            layout={"flex": "0 1 auto", "width": "auto", "max_width": "100%"},
        )
        self._start.observe(self._chosen, "value")
        return [self._undo, self._start]

    def _tools(self) -> list[Any]:
        self._condition = ipywidgets.Text(
            tooltip="a Python expression over the state s and the constants",
            continuous_update=False,
            layout={"flex": "1 1 240px"},
        )
        self._from = ipywidgets.Dropdown(
            options=[_HERE, _BEGINNING], tooltip="where the way begins", layout={"width": "160px"}
        )
        find = button("Take me there", "search", "along a shortest way to a state where this is true", self._find)
        label = ipywidgets.Label("A state where")
        length = ipywidgets.BoundedIntText(10, min=1, max=500, tooltip="steps", layout={"width": "58px"})
        walk = button("Random walk", "random", "take that many steps at random", lambda: self.walk(length.value))
        rows = [[label, self._condition, self._from, find], self._scenario(), [walk, length]]
        boxes = [ipywidgets.HBox(row).add_class("wb-toolbar") for row in rows]
        self.paste = OpenPermalink(self._open, lambda more: self.watch((*self.watches, *more)))
        self._code = Pane()
        self._draw_tools()
        self._searching = Working(self.stepper.search, lambda trace: None)
        return [self._searching, *boxes, self.paste, self._code]

    def _scenario(self) -> list[Any]:
        self._story = ipywidgets.Textarea(
            rows=2,
            tooltip="steps and conditions, a line each; the way passes through them in this order",
            continuous_update=False,
            layout={"flex": "1 1 240px"},
        )
        tip = "start again with a shortest behaviour that passes through these lines"
        run = button("Run scenario", "play", tip, self._tell)
        return [ipywidgets.Label("A scenario"), self._story, run]

    # What one may do -----------------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        return self.stepper.model

    @property
    def player(self) -> TracePlayer:
        """What shows the behaviour so far."""
        return self._player

    @property
    def trace(self) -> Trace:
        """The behaviour so far, with what was undone."""
        return self.stepper.trace

    @property
    def at(self) -> int:
        """The index of the state that one is in."""
        return self.stepper.at

    @property
    def state(self) -> Any:
        """The state that one is in."""
        return self.stepper.state

    def start(self, what: Any, step: int | None = None) -> None:
        """Begin anew with a model, or with a behaviour to go on from."""
        self.stepper.start(_behaviour(what), step)

    def check(self, properties: list[str] | None) -> None:
        """Show the truth of these properties; of all for None."""
        with self.stepper.lock:
            if properties != self._properties:
                self._properties = properties
                self._history.check(properties)
                self._draw()

    @property
    def watches(self) -> tuple[str, ...]:
        """The expressions that are watched."""
        return self._player.watches

    def watch(self, expressions: Iterable[str]) -> None:
        """Watch these expressions on the state. They are run: give none that you do not understand."""
        with self.stepper.lock:
            self._player.watches = tuple(dict.fromkeys(names_in("watches", expressions)))

    def take(self, step: str | Move) -> None:
        """Take one of the enabled steps, given as a move or by its label.

        Raises:
            InputError: If it is not enabled.
        """
        self.stepper.take(step)

    def begin(self, number: int) -> None:
        """Begin in another of the model's initial states; see :meth:`Stepper.begin`."""
        self.stepper.begin(number)

    def undo(self) -> None:
        """Go one step back."""
        self.stepper.undo()

    def jump(self, index: int) -> None:
        """Go to the state with this index; what came after it stays in sight until another step is taken."""
        self.stepper.jump(index)

    def walk(self, steps: int, seed: int | None = None) -> None:
        """Take steps at random, until none is possible."""
        self.stepper.walk(steps, seed)

    def go(self, condition: str | Callable[[Any], Any], *, anew: bool = False, max_states: int | None = None) -> None:
        """Go to a state where `condition` is true, along a shortest way; see :meth:`Stepper.go`."""
        self.stepper.go(condition, anew=anew, max_states=max_states)

    def tell(self, lines: str, *, max_states: int | None = None) -> None:
        """Begin anew with a shortest behaviour that passes through a scenario's lines; see :meth:`Stepper.tell`."""
        self.stepper.tell(lines, max_states=max_states)

    # What is shown -------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        trace, at = self.stepper.trace, self.stepper.at
        self._drawing = True
        self._draw_start()
        judged = None if self._properties is None else self.model.applicable(self._properties)
        if self._player.trace != trace or self._shown_properties != judged:
            self._shown_properties = judged
            lazy = trace is not self.stepper.given
            self._player.show(trace, at, properties=judged, lazy=lazy, remark=self._remark(trace))
        else:
            self._player.step = at
        self._drawing = False
        self._player.left = self._left()
        self._say()
        self._draw_tools()
        self._draw_options()

    _shown_properties: list[str] | None = None

    def _remark(self, trace: Trace) -> str:
        """What is said at the end of a story that goes otherwise now."""
        again = None if self._session is None else self._session.retold
        return goes_on(again) if again is not None and trace.steps == again.trace.steps else ""

    def _left(self) -> Markup | str:
        """Where somebody has left the story, with a way back; nothing while they are in it."""
        left = None if self._session is None else self._session.left
        if left is None:
            return ""
        said = f"You have left the story at state {left + 1}." if left >= 0 else "The story begins in another state."
        back = element("button", "Back to it", class_="wb-button", data_take="back")
        return joined([element("span", said), " ", back])

    def _say(self) -> None:
        """What a person should know: of the search for another behaviour, else of the one that is shown."""
        search = None if self._session is None else self._session.another
        if search is not None and search.error:
            self._message.html = noted(search.error)
        else:
            said = (search is not None and search.said) or self.stepper.remark
            self._message.html = noted(said) if said else ""

    def _draw_tools(self, _: Any = None) -> None:
        """What is folded away, once it is there. A field whose example changes drops what was typed and not sent."""
        if self._condition is None:
            return
        if type(self.model) is not self._examples_of:
            self._examples_of = type(self.model)
            self._condition.placeholder = f"such as  {example_of(self.model)}"
            self._story.placeholder = f"a step or a condition per line, such as  {self.model.instances[0].label}"
        code = trace_as_code(self.trace, self.watches)
        self._code.html = copied("Copy as code", code, "the lines of Python that open this trace")

    def _draw_start(self) -> None:
        """Offer the initial states, where there are several."""
        number = self.stepper.history.start
        if self.model is not self._starts_of or number not in self._starts:
            self._starts_of, states = self.model, self.stepper.starts()
            self._starts = list(states)
            self._start.options = list(zip(told_apart(list(states.values())), states, strict=True))
            self._start.layout.display = "" if len(states) > 1 else "none"
        self._start.value = number

    _starts_of: Model | None = None
    _starts: Sequence[int] = ()

    def _chosen(self, _: Any) -> None:
        with self.stepper.lock:
            if not self._drawing:
                self.begin(self._start.value)

    _examples_of: type[Model] | None = None

    def _jumped(self, _: Any) -> None:
        with self.stepper.lock:
            if not self._drawing:
                self.stepper.jump(self._player.step)

    def _draw_options(self) -> None:
        """The steps that are possible in the present state; why the others are not is folded away."""
        try:
            self._player.moves = self._told()
        except ModelError as error:
            self._player.moves = complaint(str(error))

    def _told(self) -> Markup:
        taken = self.trace.steps[self.at + 1].move if self.at < self.trace.end else None
        self._undo.disabled = self.at == 0
        verdict = None if self._session is None else self._session.verdict
        shows = verdict is not None and verdict.trace is not None
        return possible_steps(self.model, self.state, taken, _ANOTHER if shows else None)

    def _clicked(self, sent: str) -> None:
        if sent == "another" and self._session is not None:
            self._session.tell_another()
            return
        if sent == "back" and self._session is not None:
            self._session.back()
            return
        number, _, label = sent.partition(" ")
        instance, outcome = map(int, number.split("."))
        with self.stepper.lock:
            labels = {step.move: step.label for options in self.stepper.options() for step in options.steps}
            move = Move(instance, outcome)
            try:  # the click may have been on its way when another step was taken
                self.take(move if labels.get(move) == label else label)
            except InputError as error:
                self._message.html = complaint(str(error))

    def _find(self) -> None:
        self.stepper.find(self._condition.value, anew=self._from.value == _BEGINNING)

    def _tell(self) -> None:
        self.stepper.find_story(self._story.value)

    def __repr__(self) -> str:
        return f"Simulator at state {self.at + 1} of\n{self.trace!r}"

    def _when_other(self, changed: Callable[[], None]) -> None:
        self.stepper.on_move(changed)

    def static(self) -> TraceView:
        return trace_view(self.trace, properties=self._shown_properties, remark=self._remark(self.trace), at=self.at)


def goes_on(story: Retold) -> str:
    """How a story goes on with other constants."""
    if story.refused:
        return f"{story.refused} is refused now: {story.why}"
    if story.other:
        return f"Now this step goes otherwise: {'; '.join(map(told_change, story.other[:_MOST_CHANGES]))}"
    return "Nothing of this is refused now, and from here it goes on"


def _behaviour(what: Any) -> Model | Trace:
    return what if isinstance(what, Trace) else start_from(what).model()
