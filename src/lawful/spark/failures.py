"""Failures of Spark that a user can mend, each as one line, and the jars that mend some."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.find_spark_home import _find_spark_home
from pyspark.logger import PySparkLogger

from lawful.errors import LawfulError

SPARK_ERRORS = (Py4JError, PySparkException)

_LENGTH = 300
_THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
IN_TIME = " before the session starts"
_LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")

_PACKAGES = {
    "s3a": "org.apache.hadoop:hadoop-aws",
    "abfs": "org.apache.hadoop:hadoop-azure",
    "abfss": "org.apache.hadoop:hadoop-azure",
    "gs": "com.google.cloud.bigdataoss:gcs-connector:hadoop3-2.2.26",
}


@contextmanager
def quiet_failures() -> Iterator[None]:
    """Keep PySpark from printing a failed query to the terminal before it raises: we tell it in one line."""
    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def start_failure(master: str, error: Exception, log: str) -> LawfulError:
    """Why Spark did not start, from the exception or, where Java never answered, from its log."""
    cause = _in_log(log) if "JAVA_GATEWAY_EXITED" in str(error) else _in_exception(error)
    return LawfulError(
        f"Spark does not start with master {master}: {one_line(cause)} (check the master and the settings)"
    )


def work_failure(error: Exception) -> LawfulError | None:
    """What a failed Spark job means to the user; None where we know no better than the exception."""
    text = str(error)
    told = re.search(r"lawful\.errors\.LawfulError: (.+)", text)
    if told:
        return LawfulError(told[1])
    if "PYTHON_VERSION_MISMATCH" in text or "Cannot run program" in text:
        return LawfulError(f"Spark's workers run no Python {_THIS}: let PYSPARK_PYTHON name one{IN_TIME}")
    missing = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", text)
    if missing:
        return LawfulError(_missing_module(missing[1]))
    if "java.lang.OutOfMemoryError" in text:
        return LawfulError("Spark ran out of memory: give it more, as in --conf spark.driver.memory=8g")
    if isinstance(error, Py4JNetworkError):
        return LawfulError(
            "Spark's Java process ended: it may need more, as in --conf spark.driver.memory=8g"
        )
    return None


def one_line(text: str) -> str:
    """The text without line breaks, short enough for an error message, without a final full stop."""
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _LENGTH else line[:_LENGTH] + "…"


def _missing_module(name: str) -> str:
    package = name.split(".")[0]
    return (
        f"Spark's workers lack the Python package {package!r}: install it in the Python that they run, or "
        f"let PYSPARK_PYTHON name one that has it{IN_TIME}"
    )


def _in_exception(error: Exception) -> str:
    if isinstance(error, Py4JJavaError):
        cause = error.java_exception
        return str(cause.getMessage() or cause.toString())
    return str(error).partition("JVM stacktrace:")[0]


def _in_log(log: str) -> str:
    """The line of Java's or spark-submit's output that says what went wrong."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for line in lines:
        if re.match(r"(Invalid|Unrecognized|Could not)\b", line):
            return line
    for line in lines:
        told = re.match(r"(?:Exception in thread \"\w+\" )?(?:[\w.]+(?:Exception|Error)|Error): (.+)", line)
        if told:
            return told[1]
    return lines[-1] if lines else "Java ended without a word"


def package_for(scheme: str) -> str | None:
    """The Maven package for addresses of this scheme, in the version that fits this Spark."""
    package = _PACKAGES.get(scheme)
    if package is None or package.count(":") == 2:
        return package
    jars = sorted(Path(_find_spark_home(), "jars").glob("hadoop-client-api-*.jar"))
    version = jars[-1].stem.removeprefix("hadoop-client-api-") if jars else "VERSION"
    return f"{package}:{version}"
