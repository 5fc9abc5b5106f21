"""Spark sessions: a good local one, or one that is running already."""

import atexit
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
from importlib import import_module
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from workbench.engines.memory import memory_limit
from workbench.kernel import InputError
from workbench.programs import to_install

_NAME = "workbench"
_OLDEST_JAVA = 17
_INSTALL_CONNECT = "pip install 'lakehouse-workbench[connect]'"
_ATTEMPTS = 4  # a task whose worker dies is tried again; in local mode Spark does not, unless told to

# What fails reaches Python as an exception; the logs would repeat it, with its stack, for each attempt. The gateway:
# under Python's, Spark would otherwise set a level of its own, and say so. The scheduler: that a cluster has no room is
# no failure, and nobody else would say it.
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

#: What Java says of itself because Spark asks it for these modules; it has no option to leave that unsaid.
_JAVA_STARTS = b"WARNING: Using incubator modules"
#: How long the end of this process waits for what Java says last.
_LAST_WORDS_SECONDS = 5.0
#: How long a Java that does not answer any more may take to end.
_ENDING_SECONDS = 5.0

#: Settings of every session that is not one of Spark Connect, whose server has settings of its own.
_QUIET = {
    "spark.ui.showConsoleProgress": False,
    "spark.sql.execution.arrow.pyspark.enabled": True,
    "spark.python.worker.reuse": True,  # what a worker has loaded serves its next task too
}
_CLUSTER = {
    "spark.locality.wait": "0s",  # a core that is free is worth more than one near to what was shuffled
}
_DRIVER_OPTIONS = "spark.driver.extraJavaOptions"
#: More rows than any cluster has cores.
_MANY = 1 << 20

_starting = threading.Lock()  # two threads that find no session would both start one


def spark_session(master: str | None = None, **conf: Any) -> SparkSession:
    """The Spark session that is running, or else a new one, set up for the workbench.

    Args:
        master: Where Spark runs: ``local[N]``, a cluster's address, or ``sc://host`` for Spark Connect. By default this
            machine, with all cores that this process may use.
        **conf: Settings of Spark, which take precedence: ``spark_session(**{"spark.driver.memory": "8g"})``.

    Raises:
        InputError: If there is no Java of version 17 or newer, if Spark does not start, or if a session is running
            already and another one is asked for.
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
    """How many tasks a session runs at a time; for None the one that :func:`spark_session` returns or would start."""
    session = session or (_running_session() if end_of_java(0) is None else None)
    if session is None:
        return len(os.sched_getaffinity(0))
    try:
        return max(1, int(session.sparkContext.defaultParallelism))
    except PySparkException:  # Spark Connect has no SparkContext; what is in no files is split among the cores
        return max(1, session.range(_MANY).selectExpr("spark_partition_id()").distinct().count())


def _running_session() -> SparkSession | None:
    """The session of this process, whichever thread made it: what PySpark calls active is that of a thread."""
    with suppress(PySparkException):  # there is none
        classic = SparkSession.active()
        if classic.sparkContext._jsc is not None:  # its context may have been stopped without it
            return classic
    connect = sys.modules.get("pyspark.sql.connect.session")  # imported by whoever made such a session
    return None if connect is None else connect.SparkSession._get_default_session()


def _start(master: str | None, conf: dict[str, Any]) -> SparkSession:
    cores = len(os.sched_getaffinity(0))
    master = master or f"local[{cores},{_ATTEMPTS}]"
    builder: SparkSession.Builder = SparkSession.builder.appName(_NAME)
    try:
        for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
            PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
        if master.startswith("sc://"):
            _check_connect()
            return _configured(builder.remote(master), conf).getOrCreate()
        check_java()
        here = master.startswith("local")
        settings = {"spark.master": master, **_QUIET, **(_local_settings(cores) if here else _CLUSTER), **conf}
        with _startup_files_and_variables(settings, here), _interrupts_as_before():
            _start_java(settings)
            spark = _configured(builder.master(master), settings).getOrCreate()
            _let_java_go_quietly(spark.sparkContext._accumulatorServer)
            return spark
    except (PySparkException, Py4JError, ConnectionError, ImportError) as error:
        said = error.java_exception.getMessage() if isinstance(error, Py4JJavaError) else str(error)
        why = end_of_java(0) or said.splitlines()[0]
        raise InputError(f"Spark does not start with master {master!r}: {why}") from error


@contextmanager
def _interrupts_as_before() -> Iterator[None]:
    """Within a search Ctrl-C is a flag: PySpark's own handler, which raises, is not to take its place."""
    before = signal.getsignal(signal.SIGINT)
    yield
    if before not in (signal.default_int_handler, signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, before)


