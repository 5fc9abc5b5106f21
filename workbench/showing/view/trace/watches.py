"""Watches of a trace: expressions on the state, with their values in every state."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.formats.expression import Expression, Reading
from workbench.kernel import Trace
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.view.base.html import Rendered, table


@dataclass(frozen=True)
class Watch:
    """The values of an expression along a trace. It can also be used as a condition to jump to.

    Attributes:
        readings: The value in each state.
        remark: A warning for people who use the expression as a condition.
        asked: Whether a person added it; otherwise it is an alias of the model.
    """

    expression: str
    readings: tuple[Reading, ...]
    remark: str | None = None
    asked: bool = True

    def changed(self, index: int) -> bool:
        """Whether the value in the state with this index differs from that in the state before."""
        return index > 0 and self.readings[index].text != self.readings[index - 1].text

    @property
    def true(self) -> list[int]:
        """The indices of the states in which the expression is true."""
        return [index for index, reading in enumerate(self.readings) if reading.true]

    def first(self) -> int | None:
        """The index of the first state in which it is true; None if there is none."""
        return next(iter(self.true), None)

    def last(self) -> int | None:
        """The index of the last state in which it is true."""
        return next(reversed(self.true), None)

    def next(self, index: int) -> int | None:
        """The index of the first state after that of `index` in which it is true."""
        return next((later for later in self.true if later > index), None)

    def previous(self, index: int) -> int | None:
        """The index of the last state before that of `index` in which it is true."""
        return next((earlier for earlier in reversed(self.true) if earlier < index), None)

    def as_dict(self) -> dict[str, Any]:
        """Everything as lists, dictionaries and texts."""
        return {
            "expression": self.expression,
            "values": [reading.text for reading in self.readings],
            "changed": [index for index in range(len(self.readings)) if self.changed(index)],
            "true": self.true,
            "remark": self.remark,
            "asked": self.asked,
        }


def watch(trace: Trace, text: str) -> Watch:
    """The value of an expression in every state of a trace.

    Args:
        text: See :class:`workbench.formats.expression.Expression`. It is run.

    Raises:
        InputError: If it is no expression, or cannot be evaluated in the initial state.

    Examples:
        >>> from workbench.kernel import replay
        >>> from workbench.protocols.bakery.model import Bakery
        >>> claimed = watch(replay(Bakery(Writers=2), 0, [(0, 0), (2, 0)]), "s.next_ticket > 1")
        >>> [reading.text for reading in claimed.readings], claimed.first()
        (['FALSE', 'FALSE', 'TRUE'], 2)
    """
    expression = Expression(trace.model, text)
    return Watch(expression.text, tuple(map(expression.read, trace.states)), expression.remark)


def aliases(trace: Trace) -> list[Watch]:
    """The aliases that the model wants shown of every state."""
    true = trace.model.layout.notation.show(True)
    return [
        Watch(name, tuple(Reading(text, text == true) for text in texts), asked=False)
        for name, texts in trace.aliased.items()
    ]


def watched_here(watches: Sequence[Watch], index: int) -> Markup | None:
    """A row for each watch: its value in the state with this index, and the previous one if that differs."""
    rows = []
    for watched in watches:
        before = watched.readings[index - 1].text if watched.changed(index) else ""
        rows.append((element("code", watched.expression), element("code", before), _marked(watched, index)))
    return table(("watched", "before", "now"), rows, "wb-watches") if rows else None


def watch_table(watches: Sequence[Watch], labels: Sequence[str]) -> Rendered:
    """A row for each state, after the step with this label, and a column for each watch; a star marks a change."""
    head = ("", "step", *(element("code", watched.expression) for watched in watches))
    rows = [
        (str(index + 1), element("code", label), *(_marked(watched, index) for watched in watches))
        for index, label in enumerate(labels)
    ]
    return Rendered(table(head, rows, "wb-watches"), "\n".join(_lines(watches, labels)))


def _marked(watched: Watch, index: int) -> Markup:
    return element("code", watched.readings[index].text, class_="wb-new" if watched.changed(index) else None)


def _lines(watches: Sequence[Watch], labels: Sequence[str]) -> Iterator[str]:
    rows = [["", "step", *(watched.expression for watched in watches)]]
    for index, label in enumerate(labels):
        values = [f"{'* ' if watched.changed(index) else '  '}{watched.readings[index].text}" for watched in watches]
        rows.append([f"{index + 1:>3}", label, *values])
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, wide, strict=True)).rstrip()
