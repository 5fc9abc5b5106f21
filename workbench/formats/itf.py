"""Write and read the Informal Trace Format of Apalache and Quint: traces as JSON.

Format: https://apalache-mc.org/docs/adr/015adr-trace.html. ``docs/formats.md`` settles what that leaves open.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any

from workbench.formats.itf_expressions import ItfDecoder, brief_json, decode_itf, decoder_of, encode_itf, member
from workbench.formats.recording import Observation, Recording
from workbench.formats.tla import variables_of
from workbench.kernel import InputError, Map, Trace, machine_of
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import brief, listed, unknown
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.values import show
from workbench.storage.strict_json import read_json

__all__ = ["constants_from_itf", "decode_itf", "encode_itf", "parse_itf", "read_itf", "to_itf"]

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"
_KEYS = ("#meta", "params", "vars", "states", "loop")


def to_itf(trace: Trace) -> dict[str, Any]:
    """The ITF document of a trace.

    Every state's ``#meta`` has its index and its step's label as ``action``; the document's has the model's name and
    constants, so that the file alone suffices to read the trace back.
    """
    model = trace.model
    states = [
        {
            "#meta": {"index": i, "action": step.label},
            **{name: encode_itf(value) for name, value in variables_of(step.state).items()},
        }
        for i, step in enumerate(trace.steps)
    ]
    meta = {
        "format": "ITF",
        "format-description": FORMAT,
        "source": model.name,
        "constants": json.loads(json.dumps(model.spelled())),
    }
    document = {"#meta": meta, "vars": model.layout.variables, "states": states}
    return document if trace.loop is None else {**document, "loop": trace.loop}


def parse_itf(text: str) -> dict[str, Any]:
    """Parse an ITF document.

    Raises:
        InputError: With the place in the document, if it is not JSON, or not an object with ``vars``, ``states`` and
            the format's other keys.
    """
    document = read_json(text, "the trace")
    if not isinstance(document, dict):
        raise InputError(f"the trace is a JSON {type(document).__name__}; an ITF document is an object")
    for key in document:
        if key not in _KEYS:
            raise unknown("key of an ITF document", key, _KEYS)
    _check_list(document, "vars", str, "variable names")
    _check_list(document, "states", dict, "states, each an object")
    if "params" in document:
        _check_list(document, "params", str, "names", least=0)
    _meta(document, "")
    return document


def _check_list(document: dict[str, Any], key: str, kind: type, noun: str, least: int = 1) -> None:
    members = document.get(key)
    if not isinstance(members, list) or len(members) < least or not all(isinstance(item, kind) for item in members):
        raise InputError(f"{key!r} of an ITF document takes a list of {noun}, not {brief_json(members)}")
    if kind is str and len(set(members)) < len(members):
        twice = next(name for name in members if members.count(name) > 1)
        raise InputError(f"{key!r} of an ITF document lists {brief(twice)} twice")


def constants_from_itf(document: dict[str, Any]) -> dict[str, Any]:
    """The constants that :func:`to_itf` noted; empty for a document from elsewhere.

    Raises:
        InputError: If they are not an object.
    """
    constants = _meta(document, "").get("constants", {})
    if not isinstance(constants, dict):
        raise InputError(f"#meta.constants is {brief_json(constants)}; it takes an object")
    return dict(constants)


def read_itf(model: AnyModel, document: dict[str, Any]) -> Recording:
    """An ITF document as a recording of `model`. Variables and indices missing from the document are not observed.

    Raises:
        InputError: With the place in the document, for a variable, index or record that the model does not have, or for
            an expression that is not ITF.
    """
    model = machine_of(model)
    variables: list[str] = document["vars"]
    positions = model.layout.positions
    for name in variables:
        if name not in positions:
            raise unknown(f"variable of {model.name}", name, positions)
    names = {"#meta", *variables, *document.get("params", ())}
    decoder = decoder_of(model)
    states = []
    for number, state in enumerate(document["states"]):
        here = member("states", number)
        for name in state:
            if name not in names:
                raise InputError(f"{here} has {brief(name)}, which 'vars' does not list: {listed(variables)}")
        cells: dict[Cell, Any] = {}
        for name in variables:
            if name not in state:
                raise InputError(f"{here} lacks {name!r}, which 'vars' lists")
            position, where = positions[name], member(here, name)
            if isinstance(position, int):
                cells[Cell(name, None)] = decoder.decode(state[name], where)
            else:
                values = _indexed(state[name], position, decoder, where)
                cells |= {Cell(name, index): value for index, value in values.items()}
        states.append(Observation(model.layout.seek(cells), _action(state, here)))
    loop = document.get("loop")
    if loop is not None and (type(loop) is not int or not 0 <= loop < len(states)):
        raise InputError(f"loop = {brief(loop)} is not accepted; it takes the index of a state, 0 to {len(states) - 1}")
    return Recording(states, loop)


def _indexed(expression: Any, indices: Collection[Any], decoder: ItfDecoder, where: str) -> Mapping[Any, Any]:
    """The values of an indexed variable, from a map, or from a record with the indices as field names."""
    if isinstance(expression, dict) and not any(key.startswith("#") for key in expression):
        values: Mapping[Any, Any] = {key: decoder.decode(item, member(where, key)) for key, item in expression.items()}
    else:
        values = decoder.decode(expression, where)
        if not isinstance(values, Map):
            raise InputError(f"{where} has one value per index; it takes a #map, not {brief_json(expression)}")
    for index in values:
        if index not in indices:
            raise InputError(f"{where} has no index {brief(show(index))}; it has {listed(map(show, indices))}")
    return values


def _action(state: dict[str, Any], where: str) -> str | None:
    action = _meta(state, f"{where}.").get("action")
    if action is not None and not isinstance(action, str):
        raise InputError(f"{where}.#meta.action is {brief_json(action)}; it takes a text")
    return action


def _meta(of: dict[str, Any], where: str) -> dict[str, Any]:
    meta = of.get("#meta", {})
    if not isinstance(meta, dict):
        raise InputError(f"{where}#meta is {brief_json(meta)}; it takes an object")
    return meta
