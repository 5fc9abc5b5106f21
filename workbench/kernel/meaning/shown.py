"""Objects that display themselves in notebooks. The kernel cannot draw: drawing code registers an entry point."""

from importlib.metadata import entry_points
from typing import Any

#: The group of entry points in which drawing code is registered.
DRAWING = "lakehouse_workbench.drawing"


def display() -> Any:
    """The module that draws the kernel's objects."""
    (drawing,) = entry_points(group=DRAWING)
    return drawing.load()


class Shown:
    """An object that front ends without IPython, such as marimo, display as HTML."""

    def _repr_html_(self) -> Any:
        return display().bundle_of(self)["text/html"]
