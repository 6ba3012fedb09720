"""Laws as checks of other tools: run where the tool is here, else read as the tool would."""

from __future__ import annotations

import json
import sqlite3
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from pyspark.sql import SparkSession
from test_violation_queries import LAWS, doubled

import naive
from examples import examples
from lawful import LawfulError
from lawful.laws import FD, Key, Law, parse
from lawful.report.collection import Facts, Laws
from lawful.report.exports.data_tools import yaml
from lawful.report.exports.law_checks import LawExport
from lawful.report.exports.pair_forms import RowForm, SweepForm, form_of
from lawful.report.exports.python_tools import pandera_schema
from lawful.report.exports.tools import TOOLS, exported, write_export
from lawful.report.ratings import Rating
from small_tables import tables

NAMES = ["order", "customer", 'it\'s "here"']
TEXTS = [
    "key {order}",
    '{customer} -> "it\'s ""here"""',
    "{}: customer asc ~ order desc",
    "not(t.order > t.customer)",
    "not(t.order < s.customer)",
]


def laws_of(texts: list[str], names: list[str], nulls_equal: bool = True) -> Laws:
    kinds = ("key", "fd", "od", "pod", "dc")
    rated = [(parse(text), Rating(0.5, 20.0)) for text in texts]
    return Laws.of(names, rated, Facts(kinds=kinds, nulls_equal=nulls_equal))


def as_text(tool: str, laws: Laws) -> str:
    found = exported(laws, tool, "orders")
    assert isinstance(found, str)
    return found


@examples(10)
@given(tables(min_columns=3, max_columns=3, max_rows=5))
def test_the_views_name_the_laws_that_are_broken(table: naive.Table) -> None:
    table = naive.Table(table.columns, table.rows, nulls=table.nulls)
    texts = [text for text in LAWS[:20] if "[]" not in text]
    laws = laws_of(texts, [*table.columns], table.nulls == "equal")
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE orders ({', '.join(table.columns)})")
        database.executemany("INSERT INTO orders VALUES (?, ?, ?)", table.rows)
        database.executescript(as_text("sql", laws))
        broken = {text for _, text, _ in database.execute("SELECT * FROM orders_broken_laws")}
    assert broken == {str(law) for law in laws if not naive.holds(law, table)}


def test_spark_runs_its_views(spark: SparkSession) -> None:
    odd = "it's `\\n"  # a name that wants quotes in every place
    rows = [(1, 1, 2), (2, None, 1), (2, 3, 1), (None, None, 0), (None, 0, 0), (1, 5, 7)]
    table = naive.Table(["c0", "c1", odd], rows)
    laws = laws_of([f'{{c0}}: c1 asc ~ "{odd}" desc', f'{{"{odd}"}} -> c0'], [*table.columns])
    frame = spark.createDataFrame(rows, "c0 int, c1 int, c2 int").toDF(*table.columns)
    frame.coalesce(1).createOrReplaceTempView("orders")
    for statement in as_text("spark-sql", laws).split(";\n")[:-1]:
        spark.sql(statement)
    broken = {row.text for row in spark.sql("SELECT * FROM orders_broken_laws").collect()}
    assert broken == {str(law) for law in laws if not naive.holds(law, table)}
    assert len(broken) == 1


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_gets_every_law_or_a_sentence(tool: str, tmp_path: Path) -> None:
    laws = laws_of(TEXTS, NAMES)
    write_export(exported(laws, tool, "orders"), tmp_path / "checks")
    written = [tmp_path / "checks"] if tool != "dbt" else sorted((tmp_path / "checks").iterdir())
    text = "".join(path.read_text("utf-8") for path in written)
    for law in laws:
        plain = str(law)
        forms = [plain, json.dumps(plain)[1:-1], repr(plain)[1:-1], plain.replace("'", "''")]
        assert any(form in text for form in forms), plain
    assert "every two rows would have to be compared" in text


def test_great_expectations_never_takes_nulls_for_different() -> None:
    """Its own expectation of unique columns does, whatever its options say."""
    suite = json.loads(as_text("great-expectations", laws_of(["key {order, customer}"], NAMES)))
    assert [one["type"] for one in suite["expectations"]] == ["unexpected_rows_expectation"]
    suite = json.loads(as_text("great-expectations", laws_of(["key {order, customer}"], NAMES, False)))
    assert [one["type"] for one in suite["expectations"]] == ["expect_compound_columns_to_be_unique"]


