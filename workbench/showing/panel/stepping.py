"""A behaviour to step through and to extend: other steps, undone steps, and ways to be taken further."""

from collections.abc import Sequence

from workbench.formats.code import trace_as_code
from workbench.formats.expression import placeholder_of
from workbench.kernel import InputError, Machine, ModelError, Trace
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.replay_after_change import Retold
from workbench.kernel.meaning.trace import Move
from workbench.kernel.meaning.translation import stale_lines
from workbench.kernel.meaning.values import show
from workbench.showing.panel.fields import Button, Choice, Number, Typed
from workbench.showing.panel.history import HistoryView
from workbench.showing.panel.parts import Box, Fold, Pane, Part, copied
from workbench.showing.panel.paste import OpenPermalink
from workbench.showing.panel.player import Player, share_watches
from workbench.showing.panel.tab import Working, complaint
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.session import Session, Stepper
from workbench.showing.session.stepper import MOST_STARTS
from workbench.showing.view.base.difference import told_apart
from workbench.showing.view.base.html import noted
from workbench.showing.view.base.wording import Wording, clause, listed, told_action, told_change
from workbench.showing.view.trace.possible import possible_steps
from workbench.showing.view.trace.trace import TraceView, trace_view

_ANOTHER = element(
    "button", "another one", class_="wb-button wb-another", data_take="another",
    title="look for a behaviour that shows the same and ends otherwise; this one stays as a branch",
)  # fmt: skip
#: The most changes to describe of a step whose effect differs.
_MOST_CHANGES = 2
_HERE, _BEGINNING = "from this state", "from the beginning"


