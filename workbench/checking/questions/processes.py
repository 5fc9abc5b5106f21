"""Checks settings on this machine: first in this process, and in several if that takes longer than a moment.

A process that checks is a Python of its own. One of :mod:`multiprocessing` would run the caller's script again, unless
that is guarded, and would get the Ctrl-C that is meant for the caller. It reads the task and then numbers of settings
from its standard input, a line each, and answers each with an outcome as a line of JSON. Once its standard input ends,
because we want it to stop or are gone, so does its check, with what it has found.
"""

import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from queue import Empty, Queue, SimpleQueue
from threading import Event, Lock, Thread

from workbench.checking.kernels import compiling
from workbench.checking.kernels.threads import usable_cores
from workbench.checking.questions.records import ATTEMPTS, SettingOutcome, died, failed
from workbench.checking.questions.settings import SettingsTask
from workbench.kernel import InputError, Result
from workbench.storage.schema import from_json

#: Seconds of checking in this process before others take over: about the cost of starting them, so that a sweep
#: never takes much more than twice the time of the better way.
PATIENCE = 2.0
#: The seconds that a stopped check has for reporting its findings.
_GRACE = 2.0
_POLL_SECONDS = 0.05

_ROOT = Path(__file__).parents[3]
_SERVE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from workbench.checking.questions import processes; "
    "processes.serve()"
)

#: An outcome, and the result if it is of this process.
_Answer = tuple[SettingOutcome, Result | None]
Done = Callable[[int, SettingOutcome, Result | None], object]


def check_here(
    task: SettingsTask,
    numbers: Iterable[int],
    workers: int | None,
    done: Done,
    should_stop: Callable[[], bool],
) -> None:
    """Check the settings with these numbers.

    Args:
        workers: The most processes; None for one per core. A single one is this process.
        done: Called in this thread with each outcome as soon as it is there.
        should_stop: Polled; once it is True, ``done`` gets what the checks under way have found, and the rest is left.
    """
    most, until = usable_cores() if workers is None else workers, time.monotonic() + PATIENCE

    def enough(left: int) -> bool:
        return should_stop() or (min(most, left) > 1 and time.monotonic() >= until)

    left = _work([_Here(task)], numbers, done, enough)
    if left and not should_stop():
        left = _work(_team(task, min(most, len(left))), left, done, lambda _: should_stop())
    for number, answer in left.items():
        if answer is not None:
            done(number, *answer)


def _work(
    team: "Sequence[_Here | _Process]", numbers: Iterable[int], done: Done, enough: Callable[[int], bool]
) -> dict[int, _Answer | None]:
    """Let a team check settings until `enough` is true of the number of those left.

    Returns:
        The settings that are left, in order, with what their checks had found by then.
    """
    waiting, idle, busy = deque(numbers), list(team), dict[int, "_Here | _Process"]()
    # A SimpleQueue that a signal interrupts just before its timeout may wait for ever (Python 3.11).
    answers, left = Queue[tuple[int, _Answer]](), dict[int, _Answer | None]()
    until: float | None = None

    def ask(worker: "_Here | _Process", number: int) -> None:
        try:
            answers.put((number, worker.answer(number)))
        except Exception as error:  # as where no process can be started
            answers.put((number, (failed(f"{type(error).__name__}: {error}"), None)))

    try:
        while True:
            if until is None and enough(len(waiting) + len(busy)):
                until = time.monotonic() + _GRACE
                for worker in busy.values():
                    worker.stop()
            while until is None and waiting and idle:
                number = waiting.popleft()
                busy[number] = idle.pop()
                Thread(target=ask, args=(busy[number], number), daemon=True).start()
            if not busy or (until is not None and time.monotonic() > until):
                break
            with suppress(Empty):
                number, answer = answers.get(timeout=_POLL_SECONDS)
                idle.append(busy.pop(number))
                if until is None or answer[0].final:
                    done(number, *answer)
                else:
                    left[number] = answer if answer[0].error is None else None
    finally:
        for worker in team:
            worker.end()
    left.update(dict.fromkeys([*busy, *waiting]))
    return {number: left[number] for number in sorted(left)}


class _Here:
    """Checks in a thread of this process, so that its caller can be interrupted whatever a model does."""

    def __init__(self, task: SettingsTask) -> None:
        self._task, self._stopped = task, Event()

    def answer(self, number: int) -> _Answer:
        return self._task.check(number, self._stopped.is_set)

    def stop(self) -> None:
        """End the check under way with what it has found."""
        self._stopped.set()

    end = stop


def _team(task: SettingsTask, size: int) -> "Sequence[_Here | _Process]":
    """A team of that many processes, or of this one if the model cannot be sent to others."""
    from workbench.checking.shipping import ship  # numba loads here

    try:
        sent = ship(task, task.model.declared.name)
    except InputError:
        return [_Here(task)]
    return [_Process(sent) for _ in range(size)]


class _Process:
    """Checks in a separate process, which is started on first use, and restarted if it has died.

    Args:
        sent: The task.
    """

    def __init__(self, sent: bytes) -> None:
        self._sent = sent
        self._process: subprocess.Popen[bytes] | None = None
        self._starting, self._ended = Lock(), False

    def answer(self, number: int) -> _Answer:
        """Check a setting, in a thread of the caller."""
        for _ in range(ATTEMPTS):
            line = self._ask(self._started(), number)
            if line:
                return from_json(SettingOutcome, json.loads(line), "an outcome"), None
        return died(), None

    def _started(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._ended:
                raise ProcessLookupError
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _SERVE, json.dumps([str(_ROOT), *map(str, sys.path)])],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
                )  # fmt: skip
                self._tell(self._process, b"%d\n%b" % (len(self._sent), self._sent))
            return self._process

    def _ask(self, process: subprocess.Popen[bytes], number: int) -> bytes:
        """The process's answer; None if it died."""
        assert process.stdout is not None
        self._tell(process, b"%d\n" % number)
        line = process.stdout.readline()
        if not line:
            process.wait()
        return line

    def _tell(self, process: subprocess.Popen[bytes], text: bytes) -> None:
        assert process.stdin is not None
        with suppress(BrokenPipeError, ValueError):  # no answer: the process has died or was stopped
            process.stdin.write(text)
            process.stdin.flush()

    def stop(self) -> None:
        """End the check under way with what it has found."""
        self._ended = True
        if self._process is not None and self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()

    def end(self) -> None:
        """End at once."""
        with self._starting:
            self.stop()
            if self._process is not None:
                self._process.kill()
                self._process.wait()


def serve() -> None:
    """Answer the numbers on standard input; what a model prints goes to standard error."""
    from workbench.checking.shipping import NotReceived, receive

    heard, out = sys.stdin.buffer, os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    asked, over = SimpleQueue[int | None](), Event()

    def listen() -> None:
        for line in heard:
            asked.put(int(line))
        over.set()
        asked.put(None)

    sent, problem = heard.read(int(heard.readline())), ""
    Thread(target=listen, daemon=True).start()
    try:
        task: SettingsTask = receive(sent)
    except NotReceived as error:
        problem = str(error)
    with compiling.telling(lambda _: None):  # the caller has said it
        while (number := asked.get()) is not None:
            outcome = failed(problem) if problem else task.check(number, over.is_set)[0]
            print(json.dumps(asdict(outcome)), file=out, flush=True)
