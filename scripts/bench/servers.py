"""Spark as processes apart, on this machine: a standalone cluster, or a server of Spark Connect."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pyspark

SPARK = Path(pyspark.__file__).parent
_DEPLOY = "org.apache.spark.deploy"
#: Such short runs end before the code is worth more than a quick compilation.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
#: Settings of a session on a cluster of this machine.
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": _QUICK,
    "spark.executor.extraJavaOptions": _QUICK,
    "spark.pyspark.python": sys.executable,
}


class Servers:
    """Spark's own processes, on ports of their own choice; all that they write is in a folder. A context stops them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Servers":
        return self

    def __exit__(self, *error: object) -> None:
        for process in reversed(self._processes):
            process.terminate()  # workers end their executors
        for process in self._processes:
            try:
                process.wait(300)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def master(self) -> str:
        """The address of a new master."""
        return self._daemon("master", "master.Master", r"Starting Spark master at (spark://\S+)")

    def worker(self, name: str, master: str) -> int:
        """Start a worker of one core; returns its process, which starts its executors."""
        options = ["--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / name), master]
        self._daemon(name, "worker.Worker", r"(Successfully registered) with master", *options)
        return self._processes[-1].pid

    def connect(self) -> str:
        """The address of a new server of Spark Connect."""
        at = {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": 0}
        settings = {**at, "spark.ui.enabled": "false", "spark.driver.extraJavaOptions": _QUICK}
        options = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        server = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
        port = self._start(
            "connect", r"started at: \S*:(\d+)", "spark-submit", "--master", "local[2]", *options, *server
        )
        return f"sc://127.0.0.1:{port}"

    def _daemon(self, name: str, kind: str, ready: str, *options: str) -> str:
        at = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        return self._start(name, ready, "spark-class", f"{_DEPLOY}.{kind}", *at, *options)

    def _start(self, name: str, ready: str, program: str, *options: str) -> str:
        log = self.folder / f"{name}.log"
        root = str(Path(__file__).parents[2])
        own = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(self.folder), "SPARK_DAEMON_JAVA_OPTS": _QUICK}
        with log.open("wb") as out:
            process = subprocess.Popen(
                [str(SPARK / "bin" / program), *options],
                cwd=self.folder,
                env={**os.environ, **own, "PYTHONPATH": root, "PYSPARK_PYTHON": sys.executable},
                stdout=out,
                stderr=out,
            )
        self._processes.append(process)
        return _wait_for(ready, log, process)


def _wait_for(pattern: str, log: Path, process: subprocess.Popen[bytes]) -> str:
    """What the first group of a pattern matches in a log, once it does."""
    until = time.monotonic() + 600
    while process.poll() is None and time.monotonic() < until:
        ready = re.search(pattern, log.read_text())
        if ready:
            return ready[1]
        time.sleep(0.1)
    raise AssertionError(f"{log.name} has nothing like {pattern!r}:\n{log.read_text()}")
