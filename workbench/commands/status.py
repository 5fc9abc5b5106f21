"""What an answer is on the command line: its exit status, made from verdicts alone, and its mark."""

from rich.markup import escape

from workbench.configurations import Configuration, spell_verdict
from workbench.kernel import Result, Verdict

HOLDS, VIOLATED, UNKNOWN = 0, 1, 3

MARKS = {True: "[green]\N{CHECK MARK}[/]", False: "[bold red]\N{BALLOT X}[/]", None: "[yellow]?[/]"}


def of_answer(answer: bool | None) -> int:
    """0 yes, 1 no, 3 it is not known."""
    return {True: HOLDS, False: VIOLATED, None: UNKNOWN}[answer]


def of_result(result: Result) -> int:
    """0 everything holds, 1 something is violated, 3 something is not known, or nothing was checked."""
    return of_answer(result.holds)


def of_comparison(expected: Configuration, result: Result) -> int:
    """0 as expected, 1 different, 3 neither: nothing differs, but not everything that is expected was shown."""
    if expected.differences(result):
        return VIOLATED
    return HOLDS if expected.as_expected(result) else UNKNOWN


def verdict_line(verdict: Verdict) -> str:
    """A verdict as a line of text for a console, with its mark and the reason."""
    line = f"{MARKS[verdict.holds]} {spell_verdict(verdict):<24} {verdict.name}"
    return line + (escape(f": {verdict.why}") if verdict.why else "")
