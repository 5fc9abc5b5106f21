"""Functions compiled by Numba, and taken from its cache without loading what only compiling needs."""

import ast
import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

from workbench.engines import compiling

_ENGINES = Path(__file__).parent
_PACKAGE = "workbench.engines."


class _Cache(FunctionCache):
    """Numba's cache of one function, but for what it does before it looks, and for what makes an entry out of date.

    It first refreshes all that compiling knows, and imports scipy.linalg for it: a third of a second. Machine code that
    is there needs the runtime alone; where there is none, the compiler refreshes all of it anyway.

    And it compares the function's own file with what was compiled, though functions and constants of others are part of
    that.

    What cannot be read is compiled anew, and what cannot be written is compiled for this process alone.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = stamp(Path(function.__code__.co_filename))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        found = None
        try:
            found = self._load_overload(sig, target_context)
        except Exception:  # a file cut short, as a power cut leaves it, may make pickle raise anything
            with suppress(OSError):
                self.flush()
        if found is None:
            compiling.begins()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a full disk
            super().save_overload(sig, data)


def compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """What ``numba.njit`` makes of `function`."""
    made = numba.njit(**options)(function)
    if made is not function:  # as for those who have switched Numba off
        try:
            made._cache = _Cache(function)
        except RuntimeError:  # there is no folder to keep anything in, so it is compiled for this process alone
            compiling.begins()
    return made


def stamp(file: Path, engines: Path = _ENGINES) -> str:
    """A checksum of the file of a kernel and of all that it imports from `engines`, directly or not."""
    contents: dict[Path, str] = {}
    waiting = [file]
    while waiting:
        path = waiting.pop()
        if path not in contents:
            contents[path] = path.read_text(encoding="utf-8")
            waiting += _imported(contents[path], engines)
    together = "\0".join(contents[path] for path in sorted(contents))
    return hashlib.blake2b(together.encode(), digest_size=16).hexdigest()


@cache
def _imported(source: str, engines: Path) -> list[Path]:
    """The files that `source` imports from `engines`."""
    names: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom):  # each name may be a module of its own
            names += [f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    places = [engines.joinpath(*name.split(".")[2:]) for name in names if name.startswith(_PACKAGE)]
    return [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]
