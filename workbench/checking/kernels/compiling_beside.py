"""Searches that do not wait for their kernels: a separate process compiles these while Python interprets them.

That process, ``workbench.checking.warm``, goes on when the command has ended, so that the next one finds the
kernels in Numba's cache. Where the cache has them none is started. Work whose kernels Python interprets too slowly
waits for that process (:func:`load_or_wait`): a kernel is compiled within a search only where no other process can do
it.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from workbench.checking.kernels import compiling
from workbench.checking.kernels.compiled import NotLoaded, TooMuch, interpreting, not_interpreting
from workbench.checking.kernels.in_numpy import FORMS
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.interrupts import interrupted

T = TypeVar("T")

_ROOT = Path(__file__).parents[3]
_WARM = "import sys; sys.path.insert(0, sys.argv[1]); from workbench.checking import warm; warm.beside()"
_POLL_SECONDS = 0.05


class Compiler:
    """A process that compiles the kernels into Numba's cache. It outlives this one."""

    def __init__(self) -> None:
        # It belongs to no terminal: Ctrl-C is meant for the search.
        self.process = subprocess.Popen(
            [sys.executable, "-c", _WARM, str(_ROOT)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._waiting = threading.Thread(target=self._wait, daemon=True)
        try:
            self._waiting.start()
        except RuntimeError:  # it needs addresses for its stack
            raise MemoryError from None

    def _wait(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.read()  # it closes this once it has compiled the kernels that checks need
        self.process.stdout.close()

    def has(self, rare: bool) -> bool:
        """Whether it has compiled the kernels that checks need, or also the `rare` ones; or has failed to."""
        return self.process.poll() is not None if rare else not self._waiting.is_alive()


#: The process that this one has started; it starts no other.
_compiler: Compiler | None = None
_starting = threading.Lock()


def search_at_once(
    search: Callable[[], T], load: Callable[[], None], limits: Limits, small: bool, rare: bool = False
) -> T:
    """The result of `search`, which starts over, with the same outcome, if the kernels are ready before it ends.

    A budget of seconds applies to compiled kernels: an interpreted search continues until they are ready.

    Args:
        load: Loads the kernels that every search needs.
        limits: The limits of the search. Loading does not count.
        small: Whether to interpret the kernels first, for as long as loading Numba would take.
        rare: Whether some of the kernels are not needed for checks; these are compiled last.
    """
    if small and limits.budget.seconds is None:
        with suppress(TooMuch), interpreting(FORMS, _Loading(load)):
            return search()
    try:
        return _search_compiled(search, load, limits, rare)
    except (MemoryError, NotLoaded):  # there is no memory for the kernels
        limits.restart()
        with interpreting(FORMS, lambda: False):
            return search()


def _search_compiled(search: Callable[[], T], load: Callable[[], None], limits: Limits, rare: bool) -> T:
    """The result of `search` with compiled kernels; or with interpreted ones, if it ends before these are ready."""
    if not compiling.compiles_here() and not (_compiler is not None and _compiler.has(rare)):
        try:
            with compiling.only_cached():
                load()
                limits.restart()
                return search()
        except compiling.Cold:
            compiler = _compile_beside("until they are ready, Python searches without them")
        if compiler is not None:
            limits.restart()
            ends = interpreting(FORMS, lambda: compiler.has(rare) and not interrupted())
            with suppress(TooMuch), ends, limits.off_the_clock():
                return search()
    load()
    limits.restart()
    return search()


class _Loading:
    """Loads the kernels during an interpreted search; tells whether it may start over with the compiled ones.

    Without room for them, the search goes on interpreted: memory might not suffice to find everything a second time.
    """

    def __init__(self, load: Callable[[], None]) -> None:
        self._load, self._fails = load, False

    def __call__(self) -> bool:
        if not self._fails:
            try:
                with not_interpreting(), compiling.only_cached():
                    self._load()
            except compiling.Cold:
                return True
            except (MemoryError, NotLoaded):
                self._fails = True
        return not self._fails


def at_once(compute: Callable[[], T]) -> T:
    """The result of `compute` on a finished search; kernels that are not compiled are interpreted."""
    try:
        with compiling.only_cached():
            return compute()
    except (compiling.Cold, NotLoaded):
        with interpreting(FORMS, lambda: False):
            return compute()


def load_or_wait(load: Callable[[], None], rare: bool = False) -> None:
    """Load kernels that another process compiles, if the cache lacks them.

    Args:
        rare: Whether some of them are not needed for checks.

    Raises:
        KeyboardInterrupt: If Ctrl-C is pressed while waiting.
    """
    try:
        with compiling.only_cached():
            load()
        return
    except compiling.Cold:
        compiler = None if compiling.compiles_here() else _compile_beside(compiling.WAITING)
    while compiler is not None and not compiler.has(rare):
        if interrupted():
            raise KeyboardInterrupt
        time.sleep(_POLL_SECONDS)
    load()


def going_on() -> str:
    """A line about a compilation that continues after this process has finished; "" if there is none."""
    if _compiler is None or _compiler.process.poll() is not None:
        return ""
    return f"process {_compiler.process.pid} goes on compiling the search kernels, for later commands"


def _compile_beside(meanwhile: str) -> Compiler | None:
    """The process that compiles the kernels, started unless it is running; None if no process can be started.

    Args:
        meanwhile: The work of this process until then, for the line on the compilation.
    """
    global _compiler
    with _starting:
        if _compiler is None:
            with suppress(OSError):
                _compiler = Compiler()
                compiling.say(meanwhile)
    return _compiler
