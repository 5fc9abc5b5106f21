"""Fixtures of the tests of panels."""

from collections.abc import Iterator

import pytest

from tests.showing.panels import Kernel


@pytest.fixture(scope="session")
def kernel() -> Iterator[Kernel]:
    kernel = Kernel()
    kernel.run("imports", "from workbench.showing.panel import Simulator, Switches, TracePlayer, Workbench")
    yield kernel
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)
