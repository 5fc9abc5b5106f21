"""Functions compiled by Numba, or taken from its cache without loading the compiler's dependencies."""

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
from workbench.kernel import InputError

_ENGINES = Path(__file__).parent
_PACKAGE = "workbench.engines."


class _Cache(FunctionCache):
    """Numba's cache of one function, with a faster look-up and a stricter stamp.

    Numba first refreshes the compiler's registries, which imports scipy.linalg and takes a third of a second. Cached
    machine code needs the runtime alone, and the compiler refreshes everything anyway.

    Numba's stamp covers the function's own file; this one also covers the files that it imports from the engines.

    An unreadable entry is compiled anew, and one that cannot be written is compiled for this process alone.
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
    """`function` compiled by ``numba.njit``."""
    made = numba.njit(**options)(function)
    if made is not function:  # it is with NUMBA_DISABLE_JIT
        try:
            made._cache = _Cache(function)
        except RuntimeError:  # no cache folder: it is compiled for this process alone
            compiling.begins(kept=False)
    return made


def folder() -> Path:
    """Where the cache keeps the kernels of this folder.

    Raises:
        InputError: If there is no place for it.
    """
    try:
        return Path(_Cache(folder).cache_path)
    except RuntimeError:
        raise InputError("Numba finds no folder to keep compiled kernels in; NUMBA_CACHE_DIR names one") from None


def stamp(file: Path, engines: Path = _ENGINES) -> str:
    """A checksum of a kernel's file and of the files that it imports from `engines`, directly or not."""
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
