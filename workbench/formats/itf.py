"""The Informal Trace Format of Apalache and Quint: traces as JSON, written and read.

Format: https://apalache-mc.org/docs/adr/015adr-trace.html. What it leaves open is decided in ``docs/formats.md``.
"""

import json
import re
import sys
from types import ModuleType
from typing import Any

from workbench.formats.tla import variables_of
from workbench.formats.validation import Observation, Recording
from workbench.kernel import InputError, Map, Model, Trace
from workbench.kernel.errors import brief, unknown
from workbench.kernel.values import show, sort_key

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"
_INTEGER = re.compile(r"-?[0-9]+")
_NOTHING = {"tag": "None", "value": {"#tup": []}}  # the format has no null; Quint writes an absent value so


def encode(value: Any) -> Any:
    """A value of a cell as an ITF expression.

    Examples
    --------
    >>> encode((1, frozenset({"b", "a"})))
    {'#tup': [{'#bigint': '1'}, {'#set': ['a', 'b']}]}
    """
    if value is None:
        return _NOTHING
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", ())
        if fields and set(fields) != set(_NOTHING):
            return {f: encode(v) for f, v in zip(fields, value, strict=True)}
        return {"#tup": [encode(v) for v in value]}
    if isinstance(value, frozenset):
        return {"#set": [encode(v) for v in sorted(value, key=sort_key)]}
    return {"#map": [[encode(k), encode(value[k])] for k in sorted(value, key=sort_key)]}


def to_itf(trace: Trace) -> dict[str, Any]:
    """The ITF document of a trace.

    Every state's ``#meta`` has its index and its step's label as ``action``; the document's has the model's name and
    constants, so that the trace can be read back without being told them.
    """
    model = trace.model
    states = [
        {
            "#meta": {"index": i, "action": step.label},
            **{name: encode(value) for name, value in variables_of(step.state).items()},
        }
        for i, step in enumerate(trace.steps)
    ]
    meta = {
        "format": "ITF",
        "format-description": FORMAT,
        "source": model.name,
        "constants": json.loads(json.dumps(model.constants)),
    }
    document = {"#meta": meta, "vars": list(model.layout.positions), "states": states}
    return document if trace.loop is None else {**document, "loop": trace.loop}


