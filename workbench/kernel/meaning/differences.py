"""The differences between two values, in words."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from workbench.kernel.meaning.notation import PYTHON, Notation
from workbench.kernel.meaning.values import Map, identity, is_same, record_items, sort_key


class Difference(NamedTuple):
    """One part of a value that is different.

    Attributes:
        where: Its place, such as ``log``, ``log[2]`` or ``log[2].rows``.
        before: The old value; None where members came and went.
        after: The new value, or the members that came and went, such as ``+ c, - a``.
    """

    where: str
    before: str | None
    after: str

    def in_words(self, arrow: str = "->", brief: Callable[[str], str] = str) -> str:
        """The change in words, with its values passed through `brief`."""
        return f"{'' if self.before is None else f'{brief(self.before)} {arrow} '}{brief(self.after)}"

    def __str__(self) -> str:
        return f"{self.where}: {self.in_words()}"


def differences(where: str, before: Any, after: Any, notation: Notation = PYTHON) -> Iterator[Difference]:
    """The parts of two values, which are not the same, that are different.

    A tuple loses members at its front and gains them at its end, as a queue and a log do. Where nothing of a value has
    stayed the same, the whole value is one part.

    Args:
        where: The name of the value.
        notation: The notation of values.

    Examples:
        >>> [*differences("claims", frozenset({1}), frozenset({2}))]
        [Difference(where='claims', before=None, after='+ 2, - 1')]
        >>> [*differences("log", ("a", "b"), ("b", "c", "d"))]
        [Difference(where='log', before=None, after='+ c, + d, - a')]
        >>> [*differences("stock", Map({"pear": 2, "plum": 1}), Map({"pear": 1, "plum": 1}))]
        [Difference(where='stock[pear]', before='2', after='1')]
    """
    show = notation.show
    old, new = notation.parts(before), notation.parts(after)
    if isinstance(old, frozenset) and isinstance(new, frozenset):
        yield _members(where, map(show, _beyond(old, new)), map(show, _beyond(new, old)))
    elif isinstance(old, Map) and isinstance(new, Map):
        yield from _of_maps(where, old, new, notation) or [Difference(where, show(before), show(after))]
    elif type(old) is type(new) is tuple:
        yield from _of_tuples(where, old, new, notation)
    else:
        fields = zip(record_items(old), record_items(new), strict=False) if type(old) is type(new) else ()
        pairs = [(name, one, other) for (name, one), (_, other) in fields]
        changed = [pair for pair in pairs if not is_same(pair[1], pair[2])]
        if len(changed) == len(pairs):
            yield Difference(where, show(before), show(after))
        else:
            for name, one, other in changed:
                yield from differences(f"{where}.{name}", one, other, notation)


def _of_maps(where: str, before: Map, after: Map, notation: Notation) -> list[Difference]:
    """Nothing for two values of a language that differ in the order of their keys alone."""
    gained, lost = _beyond(before, after), _beyond(after, before)
    changes = [
        difference
        for key in after
        if key not in gained and not is_same(before[key], after[key])
        for difference in differences(notation.part(where, after, key), before[key], after[key], notation)
    ]
    if gained or lost:
        news = (notation.pair(after, key) for key in gained)
        changes.append(_members(where, news, (notation.key(before, key) for key in lost)))
    return changes


def _of_tuples(where: str, before: tuple[Any, ...], after: tuple[Any, ...], notation: Notation) -> Iterator[Difference]:
    show = notation.show
    changed = [at for at, (one, other) in enumerate(zip(before, after, strict=False)) if not is_same(one, other)]
    gone = next(at for at in range(len(before) + 1) if is_same(before[at:], after[: len(before) - at]))
    if len(before) == len(after) > len(changed) == 1:
        (at,) = changed
        yield from differences(f"{where}[{at + notation.first}]", before[at], after[at], notation)
    elif (2 * gone <= len(before) or not after) and not is_same(before[:gone], came := after[len(before) - gone :]):
        yield _members(where, map(show, came), map(show, before[:gone]))
    else:
        yield Difference(where, show(before), show(after))


def _beyond(before: Iterable[Any], after: Iterable[Any]) -> list[Any]:
    """The members of a set, or the keys of a Map, that it did not have before, in order."""
    previous = set(map(identity, before))
    return sorted((member for member in after if identity(member) not in previous), key=sort_key)


def _members(where: str, gained: Iterable[str], lost: Iterable[str]) -> Difference:
    return Difference(where, None, ", ".join([*(f"+ {text}" for text in gained), *(f"- {text}" for text in lost)]))
