"""CPU seconds of tests, by file: what a test takes of the clock depends on what else the machine does.

A test's time is that of its process and of all that this process has started: Spark, browsers and servers go on between
tests, and their time counts for the test during which they take it.
"""

import os
from collections import Counter
from collections.abc import Generator
from contextlib import suppress

import pytest

_TICKS = os.sysconf("SC_CLK_TCK")
#: Tests with none of these marks start no process that goes on beside them; to look for one takes a while.
_MAY_START_OTHERS = "slow", "spark", "browser", "writers"
#: Files with less than this many seconds are summed up in one line.
_LEAST = 10.0


def seconds(with_others: bool) -> float:
    """The CPU time so far of this process and of those that it has waited for; also of those that it has, if asked."""
    return sum(os.times()[:4]) + (_of_others() if with_others else 0.0)


def _of_others() -> float:
    """The CPU time so far of all processes that this one has started, and that these have."""
    ticks, children = dict[int, int](), dict[int, list[int]]()
    for number in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):  # it has ended
            with open(f"/proc/{number}/stat", "rb", buffering=0) as file:
                fields = file.read().rpartition(b")")[2].split()
            ticks[int(number)] = sum(map(int, fields[11:15]))
            children.setdefault(int(fields[1]), []).append(int(number))
    below = [os.getpid()]
    for process in below:
        below += children.get(process, ())
    return sum(ticks[process] for process in below[1:]) / _TICKS


class Plugin:
    """Notes each test's CPU seconds, and prints the files that take most of them."""

    def __init__(self) -> None:
        self._taken = Counter[str]()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        self._has_others = any(map(item.get_closest_marker, _MAY_START_OTHERS))
        self._before = seconds(self._has_others)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "teardown":
            # The time of a process is gone with it if nothing waits for that: a browser that ends takes its own along.
            report.user_properties = [("cpu", max(0.0, seconds(self._has_others) - self._before))]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._taken[report.nodeid.split("::")[0]] += dict(report.user_properties).get("cpu", 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        most = [(file, taken) for file, taken in self._taken.most_common() if taken >= _LEAST]
        rest = self._taken.total() - sum(taken for _, taken in most)
        if not most:
            return
        terminalreporter.section(f"CPU seconds: {self._taken.total():,.0f}")
        for file, taken in most:
            terminalreporter.write_line(f"{taken:7.1f}  {file}")
        terminalreporter.write_line(f"{rest:7.1f}  in other files")
