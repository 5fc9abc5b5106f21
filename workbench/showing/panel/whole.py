"""A place for a graph; the page asks for the picture of a state that somebody chooses in a whole one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workbench.showing.panel.parts import Pane
from workbench.showing.view import WholeGraph
from workbench.showing.view.base.html import Drawn


class GraphPane(Pane):
    """A pane for graphs.

    Args:
        on_send: Gets the text of what was clicked.
        on_choose: Gets the number of the state that a person has chosen in a whole graph.
    """

    def __init__(self, on_send: Callable[[str], None], on_choose: Callable[[int], None]) -> None:
        super().__init__(on_send=on_send)
        self._on_choose = on_choose
        self._graph: WholeGraph | None = None

    def show(self, graph: Drawn) -> None:
        """Show a graph that the page draws itself, or what is said instead."""
        self._graph = replace(graph, asks=True) if isinstance(graph, WholeGraph) else None
        self.html = (self._graph or graph).html()

    def asked(self, content: dict[str, Any]) -> None:
        match content:
            case {"state": int(number), "chosen": bool(chosen)} if self._graph and 0 <= number < len(self._graph):
                if self.surface is not None:
                    svg = self._graph.draw(number).svg_with(f"peek-{number}-")
                    self.surface.send({"graph": self.number, "state": number, "picture": svg})
                if chosen:
                    with self._held():
                        self._on_choose(number)
