"""Controls of constants that are about names: a field to type into, and below it a table to click for a few names."""

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets

from workbench.kernel import Constant, InputError
from workbench.showing.panel.pane import Pane
from workbench.showing.pictures.markup import Markup, element

#: A table has no more rows and columns than this.
_MOST = 8


class Named:
    """The control of a graph, a relation or an assignment.

    Args:
        members: The names that are in the set of that name at present.
        indent: Where the table begins.
        **options: A layout and a style to be shared.

    Attributes:
        field (Combobox): What is typed: also what a click in the table makes.
    """

    def __init__(
        self,
        name: str,
        constant: Constant,
        tooltip: str,
        members: Callable[[str], tuple[str, ...]],
        indent: str,
        **options: Any,
    ) -> None:
        self._name, self._constant, self._members, self._indent = name, constant, members, indent
        self.field = ipywidgets.Combobox(
            options=self._offered(), description=name, tooltip=tooltip, continuous_update=False, **options
        )
        self._table = Pane(on_send=self._clicked)
        self.widget = ipywidgets.VBox([self.field, self._table], layout=options["layout"])

    def get(self) -> Any:
        """What is set, in a form that the constant accepts (or complains about)."""
        return self.field.value

    def set(self, value: Any) -> None:
        """Set to a value that a model has."""
        self.field.value = self._constant.domain.word(value)
        self.draw()

    def draw(self) -> None:
        """Show the table for the names that there are."""
        value, of = self._value(), [self._members(each) for each in self._constant.domain.sets]
        rows, columns = of[0], self._columns(of[-1])
        if value is None or not rows or len(rows) > _MOST or len(columns) > _MOST:
            self._table.html = ""
            return
        head = element("tr", element("th"), *(element("th", text, scope="col") for text in columns))
        lines = (
            element(
                "tr",
                element("th", row, scope="row"),
                *(element("td", self._button(value, row, column, text)) for text, column in columns.items()),
            )
            for row in rows
        )
        self._table.html = element(
            "table",
            head,
            *lines,
            class_="wb-table-of-names",
            style=f"margin-left: {self._indent}",
            aria_label=self._name,
        )

    def _value(self) -> Any:
        """What is typed, as a model has it; None where that is not accepted."""
        constant, name = self._constant, self._name
        try:
            return constant.domain.bind(
                name, constant.parse(name, self.get()), {of: self._members(of) for of in constant.domain.sets}
            )
        except InputError:
            return None

    def _button(self, value: Any, row: str, column: Any, text: str) -> Markup | None:
        label = self._label(row, text)
        if label is None:
            return None
        pressed = "true" if self._is_on(value, row, column) else "false"
        return element("button", data_send=f"{row} {text}", aria_pressed=pressed, aria_label=label, title=label)

    def _clicked(self, sent: str) -> None:
        row, _, text = sent.partition(" ")
        value = self._value()
        columns = self._columns(self._members(self._constant.domain.sets[-1]))
        known = row in self._members(self._constant.domain.sets[0]) and text in columns
        if value is not None and known and self._label(row, text) is not None:
            self.field.value = self._constant.domain.word(self._changed(value, row, columns[text]))

    # What graphs and assignments have each of their own ------------------------------------------------------------

    def _offered(self) -> list[str]:
        raise NotImplementedError

    def _columns(self, members: tuple[str, ...]) -> Mapping[str, Any]:
        """The columns by what stands above them."""
        raise NotImplementedError

    def _label(self, row: str, text: str) -> str | None:
        """What a click is about; None where there is nothing to click."""
        raise NotImplementedError

    def _is_on(self, value: Any, row: str, column: Any) -> bool:
        raise NotImplementedError

    def _changed(self, value: Any, row: str, column: Any) -> Any:
        """The value after a click."""
        raise NotImplementedError


class Edges(Named):
    """A graph or a relation: a row and a column for each name, and a box for each pair."""

    def _offered(self) -> list[str]:
        return list(self._constant.domain.shapes)

    def _columns(self, members: tuple[str, ...]) -> Mapping[str, Any]:
        return {str(name): name for name in members}

    def _label(self, row: str, text: str) -> str | None:
        if self._constant.domain.kind == "graph" and row == text:
            return None
        return f"{row}{self._constant.domain.arrow}{text}"

    def _is_on(self, value: Any, row: str, column: Any) -> bool:
        return (row, column) in value

    def _changed(self, value: Any, row: str, column: Any) -> Any:
        pairs = list(value.edges)
        same = [pair for pair in pairs if pair == (row, column) or (not value.directed and pair == (column, row))]
        return tuple(pair for pair in pairs if pair not in same) if same else (*pairs, (row, column))
