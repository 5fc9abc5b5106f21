"""Write a check's traces in other tools' formats, and its reports for continuous integration."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from workbench.commands import places, standard
from workbench.commands.files import check_paths, writing_text
from workbench.commands.options import add_options
from workbench.configurations import COUNTS, Configuration, Mismatch, told_path
from workbench.formats.itf import to_itf
from workbench.formats.junit import FAILED, UNKNOWN, CaseFinding, JunitCase, Suite, annotations, suite_of, to_junit
from workbench.formats.mermaid import to_mermaid
from workbench.formats.tlc_trace import to_tlc_json
from workbench.kernel import InputError, ModelError, Result, Trace, Verdict
from workbench.kernel.result import Judged
from workbench.kernel.values import counted
from workbench.storage.whole import STDOUT


def _page(trace: Trace) -> str:
    from workbench import view  # plotting libraries load here, not with the command line

    return view.trace_page(trace)


def _animated(trace: Trace) -> str:
    from workbench import view

    return view.animated_svg(trace) + "\n"


#: The formats that show a trace to people.
SHOWN: dict[str, Callable[[Trace], str]] = {"--html": _page, "--svg": _animated}
_TRACES: dict[str, Callable[[Trace], str]] = {
    "--itf": lambda trace: _json(to_itf(trace)),
    "--tlc-json": lambda trace: _json(to_tlc_json(trace)),
    "--mermaid": to_mermaid,
    **SHOWN,
}
ALL = (*_TRACES, "--junit")


def _json(document: dict[str, object]) -> str:
    return json.dumps(document, indent=1) + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "output",
        "The trace is that of the first violated property, or of a reachable one that is checked alone. "
        "FILE may be - for standard output; all other output then goes to standard error.",
    )
    add_options(group, "--itf")
    group.add_argument("--tlc-json", metavar="FILE", help="write the trace as TLC does")
    group.add_argument("--mermaid", metavar="FILE", help="write the trace as Markdown with a sequence diagram")
    add_shown(group)
    group.add_argument("--junit", metavar="FILE", help="write a JUnit XML report")
    group.add_argument("--annotations", action="store_true", help="print what failed as GitHub Actions reads it")


def add_shown(parser: argparse._ActionsContainer) -> None:
    """The options that write a trace for people."""
    parser.add_argument("--html", metavar="FILE", help="write the trace as a page with pictures, to step through")
    parser.add_argument("--svg", metavar="FILE", help="write the trace as an animated picture")


def check_printed(arguments: argparse.Namespace) -> None:
    """Raise :class:`InputError` if traces and one JSON object would both be printed."""
    if arguments.trace and arguments.json:
        raise InputError("--trace is not accepted with --json, which has no states; --itf writes a trace as JSON")


def check_shown(
    arguments: argparse.Namespace, inputs: Sequence[str | Path], options: Sequence[str] = tuple(SHOWN)
) -> None:
    """Raise :class:`InputError` if these options, by default those of `add_shown`, name unwritable files."""
    check_paths(inputs, _files(arguments, options))


def write_shown(
    arguments: argparse.Namespace, behaviour: Callable[[], Trace | None], options: Sequence[str] = tuple(SHOWN)
) -> None:
    """Write the trace that `behaviour` returns to the files of these options; it is called only if there are some."""
    for option, path in _files(arguments, options).items():
        trace = behaviour()
        if trace is None:
            standard.remark(f"note: {option}: nothing is written; there is no behaviour to show")
            continue
        with writing_text(path) as out:
            out.write(_TRACES[option](trace))
        standard.remark(f"the behaviour, {counted(len(trace), 'state')}, is written to {path}")


def _files(arguments: argparse.Namespace, options: Sequence[str] = ALL) -> dict[str, str]:
    """The files of the options that were given."""
    given = {option: getattr(arguments, option[2:].replace("-", "_")) for option in options}
    return {option: path for option, path in given.items() if path is not None}


def check_written(arguments: argparse.Namespace, inputs: Sequence[str | Path], checks: int = 1) -> None:
    """Raise :class:`InputError` for outputs that cannot be written, before any of the `checks` starts."""
    files = _files(arguments)
    for option in files:
        if option in _TRACES and checks > 1:
            raise InputError(f"{option} is not accepted with {checks} configurations; a trace belongs to one check")
    others = [path for path in (arguments.cfg, arguments.run_dir) if path is not None]
    check_paths([*inputs, *others], {**({"--json": STDOUT} if arguments.json else {}), **files})


@contextmanager
def printing(arguments: argparse.Namespace, options: Sequence[str] = ALL) -> Iterator[None]:
    """Print to standard error inside, if one of the files is standard output."""
    with standard.writing_to(sys.stderr if STDOUT in _files(arguments, options).values() else standard.output()):
        yield


@contextmanager
def failing(arguments: argparse.Namespace, options: Sequence[str] = tuple(_TRACES)) -> Iterator[None]:
    """Write the trace of a model's error like that of a violation, and re-raise the error."""
    try:
        yield
    except ModelError as error:
        if error.trace is not None:
            with printing(arguments, options):
                if arguments.json:
                    standard.say(json.dumps({"error": str(error), "trace_states": len(error.trace)}))
            _write(_files(arguments, options), "the error", error.trace)
        raise


