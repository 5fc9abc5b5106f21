"""The walks of one process: threads with their own trees keep taking the next few walks."""

import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from workbench.checking.trees.purity import run_again
from workbench.checking.walks.request import Walked, WalkRequest, starts_of
from workbench.checking.walks.walker import Tally, Walker
from workbench.kernel import ModelError
from workbench.kernel.meaning.budget import INTERRUPTED, Stop
from workbench.kernel.meaning.interrupts import pausing

#: The most walks that a worker takes at once. With fewer, workers would wait for each other.
_BATCH = 4096
_POLL_SECONDS = 0.05


class _Ended(Exception):
    """Stops a worker in the middle of a walk."""


def walk_here(asked: WalkRequest, workers: int) -> Walked:
    """Make the walks, with `workers` threads of this process."""
    asked.limits.restart()
    try:
        with asked.limits.in_force():
            starts, notes = starts_of(asked.plan.model, asked.limits)
        team = _Team([Walker(asked.plan, asked.rule, starts) for _ in range(workers)], asked.walks)
    except Stop as stop:
        return Walked(Tally.empty(asked.plan), workers, [], str(stop))
    stopped, error = None, None
    try:
        stopped = team.walk(asked)
        for walker in team.walkers if stopped != INTERRUPTED else ():
            run_again(walker.trees)
    except ModelError as met:
        error = met
    return Walked(team.tally(asked), workers, starts, stopped, notes, error)


class _Team:
    """Workers that share `walks` walks: each takes the next few at a time, in the order of their numbers."""

    def __init__(self, walkers: list[Walker], walks: int) -> None:
        self.walkers, self._walks = walkers, walks
        self._batch = max(1, min(_BATCH, walks // (8 * len(walkers))))
        self._ended, self._dealing, self._next = threading.Event(), threading.Lock(), 0

    def walk(self, asked: WalkRequest) -> str | None:
        """Make the walks; returns why they ended early, if they did."""
        with ThreadPoolExecutor(len(self.walkers)) as pool:
            running = {pool.submit(self._work, walker) for walker in self.walkers}
            try:
                while running:
                    done, running = wait(running, _POLL_SECONDS, FIRST_COMPLETED)
                    for worker in done:
                        worker.result()
                    if running and not asked.go_on(self.tally(asked)):
                        return None
            except Stop as stop:
                return str(stop)
            finally:
                self._ended.set()
        return None

    def tally(self, asked: WalkRequest) -> Tally:
        """The tally of the walks so far."""
        total = Tally.empty(asked.plan)
        for walker in self.walkers:
            total.add(walker.tally)
        return total

    def _work(self, walker: Walker) -> None:
        try:
            while not self._ended.is_set():
                with self._dealing:
                    first, self._next = self._next, self._next + self._batch
                if first >= self._walks:
                    return
                with pausing(self._pause):
                    walker.walk(first, min(first + self._batch, self._walks), self._pause)
        except _Ended:
            pass

    def _pause(self) -> None:
        if self._ended.is_set():
            raise _Ended
