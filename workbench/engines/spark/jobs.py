"""Spark jobs that can be watched and cancelled while they run."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

_POLL_SECONDS = 0.1

T = TypeVar("T")


def run_job(spark: Any, work: Callable[[], T], watch: Callable[[], None]) -> T:
    """Run `work`, which waits for a job of Spark's, in a thread, and call `watch` again and again meanwhile.

    Whatever `watch` raises, and an interrupt (Ctrl-C), cancels the job, and is raised once that has ended.
    """
    tag = f"workbench-{uuid.uuid4().hex}"

    def tagged() -> T:
        spark.addTag(tag)  # tags belong to the thread
        try:
            return work()
        finally:
            spark.removeTag(tag)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(tagged)
        try:
            while not wait([running], _POLL_SECONDS).done:
                watch()
        except BaseException:
            while not wait([running], _POLL_SECONDS).done:
                spark.interruptTag(tag)  # more than once, since the thread may not have begun its job yet
            raise
        return running.result()
