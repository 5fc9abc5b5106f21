"""A place for drawings that the page makes itself: densities, and whole graphs, whose state pictures it requests."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workbench.kernel import Trace
from workbench.showing.panel.parts import Pane
from workbench.showing.view import Density, WholeGraph
from workbench.showing.view.base.html import Drawn


class GraphPane(Pane):
    """A pane for graphs and densities.

    Args:
        on_send: Gets the text of what was clicked.
        on_choose: Gets the number of the state that a person has chosen in a whole graph or a density.
        on_play: Gets a shortest trace to the state that was chosen in a density.
    """

    def __init__(
        self,
        on_send: Callable[[str], None],
        on_choose: Callable[[int], None],
        on_play: Callable[[Trace], None] = lambda trace: None,
    ) -> None:
        super().__init__(on_send=on_send)
        self._on_choose, self._on_play = on_choose, on_play
        self._drawn: WholeGraph | Density | None = None

    def show(self, drawn: Drawn) -> None:
        """Show a drawing that the page makes itself, or a text in its place."""
        self._drawn = replace(drawn, asks=True) if isinstance(drawn, (WholeGraph, Density)) else None
        self.html = (self._drawn or drawn).html()

    def asked(self, content: dict[str, Any]) -> None:
        match content:
            case {"state": int(number), "chosen": bool(chosen)} if self._drawn and 0 <= number < len(self._drawn):
                if isinstance(self._drawn, WholeGraph) and self.surface is not None:
                    svg = self._drawn.draw(number).svg_with(f"peek-{number}-")
                    self.surface.send({"graph": self.number, "state": number, "picture": svg})
                if chosen:
                    way = self._drawn.way(number) if isinstance(self._drawn, Density) else None
                    with self._held():
                        self._on_choose(number)
                        if way is not None:
                            self._on_play(way)
