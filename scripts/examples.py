"""What published TLA+ examples give here, beside the figures that they publish: a line for each model.

::

    python scripts/examples.py /path/to/Examples
    python scripts/examples.py /path/to/Examples --only Paxos --seconds 60
    python scripts/examples.py /path/to/Examples --only Paxos --tlc "java -cp tla2tools.jar tlc2.TLC"
    python scripts/examples.py /path/to/Examples --seconds 60 --table data/published/examples.tsv
    python scripts/examples.py /path/to/tlaplus --seconds 10 --table data/published/regressions.tsv

The texts are not ours, and not here: clone tlaplus/Examples (32a32c7). Its manifests name the models, and most say how
many states TLC finds. All are run that are searched exhaustively within a minute by their manifests; and of TLC's own
sources (tlaplus/tlaplus, cc6b616) the models of its regression tests. Each has a process of its own, with a bound of
CPU time. The line at the end counts what is the *same* as published, what is *complete* without a published figure,
what was *stopped* by the bound, where a property is left *undecided*, what is *refused*, with the reason and its line,
and what *differs*. A file has that line and all rows; of the regression tests only those that are neither the same nor
complete. Exit status: 0 if nothing differs.

With ``--tlc`` each is also run by TLC, right after, with one worker and the same bound, and those come first that take
longer here, by how much. TLC's CPU time has the start of Java, about a second; here Python has started.
"""

import argparse
import multiprocessing
import resource
import shlex
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from published import (
    ASSUMPTION,
    DEADLOCK,
    ERROR,
    LIVENESS,
    SAFETY,
    SUCCESS,
    SUITE,
    Example,
    examples_in,
    regressions_in,
)
from tlc import Cost, cost_in_tlc

from workbench.checking.check import check
from workbench.checking.local.search import load_kernels
from workbench.kernel import InputError, ModelError, Result
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.text import columns
from workbench.registry import get_model

_UNKNOWN = "unknown:"
#: What a violation is for TLC, by the kind of the property; any other is one of safety.
_BY_KIND = {"liveness": LIVENESS, "postcondition": ASSUMPTION, "reachable": ASSUMPTION}


class Answer(NamedTuple):
    """What became of an example.

    Attributes:
        kind: ``same``, ``complete``, ``undecided``, ``stopped``, ``refused``, ``differs``, or ``accepted``: TLC ends
            with an error where there is a verdict here.
        why: What differs, or why it was refused.
    """

    kind: str
    distinct: int = 0
    depth: int = 0
    verdict: str = ""
    calls: int = 0
    cpu: float = 0
    megabytes: int = 0
    why: str = ""


def answer(example: Example, seconds: float) -> Answer:
    """Check an example in this process, for so many seconds of CPU time."""
    is_over = threading.Event()
    signal.signal(signal.SIGPROF, lambda *_: is_over.set())
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        model = get_model(f"{example.module}:{example.configuration.absolute()}")()
        fails = example.published.get("result", SUCCESS) != SUCCESS  # TLC ends there: the same is asked of this search
        watch = Watch(should_stop=is_over.is_set)
        result = check(model, budget=Budget(seconds=20 * seconds), fail_fast=fails, watch=watch)
        error = result.error
    except (InputError, ModelError) as raised:
        result, error = None, raised
    if result is None or error is not None:
        kind = "same" if _is_expected(str(error), example.published.get("result", "")) else "refused"
        return Answer(kind, verdict=ERROR, why=str(error))
    verdict = _verdict(result, example.with_deadlock)
    if example.published.get("result") == ERROR and result.complete:
        return Answer("accepted", result.distinct, result.depth, verdict)
    kind, reason = _compared(example.published, result, verdict)
    calls = int(result.figures.get("python_calls", 0))
    return Answer(kind, result.distinct, result.depth, verdict, calls, why=reason)


def _is_expected(error: str, published: str) -> bool:
    """Whether TLC ends with an error, too; an assumption that fails is none of a configuration that is refused."""
    return published == ERROR or (published == ASSUMPTION and ".cfg: line" not in error)


def _compared(published: dict[str, Any], result: Result, verdict: str) -> tuple[str, str]:
    """What became of a search, and why."""
    if not result.complete and not result.violated:
        return "stopped", ""
    is_undecided = verdict.startswith(_UNKNOWN)
    if {published.get("result"), verdict} == {SAFETY, LIVENESS} and _is_temporal(result):
        verdict = published["result"]  # TLC says so of a PROPERTY by where it finds out
    ours: dict[str, Any] = {} if is_undecided else {"result": verdict}
    if is_undecided or verdict == SUCCESS:  # else TLC ends in the midst of a level
        ours["distinctStates"] = result.distinct
    differing = [
        f"{key} {published[key]} {value}"
        for key, value in ours.items()
        if published.get(key) not in (value, None, "unknown")
    ]
    if differing:
        return "differs", "; ".join(differing)
    if is_undecided:
        return "undecided", ""
    return "same" if verdict == SUCCESS and "distinctStates" in published else "complete", ""


