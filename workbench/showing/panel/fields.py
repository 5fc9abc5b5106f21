"""Buttons and fields, in which a person presses, ticks, chooses and types in a panel.

A field calls `on_change` when a person has changed its value, and not when a program has.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from workbench.showing.panel.parts import Part, Seen
from workbench.showing.pictures.markup import Markup, element, joined


def _nothing() -> None:
    pass


def _named(options: Mapping[str, Any] | Iterable[str]) -> dict[str, Any]:
    return dict(options) if isinstance(options, Mapping) else {name: name for name in options}


class Button(Part):
    """A button as wide as its text.

    Attributes:
        disabled, primary (bool): Whether it cannot be pressed, and whether it is what a person should press now.
        tip (str): The text shown when somebody points at it.
    """

    disabled, primary, tip = Seen(), Seen(), Seen()

    def __init__(self, text: str, tip: str, act: Callable[[], None]) -> None:
        super().__init__()
        self.text, self.tip, self._act, self.disabled, self.primary = text, tip, act, False, False

    def markup(self) -> Markup:
        class_ = "wb-button wb-primary" if self.primary else "wb-button"
        disabled = "disabled" if self.disabled else None
        return element("button", self.text, class_=class_, data_send=self.text, title=self.tip, disabled=disabled)

    def receive(self, sent: str, value: Any) -> None:
        if not self.disabled:
            self._act()


class Field(Part):
    """An input for a value, with a label next to it.

    Args:
        label: The label; it may be "" if the `tip` says enough.
        tip: The text shown on hovering.

    Attributes:
        value: The choice, or the typed text.
    """

    value = Seen()

    def __init__(
        self, label: str, value: Any, tip: str = "", on_change: Callable[[], None] = _nothing, class_: str = ""
    ) -> None:
        super().__init__(f"wb-field {class_}".rstrip())
        self.label, self.tip, self.on_change, self.value = label, tip, on_change, value

    def receive(self, sent: str, value: Any) -> None:
        """Accept the typed or chosen value that the page reports. An impossible value is ignored."""
        read = self.read(value)
        if read is not None and read != self.value:
            self.value = read
            self.on_change()

    def read(self, sent: Any) -> Any:
        """The value that the page has sent; None if it is not a possible one."""
        return sent if isinstance(sent, str) else None

    def markup(self) -> Markup:
        name = element("span", self.label, class_="wb-label") if self.label else None
        return element("label", name, self.control(), title=self.tip or None)

    def control(self) -> Markup:
        """The element with the value."""
        raise NotImplementedError

    def named(self) -> dict[str, Any]:
        """The attributes by which the page identifies the element, to send its value and to label it."""
        return {"data_send": self.label or "value", "aria_label": self.label or self.tip}


class Checkbox(Field):
    """A box to tick."""

    def read(self, sent: Any) -> Any:
        return sent if isinstance(sent, bool) else None

    def markup(self) -> Markup:
        checked = "checked" if self.value else None
        box = element("input", type="checkbox", checked=checked, **self.named())
        return element("label", box, self.label, title=self.tip or None, class_="wb-tick")


class Number(Field):
    """A whole number in a range.

    Attributes:
        said (str): The reason why the value is not what was typed.
    """

    said = Seen()

    def __init__(self, label: str, numbers: range, value: int | None = None, kind: str = "number", **more: Any) -> None:
        self.numbers, self._kind, self.warning = numbers, kind, ""
        super().__init__(label, numbers[0] if value is None else value, **more)

    def read(self, sent: Any) -> Any:
        try:
            typed = int(float(sent))
        except (TypeError, ValueError, OverflowError):
            return None
        nearest = min(max(typed, self.numbers[0]), self.numbers[-1])
        takes = f"{typed} is not accepted; it takes {self.numbers[0]} to {self.numbers[-1]}"
        self.warning = "" if nearest == typed else takes
        return nearest

    def control(self) -> Markup:
        numbers = self.numbers
        field = element(
            "input", type=self._kind, min=numbers[0], max=numbers[-1], step=numbers.step, value=self.value,
            **self.named(),
        )  # fmt: skip
        warning = element("span", self.warning, class_="wb-wrong", role="alert") if self.warning else None
        return joined([field, None if self._kind == "number" else element("output", self.value), warning])


class Typed(Field):
    """A text.

    Args:
        placeholder: The text shown as long as nothing is typed.
        offered: Texts to choose from.
        rows: How many lines there are, for a text of several.
    """

    placeholder = Seen()

    def __init__(
        self,
        label: str,
        value: str = "",
        placeholder: str = "",
        offered: Sequence[str] = (),
        rows: int = 1,
        **more: Any,
    ) -> None:
        super().__init__(label, value, **more)
        self.placeholder, self._offered, self._rows = placeholder, offered, rows

    def control(self) -> Markup:
        attributes = {**self.named(), "placeholder": self.placeholder or None, "spellcheck": "false"}
        if self._rows > 1:
            return element("textarea", self.value, rows=self._rows, **attributes)
        if not self._offered:
            return element("input", type="text", value=self.value, **attributes)
        offered = f"wb-offered-{self.number}"
        options = (element("option", value=text) for text in self._offered)
        return element("input", type="text", value=self.value, list=offered, **attributes) + element(
            "datalist", *options, id=offered
        )


class Choice(Field):
    """One of a few values.

    Args:
        options: The values by their names, or the names alone.
    """

    options = Seen(_named)

    def __init__(self, label: str, options: Mapping[str, Any] | Iterable[str], **more: Any) -> None:
        self.options = options
        super().__init__(label, next(iter(self.options.values()), None), **more)

    def read(self, sent: Any) -> Any:
        return self.options.get(sent) if isinstance(sent, str) else None

    def control(self) -> Markup:
        options = (
            element("option", name, selected="selected" if value == self.value else None)
            for name, value in self.options.items()
        )
        return element("select", *options, **self.named())


class Several(Choice):
    """Some of a few names; the value is a tuple of them."""

    def __init__(self, label: str, options: Iterable[str] = (), **more: Any) -> None:
        super().__init__(label, options, **more)
        self.value = ()

    def read(self, sent: Any) -> Any:
        return tuple(name for name in self.options if name in sent) if isinstance(sent, list) else None

    def control(self) -> Markup:
        options = (
            element("option", name, selected="selected" if name in self.value else None) for name in self.options
        )
        return element("select", *options, multiple="multiple", size=3, **self.named())


class Buttons(Choice):
    """One of a few values, each with a button."""

    def receive(self, sent: str, value: Any) -> None:
        super().receive(sent, sent)

    def markup(self) -> Markup:
        buttons = (
            element(
                "button", name, class_="wb-button wb-mode", data_send=name,
                aria_pressed=str(value == self.value).lower(),
            )
            for name, value in self.options.items()
        )  # fmt: skip
        return element("div", *buttons, role="group", aria_label=self.label, class_="wb-modes")
