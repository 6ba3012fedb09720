"""Every kind of law is the same on every engine, on the tables of the oracle's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given

import complete
import lawful
import naive
from examples import examples
from lawful import SourceOptions, costs
from lawful.discovery import Search, space_of
from lawful.engine import Engine, OnSpark, Threads
from lawful.engine.parted import Parted
from lawful.laws import KINDS
from lawful.table.ranked import ranked
from lawful.table.workspace import Workspace
from small_tables import lines_of, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def relation_of(table: naive.Table) -> lawful.Relation:
    columns = {
        name: pa.array([row[number] for row in table.rows], pa.int64())
        for number, name in enumerate(table.columns)
    }
    unordered = tuple(name for name in table.columns if not table.is_ordered(name))
    return lawful.read(pa.table(columns), SourceOptions(nulls=table.nulls, unordered=unordered))


def laws_on(engine: Engine, relation: lawful.Relation) -> list[tuple[int, ...]]:
    options = complete.options(kinds=KINDS, cross_columns="off")
    return lines_of(Search(engine, space_of(relation, options), options).laws())


@pytest.mark.parametrize("way", ["whole", "rounds", "parts"])
def test_engines_find_the_same_laws(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setattr(costs, "SPREAD", 1.5)  # so that small tables can be parted

    @examples(12, suppress_health_check=list(HealthCheck))
    @given(tables(min_columns=2, max_columns=4))
    def same(table: naive.Table) -> None:
        relation = relation_of(table)
        rows = ranked(relation)
        part = max(rows.count // 3, 1)
        engine = (
            Parted(relation, Workspace(rows), spark, part)
            if way == "parts"
            else OnSpark(relation, Workspace(rows), spark)
        )
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(costs, "SMALL_ROWS", 0)
                if way == "rounds":
                    patch.setattr(costs, "LONG_TABLE", 1)
                    patch.setattr(costs, "FIRST_SAMPLE", 1)
                there = laws_on(engine, relation)
        finally:
            engine.close()
        assert there == laws_on(Threads(Workspace(rows)), relation)

    same()
