"""The progress of many checks: a line in a notebook, and silence elsewhere."""

import sys
from collections.abc import Callable
from typing import Any


def line_in_notebook(noun: str) -> Callable[[int, int], None]:
    """Shows "3 of 12 `noun`" in the running cell, in one line that changes."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return lambda done, of: None
    from IPython.display import display

    handle: Any = None
    shown = ""

    def show(done: int, of: int) -> None:
        nonlocal handle, shown
        text = f"{done} of {of} {noun}"
        if handle is None:
            handle = display({"text/plain": text}, raw=True, display_id=True)
        elif text != shown:
            handle.update({"text/plain": text}, raw=True)
        shown = text

    return show
