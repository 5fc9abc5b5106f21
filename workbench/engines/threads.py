"""Threads that share the work of compiled loops, which let go of Python's lock."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

#: More threads than any machine has cores.
MOST_WORKERS = 1024


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads:
    """So many threads, of which the one that asks is the first. The others begin when they are first wanted."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ThreadPoolExecutor | None = None

    def each(self, do: Callable[[int], int]) -> list[int]:
        """What `do` returns for each thread's number.

        All are done when this ends, also by an interrupt: what they work on may be changed again.
        """
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor  # a small search wants none

            self._pool = ThreadPoolExecutor(self.workers - 1)
        others = [self._pool.submit(do, number) for number in range(1, self.workers)]
        try:
            mine = do(0)
        finally:
            _wait_for_all(others)
        return [mine, *(other.result() for other in others)]

    def end(self) -> None:
        """Let the threads go. They begin anew if they are wanted again."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _wait_for_all(others: "list[Future[int]]") -> None:
    from concurrent.futures import wait

    interrupt = None
    while True:
        try:
            wait(others)
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
