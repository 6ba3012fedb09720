"""Where a source is read: in this process without Spark, by Spark for this process, by Spark's workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from lawful.table.files import Files
from lawful.table.on_demand import has_cluster
from lawful.table.source_options import SourceOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Way = Literal["auto", "driver", "workers"]
SMALL_BYTES = 1 << 26


def is_read_here(
    files: Files, kind: str, options: SourceOptions, session: SparkSession | None, way: Way
) -> bool:
    """Whether Spark is left out: it would bring nothing but its start, unless it has a cluster.

    Of JSON it has the faster parser, its reader may have been given options, and it knows partitions.
    """
    if not files.local:
        return False
    if kind == "xlsx" or files.label or files.disguised:
        return True  # Spark knows nothing of these
    if (options.properties or files.partitioned) and kind not in ("csv", "tsv"):
        return False
    if way != "auto":
        return way == "driver"
    return files.size <= SMALL_BYTES or (kind != "json" and not has_cluster(session))


def by_workers(way: Way, spark: SparkSession, size: int | None = None) -> bool:
    """Whether rows that Spark reads, of so many bytes, are encoded by its workers: those of a cluster."""
    from lawful.spark import is_cluster

    if way != "auto":
        return way == "workers"
    return is_cluster(spark) and (size is None or size > SMALL_BYTES)
