"""Switches side by side. They are one widget: a page that is loaded anew waits for each of them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import anywidget
import traitlets

from workbench.showing.panel.pane import HERE
from workbench.showing.view.html import script


class Switches(anywidget.AnyWidget):
    """Named switches, each on or off.

    Args:
        titles: What is said of each switch when somebody points at it.
        on_change: Called after a person has switched something.
        before: What is written before each name.
        sentences: Whether what is said of a switch stands below its name, and not only where somebody points at it.
        **options: Such as a layout to be shared.

    Attributes:
        on, disabled (tuple of str): The switches that are on, and those that cannot be switched, in their order.

    Examples:
        >>> switches = Switches({"SafeAcks": "acks are safe", "Lock": "commits are locked"}, lambda: print(switches.on))
        >>> switches.set({"Lock": True})
        >>> switches.flip("SafeAcks", True)
        ('SafeAcks', 'Lock')
    """

    _esm = script("switches.js", folder=HERE)

    titles = traitlets.Tuple().tag(sync=True)
    before = traitlets.Unicode().tag(sync=True)
    sentences = traitlets.Bool().tag(sync=True)
    #: By name, what flipping the switch would do, and the kind of that: "good", "bad" or "idle".
    hints = traitlets.Dict().tag(sync=True)
    on = traitlets.Tuple().tag(sync=True)
    disabled = traitlets.Tuple().tag(sync=True)
    #: The number of the last click that the rest takes into account.
    heard = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        titles: Mapping[str, str],
        on_change: Callable[[], None],
        before: str = "",
        sentences: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(titles=tuple(titles.items()), before=before, sentences=sentences, **options)
        self._names, self._on_change = tuple(titles), on_change
        self.on_msg(self._received)

    def set(self, values: Mapping[str, bool]) -> None:
        """Switch some of them on or off, without calling `on_change`."""
        self.on = tuple(name for name in self._names if values.get(name, name in self.on))

    def disable(self, names: Iterable[str]) -> None:
        """Let a person switch all but those called `names`."""
        names = set(names)
        self.disabled = tuple(name for name in self._names if name in names)

    def flip(self, name: str, on: bool) -> None:
        """What a click does."""
        if name in self._names and name not in self.disabled:
            self.set({name: on})
            self._on_change()

    def _received(self, _: Any, content: dict[str, Any], __: Any) -> None:
        with self.hold_sync():  # one answer, also where nothing was switched
            self.heard = max(self.heard, content["click"])
            self.flip(content["name"], content["on"] is True)
