"""What is different between two values, part by part: a long log that grows by one entry is told by that entry."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from workbench.kernel.values import Map, record_items, show, sort_key


class Difference(NamedTuple):
    """One part of a value that is different.

    Attributes:
        where: Where it is, such as ``log``, ``log[2]`` or ``log[2].rows``.
        before: What was there; None where members came and went.
        after: What is there now, or the members that came and went, such as ``+ c, - a``.
    """

    where: str
    before: str | None
    after: str

    def told(self, arrow: str = "->", brief: Callable[[str], str] = str) -> str:
        """What has become of it, with its values made `brief`."""
        return f"{'' if self.before is None else f'{brief(self.before)} {arrow} '}{brief(self.after)}"

    def __str__(self) -> str:
        return f"{self.where}: {self.told()}"


def differences(where: str, before: Any, after: Any) -> Iterator[Difference]:
    """The parts of two unequal values that are different.

    A tuple loses members at its front and gains them at its end, as a queue and a log do. Where nothing of a value has
    stayed the same, the whole value is one part.

    Args:
        where: What the value is called.

    Examples:
        >>> [*differences("claims", frozenset({1}), frozenset({2}))]
        [Difference(where='claims', before=None, after='+ 2, - 1')]
        >>> [*differences("log", ("a", "b"), ("b", "c", "d"))]
        [Difference(where='log', before=None, after='+ c, + d, - a')]
        >>> [*differences("stock", Map({"pear": 2, "plum": 1}), Map({"pear": 1, "plum": 1}))]
        [Difference(where='stock[pear]', before='2', after='1')]
    """
    if isinstance(before, frozenset) and isinstance(after, frozenset):
        yield _members(where, sorted(after - before, key=sort_key), sorted(before - after, key=sort_key))
    elif isinstance(before, Map) and isinstance(after, Map):
        both = [key for key in after if key in before and before[key] != after[key]]
        for key in both:
            yield from differences(f"{where}[{show(key)}]", before[key], after[key])
        if before.keys() != after.keys():
            gained = [f"{show(key)}: {show(after[key])}" for key in after if key not in before]
            yield Difference(where, None, _told(gained, [show(key) for key in before if key not in after]))
    elif type(before) is type(after) is tuple:
        yield from _of_tuples(where, before, after)
    else:
        fields = zip(record_items(before), record_items(after), strict=False) if type(before) is type(after) else ()
        pairs = [(name, one, other) for (name, one), (_, other) in fields]
        changed = [pair for pair in pairs if pair[1] != pair[2]]
        if len(changed) == len(pairs):
            yield Difference(where, show(before), show(after))
        else:
            for name, one, other in changed:
                yield from differences(f"{where}.{name}", one, other)


def _of_tuples(where: str, before: tuple[Any, ...], after: tuple[Any, ...]) -> Iterator[Difference]:
    changed = [at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other]
    gone = next(at for at in range(len(before) + 1) if before[at:] == after[: len(before) - at])
    if len(before) == len(after) > len(changed) == 1:
        yield from differences(f"{where}[{changed[0]}]", before[changed[0]], after[changed[0]])
    elif (2 * gone <= len(before) or not after) and before[:gone] != (came := after[len(before) - gone :]):
        yield _members(where, came, before[:gone])
    else:
        yield Difference(where, show(before), show(after))


def _members(where: str, gained: Iterable[Any], lost: Iterable[Any]) -> Difference:
    return Difference(where, None, _told(map(show, gained), map(show, lost)))


def _told(gained: Iterable[str], lost: Iterable[str]) -> str:
    return ", ".join([*(f"+ {text}" for text in gained), *(f"- {text}" for text in lost)])
