"""The built-in functions, and the methods of values. A text can call nothing that is not in these tables."""

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from workbench.fizzbee.meaning.operators import contains, deep_copy, less, text_of
from workbench.fizzbee.meaning.symmetry import symmetric_values
from workbench.fizzbee.meaning.values import (
    MOST_MEMBERS,
    Collection,
    Dict,
    Function,
    Instance,
    Record,
    Value,
    Wrong,
    equal,
    kind_of,
    members,
    truth,
)  # fmt: skip


def _length(value: Value) -> int:
    if isinstance(value, str | range):
        return len(value)
    return len(members(value))


def _sorted(items: Value, key: Value = None, reverse: Value = False) -> Value:
    keyed = [(item if key is None else key.call(item), item) for item in members(items)]

    def order(one: tuple[Value, Value], other: tuple[Value, Value]) -> int:
        return less(other[0], one[0]) - less(one[0], other[0])

    return [item for _, item in sorted(keyed, key=cmp_to_key(order), reverse=truth(reverse))]


def _extreme(last: bool) -> Callable[..., Value]:
    def extreme(*items: Value, key: Value = None) -> Value:
        ordered = _sorted(items[0] if len(items) == 1 else list(items), key)
        if not ordered:
            raise Wrong("there is no least and no greatest of nothing")
        return ordered[-1 if last else 0]

    return extreme


def _int(value: Value = 0, base: Value = 10) -> int:
    if isinstance(value, str):
        if len(value) > 400:
            raise Wrong("a number has at most 400 digits")
        return int(value, base)
    return int(value)


def _dict(kind: str) -> Callable[..., Value]:
    def of(pairs: Value = (), /, **named: Value) -> Value:
        entries = pairs.pairs if isinstance(pairs, Dict) else map(members, members(pairs))
        return Dict(kind, [*((key, value) for key, value in entries), *named.items()])

    return of


def _collection(kind: str) -> Callable[..., Value]:
    return lambda items=(): Collection(kind, members(items))


def _record(kind: str) -> Callable[..., Value]:
    return lambda **fields: Record(kind, fields)


def _fail(*texts: Value) -> Value:
    raise Wrong(f"fail: {' '.join(map(text_of, texts))}")


def _sum(items: Value, start: Value = 0) -> Value:
    return sum(members(items), start)


def _dir(value: Value) -> Value:
    return sorted(value.fields) if isinstance(value, Record | Instance) else sorted(METHODS.get(kind_of(value), ()))


def _format(text: str, *arguments: Value, **named: Value) -> str:
    """``format`` with fields that are empty, a number or a name; a field cannot reach into a value."""
    result, position, count = "", 0, 0
    while (start := text.find("{", position)) >= 0:
        end = text.find("}", start)
        field = text[start + 1 : end]
        if end < 0 or not (field == "" or field.isdigit() or field in named):
            raise Wrong("format takes {}, {0} and {name}")
        index, count = (int(field), count) if field.isdigit() else (count, count + (field == ""))
        result += text[position:start] + text_of(named[field] if field in named else arguments[index])
        position = end + 1
    return result + text[position:]


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    if (len(text) + 1) * (len(new) + 1) > 10 * MOST_MEMBERS:
        raise Wrong("a text that is too long")
    return text.replace(old, new, count)


def _join(text: str, items: Value) -> str:
    parts = members(items)
    if sum(len(part) + len(text) for part in parts) > MOST_MEMBERS:
        raise Wrong("a text that is too long")
    return text.join(parts)


def _range(*bounds: int) -> range:
    return range(*bounds)


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "len": _length, "range": _range, "sorted": _sorted, "min": _extreme(False), "max": _extreme(True), "abs": abs,
    "all": lambda items: all(map(truth, members(items))), "any": lambda items: any(map(truth, members(items))),
    "enumerate": lambda items, start=0: list(enumerate(members(items), start)),
    "zip": lambda *lists: list(zip(*map(members, lists), strict=False)),
    "list": lambda items=(): members(items), "tuple": lambda items=(): tuple(members(items)),
    "reversed": lambda items: members(items)[::-1], "bool": lambda value=False: truth(value),
    "int": _int, "float": float,
    "str": lambda value="": text_of(value), "repr": lambda value: text_of(value, True), "type": kind_of, "sum": _sum,
    "dict": _dict("dict"), "genericmap": _dict("genericmap"), "set": _collection("set"), "bag": _collection("bag"),
    "genericset": _collection("genericset"), "record": _record("record"), "struct": _record("struct"),
    "enum": lambda *names: Record("struct", {name: name for name in names}), "dir": _dir, "fail": _fail,
    "symmetric_values": symmetric_values, "print": lambda *values, **named: None, "deepcopy": deep_copy,
}  # fmt: skip


def _pop_of_list(items: list[Value], index: int = -1) -> Value:
    if not -len(items) <= index < len(items):
        raise Wrong(f"a list of {len(items)} has no index {index}")
    return items.pop(index)


def _index_of(items: list[Value], item: Value) -> int:
    for index, member in enumerate(items):
        if equal(member, item):
            return index
    raise Wrong("the value is not in the list")


def _remove_of_list(items: list[Value], item: Value) -> None:
    del items[_index_of(items, item)]


