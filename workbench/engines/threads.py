"""Threads that share the work of compiled loops, which let go of Python's lock."""

import os
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any

#: More threads than any machine has cores.
MOST_WORKERS = 1024


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads:
    """So many threads, of which the one that asks is the first. The others begin when they are first wanted."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._others: list[_Other] = []

    def each(self, do: Callable[[int], Any]) -> list[Any]:
        """What `do` returns for each thread's number.

        All are done when this ends, also by an interrupt: what they work on may be changed again.
        """
        if not self._others:
            self._others = [_Other(number) for number in range(1, self.workers)]
        for other in self._others:
            other.asked.put(do)
        try:
            mine = do(0)
        finally:
            answers = _answers(self._others)
        for _, error in answers:
            if error is not None:
                raise error
        return [mine, *(answer for answer, _ in answers)]

    def end(self) -> None:
        """Let the threads go. They begin anew if they are wanted again."""
        for other in self._others:
            other.asked.put(None)
        self._others = []


class _Other:
    """A thread that does what it is asked, one thing after the other: a queue each way takes microseconds."""

    def __init__(self, number: int) -> None:
        self.asked: SimpleQueue[Callable[[int], Any] | None] = SimpleQueue()
        self.done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        Thread(target=self._run, args=(number,), daemon=True).start()

    def _run(self, number: int) -> None:
        while (do := self.asked.get()) is not None:
            try:
                self.done.put((do(number), None))
            except BaseException as error:  # whoever asked is to have it
                self.done.put((None, error))


def _answers(others: list[_Other]) -> list[tuple[Any, BaseException | None]]:
    """What the others have answered, all of them, whatever else happens meanwhile."""
    answers: list[tuple[Any, BaseException | None]] = []
    interrupt = None
    while len(answers) < len(others):
        try:
            answers.append(others[len(answers)].done.get())
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
    return answers
