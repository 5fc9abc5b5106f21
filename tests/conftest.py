"""Fixtures that several test files share, and what the marks of a test mean."""

import signal
from collections.abc import Iterator

import pytest

#: What each mark allows a test to start; without the mark these variables keep it from starting, in whatever process.
ONLY_WHERE_MARKED = {
    "spark": ("JAVA_HOME", "/only/tests/marked/spark/start/it"),
    "browser": ("PLAYWRIGHT_NODEJS_PATH", "/only/tests/marked/browser/start/one"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Who uses the Spark session is marked so; a worker of pytest-xdist has all tests of Spark, or of the browser."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")
        for mark in ONLY_WHERE_MARKED:
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.xdist_group(mark))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for mark, (variable, nowhere) in ONLY_WHERE_MARKED.items():
            if not item.get_closest_marker(mark):
                patch.setenv(variable, nowhere)
        return (yield)


@pytest.fixture(autouse=True, scope="session")
def interruptible():
    """Processes that tests start can be interrupted, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def spark():
    """One Spark session for all tests."""
    from workbench.engines.spark.session import spark_session

    session = spark_session("local[2,4]")  # a task whose worker dies is tried again
    yield session
    session.stop()
