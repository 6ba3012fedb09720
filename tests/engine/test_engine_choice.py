"""Auto takes Spark for long searches on real clusters only."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import complete
import lawful
from lawful import LawfulError
from lawful.costs import WORTH_A_CLUSTER, search_seconds
from lawful.engine import OnSpark, Threads, opened
from lawful.engine.choice import chosen
from lawful.engine.parted import Parted
from lawful.table.ranked import ranked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_name_is_taken_at_its_word(spark: SparkSession) -> None:
    assert chosen("local", 1e9, spark) == "local"
    assert chosen("spark", 0, None) == "spark"
    with pytest.raises(LawfulError, match="unknown engine 'cluster': choose auto, local or spark"):
        chosen("cluster", 0, None)


def test_auto_takes_threads_without_a_cluster(spark: SparkSession) -> None:
    assert chosen("auto", 1e9, None) == "local"
    assert chosen("auto", 1e9, spark) == "local"


class Elsewhere:
    """As much of a session as the choice looks at: one of Spark Connect whose workers run our daemon."""

    __module__ = "pyspark.sql.connect.session"
    conf = MappingProxyType({"spark.python.daemon.module": "lawful.spark.daemon"})


@pytest.mark.parametrize(
    ("seconds", "engine"), [(WORTH_A_CLUSTER - 1, "local"), (WORTH_A_CLUSTER + 1, "spark")]
)
def test_auto_takes_a_cluster_for_long_searches(seconds: float, engine: str) -> None:
    assert chosen("auto", seconds, Elsewhere()) == engine  # type: ignore[arg-type]


def test_the_engine_is_opened_as_chosen(spark: SparkSession) -> None:
    relation = lawful.read(pa.table({"a": [1, 2]}))
    rows = ranked(relation)
    with opened("auto", relation, rows, 1e9) as engine:
        assert isinstance(engine, Threads)
    with opened("spark", relation, rows, 0, spark) as engine:
        assert isinstance(engine, OnSpark)


def test_a_table_that_does_not_fit_an_executor_goes_in_parts(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    relation = lawful.read(lawful.datasets.employees(300))
    rows = ranked(relation)
    here = complete.discover(relation)
    for memory, kind in ((rows.ranks.nbytes, OnSpark), (rows.ranks.nbytes - 1, Parted)):
        monkeypatch.setattr("lawful.spark.executor_memory", lambda session, memory=memory: memory)
        with opened("spark", relation, rows, 0, spark) as engine:
            assert isinstance(engine, kind)
    there = complete.discover(relation, engine="spark", session=spark)
    assert list(there.items()) == list(here.items())


def test_costs_grow_with_everything() -> None:
    kinds = {"key", "fd", "od"}
    small = search_seconds(1000, 10, kinds, None)
    assert small < WORTH_A_CLUSTER
    assert search_seconds(2000, 10, kinds, None) == 2 * small
    assert search_seconds(1000, 20, kinds, None) > 4 * small
    assert search_seconds(1000, 10, kinds, 3) < small
    assert search_seconds(1000, 10, {"key"}, None) < search_seconds(1000, 10, {"fd"}, None) < small
    assert search_seconds(10_000_000, 20, kinds, None) > WORTH_A_CLUSTER
