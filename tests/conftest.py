"""What all tests share: one Spark session, since Java is slow to start."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from lawful.spark import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with session("local[2]") as shared:
        yield shared
