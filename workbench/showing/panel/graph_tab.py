"""The state graph: whole, around a state, a trace with its alternatives, or seen through some variables."""

import re
from typing import Any, NamedTuple

import ipywidgets

from workbench.checking.spaces.space import StateSpace
from workbench.kernel import InputError, Result, Trace
from workbench.kernel.values import counted
from workbench.showing import view
from workbench.showing.panel.pane import Pane
from workbench.showing.panel.switches import Switches
from workbench.showing.panel.tab import Tab
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.session.jobs import Job
from workbench.showing.session.kept import MOST_STATES
from workbench.showing.view.html import noted, script

_TRACE, _WHOLE, _NEAR, _SEEN = "trace and alternatives", "whole graph", "around a state", "seen through variables"
_LEGEND = element(
    "div",
    element(
        "input",
        type="search",
        data_search="g.node",
        placeholder="Find states",
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
            element("button", sign, class_="wb-button", data_view=view, title=f"{what}; {how}", aria_label=what)
            for view, sign, what, how in (
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
    """What is to be drawn, and how."""

    mode: str
    variables: tuple[str, ...]
    number: int
    radius: int
    edges: int
    pictures: bool

    def options(self) -> dict[str, Any]:
        return {"variables": self.variables, "most_edges": self.edges, "pictures": self.pictures}


class _Picture(Pane):
    """A pane for a graph, which may have pictures of its states."""

    _esm = script("pictures.js") + Pane._esm


class GraphTab(Tab):
    """States as nodes, steps as arrows."""

    title, of_selected = "Graph", True

    def build(self) -> list[Any]:
        self._mode = ipywidgets.ToggleButtons(
            options=[_TRACE, _WHOLE, _NEAR, _SEEN], value=_WHOLE, style={"button_width": "auto"}
        )
        self._variables = ipywidgets.SelectMultiple(
            rows=3, description="variables", tooltip="what the nodes show; several with Ctrl or Shift"
        )
        self._number = ipywidgets.BoundedIntText(0, min=0, max=MOST_STATES, description="state")
        self._radius = ipywidgets.IntSlider(2, min=1, max=5, description="within", continuous_update=False)
        self._edges = ipywidgets.IntSlider(
            80, min=20, max=300, step=20, description="at most", tooltip="edges that are drawn",
            continuous_update=False,
        )  # fmt: skip
        self._pictures = Switches({"pictures": "show states as their pictures"}, self._changed)
        self._picture = _Picture(on_send=self._around)
        self._working = self.working("graph", self._show)
        options = ipywidgets.VBox([self._number, self._radius, self._edges, self._pictures])
        self._drawing = False
        for control in (self._mode, self._variables, self._number, self._radius, self._edges):
            control.observe(self._changed, "value")
        both = ipywidgets.HBox([self._variables, options]).add_class("wb-options")
        return [self._mode, both, self._working, self._picture]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        model, story = result.model, self.session.story
        variables = model.layout.variables
        if self._variables.options != tuple(variables):
            self._drawing = True
            self._variables.options = variables
            told = [] if story is None else story.states
            self._variables.value = view.telling(model, told or model.initial_states()[:1])
            if story is not None:
                self._mode.value = _TRACE
            self._drawing = False
        self._draw(result)

    def _changed(self, _: Any = None) -> None:
        with self.session.lock:
            if not self._drawing and self.session.result is not None:
                self._draw(self.session.result)

    def _around(self, number: str) -> None:
        """A state was clicked."""
        with self.session.lock:
            self._drawing = True
            self._mode.value, self._number.value = _NEAR, int(number)
            self._drawing = False
            self._changed()

    def _draw(self, result: Result) -> None:
        mode = self._mode.value
        self._number.layout.display = self._radius.layout.display = "" if mode == _NEAR else "none"
        self._pictures.layout.display = "none" if mode == _SEEN else ""
        asked = _Asked(
            mode,
            self._variables.value,
            self._number.value,
            self._radius.value,
            self._edges.value,
            bool(self._pictures.on),
        )
        trace, kept = self.session.story, self.session.kept
        assert kept is not None

        def work(job: Job) -> Markup:
            if mode == _TRACE:
                if trace is None:
                    raise InputError(f"{_TRACE} takes a property with a trace; select one above")
                return _page(view.alternatives(trace, **asked.options()))
            space = kept.space(job)
            note = (
                "" if space.result.complete else f"Of the first {counted(len(space), 'state')}, since there are more."
            )
            return _page(_graph(space, trace, asked), note)

        self._working.aside.start((self.what(), asked), "Drawing", work)

    def _show(self, page: Markup) -> None:
        self._picture.html = page


def _graph(space: StateSpace, trace: Trace | None, asked: _Asked) -> view.StateGraph:
    if asked.mode == _WHOLE:
        return view.state_graph(space, trace=trace, **asked.options())
    if asked.mode == _NEAR:
        return view.neighbourhood(space, asked.number, asked.radius, trace=trace, **asked.options())
    return view.projection(space, asked.variables, most_edges=asked.edges)


def _page(graph: view.StateGraph, note: str = "") -> Markup:
    drawn = re.sub(r'class="node">\s*<title>state (\d+)', r'class="node" data-send="\1"><title>state \1', graph.html())
    return joined([_LEGEND, Markup(drawn), noted(note)])
