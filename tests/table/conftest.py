"""What tests of tables need of Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lawful.table import spans

Address = Callable[[Path], str]
_NUMBERS = count()


@pytest.fixture
def small_blocks(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """The session, reading files in blocks of 4 kB, so that small files are cut too."""
    monkeypatch.setattr(spans, "SPAN_BYTES", 1 << 12)
    keys = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
    before = [spark.conf.get(key) for key in keys]
    spark.conf.set(keys[0], "4096")
    spark.conf.set(keys[1], "0")
    yield spark
    for key, value in zip(keys, before, strict=True):
        spark.conf.set(key, str(value))


@pytest.fixture(params=["here", "elsewhere"])
def address(request: pytest.FixtureRequest, tmp_path: Path, spark: SparkSession) -> Address:
    """What a file below `tmp_path` is called: its path, or an address that only Spark knows."""
    if request.param == "here":
        return str
    place = f"place{next(_NUMBERS)}"
    spark.conf.set(f"fs.viewfs.mounttable.{place}.link./files", tmp_path.as_uri())
    return lambda path: f"viewfs://{place}/files/{path.relative_to(tmp_path)}"
