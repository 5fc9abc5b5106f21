"""Fixtures that several test files share."""

import signal

import pytest


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
