"""Step it yourself: take a model's actions by hand, see why others are disabled, or be taken to a state."""

import random
import threading
from collections.abc import Callable
from itertools import groupby
from typing import Any

import ipywidgets

from workbench.kernel import InputError, Model, Trace, replay
from workbench.kernel.actions import outcome_label
from workbench.kernel.trace import Move
from workbench.questions.seek import predicate_of, seek
from workbench.view.html import element, escape
from workbench.view.trace import NOBODY, trace_view
from workbench.widgets.jobs import Job, Runner
from workbench.widgets.pane import Pane
from workbench.widgets.player import TracePlayer, with_static
from workbench.widgets.presets import start_from
from workbench.widgets.tab import button, complaint

_HERE, _BEGINNING = "from this state", "from the beginning"


class Simulator(ipywidgets.VBox):
    """A behaviour that grows step by step.

    Parameters
    ----------
    what : Model, type of Model, Trace or str
        A model, its name, or a behaviour to go on from.
    step : int, optional
        Of a behaviour, the index of the state to begin at; its last one by default.

    Attributes
    ----------
    trace : Trace
        The behaviour so far, with what was undone.
    at : int
        The index of the state that one is in.

    Examples
    --------
    >>> from workbench.models.bakery import Bakery
    >>> simulator = Simulator(Bakery(Writers=2))
    >>> simulator.take("node_startup(w1)")
    >>> simulator.state.pc["w1"]
    'BeginClaim'
    >>> simulator.go(lambda s: len(s.iceberg) == 2)
    >>> len(simulator.trace), simulator.trace.steps[-1].label
    (6, 'commit(w1)')
    """

    def __init__(self, what: Any, step: int | None = None) -> None:
        self._lock = threading.RLock()
        self._runner = Runner(self._lock)
        self._moves = Pane(on_send=self._clicked)
        self._message = Pane()
        self._player = TracePlayer()
        self._player.observe(self._jumped, "step")
        super().__init__([self._toolbar(), self._message, self._moves, self._player])
        self.add_class("wb-panel")
        self.start(what, step)

    def _toolbar(self) -> Any:
        self._undo = button("Undo", "undo", "take the last step back", lambda: self.jump(self.at - 1))
        restart = button("Start over", "fast-backward", "back to the initial state", lambda: self.jump(0))
        self._length = ipywidgets.BoundedIntText(10, min=1, max=500, layout={"width": "58px"})
        walk = button("Random walk", "random", "take that many steps at random", lambda: self.walk(self._length.value))
        self._condition = ipywidgets.Text(
            placeholder='such as  s.pc["w1"] == "Done"  or  len(s.iceberg) > 2',
            tooltip="a Python expression over the state s and the constants",
            layout={"flex": "1 1 240px"},
        )
        self._from = ipywidgets.Dropdown(options=[_HERE, _BEGINNING], layout={"width": "160px"})
        find = button("Take me there", "search", "along a shortest way to a state where this is true", self._find)
        self._stop = button("Stop", "stop", "stop the search", self._runner.stop)
        self._stop.layout.display = "none"
        label = ipywidgets.Label("A state where")
        rows = [[self._undo, restart, walk, self._length], [label, self._condition, self._from, find, self._stop]]
        boxes = [ipywidgets.HBox(row).add_class("wb-toolbar") for row in rows]
        return ipywidgets.VBox(boxes)

    # What one may do -----------------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        return self.trace.model

    @property
    def state(self) -> Any:
        """The state that one is in."""
        return self.trace.steps[self.at].state

    def start(self, what: Any, step: int | None = None, properties: list[str] | None = None) -> None:
        """Begin anew with a model, or with a behaviour to go on from; the truth of `properties` is shown."""
        with self._lock:
            self._properties = properties
            self._runner.cancel()
            if isinstance(what, Trace):
                self._show(what, step)
            else:
                self._show(replay(start_from(what).model, 0, []))

    def take(self, step: str | Move) -> None:
        """Take one of the enabled steps, given as a move or by its label.

        Raises
        ------
        InputError
            If it is not enabled.
        """
        with self._lock:
            self._runner.cancel()
            move = step if isinstance(step, Move) else self._move(step)
            self._show(replay(self.model, self.trace.start, [*self.trace.moves[: self.at], move]))

    def undo(self) -> None:
        """Go one step back."""
        self.jump(self.at - 1)

    def jump(self, index: int) -> None:
        """Go to the state with this index; what came after it stays in sight until another step is taken."""
        with self._lock:
            self._player.step = max(0, min(index, len(self.trace) - 1))

    def walk(self, steps: int, seed: int | None = None) -> None:
        """Take steps at random, until none is possible."""
        with self._lock:
            self._runner.cancel()
            chance = random.Random(seed)
            moves = self.trace.moves[: self.at]
            state = self.state
            for _ in range(steps):
                options = [(move, after) for _, possible in self._options(state) for _, move, after in possible]
                if not options:
                    break
                move, state = chance.choice(options)
                moves.append(move)
            self._show(replay(self.model, self.trace.start, moves))

    def go(self, condition: str | Callable[[Any], Any], *, anew: bool = False, max_states: int | None = None) -> None:
        """Go to a state where `condition` is true, along a shortest way.

        Parameters
        ----------
        condition : str or callable
            A function of the state, or a Python expression over ``s`` and the constants.
        anew : bool
            Begin in an initial state instead of the present one.
        max_states : int, optional
            A bound on the search.

        Raises
        ------
        InputError
            For an expression that is not accepted, or if there is no such state.
        """
        trace, said = self._search(condition, anew, Job(), max_states)
        if trace is None:
            raise InputError(said)
        with self._lock:
            self._show(trace)

    # What is shown -------------------------------------------------------------------------------------------------

    def _show(self, trace: Trace, step: int | None = None) -> None:
        self.trace = trace
        self.at = len(trace) - 1 if step is None else step
        self._say("")
        self._player.show(trace, self.at, properties=self._properties, lazy=True)
        self._draw()

    def _say(self, markup: str) -> None:
        self._message.html = markup

    def _jumped(self, _: Any) -> None:
        with self._lock:
            if self._player.step != self.at:
                self.at = self._player.step
                self._draw()

    def _options(self, state: Any) -> list[tuple[Any, list[tuple[str, Move, Any]]]]:
        """Per action instance its outcomes in `state`: label, move, and the state that each leads to."""
        options = []
        for instance in self.model.instances:
            outcomes = self.model.outcomes(instance, state)
            steps = [
                (outcome_label(instance, outcome), Move(instance.number, ordinal), after)
                for ordinal, (outcome, after) in enumerate(outcomes)
            ]
            options.append((instance, steps))
        return options

    def _move(self, label: str) -> Move:
        options = {name: move for _, steps in self._options(self.state) for name, move, _ in steps}
        if label not in options:
            raise InputError(f"step {label!r} is not enabled; enabled: {', '.join(options) or 'none'}")
        return options[label]

    def _draw(self) -> None:
        """The buttons for the present state."""
        options = self._options(self.state)
        rows, disabled = [], []
        for lane, group in groupby(options, key=lambda option: option[0].lane or NOBODY):
            buttons = []
            for instance, steps in group:
                buttons += [_step_button(label, move) for label, move, _ in steps]
                if not steps:
                    why = self.model.why_disabled(instance, self.state) or ""
                    disabled.append(_greyed(instance.label, why))
            if buttons:
                rows.append(element("b", escape(lane)) + element("div", *buttons))
        enabled = element("div", *rows, class_="wb-moves") if rows else element("p", "No step is possible: the end.")
        grid = element("div", *disabled, class_="wb-greyed wb-scroll")
        self._undo.disabled = self.at == 0
        summary = f"<summary>{len(disabled)} steps that are not possible now, and why</summary>"
        self._moves.html = f"{enabled}<details open>{summary}{grid}</details>" if disabled else enabled

    def _clicked(self, move: str) -> None:
        instance, outcome = move.split(".")
        self.take(Move(int(instance), int(outcome)))

    # Searching -----------------------------------------------------------------------------------------------------

    def _search(self, condition: Any, anew: bool, job: Job, max_states: int | None = None) -> tuple[Trace | None, str]:
        """The behaviour to such a state; or None, and why there is none."""
        model = self.model
        predicate = predicate_of(model, condition) if isinstance(condition, str) else condition
        after = None if anew else replay(model, self.trace.start, self.trace.moves[: self.at])
        trace, result = seek(model, predicate, after=after, should_stop=job.should_stop, max_states=max_states)
        if trace is not None:
            return trace, ""
        where = _BEGINNING if anew else _HERE
        if result.complete:
            return None, f"no such state can be reached {where}; there are {result.distinct:,} states"
        return None, f"no such state was found {where} among {result.distinct:,} states: {result.stopped}"

    def _find(self) -> None:
        condition, anew = self._condition.value, self._from.value == _BEGINNING

        def done(outcome: tuple[Trace | None, str]) -> None:
            trace, said = outcome
            self._stop.layout.display = "none"
            if trace is None:
                self._say(complaint(said))
            else:
                self._show(trace)

        def failed(said: str) -> None:
            self._stop.layout.display = "none"
            self._say(complaint(said))

        with self._lock:
            self._stop.layout.display = ""
            self._say(element("p", "Searching", class_="wb-note"))
            self._runner.start(lambda job: self._search(condition, anew, job), done, failed)

    def __repr__(self) -> str:
        return f"Simulator at state {self.at + 1} of\n{self.trace!r}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return with_static(super()._repr_mimebundle_(**options), trace_view(self.trace))


def _step_button(label: str, move: Move) -> str:
    code = element("code", escape(label))
    return element("button", code, class_="wb-button", data_send=f"{move.instance}.{move.outcome}")


def _greyed(label: str, why: str) -> str:
    button = element("button", element("code", escape(label)), class_="wb-button", disabled="disabled")
    return element("div", button, element("p", escape(why), class_="wb-note"))
