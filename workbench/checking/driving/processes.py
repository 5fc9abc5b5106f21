"""Actors: processes that carry out one request at a time.

A request is a JSON object on one line of an actor's standard input, its answer one on a line of standard output;
``docs/recordings.md`` has the protocol. A time limit bounds each answer, and actors are not trusted: their output is
checked, bounded and made printable.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self, get_args

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, either
from workbench.kernel.meaning.interrupts import interrupted
from workbench.kernel.meaning.text import printable
from workbench.storage.strict_json import read_json

Verdict = Literal["done", "refused", "impossible"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

#: The interval at which a wait looks whether Ctrl-C was pressed.
_SECONDS_PER_LOOK = 0.1
#: The longest line of an actor's output, and how much of its other output is kept.
MOST_BYTES = 2**16
_MOST_SAID = 300


class ActorError(Exception):
    """An actor ended, was too slow, or gave no valid answer; this says nothing about the system."""


@dataclass(frozen=True)
class ActorAnswer:
    """An actor's answer.

    Attributes:
        verdict ({"done", "refused", "impossible"}): The system did it; found a conflict and did not; or cannot do it.
        said: In words.
        facts: The answer's other fields, unchecked.
    """

    verdict: Verdict
    said: str
    facts: Mapping[str, Any] = field(default_factory=dict)


class Actor:
    """A process that acts on request.

    Args:
        name: For messages.
        command: Starts the process.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        if not hasattr(os, "pidfd_open"):
            raise InputError(f"driving processes on {sys.platform} is not accepted; it takes Linux")
        try:
            # A process group of its own: Ctrl-C at the terminal reaches the driver alone, which then ends the group.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(f"{brief(command[0])} cannot be started: {error.strerror}") from None
        self._to_say, self._heard, self._errors = b"", b"", b""
        self._selector = selectors.DefaultSelector()
        # The pidfd reports the end even if a child of the process still holds its pipes.
        self._end, self._is_over = os.pidfd_open(self._process.pid), False
        self._selector.register(self._end, selectors.EVENT_READ)
        for pipe, events in (
            (self._process.stdin, selectors.EVENT_WRITE),
            (self._process.stdout, selectors.EVENT_READ),
            (self._process.stderr, selectors.EVENT_READ),
        ):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, events)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: Mapping[str, Any], until: float) -> ActorAnswer:
        """Send a request and wait for its answer, at most until `time.monotonic` shows `until`.

        Raises:
            ActorError: If there is no valid answer.
            KeyboardInterrupt: If Ctrl-C was pressed.
        """
        self.send(request)
        return self.answer(until)

    def send(self, request: Mapping[str, Any]) -> None:
        """Send a request without waiting; answers come in the order of requests."""
        self._to_say += json.dumps(request).encode() + b"\n"
        self._exchange(0)

    def answer(self, until: float) -> ActorAnswer:
        """The next answer."""
        has_ended = False
        while b"\n" not in self._heard:
            if len(self._heard) > MOST_BYTES:
                raise ActorError(f"{self.name} says more than {MOST_BYTES:,} bytes in a line")
            if has_ended:
                raise ActorError(self._ended())
            left, was_over = until - time.monotonic(), self._is_over
            if interrupted():
                raise KeyboardInterrupt
            if left <= 0:
                raise ActorError(f"{self.name} has not answered within the time limit")
            self._exchange(0 if was_over else min(left, _SECONDS_PER_LOOK))
            # One read gets all output from before the end: a pipe does not hold more.
            has_ended = was_over or self._process.stdout not in self._open()
        line, _, self._heard = self._heard.partition(b"\n")
        return self._checked(line)

    def _open(self) -> set[Any]:
        return {key.fileobj for key in self._selector.get_map().values()}

    def _exchange(self, seconds: float) -> None:
        """Write and read what is possible now, waiting at most `seconds` for it."""
        stdin = self._process.stdin
        assert stdin is not None
        if stdin in self._open() and not self._to_say:
            self._selector.unregister(stdin)
        elif self._to_say and not stdin.closed and stdin not in self._open():
            self._selector.register(stdin, selectors.EVENT_WRITE)
        for key, _ in self._selector.select(seconds):
            if key.fileobj is stdin:
                self._say()
            elif key.fileobj == self._end:
                self._is_over = True
                self._selector.unregister(self._end)
            elif not (output := os.read(key.fd, MOST_BYTES)):
                self._selector.unregister(key.fileobj)
            elif key.fileobj is self._process.stdout:
                self._heard += output
            else:
                self._errors = (self._errors + output)[-MOST_BYTES:]

    def _say(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            written = os.write(stdin.fileno(), self._to_say)
        except BrokenPipeError:  # reading will notice the end
            self._selector.unregister(stdin)
            stdin.close()
            written = len(self._to_say)
        self._to_say = self._to_say[written:]

    def _ended(self) -> str:
        """A message about the end of the process, with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._exchange(0)  # its last output is in the pipes by now
        status = self._process.returncode
        lines = self._errors.decode(errors="replace").strip().splitlines()
        last_words = f": {_short(lines[-1])}" if lines else ""
        if status is None:
            return f"{self.name} has closed its standard output{last_words}"
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        return f"{self.name} has ended {how}{last_words}"

    def _checked(self, line: bytes) -> ActorAnswer:
        try:
            answer = read_json(line, "the answer")
        except InputError as error:
            raise ActorError(f"{self.name} says {_short(line.decode(errors='replace'))}: {error}") from None
        if not isinstance(answer, dict) or answer.get("verdict") not in VERDICTS or type(answer.get("said")) is not str:
            takes = f"an object with 'verdict', {either(VERDICTS)}, and 'said', a text"
            raise ActorError(f"{self.name} says {_short(line.decode())}; it takes {takes}")
        facts = {name: value for name, value in answer.items() if name not in ("verdict", "said")}
        return ActorAnswer(answer["verdict"], _short(answer["said"]), facts)

    def kill(self) -> None:
        """Kill the process group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process group, and close its pipes."""
        self.kill()
        self._selector.close()
        os.close(self._end)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._process.wait()


def _short(text: str) -> str:
    text = printable(" ".join(text.split()))
    return text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID]}..."


class Processes:
    """The actors of a drive, started on first use; all end with the ``with`` block.

    Examples:
        >>> import sys, time
        >>> program = "import sys; [print(line.replace('greet', 'done'), flush=True) for line in sys.stdin]"
        >>> with Processes([sys.executable, "-c", program]) as processes:
        ...     processes["w0"].ask({"verdict": "greet", "said": "hello"}, until=time.monotonic() + 60)
        ActorAnswer(verdict='done', said='hello', facts={})
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._actors: dict[str, Actor] = {}

    def __getitem__(self, name: str) -> Actor:
        if name not in self._actors:
            self._actors[name] = Actor(name, self._command)
        return self._actors[name]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all actors."""
        for actor in self._actors.values():  # all at once: an interrupt may come during a wait
            actor.kill()
        while self._actors:
            self._actors.popitem()[1].close()
