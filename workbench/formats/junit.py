"""Reports for continuous integration: JUnit XML, and annotation lines for GitHub Actions."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.etree import ElementTree

from workbench.kernel import Result, Verdict
from workbench.kernel.meaning.text import printable, printable_lines
from workbench.kernel.meaning.values import counted

PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"


@dataclass(frozen=True)
class CaseFinding:
    """One problem, and the place to look at.

    Attributes:
        message: One line.
        file: Relative to the top of the repository.
        line: In that file, from 1.
    """

    message: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class JunitCase:
    """One test case.

    Attributes:
        outcome ({"passed", "failed", "unknown"}): Unknown is reported as an error: an undecided property must not look
            as if it held.
        message: The problem in one line; for a passed case, the bounds within which it passed.
        detail: The problem in full, such as the trace.
        findings: The single problems; without any, the message is the only one.
    """

    name: str
    outcome: str = PASSED
    message: str = ""
    detail: str = ""
    findings: tuple[CaseFinding, ...] = ()


@dataclass(frozen=True)
class Suite:
    """One check with its cases.

    Attributes:
        properties: Facts about the check, such as the number of states.
    """

    name: str
    cases: list[JunitCase]
    seconds: float = 0.0
    properties: dict[str, str] = field(default_factory=dict)


def case_of(verdict: Verdict) -> JunitCase:
    """A verdict as a case."""
    if verdict.holds:
        bounded = "" if verdict.within is None else f"{verdict.name} {verdict.word}: {verdict.why}"
        return JunitCase(verdict.name, message=bounded)
    if verdict.holds is None:
        return JunitCase(verdict.name, UNKNOWN, f"{verdict.name} is not decided: {verdict.why}")
    states = "" if verdict.trace is None else f" (a trace of {counted(len(verdict.trace), 'state')})"
    message = f"{verdict.name} is {verdict.word}{states}" + (f": {verdict.why}" if verdict.why else "")
    return JunitCase(verdict.name, FAILED, message, "" if verdict.trace is None else repr(verdict.trace))


def suite_of(name: str, result: Result) -> Suite:
    """The result of a check as a suite, with a case per property, or one that says that nothing is checked."""
    cases = [case_of(verdict) for verdict in result.verdicts] or [
        JunitCase(result.model.name, UNKNOWN, "nothing is checked")
    ]
    facts = {
        "model": result.model.name,
        "constants": json.dumps(result.model.spelled()),
        "engine": result.engine,
        "distinct": str(result.distinct),
        "depth": str(result.depth),
        **({} if result.within is None else {"within": result.within, "outside": str(result.outside)}),
    }
    return Suite(name, cases, result.seconds, facts)


def to_junit(suites: Iterable[Suite]) -> str:
    """JUnit XML for Jenkins, GitLab and others: a ``testsuite`` per check, a ``testcase`` per property.

    Control characters become escapes, since XML cannot hold most of them.
    """
    suites = list(suites)
    root = ElementTree.Element("testsuites", {"name": "workbench", **_totals(suites)})
    for suite in suites:
        element = _add(root, "testsuite", name=suite.name, **_totals([suite]))
        if suite.properties:
            properties = _add(element, "properties")
            for name, value in suite.properties.items():
                _add(properties, "property", name=name, value=value)
        for case in suite.cases:
            test = _add(element, "testcase", name=case.name, classname=suite.name)
            if file := next((finding.file for finding in case.findings), None):
                test.set("file", printable(file))  # GitLab makes a link of it
            if case.outcome != PASSED:
                tag = "failure" if case.outcome == FAILED else "error"
                problem = _add(test, tag, message=case.message, type=case.outcome)
                problem.text = printable_lines(case.detail)
            elif case.message:
                _add(test, "system-out").text = printable_lines(case.message)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, {name: printable(value) for name, value in attributes.items()})


def _totals(suites: list[Suite]) -> dict[str, str]:
    outcomes = [case.outcome for suite in suites for case in suite.cases]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count(FAILED)),
        "errors": str(outcomes.count(UNKNOWN)),
        "time": f"{sum(suite.seconds for suite in suites):.3f}",
    }


def annotations(suites: Iterable[Suite], file: str | None = None) -> list[str]:
    """Failures as lines for GitHub Actions, one per finding: ``::error``, or ``::warning`` for undecided cases.

    Args:
        file: The file in the repository for findings that name none.

    Examples:
        >>> annotations([Suite("v2", [JunitCase("Safe", FAILED, "Safe is violated: 100% lost")])])
        ['::error title=v2%3A Safe::Safe is violated: 100%25 lost']
        >>> lost = CaseFinding("Safe is violated", "models/v2.py", 12)
        >>> annotations([Suite("v2", [JunitCase("Safe", FAILED, "Safe is violated", findings=(lost,))])])
        ['::error file=models/v2.py,line=12,title=v2%3A Safe::Safe is violated']
    """
    lines = []
    for suite in suites:
        for case in suite.cases:
            if case.outcome != PASSED:
                level = "error" if case.outcome == FAILED else "warning"
                for finding in case.findings or (CaseFinding(case.message),):
                    where = {"file": finding.file, "line": finding.line} if finding.file else {"file": file}
                    fields = {**where, "title": f"{suite.name}: {case.name}"}
                    listed = ",".join(f"{key}={_escape(str(value), ':,')}" for key, value in fields.items() if value)
                    lines.append(f"::{level} {listed}::{_escape(finding.message)}")
    return lines


def _escape(text: str, more: str = "") -> str:
    """Percent-encode the characters of GitHub's syntax; `more` lists further ones, for properties."""
    return "".join(f"%{ord(c):02X}" if c in "%" + more else c for c in printable(text))
