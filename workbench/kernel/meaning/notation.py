"""The notation of a language for values, used in states, changes and the labels of steps."""

from typing import Any

from workbench.kernel.meaning.values import Map, show


class Notation:
    """The notation of models in Python; other languages have subclasses.

    Attributes:
        first: The number of a sequence's first member.
        background: The variables that pictures leave out, and whose changes people are shown only where nothing else
            changes.
    """

    first = 0
    background: frozenset[str] = frozenset()

    def show(self, value: Any, joint: str = "=") -> str:
        """A value in one line, as by :func:`workbench.kernel.meaning.values.show`."""
        return show(value, joint)

    def parts(self, value: Any) -> Any:
        """The value whose members, keys or fields describe changes of `value`; by default `value` itself."""
        return value

    def key(self, of: Map, key: Any) -> str:
        """A key of a map on its own, without its value."""
        return self.show(key)

    def pair(self, of: Map, key: Any) -> str:
        """A key of a map with its value."""
        return f"{self.show(key)}: {self.show(of[key])}"

    def part(self, whole: str, of: Map, key: Any) -> str:
        """The name of a map's value at a key; the map is called `whole`."""
        return f"{whole}[{self.show(key)}]"


PYTHON = Notation()
