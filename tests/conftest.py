"""What all tests share: one Spark session, since Java is slow to start."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from lawful.spark import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    # Tests are short: these options start quicker and only lose on long reads (docs/spark.md).
    quick = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    with session("local[2]", quick) as shared:
        yield shared
