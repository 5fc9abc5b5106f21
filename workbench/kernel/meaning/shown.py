"""What shows itself in notebooks. The kernel knows no pictures: whoever draws is found by name."""

import importlib
from typing import Any


def display() -> Any:
    """The module that draws what the kernel has."""
    return importlib.import_module("workbench.showing.display")


class Shown:
    """What front ends that ask no IPython, such as marimo, show as HTML."""

    def _repr_html_(self) -> Any:
        return display().bundle_of(self)["text/html"]