def _start_java(settings: dict[str, Any]) -> None:
    """Start Spark's Java, unless it runs already, and pass on what it says but for a line that is no news."""
    if SparkContext._gateway is not None:
        return
    conf = (
        SparkConf(loadDefaults=False)
        .setAppName(_NAME)
        .setAll([(name, _written(value)) for name, value in settings.items()])
    )
    logging.getLogger().addFilter(_is_not_py4js)
    heard, said = os.pipe()
    passing = threading.Thread(target=_pass_on, args=(heard,), name="java", daemon=True)
    passing.start()
    try:
        gateway = launch_gateway(conf, {"stderr": said})
    finally:
        os.close(said)

    def end() -> None:
        """Java ends where its input does; what it says until then is passed on too."""
        with suppress(Exception):  # it may have ended already
            gateway.shutdown()  # or objects that are let go of later would be said to have lost their Java
        gateway.proc.stdin.close()
        passing.join(_LAST_WORDS_SECONDS)

    atexit.register(end)
    SparkContext(conf=conf, gateway=gateway)


def end_of_java(seconds: float = _ENDING_SECONDS) -> str | None:
    """How Spark's Java has ended, if it does so within some seconds."""
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
    """Let another Java start after one that has died; PySpark would go on asking that."""
    context = SparkContext._active_spark_context
    if context is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that Java cannot be shut down cleanly
            with suppress(ConnectionError):
                context.stop()
            context.stop()  # what was left, now that it has no Java any more
    SparkContext._gateway = SparkContext._jvm = None


def _let_java_go_quietly(server: socketserver.BaseServer) -> None:
    """Java may end while a thread of PySpark's still listens to it, which would be shown with a traceback."""
    show = server.handle_error

    def handle_error(request: Any, address: Any) -> None:
        if not isinstance(sys.exc_info()[1], EOFError):
            show(request, address)

    server.handle_error = handle_error  # type: ignore[assignment, method-assign]


def _written(value: Any) -> str:
    """A setting as Spark writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_not_py4js(record: logging.LogRecord) -> bool:
    """False for what Py4J logs of a Java that has died, with a traceback, beside raising it."""
    return record.module != "java_gateway"


def _pass_on(heard: int) -> None:
    with open(heard, "rb") as lines:
        for line in lines:
            if not line.startswith(_JAVA_STARTS):
                os.write(2, line)


def _configured(builder: SparkSession.Builder, settings: dict[str, Any]) -> SparkSession.Builder:
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder


def _local_settings(cores: int) -> dict[str, Any]:
    """Settings for one machine. ANSI mode stays on, as Spark has it: an overflow is an error, not a wrong number."""
    mebibytes = memory_limit() // 2**20
    return {
        "spark.driver.memory": f"{min(max(mebibytes // 4, 1024), 8192)}m",
        "spark.driver.host": "127.0.0.1",  # so that neither a network nor a host name is needed
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": tempfile.gettempdir(),  # where Python keeps such files too; Java looks at no TMPDIR
        "spark.default.parallelism": cores,
        "spark.sql.shuffle.partitions": cores,
        "spark.sql.execution.arrow.pyspark.enabled": True,
        "spark.ui.enabled": False,
        "spark.shuffle.compress": False,  # what is shuffled stays in this machine's memory, and is packed already
    }


@contextmanager
def _startup_files_and_variables(settings: dict[str, Any], here: bool) -> Iterator[None]:
    """What Spark reads only while it starts: variables, and its log's configuration, which `settings` then name."""
    wanted = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable} if here else {}
    python = settings.get("spark.pyspark.python")  # which PySpark leaves to spark-submit
    if python is not None:
        wanted["PYSPARK_PYTHON"] = str(python)
    before = {name: os.environ.get(name) for name in wanted}
    with tempfile.TemporaryDirectory() as folder:
        log_settings = Path(folder, "log4j2.properties")
        log_settings.write_text(_LOGGING)
        options = f"-Dlog4j2.configurationFile={log_settings} {settings.get(_DRIVER_OPTIONS, '')}"
        settings[_DRIVER_OPTIONS] = options.strip()
        os.environ.update(wanted)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def _check_connect() -> None:
    """Raise :class:`InputError` unless Connect's packages are there; without them PySpark ends some processes."""
    try:
        for module in ("grpc", "grpc_status", "google.rpc"):
            import_module(module)
    except ImportError as error:
        raise InputError(f"Spark Connect needs packages that are not here: {_INSTALL_CONNECT} ({error})") from error


def check_java() -> None:
    """Raise :class:`InputError` unless the Java that Spark would take is there, and new enough."""
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    if java is None:
        raise InputError(
            f"Spark needs Java {_OLDEST_JAVA} or newer, and there is no java on the PATH; {to_install('java')}"
        )
    where = f"JAVA_HOME = {home!r}" if home else java
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None:
        raise InputError(f"Spark needs Java, and {where} is none that runs; {to_install('java')}")
    if int(version[1]) < _OLDEST_JAVA:
        said = f"{where} is Java {version[1]}"
        raise InputError(f"Spark needs Java {_OLDEST_JAVA} or newer, and {said}; {to_install('java')}")
