"""A line that folds away what is below it."""

from collections.abc import Callable
from typing import Any

import ipywidgets

from workbench.showing.panel.controls import Look
from workbench.showing.panel.pane import Pane
from workbench.showing.pictures.markup import Markup, element


class Fold(ipywidgets.VBox):
    """A line, and contents that a click on it hides or shows. What a person has chosen stays so.

    Args:
        look: Whose layout the parts share.
        make: Makes the contents when they are unfolded first: a page that is loaded anew waits for every widget.
    """

    def __init__(self, title: str, *contents: Any, look: Look, make: Callable[[], list[Any]] | None = None) -> None:
        self._title, self._make = title, make
        self._line = Pane(on_send=self._chosen, layout=look.layout)
        self._away = ipywidgets.VBox(list(contents), layout=look.layout).add_class("wb-folded-away")
        super().__init__([self._line, self._away], layout=look.layout)
        self.add_class("wb-fold").add_class("wb-folded")
        self.say("")

    def say(self, markup: str) -> None:
        """Say beside the title what is in the contents."""
        self._line.html = element("div", self._button("unfold"), self._button("fold"), markup, class_="wb-fold-line")

    def _button(self, what: str) -> Markup:
        """The page shows one of the two, and exchanges them at once."""
        expanded = "true" if what == "fold" else "false"
        return element("button", self._title, class_="wb-fold-button", data_send=what, aria_expanded=expanded)

    def _chosen(self, what: str) -> None:
        make, self._make = self._make, None
        if make is not None:
            self._away.children = make()
        for name in ("wb-folded", "wb-unfolded"):
            self.remove_class(name)
        self.add_class(f"wb-{what}ed")


def folded_away(title: str, *contents: Any, make: Callable[[], list[Any]] | None = None) -> Fold:
    """A fold that shares its looks with nothing else."""
    return Fold(title, *contents, look=Look(), make=make)
