"""Exit statuses and marks, derived from verdicts alone."""

from rich.markup import escape

from workbench.configurations import Configuration, spell_verdict
from workbench.kernel import Result, Verdict

HOLDS, VIOLATED, UNKNOWN = 0, 1, 3

MARKS = {True: "[green]\N{CHECK MARK}[/]", False: "[bold red]\N{BALLOT X}[/]", None: "[yellow]?[/]"}


def of_answer(answer: bool | None) -> int:
    """0 for yes, 1 for no, 3 for unknown."""
    return {True: HOLDS, False: VIOLATED, None: UNKNOWN}[answer]


def of_result(result: Result) -> int:
    """0 if everything holds, 1 if something is violated, 3 if something is unknown or nothing was checked."""
    return of_answer(result.holds)


def of_comparison(expected: Configuration, result: Result) -> int:
    """0 if as expected, 1 if different, 3 if nothing differs but not everything expected was shown."""
    if expected.differences(result):
        return VIOLATED
    return HOLDS if expected.as_expected(result) else UNKNOWN


def verdict_line(verdict: Verdict) -> str:
    """A verdict as a line for the console, with its mark and reason."""
    line = f"{MARKS[verdict.holds]} {spell_verdict(verdict):<24} {verdict.name}"
    return line + (escape(f": {verdict.why}") if verdict.why else "")
