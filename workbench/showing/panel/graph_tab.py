"""The state graph: whole, as a density, around a state, along a trace, or seen through some variables."""

from dataclasses import replace
from typing import Any, NamedTuple

from workbench.checking.spaces.space import StateSpace
from workbench.kernel import InputError, Result, State, Trace
from workbench.kernel.meaning.values import counted
from workbench.showing import view
from workbench.showing.panel.fields import Buttons, Checkbox, Number, Several
from workbench.showing.panel.parts import Box, Part
from workbench.showing.panel.tab import Tab
from workbench.showing.panel.whole import GraphPane
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.session.jobs import Job
from workbench.showing.session.result_cache import MOST_STATES
from workbench.showing.view.base.html import Drawn, noted
from workbench.showing.view.graph.graph import FOCUS
from workbench.showing.view.graph.whole import too_large

_TRACE, _WHOLE, _DENSITY = "trace and alternatives", "whole graph", "density"
_NEAR, _SEEN = "around a state", "seen through variables"
_LEGEND = element(
    "div",
    element(
        "input",
        type="search",
        data_search="g.node",
        placeholder="Find states",
        aria_label="find states",
        title="Enter: the next one",
    ),
    element("span", class_="wb-note"),
    *(
        element("span", element("i", class_=f"wb-{mark}"), says)
        for mark, says in {
            "initial": "initial",
            "on-trace": "trace",
            "violating": "violated",
        }.items()
    ),
    element(
        "span",
        *(
            element("button", sign, class_="wb-button", data_view=view, title=f"{effect}; {how}", aria_label=effect)
            for view, sign, effect, how in (
                ("smaller", "\N{MINUS SIGN}", "smaller", "or -, or the wheel with Ctrl"),
                ("larger", "+", "larger", "or +, or the wheel with Ctrl"),
                ("fit", "Fit", "all of it in sight", "or 0"),
            )
        ),
        class_="wb-zoom",
    ),
    class_="wb-legend",
)


class _Asked(NamedTuple):
    """A request for a drawing: which states to draw, and how."""

    mode: str
    variables: tuple[str, ...]
    center: int | State
    radius: int
    edges: int
    pictures: bool

    def options(self) -> dict[str, Any]:
        return {"variables": self.variables, "most_edges": self.edges, "pictures": self.pictures}


class GraphTab(Tab):
    """States as nodes and steps as arrows, or all states as a density."""

    title, of_selected = "Graph", True

    def build(self) -> list[Part]:
        changed = self._changed
        self._mode = Buttons("what is drawn", [_TRACE, _WHOLE, _DENSITY, _NEAR, _SEEN], on_change=changed)
        self._mode.value = _WHOLE
        tip = "what the nodes show; several with Ctrl or Shift"
        self._variables = Several("variables", tip=tip, on_change=changed)
        self._number = Number("state", range(MOST_STATES + 1), on_change=self._numbered)
        self._radius = Number("within", range(1, 6), 2, "range", tip="that many steps", on_change=changed)
        self._edges = Number("at most", range(20, 301, 20), 80, "range", tip="edges that are drawn", on_change=changed)
        self._pictures = Checkbox("pictures", False, "show states as their pictures", changed)
        self._picture = GraphPane(self._around, self._point, self._play)
        self._working = self.working(f"graph {self.number}", self._show)
        options = Box([self._number, self._radius, self._edges, self._pictures], "wb-controls")
        return [self._mode, Box([self._variables, options], "wb-options"), self._working, self._picture]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        self._chosen = False
        model, story = result.model, self.session.story
        variables = model.layout.variables
        if tuple(self._variables.options) != tuple(variables):
            self._variables.options = variables
            states = [] if story is None else story.states
            self._variables.value = view.telling(model, states or model.initial_states()[:1])
            if story is not None:
                self._mode.value = _TRACE
        self._ask(result)

    def _changed(self) -> None:
        if self.session.result is not None:
            self._ask(self.session.result)

    def _around(self, number: str) -> None:
        """Handle a click on a state: draw its surroundings."""
        self._mode.value, self._number.value = _NEAR, int(number)
        self._numbered()

    def _numbered(self) -> None:
        """Note that a state other than the story's present one was chosen."""
        self._chosen = True
        self._changed()

    def _point(self, number: int) -> None:
        """Note the state that was chosen in the whole graph, for its surroundings."""
        self._number.value, self._chosen = number, True

    def _play(self, trace: Trace) -> None:
        """Send the stepper to the end of a trace."""
        self.session.step_from(trace, len(trace) - 1)

    def _ask(self, result: Result) -> None:
        mode = self._mode.value
        self._number.shown = self._radius.shown = mode == _NEAR
        self._pictures.shown = mode in (_TRACE, _NEAR)
        self._variables.shown = self._edges.shown = mode not in (_WHOLE, _DENSITY)
        asked = _Asked(
            mode,
            self._variables.value,
            self._number.value if self._chosen else self.session.stepper().state,
            self._radius.value,
            self._edges.value,
            self._pictures.value,
        )
        trace, kept = self.session.story, self.session.kept
        selected = self.session.verdict
        is_fault = selected is not None and selected.kind == "invariant" and selected.holds is False
        fault = selected.name if selected is not None and is_fault else None
        assert kept is not None

        def work(job: Job) -> tuple[Drawn, str, int | None]:
            if mode == _TRACE:
                if trace is None:
                    raise InputError(f"{_TRACE} takes a property with a trace; select one above")
                return view.alternatives(trace, **asked.options()), "", None
            space = kept.space(job)
            if mode in (_WHOLE, _DENSITY):
                return _whole(space, trace, fault, mode), "", None
            note = (
                "" if space.result.complete else f"Of the first {counted(len(space), 'state')}, since there are more."
            )
            graph = _graph(space, trace, asked)
            return graph, note, next((int(node.id) for node in graph.nodes if FOCUS in node.marks), None)

        self._working.aside.start((self.what(), asked), "Drawing", work)

    def _show(self, drawn: tuple[Drawn, str, int | None]) -> None:
        graph, note, center = drawn
        if isinstance(graph, view.StateGraph):
            self._picture.html = page_of(graph, note)
        else:
            self._picture.show(graph)
        if center is not None:
            self._number.value = center


def _whole(space: StateSpace, trace: Trace | None, fault: str | None, mode: str) -> Drawn:
    """The whole graph, or the density, which is also shown of what is too large for a graph."""
    refusal = too_large(len(space))
    if mode == _WHOLE and refusal is None:
        return view.whole_graph(space, trace=trace)
    density = view.density(space, fault, trace=trace)
    return density if mode == _DENSITY else replace(density, notes=(str(refusal), *density.notes))


def _graph(space: StateSpace, trace: Trace | None, asked: _Asked) -> view.StateGraph:
    if asked.mode == _SEEN:
        return view.projection(space, asked.variables, most_edges=asked.edges)
    return replace(
        view.neighbourhood(space, asked.center, asked.radius, trace=trace, **asked.options()), clickable=True
    )


def page_of(graph: view.StateGraph, note: str = "") -> Markup:
    """A graph that one can search and zoom."""
    return joined([_LEGEND, graph.html(), noted(note)])
