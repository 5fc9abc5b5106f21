"""Walk through a model's states at random, for spaces too large to search, or by hand.

  workbench walk paimon --max-seconds 60               on all cores; violations print their trace
  workbench walk bakery_v2 --walks 100000 --seed 7     the same walks again, on any number of workers
  workbench walk hudi --swarm --depth 1000             longer walks, each preferring different actions
  workbench walk two_buckets_unprotected --by-hand     you choose each step; try to lose a row

What walks meet is certain. What they do not meet remains open, however many there are.
Exit status: 0 nothing is violated, and everything wanted is reached, as far as the walks went; 1 something is violated,
2 bad input, or an error of the model, 3 something wanted is not reached, or liveness was asked for, or the walks were
interrupted, or were made in a stale translation of PlusCal.
"""

import argparse
from collections.abc import Sequence

from workbench.checking.walks.result import UNIFORM, WalkRule, without_liveness
from workbench.commands.output import status
from workbench.commands.output.answers import ALL_TRACES, add_answer, check_answer, failing, give, write
from workbench.commands.output.options import above_zero, add_options, add_workers, asked_of
from workbench.commands.output.progress import progress_line
from workbench.kernel import InputError, Machine
from workbench.kernel.meaning.budget import INTERRUPTED, Watch
from workbench.kernel.meaning.translation import known_in


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "model", "--set", "--path", "--property", "--deadlock")
    add_options(
        parser, "--max-seconds", help="walk for this long; without it and --walks until a violation, 10 at most"
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
    parser.add_argument("--by-hand", action="store_true", help="ask for each step, and say what it breaks")
    add_options(parser, "--fail-fast")
    parser.add_argument(
        "--shorten", type=int, metavar="N", help="visit at most this many states to shorten a trace (1000000)"
    )
    add_answer(parser, trace=ALL_TRACES)


def run(arguments: argparse.Namespace) -> int:
    asked = asked_of(arguments.model, arguments.set, arguments.path, arguments.max_seconds)
    check_answer(arguments, asked.files)
    model, properties = asked.make(), arguments.property
    left_out: list[str] = []
    if properties is None:
        properties, left_out = without_liveness(model, asked.properties)
    else:
        model, properties = model.asking(properties)
    properties = model.chosen(properties, arguments.deadlock)
    if arguments.by_hand:
        return _by_hand(arguments, model, properties)
    from workbench.checking.walks.simulate import SHORTEN, simulate  # numba loads here, not with the command line

    rule = WalkRule(
        walks=arguments.walks,
        seconds=arguments.max_seconds,
        depth=arguments.depth,
        seed=arguments.seed,
        uniform=arguments.uniform,
        swarm=arguments.swarm,
    )
    with failing(arguments), progress_line(text=str) as on_progress:
        seen = simulate(
            model,
            properties,
            rule=rule,
            fail_fast=arguments.fail_fast,
            shorten=SHORTEN if arguments.shorten is None else arguments.shorten,
            spark=arguments.engine == "spark",
            workers=arguments.workers,
            watch=Watch(on_progress),
        )
    seen.notes.extend(left_out)
    exit_status = give(arguments, seen)
    undecided = [verdict for verdict in seen.undecided if verdict.kind in ("reachable", "liveness")]
    ended = known_in(seen.translation, seen.stopped != INTERRUPTED and bool(seen.verdicts))
    return status.HOLDS if exit_status == status.UNKNOWN and ended and not undecided else exit_status


def _by_hand(arguments: argparse.Namespace, model: Machine, properties: Sequence[str] | None) -> int:
    for name in ("max_seconds", "walks", "swarm", "shorten", "workers", "json"):
        if getattr(arguments, name):
            raise InputError(f"--{name.replace('_', '-')} is not accepted with --by-hand, which takes no walks")
    from workbench.commands.by_hand import walk_by_hand  # pictures load here, not with the command line

    trace, broken = walk_by_hand(model, properties)
    write(arguments, trace, "the behaviour", {})
    return status.of_answer(known_in(model.declared.translation, not broken))
