"""Surfaces with meaningful traits, which a notebook can observe, link and set.

Checks run in threads, and clicks are handled with a lock held. Traits change where their observers expect it: in the
thread that made the widget, with no lock held.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from traitlets import TraitError

from workbench.kernel import InputError, Result
from workbench.kernel.meaning.errors import unknown
from workbench.showing.panel.parts import Part
from workbench.showing.panel.surface import Surface


@contextmanager
def refusing() -> Iterator[None]:
    """Turn an InputError raised within the block into a TraitError."""
    try:
        yield
    except InputError as error:
        raise TraitError(str(error)) from None


def check_selected(name: Any, result: Result | None) -> None:
    """Raise an InputError unless a result has a verdict of this name."""
    names = [] if result is None else [verdict.name for verdict in result.verdicts]
    if name not in names:
        raise unknown("verdict", name, names)


class Observed(Surface):
    """A surface whose traits follow what it shows.

    In a notebook they are updated whenever its kernel is idle; in a script, which has no event loop, by the calls that
    the script makes.
    """

    def __init__(self, root: Part, lock: Any = None) -> None:
        self._followed: dict[str, Any] = {}
        super().__init__(root, lock)
        self._thread = threading.current_thread()
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None

    def now(self) -> dict[str, Any]:
        """The values of the traits as they should be."""
        raise NotImplementedError

    def follow(self) -> None:
        """Have the traits follow soon. May be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.deliver)
        elif threading.current_thread() is self._thread:
            self.deliver()

    def deliver(self) -> None:
        """Have the traits follow now. May be called in the thread that made the widget."""
        with self._lock:
            self._followed = now = self.now()
        for name, value in now.items():
            self.set_trait(name, value)
        self._followed = {}

    def is_followed(self, proposal: Any) -> bool:
        """Whether a trait gets a value because it follows, rather than because somebody sets it."""
        name = proposal["trait"].name
        return name in self._followed and bool(self._followed[name] == proposal["value"])
