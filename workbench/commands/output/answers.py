"""Delivers an answer: prints it, writes the requested files, and sets the exit status."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from workbench.commands.output import outputs, standard, status
from workbench.commands.output.console import Lines, console
from workbench.commands.output.files import writing_text
from workbench.commands.output.options import add_options
from workbench.formats.refinement_trace import abstract
from workbench.kernel import InputError, ModelError, Trace
from workbench.kernel.meaning.result import Answer, Judged, Lined
from workbench.kernel.meaning.text import Line, Style, Styled, fitting, printable
from workbench.kernel.meaning.values import counted
from workbench.storage.atomic_files import STDOUT

#: How a command writes a kind of file that is not a trace's; None if there is nothing to write.
Pages = Mapping[str, Callable[[], str | None]]

#: What ``--trace`` prints for a check or for walks.
ALL_TRACES = "print all traces: of further violations, and of what is reached"

_OF_ERROR = "the trace of the error"
_COLOURS: dict[Style | None, str] = {
    "yes": "green",
    "no": "bold red",
    "unknown": "yellow",
    "warning": "bold yellow",
    None: "",
}


def add_answer(
    parser: argparse.ArgumentParser,
    kinds: Iterable[str] = (*outputs.TRACES, outputs.DATA),
    trace: str | None = None,
    descriptions: Mapping[str, str] | None = None,
) -> None:
    """Add the options of every command that gives an answer.

    Args:
        kinds: The suffixes of files that the command writes.
        trace: What ``--trace`` prints; None if there is no such option.
        descriptions: Descriptions of kinds of files, where they differ from those for a trace.
    """
    if trace is not None:
        add_options(parser, "--trace", help=trace)
    add_options(parser, "--json", "--quiet")
    outputs.add_outputs(parser, kinds, descriptions)


def check_answer(arguments: argparse.Namespace, inputs: Sequence[object]) -> None:
    """Raise :class:`InputError` for options of :func:`add_answer` that do not go together, or with the `inputs`."""
    outputs.check_written(arguments, [str(path) for path in inputs])
    if arguments.json and getattr(arguments, "trace", False):
        raise InputError("--trace is not accepted with --json, which has no states; -o FILE.itf.json writes a trace")


def give(arguments: argparse.Namespace, answer: Answer, pages: Pages | None = None) -> int:
    """Print and write an answer.

    Args:
        pages: What is written for kinds of files besides traces.

    Returns:
        The exit status.
    """
    with printing(arguments):
        if arguments.json:
            standard.say_json(json.dumps(answer.as_dict()))
        elif not arguments.quiet:
            out = console()
            with fitting(out.width if out.is_terminal else None):
                lines = answer.styled() if isinstance(answer, Lined) else [answer.text()]
            print_lines(out, lines)
            print_traces(out, answer, getattr(arguments, "trace", False))
    data = {outputs.DATA: lambda: outputs.as_json(answer.as_dict())}
    trace, name, error = answer.trace, name_of(answer), getattr(answer, "error", None)
    if trace is None and isinstance(error, ModelError):
        trace, name = error.trace, _OF_ERROR
    write(arguments, trace, name, {**data, **(pages or {})})
    if error is not None:
        standard.complain(error)
    return status.of_answer(answer.holds, error)


def name_of(answer: Answer) -> str:
    """The name of the answer's trace."""
    shown = getattr(answer, "shown", None)
    return "the behaviour" if shown is None else f"the trace of {shown.name}"


@contextmanager
def printing(arguments: argparse.Namespace) -> Iterator[None]:
    """Within the block, print to standard error if one of the files is standard output."""
    taken = outputs.to_standard_output(arguments)
    with standard.writing_to(sys.stderr if taken else standard.output()):
        yield


@contextmanager
def failing(arguments: argparse.Namespace) -> Iterator[None]:
    """Write the trace of a model's error like that of a violation, and re-raise the error."""
    try:
        yield
    except ModelError as error:
        if error.trace is not None:
            report = {"error": str(error), "trace_states": len(error.trace)}
            with printing(arguments):
                if arguments.json:
                    standard.say_json(json.dumps(report))
            write(arguments, error.trace, _OF_ERROR, {outputs.DATA: lambda: outputs.as_json(report)})
        raise


def write(arguments: argparse.Namespace, trace: Trace | None, name: str, pages: Pages) -> None:
    """Write the files of ``-o``: those in `pages`, and otherwise the trace, which has a `name`."""
    for output in arguments.output:
        if output.kind == outputs.FOLDER:  # the command itself has filled it
            continue
        make = pages.get(output.kind)
        if make is not None:
            text, prefix = make(), ""
        elif trace is not None and output.kind in outputs.TRACES:
            text, prefix = outputs.TRACES[output.kind](trace), f"{name}, {counted(len(trace), 'state')}, is "
        else:
            text, prefix = None, ""
        if text is None:
            standard.remark(f"note: {output}: nothing is written; there is no behaviour to show")
            continue
        with writing_text(output.path) as out:
            out.write(text)
        if output.path != STDOUT:
            standard.remark(f"{prefix}written to {printable(output.path)}")


def print_lines(out: Lines, lines: Iterable[Line]) -> None:
    """Print lines, with their styles as colours."""
    for line in lines:
        head, style, rest = line if isinstance(line, Styled) else Styled(line, None, "")
        out.say(head, _COLOURS[style], rest)


def print_traces(out: Lines, answer: Answer, all_traces: bool) -> None:
    """Print the trace of the first violation, and all others if `all_traces`; a refinement's in both models' terms."""
    if not isinstance(answer, Judged):
        if all_traces and answer.trace is not None:
            out.say(f"\n{answer.trace}")
        return
    for verdict in answer.verdicts:
        if verdict.trace is not None and (all_traces or (verdict is answer.shown and verdict.holds is False)):
            out.say()
            out.say(verdict.name, "bold", f" {verdict.word}: {counted(len(verdict.trace), 'state')}")
            out.say(str(verdict.trace))
            if verdict.trace.refinement is not None:
                out.say(f"\n{abstract(verdict.trace, verdict.trace.refinement)}")
    others = [verdict.name for verdict in answer.violated if verdict.trace is not None and verdict is not answer.shown]
    if others and not all_traces:
        out.say(f"\nViolated, too: {', '.join(others)}; --trace prints all traces")
