"""The command line: ``workbench check``, ``list``, ``show``, ``bench`` ... Each command is a module of `commands`."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from workbench import commands
from workbench.kernel.errors import InputError, ModelError

BAD_INPUT = 2


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


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
    """Run one command; returns its exit status, 2 for bad input."""
    given = make_parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except (InputError, ModelError) as error:
        print(f"workbench: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader of our output has gone, as in `workbench list | head -1`
        sys.stderr.close()
        return 0
