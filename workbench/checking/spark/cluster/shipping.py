"""Messages between the driver and its workers, and code for workers that may lack the package."""

import pickle
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from pyspark import cloudpickle

_registering = threading.Lock()  # cloudpickle has one registry of modules by value for the whole process


def pack(message: Any) -> bytes:
    """Serialize a message between the driver and its workers, which have its types."""
    return pickle.dumps(message, protocol=5)


def pack_apart(message: Any) -> tuple[bytes, list[memoryview]]:
    """The same as :func:`pack`, but with the bytes of the message's arrays apart."""
    arrays: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(message, protocol=5, buffer_callback=arrays.append)
    return packed, [array.raw() for array in arrays]


def unpack(payload: Any, arrays: Iterable[memoryview] = ()) -> Any:
    """Undo :func:`pack`, or :func:`pack_apart`. Only for payloads that Spark has just carried: unpickling runs code."""
    return pickle.loads(payload, buffers=arrays)


def with_its_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with its module by value, so that it runs where this package is missing."""
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
