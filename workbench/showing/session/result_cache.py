"""Values derived from one result and cached with it; the first caller computes a value while the others wait."""

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from workbench.checking.spaces.space import StateSpace, explore
from workbench.kernel import Result
from workbench.kernel.meaning.budget import Budget
from workbench.showing.session.jobs import Job

#: The most states kept for graphs and charts, which show only the first ones of a larger space.
MOST_STATES = 200_000
#: The interval at which a caller that waits for another's work looks whether to go on waiting.
_LOOK_SECONDS = 0.05

Value = TypeVar("Value")


class Kept:
    """Values derived from a result."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self._lock = threading.Lock()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._values: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], Value], job: Job) -> Value:
        """The value cached as `key`; `make` computes it if it is missing.

        Args:
            make: Computes the value. If `job` stops, it ends early, and its result is not cached.
            job: The job that needs the value. Call this method from its thread.
        """
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        while not lock.acquire(timeout=_LOOK_SECONDS):
            if job.should_stop():
                return make()
        try:
            if key in self._values:
                return cast(Value, self._values[key])
            value = make()
            if not job.should_stop():
                self._values[key] = value
            return value
        finally:
            lock.release()

    def space(self, job: Job) -> StateSpace:
        """The states and transitions that the check visited, or the first of them."""
        names = [verdict.name for verdict in self.result.verdicts]

        def make() -> StateSpace:
            budget, symmetry = Budget(states=MOST_STATES), self.result.symmetry
            return explore(self.result.model, names, symmetry=symmetry, budget=budget, watch=job.watch())

        return self.get("space", make, job)
