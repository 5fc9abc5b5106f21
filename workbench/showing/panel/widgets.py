"""The parts of a panel as widgets of their own, for anybody's boxes, tabs and dashboards."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from workbench.checking.spaces.space import StateSpace, again
from workbench.formats.expression import Expression
from workbench.kernel import InputError, Result, Trace
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.errors import unknown
from workbench.showing import view
from workbench.showing.panel.controls import Controls
from workbench.showing.panel.graph_tab import GraphTab, page_of
from workbench.showing.panel.grid_tab import GridTab
from workbench.showing.panel.observed import Observed, check_selected, refusing
from workbench.showing.panel.parts import Box, Pane, Part
from workbench.showing.panel.player import Player
from workbench.showing.panel.runs import RunsPane
from workbench.showing.panel.tab import Tab, complaint
from workbench.showing.panel.verdicts import verdict_list
from workbench.showing.panel.whole import GraphPane
from workbench.showing.session import start_from
from workbench.showing.view.base.html import Drawn, Rendered, table
from workbench.showing.view.charts.plot import svg
from workbench.showing.view.trace.tables import told_apart
from workbench.showing.view.trace.trace import TraceView

if TYPE_CHECKING:
    import pandas as pd

    from workbench.showing.panel.panel import Workbench


class Switches(Observed, ipywidgets.ValueWidget):
    """Controls of a model's constants, to be joined to other widgets.

    Args:
        what: A model, its name, or the name of a configuration.
        names: The constants to set; all of them if none is named.
        **constants: What some are at first.

    Attributes:
        value (dict): Those constants, as the model takes them. Some or all can be set, others are passed over; what
            the model does not accept is a TraitError, or a line below the controls where a person has typed it.

    Examples:
        >>> switches = Switches("bakery", "Writers", "LazyReap", Writers=1)
        >>> switches.value = {"Writers": 2}
        >>> switches.value
        {'Writers': ('w1', 'w2'), 'LazyReap': True}
    """

    value = traitlets.Dict()

    def __init__(self, what: Any, /, *names: str, **constants: Any) -> None:
        self._settings = start_from(what).with_constants(constants)
        declared = self._settings.model_class.declared
        for name in names:
            if name not in declared.constants:
                raise unknown(f"constant of {declared.name}", name, declared.constants)
        self._names = names or tuple(declared.constants)
        self._controls = Controls(self._settings.model_class, self._changed, self._names)
        self._controls.assign(dict(self._settings.constants))
        self._wrong = Pane(role="alert")
        super().__init__(Box([self._controls.near, self._wrong]))
        self.deliver()

    def now(self) -> dict[str, Any]:
        return {"value": {name: self._settings.constants[name] for name in self._names}}

    def _changed(self) -> None:
        try:
            self._take(self._controls.values())
        except InputError as error:
            self._wrong.html = complaint(str(error))
        else:
            self.follow()

    def _take(self, constants: Mapping[str, Any]) -> None:
        settings = self._settings.with_constants(constants)
        settings.model()  # raises an error unless they go together
        self._settings, self._wrong.html = settings, ""

    @traitlets.validate("value")
    def _accepted(self, proposal: Any) -> dict[str, Any]:
        if not self.is_followed(proposal):
            with self.held(), refusing():
                every = self._settings.with_constants(proposal["value"]).constants  # from a panel it gets all of them
                self._take({name: every[name] for name in self._names})
                self._controls.assign(dict(self._settings.constants))
        value: dict[str, Any] = self.now()["value"]
        return value

    def __repr__(self) -> str:
        return f"Switches({self.value})"

    def _when_other(self, changed: Callable[[], None]) -> None:
        self.observe(lambda _: changed(), "value")

    def static(self) -> Drawn:
        constants = self._settings.model_class.declared.constants
        rows = [(name, constants[name].domain.word(value)) for name, value in self.value.items()]
        return Rendered(table(("constant", "value"), rows), repr(self))


class _Following(Observed):
    """The base of widgets that show either a given object or whatever a panel shows, which they then follow."""

    _leave: Sequence[Callable[[], None]] = ()

    def __init__(self, root: Part, panel: "Workbench | None") -> None:
        self._panel = panel
        super().__init__(root, None if panel is None else panel.session.lock)
        if panel is not None:
            self._leave = [panel.session.on(event, self._look) for event in ("check", "result", "selected")]
        self._look()

    @classmethod
    def _takes_one(cls, content: Any, panel: "Workbench | None") -> None:
        if (content is None) == (panel is None):
            raise InputError(f"{cls.__name__} takes what it shows, or panel= and a Workbench; give one of them")

    def _look(self) -> None:
        """Draw the present contents."""
        with self.held():
            self.draw()
        self.follow()

    def draw(self) -> None:
        """Fill the widget if it shows a panel's tab; other contents draw themselves."""
        if isinstance(self.content, Tab):
            self.content.opened()

    def now(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        for leave in self._leave:
            leave()
        super().close()


class Verdicts(_Following):
    """The verdicts of a result, to select one.

    Args:
        result: The result.
        panel: A panel whose verdicts are shown, instead.

    Attributes:
        selected (str): The property that was clicked last, or set; None if there is none.
    """

    selected = traitlets.Unicode(None, allow_none=True)

    def __init__(self, result: Result | None = None, *, panel: "Workbench | None" = None) -> None:
        self._takes_one(result, panel)
        self._result, self._selected = result, None if result is None else _first(result)
        self._list = Pane(on_send=self._select)
        super().__init__(self._list, panel)

    @property
    def result(self) -> Result | None:
        return self._result if self._panel is None else self._panel.session.result

    def draw(self) -> None:
        if self._panel is not None:
            self._selected = self._panel.session.selected
        stale = self._panel is not None and self._panel.session.stale
        self._list.html = "" if self.result is None else verdict_list(self.result, self._selected, stale)

    def now(self) -> dict[str, Any]:
        return {"selected": self._selected}

    def _select(self, name: str) -> None:
        if self._panel is None:
            self._selected = name
            self._look()
        else:
            self._panel.session.select(name)

    @traitlets.validate("selected")
    def _selectable(self, proposal: Any) -> Any:
        if not self.is_followed(proposal):
            with refusing():
                check_selected(proposal["value"], self.result)
            self._select(proposal["value"])
        return proposal["value"]

    def __repr__(self) -> str:
        return f"Verdicts of\n{self.result}"

    def _when_other(self, changed: Callable[[], None]) -> None:
        self.observe(lambda _: changed(), "selected")

    def static(self) -> Drawn | None:
        return None if self.result is None else view.result_view(self.result)


def _first(result: Result) -> str | None:
    named = [*result.violated, *result.verdicts]
    return named[0].name if named else None


class TracePlayer(_Following):
    """A trace to step through.

    Args:
        trace: The trace.
        step: The index of the state shown first; the last one by default.
        watches: Python expressions over the state, see :func:`workbench.showing.view.trace_view`. They are run.
        panel: A panel whose story is shown, instead.

    Attributes:
        step (int): The index of the state that is shown.

    Examples:
        >>> from workbench.kernel import replay
        >>> from workbench.protocols.bakery.model import Bakery
        >>> player = TracePlayer(replay(Bakery(), 0, [(0, 0), (3, 0)]))
        >>> player.step, player.trace.steps[2].label
        (2, 'begin_claim(w1)')
    """

    step = traitlets.Int()

    def __init__(
        self,
        trace: Trace | None = None,
        step: int | None = None,
        watches: Sequence[str] = (),
        *,
        panel: "Workbench | None" = None,
    ) -> None:
        self._takes_one(trace, panel)
        watches = names_in("watches", watches)
        if trace is not None:
            for text in watches:
                Expression(trace.model, text)  # a mistake is an error here, where no person typed it
        self.player = Player(threading.RLock() if panel is None else panel.session.lock)
        self.player.watches = watches
        super().__init__(self.player, panel)
        if trace is not None:
            self.player.show(trace, step)
        if panel is not None:
            self._leave = [*self._leave, panel.session.stepper().on_move(self._look)]
        self.player.on("step", self._stepped)
        self.deliver()

    @property
    def trace(self) -> Trace | None:
        return self.player.trace

    @property
    def watches(self) -> tuple[str, ...]:
        return self.player.watches

    def draw(self) -> None:
        if self._panel is None:
            return
        stepper = self._panel.session.stepper()
        if self.player.trace != stepper.trace:
            self.player.show(stepper.trace, stepper.at, lazy=stepper.trace is not stepper.origin)
        self.player.step = stepper.at

    def now(self) -> dict[str, Any]:
        return {"step": self.player.step}

    def _stepped(self) -> None:
        if self._panel is not None:
            self._panel.session.stepper().jump(self.player.step)
        self.follow()

    @traitlets.validate("step")
    def _there(self, proposal: Any) -> Any:
        if not self.is_followed(proposal):
            with refusing():
                self.player.go(proposal["value"])
        return proposal["value"]

    def __repr__(self) -> str:
        return f"TracePlayer at state {self.step + 1} of\n{self.trace!r}"

    def _when_other(self, changed: Callable[[], None]) -> None:
        self.player.on("step", changed)
        self.player.on("watches", changed)

    def static(self) -> TraceView | None:
        return self.player.drawn()


class StateGraph(_Following):
    """States and transitions, to look at closely.

    Args:
        space: The state space. Up to 5,000 states are drawn whole.
        panel: A panel whose space is drawn, instead, with the choices of its own *Graph*.
        trace: A behaviour to light up; by default, that of the first violated property.
        **drawn: Draws the first steps of a `space` with labels or pictures in the states, as these options of
            :func:`workbench.showing.view.state_graph` say.

    Attributes:
        state (int): The number of the state that was chosen last; None before.
    """

    state = traitlets.Int(None, allow_none=True, read_only=True)

    def __init__(
        self,
        space: StateSpace | None = None,
        *,
        panel: "Workbench | None" = None,
        trace: Trace | None = None,
        **drawn: Any,
    ) -> None:
        self._takes_one(space, panel)
        self._state: int | None = None
        self._graph: Drawn | None = None
        pane = GraphPane(lambda sent: self._choose(int(sent)), self._choose)
        if space is not None and drawn:
            self._graph = graph = replace(view.state_graph(space, trace=trace, **drawn), clickable=True)
            pane.html = page_of(graph)
        elif space is not None:
            self._graph = view.whole_graph(space, trace=trace)
            pane.show(self._graph)
        super().__init__(pane if panel is None else GraphTab(panel.session), panel)

    def now(self) -> dict[str, Any]:
        return {"state": self._state}

    def _choose(self, number: int) -> None:
        self._state = number
        self.follow()

    def static(self) -> Drawn | None:
        return self._graph


class Density(Observed):
    """All states of a space by depth and by what tells most about a violation, to select states and play to them.

    Args:
        what: The state space, of any size; or a result, whose model is then searched again.
        fault: The invariant whose violations are counted; by default the first that is violated.
        trace: A behaviour to draw over it; by default, that of `fault`, or of the first violated property.

    Attributes:
        state (int): The number of the state that was chosen last, to which the player below has gone; None before.

    Examples:
        >>> from workbench import get_model, state_space
        >>> Density(state_space(get_model("paimon")(PUT_IF_ABSENT=False)))
        Density of paimon: 1,533 states by depth, 504 of them violate ConsistentRead
    """

    state = traitlets.Int(None, allow_none=True, read_only=True)

    def __init__(self, what: StateSpace | Result, /, fault: str | None = None, *, trace: Trace | None = None) -> None:
        self._density = view.density(again(what) if isinstance(what, Result) else what, fault, trace=trace)
        self._state: int | None = None
        self._player = Player(threading.RLock())
        self._player.shown = False
        pane = GraphPane(lambda sent: None, self._choose, self._play)
        pane.show(self._density)
        super().__init__(Box([pane, self._player]))

    def now(self) -> dict[str, Any]:
        return {"state": self._state}

    def _choose(self, number: int) -> None:
        self._state = number
        self.follow()

    def _play(self, trace: Trace) -> None:
        self._player.show(trace)
        self._player.shown = True

    @property
    def trace(self) -> Trace | None:
        """The shortest trace to the state that was chosen last; None before."""
        return self._player.trace

    def __repr__(self) -> str:
        return f"Density of {self._density.title}"

    def static(self) -> Drawn:
        return self._density


class Compare(Observed):
    """Two results on one strip of steps: where their runs diverge, and the same picture of both at every step.

    Args:
        left, right: The results. Where a property has a trace in only one of them, its actors act again in the other.
        named: The property; by default the first one whose verdicts differ.
        names: The names of the two; by default the constants by which they differ.

    Attributes:
        step (int): The index of the step that is shown, at first the one where the runs diverge.

    Raises:
        InputError: If neither has a trace of a property that both have judged.

    Examples:
        >>> from workbench import check, get_model
        >>> paimon = get_model("paimon")
        >>> one, other = (check(paimon(PUT_IF_ABSENT=value), ["ConsistentRead"]) for value in (False, True))
        >>> compared = Compare(one, other)
        >>> compared.step, compared.summary.partition(" (")[0]
        (8, 'w1: Create the snapshot file, or overwrite it - another effect')
    """

    step = traitlets.Int()

    def __init__(
        self, left: Result, right: Result, /, named: str | None = None, *, names: tuple[str, str] | None = None
    ) -> None:
        if named is not None:
            check_selected(named, left)
        self._compared = view.compare(left, right, names or told_apart(left, right), named)
        if self._compared.runs is None:
            raise InputError(
                f"there is no trace of {named or 'a property'} that both have judged, so no steps to compare"
            )
        self._runs = self._compared.runs
        self._pane = RunsPane(self.follow)
        self._pane.show(self._runs)
        super().__init__(self._pane)
        self.deliver()

    @property
    def summary(self) -> str:
        """The first divergence in a sentence, with the variables that differ."""
        return str(self._runs.runs.summary)

    def now(self) -> dict[str, Any]:
        return {"step": self._pane.step}

    @traitlets.validate("step")
    def _there(self, proposal: Any) -> Any:
        if not self.is_followed(proposal):
            with self.held(), refusing():
                if not 0 <= proposal["value"] < len(self._runs):
                    raise InputError(
                        f"step {proposal['value']} is not there; the runs have steps 0 to {len(self._runs) - 1}"
                    )
                self._pane.step = proposal["value"]
        return proposal["value"]

    def __repr__(self) -> str:
        return f"Compare at step {self.step} of\n{self._compared.text()}"

    def _when_other(self, changed: Callable[[], None]) -> None:
        self.observe(lambda _: changed(), "step")

    def static(self) -> Drawn:
        return replace(self._runs, at=self._pane.step)


class VerdictMap(_Following):
    """The verdicts of a sweep as a map, to click.

    Args:
        table: The table of a sweep or a grid: a row for each setting.
        panel: A panel whose own map is shown, instead; a click sets the panel to a cell.
        **drawn: How a `table` is drawn, see :func:`workbench.showing.view.verdict_map`.

    Attributes:
        row (dict): The row of the table that was clicked last; empty before.
    """

    row = traitlets.Dict(read_only=True)

    def __init__(self, table: "pd.DataFrame | None" = None, *, panel: "Workbench | None" = None, **drawn: Any) -> None:
        self._takes_one(table, panel)
        self._row: dict[str, Any] = {}
        self._rows: list[Any] = [] if table is None else table.to_dict("records")
        self._map = None if table is None else view.verdict_map(table, **drawn, clickable=True)
        self._pane = Pane("" if self._map is None else self._map.svg(), self._clicked, "wb-map")
        super().__init__(self._pane if panel is None else GridTab(panel.session), panel)

    def now(self) -> dict[str, Any]:
        return {"row": self._row}

    def _clicked(self, sent: str) -> None:
        self._row = self._rows[int(sent)]
        if self._map is not None:
            self._pane.html = svg(self._map.plot(), sent)
        self.follow()

    def static(self) -> Drawn | None:
        return self._map
