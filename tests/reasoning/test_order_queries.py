"""Queries that sort less, run by databases: the same order, fewer columns."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from flight_database import BINARIES, SPARK_SORTS, postgres, sorted_columns
from flight_queries import QUERIES
from pyspark.sql import SparkSession

import lawful
from lawful import LawfulError
from lawful.laws import parse
from lawful.report.collection import Facts, Laws
from lawful.report.ratings import Rating


@pytest.fixture(scope="module")
def flights() -> pa.Table:
    return lawful.datasets.flights(1_000)


@pytest.fixture(scope="module")
def laws(flights: pa.Table) -> Laws:
    """Those that the table obeys by construction, with what a search knows of the table."""
    rated = [(parse(text), Rating(0.5, 10.0)) for text in lawful.datasets.flights.rules]
    types = {field.name: str(field.type).replace("int64", "integer") for field in flights.schema}
    nulls = {name: flights[name].null_count for name in flights.column_names if flights[name].null_count}
    facts = Facts(kinds=("key", "fd", "od", "dc"), types=types, nulls=nulls)
    return Laws.of(flights.column_names, rated, facts)


def sorted_by(rows: Sequence[Sequence[Any]], names: Sequence[str], sql: str) -> list[Any]:
    """What the rows have in the columns of the query's ORDER BY, as far as it selects them."""
    wanted = sql.partition("order by")[2].replace(" desc", "").replace(" ", "").split(",")
    places = [names.index(name) for name in wanted if name in names]
    assert places
    return [[row[place] for place in places] for row in rows]


@pytest.mark.parametrize("sql", QUERIES)
def test_the_order_is_the_same_in_sqlite(sql: str, laws: Laws, flights: pa.Table) -> None:
    advice = laws.advise(sql, "sqlite")
    assert len(advice.order_by) == QUERIES[sql], advice
    with sqlite3.connect(":memory:") as database:
        names = flights.column_names
        database.execute(f"CREATE TABLE flights ({', '.join(names)})")
        lines = zip(
            *(
                column.cast(pa.string() if pa.types.is_date(column.type) else column.type).to_pylist()
                for column in flights.columns
            ),
            strict=True,
        )
        database.executemany(f"INSERT INTO flights VALUES ({', '.join('?' * len(names))})", lines)
        before, after = database.execute(sql), database.execute(advice.sql)
        shown = [one[0] for one in before.description]
        assert sorted_by(after.fetchall(), shown, sql) == sorted_by(before.fetchall(), shown, sql)


@pytest.mark.slow
@pytest.mark.skipif(BINARIES is None, reason="there is no PostgreSQL")
def test_postgresql_sorts_by_fewer_columns_in_the_same_order(laws: Laws, flights: pa.Table) -> None:
    as_many = []
    with postgres(flights) as run:
        for sql in QUERIES:
            (names, before, many), (_, after, few) = run(sql), run(laws.advise(sql, "postgres").sql)
            assert sorted_by(after, names, sql) == sorted_by(before, names, sql)
            as_many += [sql.partition("order by ")[2]] if few >= many else []
    assert as_many == [
        "arr_delay_group desc, arr_delay desc",  # NULLs, which PostgreSQL has last: no law speaks of that
        "dep_delay_group, dep_delay, carrier",
        "year, month, day_of_month desc, origin",  # where year = 2015: PostgreSQL knows by itself
    ]


def test_spark_sorts_by_fewer_columns_in_the_same_order(
    laws: Laws, flights: pa.Table, spark: SparkSession
) -> None:
    spark.createDataFrame(flights.to_pandas()).coalesce(1).createOrReplaceTempView("flights")
    for sql in [*QUERIES][::6]:
        before, after = spark.sql(sql), spark.sql(laws.advise(sql).sql)
        many, few = (
            sorted_columns(SPARK_SORTS, frame._jdf.queryExecution().optimizedPlan().toString())
            for frame in (before, after)
        )
        assert few < many
        assert sorted_by(after.collect(), after.columns, sql) == sorted_by(
            before.collect(), before.columns, sql
        )


def small_laws(*texts: str, **facts: Any) -> Laws:
    names = ["a", "b", "c"]
    known = {"complete": False, "types": dict.fromkeys(names, "integer"), **facts}
    return Laws.of(names, [(parse(text), Rating(0.5)) for text in texts], Facts(**known))


def test_advice_in_words() -> None:
    laws = small_laws("{}: a asc ~ b asc", "{a} -> b", "key {a, c}", nulls={"b": 1})
    advice = laws.advise("select distinct a, c, b from t order by b, a, c", "postgres", ["a, c", "b"])
    assert str(advice).splitlines() == [
        "-- ORDER BY b nulls last, a, c: no shorter list is known",
        "-- DISTINCT can go: rows differ anyway",
        "-- indexes that serve it, from either end: (b nulls last, a, c)",
        "-- index (a, c) is not known to serve it",
        "-- index (b) is not known to serve it",
        "-- NULLs: the laws have NULL before all values, this order of b has not; "
        "with NULLS FIRST (with DESC: LAST) a, c would be enough",
        "-- by key {a, c}",
        "SELECT a, c, b FROM t ORDER BY b, a, c",
    ]
    first = laws.advise("select * from t order by b nulls first, a, c", "postgres", ["a, c"])
    assert first.sql == "SELECT * FROM t ORDER BY a, c"
    assert "index (a, c) serves it" in first.notes


