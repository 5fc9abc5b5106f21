"""Tell continuous integration what a check found: JUnit suites, and annotations with the places to look at."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from workbench.commands.output import outputs, places, standard
from workbench.formats.junit import FAILED, UNKNOWN, CaseFinding, JunitCase, Suite, annotations, suite_of, to_junit
from workbench.kernel import Result, Verdict
from workbench.registry.configurations import COUNTS, Configuration, Mismatch, told_path

#: A suite, and the file for its annotations.
Placed = tuple[Suite, str | None]


def junit(suites: Sequence[Placed]) -> str:
    """A JUnit report."""
    return to_junit(suite for suite, _ in suites)


def print_annotations(arguments: argparse.Namespace, suites: Sequence[Placed]) -> None:
    """Print failures as lines for GitHub Actions, which reads both standard output and standard error."""
    taken = arguments.json or outputs.to_standard_output(arguments)
    for suite, file in suites:
        for line in annotations([suite], file):
            print(line, file=sys.stderr if taken else standard.output())


def suite_of_model(result: Result) -> Suite:
    """A check as a suite with a case per property, each placed in the model's file."""
    suite = suite_of(result.model.name, result)
    verdicts = {verdict.name: verdict for verdict in result.verdicts}
    return replace(suite, cases=[_placed(case, result, verdicts.get(case.name)) for case in suite.cases])


def _placed(case: JunitCase, result: Result, verdict: Verdict | None) -> JunitCase:
    if verdict is None:
        return case
    return replace(case, findings=(CaseFinding(case.message, *places.of_property(result.model, verdict)),))


def suite_of_configuration(configuration: Configuration, result: Result) -> Suite:
    """A configuration as a suite with one case, which passes if everything is as expected."""
    if different := configuration.compared(result):
        verdicts = {verdict.name: verdict for verdict in result.verdicts}
        pairs = [(difference, verdicts.get(difference.name)) for difference in different]
        lines = list(map(str, different))
        traces = [f"{v.name}:\n{v.trace}" for _, v in pairs if v and v.holds is False and v.trace is not None]
        verdicts_first = sorted(pairs, key=lambda pair: pair[0].name in COUNTS)  # GitHub shows only ten lines
        findings = tuple(_finding(configuration, *pair) for pair in verdicts_first)
        case = JunitCase(
            configuration.title, FAILED, "; ".join(lines), "\n\n".join(["\n".join(lines), *traces]), findings
        )
    elif result.cut_short is not None:
        case = JunitCase(configuration.title, UNKNOWN, f"incomplete: {result.cut_short}")
    elif not configuration.as_expected(result):
        case = JunitCase(configuration.title, UNKNOWN, "nothing is expected, and nothing is checked")
    else:
        case = JunitCase(configuration.title)
    return replace(suite_of(told_path(configuration.path), result), cases=[case])


def _finding(configuration: Configuration, different: Mismatch, verdict: Verdict | None) -> CaseFinding:
    reason = verdict.why if verdict is not None and verdict.holds is False else None
    text = f"{different}: {reason}" if reason else str(different)
    return CaseFinding(text, *places.of_difference(configuration, different, verdict))


def suite_without_result(configuration: Configuration, reason: str) -> Suite:
    """The suite of a configuration without a result."""
    return Suite(told_path(configuration.path), [JunitCase(configuration.title, UNKNOWN, reason)])