def _is_temporal(result: Result) -> bool:
    return any(verdict.kind in ("step", "liveness") for verdict in result.violated)


def _verdict(result: Result, with_deadlock: bool) -> str:
    wrong = [v for v in result.verdicts if v.holds is False and (with_deadlock or v.name != "Deadlock")]
    if not wrong:
        unknown = [verdict for verdict in result.verdicts if verdict.holds is None]
        return f"{_UNKNOWN} {unknown[0].name}" if unknown else SUCCESS
    kinds = {DEADLOCK if verdict.name == "Deadlock" else _BY_KIND.get(verdict.kind, SAFETY) for verdict in wrong}
    return next(kind for kind in (SAFETY, DEADLOCK, LIVENESS, ASSUMPTION) if kind in kinds)


def _send(sender: Connection, example: Example, seconds: float, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    most = int(time.process_time() + 4 * seconds) + 10
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    began = time.process_time()
    try:
        reply = answer(example, seconds)
    except BaseException as error:
        reply = Answer("differs", why=f"{type(error).__name__}: {error}")
    most_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    sender.send(reply._replace(cpu=time.process_time() - began, megabytes=most_memory))


def answered(example: Example, seconds: float, memory: int) -> Answer:
    """The answer of a process of its own."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, example, seconds, memory))
    process.start()
    sender.close()
    try:
        reply: Answer = receiver.recv()
    except EOFError:
        reply = Answer("stopped", why="no answer within the bounds of time and memory")
    process.join()
    return reply


def _times(reply: Answer, cost: Cost) -> tuple[float, str]:
    """How many times TLC's CPU time a search takes here, and as text, with a mark if one of them was stopped.

    It is 0 and "" if both were, one came to no end of its own, or nobody knows what it took until it was killed.
    """
    ours, theirs = reply.kind == "stopped", cost.status == "stopped"
    no_answer = reply.kind in ("refused", "differs", "accepted") or not reply.cpu
    if no_answer or cost.status not in ("", "stopped") or (ours and theirs):
        return 0, ""
    ratio = round(reply.cpu / cost.cpu, 1)
    return ratio, f"{'>' if ours else '<' if theirs else ''}{ratio}"


def write(table: Path, rows: list[Sequence[str]], counts: str) -> None:
    """Write the rows into a file, below a line with the counts."""
    table.write_text("\n".join([f"# {counts}", *("\t".join(row) for row in rows)]) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the examples are")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="those with this in their names")
    parser.add_argument("--seconds", type=float, default=30, help="of CPU time for each (default: %(default)g)")
    parser.add_argument("--memory", type=int, default=8, help="GiB of addresses for each (default: %(default)s)")
    parser.add_argument("--table", type=Path, help="a file to write the table into, separated by tabs")
    parser.add_argument("--tlc", type=shlex.split, default=[], metavar="COMMAND", help="starts TLC, to compare with")
    options = parser.parse_args()
    load_kernels()
    is_suite = (options.folder / SUITE).is_dir()
    header = ["example", "kind", "published", "distinct", "depth", "verdict", "calls", "CPU s", "MB"]
    rows, kinds, times = list[Sequence[str]](), Counter[str](), dict[str, float]()
    for example in regressions_in(options.folder) if is_suite else examples_in(options.folder):
        if options.only and not any(text in example.name for text in options.only):
            continue
        reply = answered(example, options.seconds, options.memory << 30)
        kinds[reply.kind] += 1
        published = example.published.get("distinctStates")
        row = [example.name, reply.kind, "" if published is None else f"{published:,}", f"{reply.distinct:,}"]
        row += [
            str(reply.depth),
            reply.why or reply.verdict,
            f"{reply.calls:,}",
            f"{reply.cpu:.1f}",
            f"{reply.megabytes:,}",
        ]
        if options.tlc:
            cost = cost_in_tlc(options.tlc, example, options.seconds)
            times[example.name], text = _times(reply, cost)
            row += [cost.status or f"{cost.cpu:.1f}", f"{cost.megabytes:,}", text]
        rows.append(row)
        print(*row, sep=" | ", file=sys.stderr, flush=True)
    counts = f"{kinds.total()} models: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}."
    if options.tlc:
        header += ["TLC s", "TLC MB", "times"]
        rows.sort(key=lambda row: -times[row[0]])
        counts += f" Slower than TLC: {sum(ratio > 1 for ratio in times.values())}."
    print(*columns([header, *rows], right={2, 3, 4, *range(6, len(header))}), "", counts, sep="\n")
    if options.table is not None:
        shown = [row for row in rows if not is_suite or row[1] not in ("same", "complete")]
        write(options.table, [header, *shown], counts)
    return 1 if kinds["differs"] or not kinds else 0


if __name__ == "__main__":
    sys.exit(main())
