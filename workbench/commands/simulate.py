"""Walk through a model's states at random, for spaces too large to search.

  workbench simulate paimon --seconds 60                   on all cores; violations print their trace
  workbench simulate bakery_v2 --walks 100000 --seed 7     the same walks again, on any number of workers
  workbench simulate hudi --swarm --depth 1000             longer walks, each preferring different actions

What walks meet is certain. What they do not meet remains open, however many there are.
Exit status: 0 everything wanted is reached, 1 something is violated, 2 bad input, 3 something is unknown.
"""

import argparse
import json

from rich.console import Console
from rich.table import Table

from workbench.commands import outputs, status
from workbench.commands.answers import print_model, print_traces, with_deadlock
from workbench.commands.options import above_zero, add_options, add_workers, asked_of, console
from workbench.commands.progress import progress_line
from workbench.commands.standard import say
from workbench.engines.walks.result import UNIFORM, Simulation, without_liveness

_WRITTEN = (*outputs.SHOWN, "--itf")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "model", "--set", "--property", "--deadlock")
    parser.add_argument(
        "--seconds", type=above_zero(float), metavar="S", help="walk for this long (10 without --walks)"
    )
    parser.add_argument("--walks", type=above_zero(int), metavar="N", help="make this many walks")
    parser.add_argument(
        "--depth", type=above_zero(int), default=200, metavar="D", help="at most this many steps per walk (200)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed makes the same walks (0)")
    parser.add_argument(
        "--uniform", choices=UNIFORM, default="actions", help="what is drawn with equal chances (default: actions)"
    )
    parser.add_argument("--swarm", action="store_true", help="let each walk prefer different actions")
    add_workers(parser, "threads, or tasks on Spark", default=None)
    parser.add_argument("--engine", choices=("local", "spark"), default="local")
    add_options(parser, "--fail-fast")
    parser.add_argument(
        "--shorten", type=int, metavar="N", help="visit at most this many states to shorten a trace (1000000)"
    )
    add_options(parser, "--trace", "--json")
    outputs.add_shown(parser)
    add_options(parser, "--itf")


def run(arguments: argparse.Namespace) -> int:
    outputs.check_printed(arguments)
    asked = asked_of(arguments.model, arguments.set)
    outputs.check_shown(arguments, asked.files, _WRITTEN)
    model, properties = asked.make(), arguments.property
    left_out: list[str] = []
    if properties is None:
        properties, left_out = without_liveness(model, asked.properties)
    if arguments.deadlock:
        properties = with_deadlock(model, properties)
    from workbench.engines.walks.simulate import SHORTEN, simulate  # numba loads here, not with the command line

    with outputs.failing(arguments, _WRITTEN), progress_line(told=str) as on_progress:
        seen = simulate(
            model,
            properties,
            seconds=arguments.seconds,
            walks=arguments.walks,
            depth=arguments.depth,
            seed=arguments.seed,
            uniform=arguments.uniform,
            swarm=arguments.swarm,
            workers=arguments.workers,
            engine=arguments.engine,
            fail_fast=arguments.fail_fast,
            shorten=SHORTEN if arguments.shorten is None else arguments.shorten,
            on_progress=on_progress,
        )
    seen.notes.extend(left_out)
    with outputs.printing(arguments, _WRITTEN):
        if arguments.json:
            say(json.dumps(seen.as_dict()))
        else:
            print_simulation(console(), seen, arguments.trace)
    traced = outputs.trace_of(seen)
    outputs.write_shown(arguments, lambda: traced and traced[1], _WRITTEN)
    return status.of_answer(seen.holds)


def print_simulation(out: Console, seen: Simulation, witnesses: bool = False) -> None:
    """Print a simulation: its size, the verdicts, the actions taken, and the traces of violations."""
    print_model(out, seen.model)
    for line in seen.lines:
        out.print(line, markup=False)
    out.print()
    for verdict in seen.verdicts:
        out.print(status.verdict_line(verdict))
    table = Table("action", "enabled", "taken", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for action in seen.actions:
        table.add_row(action.name, f"{action.enabled:,}", f"{action.taken:,}")
    out.print()
    out.print(table)
    print_traces(out, seen, witnesses)
