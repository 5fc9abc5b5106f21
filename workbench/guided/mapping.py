"""Mappings: what a system's events say about a model.

A mapping is a small Python object with a name and a method. The method is given the events of a log, in their order,
and says of which model they are, with which constants (the nodes, the writers, the tickets that occur in them), and how
to make a recording of them for the model that is made with these, or with others.
"""

import importlib
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Constants
from typing import Any, NamedTuple, Protocol, runtime_checkable

from workbench.formats.recording import Recording
from workbench.guided.events import Event
from workbench.kernel import InputError, Model
from workbench.kernel.errors import brief, unknown
from workbench.models import in_file, load_file

#: Where the mappings are that come with the workbench; each is imported when it is asked for.
MAPPINGS = {"coldfront": "workbench.guided.coldfront:ColdFront"}


class Mapped(NamedTuple):
    """What a mapping has read.

    Attributes:
        model: The name of the model that the events are of, as :func:`workbench.get_model` takes it.
        constants: Constants for it; the others have their defaults.
        record: Makes the recording for a model with these constants, or some of them changed.
        changes: Constants, each with a value with which the recording may be accepted where it is not with these,
            beside those that are tried anyway.
    """

    model: str
    constants: Constants[str, Any]
    record: Callable[[Model], Recording]
    changes: Sequence[tuple[str, Any]] = ()


@runtime_checkable
class Mapping(Protocol):
    """What turns events into a recording."""

    name: str

    def read(self, events: Sequence[Event]) -> Mapped:
        """What `events` say.

        Raises:
            InputError: With the line, for an event that it does not understand.
        """


def get_mapping(name: str) -> Mapping:
    """The mapping called `name`, or one in a file given as ``path/to/file.py:NAME``: an object, or a class of such.

    What follows the name of one that comes with the workbench, as in ``coldfront:ice.default.orders``, is its argument.

    Raises:
        InputError: If there is no such mapping.
    """
    known, _, argument = name.partition(":")
    if known in MAPPINGS:
        module, _, attribute = MAPPINGS[known].partition(":")
        mapping = getattr(importlib.import_module(module), attribute)
        return _made(mapping(argument) if argument else mapping, name)
    if (place := in_file(name)) is None:
        raise unknown("mapping", name, [*MAPPINGS, "path/to/file.py:NAME"])
    path, attribute = place
    defined = load_file(path, "mapping")
    mappings = {n: v for n, v in defined.items() if callable(getattr(v, "read", None)) and hasattr(v, "name")}
    if attribute not in mappings:
        raise unknown(f"mapping in {path}", attribute, mappings)
    return _made(mappings[attribute], name)


def _made(given: Any, name: str) -> Mapping:
    mapping = given() if isinstance(given, type) else given
    if not isinstance(mapping, Mapping):
        raise InputError(
            f"mapping {name!r} is {brief(given)}; it takes an object with a name and a method read(events)"
        )
    return mapping