class Stepping(Box):
    """A behaviour in a player, and everything that one can do with it.

    Args:
        session: Whose story it is; None where there is no story.

    Attributes:
        player: The player that shows the behaviour so far.
    """

    def __init__(self, stepper: Stepper, session: Session | None = None) -> None:
        self.stepper, self._session = stepper, session
        self.player = Player(stepper.lock)
        self._looking = False
        self._properties: list[str] | None = None
        self._shown_properties: list[str] | None = None
        self._starts_of: Machine | None = None
        self._starts: Sequence[int] = ()
        self._examples_of: ModelClass | None = None
        self._message = Pane()
        self._undo = Button("Undo", "take the last step back", stepper.undo)
        tip = f"the initial state; beyond the first {MOST_STARTS}, go to a state by a condition"
        self._start = Choice("Begin with", [], tip=tip, on_change=self._begun)
        row = Box([self._undo, self._start], "wb-toolbar")
        self._history = HistoryView(stepper)
        further = Fold("Go to a state, a scenario, a permalink", self._tools())
        super().__init__([self._message, self.player, row, self._history, further])

        self.player.on_take = self._clicked
        self.player.on("step", self._jumped)
        self.player.on("watches", self._draw_tools)
        stepper.on_move(self._look)
        if session is not None:
            share_watches(self.player, session)
            session.another.on_change(self._say)
        self._look()

    def _tools(self) -> list[Part]:
        stepper = self.stepper
        self._condition = Typed("A state where", tip="an expression over the state and the constants", class_="wb-long")
        self._from = Choice("", [_HERE, _BEGINNING], tip="where the way begins")
        find = Button("Take me there", "along a shortest way to a state where this is true", self._find)
        self._story = Typed(
            "A scenario", rows=2, class_="wb-long",
            tip="steps and conditions, a line each; the way passes through them in this order",
        )  # fmt: skip
        tip = "start again with a shortest behaviour that passes through these lines"
        run = Button("Run scenario", tip, lambda: stepper.find_story(self._story.value))
        length = Number("", range(1, 501), 10, tip="steps")
        walk = Button("Random walk", "take that many steps at random", lambda: stepper.walk(length.value))
        rows: list[list[Part]] = [[self._condition, self._from, find], [self._story, run], [walk, length]]
        self._code = Pane()
        paste = OpenPermalink((self._session or stepper).open, self._agreed)
        return [
            Working(stepper.search, lambda trace: None), *(Box(row, "wb-toolbar") for row in rows), paste, self._code,
        ]  # fmt: skip

    def check(self, properties: list[str] | None) -> None:
        """Show whether these properties hold in the current state; None means all."""
        if properties != self._properties:
            self._properties = properties
            self._history.check(properties)
            self._look()

    # What is shown -------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        trace, at, player = self.stepper.trace, self.stepper.at, self.player
        self._draw_start()
        judged = None if self._properties is None else self.stepper.model.applicable(self._properties)
        self._looking = True
        with self._held():
            if player.trace != trace or self._shown_properties != judged:
                self._shown_properties = judged
                lazy = trace is not self.stepper.origin
                player.show(trace, at, properties=judged, lazy=lazy, remark=self._remark(trace))
            else:
                player.step = at
            self._looking = False
            player.say(left=self._left())
            self._draw_options()
        self._say()
        self._draw_tools()

    def _remark(self, trace: Trace) -> Wording | None:
        """The remark at the end of a story that takes another course now."""
        again = None if self._session is None else self._session.retold
        return goes_on(again) if again is not None and trace.steps == again.trace.steps else None

    def _left(self) -> Markup | str:
        """The place where the person has left the story, with a way back; empty as long as they are in it."""
        left = None if self._session is None else self._session.left
        if left is None:
            return ""
        text = f"You have left the story at state {left + 1}." if left >= 0 else "The story begins in another state."
        back = element("button", "Back to it", class_="wb-button", data_take="back")
        return joined([element("span", text), " ", back])

    def _say(self) -> None:
        """Show the status line: about the search for another behaviour, or else about the visible one."""
        search = None if self._session is None else self._session.another
        if search is not None and search.error:
            self._message.html = noted(search.error)
        else:
            remark = (search is not None and search.message) or self.stepper.remark
            notes = [*stale_lines(self.stepper.model.declared.translation), *([remark] if remark else [])]
            self._message.html = joined(map(noted, notes))

    def _draw_tools(self) -> None:
        """Draw the tools that are folded away. A field whose example changes loses any text not yet sent."""
        model = self.stepper.model
        if type(model.author) is not self._examples_of:
            self._examples_of = type(model.author)
            self._condition.placeholder = placeholder_of(model)
            self._story.placeholder = f"a step or a condition per line, such as  {model.instances[0].label}"
        code = trace_as_code(self.stepper.trace, self.player.watches)
        self._code.html = copied("Copy as code", code, "the lines of Python that open this trace")

    def _draw_start(self) -> None:
        """Offer the initial states, where there are several."""
        model, number = self.stepper.model, self.stepper.history.start
        if model is not self._starts_of or number not in self._starts:
            self._starts_of, states = model, self.stepper.starts()
            self._starts = list(states)
            self._start.options = dict(zip(told_apart(list(states.values())), states, strict=True))
            self._start.shown = len(states) > 1
        self._start.value = number

    def _begun(self) -> None:
        self.stepper.begin(self._start.value)

    def _jumped(self) -> None:
        with self.stepper.lock:
            if not self._looking:
                self.stepper.jump(self.player.step)

    def _draw_options(self) -> None:
        """The steps that are possible in the present state; why the others are not is folded away."""
        try:
            self.player.say(moves=self._moves())
        except ModelError as error:
            self.player.say(moves=complaint(str(error)))

    def _moves(self) -> Markup:
        trace, at = self.stepper.trace, self.stepper.at
        taken = trace.steps[at + 1].move if at < trace.end else None
        self._undo.disabled = at == 0
        verdict = None if self._session is None else self._session.verdict
        shows = verdict is not None and verdict.trace is not None
        return possible_steps(self.stepper.model, self.stepper.state, taken, _ANOTHER if shows else None)

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
                self.stepper.take(move if labels.get(move) == label else label)
            except InputError as error:
                self._message.html = complaint(str(error))

    def _find(self) -> None:
        self.stepper.find(self._condition.value, anew=self._from.value == _BEGINNING)

    def _agreed(self, more: tuple[str, ...]) -> None:
        self.player.watches = dict.fromkeys([*self.player.watches, *more])

    def static(self) -> TraceView:
        """The behaviour, with the state that is shown."""
        trace = self.stepper.trace
        return trace_view(trace, properties=self._shown_properties, remark=self._remark(trace), at=self.stepper.at)


def goes_on(story: Retold) -> Wording:
    """The continuation of a story with other constants, in words; the variables that differ stand behind them."""
    if story.refused:
        return Wording(f"{clause(story.refused)} - refused now: {story.why}")
    if not story.other:
        return Wording("Nothing of this is refused now, and from here it goes on")
    last = story.trace.steps[-1]
    instance = last.instance
    assert instance is not None  # a step took another course
    counter = instance.action.process and instance.action.process.pc
    kept = listed(list(map(str, story.kept[:_MOST_CHANGES])))
    changes = [told_change(change) for change in story.other if change.cell.variable != counter][:_MOST_CHANGES]
    ends = [show(change.after) for change in story.other if change.cell.variable == counter]
    if len(story.then) == 1:
        words = f"next, {last.lane}: {told_action(story.then[0])}"
    elif ends:
        words = f"{last.lane} is at {ends[0]}"
    else:
        words = clause(last)
    return Wording(f"Now it differs: {words}", f"it leaves {kept} alone" if kept else "; ".join(changes))
