r"""Find a shortest behaviour that passes through the lines of a scenario, or say which line cannot follow, and why.

  workbench scenario bakery_v2 story.txt --set AsyncParquet=true --set RestampPatch=false
  workbench scenario bakery_v2 story.txt -o story.html      a page with pictures, to step through
  workbench scenario Hudi.tla --reach 'Len(log) = 3'          a shortest behaviour to such a state

A line is a step - commit, commit(w1), also with its choices, or `commit(w1) where CONDITION` - or a condition on a
state, such as s.decision["w2"] == "lk_409"; # starts a comment. A condition is Python: use only files that you would
run. On a TLA+ module it is TLA+, such as acknowledged # {}, and \* starts a comment. FILE may be - for standard input.
Exit status: 0 found, 1 impossible, 2 bad input, 3 not decided, or found in a
stale translation of PlusCal.
"""

import argparse
import sys

from workbench.checking.following.scenario import scenario
from workbench.commands.output.answers import add_answer, check_answer, give
from workbench.commands.output.files import read_text, reading
from workbench.commands.output.options import add_options, asked_of, budget_of
from workbench.commands.output.progress import progress_line
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Watch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "model")
    parser.add_argument("file", metavar="FILE", nargs="?")
    parser.add_argument(
        "--reach", action="append", metavar="EXPR", help="in place of FILE: a line of the scenario (may be repeated)"
    )
    add_options(parser, "--set", "--path", "--max-states", "--max-seconds")
    add_answer(parser, trace="print the behaviour, as far as it gets")


def run(arguments: argparse.Namespace) -> int:
    if (arguments.file is None) == (arguments.reach is None):
        raise InputError("a scenario takes FILE or --reach EXPR, one of them")
    from_file = arguments.file not in (None, "-")
    asked = asked_of(arguments.model, arguments.set, arguments.path, arguments.max_seconds)
    check_answer(arguments, [*asked.files, *([arguments.file] if from_file else [])])
    model = asked.make()
    lines = arguments.reach
    if lines is None:
        lines = read_text(arguments.file, "scenario") if from_file else sys.stdin.read().removeprefix("\ufeff")
    with reading(arguments.file or "--reach"), progress_line() as on_progress:
        outcome = scenario(model, lines, budget=budget_of(arguments), watch=Watch(on_progress))
    return give(arguments, outcome)
