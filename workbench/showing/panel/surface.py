"""The one widget of a panel, which shows parts and hears what a person does in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import Any

import traitlets

from workbench.showing.panel.lifetime import Panel
from workbench.showing.panel.parts import Part
from workbench.showing.panel.player import Player
from workbench.showing.pictures.markup import Markup
from workbench.showing.view.html import drawn_style, player_script, script

_HERE = resources.files(__package__)
#: The style of drawings, players and panels.
STYLE = f"{drawn_style()}html {{\n{_HERE.joinpath('panel.css').read_text(encoding='utf-8')}}}"


class Stage(Part):
    """The place of the surface's player."""

    def markup(self) -> Markup:
        return Markup('<div data-player="true"></div>')


class Surface(Panel, Player):
    """A widget that shows parts, and perhaps a trace.

    Args:
        root: The part in which all others are.
        lock: Is held while a part changes, and while what a person does is handled.

    Attributes:
        content (Part): The part in which all others are.
    """

    _esm = player_script() + script("surface.js", folder=_HERE)
    _css = STYLE

    root = traitlets.Int().tag(sync=True)
    #: The HTML of each part, by its number. It is changed in place, and the page is told of what is new.
    parts = traitlets.Dict().tag(sync=True)

    def __init__(self, root: Part, lock: Any = None) -> None:
        self.content = root
        self._known: dict[int, Part] = {}
        self._news: dict[str, str] = {}
        self._holding = 0
        self._enter(root)
        super().__init__(lock, root=root.number, _dom_classes=["wb-panel"])
        self._news = {}  # all of it went with the widget
        self.on_msg(self._received)

    def put(self, part: Part) -> None:
        """Show a part that has changed."""
        with self.held():
            self._show(part)

    def _show(self, part: Part) -> None:
        number, html = str(part.number), part.markup() if part.shown else Markup("")
        if self.parts.get(number) != html:
            self.parts[number] = self._news[number] = html
        for child in part.children:
            if child.surface is None:
                self._enter(child)

    def _enter(self, part: Part) -> None:
        part.surface = self
        self._known[part.number] = part
        self._show(part)

    @contextmanager
    def held(self, click: tuple[int, int] | None = None) -> Iterator[None]:
        """Tell the page of all changes in here at once, as the answer to a click if it is one: a part's, and which."""
        with self._lock:
            self._holding += 1
            try:
                with self.hold_sync():
                    yield
            finally:
                self._holding -= 1
                if not self._holding and (self._news or click):
                    news, self._news = self._news, {}
                    self.send({"parts": news, "heard": click})

    def _received(self, _: Any, content: dict[str, Any], __: Any) -> None:
        """The page has begun to listen, or a person has done something in a part."""
        match content:
            case {"want": "parts"}:
                with self._lock:
                    self.send({"parts": dict(self.parts)})
            case {"part": int(number), "send": str(sent), "click": int(click)}:
                with self.held((number, click)):
                    if number in self._known:
                        self._known[number].receive(sent, content.get("value"))