def parse_itf(text: str) -> dict[str, Any]:
    """The ITF document that `text` holds.

    Raises
    ------
    InputError
        If it is not JSON, or not an object with ``vars`` and ``states``.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise InputError(f"the trace is not JSON: {error}; it takes an ITF document") from None
    if not isinstance(document, dict):
        raise InputError(f"the trace is a JSON {type(document).__name__}; an ITF document is an object")
    for key, kind in (("vars", str), ("states", dict)):
        given = document.get(key)
        if not isinstance(given, list) or not given or not all(isinstance(item, kind) for item in given):
            items = "variable names" if kind is str else "states, each an object"
            raise InputError(f"{key!r} of an ITF document takes a list of {items}, not {_brief(given)}")
    return document


def constants_from_itf(document: dict[str, Any]) -> dict[str, Any]:
    """The constants that :func:`to_itf` noted; empty for a document from elsewhere."""
    constants = _meta(document).get("constants", {})
    return dict(constants) if isinstance(constants, dict) else {}


def read_itf(model: Model, document: dict[str, Any]) -> Recording:
    """What an ITF document says about the cells of `model`, state by state.

    Variables, and indices of a variable, that the document leaves out are not observed.

    Raises
    ------
    InputError
        For a variable or index that the model does not have, or what is not ITF.
    """
    variables = list(dict.fromkeys(document["vars"]))
    positions = model.layout.positions
    for name in variables:
        if name not in positions:
            raise unknown(f"variable of {model.name}", name, positions)
    params = document.get("params") or []
    records = _record_classes(model)
    states = []
    for number, state in enumerate(document["states"], start=1):
        for name in state:
            if name != "#meta" and name not in variables and name not in params:
                raise InputError(f"state {number} has {name!r}, which 'vars' does not list: {', '.join(variables)}")
        cells: dict[int, Any] = {}
        for name in variables:
            if name not in state:
                raise InputError(f"state {number} lacks {name!r}, which 'vars' lists")
            where = f"state {number}: {name}"
            cell = positions[name]
            if isinstance(cell, int):
                cells[cell] = _decode(state[name], records, where)
            else:
                cells |= _indexed(state[name], cell, records, where)
        action = _meta(state).get("action")
        states.append(Observation(cells, action if isinstance(action, str) else None))
    loop = document.get("loop")
    if loop is not None and (type(loop) is not int or not 0 <= loop < len(states)):
        raise InputError(f"loop = {brief(loop)} is not accepted; it takes the index of a state, 0 to {len(states) - 1}")
    return Recording(states, loop)


def decode(expression: Any, model: Model) -> Any:
    """The value that an ITF expression stands for.

    A record becomes the model's NamedTuple with those fields, whatever their order in the file; one that the model
    does not know becomes the tuple of its fields as they are written.
    """
    return _decode(expression, _record_classes(model), "value")


def _decode(expression: Any, records: list[Any], where: str) -> Any:
    if expression is None or isinstance(expression, (bool, str)) or type(expression) is int:
        return expression
    if isinstance(expression, list):
        return tuple(_decode(item, records, where) for item in expression)
    if isinstance(expression, dict):
        if len(expression) == 1 and next(iter(expression)).startswith("#"):
            return _decode_special(*next(iter(expression.items())), records, where)
        if expression in (_NOTHING, {**_NOTHING, "value": {}}):
            return None
        return _record({f: _decode(v, records, where) for f, v in expression.items()}, records)
    raise InputError(f"{where} has {_brief(expression)}, which is not an ITF expression")


def _decode_special(kind: str, body: Any, records: list[Any], where: str) -> Any:
    try:
        if kind == "#bigint":
            if not isinstance(body, str) or not _INTEGER.fullmatch(body):
                raise ValueError
            return int(body)
        if not isinstance(body, list):
            raise ValueError
        if kind == "#map":
            return Map((_decode(k, records, where), _decode(v, records, where)) for k, v in body)
        items = [_decode(item, records, where) for item in body]
        return {"#tup": tuple, "#set": frozenset}[kind](items)
    except (ValueError, TypeError, KeyError):
        raise InputError(f"{where} has {_brief({kind: body})}, which is not an ITF expression") from None


def _record(fields: dict[str, Any], records: list[Any]) -> tuple[Any, ...]:
    """The fields in the order in which the model declares them, since values compare as tuples."""
    known = [r for r in records if set(r._fields) == set(fields)]
    if not known:
        return tuple(fields.values())
    return min(known, key=lambda r: r._fields != tuple(fields))(**fields)  # rather one with the order as written


def _record_classes(model: Model) -> list[Any]:
    """The NamedTuple classes of the model's modules and of those that they import something from."""
    own = [sys.modules[c.__module__] for c in type(model).__mro__ if c.__module__ in sys.modules]
    near = list(own)
    for module in own:
        for value in vars(module).values():
            name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(name, str) and name in sys.modules:
                near.append(sys.modules[name])
    classes = [v for module in dict.fromkeys(near) for v in vars(module).values() if isinstance(v, type)]
    return [c for c in dict.fromkeys(classes) if issubclass(c, tuple) and hasattr(c, "_fields")]


def _indexed(expression: Any, cells: dict[Any, int], records: list[Any], where: str) -> dict[int, Any]:
    """The cells of an indexed variable: from a map, or from a record whose field names are the indices."""
    if isinstance(expression, dict) and not any(key.startswith("#") for key in expression):
        pairs = {key: _decode(item, records, where) for key, item in expression.items()}
    else:
        pairs = _decode(expression, records, where)
        if not isinstance(pairs, Map):
            raise InputError(f"{where} has one value per index; it takes a #map, not {_brief(expression)}")
    for index in pairs:
        if index not in cells:
            raise InputError(f"{where} has no index {show(index)}; it has {', '.join(map(show, cells))}")
    return {cells[index]: item for index, item in pairs.items()}


def _meta(of: dict[str, Any]) -> dict[str, Any]:
    meta = of.get("#meta")
    return meta if isinstance(meta, dict) else {}


def _brief(expression: Any) -> str:
    text = json.dumps(expression, default=repr)
    return text if len(text) <= 60 else text[:57] + "..."
