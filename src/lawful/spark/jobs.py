"""Jobs: how many tasks run at once, and how to cancel them. Classic and Connect have their own ways."""

from pyspark.sql import SparkSession
from pyspark.sql.functions import spark_partition_id

from lawful.spark.session import is_connected

_PROBES = 1 << 16


def parallelism(spark: SparkSession) -> int:
    """How many parts Spark cuts a table into if it is left to it: the cores that it has now."""
    spark.range(1).collect()  # before its first job a new session may know of no executor
    return spark.range(_PROBES).select(spark_partition_id()).distinct().count()


def tag_jobs(spark: SparkSession, tag: str) -> None:
    """Tag the jobs that this thread starts from now on."""
    if is_connected(spark):
        spark.addTag(tag)
    else:
        spark.sparkContext.addJobTag(tag)


def cancel_jobs(spark: SparkSession, tag: str) -> None:
    """Cancel the jobs with this tag, whatever thread started them."""
    if is_connected(spark):
        spark.interruptTag(tag)
    else:
        spark.sparkContext.cancelJobsWithTag(tag)
