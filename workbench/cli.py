"""The command line: ``workbench check``, ``list``, ``show``, ``bench`` ... Each command is a module of `commands`."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from workbench import commands
from workbench.kernel.errors import InputError, ModelError

BAD_INPUT, INTERRUPTED = 2, 3
CLOSED_PIPE = 128 + 13  # what a shell reports for a process that SIGPIPE has ended


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def error(self, message: str) -> NoReturn:
        raise SystemExit(_complain(self.prog, f"{message} (see {self.prog} --help)", BAD_INPUT))


def _complain(who: str, what: object, status: int) -> int:
    """One line on standard error, whatever the text."""
    print(f"{who}: {' '.join(str(what).split())}", file=sys.stderr)
    return status


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(prog="workbench", description="See how lakehouse tables commit, and how they break.")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in commands.load():
        summary = (command.__doc__ or "").splitlines()[0]
        subparser = subparsers.add_parser(command.NAME, help=summary, description=command.__doc__)
        subparser.formatter_class = argparse.RawDescriptionHelpFormatter
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status: 2 for bad input, 3 if it was interrupted without a result."""
    try:
        given = make_parser().parse_args(arguments)
        status = int(given.run(given))
        sys.stdout.flush()
        return status
    except (InputError, ModelError) as error:
        return _complain("workbench", error, BAD_INPUT)
    except KeyboardInterrupt:
        return _complain("workbench", "interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has gone, as in `workbench list | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered goes nowhere
        return CLOSED_PIPE
    except OSError as error:
        return _complain("workbench", error, BAD_INPUT)
