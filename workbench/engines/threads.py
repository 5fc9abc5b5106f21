"""Threads that share the work of compiled loops, which let go of Python's lock."""

import os
from collections.abc import Callable
from functools import partial
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
        self._begin()
        answers: _Answers = SimpleQueue()  # nobody else's, so that none is left over from before an interrupt
        try:
            for other in self._others:
                other.put((do, answers))
            returned = {0: do(0)}
            for _ in self._others:
                number, answer, error = answers.get()
                if error is not None:
                    raise error
                returned[number] = answer
        except BaseException:
            self._wait()
            raise
        return [returned[number] for number in range(self.workers)]

    def end(self) -> None:
        """Let the threads go. They begin anew if they are wanted again."""
        while self._others:
            self._others[-1].put(None)
            self._others.pop()

    def _begin(self) -> None:
        """Have all threads. Whoever is interrupted meanwhile has none, and leaves none behind."""
        try:
            while len(self._others) < self.workers - 1:
                self._others.append(SimpleQueue())
                work = partial(_work, len(self._others), self._others[-1])
                Thread(target=work, daemon=True).start()
        except BaseException:
            self.end()
            raise

    def _wait(self) -> None:
        """Wait until all are done with what they have been asked, whatever happens meanwhile.

        An interrupt may have come before all were asked, or when an answer was on its way. So each is asked once more:
        it answers when it is done with what came before.
        """
        interrupt = None
        while True:
            answers: _Answers = SimpleQueue()
            try:
                for other in self._others:
                    other.put((_nothing, answers))
                for _ in self._others:
                    answers.get()
                break
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


def _work(number: int, asked: _Asked) -> None:
    """Do what is asked, one thing after the other: a queue each way takes microseconds."""
    while (request := asked.get()) is not None:
        do, answers = request
        try:
            answers.put((number, do(number), None))
        except BaseException as error:  # whoever asked is to have it
            answers.put((number, None, error))


def _nothing(number: int) -> None:
    """What a thread does to say that it is there."""
