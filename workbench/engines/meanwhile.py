"""No search waits for its kernels: while a process of its own compiles them, Python interprets them.

That process, ``workbench.engines.warm``, goes on when the command has ended, so that the next one finds the kernels in
Numba's cache. Where the cache has them none is started.
"""

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from workbench.engines import compiling
from workbench.engines.compiled import TooMuch, interpreting
from workbench.engines.in_numpy import FORMS
from workbench.kernel.budget import Limits, interrupted

T = TypeVar("T")

_ROOT = Path(__file__).parents[2]
_WARM = "import sys; sys.path.insert(0, sys.argv[1]); from workbench.engines import warm; warm.beside()"


class Compiler:
    """A process that compiles the kernels into Numba's cache. It outlives this one."""

    def __init__(self) -> None:
        # It belongs to no terminal: Ctrl-C is meant for the search.
        self.process = subprocess.Popen(
            [sys.executable, "-c", _WARM, str(_ROOT)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._waiting = threading.Thread(target=self._wait, daemon=True)
        self._waiting.start()

    def _wait(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.read()  # it closes this once it has compiled what checks need
        self.process.stdout.close()

    @property
    def done(self) -> bool:
        """Whether it has compiled what checks need, or failed to."""
        return not self._waiting.is_alive()


#: The process that this one has started; it starts no other.
_compiler: Compiler | None = None
_starting = threading.Lock()


def search_at_once(search: Callable[[], T], load: Callable[[], None], limits: Limits, small: bool) -> T:
    """The result of `search`, which begins again, with the same outcome, if the kernels are there before it ends.

    A budget of seconds is spent with compiled kernels, so such a search waits for them.

    Args:
        load: Loads the kernels that every search needs.
        limits: Those of the search; loading is no part of it.
        small: Whether to interpret the kernels first, as far as that takes less time than loading Numba.
    """
    timed = limits.budget.seconds is not None
    if small and not timed:
        with suppress(TooMuch), interpreting(FORMS):
            return search()
    if not timed and (_compiler is None or not _compiler.done):
        try:
            with compiling.only_cached():
                load()
                limits.restart()
                return search()
        except compiling.Cold:
            compiler = _compile_beside()
        if compiler is not None:
            limits.restart()
            with suppress(TooMuch), interpreting(FORMS, lambda: compiler.done and not interrupted()):
                return search()
    load()
    limits.restart()
    return search()


def _compile_beside() -> Compiler | None:
    """The process that compiles the kernels, started unless it runs; None where no process can be started."""
    global _compiler
    with _starting:
        if _compiler is None:
            with suppress(OSError):
                _compiler = Compiler()
                compiling.say("until they are ready, Python searches without them")
    return _compiler
