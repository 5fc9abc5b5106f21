"""Spark sessions: the running one, or a new one with settings for the workbench."""

import atexit
import hashlib
import logging
import os
import re
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyspark
from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from workbench.checking.kernels import numba_cache
from workbench.checking.kernels.threads import usable_cores
from workbench.checking.local.memory import memory_limit
from workbench.kernel import InputError
from workbench.registry.programs import needs, to_install

_NAME = "workbench"
_OLDEST_JAVA = 17
_ATTEMPTS = 4  # retries of a task whose worker dies; in local mode Spark has none by default

# Failures reach Python as exceptions; the logs would repeat them, with a stack, for each attempt. The gateway: Spark
# would set its own level for it, and say so. The scheduler: a cluster without room is no failure, and only this logger
# says so.
_LOGGING = """\
rootLogger.level = fatal
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = fatal
logger.scheduler.name = org.apache.spark.scheduler.TaskSchedulerImpl
logger.scheduler.level = warn
logger.scheduler.filter.waiting.type = RegexFilter
logger.scheduler.filter.waiting.regex = .*has not accepted any resources.*
logger.scheduler.filter.waiting.onMatch = ACCEPT
logger.scheduler.filter.waiting.onMismatch = DENY
"""

#: Java prints this because Spark asks for these modules; no option turns it off.
_JAVA_STARTS = b"WARNING: Using incubator modules"
#: How long the end of this process waits for Java's last output.
_LAST_WORDS_SECONDS = 5.0
#: How long a Java process that has stopped answering is given to exit.
_ENDING_SECONDS = 5.0

#: Settings of every session except with Spark Connect, whose server has its own.
_QUIET = {
    "spark.ui.showConsoleProgress": False,
    "spark.sql.execution.arrow.pyspark.enabled": True,
    "spark.python.worker.reuse": True,  # a worker's loaded code serves its next task too
}
_CLUSTER = {
    "spark.locality.wait": "0s",  # a free core is worth more than one near the shuffled data
}
#: The setting with the options of a local session's Java.
DRIVER_OPTIONS = "spark.driver.extraJavaOptions"
#: A number of rows that exceeds the cores of any cluster.
_MANY = 1 << 20

_starting = threading.Lock()  # two threads without a session would both start one


def spark_session(master: str | None = None, **conf: Any) -> SparkSession:
    """The running Spark session, or else a new one, set up for the workbench.

    Args:
        master: Where Spark runs: ``local[N]``, a cluster's address, or ``sc://host`` for Spark Connect. By default this
            machine, with all cores that this process may use.
        **conf: Settings of Spark, which take precedence: ``spark_session(**{"spark.driver.memory": "8g"})``.

    Raises:
        InputError: If there is no Java 17 or newer, if Spark does not start, or if a master or settings are given while
            a session is running.
    """
    with _starting:
        if end_of_java(0) is not None:
            _forget_java()
        running = _running_session()
        if running is None:
            return _start(master, conf)
    if master is not None or conf:
        raise InputError("another Spark session is not accepted while one is running; stop that first: .stop()")
    return running


def cores_of(session: Any = None) -> int:
    """How many tasks a session runs at a time. None means the session that :func:`spark_session` would return."""
    session = session or (_running_session() if end_of_java(0) is None else None)
    if session is None:
        return usable_cores()
    try:
        return max(1, int(session.sparkContext.defaultParallelism))
    except PySparkException:  # Spark Connect has no SparkContext; a range is split among the cores
        return max(1, session.range(_MANY).selectExpr("spark_partition_id()").distinct().count())


def _running_session() -> SparkSession | None:
    """The session of this process, from any thread: PySpark's active session belongs to a thread."""
    with suppress(PySparkException):  # there is none
        classic = SparkSession.active()
        if classic.sparkContext._jsc is not None:  # its context may have been stopped separately
            return classic
    connect = sys.modules.get("pyspark.sql.connect.session")  # imported if there is such a session
    return None if connect is None else connect.SparkSession._get_default_session()


