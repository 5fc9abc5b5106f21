"""Controls for constants that refer to names: a text field and, if the names are few, a table to click below it."""

from collections.abc import Callable
from typing import Any

from workbench.kernel import Constant, InputError
from workbench.showing.panel.fields import Typed
from workbench.showing.panel.parts import Box, Pane
from workbench.showing.pictures.markup import Markup, element

#: A table has no more rows and columns than this.
_MOST = 8


class Edges(Box):
    """The control for a graph or a relation: a row and a column for each name, and a box for each pair.

    Args:
        members: Returns the current members of the set with that name.

    Attributes:
        field (Typed): The text form. A click in the table changes it too.
    """

    def __init__(
        self,
        name: str,
        constant: Constant,
        tip: str,
        members: Callable[[str], tuple[str, ...]],
        on_change: Callable[[], None],
    ) -> None:
        self._name, self._constant, self._members, self._on_change = name, constant, members, on_change
        self.field = Typed(name, offered=list(constant.domain.shapes), tip=tip, on_change=on_change)
        self._table = Pane(on_send=self._clicked)
        super().__init__([self.field, self._table])
        self.part = self

    def get(self) -> Any:
        """The value that is set, in a form that the constant accepts, or rejects with a reason."""
        return self.field.value

    def set(self, value: Any) -> None:
        """Set to a value that a model has."""
        self.field.value = self._constant.domain.word(value)
        self.look()

    def look(self) -> None:
        """Show the table for the names that there are."""
        value, (rows, *_, columns) = self._value(), self._ends()
        if value is None or not rows or len(rows) > _MOST or len(columns) > _MOST:
            self._table.html = ""
            return
        head = element("tr", element("th"), *(element("th", text, scope="col") for text in columns))
        lines = (
            element(
                "tr",
                element("th", row, scope="row"),
                *(element("td", self._button(value, row, column)) for column in columns),
            )
            for row in rows
        )
        self._table.html = element("table", head, *lines, class_="wb-table-of-names", aria_label=self._name)

    def _ends(self) -> list[tuple[str, ...]]:
        """The names of the rows, and of the columns."""
        of = [self._members(each) for each in self._constant.domain.sets]
        return of if len(of) > 1 else of * 2

    def _value(self) -> Any:
        """The typed value as the model represents it; None if it is not accepted."""
        constant, name = self._constant, self._name
        try:
            return constant.domain.bind(
                name, constant.parse(name, self.get()), {of: self._members(of) for of in constant.domain.sets}
            )
        except InputError:
            return None

    def _button(self, value: Any, row: str, column: str) -> Markup | None:
        if not self._may_be(row, column):
            return None
        pressed, label = str((row, column) in value).lower(), f"{row}{self._constant.domain.arrow}{column}"
        return element("button", data_send=f"{row} {column}", aria_pressed=pressed, aria_label=label, title=label)

    def _may_be(self, row: str, column: str) -> bool:
        return self._constant.domain.kind != "graph" or row != column

    def _clicked(self, sent: str) -> None:
        row, _, column = sent.partition(" ")
        value, (rows, *_, columns) = self._value(), self._ends()
        if value is None or row not in rows or column not in columns or not self._may_be(row, column):
            return
        either = [(row, column)] if value.directed else [(row, column), (column, row)]
        kept = tuple(pair for pair in value.edges if pair not in either)
        edges = kept if len(kept) < len(value.edges) else (*kept, (row, column))
        self.field.value = self._constant.domain.word(edges)
        self._on_change()
