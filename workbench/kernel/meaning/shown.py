"""Objects that display themselves in notebooks. The kernel knows no pictures: what draws is installed beside it."""

from importlib.metadata import entry_points
from typing import Any

#: The group of entry points that what draws registers itself in.
DRAWING = "lakehouse_workbench.drawing"


def display() -> Any:
    """The module that draws the kernel's objects."""
    (drawing,) = entry_points(group=DRAWING)
    return drawing.load()


class Shown:
    """An object that front ends without IPython, such as marimo, display as HTML."""

    def _repr_html_(self) -> Any:
        return display().bundle_of(self)["text/html"]
