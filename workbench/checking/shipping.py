"""Ships a model to other processes by value, with its authors' code, which these may be unable to import.

A model may be in a notebook's cell, in a file, or in a module that imports others; all are sent alike. The receiver
imports only installed packages. Pickling by value is cloudpickle's; Numba, which the core needs anyway, brings it.
"""

import copyreg
import io
import pickle
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from numba import cloudpickle

from workbench.kernel import InputError

#: Attributes that Python's import adds to a module: they belong to one process, and some cannot be pickled.
_OF_THE_IMPORT = frozenset({"__builtins__", "__cached__", "__loader__", "__spec__"})

_registering = threading.Lock()  # cloudpickle has one registry of modules by value for the whole process


class NotReceived(Exception):
    """The receiver could not load what was sent."""


def ship(thing: Any, name: str) -> bytes:
    """Serialize `thing` for :func:`receive`, in any process with the installed packages that it uses.

    Args:
        name: The name of the model in `thing`, for messages.

    Raises:
        InputError: If the model's code refers to an object that cannot be sent, such as an open file.
    """
    with _authors_modules_by_value():
        sent = io.BytesIO()
        try:
            _Pickler(sent).dump(thing)
        except Exception as error:  # pickling a model's objects may raise anything
            text = (str(error) or "no reason given").splitlines()[0]
            raise InputError(
                f"{name} cannot be sent to other processes: {type(error).__name__}: {text}; "
                "its code and the modules that it imports may only refer to what can be pickled"
            ) from error
    return sent.getvalue()


def receive(sent: bytes) -> Any:
    """Undo :func:`ship`.

    Raises:
        NotReceived: If a package that it uses is not installed here.
    """
    try:
        return pickle.loads(sent)
    except Exception as error:
        raise NotReceived(f"{type(error).__name__}: {error}".splitlines()[0]) from error


class _Pickler(cloudpickle.Pickler):
    """Sends modules by value, even if they import each other."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, ModuleType) and obj.__name__ in cloudpickle.list_registry_pickle_by_value():
            return ModuleType, (obj.__name__,), {n: v for n, v in vars(obj).items() if n not in _OF_THE_IMPORT}
        if isinstance(obj, type) and type(obj) in copyreg.dispatch_table:  # its metaclass registers how to rebuild it
            return copyreg.dispatch_table[type(obj)](obj)
        return super().reducer_override(obj)


@contextmanager
def _authors_modules_by_value() -> Iterator[None]:
    with _registering:
        already = cloudpickle.list_registry_pickle_by_value()
        ours = [m for n, m in list(sys.modules.items()) if n not in already and _is_of_the_authors(n, m)]
        for module in ours:
            cloudpickle.register_pickle_by_value(module)
        try:
            yield
        finally:
            for module in ours:
                cloudpickle.unregister_pickle_by_value(module)


def _is_of_the_authors(name: str, module: Any) -> bool:
    """Whether a module is the authors' own: neither installed nor part of Python or of the workbench."""
    if not isinstance(module, ModuleType) or module.__name__ != name:
        return False
    top = name.partition(".")[0]
    if top in ("workbench", "__main__") or top in sys.stdlib_module_names:  # cloudpickle sends __main__ itself
        return False
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
    files = [Path(place) for place in places if isinstance(place, str)]
    if any(not {"site-packages", "dist-packages"}.isdisjoint(file.parts) for file in files):
        return False
    return not files or any(file.suffix in (".py", "") for file in files)  # compiled modules cannot be sent
