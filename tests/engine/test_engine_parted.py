"""A table in parts gives what the whole table gives, law by law."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import complete
import lawful
from denial_tables import all_pairs_cost
from lawful import SourceOptions
from lawful.costs import SPREAD
from lawful.discovery import Options, Search, space_of
from lawful.engine import Engine, Threads
from lawful.engine.parted import Parted
from lawful.table.ranked import ranked
from lawful.table.workspace import Workspace
from small_tables import lines_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 3_000


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Columns that spread the rows and such that do not, laws in both, NULLs, an all-NULL column."""
    random = np.random.default_rng(5)
    number = random.integers(0, 700, ROWS)
    columns: dict[str, Any] = {
        "number": number,
        "tenth": number // 10,
        "mixed": (number * 7919) % 701,
        "pair": random.integers(0, 400, ROWS),
        "few": random.integers(0, 3, ROWS),
        "some": pa.array([None if k % 5 == 0 else k % 350 for k in random.integers(0, 5_000, ROWS).tolist()]),
        "none": pa.nulls(ROWS, pa.int64()),
    }
    columns["order"] = columns["pair"] * 4 + columns["few"]
    return pa.table(columns)


@pytest.fixture(scope="module", params=["equal", "distinct"])
def relation(request: pytest.FixtureRequest, table: pa.Table) -> lawful.Relation:
    return lawful.read(table, SourceOptions(nulls=request.param))


@pytest.fixture(scope="module")
def parted(relation: lawful.Relation, spark: SparkSession) -> Iterator[Parted]:
    engine = Parted(relation, Workspace(ranked(relation)), spark, ROWS // 5)
    yield engine
    engine.close()


def search_on(engine: Engine, relation: lawful.Relation, settings: Options) -> Search:
    return Search(engine, space_of(relation, settings), settings)


def laws_of(search: Search) -> list[tuple[int, ...]]:
    found = lines_of(search.laws())
    assert len(found) == len(set(found)), "a law was found twice"
    return found


@pytest.mark.parametrize("options", [{}, {"min_score": 0.002}, {"max_size": 2}], ids=str)
def test_parts_obey_the_laws_of_the_whole(
    relation: lawful.Relation, parted: Parted, options: dict[str, Any]
) -> None:
    settings = complete.options(kinds=("key", "fd", "od"), **options)
    expected = search_on(Threads(Workspace(ranked(relation))), relation, settings)
    there = search_on(parted, relation, settings)
    assert laws_of(there) == laws_of(expected)
    assert there.progress.reason == expected.progress.reason


@pytest.mark.parametrize("cross", ["off", "all"])
def test_parts_obey_the_denial_constraints_of_the_whole(
    relation: lawful.Relation, parted: Parted, cross: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = ("number", "tenth", "few") if cross == "all" else ("number", "tenth", "mixed", "few", "some")
    settings = complete.options(kinds=("dc",), cross_columns=cross, columns=chosen)
    all_pairs_cost(monkeypatch, all_pairs=True)
    expected = laws_of(search_on(Threads(Workspace(ranked(relation))), relation, settings))
    all_pairs_cost(monkeypatch, all_pairs=False)
    assert laws_of(search_on(parted, relation, settings)) == expected
    assert expected


def test_no_part_has_all_rows(relation: lawful.Relation, parted: Parted) -> None:
    """And rows that agree on the column are in one part."""
    values = ranked(relation).ranks[0]
    assert float(np.exp(ranked(relation).information[0])) > SPREAD

    def rows_here(work: Workspace) -> Iterator[list[int]]:  # local, since workers cannot import tests
        assert work.rows.numbers is not None
        yield work.rows.numbers.tolist()

    seen: dict[int, int] = {}
    total = 0
    for number, rows in enumerate(parted.parted(0).run([rows_here])):
        assert len(rows) < ROWS / 2
        total += len(rows)
        for value in {int(values[row]) for row in rows}:
            assert seen.setdefault(value, number) == number
    assert total == ROWS


def test_a_halted_search_ends_the_tasks_of_parts(relation: lawful.Relation, parted: Parted) -> None:
    """A task that would never end: by itself where it sees the driver's folder."""

    def endless(work: Workspace) -> Iterator[str]:
        import time  # local, since workers cannot import tests

        while not work.halted:
            time.sleep(0.01)
        yield "ended"

    assert_ended_by_a_halt(parted, endless, ["ended"])


def test_a_halted_search_cancels_the_shuffle_of_tasks_that_do_not_end(
    parted: Parted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deaf(work: Workspace) -> Iterator[str]:
        import time

        while True:
            time.sleep(0.01)
            if work.rows.count < 0:
                yield "never"

    monkeypatch.setattr("lawful.engine.spark_jobs.GRACE", 0.1)
    assert_ended_by_a_halt(parted, deaf, [])


def assert_ended_by_a_halt(parted: Parted, task: Any, results: list[str]) -> None:
    tracker = parted._session.sparkContext.statusTracker()
    work = parted.work

    def halt_when_it_runs() -> None:
        while not tracker.getActiveJobsIds():
            pass
        work.halt[0] = 1

    thread = threading.Thread(target=halt_when_it_runs)
    thread.start()
    try:
        found = list(parted.parted(0).run([task]))
    finally:
        thread.join()
        work.halt[0] = 0
    assert sorted(set(found)) == results
    assert tracker.getActiveJobsIds() == []