def _start(master: str | None, conf: dict[str, Any]) -> SparkSession:
    cores = usable_cores()
    master = master or f"local[{cores},{_ATTEMPTS}]"
    builder: SparkSession.Builder = SparkSession.builder.appName(_NAME)
    try:
        for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
            PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
        if master.startswith("sc://"):
            needs("connect", "Spark Connect")  # or PySpark may end the process
            return builder.remote(master).config(map=conf).getOrCreate()
        java = check_java()
        here = master.startswith("local")
        settings = {"spark.master": master, **_QUIET, **(_local_settings(cores) if here else _CLUSTER), **conf}
        if here:
            settings[DRIVER_OPTIONS] = f"{_quick_start(java)} {settings.get(DRIVER_OPTIONS, '')}"
        with _startup_files_and_variables(settings, here), _interrupts_as_before():
            _start_java(settings)
            spark = builder.master(master).config(map=settings).getOrCreate()
            _let_java_go_quietly(spark.sparkContext._accumulatorServer)
            return spark
    except (PySparkException, Py4JError, ConnectionError, ImportError) as error:
        message = error.java_exception.getMessage() if isinstance(error, Py4JJavaError) else str(error)
        reason = end_of_java(0) or message.splitlines()[0]
        raise InputError(f"Spark does not start with master {master!r}: {reason}") from error


@contextmanager
def _interrupts_as_before() -> Iterator[None]:
    """Keep our handler of Ctrl-C, which sets a flag; PySpark would install its own, which raises."""
    before = signal.getsignal(signal.SIGINT)
    yield
    if before not in (signal.default_int_handler, signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, before)


def _start_java(settings: dict[str, Any]) -> None:
    """Start Spark's Java unless it is running, and forward its output, except for one uninformative line."""
    if SparkContext._gateway is not None:
        return
    conf = (
        SparkConf(loadDefaults=False)
        .setAppName(_NAME)
        .setAll([(name, _written(value)) for name, value in settings.items()])
    )
    logging.getLogger().addFilter(_is_not_py4js)
    reader, writer = os.pipe()
    passing = threading.Thread(target=_pass_on, args=(reader,), name="java", daemon=True)
    passing.start()
    try:
        gateway = launch_gateway(conf, {"stderr": writer})
    finally:
        os.close(writer)

    def end() -> None:
        """End Java by closing its input, and pass on its last output."""
        with suppress(Exception):  # it may have ended already
            gateway.shutdown()  # or objects deleted later would complain about their lost Java
        gateway.proc.stdin.close()
        passing.join(_LAST_WORDS_SECONDS)

    atexit.register(end)
    SparkContext(conf=conf, gateway=gateway)


def end_of_java(seconds: float = _ENDING_SECONDS) -> str | None:
    """The exit of Spark's Java, if it exits within a few seconds."""
    process = getattr(SparkContext._gateway, "proc", None)  # None where Java has started Python
    if process is None:
        return None
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    if status == -signal.SIGKILL:
        return "Spark's Java was killed, as by a system that runs out of memory"
    return f"Spark's Java has ended, with status {status}"


def _forget_java() -> None:
    """Let a new Java start after one that has died; PySpark would keep asking the old one."""
    context = SparkContext._active_spark_context
    if context is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that Java cannot be shut down cleanly
            with suppress(ConnectionError):
                context.stop()
            context.stop()  # the rest, now without Java
    SparkContext._gateway = SparkContext._jvm = None


def _let_java_go_quietly(server: socketserver.BaseServer) -> None:
    """Hide the traceback of PySpark's thread that still listens when Java ends."""
    show = server.handle_error

    def handle_error(request: Any, address: Any) -> None:
        if not isinstance(sys.exc_info()[1], EOFError):
            show(request, address)

    server.handle_error = handle_error  # type: ignore[assignment, method-assign]


