"""The command ``workbench``, also ``python -m workbench``: the command line as a process, with its signals."""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # until the handler of Ctrl-C stands, next to nothing is loaded; typing takes a while
    from types import FrameType
    from typing import Any, NoReturn

INTERRUPTED = 3


def main() -> NoReturn:
    """Run the command of the process, and end with its exit status.

    Ctrl-C, or SIGTERM, makes a search end with what it has found. Half-written files are removed, and the files that
    they were to replace stay. While modules load, or a second time, it ends the process with one line; after all output
    it ends it silently.
    """
    status = INTERRUPTED

    def leave(*_: Any) -> NoReturn:
        os._exit(status)

    _on_interrupt(_end_interrupted)
    # Leave before Python itself does: after a Ctrl-C inside exec (as in namedtuple), even a handled one, it would die
    # by the signal instead of returning the status.
    atexit.register(leave)
    sys.unraisablehook = _unraisable
    _open_what_is_closed()
    try:
        from workbench.commands import cli

        _on_interrupt(_interrupt)
        status = cli.main()
        _on_interrupt(leave)
    except KeyboardInterrupt:
        _end_interrupted()
    sys.exit(status)


def _on_interrupt(handler: Any) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for a script's background jobs
            signal.signal(number, handler)


def _interrupt(_: int, frame: FrameType | None) -> NoReturn:
    """Raise KeyboardInterrupt; but end at once within an import, which may swallow it, or show it as another error."""
    while frame is not None:
        if frame.f_globals.get("__name__") == "importlib._bootstrap":
            _end_interrupted()
        frame = frame.f_back
    raise KeyboardInterrupt


def _end_interrupted(*_: Any) -> NoReturn:
    """End at once: an exception might be swallowed, or shown as a traceback."""
    _on_interrupt(signal.SIG_IGN)
    try:
        os.write(2, b"workbench: interrupted\n")
        # While this module loads, nothing is asked yet.
        if answer := getattr(sys.modules.get("workbench.commands.output.standard"), "answer_interrupted", None):
            answer()
    except OSError:  # nobody listens
        pass
    os._exit(INTERRUPTED)


def _unraisable(unraisable: Any) -> None:
    """Handle exceptions that cannot be raised, as in a finaliser: for Ctrl-C, end instead of showing a traceback."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _end_interrupted()
    sys.__unraisablehook__(unraisable)


def _open_what_is_closed() -> None:
    """Open /dev/null in place of closed standard streams.

    Otherwise the next file that is opened takes the place of a standard output that the shell has closed (``>&-``).
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115 - until the end
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(_Unheard(2, "w", closefd=False)),
        encoding=sys.stderr.encoding,
        errors="backslashreplace",
        line_buffering=True,
    )


class _Unheard(io.FileIO):
    """A failed write to standard error is no error: there is nowhere to report it."""

    def write(self, text: Any) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)


if __name__ == "__main__":
    main()
