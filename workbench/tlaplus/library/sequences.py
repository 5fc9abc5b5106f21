r"""The operators of Sequences. Len, Tail, SubSeq and ``\o`` take strings as well, as TLC's do."""

from collections.abc import Callable
from typing import Any

from workbench.tlaplus.library.arithmetic import number
from workbench.tlaplus.values.lazy import force, listed, truth
from workbench.tlaplus.values.operators import domain
from workbench.tlaplus.values.sets import Interval, Sequences
from workbench.tlaplus.values.values import CONCRETE, EvaluationError, brief, spelling, text


def sequence(value: Any, operator: str) -> tuple[Any, ...]:
    """A sequence; everything else is an error where `operator` needs one."""
    value = listed(value)
    if type(value) is tuple:
        return value
    raise EvaluationError(f"{operator} needs a sequence, not {brief(value)}")


def length(value: Any) -> int:
    """``Len(value)``; of a view, it reads the domain alone."""
    kind = type(value)
    if kind is tuple:
        return len(value)
    if kind is str:
        return len(value) - 2
    if kind in CONCRETE:
        return len(sequence(value, "Len"))
    arguments = domain(value)
    if type(arguments) is not Interval:
        arguments = listed(arguments)
        size = len(arguments)
        if any(type(argument) is not int or not 0 < argument <= size for argument in arguments):
            raise EvaluationError(f"Len needs a sequence, not {brief(value)}")
        return size
    return arguments.size()


def append(value: Any, element: Any) -> Any:
    """``Append(value, element)``; of a view, an overlay with one more pair."""
    if type(value) in CONCRETE:
        return (*sequence(value, "Append"), force(element))
    return value.added([(length(value) + 1, force(element))])


def head(value: Any) -> Any:
    """``Head(value)``."""
    if type(value) not in CONCRETE and length(value) > 0:
        return value.at(1)
    elements = sequence(value, "Head")
    if not elements:
        raise EvaluationError("Head is applied to the empty sequence")
    return elements[0]


def tail(value: Any) -> Any:
    """``Tail(value)``."""
    value = listed(value)
    if value == () or value == text(""):
        raise EvaluationError("Tail is applied to the empty sequence")
    return text(spelling(value)[1:]) if type(value) is str else sequence(value, "Tail")[1:]


def concatenate(one: Any, other: Any) -> Any:
    r"""``one \o other``."""
    one, other = listed(one), listed(other)
    if type(one) is str and type(other) is str:
        return text(spelling(one) + spelling(other))
    return sequence(one, "\\o") + sequence(other, "\\o")


def subsequence(value: Any, first: Any, last: Any) -> Any:
    """``SubSeq(value, first, last)``."""
    value, first, last = listed(value), number(first, "SubSeq"), number(last, "SubSeq")
    is_string = type(value) is str
    elements = spelling(value) if is_string else sequence(value, "SubSeq")
    if first > last:
        return text("") if is_string else ()
    if first < 1 or last > len(elements):
        raise EvaluationError(f"SubSeq({brief(value)}, {first}, {last}) reaches out of the sequence")
    part = elements[first - 1 : last]
    return text(str(part)) if is_string else part


def selected(value: Any, test: Callable[[Any], Any]) -> tuple[Any, ...]:
    """``SelectSeq(value, test)``."""
    return tuple([element for element in sequence(value, "SelectSeq") if truth(test(element))])


def sort_sequence(value: Any, before: Callable[[Any, Any], Any]) -> tuple[Any, ...]:
    """``SortSeq(value, before)``, by insertion as in TLC: even a `before` that is not an order gives TLC's result."""
    ordered: list[Any] = []
    for element in sequence(value, "SortSeq"):
        place = len(ordered)
        while place and truth(before(element, ordered[place - 1])):
            place -= 1
        ordered.insert(place, element)
    return tuple(ordered)


SEQUENCES: dict[str, tuple[int, Callable[..., Any]]] = {
    "Seq": (1, Sequences),
    "Len": (1, length),
    "Append": (2, append),
    "Head": (1, head),
    "Tail": (1, tail),
    "\\o": (2, concatenate),
    "SubSeq": (3, subsequence),
    "SelectSeq": (2, selected),
}
