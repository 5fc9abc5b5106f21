"""The window in which tests of this folder take turns."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.chromium import Patient
from tests.lab import Lab, Notebook
from tests.showing.browser.holding import HELD


class Turns:
    """One notebook for all tests, in a window that takes longer to open than most of them.

    After a test has failed the next one gets another: what the window was left like is not known.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._notebook: Notebook | None = None
        self._is_for: tuple[Patient, int] | None = None

    def notebook(self, browser: Patient, failed: int) -> Notebook:
        """The notebook for a test before which so many have failed."""
        if self._notebook is None or self._is_for != (browser, failed):
            if self._notebook is not None:
                self._notebook.close()
            self._lab.settings("themes", {"theme": "JupyterLab Light"})
            self._lab.write("shared.ipynb", [])
            self._notebook = Notebook(browser, self._lab, "shared.ipynb", HELD)
            browser.closing.callback(self._notebook.close)
            self._is_for = browser, failed
        return self._notebook


@pytest.fixture(scope="session")
def turns(lab: Lab) -> Turns:
    return Turns(lab)


@pytest.fixture
def shared(browser: Any, turns: Turns, request: pytest.FixtureRequest) -> Iterator[Notebook]:
    """A window that shows some other test's cells, until `show` is called."""
    notebook = turns.notebook(browser, request.session.testsfailed)
    notebook.complaints.clear()
    yield notebook
    assert notebook.complaints == []
