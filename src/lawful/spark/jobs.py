"""Jobs that can be cancelled: a thread tags those that it starts. Classic and Connect have their own ways."""

from pyspark.sql import SparkSession

from lawful.spark.session import is_connected


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
