"""The settings that Spark starts with, and the environment that its processes see."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lawful.errors import LawfulError
from lawful.machine import total_bytes
from lawful.spark.java import Java
from lawful.spark.masters import local_cores, runs_here

_GIB = 1 << 30


def check_conf(conf: Mapping[str, str]) -> None:
    """Refuses keys that Spark would ignore without a word."""
    for key in conf:
        if not key.startswith("spark.") or key.split() != [key]:
            raise LawfulError(f"{key!r} is not a Spark setting: use --conf spark.some.key=value")


def settings(master: str, conf: Mapping[str, str], folder: Path) -> dict[str, str]:
    """All settings for a new session: ours for this kind of master, then the caller's."""
    defaults = {
        "spark.app.name": "lawful",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if runs_here(master):
        defaults |= _local_settings(master, folder)
    # The JVM starts before Spark reads its settings, so the master must be among them.
    return defaults | dict(conf) | {"spark.master": master}


def _local_settings(master: str, folder: Path) -> dict[str, str]:
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": f"{_heap_bytes() >> 20}m",
        # About a tenth less CPU than G1 on two cores, at start and when reading (docs/spark.md).
        "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
        "spark.sql.shuffle.partitions": str(max(2, local_cores(master))),
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.python.daemon.module": "lawful.spark.daemon",
        # Over TCP the two sides of a Python task wait for each other's acknowledgements (docs/spark.md).
        "spark.python.unix.domain.socket.enabled": "true",
    }


def _heap_bytes() -> int:
    """A quarter of the memory, as Java itself would take (Spark's own default is 1 GiB), at most 16 GiB."""
    return min(max(total_bytes() // 4, _GIB), 16 * _GIB)


@contextmanager
def environment(master: str, java: Java, spark_home: str) -> Iterator[None]:
    """Sets the variables that PySpark reads while it starts; the caller's own settings win."""
    wanted: dict[str, str | None] = {"JAVA_HOME": str(java.home) if java.home else None}
    if runs_here(master):
        ours = {
            "PYSPARK_PYTHON": sys.executable,
            # Also keeps Spark from looking up a host name that may not resolve.
            "SPARK_LOCAL_IP": "127.0.0.1",
            # Executors of local-cluster are started from it.
            "SPARK_HOME": spark_home,
        }
        wanted |= {name: value for name, value in ours.items() if name not in os.environ}
    before = {name: os.environ.get(name) for name in wanted}
    _set_variables(wanted)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
