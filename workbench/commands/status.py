"""The exit status of a check or an audit, made from its verdicts alone."""

from workbench.configurations import Configuration
from workbench.kernel import Result

HOLDS, VIOLATED, UNKNOWN = 0, 1, 3


def of_result(result: Result) -> int:
    """0 everything holds, 1 something is violated, 3 something is not known, or nothing was checked."""
    return {True: HOLDS, False: VIOLATED, None: UNKNOWN}[result.holds]


def of_comparison(expected: Configuration, result: Result) -> int:
    """0 as expected, 1 different, 3 neither: nothing differs, but not everything that is expected was shown."""
    if expected.differences(result):
        return VIOLATED
    return HOLDS if expected.as_expected(result) else UNKNOWN


def of_audit(is_clean: bool | None) -> int:
    """0 nothing is found, 1 a violation is proved, 3 it is not known: something is suspected, or was left out."""
    return {True: HOLDS, False: VIOLATED, None: UNKNOWN}[is_clean]
