"""The notation of TLA+ values for people: as TLC prints them."""

from typing import Any

from workbench.kernel.meaning.notation import Notation
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.values import Map
from workbench.tlaplus.values.values import CONCRETE, Order, in_order, is_record, shown, spelling


class TlaNotation(Notation):
    """The notation of a specification's values.

    Args:
        order: The order of its strings and model values.
    """

    first = 1

    def __init__(self, order: Order) -> None:
        self._order = order

    def show(self, value: Any, joint: str = "=") -> str:
        if type(value) not in CONCRETE:  # what Python says about a value, in a watch
            return super().show(value, joint)
        with in_order(self._order):
            return printable(shown(value))

    def key(self, of: Map, key: Any) -> str:
        return printable(spelling(key)) if is_record(of) else self.show(key)

    def pair(self, of: Map, key: Any) -> str:
        return f"{self.key(of, key)} {'|->' if is_record(of) else ':>'} {self.show(of[key])}"

    def part(self, whole: str, of: Map, key: Any) -> str:
        return f"{whole}.{self.key(of, key)}" if is_record(of) else super().part(whole, of, key)
