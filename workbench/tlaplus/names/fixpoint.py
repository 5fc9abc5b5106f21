"""Least fixpoints, for questions about definitions that may use each other or themselves."""

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class Fixpoint(Generic[Key, Answer]):
    """The least consistent answers.

    An answer needed while it is still being computed is at first taken to be `least`. The question is then computed
    again until no answer changes, so answers must grow monotonically with those they depend on, and be bounded.
    """

    def __init__(self, least: Answer) -> None:
        self._least = least
        self._final: dict[Key, Answer] = {}
        self._answers: dict[Key, Answer] = {}
        self._visited: set[Key] = set()
        self._changed = False
        self._finding = RLock()  # other threads must not see preliminary answers

    def get(self, key: Key, compute: Callable[[], Answer]) -> Answer:
        """The answer for `key`. `compute` finds it, and calls this method for the answers that it needs."""
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
            self._final.update({key: self._answers[key] for key in self._visited})
        finally:
            self._answers.clear()
            self._visited.clear()
        return self._final[key]

    def _once(self, key: Key, compute: Callable[[], Answer]) -> Answer:
        if key not in self._visited:
            self._visited.add(key)
            answer = compute()
            if answer != self._answers.get(key, self._least):
                self._changed = True
            self._answers[key] = answer
        return self._answers.get(key, self._least)
