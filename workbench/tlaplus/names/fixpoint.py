"""Answers about definitions that may use each other, and themselves."""

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class Fixpoint(Generic[Key, Answer]):
    """The least answers that agree with each other.

    An answer that is asked for while it is being computed is `least` at first. The whole question is then computed
    again until no answer changes, so answers must only grow with those that they rest on, and not without end.
    """

    def __init__(self, least: Answer) -> None:
        self._least = least
        self._final: dict[Key, Answer] = {}
        self._found: dict[Key, Answer] = {}
        self._visited: set[Key] = set()
        self._changed = False
        self._finding = RLock()  # what is found on the way is not for other threads

    def get(self, key: Key, compute: Callable[[], Answer]) -> Answer:
        """The answer for `key`, which `compute` finds; it asks this object for the answers that it needs."""
        if key in self._final:
            return self._final[key]
        with self._finding:
            return self._once(key, compute) if self._visited else self._found_for(key, compute)

    def _found_for(self, key: Key, compute: Callable[[], Answer]) -> Answer:
        try:
            self._changed = True
            while self._changed:
                self._changed = False
                self._visited.clear()
                self._once(key, compute)
            self._final.update({key: self._found[key] for key in self._visited})
        finally:
            self._found.clear()
            self._visited.clear()
        return self._final[key]

    def _once(self, key: Key, compute: Callable[[], Answer]) -> Answer:
        if key not in self._visited:
            self._visited.add(key)
            answer = compute()
            if answer != self._found.get(key, self._least):
                self._changed = True
            self._found[key] = answer
        return self._found.get(key, self._least)
