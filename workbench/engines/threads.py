"""Threads that share the work of compiled loops, which let go of Python's lock.

Threads share out the chunks of a phase, and each looks up what belongs to its range of the visited table. They do not
share one table by compare-and-swap: whoever came first would then find a state, and numbers, links and traces would
differ from run to run.
"""

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


#: What a thread is asked, and where its answer goes: its number, and what it has returned or raised.
_Answers = SimpleQueue[tuple[int, Any, BaseException | None]]
_Asked = SimpleQueue[tuple[Callable[[int], Any], _Answers] | None]


class Threads:
    """So many threads, of which the one that asks is the first. The others begin when they are first wanted."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._others: list[_Asked] = []

    def each(self, do: Callable[[int], Any]) -> list[Any]:
        """What `do` returns for each thread's number, once all are done."""
        while len(self._others) < self.workers - 1:
            self._others.append(SimpleQueue())
            Thread(target=_work, args=(len(self._others), self._others[-1]), daemon=True).start()
        answers: _Answers = SimpleQueue()
        for other in self._others:
            other.put((do, answers))
        _answer(0, do, answers)
        returned, errors = {}, []
        for _ in range(self.workers):
            number, returned[number], error = answers.get()
            errors += [error] if error is not None else []
        if errors:
            raise errors[0]
        return [returned[number] for number in range(self.workers)]

    def end(self) -> None:
        """Let the threads go. They begin anew if they are wanted again."""
        while self._others:
            self._others.pop().put(None)


def _work(number: int, asked: _Asked) -> None:
    """Do what is asked, one thing after the other: a queue each way takes microseconds."""
    while (request := asked.get()) is not None:
        _answer(number, *request)


def _answer(number: int, do: Callable[[int], Any], answers: _Answers) -> None:
    try:
        answers.put((number, do(number), None))
    except BaseException as error:  # whoever asked is to have it
        answers.put((number, None, error))
