"""HTML in a notebook whose elements can be clicked, and its style: what all panels are drawn with."""

from collections.abc import Callable
from importlib import resources
from typing import Any

import anywidget
import ipywidgets
import traitlets

from workbench.showing.pictures.markup import Markup, element, escape
from workbench.showing.view.html import drawn_style, script

HERE = resources.files(__package__)
#: The style of drawings, players and panels.
STYLE = f"{drawn_style()}html {{\n{HERE.joinpath('widgets.css').read_text(encoding='utf-8')}}}"


class Style(anywidget.AnyWidget):
    """What everything else in a panel is dressed with: the style sheet, names for whoever cannot see, and quiet keys.

    The style sheet holds for the whole page, the rest for the panel that it is in.
    """

    _esm = script("keys.js") + script("panel.js", folder=HERE)
    _css = STYLE

    def __init__(self) -> None:
        super().__init__(layout={"display": "none"})


class Words(ipywidgets.HTML):
    """A fragment of HTML in which nothing is clicked. It has no script of its own, for which a slow page would wait.

    Args:
        **options: Such as a layout and a style to be shared.
    """

    def __init__(self, html: str = "", **options: Any) -> None:
        super().__init__(escape(html), **options)
        self.add_class("wb").add_class("wb-pane")

    @property
    def html(self) -> str:
        return str(self.value)

    @html.setter
    def html(self, html: str) -> None:
        self.value = escape(html)


class Pane(anywidget.AnyWidget):
    """A fragment of HTML, in a panel that has a :class:`Style`.

    A click on an element with ``data-send="..."`` sends that text to the kernel; one with ``data-copy="..."`` copies
    it, or puts it into the element that follows. An ``<input data-search="...">`` dims those elements with its selector
    that do not hold what is typed.

    Args:
        on_send: Gets the text of what was clicked.
    """

    _esm = script("take.js") + script("pane.js", folder=HERE)

    html = traitlets.Unicode().tag(sync=True)

    @traitlets.validate("html")
    def _is_markup(self, proposed: Any) -> Markup:
        return escape(proposed["value"])

    def __init__(self, html: str = "", on_send: Callable[[str], None] | None = None, **options: Any) -> None:
        super().__init__(html=html, **options)
        self._on_send = on_send
        self.on_msg(self._received)

    def save(self, name: str, content: str, type: str) -> None:
        """Have the page save a file, where a person has asked for it."""
        self.send({"save": {"name": name, "content": content, "type": type}})

    def _received(self, _: Any, content: dict[str, Any], __: Any) -> None:
        if self._on_send is not None:
            self._on_send(content["send"])


def copied(text: str, what: str, title: str) -> Markup:
    """A button that copies `what`."""
    button = element("button", text, class_="wb-button", data_copy=what, title=title)
    return element("div", button, element("div"))
