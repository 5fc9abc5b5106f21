"""HTML in a notebook whose elements can be clicked, and its style: what all panels are drawn with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from workbench.view.html import asset, element, escape

HERE = Path(__file__).parent
#: The style of drawings and that of panels.
STYLE = asset("style.css") + (HERE / "widgets.css").read_text(encoding="utf-8")


class Style(anywidget.AnyWidget):
    """The style sheet of everything else, and its keys. One in each panel is enough: both hold for the whole page."""

    _esm = (HERE / "keys.js").read_text(encoding="utf-8") + "export default { render: () => keepKeys() };"
    _css = STYLE

    def __init__(self) -> None:
        super().__init__(layout={"display": "none"})


class Pane(anywidget.AnyWidget):
    """A fragment of HTML, in a panel that has a :class:`Style`.

    A click on an element with ``data-send="..."`` sends that text to the kernel; one with ``data-copy="..."`` copies
    it. An ``<input data-search="...">``
    dims those elements with its selector that do not hold what is typed.

    Parameters
    ----------
    html : str
    on_send : callable, optional
        Gets the text of what was clicked.
    """

    _esm = HERE / "pane.js"

    html = traitlets.Unicode().tag(sync=True)

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


def copied(text: str, what: str, title: str) -> str:
    """A button that copies `what`."""
    return element("div", element("button", escape(text), class_="wb-button", data_copy=what, title=title))