_REQUIRED: Any = object()


def _pop_of_dict(owner: Dict, key: Value, default: Value = _REQUIRED) -> Value:
    pair = owner.pair(key)
    if pair is None:
        return owner.get(key) if default is _REQUIRED else default
    owner.pairs.remove(pair)
    return pair[1]


def _popitem(owner: Dict) -> Value:
    if not owner.pairs:
        raise Wrong("the dict is empty")
    first = owner.ordered()[0]
    owner.pairs.remove(first)
    return tuple(first)


def _setdefault(owner: Dict, key: Value, default: Value = None) -> Value:
    if owner.pair(key) is None:
        owner.put(key, default)
    return owner.get(key)


def _update(owner: Dict, other: Value = (), **named: Value) -> None:
    for key, value in _dict(owner.kind)(other, **named).pairs:
        owner.put(key, value)


def _remove(owner: Collection, item: Value) -> None:
    if not owner.remove(item):
        raise Wrong(f"the {owner.kind} does not have the value")


def _pop(owner: Collection) -> Value:
    if not owner.items:
        raise Wrong(f"the {owner.kind} is empty")
    first = members(owner)[0]
    owner.remove(first)
    return first


def _add_all(owner: Collection, items: Value) -> None:
    for item in members(items):
        owner.add(item)


def _within(one: Value, other: Value) -> bool:
    return all(contains(other, item) for item in members(one))


def _chosen(owner: Collection, *others: Value, kept: bool) -> Value:
    return Collection(owner.kind, [i for i in owner.items if all(contains(other, i) == kept for other in others)])


def _union(owner: Collection, *others: Value) -> Value:
    return Collection(owner.kind, [*owner.items, *(item for other in others for item in members(other))])


def _symmetric_difference(owner: Collection, other: Value) -> Value:
    return _union(_chosen(owner, other, kept=False), _chosen(Collection(owner.kind, members(other)), owner, kept=False))


_OF_STRINGS: dict[str, Callable[..., Value]] = {
    "format": _format, "replace": _replace, "join": _join,
    "elems": lambda text: list(text), "partition": str.partition, "rpartition": str.rpartition,
    "startswith": str.startswith, "endswith": str.endswith, "find": str.find, "rfind": str.rfind, "index": str.index,
    "rindex": str.rindex, "count": str.count, "split": str.split, "rsplit": str.rsplit, "strip": str.strip,
    "lstrip": str.lstrip, "rstrip": str.rstrip, "upper": str.upper, "lower": str.lower, "title": str.title,
    "capitalize": str.capitalize, "isdigit": str.isdigit, "isalpha": str.isalpha, "isalnum": str.isalnum,
    "isspace": str.isspace, "isupper": str.isupper, "islower": str.islower, "splitlines": str.splitlines,
    "removeprefix": str.removeprefix, "removesuffix": str.removesuffix,
}  # fmt: skip
_OF_DICTS: dict[str, Callable[..., Value]] = {
    "keys": members, "values": lambda owner: [value for _, value in owner.ordered()],
    "items": lambda owner: [(key, value) for key, value in owner.ordered()],
    "get": lambda owner, key, default=None: default if owner.pair(key) is None else owner.get(key),
    "pop": _pop_of_dict, "popitem": _popitem, "setdefault": _setdefault, "update": _update,
    "clear": lambda owner: owner.pairs.clear(),
}  # fmt: skip
_OF_BAGS: dict[str, Callable[..., Value]] = {
    "add": Collection.add, "add_all": _add_all, "remove": _remove, "pop": _pop,
    "discard": lambda owner, item: owner.remove(item) and None, "clear": lambda owner: owner.items.clear(),
}  # fmt: skip
_OF_SETS: dict[str, Callable[..., Value]] = {
    **_OF_BAGS, "update": _add_all, "union": _union,
    "intersection": lambda owner, *others: _chosen(owner, *others, kept=True),
    "difference": lambda owner, *others: _chosen(owner, *others, kept=False),
    "symmetric_difference": _symmetric_difference, "issubset": _within,
    "issuperset": lambda owner, other: _within(other, owner),
}  # fmt: skip
#: The methods of each type of values.
METHODS: dict[str, dict[str, Callable[..., Value]]] = {
    "string": _OF_STRINGS, "dict": _OF_DICTS, "genericmap": _OF_DICTS, "bag": _OF_BAGS, "set": _OF_SETS,
    "genericset": _OF_SETS,
    "list": {
        "append": list.append, "clear": list.clear, "insert": list.insert, "pop": _pop_of_list, "index": _index_of,
        "remove": _remove_of_list, "extend": lambda items, more: items.extend(members(more)),
    },
}  # fmt: skip
#: The methods that change their value. They may not be called on a constant.
CHANGING = frozenset(
    [*METHODS["list"], *_OF_BAGS, "update", "popitem", "setdefault"]
) - {"index"}  # fmt: skip


def method(value: Value, name: str) -> Function | None:
    """The method of that name, bound to `value`; None if its type has none."""
    function = METHODS.get(kind_of(value), {}).get(name) if not isinstance(value, Instance) else None
    return None if function is None else Function(lambda *arguments, **named: function(value, *arguments, **named))
