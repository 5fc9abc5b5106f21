"""A hash of a model's behaviour: a stored result counts only as long as the model is unchanged."""

import copyreg
import dis
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

from workbench.kernel import Map, ModelError
from workbench.kernel.meaning.errors import placing
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.text import printable

# Attributes that Python adds to a class: they do not affect its behaviour, or differ from process to process.
_LEFT_OUT = frozenset(
    {
        "__annotate_func__",  # this, the cache and the cell: annotations since Python 3.14
        "__annotations__",
        "__annotations_cache__",
        "__classdictcell__",
        "__dataclass_fields__",  # redundant: attributes and methods count
        "__dataclass_params__",
        "__dict__",
        "__doc__",
        "__firstlineno__",
        "__module__",
        "__slotnames__",  # added by the first pickled object
        "__static_attributes__",
        "__weakref__",
        "_abc_impl",
    }
)
_PLAIN = frozenset({type(None), type(...), type(NotImplemented), bool, int, float, complex, str, bytes, range})
# Attributes that define code, besides its instructions and constants.
_CODE = (
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_exceptiontable",
)
#: The flag of code with a docstring, since Python 3.13.
_HAS_DOCSTRING = 0x4000000


def model_digest(model: ModelClass) -> str:
    """A hash of a model's declarations and code, and of all code of its authors that these use.

    It is the same in every process of one version of Python, wherever the model is (a module, a file, a notebook's
    cell, an installed package), and changes with the body of an action or of a helper. It covers the code that runs,
    not the file, which may have been edited since. Docstrings do not count. The standard library and the modelling
    languages count by name, other packages by name and version.

    Raises:
        ModelError: If the model's code uses an object that cannot be described, such as a lock or an open file.
    """
    with placing(model):
        return _Digest(model).hexdigest()


def records_of(model: ModelClass) -> list[type]:
    """The NamedTuple classes and frozen dataclasses that the code of a model and its authors refers to."""
    kinds = _classes_of(model)
    tuples = [kind for kind in kinds if issubclass(kind, tuple) and hasattr(kind, "_fields")]
    objects = [kind for kind in kinds if is_dataclass(kind) and not kind.__module__.startswith("workbench.kernel")]
    slotted = {(kind.__module__, kind.__qualname__) for kind in objects if "__slots__" in vars(kind)}
    return tuples + [  # the methods of a class with slots still refer to the class without them
        kind for kind in objects if "__slots__" in vars(kind) or (kind.__module__, kind.__qualname__) not in slotted
    ]


def enumerations_of(model: ModelClass) -> list[type[Enum]]:
    """The enumerations that the code of a model and its authors refers to."""
    return [kind for kind in _classes_of(model) if issubclass(kind, Enum) and kind.__members__]


def _classes_of(model: ModelClass) -> list[type]:
    described = _Digest(model).described
    objects = (type(thing) for thing in described if isinstance(thing, Enum))
    return list(dict.fromkeys([*(thing for thing in described if isinstance(thing, type)), *objects]))


