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


#: What a thread is asked, and where its answer goes: its number, and what it has returned or raised.
_Answers = SimpleQueue[tuple[int, Any, BaseException | None]]
_Asked = SimpleQueue[tuple[Callable[[int], Any], _Answers] | None]


class Threads:
    """So many threads, of which the one that asks is the first. The others begin when they are first wanted."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._others: list[_Asked] = []

    def each(self, do: Callable[[int], Any]) -> list[Any]:
        """What `do` returns for each thread's number.

        All are done when this ends, also by an interrupt: what they work on may be changed again.
        """
        if not self._others:
            self._others = [_begin(number) for number in range(1, self.workers)]
        answers: _Answers = SimpleQueue()  # nobody else's, so that none is left over from before an interrupt
        returned: dict[int, Any] = {}
        asked = 0
        try:
            for other in self._others:
                other.put((do, answers))
                asked += 1
            returned[0] = do(0)
        finally:
            for number, answer, error in _all(asked, answers):
                if error is not None:
                    raise error
                returned[number] = answer
        return [returned[number] for number in range(self.workers)]

    def end(self) -> None:
        """Let the threads go. They begin anew if they are wanted again."""
        for other in self._others:
            other.put(None)
        self._others = []


def _begin(number: int) -> _Asked:
    """Begin a thread that does what it is asked, one thing after the other: a queue each way takes microseconds."""
    asked: _Asked = SimpleQueue()

    def work() -> None:
        while (request := asked.get()) is not None:
            do, answers = request
            try:
                answers.put((number, do(number), None))
            except BaseException as error:  # whoever asked is to have it
                answers.put((number, None, error))

    Thread(target=work, daemon=True).start()
    return asked


def _all(count: int, answers: _Answers) -> list[tuple[int, Any, BaseException | None]]:
    """So many answers, whatever else happens meanwhile."""
    given: list[tuple[int, Any, BaseException | None]] = []
    interrupt = None
    while len(given) < count:
        try:
            given.append(answers.get())
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
    return given
