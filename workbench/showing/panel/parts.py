"""The parts of panels: Python draws them as HTML inside one widget of the page, and receives the person's input.

A page gets a whole panel in one message, and after a change only the parts that look different (``surface.py``). A part
is redrawn when one of its visible attributes (:class:`Seen`) changes. Input goes to :meth:`Part.receive`.
"""

import itertools
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from workbench.showing.pictures.markup import Markup, element, escape, joined

_NUMBERS = itertools.count(1)


class Shows(Protocol):
    """The widget that shows parts."""

    def put(self, part: "Part") -> None:
        """Show a part that has changed."""

    def put_values(self, part: "Part", values: dict[str, Any]) -> None:
        """Tell a part's page of values that have changed."""

    def held(self) -> AbstractContextManager[None]:
        """Tell the page of all changes in here at once."""

    def send(self, content: Any) -> None:
        """Tell the page."""


class Seen:
    """A visible attribute of a part: a change redraws the part.

    Args:
        of: Converts an assigned value to the stored one.
    """

    def __init__(self, of: Callable[[Any], Any] = lambda value: value) -> None:
        self._of = of

    def __set_name__(self, owner: type["Part"], name: str) -> None:
        self._name = name

    def __get__(self, part: "Part", owner: type["Part"]) -> Any:
        return part.__dict__[self._name]

    def __set__(self, part: "Part", assigned: Any) -> None:
        value = self._of(assigned)
        if part.__dict__.get(self._name, self) != value:
            part.__dict__[self._name] = value
            part.changed(self._name)


class Part:
    """A place in a panel, and the HTML in it.

    Args:
        class_: Of the element that the page has for it.
        role: Of the same element, such as "status" for what is read out when it changes.

    Attributes:
        number (int): By which the page knows it.
        shown (bool): Whether there is anything of it in sight.
        children (tuple of Part): The parts that have their places in this one.
        surface: The widget that it is in, once it is in one.
    """

    surface: Shows | None = None
    shown = Seen()
    children = Seen(tuple)

    def __init__(self, class_: str | None = None, role: str | None = None, children: Iterable["Part"] = ()) -> None:
        self.number = next(_NUMBERS)
        self._class, self._role = class_, role
        self.shown, self.children = True, children

    def markup(self) -> Markup:
        """The contents of the part."""
        raise NotImplementedError

    def receive(self, sent: str, value: Any) -> None:
        """Handle the use of the element with this ``data-send``; `value` is a field's value, or None for a button."""

    def page_values(self) -> dict[str, Any]:
        """Values that the page draws by itself, beside the HTML; it is told of changes by :meth:`Shows.put_values`."""
        return {}

    def hear(self, values: dict[str, Any]) -> None:
        """Take over values that a person has set."""

    def asked(self, content: dict[str, Any]) -> None:
        """Handle a message of the page: it needs something not drawn yet, or a person has done something in it."""

    def changed(self, name: str) -> None:
        """Redraw the part because an attribute that shows has changed."""
        self.draw()

    def _held(self) -> AbstractContextManager[None]:
        """Tell the page of all changes in here at once."""
        return nullcontext() if self.surface is None else self.surface.held()

    def draw(self) -> None:
        """Have the page show the present contents of the part."""
        if self.surface is not None:
            self.surface.put(self)

    def place(self) -> Markup:
        """The element that the page fills with the part."""
        return element("div", data_part=self.number, class_=self._class, role=self._role)


class Box(Part):
    """Parts one after the other."""

    def __init__(self, children: Iterable[Part] = (), class_: str | None = None) -> None:
        super().__init__(class_, children=children)

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

    html = Seen(escape)

    def __init__(
        self,
        html: str = "",
        on_send: Callable[[str], None] | None = None,
        class_: str | None = None,
        role: str | None = None,
    ) -> None:
        super().__init__(class_, role)
        self.html, self._on_send = html, on_send

    def markup(self) -> Markup:
        return self.html

    def receive(self, sent: str, value: Any) -> None:
        if self._on_send is not None:
            self._on_send(sent)

    def save(self, name: str, content: str, type: str) -> None:
        """Make the page save a file, when a person has asked for it."""
        if self.surface is not None:
            self.surface.send({"save": {"name": name, "content": content, "type": type}})


class Fold(Box):
    """A line, and parts below it that a click on it hides or shows. The person's choice is kept.

    Attributes:
        said (Markup): The text next to the title.
    """

    said = Seen(escape)

    def __init__(self, title: str, children: Iterable[Part] = ()) -> None:
        super().__init__(children)
        self._title, self.summary = title, ""

    def markup(self) -> Markup:
        line = element("span", element("b", self._title), self.summary, class_="wb-fold-line")
        return element("details", element("summary", line), super().markup(), class_="wb-fold")


class Tabs(Part):
    """Parts of which one is visible at a time.

    Args:
        on_open: Called when a person has opened another one.

    Attributes:
        at (int): The index of the visible part.
    """

    at = Seen()

    def __init__(self, children: dict[str, Part], on_open: Callable[[], None]) -> None:
        super().__init__("wb-tabs", children=children.values())
        self._titles, self._on_open, self.at = tuple(children), on_open, 0

    def open(self, at: int) -> None:
        """Bring another part into sight."""
        if at != self.at:
            self.at = at
            self._on_open()

    def markup(self) -> Markup:
        bar = (
            element(
                "button", title, role="tab", class_="wb-tab", data_send=str(number),
                tabindex=0 if number == self.at else -1, aria_selected=str(number == self.at).lower(),
            )
            for number, title in enumerate(self._titles)
        )  # fmt: skip
        open_ones = (
            element("div", tab.place(), role="tabpanel", aria_label=title, hidden=None if at == self.at else "hidden")
            for at, (title, tab) in enumerate(zip(self._titles, self.children, strict=True))
        )
        return element("div", *bar, role="tablist", class_="wb-tab-bar") + joined(open_ones)

    def receive(self, sent: str, value: Any) -> None:
        if sent in map(str, range(len(self._titles))):
            self.open(int(sent))


def copied(text: str, content: str, title: str) -> Markup:
    """A button that copies `content`."""
    button = element("button", text, class_="wb-button", data_copy=content, title=title)
    return element("div", button, element("div"))


def tab_stop(chosen: Any, every: Iterable[Any]) -> Any:
    """The one of the buttons in a toolbar that Tab reaches: the chosen one, or the first; None if there are none.

    Examples:
        >>> tab_stop("b", "ab"), tab_stop(None, "ab")
        ('b', 'a')
    """
    buttons = list(every)
    return chosen if chosen in buttons else next(iter(buttons), None)
