"""The errors of laws are the same wherever they are measured: in threads, Spark tasks, parts of a table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import lawful
from lawful.checking.checked_laws import verdicts_of
from lawful.engine import OnSpark, Threads
from lawful.engine.parted import Parted
from lawful.laws import parse
from lawful.table.ranked import ranked
from lawful.table.workspace import Workspace

ROWS = 2000
LAWS = [
    "key {number, few}",
    "{number} -> few",
    "{few} -> number",
    "{number}: few asc ~ other asc",
    "{}: number asc ~ other asc",
    "not(t.number = s.number and t.few < s.few and t.other > s.other and t.tenth != s.tenth)",
    "not(t.number = s.number and t.few < s.few and t.other > s.other and t.tenth <= s.tenth)",
    "not(t.number = s.number and t.few < s.other)",
    "not(t.few > t.other)",
]


@pytest.fixture(scope="module")
def relation() -> lawful.Relation:
    random = np.random.default_rng(3)
    number = random.integers(0, 300, ROWS)
    columns = {name: random.integers(0, most, ROWS) for name, most in (("few", 4), ("other", 90))}
    return lawful.read(pa.table({"number": number, "tenth": random.integers(0, 30, ROWS), **columns}))


@pytest.mark.parametrize("kind", ["tasks", "parts"])
def test_errors_do_not_depend_on_the_engine(
    relation: lawful.Relation, spark: SparkSession, kind: str
) -> None:
    laws, rows = [parse(text) for text in LAWS], ranked(relation)
    expected = [one.error for one in verdicts_of(laws, relation, Threads(Workspace(rows), 1))]
    assert all(error.pairs for error in expected)
    work = Workspace(rows)
    engine = OnSpark(relation, work, spark) if kind == "tasks" else Parted(relation, work, spark, ROWS // 5)
    try:
        found = [one.error for one in verdicts_of(laws, relation, engine)]
    finally:
        engine.close()
    for one, error in zip(found, expected, strict=True):
        assert (one.pairs, one.share, one.rows) == (error.pairs, error.share, error.rows)
        assert one.removals_at_least <= error.removals
        assert error.removals_at_least <= one.removals
        assert one.exact == error.exact or not error.exact
