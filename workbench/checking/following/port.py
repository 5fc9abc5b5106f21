"""Ports, which translate a model of ours into the terms of a module published in another language.

A port is a small Python object beside the model. It gives the module's constants for those of the model, and for each
state of the model the values of the module's variables, as ``workbench/tlaplus/values/values.py`` represents them. If
the module keeps what the model does not, both are mapped to an abstraction instead.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Any

from workbench.checking.following.equivalence import same
from workbench.checking.following.sameness import Sameness
from workbench.kernel import InputError, Machine, machine_of
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.domains import Names
from workbench.kernel.meaning.errors import listed, unknown
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.translation import STALE
from workbench.kernel.meaning.values import Map, Name
from workbench.registry import get_model, in_file, load_file, protocol_of
from workbench.tlaplus.values.values import function_of, text

__all__ = ["Port", "follow_text", "function", "get_port", "name", "record", "string"]


@dataclass(frozen=True)
class Port:
    """A translation of a model into the terms of a module.

    Attributes:
        constants: A function from the model with its constants to those of the module, by name.
        state: From the model and one of its states to the values of the module's variables, by name, or to those of an
            abstraction.
        model: The model's name; models that extend it are mapped too. None for any model with what the functions read.
        abstraction: From a state of the module to the values of the abstraction, by name; None if there is none.
    """

    constants: Callable[[Any], Mapping[str, Any]]
    state: Callable[[Any, Any], Mapping[str, Any]]
    model: str | None = None
    abstraction: Callable[[Any], Mapping[str, Any]] | None = None


def get_port(model: ModelClass, module: str, name: str | None = None) -> Port:
    """The port that maps `model` to `module`: that of the model's protocol, or the one in ``path/to/file.py:NAME``.

    Raises:
        InputError: If there is none.
    """
    if name is None:
        protocol = protocol_of(model)
        places = {} if protocol is None else protocol.texts
        if protocol is None or module not in places:
            hint = f" (there are mappings to {listed(places)})" if places else ""
            raise InputError(f"nothing maps {model.declared.name} to {module}{hint}; --map file.py:NAME gives a Port")
        port = protocol.part(places[module])
    else:
        port = _in_file(name)
    if port.model is not None and not issubclass(model, get_model(port.model)):
        raise InputError(f"the mapping to {module} is one of {port.model}, not of {model.declared.name}")
    return port


def _in_file(name: str) -> Port:
    if (place := in_file(name)) is None:
        raise InputError(f"--map {name} is not accepted with a module; it takes path/to/file.py:NAME")
    path, attribute = place
    ports = {name: value for name, value in load_file(path, "mapping").items() if isinstance(value, Port)}
    if not attribute and len(ports) == 1:
        return next(iter(ports.values()))
    if attribute not in ports:
        raise unknown(f"Port in {path}", attribute, ports)
    return ports[attribute]


def follow_text(
    model: Machine, module: ModelClass, port: Port, *, budget: Budget = Budget(), watch: Watch = Watch()
) -> Sameness:
    """Compare a model with a module that has the same constants, whatever its configuration gives them.

    Args:
        budget, watch: As for :func:`workbench.checking.following.equivalence.same`.

    Raises:
        InputError: If the module does not take the constants, or the mapping does not fit.
    """
    constants = dict(port.constants(model.author))
    for constant, value in constants.items():
        declared = module.declared.constants.get(constant)
        if declared is not None and isinstance(declared.domain, Names):
            constants[constant] = tuple(sorted(value))  # a set of model values is spelled so
    text = machine_of(module(**constants))
    state_of = partial(port.state, model.author)
    sameness = same(model, text, state_of, port.abstraction, budget=budget, watch=watch)
    files = {PurePath(file).stem: file for file in text.sources}
    left = [unset for unset in text.declared.constants if unset not in constants and text.constants[unset] != unset]
    remarks = [f"{listed(left)} of {text.name} have the values of its configuration"] if left else []
    translated = {family.translation: family for family in (model.declared, text.declared)}
    judged = translated.get(STALE, text.declared)
    return replace(
        sameness,
        other=replace(sameness.other, name=files[text.name]),
        remarks=[*sameness.remarks, *remarks, *judged.translation_notes],
        translation=judged.translation,
    )


# What a mapping writes -----------------------------------------------------------------------------------------------

string = text
name = Name
function = function_of


def record(**fields: Any) -> Map:
    """A record of TLA+.

    Examples:
        >>> record(a=1)['"a"']
        1
    """
    return Map({text(name): value for name, value in fields.items()})
