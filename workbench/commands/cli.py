"""The command line: ``workbench check``, ``list``, ``show`` ... Each command is a module of `commands`."""

import argparse
import contextlib
import os
import re
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from workbench import __version__, commands
from workbench.commands.output import standard
from workbench.commands.output.status import BAD_INPUT
from workbench.kernel.meaning.budget import OUT_OF_MEMORY
from workbench.kernel.meaning.errors import InputError, ModelError, brief, did_you_mean, unknown

CLOSED_PIPE = 128 + signal.SIGPIPE  # the status that a shell reports for a process ended by this signal
#: The environment variable that asks for tracebacks.
TRACEBACK = "WORKBENCH_TRACEBACK"
_EPILOG = f"""Begin with
  workbench list                          the models, and what each is
  workbench check v2_race -o race.html    what goes wrong in one, as a page to step through
  workbench new mine                      a model of your own

With {TRACEBACK}=1 in the environment, errors come with a traceback."""


class _Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line, with the option that may have been meant."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        parsed, unknown = super().parse_known_args(args, namespace)
        optional = [action.dest for action in self._get_positional_actions() if action.nargs == "?"]
        absent = [name for name in optional if getattr(parsed, name) is None]
        if unknown and absent and (unknown[0] == "-" or not unknown[0].startswith("-")):
            setattr(parsed, absent[0], unknown.pop(0))  # it stands after an option, where argparse no longer looks
        if unknown:  # here and not above, where the command's parser is not at hand
            self._refuse(unknown[0])
        return parsed, unknown

    def _refuse(self, word: str) -> NoReturn:
        options = [option for option in self._option_string_actions if option.startswith("--")]
        name = word.partition("=")[0]
        spoken = re.compile(rf"\b{re.escape(name.lstrip('-'))}\b")
        about = [
            action.option_strings[-1]
            for action in self._actions
            if action.option_strings and spoken.search(action.help or "")
        ]
        near = f" (did you mean {about[0]}?)" if len(about) == 1 else did_you_mean(name, options)
        self.error(f"{brief(word)} is not accepted{near}")

    def error(self, message: str) -> NoReturn:
        raise SystemExit(_complain(self.prog, f"{message}; see {self.prog} --help"))


def _complain(who: str, error: object) -> int:
    """Report an error, and return its exit status."""
    standard.complain(error, who)
    return BAD_INPUT


def make_parser(chosen: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands. Only the command called `chosen` is loaded, with its arguments."""
    parser = _Parser(
        prog="workbench",
        description="See how lakehouse tables commit, and how they break.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lakehouse-workbench {__version__}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name in commands.NAMES:
        subparser = subparsers.add_parser(name, help=commands.first_line(name))
        if name == chosen:
            module = commands.command(name)
            subparser.description = module.__doc__
            subparser.formatter_class = argparse.RawDescriptionHelpFormatter
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status, which is 2 for anything but verdicts."""
    try:
        status = _run(arguments)
    except BrokenPipeError:  # the reader of our output has gone, as in `workbench list | head -1`
        status = CLOSED_PIPE
    try:
        sys.stdout.flush()
    except OSError as error:
        # Discard the buffer, or Python would try to write it again when the process ends.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return CLOSED_PIPE
        if status != BAD_INPUT:
            return _complain("workbench", f"standard output cannot be written: {error.strerror}")
    return status


def _run(arguments: Sequence[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if not words:  # nothing is checked, which a script must not take for success
        make_parser().print_help()
        return BAD_INPUT
    # Before they are parsed, which may fail. `--js` means it too.
    standard.owe_json(any(word.startswith("--j") and "--json".startswith(word) for word in words))
    try:
        parsed = _parsed(words)
        if isinstance(parsed, int):
            return parsed
        with standard.writing_to(sys.stdout):
            status = int(parsed.run(parsed))
        beside = sys.modules.get("workbench.checking.kernels.compiling_beside")  # where nothing is searched, it is not
        if beside is not None and (left := beside.going_on()):
            standard.remark(left)
        return status
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except (InputError, ModelError, OSError) as error:
        _show_traceback(error)
        _raise_interrupt(error.__cause__)
        return _complain("workbench", error)
    except UnicodeEncodeError as error:
        _show_traceback(error)
        return _complain("workbench", f"{brief(error.object)} is not accepted; it takes text that UTF-8 can hold")
    except MemoryError as error:
        _show_traceback(error)
        return _complain("workbench", OUT_OF_MEMORY)
    except BaseException as error:  # of ours, or of a model
        _show_traceback(error)
        _raise_interrupt(error)
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = "".join(traceback.format_exception_only(error))  # also of an error that cannot be turned into text
        return _complain("workbench", f"unexpected {text} ({where.filename}:{where.lineno}; {TRACEBACK}=1 shows more)")


def _parsed(words: Sequence[str]) -> argparse.Namespace | int:
    """The command and its arguments; or the exit status if there is nothing to run."""
    name = next((word for word in words if not word.startswith("-")), None)
    if name is not None and name not in commands.NAMES:
        return _complain("workbench", unknown("command", name, commands.NAMES))
    try:
        return make_parser(name).parse_args(words)
    except SystemExit as done:  # --help, or wrong arguments
        return int(done.code or 0)


def _raise_interrupt(error: BaseException | None) -> None:
    """Re-raise a Ctrl-C that Python has wrapped in another error, as it does while a class is made."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            raise error
        error = error.__cause__ or error.__context__


def _show_traceback(error: BaseException) -> None:
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
