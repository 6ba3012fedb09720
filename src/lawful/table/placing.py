"""Where a source is read: in this process without Spark, by Spark for this process, by Spark's workers.

Spark starts where it is needed, and not before: PySpark alone takes a second to load, Java several to start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Literal

from lawful.table.files import Files
from lawful.table.source_options import SourceOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Way = Literal["auto", "driver", "workers"]
SMALL_BYTES = 1 << 26


@contextmanager
def on_demand(given: SparkSession | None) -> Iterator[Callable[[], SparkSession]]:
    """A function that gives a session, which starts when it is first called."""
    with ExitStack() as stack:

        def start() -> SparkSession:
            from lawful.spark import session

            return stack.enter_context(session(existing=given))

        yield start


def running_session() -> SparkSession | None:
    """The session that runs in this process: none where nobody has loaded Spark."""
    if "pyspark" not in sys.modules:
        return None
    from lawful.spark import running

    return running()


def has_cluster(given: SparkSession | None) -> bool:
    """Whether there is a session, given or running, whose workers are not just this machine's cores."""
    session = given if given is not None else running_session()
    if session is None:
        return False
    from lawful.spark import is_cluster

    return is_cluster(session)


def needs_spark_to_read(files: Files, kind: str, options: SourceOptions) -> bool:
    """Whether only its own reader will do: it was given options, or knows the place or the partitions."""
    return not files.local or (kind not in ("csv", "tsv") and bool(options.properties or files.partitioned))


def is_read_here(
    files: Files, kind: str, options: SourceOptions, session: SparkSession | None, way: Way
) -> bool:
    """Whether Spark is left out: it would bring nothing but its start, unless it has a cluster.

    Of JSON it has the faster parser.
    """
    if not files.local:
        return False
    if kind == "xlsx" or files.label or files.disguised:
        return True  # Spark knows nothing of these
    if needs_spark_to_read(files, kind, options):
        return False
    if way != "auto":
        return way == "driver"
    return files.size <= SMALL_BYTES or (kind != "json" and not has_cluster(session))


def by_workers(way: Way, spark: SparkSession, size: int | None = None) -> bool:
    """Whether rows that Spark reads, of so many bytes, are encoded by its workers: those of a cluster."""
    from lawful.spark import has_workers

    if way != "auto":
        return way == "workers"
    return (size is None or size > SMALL_BYTES) and has_workers(spark)
