"""The one widget of a panel, which shows parts and hears what a person does in them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anywidget
import traitlets
from ipywidgets import widget_serialization

from workbench.showing.panel.bundle import LOADER, SCRIPT, Bundle, shared_bundle
from workbench.showing.panel.lifetime import Displayed
from workbench.showing.panel.parts import Part
from workbench.showing.pictures.markup import as_text


class Surface(Displayed, anywidget.AnyWidget):
    """A widget that shows parts.

    Args:
        root: The part in which all others are.
        lock: Is held while a part changes, and while what a person does is handled.

    Attributes:
        content (Part): The part in which all others are.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    bundle = traitlets.Instance(Bundle, allow_none=True).tag(sync=True, **widget_serialization)
    root = traitlets.Int().tag(sync=True)
    #: The HTML of each part, and the values that its page draws, by its number. Both are changed in place, and the page
    #: is told of the changes.
    parts = traitlets.Dict().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)

    def __init__(self, root: Part, lock: Any = None) -> None:
        self.content = root
        self._lock = threading.RLock() if lock is None else lock
        self._parts_here: dict[int, Part] = {}
        self._news: dict[str, str] = {}
        self._new_values: dict[str, dict[str, Any]] = {}
        self._holding = 0
        self._enter(root)
        bundle = shared_bundle()
        esm = SCRIPT if bundle is None else LOADER
        super().__init__(root=root.number, bundle=bundle, _esm=esm, _dom_classes=["wb-panel"])
        self._news, self._new_values = {}, {}  # all of it went with the widget
        self.on_msg(self._received)

    def send(self, content: Any, buffers: Any = None) -> None:
        super().send(as_text(content), buffers)

    def put(self, part: Part) -> None:
        """Show a part that has changed."""
        with self.held():
            self._show(part)

    def _show(self, part: Part) -> None:
        number, html = str(part.number), str(part.markup() if part.shown else "")
        if self.parts.get(number) != html:
            self.parts[number] = self._news[number] = html
        for child in part.children:
            if child.surface is None:
                self._enter(child)

    def put_values(self, part: Part, values: dict[str, Any]) -> None:
        with self.held():
            for kept in (self.values, self._new_values):
                kept.setdefault(str(part.number), {}).update(as_text(values))

    def _enter(self, part: Part) -> None:
        part.surface = self
        self._parts_here[part.number] = part
        if values := part.page_values():
            self.put_values(part, values)
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
                if not self._holding and (self._news or self._new_values or click):
                    (news, self._news), (values, self._new_values) = (self._news, {}), (self._new_values, {})
                    self.send({"parts": news, "values": values, "heard": click})

    def _received(self, _: Any, content: dict[str, Any], __: Any) -> None:
        """Handle a message from the page: it has begun to listen, or someone has used one of its parts."""
        match content:
            case {"want": "parts"}:
                self._attended = False  # the page that reported this may be gone
                with self._lock:
                    self.send({"parts": dict(self.parts), "values": dict(self.values)})
            case {"attended": bool(somebody)}:
                self.attend(somebody)
            case {"part": int(number), "send": str(sent), "click": int(click)} if number in self._parts_here:
                with self.held((number, click)):
                    self._parts_here[number].receive(sent, content.get("value"))
            case {"part": int(number), "set": dict(values), "click": int(click)} if number in self._parts_here:
                with self.held((number, click)):
                    self._parts_here[number].hear(values)
                    self._drop(number, values)
            case {"part": int(number), "ask": dict(asked)} if number in self._parts_here:
                self._parts_here[number].asked(asked)

    def _drop(self, number: int, values: dict[str, Any]) -> None:
        """Drop pending values that the page has set itself."""
        pending = self._new_values.get(str(number), {})
        for name in values.keys() & pending.keys():
            if pending[name] == values[name]:
                del pending[name]
