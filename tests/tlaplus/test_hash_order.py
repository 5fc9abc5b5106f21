"""What is said of values never depends on the order in which Python goes through a set, which its hashes decide."""

import os
import subprocess
import sys

import pytest

#: An error where a member is met that cannot be compared, and FALSE where one is met before that is none.
ASKED = """
from workbench.kernel.meaning.values import Name
from workbench.tlaplus.values.lazy import has
from workbench.tlaplus.values.sets import BOOLEAN, Subsets
from workbench.tlaplus.values.values import EvaluationError

for members, value in [
    (Subsets(BOOLEAN), frozenset({Name("m1"), frozenset()})),
    (frozenset({(1, 2), (5, '"a"')}), (5, 3)),
    (frozenset({'"bcd"', '"cde"', '"abc"'}), 1),
]:
    try:
        print(has(members, value))
    except EvaluationError as error:
        print(error)
"""


@pytest.mark.slow
def test_membership_does_not_depend_on_hashes() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", ASKED], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "12345678"
    }
    assert printed == {
        b'False\nvalues of different kinds are compared in <<5, 3>> and <<5, "a">>\n'
        b'a string and an integer cannot be compared: "abc" and 1\n'
    }
