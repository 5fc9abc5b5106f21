"""How a model gets to Spark's workers: by value, with its authors' code, which a worker may not be able to import.

A model may stand in a notebook's cell, in a file, or in a module beside others that it imports. All of these are sent
in one way; only what is installed as a package is imported by the workers.
"""

import io
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import cloudpickle

from workbench.kernel import InputError

#: What Python's import adds to a module: it belongs to one process, and not all of it can be pickled.
_OF_THE_IMPORT = frozenset({"__builtins__", "__cached__", "__loader__", "__spec__"})

_registering = threading.Lock()  # which modules go by value is noted in one place for the whole process


class NotReceived(Exception):
    """A worker could not make out what was sent."""


def ship(thing: Any, name: str) -> bytes:
    """What :func:`receive` makes `thing` of again, in any process that has the installed packages that it uses.

    Args:
        name: Of the model in `thing`, for messages.

    Raises:
        InputError: If the model's code refers to something that cannot be sent, such as an open file.
    """
    with _authors_modules_by_value():
        sent = io.BytesIO()
        try:
            _Pickler(sent).dump(thing)
        except Exception as error:  # whatever the objects that a model's code refers to raise
            said = (str(error) or "no reason given").splitlines()[0]
            raise InputError(
                f"{name} cannot be sent to Spark's workers: {type(error).__name__}: {said}; "
                "its code and the modules that it imports may only refer to what can be pickled"
            ) from error
    return sent.getvalue()


def receive(sent: bytes) -> Any:
    """What was given to :func:`ship`.

    Raises:
        NotReceived: If a package that it uses is not installed here.
    """
    try:
        return pickle.loads(sent)
    except Exception as error:
        raise NotReceived(f"{type(error).__name__}: {error}".splitlines()[0]) from error


def pack(message: Any) -> bytes:
    """A message between the driver and its workers, of types of the workbench, which both have."""
    return pickle.dumps(message, protocol=5)


def unpack(payload: Any) -> Any:
    """What was given to :func:`pack`. Only what Spark has just carried may come here: this runs what it is told to."""
    return pickle.loads(payload)


def with_its_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which also runs where this package is missing: its module travels too, by value."""
    with _registering:
        module = sys.modules[function.__module__]
        cloudpickle.register_pickle_by_value(module)
        try:
            sent = cloudpickle.dumps(function)
        finally:
            cloudpickle.unregister_pickle_by_value(module)

    def run(*arguments: Any) -> Any:
        import pickle

        return pickle.loads(sent)(*arguments)

    return run


class _Pickler(cloudpickle.Pickler):
    """Sends modules by value as they are, also where they import each other."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, ModuleType) and obj.__name__ in cloudpickle.list_registry_pickle_by_value():
            return ModuleType, (obj.__name__,), {n: v for n, v in vars(obj).items() if n not in _OF_THE_IMPORT}
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
    """Whether a module is neither installed nor part of Python or of the workbench."""
    if not isinstance(module, ModuleType) or module.__name__ != name:
        return False
    top = name.partition(".")[0]
    if top in ("workbench", "__main__") or top in sys.stdlib_module_names:  # cloudpickle sends __main__ by itself
        return False
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
    files = [Path(place) for place in places if isinstance(place, str)]
    if any(not {"site-packages", "dist-packages"}.isdisjoint(file.parts) for file in files):
        return False
    return not files or any(file.suffix in (".py", "") for file in files)  # compiled modules cannot be sent
