"""Write and read ITF expressions: the Informal Trace Format's notation for the values of cells.

An expression is read exactly, or refused with its place in the file; nothing is guessed.
"""

import json
import re
from typing import Any

from workbench.kernel import InputError, Machine, Map, machine_of
from workbench.kernel.meaning.errors import brief, listed
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.values import (
    DEEPEST,
    Name,
    clash,
    fields_of,
    is_member,
    make_record,
    record_items,
    sort_key,
)
from workbench.storage.digest import enumerations_of, records_of
from workbench.tlaplus.values.values import function_of, text

_INTEGER = re.compile("0|-?[1-9][0-9]*")
_MOST_DIGITS = 4000  # as in JSON numbers; Python's own limit is slightly higher
_NOTHING = {"tag": "None", "value": {"#tup": []}}  # the format has no null; this is Quint's absent value
_ALSO_NOTHING = {**_NOTHING, "value": {}}


def encode_itf(value: Any) -> Any:
    """A cell's value as an ITF expression.

    Examples:
        >>> encode_itf((1, frozenset({"b", "a"})))
        {'#tup': [{'#bigint': '1'}, {'#set': ['a', 'b']}]}
    """
    if value is None:
        return _NOTHING
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value) >= 10**_MOST_DIGITS:
            raise InputError(f"{brief(value)} has more than the {_MOST_DIGITS:,} digits that are written to ITF")
        return {"#bigint": str(value)}
    if is_member(value):
        return {"tag": f"{type(value).__qualname__}.{value.name}", "value": _NOTHING["value"]}
    if fields := record_items(value):
        record = {name: encode_itf(part) for name, part in fields}
        is_plain = isinstance(value, tuple) and set(record) != set(_NOTHING)
        return record if is_plain else {"tag": type(value).__qualname__, "value": record}
    if isinstance(value, tuple):
        return {"#tup": [encode_itf(v) for v in value]}
    if isinstance(value, frozenset):
        return {"#set": [encode_itf(v) for v in sorted(value, key=sort_key)]}
    return {"#map": [[encode_itf(k), encode_itf(value[k])] for k in sorted(value, key=sort_key)]}


def decode_itf(expression: Any, model: Machine) -> Any:
    """The value of an ITF expression.

    A record becomes the model's NamedTuple with these fields, whatever their order in the file.

    Raises:
        InputError: If it is not an ITF expression, or a record that the model does not have.
    """
    return decoder_of(model).decode(expression, "the value")


def decoder_of(model: AnyModel) -> "ItfDecoder":
    """The decoder that reads expressions as values of this model."""
    return (_ModuleDecoder if machine_of(model).language == "TLA+" else ItfDecoder)(model)


def member(where: str, key: str | int) -> str:
    """The path of an object's member, or a list's item, below `where`."""
    if isinstance(key, int):
        return f"{where}[{key}]"
    return f"{where}.{key}" if re.fullmatch(r"#?\w{1,80}", key) else f"{where}[{brief(key)}]"


def brief_json(document: Any) -> str:
    """A part of a document for an error message, cut if long."""
    text = json.dumps(document, default=repr)
    return text if len(text) <= 60 else text[:57] + "..."


