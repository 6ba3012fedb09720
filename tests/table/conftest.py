"""What tests of tables need of Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession


@pytest.fixture
def small_blocks(spark: SparkSession) -> Iterator[SparkSession]:
    """The session, reading files in blocks of 4 kB, so that small files are cut too."""
    keys = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
    before = [spark.conf.get(key) for key in keys]
    spark.conf.set(keys[0], "4096")
    spark.conf.set(keys[1], "0")
    yield spark
    for key, value in zip(keys, before, strict=True):
        spark.conf.set(key, str(value))
