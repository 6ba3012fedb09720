"""Where Spark sessions come from: started here once and kept, or the caller's own."""

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import IO

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.find_spark_home import _find_spark_home
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from lawful.errors import LawfulError
from lawful.machine import total_bytes
from lawful.spark.failures import SPARK_ERRORS, one_line, quiet_failures, start_failure, work_failure
from lawful.spark.java import find_java
from lawful.spark.masters import LOCAL, check_master, is_connect, runs_here
from lawful.spark.settings import check_conf, environment, settings


@dataclass(frozen=True)
class _Running:
    """A session that we started, what it was asked for, and the folder that goes when it ends."""

    session: SparkSession
    master: str
    conf: Mapping[str, str]
    folder: Path


_lock = RLock()
_ours: _Running | None = None


@contextmanager
def session(
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    existing: SparkSession | None = None,
) -> Iterator[SparkSession]:
    """A Spark session to work with: `existing`, else the one that runs in this process, else a new one.

    A session that the caller made is used as it is: never reconfigured, never stopped. One that we
    start is kept for the next call, because Java is slow to start, and stopped at exit or by `stop`.

    Args:
        master: local[4], local[*] (the default), spark://host:port, sc://host:port (Spark Connect),
            yarn, k8s://...
        conf: Spark settings for a new session; one that runs already must have the same.
        existing: the caller's session, classic or Spark Connect.

    Raises:
        LawfulError: Spark cannot start, runs already with another master or setting, or fails
            within the block for a reason that the user can mend.
    """
    with _lock:
        spark = existing if existing is not None else running()
        if spark is None:
            spark = _start(master, dict(conf or {}))
        else:
            _check_fits(spark, master, conf or {})
    try:
        with quiet_failures():
            yield spark
    except SPARK_ERRORS as error:
        known = work_failure(error)
        if known is None:
            raise
        raise known from error


def stop() -> None:
    """Stops the session that we started, if there is one. The caller's own are left alone."""
    global _ours
    with _lock:
        running, _ours = _ours, None
    if running is not None:
        try:
            running.session.stop()
        finally:
            _leave_connect() if is_connect(running.master) else _end_java()
            shutil.rmtree(running.folder, ignore_errors=True)


atexit.register(stop)


def is_stopped(spark: SparkSession) -> bool:
    """Whether a session, classic or Connect, can no longer be used."""
    if is_connected(spark):
        return bool(spark.is_stopped)  # type: ignore[attr-defined]
    return spark.sparkContext._jsc is None


def is_cluster(spark: SparkSession) -> bool:
    """Whether the workers of a session are elsewhere, as far as one can know: not those of a local master."""
    return is_connected(spark) or not runs_here(str(spark.sparkContext.master))


def is_ours(spark: SparkSession) -> bool:
    """Whether we have started a session."""
    return _ours is not None and spark is _ours.session


