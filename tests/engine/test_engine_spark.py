"""The same tasks as Spark tasks: same results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import lawful
from lawful import datasets
from lawful.engine import OnSpark
from lawful.engine.on_spark import TASKS_A_CORE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = {
    "employees": datasets.employees(300),
    "tax": datasets.tax(200).select(range(9)),
    "no rows": datasets.employees(0),
    "one row": datasets.employees(1),
    "NULLs": pa.table({"a": [1, None, 1, None, 2], "b": [None, None, 3, 3, 4], "c": [1, 2, 3, 4, None]}),
}


@pytest.mark.parametrize(
    ("name", "limit"), [*((name, {}) for name in TABLES), ("NULLs", {"time_limit": 1e6})], ids=str
)
def test_spark_finds_what_threads_find(spark: SparkSession, name: str, limit: dict[str, Any]) -> None:
    relation = lawful.read(TABLES[name])
    here = lawful.discover(relation, **limit)
    there = lawful.discover(relation, engine="spark", session=spark, **limit)
    assert list(there.items()) == list(here.items())
    assert there.complete


def test_an_engine_on_spark_has_spark_s_workers(spark: SparkSession) -> None:
    engine = OnSpark(lawful.read(TABLES["employees"]), spark)
    assert engine.tasks == TASKS_A_CORE * spark.sparkContext.defaultParallelism
    assert list(engine.run([])) == []


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(lawful.LawfulError, match="unknown engine 'fast': choose local or spark"):
        lawful.discover(TABLES["employees"], engine="fast")
