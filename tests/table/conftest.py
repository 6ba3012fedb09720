"""One Spark session for all tests of tables, with blocks so small that files of some kilobytes are cut."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from lawful.spark import session


@pytest.fixture(scope="session")
def spark_session() -> Iterator[SparkSession]:
    """A local session."""
    with session() as spark:
        yield spark


@pytest.fixture
def small_blocks(spark_session: SparkSession) -> Iterator[SparkSession]:
    """The session, reading files in blocks of 4 kB."""
    keys = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
    before = [spark_session.conf.get(key) for key in keys]
    spark_session.conf.set(keys[0], "4096")
    spark_session.conf.set(keys[1], "0")
    yield spark_session
    for key, value in zip(keys, before, strict=True):
        spark_session.conf.set(key, str(value))
