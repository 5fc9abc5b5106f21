"""The progress of many checks: a line in a notebook, and silence elsewhere."""

import sys
from collections.abc import Callable
from typing import Any


def line_in_notebook(what: str) -> Callable[[int, int], None]:
    """Shows "3 of 12 `what`" in the running cell, in one line that changes."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return lambda done, of: None
    from IPython.display import display

    handle: Any = None
    told = ""

    def show(done: int, of: int) -> None:
        nonlocal handle, told
        text = f"{done} of {of} {what}"
        if handle is None:
            handle = display({"text/plain": text}, raw=True, display_id=True)
        elif text != told:
            handle.update({"text/plain": text}, raw=True)
        told = text

    return show