class ItfDecoder:
    """Reads expressions as values of a model."""

    def __init__(self, model: AnyModel) -> None:
        model = machine_of(model)
        self._machine = model
        records: list[Any] = records_of(type(model.author))
        self._records = [record for record in records if issubclass(record, tuple)]
        self._variants = _variants(model, records)

    def decode(self, expression: Any, where: str, depth: int = 0) -> Any:
        """The value of the expression at `where` in the document.

        Raises:
            InputError: If it has none.
        """
        if depth > DEEPEST:
            raise InputError(f"{where.partition('#')[0].rstrip('.[')} is nested more than {DEEPEST} deep")
        if isinstance(expression, str):
            return self._text(expression)
        if expression is None or isinstance(expression, bool) or type(expression) is int:
            return expression
        if isinstance(expression, list):
            return tuple(self._items(expression, where, depth))
        if not isinstance(expression, dict):
            raise _refused(expression, where)
        if expression in (_NOTHING, _ALSO_NOTHING):
            return None
        if expression.keys() == _NOTHING.keys() and isinstance(tag := expression["tag"], str) and tag in self._variants:
            return self._variant(expression["value"], self._variants[tag], where, depth)
        if any(key.startswith("#") for key in expression):
            return self._special(expression, where, depth)
        return self._record(expression, where, depth)

    def _text(self, word: str) -> Any:
        return word

    def _variant(self, value: Any, stands_for: Any, where: str, depth: int) -> Any:
        """A member of an enumeration, or a record or object with the fields of `value`."""
        inside = member(where, "value")
        if not isinstance(stands_for, type):
            if value in (_NOTHING["value"], _ALSO_NOTHING["value"]):
                return stands_for
            raise InputError(f"{inside} is {brief_json(value)}; a member of an enumeration has nothing there")
        names = fields_of(stands_for)
        if not isinstance(value, dict) or set(value) != set(names):
            raise InputError(f"{inside} is {brief_json(value)}; it takes a record of {listed(names)}")
        parts = tuple(self.decode(value[name], member(inside, name), depth + 1) for name in names)
        return make_record(stands_for, parts)

    def _items(self, items: list[Any], where: str, depth: int) -> list[Any]:
        return [self.decode(item, member(where, i), depth + 1) for i, item in enumerate(items)]

    def _special(self, expression: dict[str, Any], where: str, depth: int) -> Any:
        kind, body = next(iter(expression.items()))
        inside = member(where, kind)
        if len(expression) == 1 and kind == "#bigint" and isinstance(body, str) and _INTEGER.fullmatch(body):
            if len(body) <= _MOST_DIGITS:
                return int(body)
            raise InputError(f"{where} has {len(body):,} digits; at most {_MOST_DIGITS:,} are accepted")
        if len(expression) == 1 and isinstance(body, list):
            if kind == "#tup":
                return tuple(self._items(body, inside, depth))
            if kind == "#set":
                return self._set(body, inside, depth)
            if kind == "#map":
                return self._map(body, inside, depth)
        raise _refused(expression, where)

    def _set(self, items: list[Any], where: str, depth: int) -> frozenset[Any]:
        members = self._items(items, where, depth)
        if remark := clash(members):
            raise InputError(f"{where} is {brief_json(items)}, which no set can hold{remark}")
        return frozenset(members)

    def _map(self, pairs: list[Any], where: str, depth: int) -> Map:
        items: dict[Any, Any] = {}
        for i, pair in enumerate(pairs):
            at = member(where, i)
            if not isinstance(pair, list) or len(pair) != 2:
                raise InputError(f"{at} is {brief_json(pair)}, which is not a pair of a key and a value")
            key, value = self._items(pair, at, depth)
            if key in items:
                raise InputError(f"{member(at, 0)} is {brief_json(pair[0])}, a key that the map already has")
            items[key] = value
        return Map(items)

    def _record(self, expression: dict[str, Any], where: str, depth: int) -> Any:
        """The model's record with these fields, in its declared order."""
        fields = {name: self.decode(value, member(where, name), depth + 1) for name, value in expression.items()}
        matching = [record for record in self._records if set(record._fields) == set(fields)]
        if not matching:
            names = listed(f"{record.__name__}({', '.join(record._fields)})" for record in self._records)
            raise InputError(
                f"{where} is {brief_json(expression)}, a record with fields that none of {self._machine.name} has; "
                f"it has {names}"
            )
        as_written = [record for record in matching if record._fields == tuple(fields)]
        matching = as_written or matching
        if len(matching) > 1:
            names = listed(record.__name__ for record in matching)
            raise InputError(
                f"{where} is {brief_json(expression)}, and {self._machine.name} has {names} with these fields; "
                f'write {{"tag": "{matching[0].__qualname__}", "value": ...}}'
            )
        return matching[0](**fields)


class _ModuleDecoder(ItfDecoder):
    """Reads expressions as values of a TLA+ module.

    A string is a model value that the constants have, or else a text, with or without the quotes that
    :func:`encode_itf` leaves it.
    """

    def _text(self, word: str) -> Any:
        if len(word) > 1 and word[0] == word[-1] == '"':
            return word
        value = self._machine.mark(word)
        return value if isinstance(value, Name) else text(word)

    def _map(self, pairs: list[Any], where: str, depth: int) -> Any:
        return function_of(dict(super()._map(pairs, where, depth)))

    def _record(self, expression: dict[str, Any], where: str, depth: int) -> Any:
        return function_of(
            {text(name): self.decode(value, member(where, name), depth + 1) for name, value in expression.items()}
        )


def _variants(model: Machine, records: list[Any]) -> dict[Any, Any]:
    """The meanings of tags: ``Phase.READ``, just ``READ`` if that is unambiguous, and ``Claim``."""
    whole: list[tuple[str, Any]] = [(kind.__qualname__, kind) for kind in records]
    short: list[tuple[str, Any]] = []
    for kind in enumerations_of(type(model.author)):
        if not issubclass(kind, (int, str)):  # those are written as the number or text they equal
            whole += [(f"{kind.__qualname__}.{name}", value) for name, value in kind.__members__.items()]
            short += kind.__members__.items()
    return {
        tag: meaning
        for pairs in (short, whole)
        for tag, meaning in pairs
        if sum(tag == other for other, _ in pairs) == 1
    }


def _refused(expression: Any, where: str) -> InputError:
    return InputError(f"{where} is {brief_json(expression)}, which is not an ITF expression")
