"""The errors of laws are the same wherever they are measured: in threads, Spark tasks, parts of a table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import lawful
from lawful.checking.checked_laws import verdicts_of
from lawful.checking.denials import Denial
from lawful.checking.law_errors import Counts, counts_of
from lawful.engine import OnSpark, Threads
from lawful.engine.parted import Parted
from lawful.halting import INTERRUPTED
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


def test_after_a_halt_no_law_is_judged_by_what_was_counted_before(
    relation: lawful.Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count that a halt cuts short is none; the laws before it have their errors."""
    laws, engine = [parse(text) for text in LAWS], Threads(Workspace(ranked(relation)), 1)
    whole = [one.error for one in verdicts_of(laws, relation, engine)]
    counted = 0

    def halted(denial: Denial, work: Workspace) -> Counts:
        nonlocal counted
        counted += 1
        work.halt[0] = INTERRUPTED if counted == 4 else 0
        return counts_of(denial, work)

    monkeypatch.setattr("lawful.checking.measuring.counts_of", halted)
    some = verdicts_of(laws, relation, engine, at_a_time=1)
    assert [one.law for one in some] == laws[:3]
    assert [one.error for one in some] == whole[:3]


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
