"""What the workers of pytest-xdist do, and until when: the run takes as long as the one that ends last."""

import time
from collections.abc import Iterator

import pytest

#: Whatever the workers begin with by file, and what they end with one by one.
_BY_FILE, _ALONE = "files", "others"


def file_of(nodeid: str) -> str:
    """The file of a test, which is also the group of those that share most."""
    return nodeid.partition("::")[0]


def without_group(nodeid: str) -> tuple[str, str]:
    """A test's id as pytest has it, and the group that pytest-xdist has appended to it, or ""."""
    at = nodeid.rfind("@")
    return (nodeid[:at], nodeid[at + 1 :]) if at > nodeid.rfind("]") else (nodeid, "")


class Plugin:
    """In the process that distributes the tests: tells of them without their groups, and at the end of the workers."""

    def __init__(self) -> None:
        self._began = time.time()
        #: By worker and group: the last test, and when it ended.
        self._last = dict[str, dict[str, tuple[float, str]]]()

    @pytest.hookimpl(tryfirst=True)  # whoever tells of a test, or keeps its id, is to have one that pytest takes
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        report.nodeid, group = without_group(report.nodeid)
        if worker := getattr(report, "worker_id", None):
            name = _BY_FILE if group == file_of(report.nodeid) else group or _ALONE
            self._last.setdefault(worker, {})[name] = report.stop - self._began, report.nodeid

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._last:
            terminalreporter.section("seconds after which each worker ended its groups, and its last test")
        for line in self.lines():
            terminalreporter.write_line(line)

    def lines(self) -> Iterator[str]:
        """One for each worker."""
        for worker, groups in sorted(self._last.items()):
            ends = sorted((end, name, test) for name, (end, test) in groups.items())
            yield f"{worker}: {', '.join(f'{name} {end:.0f}' for end, name, _ in ends)}: {ends[-1][2]}"
