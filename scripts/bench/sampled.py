"""The daemon of Spark's Python workers, each of which notes 200 times a second what it is doing.

A session uses it with ``spark.python.daemon.module=bench.sampled``.
"""

import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from pyspark import daemon

#: The variable that names the folder with a file of counts for each process.
FOLDER = "BENCH_SAMPLES"
_SECONDS = 0.005

_counts: Counter[str] = Counter()
_work = daemon.worker


def _worker(sock: Any, authenticated: bool) -> int:
    """Do a task, after the fork."""
    if not any(thread.name == FOLDER for thread in threading.enumerate()):
        threading.Thread(target=_sample, args=(threading.get_ident(),), name=FOLDER, daemon=True).start()
    try:
        return _work(sock, authenticated)
    finally:
        Path(os.environ[FOLDER], f"{os.getpid()}.json").write_text(json.dumps(_counts))


def _sample(thread: int) -> None:
    while True:
        time.sleep(_SECONDS)
        frame, stack = sys._current_frames().get(thread), []
        while frame is not None:
            stack.append(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}")
            frame = frame.f_back
        _counts[" ".join(stack)] += 1


if __name__ == "__main__":
    daemon.worker = _worker
    daemon.manager()
