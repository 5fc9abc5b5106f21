"""What panels are made of: parts that Python draws as HTML inside one widget of the page, and what a person does there.

A page gets a whole panel in one message, and after a change only the parts that look different (``surface.py``). What
changes a part's attributes calls :meth:`Part.draw`; what a person does in it arrives at :meth:`Part.receive`.
"""

import itertools
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from workbench.showing.pictures.markup import Markup, element, escape, joined

_NUMBERS = itertools.count(1)


class Shows(Protocol):
    """The widget that parts are in."""

    def put(self, part: "Part") -> None:
        """Show a part that has changed."""

    def send(self, content: Any) -> None:
        """Tell the page."""


class Part:
    """A place in a panel, and the HTML in it.

    Args:
        class_: Of the element that the page has for it.
        role: Of the same element, such as "status" for what is read out when it changes.

    Attributes:
        number (int): By which the page knows it.
        surface: The widget that it is in, once it is in one.
    """

    def __init__(self, class_: str | None = None, role: str | None = None) -> None:
        self.number = next(_NUMBERS)
        self.surface: Shows | None = None
        self._class, self._role, self._shown = class_, role, True

    @property
    def children(self) -> tuple["Part", ...]:
        """The parts that have their places in this one."""
        return ()

    def markup(self) -> Markup:
        """What is in it."""
        raise NotImplementedError

    def receive(self, sent: str, value: Any) -> None:
        """A person has used the element with this ``data-send``; `value` is of a field, and None of a button."""

    def draw(self) -> None:
        """Have the page show what is in it now."""
        if self.surface is not None:
            self.surface.put(self)

    @property
    def shown(self) -> bool:
        """Whether there is anything of it in sight."""
        return self._shown

    @shown.setter
    def shown(self, shown: bool) -> None:
        if shown != self._shown:
            self._shown = shown
            self.draw()

    def place(self) -> Markup:
        """The element that the page fills with it."""
        return element("div", data_part=self.number, class_=self._class, role=self._role)


class Box(Part):
    """Parts one after the other."""

    def __init__(self, children: Iterable[Part] = (), class_: str | None = None) -> None:
        super().__init__(class_)
        self._children = tuple(children)

    @property
    def children(self) -> tuple[Part, ...]:
        return self._children

    @children.setter
    def children(self, children: Iterable[Part]) -> None:
        self._children = tuple(children)
        self.draw()

    def markup(self) -> Markup:
        return joined(child.place() for child in self.children)


class Pane(Part):
    """HTML in which elements can be clicked.

    A click on an element with ``data-send="..."`` sends that text; one with ``data-copy="..."`` copies it, or puts it
    into the element that follows. An ``<input data-search="...">`` dims those elements with its selector that do not
    hold what is typed.

    Args:
        on_send: Gets the text of what was clicked.
    """

    def __init__(
        self,
        html: str = "",
        on_send: Callable[[str], None] | None = None,
        class_: str | None = None,
        role: str | None = None,
    ) -> None:
        super().__init__(class_, role)
        self._html, self._on_send = escape(html), on_send

    @property
    def html(self) -> Markup:
        return self._html

    @html.setter
    def html(self, html: str) -> None:
        self._html = escape(html)
        self.draw()

    def markup(self) -> Markup:
        return self._html

    def receive(self, sent: str, value: Any) -> None:
        if self._on_send is not None:
            self._on_send(sent)

    def save(self, name: str, content: str, type: str) -> None:
        """Have the page save a file, where a person has asked for it."""
        if self.surface is not None:
            self.surface.send({"save": {"name": name, "content": content, "type": type}})


class Fold(Box):
    """A line, and parts below it that a click on it hides or shows. What a person has chosen stays so.

    Args:
        make: Makes the parts when they are unfolded first.
    """

    def __init__(
        self,
        title: str,
        children: Iterable[Part] = (),
        make: Callable[[], Iterable[Part]] | None = None,
    ) -> None:
        super().__init__(children)
        self._title, self._said, self._make = title, Markup(""), make

    def say(self, markup: Markup) -> None:
        """Say beside the title what is in it."""
        self._said = markup
        self.draw()

    def markup(self) -> Markup:
        line = element("span", element("b", self._title), self._said, class_="wb-fold-line")
        unfold = None if self._make is None else "unfold"
        return element("details", element("summary", line), super().markup(), class_="wb-fold", data_unfold=unfold)

    def receive(self, sent: str, value: Any) -> None:
        make, self._make = self._make, None
        if make is not None:
            self.children = make()


class Tabs(Part):
    """Parts of which one is in sight.

    Args:
        on_open: Called when a person has opened another one.

    Attributes:
        at (int): Which one that is.
    """

    def __init__(self, children: dict[str, Part], on_open: Callable[[], None]) -> None:
        super().__init__("wb-tabs")
        self._titled, self._on_open, self._at = children, on_open, 0

    @property
    def children(self) -> tuple[Part, ...]:
        return tuple(self._titled.values())

    @property
    def at(self) -> int:
        return self._at

    @at.setter
    def at(self, at: int) -> None:
        if at != self._at:
            self._at = at
            self.draw()
            self._on_open()

    def markup(self) -> Markup:
        bar = (
            element(
                "button", title, role="tab", class_="wb-tab", data_send=str(number),
                aria_selected=str(number == self._at).lower(),
            )
            for number, title in enumerate(self._titled)
        )  # fmt: skip
        open_ones = (
            element("div", tab.place(), role="tabpanel", aria_label=title, hidden=None if at == self._at else "hidden")
            for at, (title, tab) in enumerate(self._titled.items())
        )
        return element("div", *bar, role="tablist", class_="wb-tab-bar") + joined(open_ones)

    def receive(self, sent: str, value: Any) -> None:
        if sent in map(str, range(len(self._titled))):
            self.at = int(sent)


def copied(text: str, what: str, title: str) -> Markup:
    """A button that copies `what`."""
    button = element("button", text, class_="wb-button", data_copy=what, title=title)
    return element("div", button, element("div"))
