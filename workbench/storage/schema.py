"""JSON documents as dataclasses: exactly the declared fields, each of its declared type."""

import dataclasses
import types
import typing
from functools import cache
from typing import Any, TypeVar

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief

T = TypeVar("T")


def from_json(kind: type[T], document: Any, where: str) -> T:
    """Build a `kind` from a document that :func:`read_json` returned and ``dataclasses.asdict`` once wrote.

    Args:
        kind: A dataclass with fields of the types ``bool``, ``int``, ``float``, ``str``, ``Any`` (left as it is), other
            such dataclasses, and ``list[...]``, ``tuple[..., ...]``, ``dict[str, ...]`` or ``... | None`` of them.
        where: The prefix of places in errors.

    Raises:
        InputError: For a missing or undeclared field, and a value of the wrong type. ``true`` is not a number, and
            ``1.0`` is not an integer.
    """
    return typing.cast(T, _read(kind, document, where))


def _read(kind: Any, document: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return document
    if dataclasses.is_dataclass(kind):
        return _read_fields(kind, document, where)
    if origin in (types.UnionType, typing.Union):  # with None; no other one is used
        (other,) = (argument for argument in arguments if argument is not type(None))
        return None if document is None else _read(other, document, where)
    if origin in (list, tuple) and isinstance(document, list):
        return origin(_read(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(document))
    if origin is dict and isinstance(document, dict):
        return {key: _read(arguments[1], item, f"{where}.{key}") for key, item in document.items()}
    if kind is float and type(document) is int:
        return float(document)
    if type(document) is not kind:
        name = {list: "a list", tuple: "a list", dict: "an object"}.get(origin, f"a value of type {_name(kind)}")
        raise InputError(f"{where} is {brief(document)}; it takes {name}")
    return document


def _name(kind: Any) -> str:
    return str(getattr(kind, "__name__", kind))


@cache
def _fields(kind: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _read_fields(kind: Any, document: Any, where: str) -> Any:
    fields = _fields(kind)
    if not isinstance(document, dict):
        raise InputError(f"{where} is {brief(document)}; it takes an object")
    for name in fields:
        if name not in document:
            raise InputError(f"{where} lacks {name!r}")
    for name in document:
        if name not in fields:
            raise InputError(f"{where} has {brief(name)}, which is not known there; known: {', '.join(fields)}")
    return kind(**{name: _read(of, document[name], f"{where}.{name}") for name, of in fields.items()})
