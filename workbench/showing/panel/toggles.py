"""Switches side by side."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workbench.showing.panel.parts import Part, Seen
from workbench.showing.pictures.markup import Markup, breakable, element, joined


class Toggles(Part):
    """Named switches, each on or off.

    Args:
        titles: The text that each switch shows on hovering.
        on_change: Called after a person has flipped a switch.
        before: The text before each name.
        sentences: Whether that text is also shown below the switch's name, not only on hovering.

    Attributes:
        on, disabled (tuple of str): The switches that are on, and those that cannot be flipped, in order.
        hints (dict): For each switch by name, what flipping it would do, and its kind: "good", "bad" or "idle".

    Examples:
        >>> switches = Toggles({"SafeAcks": "acks are safe", "Lock": "commits are locked"}, lambda: print(switches.on))
        >>> switches.set({"Lock": True})
        >>> switches.receive("SafeAcks", True)
        ('SafeAcks', 'Lock')
    """

    on, disabled, hints = Seen(), Seen(), Seen()

    def __init__(
        self, titles: Mapping[str, str], on_change: Callable[[], None], before: str = "", sentences: bool = False
    ) -> None:
        super().__init__("wb-controls wb-what-if" if sentences else "wb-switches")
        self.titles, self._on_change, self.before, self._sentences = dict(titles), on_change, before, sentences
        self.on, self.disabled, self.hints = (), (), {}

    def markup(self) -> Markup:
        return joined(map(self._switch, self.titles))

    def _switch(self, name: str) -> Markup:
        box = element(
            "input", type="checkbox", data_send=name, checked="checked" if name in self.on else None,
            disabled="disabled" if name in self.disabled else None,
        )  # fmt: skip
        title = self.titles[name]
        switch = element("label", box, self.before, name, class_="wb-switch", title=title)
        if not self._sentences:
            return switch
        text, kind = self.hints.get(name, ("", "idle"))
        return switch + element("div", title, class_="wb-note") + hint(text, kind)

    def set(self, values: Mapping[str, bool]) -> None:
        """Turn some of the switches on or off, without calling `on_change`."""
        self.on = tuple(name for name in self.titles if values.get(name, name in self.on))

    def disable(self, names: Iterable[str]) -> None:
        """Let a person switch all except those called `names`."""
        names = set(names)
        self.disabled = tuple(name for name in self.titles if name in names)

    def receive(self, sent: str, value: Any) -> None:
        if sent in self.titles and sent not in self.disabled and value is not (sent in self.on):
            self.set({sent: value is True})
            self._on_change()


def hint(text: str, kind: str) -> Markup:
    """The line on what another value of a constant would do; `kind` is "good", "bad" or "idle"."""
    return element("div", breakable(text), class_=f"wb-hint wb-{kind}")
