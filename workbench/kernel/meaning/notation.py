"""How a language writes values: states, changes and the labels of steps are told in it."""

from typing import Any

from workbench.kernel.meaning.values import show


class Notation:
    """That of models in Python; another language has a subclass.

    Attributes:
        first: The number of a sequence's first member.
    """

    first = 0

    def show(self, value: Any, joint: str = "=") -> str:
        """A value in one line, as :func:`workbench.kernel.meaning.values.show` has it."""
        return show(value, joint)

    def key(self, key: Any) -> str:
        """A key of a map where it stands for itself."""
        return self.show(key)

    def pair(self, key: Any, value: Any) -> str:
        """A key of a map with its value."""
        return f"{self.key(key)}: {self.show(value)}"

    def part(self, whole: str, key: Any) -> str:
        """The name of what the map called `whole` has at a key."""
        return f"{whole}[{self.show(key)}]"


PYTHON = Notation()
