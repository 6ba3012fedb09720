"""The generated tables obey their rules, and planted errors are exactly those that are listed."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful import datasets
from lawful.datasets import RULES, Dataset, plant
from lawful.errors import LawfulError
from lawful.laws import parse

GENERATORS: dict[str, Dataset] = {
    "tax": datasets.tax,
    "flights": datasets.flights,
    "employees": datasets.employees,
    "survey": datasets.survey,
}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

every_generator = pytest.mark.parametrize("name", GENERATORS)


class Predicate(NamedTuple):
    left: str
    left_column: str
    operator: str
    right: str
    right_column: str


def forbidden(rule: str) -> list[Predicate]:
    """What no pair of different rows t, s may satisfy at once, for a law of any kind."""
    if rule.startswith("not("):
        parts = [re.fullmatch(r"([ts])\.(\w+) (\S+) ([ts])\.(\w+)", p) for p in rule[4:-1].split(" and ")]
        assert all(parts), rule
        return [Predicate(*part.groups()) for part in parts if part]
    context, _, rest = rule.removeprefix("key ")[1:].partition("}")
    pairs = [(column, "=") for column in context.split(", ") if column]
    if rest.startswith(" -> "):
        pairs.append((rest.removeprefix(" -> "), "!="))
    elif rest:
        order = re.fullmatch(r": (\w+) asc ~ (\w+) (asc|desc)", rest)
        assert order, rule
        pairs += [(order[1], "<"), (order[2], ">" if order[3] == "asc" else "<")]
    return [Predicate("t", column, op, "s", column) for column, op in pairs]


def ranks(table: pa.Table, columns: set[str]) -> dict[str, npt.NDArray[np.int64]]:
    """Columns as numbers that compare like their values, within and across columns; NULL is first."""
    values = {column: table[column].to_pylist() for column in columns}
    present = {v for column in values.values() for v in column if v is not None}
    rank = {value: i for i, value in enumerate(sorted(present))}
    return {c: np.array([rank.get(v, -1) for v in column], dtype=np.int64) for c, column in values.items()}


def holds(rule: str, table: pa.Table) -> bool:
    """Straight from the definition, over all pairs of rows."""
    broken = ~np.eye(table.num_rows, dtype=bool)
    for left, left_column, op, right, right_column in forbidden(rule):
        numbers = ranks(table, {left_column, right_column})
        shape = {"t": (-1, 1), "s": (1, -1)}
        broken &= OPERATORS[op](
            numbers[left_column].reshape(shape[left]), numbers[right_column].reshape(shape[right])
        )
    return not broken.any()


def distinct(table: pa.Table, columns: list[str]) -> int:
    return int(table.group_by(columns).aggregate([]).num_rows)


def changed_cells(before: pa.Table, after: pa.Table) -> list[dict[str, Any]]:
    def text(value: object) -> str | None:
        return None if value is None else str(value)

    old_rows, new_rows = before.to_pylist(), after.to_pylist()
    return [
        {"row": i, "column": column, "before": text(old[column]), "after": text(new[column])}
        for i, (old, new) in enumerate(zip(old_rows, new_rows, strict=True))
        for column in before.column_names
        if old[column] != new[column]
    ]


def test_the_oracle_sees_broken_laws() -> None:
    table = pa.table({"a": [1, 1, 2], "b": [3, 4, None], "c": [3, 3, 3]})
    assert holds("key {a, b}", table)
    assert not holds("key {a}", table)
    assert holds("{a} -> c", table)
    assert not holds("{a} -> b", table)
    assert not holds("{}: a asc ~ b asc", table)
    assert holds("{}: a asc ~ b desc", table)
    assert holds("not(t.a > t.c)", table)
    assert not holds("not(t.c >= s.b)", table)


@every_generator
def test_every_rule_speaks_of_columns_of_the_table(name: str) -> None:
    columns = set(GENERATORS[name](0).column_names)
    for rule in RULES[name]:
        named = {c for p in forbidden(rule) for c in (p.left_column, p.right_column)}
        assert named
        assert named <= columns


@every_generator
def test_every_rule_can_be_read_and_is_stated_once(name: str) -> None:
    assert len(set(map(parse, RULES[name]))) == len(RULES[name])


@every_generator
@pytest.mark.parametrize("rows", [0, 1, 2, 500])
@given(seed=st.integers(0, 2**32))
@examples(5)
def test_rules_hold_at_every_size_and_seed(name: str, rows: int, seed: int) -> None:
    table = GENERATORS[name](rows, seed=seed)
    assert table.num_rows == rows
    assert [rule for rule in RULES[name] if not holds(rule, table)] == []


@every_generator
def test_long_tables_obey_the_rules_in_little_memory(name: str) -> None:
    table = GENERATORS[name](100_000)
    assert table.nbytes < 30_000_000
    for rule in RULES[name]:
        if rule.startswith("not(") or "~" in rule:
            continue
        context, _, rest = rule.removeprefix("key ")[1:].partition("}")
        columns = context.split(", ")
        dependent = rest.removeprefix(" -> ")
        expected = distinct(table, [*columns, dependent]) if dependent else table.num_rows
        assert distinct(table, columns) == expected, rule
    some_rows = table.take(np.random.default_rng(0).choice(table.num_rows, 1000, replace=False))
    assert [rule for rule in RULES[name] if not holds(rule, some_rows)] == []


@pytest.mark.parametrize("name", ["tax", "flights"])
def test_tables_of_different_seeds_obey_the_same_rules_but_for_the_key(name: str) -> None:
    both = pa.concat_tables([GENERATORS[name](300, seed=1), GENERATORS[name](300, seed=2)])
    assert [rule for rule in RULES[name] if not rule.startswith("key ") and not holds(rule, both)] == []


@every_generator
def test_one_seed_makes_one_table(name: str) -> None:
    generate = GENERATORS[name]
    assert generate(200, seed=7).equals(generate(200, seed=7))
    assert not generate(200, seed=7).equals(generate(200, seed=8))
    assert generate(200, seed=7, errors=0.1).errors.equals(generate(200, seed=7, errors=0.1).errors)


@every_generator
def test_the_schema_does_not_depend_on_the_size(name: str) -> None:
    generate = GENERATORS[name]
    assert generate(0).schema == generate(1).schema == generate(3000, errors=0.5).table.schema


def test_tax_columns_have_the_usual_types_and_many_values() -> None:
    table = datasets.tax(50_000)
    texts = {"fname", "lname", "gender", "phone", "city", "state", "marital_status", "has_child"}
    types = {field.name: field.type for field in table.schema}
    assert {name for name, type_ in types.items() if type_ == pa.string()} == texts
    assert {name for name, type_ in types.items() if type_ == pa.float64()} == {"rate"}
    assert len(types) == 15
    assert sum(column.null_count for column in table.columns) == 0
    assert distinct(table, ["state"]) == 50
    assert distinct(table, ["zip"]) > 5000
    assert distinct(table, ["area_code"]) > 200


def test_flights_that_never_left_or_arrived_have_nulls() -> None:
    table = datasets.flights(5000)
    nulls = {name: table[name].null_count for name in table.column_names}
    assert {name for name, count in nulls.items() if count} == {
        "dep_time",
        "dep_delay",
        "dep_delay_group",
        "arr_delay",
        "arr_delay_group",
        "air_time",
    }
    assert 0 < nulls["dep_delay"] < nulls["arr_delay"] < 300
    assert table.schema.field("flight_date").type == pa.date32()


def test_flights_agree_with_the_calendar() -> None:
    for row in datasets.flights(300).to_pylist():
        day = date(row["year"], row["month"], row["day_of_month"])
        assert row["flight_date"] == day
        assert row["day_of_week"] == day.isoweekday()
        assert row["quarter"] == (day.month + 2) // 3


def test_employees_come_in_the_order_in_which_they_were_hired() -> None:
    table = datasets.employees()
    assert table["id"].to_pylist() == list(range(1, 1001))
    assert table["hired"].to_pylist() == sorted(table["hired"].to_pylist())


def test_a_survey_has_many_columns_and_few_rows() -> None:
    table = datasets.survey()
    assert (table.num_rows, table.num_columns) == (526, 22)
    yes_or_no = [name for name in table.column_names if distinct(table, [name]) == 2]
    assert len(yes_or_no) == 12
    assert 50 < distinct(table, ["wage"]) < 400
    assert 30 < distinct(table, ["state"]) <= 48


@every_generator
@given(
    rows=st.sampled_from([0, 1, 2, 100]),
    seed=st.integers(0, 2**32),
    share=st.sampled_from([0.0, 0.01, 0.3, 1.0]),
)
@examples(15)
def test_errors_are_exactly_those_listed(name: str, rows: int, seed: int, share: float) -> None:
    clean = GENERATORS[name](rows, seed=seed)
    spoiled, errors = GENERATORS[name](rows, seed=seed, errors=share)
    assert errors.to_pylist() == changed_cells(clean, spoiled)
    assert errors.schema.names == ["row", "column", "before", "after"]
    spoilable = sum(column.null_count < rows for column in clean.columns)
    assert errors.num_rows == round(share * rows * spoilable)


def survives_single_errors(rule: str) -> bool:
    """Keys of several columns and rules on one row: a wrong value seldom meets its counterpart."""
    return (rule.startswith("key ") and "," in rule) or (rule.startswith("not(") and "s." not in rule)


@every_generator
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_errors_break_the_rules(name: str, seed: int) -> None:
    spoiled = GENERATORS[name](1000, seed=seed, errors=0.05).table
    fragile = [rule for rule in RULES[name] if not survives_single_errors(rule)]
    assert len(fragile) > 0.8 * len(RULES[name])
    assert [rule for rule in fragile if holds(rule, spoiled)] == []


def test_errors_can_be_planted_in_any_table() -> None:
    clean = pa.table(
        {
            "flag": [True, True],
            "tiny": pa.array([127, -128], pa.int8()),
            "real": [float("nan"), 0.0],
            "text": ["", ""],
            "day": [date(2024, 2, 28), None],
            "empty": pa.nulls(2),
        }
    )
    spoiled, errors = plant(clean, 1.0)
    assert spoiled.schema == clean.schema
    assert spoiled["empty"].null_count == 2
    assert errors.num_rows == 10
    assert all(error["before"] != error["after"] for error in errors.to_pylist())
    assert spoiled["text"].to_pylist() == ["x", "x"]


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(LawfulError, match="-1 rows"):
        datasets.tax(-1)
    with pytest.raises(LawfulError, match="between 0 and 1"):
        datasets.tax(10, errors=1.5)
    with pytest.raises(LawfulError, match="numbers, texts and dates"):
        plant(pa.table({"a": [b"bytes"]}), 1.0)