def is_connected(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def executor_memory(spark: SparkSession) -> int:
    """The bytes of memory that an executor has; all of this machine's where it is one of the executors."""
    if not is_cluster(spark):
        return total_bytes()
    text = (spark.conf.get("spark.executor.memory", None) or "1g").lower().removesuffix("b")
    unit = text[-1] if text[-1].isalpha() else "m"
    return int(text.rstrip("kmgtp")) << 10 * " kmgtp".index(unit)


def running() -> SparkSession | None:
    """The session of this process, ours or not, if one is alive."""
    if _ours is not None and not is_stopped(_ours.session):
        return _ours.session
    stop()
    try:
        spark = SparkSession.active()
    except PySparkException:
        return None
    return None if is_stopped(spark) else spark


def _check_fits(spark: SparkSession, master: str | None, conf: Mapping[str, str]) -> None:
    """Refuses a running session that is not what the caller asked for."""
    if is_stopped(spark):
        raise LawfulError("the Spark session given has been stopped: make a new one")
    current = _master_of(spark)
    if master is not None and master != current:
        raise LawfulError(
            f"Spark runs in this process already, with master {current}, not {master}: "
            "leave out the master to use it, or stop it first (lawful.spark.stop() for one of ours)"
        )
    asked = _ours.conf if _ours is not None and is_ours(spark) else {}
    for key, value in conf.items():
        # Spark may add to what it is asked for, as it does to Java's options.
        if value not in (asked.get(key), spark.conf.get(key, None)):
            raise LawfulError(
                f"Spark runs in this process already, without {key}={value}: "
                "leave out the setting, or stop it first (lawful.spark.stop() for one of ours)"
            )


def _master_of(spark: SparkSession) -> str:
    if _ours is not None and is_ours(spark):
        return _ours.master
    return "of a Spark Connect server" if is_connected(spark) else str(spark.sparkContext.master)


def _start(master: str | None, conf: dict[str, str]) -> SparkSession:
    global _ours
    check_conf(conf)
    folder = Path(tempfile.mkdtemp(prefix="lawful-"))
    try:
        if "PYSPARK_GATEWAY_PORT" in os.environ:
            spark = _submitted(master, conf)
        else:
            master = master or _master_in(conf)
            check_master(master)
            spark = _connect(master, conf) if is_connect(master) else _launch(master, conf, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    _ours = _Running(spark, master or str(spark.sparkContext.master), conf, folder)
    return spark


def _master_in(conf: Mapping[str, str]) -> str:
    return conf.get("spark.remote") or conf.get("spark.master") or os.environ.get("SPARK_REMOTE") or LOCAL


def _launch(master: str, conf: dict[str, str], folder: Path) -> SparkSession:
    """Starts Java and a session in it. Its output goes to a file, unless the caller sets a log level."""
    if sys.stderr.isatty():
        print("starting Spark, which takes some seconds ...", file=sys.stderr)
    spark_conf = SparkConf(loadDefaults=False).setAll(list(settings(master, conf, folder).items()))
    log = folder / "spark.log"
    with environment(master, find_java(), _find_spark_home()), log.open("wb") as quiet:
        output = None if "spark.log.level" in conf else quiet
        try:
            return _first_session(spark_conf, output)
        except SPARK_ERRORS as error:
            # The exception asks Java for its text.
            failure = start_failure(master, error, log.read_text(errors="replace"))
            _end_java()
            raise failure from None


def _first_session(spark_conf: SparkConf, output: IO[bytes] | None) -> SparkSession:
    gateway = SparkContext._gateway
    if gateway is None:
        gateway = launch_gateway(spark_conf, {"stdout": output, "stderr": output})  # type: ignore[no-untyped-call]
    context = SparkContext(conf=spark_conf, gateway=gateway)
    try:
        spark = SparkSession(context)
        # Spark looks at its SQL settings when they are first read: now, rather than in the first job.
        spark.conf.get("spark.app.name")
    except SPARK_ERRORS:
        context.stop()
        raise
    return spark


def _end_java() -> None:
    """Ends the Java process of this Python, which would hand its settings on to the next session."""
    gateway, SparkContext._gateway, SparkContext._jvm = SparkContext._gateway, None, None
    if gateway is not None:
        gateway.shutdown()
        if gateway.proc is not None:
            gateway.proc.stdin.close()


def _submitted(master: str | None, conf: dict[str, str]) -> SparkSession:
    """A session in the Java process that spark-submit made for this program, with its settings."""
    builder = SparkSession.builder if master is None else SparkSession.builder.master(master)
    try:
        return builder.config(map={**conf}).getOrCreate()
    except SPARK_ERRORS as error:
        raise start_failure(master or "of spark-submit", error, "") from error


def _connect(master: str, conf: dict[str, str]) -> SparkSession:
    try:
        spark = SparkSession.builder.remote(master).getOrCreate()
    except ImportError as error:
        raise LawfulError(
            f"Spark Connect needs more packages ({one_line(str(error))}): run `pip install 'lawful[connect]'`"
        ) from error
    except PySparkException as error:
        _leave_connect()
        raise start_failure(master, error, "") from error
    try:
        # One by one, because the builder only warns of settings that the server refuses.
        for key, value in conf.items():
            spark.conf.set(key, value)
    except PySparkException as error:
        spark.stop()
        _leave_connect()
        raise start_failure(master, error, "") from error
    return spark


def _leave_connect() -> None:
    """Takes back PySpark's mark that this process uses Connect, so that a classic session may follow."""
    os.environ.pop("SPARK_CONNECT_MODE_ENABLED", None)
