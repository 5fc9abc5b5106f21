"""Values of states as JSON, without loss: a decoded value equals the encoded one, and is of the same type.

None, booleans, strings, and integers up to 2**53 are those of JSON; a list is a tuple. Everything else is an object
whose one key is its kind::

    {"int": "-0x20000000000001"}                an integer beyond that
    {"set": ["a", "b"]}                         a frozenset
    {"map": [["a", 1], ["b", 2]]}               a Map
    {"record": ["Pair", {"one": 1, "two": 2}]}  a NamedTuple or dataclass of the model, by its name and fields
    {"member": ["Phase", "READ"]}               a member of an enumeration of the model, by its name
    {"text": "w1"}                              a plain string that is spelt like a name of the model
    {"name": "None"}                            a name that no set of names holds

Decoding accepts nothing else. It creates only a model's records, without running their code; members of enumerations
are the model's own.
"""

from enum import Enum
from typing import Any

from workbench.kernel import InputError, Map, ModelError, Names, machine_of
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.values import DEEPEST, Name, fields_of, is_object, make_record, record_items, sort_key
from workbench.storage.digest import enumerations_of, records_of

_LARGEST = 2**53  # every reader of JSON reads integers up to here exactly


class Encoding:
    """The encoding of a model's values.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> encoding = Encoding(Bakery())
        >>> encoding.encode((1, frozenset({"b", "a"}), Map({2**60: None})))
        [1, {'set': ['a', 'b']}, {'map': [[{'int': '0x1000000000000000'}, None]]}]
        >>> encoding.decode({"set": ["a", "a"]}, "values[0]")
        Traceback (most recent call last):
            ...
        workbench.kernel.meaning.errors.InputError: values[0] is {'set': ['a', 'a']}, which holds a member twice
    """

    def __init__(self, model: AnyModel) -> None:
        model = machine_of(model)
        self._model = model.name
        self._records: dict[tuple[str, tuple[str, ...]], Any] = {}
        for record in records_of(type(model.author)):
            first = self._records.setdefault(_key(record), record)
            if first is not record:  # a file could not tell the two apart
                self._records[_key(record)] = None
        self._enumerations: dict[str, Any] = {}
        for kind in enumerations_of(type(model.author)):
            self._enumerations[kind.__qualname__] = None if kind.__qualname__ in self._enumerations else kind
        sets = [n for n, c in model.declared.constants.items() if isinstance(c.domain, Names)]
        self._names = {str(name): name for of in sets for name in model.constants[of]}

    @property
    def only_installed(self) -> bool:
        """Whether every process can import all classes of the model's values, as it can those of installed models."""
        kinds = [*self._records.values(), *self._enumerations.values()]
        return all(kind is not None and kind.__module__.startswith("workbench.") for kind in kinds)

    # Encoding ----------------------------------------------------------------------------------------------------

    def encode(self, value: Any) -> Any:
        """`value` as JSON.

        Raises:
            ModelError: If a state may not hold it, or it is a record that the model's code does not name.
        """
        try:
            return self._encode(value, 0)
        except RecursionError:
            raise self._too_deep() from None

    def _encode(self, value: Any, depth: int) -> Any:
        if depth > DEEPEST:
            raise self._too_deep()
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if abs(value) <= _LARGEST else {"int": hex(value)}
        if isinstance(value, Enum):
            return self._encode_member(value)
        if isinstance(value, str):
            return self._encode_text(value)
        if kind is tuple:
            return [self._encode(item, depth + 1) for item in value]
        if kind is frozenset:
            return {"set": [self._encode(item, depth + 1) for item in sorted(value, key=sort_key)]}
        if kind is Map:
            return {"map": [[self._encode(k, depth + 1), self._encode(v, depth + 1)] for k, v in value.items()]}
        if hasattr(kind, "_fields") or is_object(value):
            return {"record": [kind.__qualname__, self._encode_fields(value, depth)]}
        raise self._not_stored(value, f"a {kind.__name__} cannot be part of a state")

    def _encode_text(self, value: str) -> Any:
        if not _is_unicode(value):
            raise self._not_stored(value, "it is not Unicode text")
        if type(value) not in (str, Name):
            raise self._not_stored(value, f"a {type(value).__name__} cannot be part of a state")
        if type(value) is type(self._names.get(value, "")):
            return str(value)
        return {"text" if type(value) is str else "name": str(value)}

    def _encode_member(self, value: Enum) -> dict[str, Any]:
        name = type(value).__qualname__
        if self._enumerations.get(name) is not type(value):
            obstacle = "two enumerations of that name" if name in self._enumerations else "no such enumeration"
            raise self._not_stored(value, f"the model's code refers to {obstacle}; give it one in its module")
        return {"member": [name, value.name]}

    def _encode_fields(self, value: Any, depth: int) -> dict[str, Any]:
        kind = type(value)
        record = self._records.get(_key(kind), ())
        if record is not kind:
            obstacle = "two records of that name and these fields" if record is None else "no such record"
            raise self._not_stored(value, f"the model's code refers to {obstacle}; give it one in its module")
        return {name: self._encode(item, depth + 1) for name, item in record_items(value)}

    def _too_deep(self) -> ModelError:
        return ModelError(
            f"model {self._model}: a value with more than {DEEPEST} values in each other cannot be stored"
        )

    def _not_stored(self, value: Any, reason: str) -> ModelError:
        return ModelError(f"model {self._model}: {brief(value)} cannot be stored: {reason}")

    # Decoding ----------------------------------------------------------------------------------------------------

    def decode(self, document: Any, where: str) -> Any:
        """The value encoded as `document`, from :func:`~workbench.storage.strict_json.read_json`.

        Args:
            where: The document's place, for errors.

        Raises:
            InputError: If :meth:`encode` cannot have returned it.
        """
        return self._decode(document, where, 0)

    def _decode(self, document: Any, where: str, depth: int) -> Any:
        if depth > DEEPEST:
            raise InputError(f"{where[:60]}... is nested too deeply; {DEEPEST} values in each other are read")
        if document is None or isinstance(document, bool):
            return document
        if type(document) is int and abs(document) <= _LARGEST:
            return document
        if isinstance(document, str):
            return self._names.get(self._text(document, where), document)
        if isinstance(document, list):
            return self._items(document, where, depth)
        if isinstance(document, dict) and len(document) == 1:
            ((kind, body),) = document.items()
            if kind == "int" and isinstance(body, str):
                return self._large(body, where)
            if kind in ("text", "name") and isinstance(body, str):
                return self._otherwise(kind, body, where)
            if kind == "record" and isinstance(body, list):
                return self._record(body, where, depth)
            if kind == "member" and isinstance(body, list):
                return self._member(body, where)
            if kind == "set" and isinstance(body, list):
                return self._unique(frozenset(self._items(body, where, depth)), document, where)
            if kind == "map" and all(isinstance(pair, list) and len(pair) == 2 for pair in _listed(body)):
                pairs = (self._items(pair, f"{where}[{i}]", depth) for i, pair in enumerate(body))
                return self._unique(Map(dict(pairs)), document, where)
        raise InputError(f"{where} is {brief(document)}, which is not a value")

    def _items(self, document: list[Any], where: str, depth: int) -> tuple[Any, ...]:
        return tuple(self._decode(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(document))

    def _unique(self, value: Any, document: dict[str, list[Any]], where: str) -> Any:
        if len(value) < len(next(iter(document.values()))):
            raise InputError(f"{where} is {brief(document)}, which holds a member twice")
        return value

    def _text(self, text: str, where: str) -> str:
        if not _is_unicode(text):
            raise InputError(f"{where} is {brief(text)}, which is not Unicode text")
        return text

    def _otherwise(self, kind: str, text: str, where: str) -> str:
        """The value of an object for a string that reads like a name, or for a name that reads like a string."""
        if (kind == "text") != (self._text(text, where) in self._names):
            which = "no" if kind == "text" else "a"
            raise InputError(f"{where} is {brief({kind: text})}, which matches {which} name of {self._model}")
        return text if kind == "text" else Name(text)

    def _large(self, digits: str, where: str) -> int:
        try:
            number = int(digits, 16)
        except ValueError:
            number = 0
        if hex(number) != digits or abs(number) <= _LARGEST:
            raise InputError(f"{where} is {brief({'int': digits})}, which is not an integer beyond 2**53")
        return number

    def _record(self, body: list[Any], where: str, depth: int) -> Any:
        if len(body) == 2 and isinstance(body[0], str) and isinstance(body[1], dict):
            name, fields = body
            record = self._records.get((name, tuple(fields)))
            if record is None:
                raise InputError(f"{where} is a {brief(name)} of {brief(list(fields))}, which {self._model} lacks")
            items = (self._decode(item, f"{where}.{field}", depth + 1) for field, item in fields.items())
            return make_record(record, tuple(items))
        raise InputError(f"{where} is {brief({'record': body})}, which is not a record")

    def _member(self, body: list[Any], where: str) -> Any:
        if len(body) == 2 and all(isinstance(text, str) for text in body):
            members = getattr(self._enumerations.get(body[0]), "__members__", {})
            if body[1] in members:
                return members[body[1]]
        raise InputError(f"{where} is {brief({'member': body})}, which {self._model} lacks")


def _key(record: Any) -> tuple[str, tuple[str, ...]]:
    return record.__qualname__, fields_of(record)


def _listed(body: Any) -> list[Any]:
    return body if isinstance(body, list) else [None]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
