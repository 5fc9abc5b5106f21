"""Headless Chromium, which fetches nothing from anywhere, for all tests in a browser that follow each other."""

import shutil
from contextlib import ExitStack
from typing import Any

import pytest

PATIENCE = 240_000  # how long anything may take, in milliseconds
_QUIET = ("background-networking", "component-update", "sync", "gpu")


class Patient:
    """A browser whose windows wait as long as tests may; the time that they take is no matter of these tests.

    Attributes:
        closing: Is called before the browser closes.
    """

    def __init__(self, browser: Any, closing: ExitStack) -> None:
        self._browser, self.closing = browser, closing

    def new_context(self, script: str = "", **options: Any) -> Any:
        """A script, if there is one, runs in all of its pages first."""
        context = self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(script)
        return context

    def new_page(self, **options: Any) -> Any:
        page = self._browser.new_page(**options)
        page.set_default_timeout(PATIENCE)
        return page


class Chromium:
    """Starts when a test asks for it.

    It is to be closed before any other test: as long as the driver is there, an event loop runs in this thread.
    """

    def __init__(self) -> None:
        self._open: Patient | None = None

    def browser(self) -> Patient:
        """The one that is open, or a new one; a test is skipped where there is no Chromium."""
        if self._open is None:
            self._open = self._start()
        return self._open

    def _start(self) -> Patient:
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program is None:
            pytest.skip("there is no Chromium on the PATH")
        from playwright.sync_api import expect, sync_playwright

        expect.set_options(timeout=PATIENCE)
        flags = ["--no-sandbox", "--no-first-run", *(f"--disable-{part}" for part in _QUIET)]
        with ExitStack() as closing:
            chromium = closing.enter_context(sync_playwright()).chromium
            browser = chromium.launch(executable_path=program, args=flags, timeout=PATIENCE)
            closing.callback(browser.close)
            return Patient(browser, closing.pop_all())

    def close(self) -> None:
        """Close what is open, if anything is."""
        if self._open is not None:
            closing, self._open = self._open.closing, None
            closing.close()