def test_checks_of_dqx() -> None:
    texts = [
        "key {order, customer}",
        "{customer} -> city",
        "not(t.customer = s.customer and t.order = s.city)",
    ]
    text = as_text("dqx", laws_of(texts, ["order", "customer", "city"]))
    lines = [line.strip() for line in text.splitlines()]
    assert 'columns: ["customer", "order"]' in lines
    assert "nulls_distinct: false" in lines
    # Each query is joined to the table once more: windows spare that where they can.
    assert [line for line in lines if line.startswith("function")] == [
        'function: "is_unique"',
        'function: "sql_expression"',
        'function: "sql_query"',
    ]
    assert "MIN(`city`) OVER (PARTITION BY `customer`) < MAX(`city`) OVER" in text


def test_equivalent_columns_are_laws_too() -> None:
    group = {"columns": ["order", "customer"], "reversed": ["customer"], "kinds": ["fd", "od"]}
    text = as_text("sql", laws_of([], NAMES).with_facts(equivalents=(group,)))
    for law in ("{customer} -> order", "{order} -> customer", "{}: customer asc ~ order desc"):
        assert f"-- {law}\n" in text


def test_the_order_of_texts_is_told_of_equivalent_columns_too() -> None:
    group = {"columns": ["order", "customer"], "reversed": [], "kinds": ["fd"], "ordered": False}
    laws = laws_of(["key {order}"], NAMES).with_facts(types={"customer": "string"}, equivalents=(group,))
    assert "code point" not in as_text("sql", laws)
    in_order = {**group, "kinds": ["fd", "od"], "ordered": True}
    assert "code point" in as_text("sql", laws.with_facts(equivalents=(in_order,)))


def test_constraints_only_where_they_say_the_same() -> None:
    text = as_text("sql", laws_of(["key {order}", "not(t.order > t.customer)"], NAMES))
    assert 'if the columns are NOT NULL: ALTER TABLE "orders" ADD CONSTRAINT "law_1_key_order" UNIQUE' in text
    assert "CHECK (NOT COALESCE(" in text
    assert "if the columns are" not in as_text("sql", laws_of(["key {order}"], NAMES, nulls_equal=False))


def helpers(nulls_equal: bool) -> dict[str, Any]:
    """The functions that a pandera schema brings along, without pandera."""
    text = files("lawful.report.exports").joinpath("pandera_helpers.txt").read_text("utf-8")
    names: dict[str, Any] = {}
    exec(text.replace("import pandera.pandas as pa", ""), names)
    names["NULLS_EQUAL"] = nulls_equal
    return names


def pandas_holds(law: Law, frame: pd.DataFrame, names: dict[str, Any]) -> bool | None:
    """What these functions say; None where they say nothing."""
    match form := form_of(law):
        case Key():
            return bool(names["is_key"](frame, sorted(form.columns)))
        case FD():
            return bool(names["determines"](frame, sorted(form.lhs), form.rhs))
        case SweepForm():
            return bool(names["never"](frame, sorted(form.context), *form.first, *form.second))
        case RowForm():
            parts = [
                names["compared"](frame, one.left.column, one.operator, one.right.column)
                for one in form.predicates
            ]
            return not pd.concat(parts, axis=1).all(axis=1).any()
    return None


@examples(5)
@given(tables(min_columns=3, max_columns=3, max_rows=5))
def test_the_functions_of_a_pandera_schema(table: naive.Table) -> None:
    table = naive.Table(table.columns, table.rows, nulls=table.nulls)
    names = helpers(table.nulls == "equal")
    frame = pd.DataFrame(table.rows, columns=[*table.columns], dtype="float64")
    for law in map(parse, LAWS):
        found = pandas_holds(law, frame, names)
        assert found in (None, naive.holds(law, doubled(table, law))), str(law)


def test_a_pandera_schema_is_python() -> None:
    text = pandera_schema(LawExport(laws_of([*TEXTS, "not(t.order = s.customer)"], NAMES, False), "orders"))
    compile(text, "schema.py", "exec")
    assert "NULLS_EQUAL = False" in text
    assert "# not checked: not(t.customer = s.order): pandera would have to compare" in text


def test_deequ_gets_python() -> None:
    text = as_text("deequ", laws_of(TEXTS, NAMES))
    compile(text, "laws.py", "exec")
    assert "check.hasUniqueness(['order'], lambda share: share == 1.0)" in text


def test_yaml_is_json_within_blocks() -> None:
    data = {"a": [1, "x: y"], "b": [{"c": None, "d": {"e f": True}}], "g": {}, "h": []}
    assert yaml(data) == 'a: [1, "x: y"]\nb:\n  - c: null\n    d:\n      "e f": true\ng: {}\nh: []\n'


def test_unknown_tools_are_refused() -> None:
    with pytest.raises(LawfulError, match="there is no export to 'excel': choose among sql, spark-sql"):
        laws_of(TEXTS, NAMES).export("excel")
