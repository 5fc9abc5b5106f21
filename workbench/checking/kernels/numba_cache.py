"""Functions compiled by Numba, or taken from its cache without loading the compiler's dependencies."""

import ast
import hashlib
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
    UserWideCacheLocator,
)
from numba.core.runtime import rtsys

from workbench.checking.kernels import compiling
from workbench.kernel import InputError

_ENGINES = Path(__file__).parents[1]
_PACKAGE = "workbench.checking."
_SUM = 16  # bytes


class _Files(IndexDataCacheFile):
    """Numba's files of one function, with checksums at their ends: on a flipped bit, LLVM would end the process.

    A ValueError says that a file is not as it was written.
    """

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        written = io.BytesIO()
        with super()._open_for_write(filepath) as out:
            yield written
            out.write(written.getvalue() + _checksum(written.getvalue()))

    def _load_index(self) -> Any:
        if os.path.exists(self._index_path):
            _check(self._index_path)
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check(self._data_path(name))
        return super()._load_data(name)


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_SUM).digest()


def _check(path: str) -> None:
    content = Path(path).read_bytes()
    if _checksum(content[:-_SUM]) != content[-_SUM:]:
        raise ValueError(path)


class _Beside(InTreeCacheLocator):
    """Takes compiled code from beside a module even if nothing may be written there, as in a read-only installation."""

    def ensure_cache_path(self) -> None:
        if not os.path.isdir(self.get_cache_path()):
            raise FileNotFoundError(self.get_cache_path())


class _Places(CompileResultCacheImpl):
    """The places where Numba may cache a function; the last one keeps nothing."""

    _locator_classes = [*CompileResultCacheImpl._locator_classes, _Beside]


class _Cache(FunctionCache):
    """Numba's cache of one function, with a faster look-up and a stricter stamp.

    Numba first refreshes the compiler's registries, which imports scipy.linalg and takes a third of a second. Cached
    machine code needs the runtime alone, and the compiler refreshes everything anyway.

    Numba's stamp covers the function's own file; this one also covers the files that it imports from the engines.

    An unreadable entry is compiled anew, and one that cannot be written is compiled for this process alone. Where
    nothing may be written beside the module, code that lies there is taken before what the user's cache has.

    Attributes:
        keeps: Whether there is a folder to keep code in.
    """

    _impl_class = _Places

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        file, base = Path(function.__code__.co_filename), self._impl.filename_base
        self._cache_file = _Files(self.cache_path, base, stamp(file))
        self.keeps = not isinstance(self._impl.locator, _Beside)
        elsewhere = isinstance(self._impl.locator, UserWideCacheLocator)
        self._beside = _Files(str(file.parent / "__pycache__"), base, stamp(file)) if elsewhere else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        overload = None
        with suppress(Exception):
            overload = self._load_from(self._beside, sig, target_context)
        try:
            overload = overload or self._load_overload(sig, target_context)
        except Exception:  # also of pickle, if the file is of another version
            with suppress(OSError):
                self.flush()
        if overload is None:
            compiling.begins(self.keeps)
        return overload

    def _load_from(self, files: _Files | None, sig: Any, target_context: Any) -> Any:
        data = None if files is None else files.load(self._index_key(sig, target_context.codegen()))
        return None if data is None else self._impl.rebuild(target_context, data)

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a full disk
            super().save_overload(sig, data)


def compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """`function` compiled by ``numba.njit``, with the cache of this module in place of Numba's."""
    dispatcher = numba.njit(**{**options, "cache": False})(function)
    if dispatcher is not function:  # it is with NUMBA_DISABLE_JIT
        try:
            dispatcher._cache = _Cache(function)
        except RuntimeError:  # no cache folder: it is compiled for this process alone
            compiling.begins(kept=False)
    return dispatcher


def folder() -> Path:
    """The cache folder for the kernels of this package.

    Raises:
        InputError: If there is no place for it.
    """
    try:
        cache = _Cache(folder)
    except RuntimeError:
        cache = None
    if cache is None or not cache.keeps:
        raise InputError("Numba finds no folder to keep compiled kernels in; NUMBA_CACHE_DIR names one")
    return Path(cache.cache_path)


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
