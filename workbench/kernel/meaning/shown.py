"""Objects that display themselves in notebooks. The kernel knows no pictures; the drawing code is found by name."""

import importlib
from typing import Any


def display() -> Any:
    """The module that draws the kernel's objects."""
    return importlib.import_module("workbench.showing.display")


class Shown:
    """An object that front ends without IPython, such as marimo, display as HTML."""

    def _repr_html_(self) -> Any:
        return display().bundle_of(self)["text/html"]
