"""What a model does, as a hash: so that a stored result is taken for a model's only while the model is unchanged."""

import hashlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from workbench.kernel import Model

# What Python adds to a class: it says nothing of what the class does, or is not the same in every process.
_LEFT_OUT = frozenset(
    {"__annotations__", "__dict__", "__doc__", "__firstlineno__", "__module__", "__static_attributes__", "__weakref__"}
)


def model_digest(model: type[Model]) -> str:
    """A hash of a model's declarations and code, and of all code of its authors that these use.

    It is the same in every process of one version of Python, wherever the model stands (a module, a file, a
    notebook's cell); another body of an action, or of a helper that it calls, gives another one. Of the standard
    library, the modelling language and installed packages only names go into it.
    """
    return _Digest().of(model)


class _Digest:
    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._met: dict[int, int] = {}

    def of(self, thing: Any) -> str:
        self._add(thing)
        return self._hash.hexdigest()

    def _put(self, *words: object) -> None:
        self._hash.update("".join(f"{word!r};" for word in words).encode())

    def _add(self, thing: Any) -> None:
        if thing is None or thing is ... or isinstance(thing, (bool, int, float, complex, str, bytes, range)):
            self._put(type(thing).__name__, thing)
        elif isinstance(thing, (tuple, list)):
            self._put("sequence", len(thing))
            for item in thing:
                self._add(item)
        elif isinstance(thing, (set, frozenset)):  # its order differs from process to process
            self._put("set", *sorted(_Digest().of(item) for item in thing))
        elif isinstance(thing, Mapping):
            self._put("mapping", len(thing))
            for key, value in thing.items():
                self._add(key)
                self._add(value)
        elif id(thing) in self._met:  # functions call each other
            self._put("met", self._met[id(thing)])
        else:
            self._met[id(thing)] = len(self._met)
            self._add_object(thing)

    def _add_object(self, thing: Any) -> None:
        if isinstance(thing, ModuleType):
            self._put("module", thing.__name__)
        elif isinstance(thing, CodeType):
            self._put("code", thing.co_code, thing.co_names, thing.co_varnames)
            self._add(thing.co_consts)
        elif isinstance(thing, (type, FunctionType)) and not _is_the_authors(thing.__module__):
            self._put("known", thing.__module__, thing.__qualname__)
        elif isinstance(thing, FunctionType):
            self._put("function")
            self._add([thing.__code__, thing.__defaults__, thing.__kwdefaults__])
            self._add([cell.cell_contents for cell in thing.__closure__ or ()])
            for name, value in _globals_used(thing):
                self._put(name)
                self._add(value)
        elif isinstance(thing, type):
            self._put("class", thing.__name__)
            self._add(thing.__bases__)
            self._add({name: value for name, value in vars(thing).items() if name not in _LEFT_OUT})
        elif isinstance(thing, (staticmethod, classmethod)):
            self._add(thing.__func__)
        elif isinstance(thing, property):
            self._add([thing.fget, thing.fset])
        else:  # what the modelling language attaches to a class, say
            self._put(type(thing).__qualname__, getattr(thing, "__qualname__", ""))
            self._add(getattr(thing, "__dict__", {}))


def _is_the_authors(module: str) -> bool:
    """Whether a module is part of what a model's authors wrote."""
    top, _, below = module.partition(".")
    if top in ("workbench", "__main__"):
        return not below.startswith("kernel")
    file = getattr(sys.modules.get(module), "__file__", None)
    installed = file is not None and not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
    return top not in sys.stdlib_module_names and not installed


def _globals_used(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals that a function names, also in its inner functions, and what it names in its authors' modules."""
    names = sorted(_names(function.__code__))
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name, value
            if isinstance(value, ModuleType) and _is_the_authors(value.__name__):
                yield from ((inner, vars(value)[inner]) for inner in names if inner in vars(value))


def _names(code: CodeType) -> set[str]:
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_names, inner))
