"""How tests are shared out among processes, and what a run says of that."""

import re
import subprocess
import sys

import pytest

from tests import workers
from tests.places import ROOT

#: Quick tests that need nothing but Python.
FILE, CHOICE = "tests/repository/test_products.py", "hash or name"
THIS = "tests/repository/test_workers.py"


def group_of(request: pytest.FixtureRequest) -> str | None:
    marker = request.node.get_closest_marker("xdist_group")
    return marker and marker.args[0]


@pytest.fixture(scope="module")
def made_once() -> list[str]:
    return []


def test_a_quick_one_is_in_the_group_of_its_file(request: pytest.FixtureRequest) -> None:
    assert group_of(request) == THIS


@pytest.mark.slow
def test_so_is_a_slow_one_that_takes_what_its_module_makes_once(
    made_once: list[str], request: pytest.FixtureRequest
) -> None:
    assert group_of(request) == THIS


@pytest.mark.slow
def test_any_worker_may_take_a_slow_one_that_shares_nothing(request: pytest.FixtureRequest) -> None:
    assert group_of(request) is None


def test_a_test_is_told_without_the_group_that_is_appended_to_its_id() -> None:
    for test in ("tests/a.py::test_b", "tests/a.py::test_b[c@d]"):
        assert workers.without_group(test) == (test, "")
        assert workers.without_group(f"{test}@{FILE}") == (test, FILE)


@pytest.mark.slow
def test_one_worker_takes_the_quick_ones_of_a_file_and_the_end_of_each_is_told() -> None:
    command = [sys.executable, "-m", "pytest", "-n2", "--dist", "loadgroup", "-v", FILE, "-k", CHOICE, "-m", "not slow"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.findall(r"\[(gw\d)\].* PASSED (\S+) *$", done.stdout, re.MULTILINE)
    assert len(passed) > 1
    assert len({worker for worker, _ in passed}) == 1
    assert all(test.startswith(f"{FILE}::") and "@" not in test for _, test in passed)
    worker, last = passed[-1]
    assert re.search(rf"^{worker}: files \d+: {re.escape(last)}$", done.stdout, re.MULTILINE)
