"""The command ``workbench``, also as ``python -m workbench``: what belongs to a process, around the command line."""

import atexit
import contextlib
import io
import os
import signal
import sys
from typing import Any, NoReturn

INTERRUPTED = 3


def main() -> NoReturn:
    """Run the command that the process was given, and end with its exit status.

    Ctrl-C lets a search end with what it has, and so does being told to end (SIGTERM): what was half written goes, and
    the files that it was to replace stay. Where nothing can make use of it - while modules load, or a second time - it
    ends the process with one line; and silently once everything has been said.
    """
    status = INTERRUPTED

    def leave(*_: Any) -> NoReturn:
        os._exit(status)

    _on_interrupt(_end_interrupted)
    # As the last thing that Python does at its end: for an interrupt that came up in text that is executed (as in
    # namedtuple), and was handled, it would let the process die by the signal instead of giving the status.
    atexit.register(leave)
    sys.unraisablehook = _unraisable
    _open_what_is_closed()
    try:
        from workbench import cli

        _on_interrupt(signal.default_int_handler)
        status = cli.main()
        _on_interrupt(leave)
    except KeyboardInterrupt:
        _end_interrupted()
    sys.exit(status)


def _on_interrupt(handler: Any) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for what a script runs in the background
            signal.signal(number, handler)


def _end_interrupted(*_: Any) -> NoReturn:
    """End at once: an exception might come up where it is swallowed, or shown as a traceback."""
    with contextlib.suppress(OSError):
        os.write(2, b"workbench: interrupted\n")
    os._exit(INTERRUPTED)


def _unraisable(what: Any) -> None:
    """What cannot be raised where it happens, as in a finaliser, would be shown as a traceback; an interrupt counts."""
    if isinstance(what.exc_value, KeyboardInterrupt):
        _end_interrupted()
    sys.__unraisablehook__(what)


def _open_what_is_closed() -> None:
    """Let what nobody reads go nowhere.

    Else the next file that is opened takes the place of a standard output that the shell has closed (``>&-``).
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
    """What is said in vain is no error: there is nobody to tell."""

    def write(self, text: Any) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)


if __name__ == "__main__":
    main()