class _Digest:
    """Feeds a class, and everything that it refers to, into a hash.

    Attributes:
        described: The objects described so far, kept so that their ids stay unique.
    """

    def __init__(self, model: ModelClass) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._model = model
        self._authors = {base.__module__.partition(".")[0] for base in model.__mro__} - {"workbench", "builtins"}
        self._number: dict[int, int] = {}
        self._place: list[str] = []
        self.described: list[Any] = []
        try:
            self._add(model)
        except RecursionError:
            raise ModelError(
                f"model {model.declared.name}: {self._where()} refers to itself, and cannot be described"
            ) from None

    def hexdigest(self) -> str:
        return self._hash.hexdigest()

    def _put(self, *words: object) -> None:
        self._hash.update("".join(f"{word!r};" for word in words).encode("utf-8", "surrogatepass"))

    def _add(self, thing: Any) -> None:
        if type(thing) in _PLAIN:
            self._put(type(thing).__name__, thing)
        elif isinstance(thing, tuple):
            self._put("tuple", len(thing))
            if type(thing) is not tuple:
                self._add(type(thing))
            self._add_all(thing)
        elif type(thing) is frozenset:
            self._add_set(thing)
        elif id(thing) in self._number:  # functions call each other
            self._put("met", self._number[id(thing)])
        else:
            self._number[id(thing)] = len(self._number)
            self.described.append(thing)
            self._add_object(thing)

    def _add_all(self, things: Iterable[Any]) -> None:
        for thing in things:
            self._add(thing)

    def _add_named(self, things: Mapping[Any, Any] | Iterable[tuple[str, Any]]) -> None:
        for name, value in things.items() if isinstance(things, Mapping) else things:
            self._add(name)
            with self._at(str(name)):
                self._add(value)

    def _add_set(self, things: Iterable[Any]) -> None:
        """Members in the order of their own hashes, which is the same in every process."""
        outer, number, parts = self._hash, self._number, []
        for thing in things:
            self._hash, self._number = hashlib.blake2b(digest_size=16), dict(number)
            self._add(thing)
            parts.append(self._hash.hexdigest())
        self._hash, self._number = outer, number
        self._put("set", *sorted(parts))

    def _add_object(self, thing: Any) -> None:
        if type(thing) is list:
            self._put("list", len(thing))
            self._add_all(thing)
        elif type(thing) is set:
            self._add_set(thing)
        elif isinstance(thing, (dict, MappingProxyType, Map)):
            self._put("mapping", type(thing).__name__, len(thing))
            self._add_named(thing)
        elif isinstance(thing, ModuleType):
            self._put("module", thing.__name__)
        elif isinstance(thing, CodeType):
            self._add_code(thing)
        elif isinstance(thing, (type, FunctionType)) and not self._is_the_authors(thing.__module__):
            self._put("known", thing.__module__, thing.__qualname__, _version(thing.__module__))
        elif isinstance(thing, FunctionType):
            self._add_function(thing)
        elif isinstance(thing, type):
            self._put("class", thing.__name__)
            self._add_all([type(thing), *thing.__bases__])
            self._add_named({name: value for name, value in vars(thing).items() if name not in _LEFT_OUT})
        elif isinstance(thing, (staticmethod, classmethod, MethodType)):
            self._put(type(thing).__name__)
            self._add(thing.__func__)
            self._add(getattr(thing, "__self__", None))
        elif isinstance(thing, property):
            self._put("property")
            self._add_all([thing.fget, thing.fset, thing.fdel])
        elif isinstance(thing, cached_property):
            self._put("cached_property")
            self._add(thing.func)
        else:
            self._add_reduced(thing)

    def _add_code(self, code: CodeType) -> None:
        """Describe code by its instructions; constants that none of them loads are docstrings."""
        self._put("code", code.co_flags & ~_HAS_DOCSTRING, *(getattr(code, name) for name in _CODE))
        for instruction in dis.get_instructions(code):
            if instruction.opcode in dis.hasconst:
                self._put(instruction.opname)
                self._add(instruction.argval)
            else:
                self._put(instruction.opname, instruction.arg)

    def _add_function(self, function: FunctionType) -> None:
        self._put("function")
        self._add_code(function.__code__)
        self._add_all([function.__defaults__, function.__kwdefaults__])
        self._add_named(vars(function))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with self._at(name):
                self._add(_contents(cell))
        self._add_named(self._globals_used(function))

    def _add_reduced(self, thing: Any) -> None:
        """Describe any other object as pickle would: by everything that it takes to rebuild it."""
        try:
            reduce = copyreg.dispatch_table.get(type(thing))
            parts = thing.__reduce_ex__(2) if reduce is None else reduce(thing)
        except Exception:
            raise self._refused(thing) from None
        if isinstance(parts, str):  # the name of something in its module
            self._put("known", getattr(thing, "__module__", None), parts, _version(getattr(thing, "__module__", None)))
            self._add(getattr(thing, "__wrapped__", None))
            return
        self._put("object", type(thing).__qualname__)
        made_by, arguments, state, items, pairs = (*parts, None, None, None)[:5]
        self._add_all([made_by, *arguments])
        if isinstance(state, dict):
            self._add_named(state)
        else:
            self._add(state)
        self._add_all([list(items or ()), list(pairs or ())])

    def _is_the_authors(self, module: str | None) -> bool:
        """Whether the model's authors wrote a module."""
        top, _, below = (module or "").partition(".")
        if top in ("workbench", "__main__"):
            return below.partition(".")[0] not in ("kernel", "tlaplus")
        return top in self._authors or (top not in sys.stdlib_module_names and not _is_installed(module or ""))

    def _globals_used(self, function: FunctionType) -> Iterator[tuple[str, Any]]:
        """The globals that a function and its inner functions name, also in its authors' modules."""
        names = sorted(_names(function.__code__))
        spaces, seen = [function.__globals__], set()
        while spaces:
            space = spaces.pop()
            for name in names:
                if name in space:
                    value = space[name]
                    yield name, value
                    if isinstance(value, ModuleType) and value not in seen and self._is_the_authors(value.__name__):
                        seen.add(value)
                        spaces.append(vars(value))

    # Errors ------------------------------------------------------------------------------------------------------

    @contextmanager
    def _at(self, name: str) -> Iterator[None]:
        self._place.append(name)
        yield
        self._place.pop()

    def _where(self) -> str:
        return printable(".".join([self._model.__name__, *self._place[-8:]]))

    def _refused(self, thing: Any) -> ModelError:
        kind = type(thing)
        return ModelError(
            f"model {self._model.declared.name}: {self._where()} is an object of type "
            f"{kind.__module__}.{kind.__qualname__}, "
            "which cannot be described, so that a change of it would go unnoticed; the model's code must do without it"
        )


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _names(code: CodeType) -> set[str]:
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _is_installed(module: str) -> bool:
    """Whether a module belongs to an installed package, or to Python itself."""
    loaded = sys.modules.get(module)
    file = getattr(loaded, "__file__", None)
    return file is not None and not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


@cache
def _version(module: str | None) -> str:
    """The version of a module's package; "" for Python's own and for the modelling language."""
    top = (module or "").partition(".")[0]
    if top == "workbench" or top in sys.stdlib_module_names or top not in sys.modules:
        return ""
    from importlib.metadata import PackageNotFoundError, packages_distributions, version  # slow to load, rarely asked

    try:
        return version(top)
    except PackageNotFoundError:
        return ",".join(version(name) for name in sorted(set(packages_distributions().get(top, ()))))
