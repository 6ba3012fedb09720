"""Ranks of typed tables against pandas' dense rank."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from rank_oracle import assert_same, dense_ranks

from examples import examples
from lawful.table import Relation, SourceOptions, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=3) | st.sampled_from(
    ["\ue000", "\U00010000", "é", "e\u0301"]
)
COLUMNS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "integer": (pa.int64(), st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)),
    "small": (pa.int8(), st.integers(-128, 127)),
    "unsigned": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "float": (pa.float64(), st.floats() | st.sampled_from([0.0, -0.0, float("nan")])),
    "decimal": (pa.decimal128(10, 2), st.decimals(-99, 99, places=2)),
    "boolean": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates(date(1800, 1, 1), date(2200, 1, 1))),
    "naive": (pa.timestamp("us"), st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1))),
    "zoned": (
        pa.timestamp("us", "Asia/Tokyo"),
        st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)),
    ),
    "string": (pa.string(), TEXT),
    "category": (pa.dictionary(pa.int8(), pa.string()), TEXT),
    "null": (pa.null(), st.none()),
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Tables of any types, with NULLs, repeated values, perhaps no rows."""
    chosen = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(0, 12))
    arrays = []
    for name in chosen:
        kind, values = COLUMNS[name]
        pool = draw(st.lists(values | st.none(), min_size=1, max_size=6))
        cells = draw(st.lists(st.sampled_from(pool), min_size=rows, max_size=rows))
        arrays.append(pa.array(cells, kind))
    return pa.Table.from_arrays(arrays, names=chosen)


def check(relation: Relation, table: pa.Table, nulls: str) -> None:
    """The relation says what the table says."""
    assert relation.n_rows == table.num_rows
    ranks = relation.ranks()
    assert ranks.dtype == np.int32
    assert ranks.shape == (table.num_columns, table.num_rows)
    for index, name in enumerate(table.column_names):
        values = table.column(name).to_pylist()
        np.testing.assert_array_equal(ranks[index], dense_ranks(values, nulls))
        column = relation.columns[index]
        assert column.nulls == sum(value is None for value in values)
        dictionary = relation.dictionary(name).to_pylist()
        assert column.distinct == len(dictionary) - (None in dictionary)
        shown = [None if rank < 0 else dictionary[rank] for rank in ranks[index]]
        assert repr(shown) == repr(relation.rows(relation.row_ids).column(name).to_pylist())


@given(tables(), st.sampled_from(["equal", "distinct"]))
@examples(150)
def test_ranks_are_dense(table: pa.Table, nulls: Literal["equal", "distinct"]) -> None:
    check(read(table, SourceOptions(nulls=nulls)), table, nulls)


@given(tables())
@examples(6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_ways_agree(spark: SparkSession, table: pa.Table) -> None:
    kept = [name for name in table.column_names if name not in ("unsigned", "category", "null")]
    table = table.select(kept) if kept else pa.table({"one": [1]})
    frame = spark.createDataFrame(table)
    assert_same(read(frame, way="driver"), read(frame, way="workers"))
    check(read(frame, way="workers"), table, "equal")


def test_zones_are_one_moment() -> None:
    table = pa.table({"t": pa.array([0, 1], pa.timestamp("s", "America/New_York"))})
    relation = read(table)
    assert relation.dictionary("t").type == pa.timestamp("us", "UTC")


def test_pandas_needs_no_spark() -> None:
    frame = pd.DataFrame({"a": [3.5, None, 1.0], "b": ["x", "y", "x"]})
    frame.columns = pd.Index(["a", "a"])
    relation = read(frame)
    assert relation.names == ("a", "a_2")
    assert relation.ranks().tolist() == [[2, 0, 1], [0, 1, 0]]


def test_odd_arrow_types() -> None:
    table = pa.table(
        {
            "bytes": pa.array([b"\xff", b"\x00", None]),
            "list": pa.array([[2], [1], [1]]),
            "struct": pa.array([{"x": 1}, None, {"x": 1}]),
            "time": pa.array([3, 2, 1], pa.time64("us")),
            "duration": pa.array([3, 2, 1], pa.duration("s")),
            "run": pa.array([Decimal("1.5"), None, Decimal("0.5")], pa.decimal256(40, 1)),
        }
    )
    relation = read(table)
    assert relation.ranks().tolist() == [[2, 1, 0], [1, 0, 0], [1, 0, 1], [2, 1, 0], [2, 1, 0], [2, 0, 1]]
    assert relation.dictionary("bytes").to_pylist() == [None, "00", "ff"]
    assert relation.dictionary("list").to_pylist() == ["[1]", "[2]"]


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows_keep_types(rows: int, spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "x")], "a long, b string").limit(rows)
    relation = read(frame)
    assert [column.type for column in relation.columns] == ["integer", "string"]
    assert relation.ranks().shape == (2, rows)