def test_what_group_by_can_spare() -> None:
    laws = small_laws("{a} -> b")
    advice = laws.advise("select a, count(*) from t group by a, b order by count(*), a, b")
    assert advice.group_by_spared == ("b",)
    assert advice.sql == "SELECT a, COUNT(*) FROM t GROUP BY a, b ORDER BY COUNT(*), a"
    assert laws.advise("select a, sum(b) from t group by a, b").sql == "SELECT a, SUM(b) FROM t GROUP BY a"
    assert laws.advise("select a as b, c from t group by a, c, b").group_by_spared == ("b",)


@pytest.mark.parametrize(
    ("sql", "order"),
    [
        ("select * from t where a = 1 order by a, c", "c"),
        ("select * from t where (a = 1 and c > 2) order by c, a", "c"),
        ("select * from t where a = 1 order by b", ""),
        ("select * from t where a = 1 or c = 1 order by a, c", "a, c"),
        ("select * from t where a = '1' order by a, c", "a, c"),  # in some databases '01' equals 1, too
        ("select * from t where a > 1 order by a, c", "a, c"),
        ("select c as a, a as x from t order by a, x, b", "c, a"),
        ("select A, B from t order by A, B", "a"),
        ("select abs(a) from t order by 1, a, b", "ABS(a), a"),
        ("select * from t order by abs(a), rand(), a, b", "ABS(a), RAND(), a"),
        ("select * from t order by a, b limit 5", "a"),
        ("select b from t", ""),
        ("select t.a, x.b from t order by t.a, t.b, x.b", "a, x.b"),
        ("select * from t as x where x.a = 1 order by x.b, x.c", "c"),
    ],
)
def test_lists_that_are_enough(sql: str, order: str) -> None:
    advice = small_laws("{a} -> b").advise(sql)
    assert ", ".join(item.column for item in advice.order_by) == order


@pytest.mark.parametrize(
    ("sql", "dialect", "problem"),
    [
        ("select * from t join u on t.a = u.a order by a", "spark", r"say which one .* \(--name\), of t, u"),
        ("select * from (select * from t) order by a", "spark", "laws speak of a table"),
        ("select * from t, (select 1) order by a", "spark", "laws speak of a table"),
        ("with x as (select 1) select * from x", "spark", "laws speak of a table"),
        ("select a from t union select a from u order by a", "spark", "laws speak of a table"),
        ("delete from t", "spark", "laws speak of a table"),
        ("select a from t group by rollup(a)", "spark", "GROUP BY with ROLLUP"),
        ("select * from t order by d", "spark", "there is no column 'd'"),
        ("select * from where", "spark", "cannot read the query"),
        ("", "spark", "cannot read the query"),
        ("select * from t", "klingon", "cannot read the query: Unknown dialect"),
    ],
)
def test_queries_of_which_laws_say_nothing(sql: str, dialect: str, problem: str) -> None:
    with pytest.raises(LawfulError, match=problem) as told:
        small_laws().advise(sql, dialect)
    assert "\n" not in str(told.value)


JOINS = [
    "select t.a, t.b, u.a, u.d from t join u on t.c = u.d order by t.a, t.b, u.d",
    "select t.a, t.b, u.d from u, t as t where u.d = t.c order by u.d, t.a desc, t.b",
    "select x.a, x.b, x.c, u.d from t as x left join u on x.a = u.a order by x.c, d, x.a, x.b",
    "select distinct t.a, t.c from t join u on t.a = u.a order by t.a, t.c",
    "select t.a, u.d from u left join v on u.a = v.e join t on t.a = u.a order by t.a, t.b, e",
]
SHORTER = [2, 2, 3, 2, 2]


@pytest.mark.parametrize(("sql", "left"), [*zip(JOINS, SHORTER, strict=True)])
def test_joins_leave_the_laws_of_a_table_true_but_its_rows_repeat(sql: str, left: int) -> None:
    laws = small_laws("{a} -> b", "key {a, c}", "not(t.a = s.a and t.c <= s.c)")
    advice = laws.advise(sql, "sqlite", table="x" if " x " in sql else "t")
    assert len(advice.order_by) == left, advice
    assert ("distinct" in sql) == ("DISTINCT" in advice.sql)
    assert advice.indexes == ()
    with sqlite3.connect(":memory:") as database:
        for table, columns in (("t", "abc"), ("u", "ad"), ("v", "e")):
            database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        database.executemany(
            "INSERT INTO t VALUES (?, ?, ?)", [(k % 4, -(k % 4) // 2, k // 4) for k in range(12)]
        )
        database.executemany("INSERT INTO u VALUES (?, ?)", [(k % 3, k % 2) for k in range(7)])
        database.executemany("INSERT INTO v VALUES (?)", [(1,), (1,), (2,)])
        before, after = (database.execute(one).fetchall() for one in (sql, advice.sql))
    assert after == before


def test_a_column_that_is_enough_has_its_table_s_name() -> None:
    laws = small_laws("{a} -> b", "{b} -> a", "{}: a asc ~ b asc", "{a} -> c", "{}: a asc ~ c asc")
    advice = laws.advise("select u.d from t join u on t.a = u.a order by t.c, t.a", table="t")
    assert advice.sql == "SELECT u.d FROM t JOIN u ON t.a = u.a ORDER BY t.a"


@pytest.mark.parametrize(
    "join", ["u left join t", "t right join u", "t full join u", "u join t right join u as w"]
)
def test_rows_of_nulls_are_no_rows_of_the_table(join: str) -> None:
    conditions = " on true" if join.count("join") == 1 else ""
    with pytest.raises(LawfulError, match="an outer join adds rows of NULLs"):
        small_laws("{a} -> b").advise(f"select * from {join}{conditions} order by t.a, t.b", table="t")


def test_without_sqlglot_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(LawfulError, match=r"pip install 'lawful\[sql\]'"):
        small_laws().advise("select * from t")
