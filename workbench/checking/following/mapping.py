"""Mappings, which translate a system's events into a recording of a model.

A mapping is a small Python object with a name and a method. The method takes a log's events, in order, and returns the
model's name, constants (the nodes, writers and tickets that occur in the events), and a function that makes the
recording for the model with these constants, or with others.
"""

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Constants
from typing import Any, NamedTuple, Protocol, runtime_checkable

from workbench.checking.following.events import Event
from workbench.formats.recording import Recording
from workbench.kernel import InputError, Machine, machine_of
from workbench.kernel.meaning.errors import brief, unknown
from workbench.kernel.meaning.machine import AnyModel
from workbench.registry import in_file, load_file, protocols


class Mapped(NamedTuple):
    """The result of reading events.

    Attributes:
        model: The model's name, for :func:`workbench.get_model`.
        constants: Constants for it; the others keep their defaults.
        recorder: Makes the recording for a machine with these constants, or with some of them changed.
        changes: Further constants and values worth trying if the recording is refused.
    """

    model: str
    constants: Constants[str, Any]
    recorder: Callable[[Machine], Recording]
    changes: Sequence[tuple[str, Any]] = ()

    def record(self, model: AnyModel) -> Recording:
        """The recording for a model with these constants, or with some of them changed."""
        return self.recorder(machine_of(model))


@runtime_checkable
class Mapping(Protocol):
    """Turns events into a recording."""

    name: str

    def read(self, events: Sequence[Event]) -> Mapped:
        """Map `events` to a model.

        Raises:
            InputError: With the line, for an event that it does not understand.
        """


def get_mapping(name: str) -> Mapping:
    """The mapping called `name`, or that in a file: an object or a class, given as ``path/to/file.py:NAME``.

    One of a protocol's may take an argument after its name, as in ``coldfront:ice.default.orders``.

    Raises:
        InputError: If there is no such mapping.
    """
    prefix, _, argument = name.partition(":")
    places = {log: (protocol, place) for protocol in protocols().values() for log, place in protocol.logs.items()}
    if prefix in places:
        protocol, place = places[prefix]
        mapping = protocol.part(place)
        return _instance(mapping(argument) if argument else mapping, name)
    if (file := in_file(name)) is None:
        raise unknown("mapping", name, [*places, "path/to/file.py:NAME"])
    path, attribute = file
    defined = load_file(path, "mapping")
    mappings = {n: v for n, v in defined.items() if callable(getattr(v, "read", None)) and hasattr(v, "name")}
    if attribute not in mappings:
        raise unknown(f"mapping in {path}", attribute, mappings)
    return _instance(mappings[attribute], name)


def _instance(candidate: Any, name: str) -> Mapping:
    mapping = candidate() if isinstance(candidate, type) else candidate
    if not isinstance(mapping, Mapping):
        raise InputError(
            f"mapping {name!r} is {brief(candidate)}; it takes an object with a name and a method read(events)"
        )
    return mapping
