"""Rows of Spark tables that say which laws they break, against all pairs of rows."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import lawful
import naive
from examples import examples
from law_samples import columns_of, laws_of
from lawful.checking import spark_flags
from lawful.checking.denials import denial_of
from lawful.checking.violating_rows import manner_of
from lawful.errors import LawfulError
from lawful.laws import Law, parse
from lawful.report.flagged_tables import name_of

LAWS = [
    "key {a, b}",
    "{a} -> b",
    "{} -> f",
    "{a}: b asc ~ c asc",
    "{}: b asc ~ f desc",
    "not(t.b > t.c)",
    "not(t.b > t.c and s.b < s.c and t.a = s.a)",
    "not(t.a = s.a and t.b <= s.b and t.c <= s.c)",
    "not(t.b < s.b and t.c >= s.c)",
    "not(t.b = s.c and t.a != s.a)",
    "key {row}",
    "{row} -> a",
    "{row}: b asc ~ c asc",
    "not(t.row < t.c)",
    "not(t.row > t.c and t.a < s.a)",
]


def made(seed: int, rows: int) -> list[tuple[object, ...]]:
    """Small numbers, NULLs, texts, a NaN."""
    by = random.Random(seed)
    values = [None, 0, 1, 2, 3, 4, 5]
    floats = [None, 0.0, -0.0, 1.5, float("nan")]
    return [
        (by.choice(["x", "y", "z", None]), by.choice(values), by.choice(values), by.choice(floats))
        for _ in range(rows)
    ]


def rows_against(law: Law, table: naive.Table) -> set[int]:
    """By all pairs of rows; a row that breaks a law by itself does so beside none, too."""
    if manner_of(denial_of(law, columns_of(table))) != "rows":
        return naive.rows_in_violations(law, table)
    twice = naive.Table(table.columns, [*table.rows, *table.rows])
    pairs = naive.violations(law, twice)
    return {row % len(table.rows) for row in min({t for t, _ in pairs}, {s for _, s in pairs}, key=len)}


def assert_flagged_as_by_all_pairs(
    spark: SparkSession, laws: Sequence[Law], lines: list[tuple[object, ...]]
) -> None:
    numbered = [(number, *line) for number, line in enumerate(lines)]
    frame = spark.createDataFrame(numbered, "row int, a string, b int, c int, f double")
    table = naive.Table(["row", "a", "b", "c", "f"], numbered)
    flagged = lawful.flag(frame, laws).collect()
    assert [line["row"] for line in sorted(flagged)] == [*range(len(lines))]
    found = {line["row"]: {one["law"] for one in line["_violations"]} for line in flagged}
    for law in laws:
        expected = rows_against(law, table)
        assert {row for row, laws in found.items() if str(law) in laws} == expected, law


@pytest.mark.parametrize("few_values", [0, 1 << 16])
def test_flags_are_those_of_all_pairs(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, few_values: int
) -> None:
    """Those that break a law as a part of the query, or as a query."""
    monkeypatch.setattr(spark_flags, "FEW_VALUES", few_values)
    assert_flagged_as_by_all_pairs(spark, [*map(parse, LAWS)], made(seed=1, rows=30))


@examples(4, phases=[Phase.generate])  # to shrink a failing one would take long
@given(
    laws=st.lists(laws_of(["b", "c", "f"]), min_size=6, max_size=12, unique=True),
    seed=st.integers(0, 99),
    rows=st.sampled_from([0, 1, 2, 20]),
    few_values=st.sampled_from([0, 1 << 16]),
)
def test_flags_of_whatever_laws(
    spark: SparkSession, laws: list[Law], seed: int, rows: int, few_values: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spark_flags, "FEW_VALUES", few_values)
        assert_flagged_as_by_all_pairs(spark, laws, made(seed, rows))


def test_values_of_every_type_are_joined_with_themselves(spark: SparkSession) -> None:
    """By windows and here; of some types Spark sends no values, groups or joins none."""
    types = {
        "binary": "x'00ff'",
        "map<string, int>": "map('a', 1)",
        "array<double>": "array(0.1D)",
        "struct<x: int>": "named_struct('x', 1)",
        "float": "0.1F",
        "decimal(5, 2)": "1.10BD",
        "timestamp": "timestamp'2026-03-29 02:30:00'",
        "timestamp_ntz": "timestamp_ntz'2026-03-29 02:30:00'",
        "date": "date'1500-01-01'",
        "boolean": "true",
        "tinyint": "1Y",
        "interval day to second": "interval '1' day",
    }
    columns = ", ".join(f"CAST({value} AS {kind}) AS `{kind}`" for kind, value in types.items())
    frame = spark.sql(f"SELECT id % 2 AS side, id AS row, {columns} FROM range(4)")
    by_windows = (f'{{"{kind}"}} -> row' for kind in types)
    here = (f'not(t."{kind}" = s."{kind}" and t.row != s.row and t.side < s.side)' for kind in types)
    found = lawful.flag(frame, [*by_windows, *here]).select("_violations.law").collect()
    assert [len(line["law"]) for line in found] == [2 * len(types)] * 4


def test_partners_break_the_law_together_with_a_row(spark: SparkSession) -> None:
    lines = [line[:3] for line in made(seed=2, rows=30)]
    frame = spark.createDataFrame(
        [(number, *line) for number, line in enumerate(lines)], "row int, a string, b int, c int"
    )
    table, told = naive.Table(["a", "b", "c"], lines), 0
    for text in LAWS:
        law = parse(text)
        if law.columns <= {"a", "b", "c"}:
            pairs = naive.violations(law, table)
            for line in lawful.flag(frame, [law]).where("size(_violations) > 0").collect():
                partner, row = line["_violations"][0]["partner"], line["row"]
                if partner is not None:
                    others = {s for t, s in pairs if t == row} | {t for t, s in pairs if s == row}
                    values = [{name: lines[s]["abc".index(name)] for name in law.columns} for s in others]
                    assert json.loads(partner) in values, (text, row)
                    told += 1
                else:
                    assert "~" not in text, text
    assert told > 30


def test_good_rows_and_quarantine(spark: SparkSession) -> None:
    table = pa.table(
        {"id": [1, 2, 3, 4], "zip`s": ["1", "1", None, None], "city": ["Oslo", "Olso", "Rome", "Rome"]}
    )
    frame = spark.createDataFrame(table)
    good, quarantine = lawful.split(frame, '{"zip`s"} -> city')
    assert [line["id"] for line in good.orderBy("id").collect()] == [3, 4]
    assert good.columns == frame.columns
    first = quarantine.orderBy("id").first()
    assert first is not None
    (reason,) = first["_violations"]
    assert reason.asDict() == {
        "name": "fd_zip_s_city",
        "message": 'rows with the same "zip`s" have the same city',
        "columns": ["city", "zip`s"],
        "law": '{"zip`s"} -> city',
        "group": '{"zip`s":"1"}',
        "partner": None,
    }


def test_names_of_laws_tell_them_apart() -> None:
    texts = ["key {a, b}", "{a} -> b", "not(t.a < t.b)", "not(t.a >= t.b)", "not(t.a = s.a and t.b != s.b)"]
    names = [
        "key_a_b",
        "fd_a_b",
        "dc_not_t_a_lt_t_b",
        "dc_not_t_a_ge_t_b",
        "dc_not_t_a_eq_s_a_and_t_b_ne_s_b",
    ]
    assert [name_of(parse(text)) for text in texts] == names


def test_violations_of_a_spark_table_are_one(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "Oslo"), (1, "Olso"), (2, "Rome")], "zip int, city string")
    found = parse("{zip} -> city").violations(frame).orderBy("_row")
    assert [(line["_group"], line["city"]) for line in found.collect()] == [(1, "Oslo"), (1, "Olso")]


def test_what_cannot_be_flagged_is_told(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "Oslo")], "zip int, city string")
    with pytest.raises(LawfulError, match="there is no column 'cty': did you mean 'city'"):
        lawful.flag(frame, "{zip} -> cty")
    with pytest.raises(LawfulError, match="has a column 'zip' already"):
        lawful.flag(frame, "{zip} -> city", reasons="zip")


def test_a_law_that_only_we_can_judge_is_refused_where_its_values_are_too_many(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.createDataFrame([(1, 2), (2, 1)], "a int, b int")
    monkeypatch.setattr(spark_flags, "CELL_BYTES", 1 << 50)
    lawful.flag(frame, "{a} -> b")
    with pytest.raises(LawfulError, match=r"'not\(t.a < s.b\)' cannot be flagged.*\(2 rows\): leave it out"):
        lawful.flag(frame, ["{a} -> b", "not(t.a < s.b)"])


def test_only_spark_tables_are_flagged() -> None:
    table = pa.table({"a": [1]})
    for call in (lawful.flag, lawful.split):
        with pytest.raises(LawfulError, match=r"rows of Spark tables are flagged.*lawful.violations"):
            call(table.to_pandas(), "key {a}")
