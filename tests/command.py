"""The command line, run in this process."""

from collections.abc import Callable
from typing import Any, NamedTuple

from workbench.cli import main


class Done(NamedTuple):
    """The exit status, and what was printed."""

    status: Any
    out: str
    err: str


Run = Callable[..., Done]


def runner(capsys: Any) -> Run:
    def run(*arguments: object) -> Done:
        capsys.readouterr()
        try:
            status: Any = main([str(argument) for argument in arguments])
        except SystemExit as end:  # what is wrong with the arguments as such
            status = end.code
        return Done(status, *capsys.readouterr())

    return run
