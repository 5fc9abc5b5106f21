"""HTML in a notebook whose elements can be clicked, and its style: what all panels are drawn with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from workbench.view.html import asset

HERE = Path(__file__).parent
#: The style of drawings and that of panels.
STYLE = asset("style.css") + (HERE / "widgets.css").read_text(encoding="utf-8")


class Style(anywidget.AnyWidget):
    """The style sheet of everything else. One in each panel is enough: it holds for the whole page."""

    _esm = "export default { render() {} };"
    _css = STYLE

    def __init__(self) -> None:
        super().__init__(layout={"display": "none"})


class Pane(anywidget.AnyWidget):
    """A fragment of HTML, in a panel that has a :class:`Style`.

    A click on an element with ``data-send="..."`` sends that text to the kernel. An ``<input data-search="...">``
    dims those elements with its selector that do not hold what is typed.

    Parameters
    ----------
    html : str
    on_send : callable, optional
        Gets the text of what was clicked.
    """

    _esm = asset("pictures.js") + (HERE / "pane.js").read_text(encoding="utf-8")

    html = traitlets.Unicode().tag(sync=True)

    def __init__(self, html: str = "", on_send: Callable[[str], None] | None = None, **options: Any) -> None:
        super().__init__(html=html, **options)
        self._on_send = on_send
        self.on_msg(self._received)

    def _received(self, _: Any, content: dict[str, Any], __: Any) -> None:
        if self._on_send is not None:
            self._on_send(content["send"])