def _written(value: Any) -> str:
    """A setting as Spark writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_not_py4js(record: logging.LogRecord) -> bool:
    """False for the traceback that Py4J logs of a dead Java, besides raising it."""
    return record.module != "java_gateway"


def _pass_on(heard: int) -> None:
    with open(heard, "rb") as lines:
        for line in lines:
            if not line.startswith(_JAVA_STARTS):
                os.write(2, line)


def _local_settings(cores: int) -> dict[str, Any]:
    """Settings for one machine. ANSI mode stays on, as by default: an overflow is an error, not a wrong number."""
    mebibytes = memory_limit() // 2**20
    return {
        "spark.driver.memory": f"{min(max(mebibytes // 4, 1024), 8192)}m",
        "spark.driver.host": "127.0.0.1",  # needs neither a network nor a host name
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": tempfile.gettempdir(),  # as Python; Java ignores TMPDIR
        "spark.default.parallelism": cores,
        "spark.sql.shuffle.partitions": cores,
        "spark.sql.execution.arrow.pyspark.enabled": True,
        "spark.ui.enabled": False,
        "spark.shuffle.compress": False,  # shuffled data stays in this machine's memory, and is already packed
    }


@contextmanager
def _startup_files_and_variables(settings: dict[str, Any], here: bool) -> Iterator[None]:
    """Provide what Spark reads only when it starts: environment variables, and a log configuration in `settings`."""
    variables = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable} if here else {}
    python = settings.get("spark.pyspark.python")  # PySpark leaves it to spark-submit
    if python is not None:
        variables["PYSPARK_PYTHON"] = str(python)
    before = {name: os.environ.get(name) for name in variables}
    with tempfile.TemporaryDirectory() as folder:
        log_settings = Path(folder, "log4j2.properties")
        log_settings.write_text(_LOGGING)
        options = f"-Dlog4j2.configurationFile={log_settings} {settings.get(DRIVER_OPTIONS, '')}"
        settings[DRIVER_OPTIONS] = options.strip()
        os.environ.update(variables)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def class_archive(java: str) -> Path:
    """The file with Spark's classes in Java's memory format, which saves Java loading them one by one.

    ``python -m workbench.checking.warm --spark`` writes it. Java ignores a file that does not fit, in silence.

    Args:
        java: Java's statement of its version.

    Raises:
        InputError: If there is no folder for it.
    """
    jars = Path(pyspark.__file__).with_name("jars")
    fits = f"{java}{jars}{jars.stat().st_mtime_ns}"
    return numba_cache.folder() / f"spark-{hashlib.sha256(fits.encode()).hexdigest()[:16]}.jsa"


def _quick_start(java: str) -> str:
    """Options with which Java starts sooner. Its optimizing compiler does not pay: the kernels do the work."""
    options = "-XX:TieredStopAtLevel=1"
    with suppress(InputError):
        archive = class_archive(java)
        if archive.is_file():
            return f'{options} -XX:SharedArchiveFile="{archive}" -Xlog:disable'
    return options


def check_java() -> str:
    """The version that Spark's Java reports.

    Raises:
        InputError: If it is not there, or is too old.
    """
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    if java is None:
        raise InputError(
            f"Spark needs Java {_OLDEST_JAVA} or newer, and there is no java on the PATH; {to_install('java')}"
        )
    where = f"JAVA_HOME = {home!r}" if home else java
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        output = ""
    version = re.search(r'version "(?:1\.)?(\d+)', output)
    if version is None:
        raise InputError(f"Spark needs Java, and {where} is none that runs; {to_install('java')}")
    if int(version[1]) < _OLDEST_JAVA:
        actual = f"{where} is Java {version[1]}"
        raise InputError(f"Spark needs Java {_OLDEST_JAVA} or newer, and {actual}; {to_install('java')}")
    return output
