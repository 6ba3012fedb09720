"""Every kind of law is the same on every engine, on the tables of the oracle's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from small_tables import tables

import lawful
import naive
from lawful import SourceOptions
from lawful.discovery import Options
from lawful.discovery.denial_space import space_of
from lawful.discovery.search_options import ALL_KINDS
from lawful.discovery.whole import WholeSearch
from lawful.engine import Engine, OnSpark, Threads
from lawful.engine.parted import Parted
from lawful.table.ranked import RankedRows, ranked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def relation_of(table: naive.Table) -> lawful.Relation:
    columns = {
        name: pa.array([row[number] for row in table.rows], pa.int64())
        for number, name in enumerate(table.columns)
    }
    unordered = tuple(name for name in table.columns if not table.is_ordered(name))
    return lawful.read(pa.table(columns), SourceOptions(nulls=table.nulls, unordered=unordered))


def laws_on(
    engine: Engine, rows: RankedRows, relation: lawful.Relation, long: bool = False
) -> list[tuple[int, ...]]:
    options = Options(kinds=ALL_KINDS, cross_columns="off")
    search = WholeSearch(rows, engine, space_of(relation, options), options)
    if long:
        assert search._first is not None
        search._first.long = search._first.sample = 1
    return sorted(
        (*target, *atoms)
        for batch in search.laws()
        for target, atoms in zip(batch.targets.tolist(), batch.sets.tolist(), strict=True)
    )


@pytest.mark.parametrize("way", ["whole", "rounds", "parts"])
def test_engines_find_the_same_laws(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setattr("lawful.discovery.judging.SPREAD", 1.5)  # so that small tables can be parted

    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
    @given(tables(min_columns=2, max_columns=4))
    def same(table: naive.Table) -> None:
        relation = relation_of(table)
        rows = ranked(relation)
        part = max(rows.count // 3, 1)
        engine = Parted(relation, rows, spark, part) if way == "parts" else OnSpark(relation, rows, spark)
        try:
            there = laws_on(engine, rows, relation, long=way == "rounds")
        finally:
            engine.close()
        assert there == laws_on(Threads(rows), rows, relation)

    same()