def write_trace(arguments: argparse.Namespace, result: Result) -> None:
    """Write the trace of a check to the files of the options."""
    traced, files = trace_of(result), _files(arguments, tuple(_TRACES))
    if not files:
        return
    if traced is None:
        why = "nothing has a counterexample, and the witness of a reachable property is written if it is checked alone"
        standard.remark(f"note: {', '.join(files)}: no trace is written; {why}")
        return
    _write(files, *traced)


def _write(files: dict[str, str], name: str, trace: Trace) -> None:
    for option, path in files.items():
        with writing_text(path) as out:
            out.write(_TRACES[option](trace))
    if files:
        states = counted(len(trace), "state")
        standard.remark(f"the trace of {name}, {states}, is written to {', '.join(files.values())}")


def trace_of(result: Judged) -> tuple[str, Trace] | None:
    """The first violated property with its trace, or the only property checked with its witness."""
    alone = result.verdicts if len(result.verdicts) == 1 else []
    return next(((v.name, v.trace) for v in [*result.violated, *alone] if v.trace is not None), None)


def write_reports(arguments: argparse.Namespace, suites: Sequence[tuple[Suite, str | None]]) -> None:
    """Write the reports for continuous integration; each suite comes with the file for its annotations."""
    if arguments.junit is not None:
        with writing_text(arguments.junit) as out:
            out.write(to_junit(suite for suite, _ in suites))
    if arguments.annotations:
        taken = arguments.json or STDOUT in _files(arguments).values()
        for suite, file in suites:
            for line in annotations([suite], file):
                print(line, file=sys.stderr if taken else standard.output())  # GitHub reads both


def suite_of_model(result: Result) -> Suite:
    """A check as a suite with a case per property, each placed in the model's file."""
    suite = suite_of(result.model.name, result)
    verdicts = {verdict.name: verdict for verdict in result.verdicts}
    return replace(suite, cases=[_placed(case, result, verdicts.get(case.name)) for case in suite.cases])


def _placed(case: JunitCase, result: Result, verdict: Verdict | None) -> JunitCase:
    if verdict is None:
        return case
    return replace(case, findings=(CaseFinding(case.message, *places.of_property(result.model, verdict)),))


def suite_of_configuration(one: Configuration, result: Result) -> Suite:
    """A configuration as a suite with one case, which passes if everything is as expected."""
    if different := one.compared(result):
        verdicts = {verdict.name: verdict for verdict in result.verdicts}
        found = [(difference, verdicts.get(difference.name)) for difference in different]
        lines = list(map(str, different))
        traces = [f"{v.name}:\n{v.trace}" for _, v in found if v and v.holds is False and v.trace is not None]
        verdicts_first = sorted(found, key=lambda what: what[0].name in COUNTS)  # GitHub shows only ten lines
        findings = tuple(_finding(one, *what) for what in verdicts_first)
        case = JunitCase(one.title, FAILED, "; ".join(lines), "\n\n".join(["\n".join(lines), *traces]), findings)
    elif result.cut_short is not None:
        case = JunitCase(one.title, UNKNOWN, f"incomplete: {result.cut_short}")
    elif not one.as_expected(result):
        case = JunitCase(one.title, UNKNOWN, "nothing is expected, and nothing is checked")
    else:
        case = JunitCase(one.title)
    return replace(suite_of(told_path(one.path), result), cases=[case])


def _finding(one: Configuration, different: Mismatch, verdict: Verdict | None) -> CaseFinding:
    why = verdict.why if verdict is not None and verdict.holds is False else None
    said = f"{different}: {why}" if why else str(different)
    return CaseFinding(said, *places.of_difference(one, different, verdict))


def suite_of_unchecked(one: Configuration) -> Suite:
    """The suite of a configuration that was not reached before the command was interrupted."""
    return Suite(told_path(one.path), [JunitCase(one.title, UNKNOWN, "not checked: interrupted")])
