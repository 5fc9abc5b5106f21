"""Threads that share the compiled loops, which release Python's lock.

Threads divide the chunks of a phase, and each owns a range of the visited table. They do not share one table by
compare-and-swap: the first to arrive would find a state, and numbers, links and traces would differ from run to run.
"""

import os
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any

from workbench.kernel.meaning.arguments import check_integer

#: A number of threads that exceeds the cores of any machine.
MOST_WORKERS = 1024


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: Any) -> int | None:
    """A number of workers; None stands for one per core."""
    return None if workers is None else check_integer("workers", workers, 1, MOST_WORKERS)


#: Answers: a thread's number, and what it returned or raised. Requests: the function to call, and the queue to answer.
_Answers = SimpleQueue[tuple[int, Any, BaseException | None]]
_Asked = SimpleQueue[tuple[Callable[[int], Any], _Answers] | None]


class Threads:
    """A team of `workers` threads: the calling thread is the first, and the others start on first use."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._others: list[_Asked] = []

    def each(self, do: Callable[[int], Any]) -> list[Any]:
        """Call `do` with each thread's number; returns the results once all are done."""
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
        """End the threads; they start again on the next use."""
        while self._others:
            self._others.pop().put(None)


def _work(number: int, asked: _Asked) -> None:
    """Answer requests until None arrives. A queue each way takes microseconds."""
    while (request := asked.get()) is not None:
        _answer(number, *request)


def _answer(number: int, do: Callable[[int], Any], answers: _Answers) -> None:
    try:
        answers.put((number, do(number), None))
    except BaseException as error:  # re-raised by the calling thread
        answers.put((number, None, error))
