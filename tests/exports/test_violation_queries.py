"""Queries that find what breaks a law, run by a database, beside the definition of the law."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from hypothesis import given

import naive
from examples import examples
from lawful.laws import Law, parse
from lawful.report.collection import Facts, Laws
from lawful.report.exports.pair_forms import RowForm, form_of
from lawful.report.exports.violation_queries import ViolationQueries
from lawful.report.exports.window_conditions import WindowConditions
from small_tables import tables

LAWS = [
    *("key {c0}", "key {c0, c1}", "key {}", "{} -> c0", "{c0} -> c1", "{c0, c2} -> c1", "{c0}: [] -> c2"),
    *("{}: c0 asc ~ c1 asc", "{}: c0 asc ~ c1 desc", "{c2}: c0 asc ~ c1 asc", "{c2}: c0 asc ~ c1 desc"),
    *("c0 < => c1 <", "c0 <= => c1 <=", "c0 <, c2 = => c1 <=", "c0 <= => c1 >", "c0 >= => c1 >="),
    *("c0 =, c1 = => never", "c0 = => c1 =", "c0 <, c1 < => never", "c0 <=, c1 <= => never"),
    *("not(t.c0 < t.c1)", "not(t.c0 = t.c1 and t.c1 != t.c2)", "not(s.c0 >= s.c1)", "not(t.c0 != t.c1)"),
    *("not(t.c0 = s.c1)", "not(t.c0 = s.c0 and t.c1 != s.c1 and t.c2 != s.c2)"),
    *(
        "not(t.c0 = s.c0 and t.c1 < s.c2)",
        "not(t.c0 = s.c0 and t.c1 <= s.c1)",
        "not(t.c0 = s.c1 and t.c2 > t.c1)",
    ),
]


def known(table: naive.Table) -> Laws:
    """No laws, but what a search knows of the table."""
    holding = [sum(row[place] is None for row in table.rows) for place in range(len(table.columns))]
    nulls = {name: count for name, count in zip(table.columns, holding, strict=True) if count}
    types = dict.fromkeys(table.columns, "integer")
    return Laws.of(
        list(table.columns), [], Facts(types=types, nulls=nulls, nulls_equal=table.nulls == "equal")
    )


def broken(table: naive.Table, queries: Sequence[str]) -> list[bool]:
    """Which of the queries find something in SQLite."""
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE data ({', '.join(table.columns)})")
        places = ", ".join("?" * len(table.columns))
        database.executemany(f"INSERT INTO data VALUES ({places})", table.rows)
        return [database.execute(query).fetchone() is not None for query in queries]


def doubled(table: naive.Table, law: Law) -> naive.Table:
    """For laws of single rows each row twice: a law says nothing of a table of one row, a check does."""
    rows = [*table.rows] * 2 if isinstance(form_of(law), RowForm) else table.rows
    return naive.Table(table.columns, rows, nulls=table.nulls)


@examples(15)
@given(tables(min_columns=3, max_columns=3, max_rows=6))
def test_a_query_returns_rows_exactly_if_the_law_is_broken(table: naive.Table) -> None:
    if not all(map(table.is_ordered, table.columns)):
        table = naive.Table(table.columns, table.rows, nulls=table.nulls)
    writer, laws = ViolationQueries(known(table), "data"), [*map(parse, LAWS)]
    queries = [writer.query(law) for law in laws]
    found = broken(table, [query for query in queries if query is not None])
    expected = [not naive.holds(law, doubled(table, law)) for law in laws]
    assert dict(zip(LAWS, found, strict=True)) == dict(zip(LAWS, expected, strict=True))


@examples(15)
@given(tables(min_columns=3, max_columns=3, max_rows=6))
def test_a_window_marks_a_row_exactly_if_the_law_is_broken(table: naive.Table) -> None:
    table = naive.Table(table.columns, table.rows, nulls=table.nulls)
    windows = WindowConditions(table.nulls == "equal", '"')
    conditions = {law: windows.condition(form_of(law)) for law in map(parse, LAWS)}
    stated = {
        law: f"SELECT 1 FROM (SELECT {one} AS broken FROM data) AS q WHERE broken"
        for law, one in conditions.items()
        if one
    }
    assert len(stated) == 11
    found = broken(table, [*stated.values()])
    assert dict(zip(stated, found, strict=True)) == {law: not naive.holds(law, table) for law in stated}


def test_what_would_compare_all_pairs_has_no_query() -> None:
    writer = ViolationQueries(known(naive.Table(["a", "b", "c"], [])), "data")
    assert writer.query(parse("not(t.a < s.a and t.b < s.b and t.c < s.c)")) is None
    assert writer.query(parse("not(t.a < s.b)")) is None
