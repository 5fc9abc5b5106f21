"""What Starlark's operators do to values."""

from typing import Any

from workbench.fizzbee.meaning.domains import arithmetic
from workbench.fizzbee.meaning.symmetry import symmetric_in
from workbench.fizzbee.meaning.values import (
    MOST_MEMBERS,
    Collection,
    Dict,
    Instance,
    ModelValue,
    Record,
    Value,
    Wrong,
    clone,
    equal,
    has,
    kind_of,
    members,
    shown,
)  # fmt: skip

_MOST_BITS = 4096


def binary(operator: str, left: Value, right: Value) -> Value:
    """Apply an operator other than ``and`` and ``or``.

    Raises:
        Wrong: If the operator is not defined for these values.
    """
    if operator in ("==", "!="):
        return equal(left, right) == (operator == "==")
    if operator in ("in", "not in"):
        return contains(right, left) == (operator == "in")
    if operator in ("<", "<=", ">", ">="):
        return _compared(operator, left, right)
    if _is_number(left) and _is_number(right):
        return _arithmetic(operator, left, right)
    result = _of_collections(operator, left, right)
    if result is None:
        result = arithmetic(operator, left, right)
    if result is None:
        raise Wrong(f"{operator} does not go with {kind_of(left)} and {kind_of(right)}")
    return result


def unary(operator: str, operand: Value) -> Value:
    """``-``, ``+`` or ``~`` of a number."""
    if not _is_number(operand) or (operator == "~" and not isinstance(operand, int)):
        raise Wrong(f"{operator} does not go with {kind_of(operand)}")
    return -operand if operator == "-" else ~operand if operator == "~" else operand


def contains(owner: Value, item: Value) -> bool:
    if isinstance(owner, str) and isinstance(item, str):
        return item in owner
    if isinstance(owner, range):
        return isinstance(item, int) and not isinstance(item, bool) and item in owner
    if isinstance(owner, Dict):
        return owner.pair(item) is not None
    return has(owner.items if isinstance(owner, Collection) else members(owner), item)


def less(left: Value, right: Value) -> bool:
    """Starlark's ``<`` of values that are ordered."""
    if _is_number(left) and _is_number(right):
        return bool(left < right)
    if kind_of(left) == kind_of(right):
        match left:
            case str() | bool():
                return bool(left < right)
            case list() | tuple():
                for one, other in zip(left, right, strict=False):
                    if not equal(one, other):
                        return less(one, other)
                return len(left) < len(right)
            case Instance():
                return left.number < right.number
            case ModelValue() if left.domain is not None and left.domain.is_ordered and left.domain is right.domain:
                return bool(left.number < right.number)
    raise Wrong(f"{kind_of(left)} and {kind_of(right)} are not ordered")


def repeated(items: Any, times: Value) -> Value:
    """A string, list or tuple several times."""
    if len(items) * times > MOST_MEMBERS:
        raise Wrong(f"more than {MOST_MEMBERS} members")
    return items * times


def in_place(operator: str, left: Value, right: Value) -> bool:
    """Carry out an assignment such as ``+=`` if it changes the object `left` itself; return whether it does."""
    if operator == "+" and isinstance(left, list):
        left.extend(members(right))
    elif operator == "|" and isinstance(left, Dict) and isinstance(right, Dict):
        for key, value in list(right.pairs):
            left.put(key, value)
    else:
        return False
    return True


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _compared(operator: str, left: Value, right: Value) -> bool:
    if isinstance(left, Collection) and isinstance(right, Collection):
        if operator in (">", ">="):
            left, right = right, left
        return all(has(right.items, item) for item in left.items) and (
            operator in ("<=", ">=") or len(left.items) < len(right.items)
        )
    match operator:
        case "<":
            return less(left, right)
        case ">":
            return less(right, left)
        case "<=":
            return not less(right, left)
    return not less(left, right)


def _arithmetic(operator: str, left: Any, right: Any) -> Value:
    if operator in ("/", "//", "%") and not right:
        raise Wrong("division by zero")
    if operator in ("&", "|", "^", "<<", ">>") and not (isinstance(left, int) and isinstance(right, int)):
        raise Wrong(f"{operator} does not go with floats")
    if operator in ("<<", ">>") and not 0 <= right <= _MOST_BITS:
        raise Wrong(f"a shift is by 0 to {_MOST_BITS} bits")
    match operator:
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "*":
            result = left * right
        case "/":
            result = left / right
        case "//":
            result = left // right
        case "%":
            result = left % right
        case "&":
            result = left & right
        case "|":
            result = left | right
        case "^":
            result = left ^ right
        case "<<":
            result = left << right
        case _:
            result = left >> right
    if isinstance(result, int) and result.bit_length() > _MOST_BITS:
        raise Wrong(f"an integer of more than {_MOST_BITS} bits")
    return result


def _of_collections(operator: str, left: Value, right: Value) -> Value:
    match operator, left, right:
        case ("+", str(), str()) | ("+", list(), list()) | ("+", tuple(), tuple()):
            if len(left) + len(right) > MOST_MEMBERS:
                raise Wrong(f"more than {MOST_MEMBERS} members")
            return left + right
        case ("*", str() | list() | tuple(), int()) if not isinstance(right, bool):
            return repeated(left, right)
        case ("*", int(), str() | list() | tuple()) if not isinstance(left, bool):
            return repeated(right, left)
        case "%", str(), _:
            return _formatted(left, right)
        case "+", Record(), Record():
            return Record(left.kind, {**left.fields, **right.fields})
        case "|", Dict(), Dict():
            return Dict(left.kind, [(key, item) for key, item in [*left.pairs, *right.pairs]])
        case "|", Collection(), Collection():
            return Collection(left.kind, [*left.items, *right.items])
        case "&", Collection(), Collection():
            return Collection(left.kind, [item for item in left.items if has(right.items, item)])
        case "-", Collection(), Collection():
            return Collection(left.kind, [item for item in left.items if not has(right.items, item)])
        case "^", Collection(), Collection():
            return _of_collections("|", _of_collections("-", left, right), _of_collections("-", right, left))
    return None


def _formatted(text: str, arguments: Value) -> str:
    """``%`` with s, r, d and %."""
    from_tuple = list(arguments) if isinstance(arguments, tuple) else [arguments]
    parts = iter(text.split("%"))
    result = next(parts)
    for part in parts:
        if not part:
            result += "%" + next(parts, "")
            continue
        if part[0] not in "srd" or not from_tuple:
            raise Wrong("% takes %s, %r and %d, and a value for each")
        result += text_of(from_tuple.pop(0), part[0] == "r") + part[1:]
    return result


def text_of(value: Value, quoted: bool = False) -> str:
    """Starlark's ``str``, or ``repr`` if `quoted`."""
    if next(symmetric_in(value, with_roles=True), None) is not None:
        raise Wrong("a symmetric value has no text, which would tell it from the others")
    return value if isinstance(value, str) and not quoted else shown(value)


def deep_copy(value: Value) -> Value:
    """A deep copy of `value`, except that roles are shared."""
    return clone(value, {}, with_roles=False)
