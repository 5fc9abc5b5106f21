"""Fixtures that several test files share."""

import pytest


@pytest.fixture(scope="session")
def spark():
    """One Spark session for all tests."""
    from workbench.explore.session import spark_session

    session = spark_session("local[2,4]")  # a task whose worker dies is tried again
    yield session
    session.stop()
