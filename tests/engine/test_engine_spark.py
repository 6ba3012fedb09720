"""The same tasks as Spark tasks: same results, wherever the workers find the ranks; limits end tasks."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark import SparkFiles, cloudpickle

import complete
import lawful
from lawful import Relation, costs, datasets
from lawful.discovery import Progress, Search, space_of
from lawful.discovery.law_ratings import scores_of
from lawful.engine import Limits, OnSpark, Task, Threads
from lawful.engine.on_spark import JOBS, LEAST_TASKS, TASKS_A_CORE
from lawful.engine.shipping import RanksFile
from lawful.engine.spark_jobs import GRACE
from lawful.halting import MEMORY, TIME
from lawful.table.ranked import ranked
from lawful.table.store import load_codes
from lawful.table.workspace import Workspace
from small_tables import lines_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Workers cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]

TABLES = {
    "employees": datasets.employees(300),
    "tax": datasets.tax(200).select(range(9)),
    "no rows": datasets.employees(0),
    "one row": datasets.employees(1),
    "NULLs": pa.table({"a": [1, None, 1, None, 2], "b": [None, None, 3, 3, 4], "c": [1, 2, 3, 4, None]}),
}


@pytest.mark.parametrize(
    ("name", "limit"), [*((name, {}) for name in TABLES), ("NULLs", {"time_limit": 1e6})], ids=str
)
def test_spark_finds_what_threads_find(spark: SparkSession, name: str, limit: dict[str, Any]) -> None:
    relation = lawful.read(TABLES[name])
    before = set(relation.folder.iterdir())
    here = complete.discover(relation, **limit)
    there = complete.discover(relation, engine="spark", session=spark, **limit)
    assert list(there.items()) == list(here.items())
    assert there.complete
    assert set(relation.folder.iterdir()) == before


@dataclass
class Engined:
    """A table with an engine of its own."""

    relation: Relation
    work: Workspace
    engine: OnSpark


@pytest.fixture
def engined(spark: SparkSession) -> Iterator[Engined]:
    relation = lawful.read(TABLES["employees"])
    work = Workspace(ranked(relation))
    engine = OnSpark(relation, work, spark)
    yield Engined(relation, work, engine)
    engine.close()


def test_spark_scores_as_threads_do(engined: Engined, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "SHORT_SCORES", 0.0)
    pairs = combinations(range(engined.work.rows.columns), 2)
    sets = np.array([[(1 << left) | (1 << right)] for left, right in pairs], np.uint64)
    here = scores_of(sets, Threads(engined.work))
    assert scores_of(sets, engined.engine).tolist() == here.tolist()
    assert len(set(here.tolist())) > 10


def test_spark_validates_long_tables_as_threads_do(engined: Engined, monkeypatch: pytest.MonkeyPatch) -> None:
    """In rounds, after a part of the rows; the budget for partitions is soon spent."""
    monkeypatch.setattr(costs, "LONG_TABLE", 0)
    monkeypatch.setattr(costs, "FIRST_SAMPLE", 4)
    options = complete.options(partition_memory=4000)
    space = space_of(engined.relation, options)
    here, there = (
        lines_of(Search(engine, space, options).laws()) for engine in (Threads(engined.work), engined.engine)
    )
    assert there == here
    assert here


@dataclass(frozen=True)
class Number:
    """A task: its number and the sum of all ranks, `times` times."""

    number: int
    times: int = 1

    def __call__(self, work: Workspace) -> Iterator[tuple[int, int]]:
        for _ in range(self.times):
            yield self.number, int(work.rows.ranks.sum())


@dataclass(frozen=True)
class UntilHalted:
    """A task that brings a result and then goes on until it is told to end."""

    def __call__(self, work: Workspace) -> Iterator[str]:
        yield "begun"
        while not work.halted:
            time.sleep(0.01)
        yield "ended"


@dataclass(frozen=True)
class Deaf:
    """A task that ends when a file is there, whatever it is told."""

    end: Path

    def __call__(self, work: Workspace) -> Iterator[str]:
        while not self.end.exists():
            time.sleep(0.01)
        yield "ended"


def two_tasks(end: Path) -> list[Task[str]]:
    return [Deaf(end), lambda work: iter(["ended at once"])]


def test_an_engine_on_spark_has_spark_s_workers(engined: Engined, spark: SparkSession) -> None:
    assert engined.engine.tasks == max(LEAST_TASKS, TASKS_A_CORE * spark.sparkContext.defaultParallelism)
    assert list(engined.engine.run([])) == []


@pytest.mark.parametrize("tasks", [1, JOBS - 1, 2 * JOBS + 3])
def test_every_result_comes_once(engined: Engined, tasks: int) -> None:
    total = int(engined.work.rows.ranks.sum())
    results = engined.engine.run([Number(number, number % 3) for number in range(tasks)])
    assert sorted(results) == [(n, total) for n in range(tasks) for _ in range(n % 3)]


def test_results_come_while_other_tasks_run(engined: Engined, tmp_path: Path) -> None:
    """The first task ends only after the caller has seen the result of another."""
    end = tmp_path / "end"
    results = engined.engine.run(two_tasks(end))
    assert next(results) == "ended at once"
    end.touch()
    assert list(results) == ["ended"]


def test_workers_that_do_not_see_the_driver_s_folder_get_the_ranks_from_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lawful.read(TABLES["employees"], folder=tmp_path / "relation")
    monkeypatch.chdir(tmp_path)  # the workers' is another one
    hidden = Relation.open("/proc/self/cwd/relation")
    found = complete.discover(hidden, engine="spark", session=spark)
    assert list(found.items()) == list(complete.discover(TABLES["employees"]).items())


def test_a_worker_takes_no_file_that_spark_still_copies(spark: SparkSession, tmp_path: Path) -> None:
    relation = lawful.read(TABLES["tax"], folder=tmp_path / "relation")
    ranks = RanksFile.of(relation)
    content = ranks.path.read_bytes()
    ranks.path.unlink()
    shipped = Path(SparkFiles.get(ranks.path.name))
    for length in (0, 100, len(content) - 1):
        shipped.write_bytes(content[:length])
        assert ranks.mapped() is None
    shipped.write_bytes(content)
    work = ranks.mapped()
    assert work is not None
    assert np.array_equal(work.rows.ranks, load_codes(relation.arranged_file()))


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(lambda: Limits(ends=time.time() + 1), TIME), (lambda: Limits(memory=1), MEMORY)],
    ids=["time", "memory"],
)
def test_a_limit_ends_tasks_with_what_they_have(engined: Engined, limits: Any, reason: int) -> None:
    with engined.engine.watched(limits()):
        results = list(engined.engine.run([UntilHalted(), UntilHalted()]))
    assert results == ["begun", "ended"] * 2
    assert engined.work.halt[0] == reason


def test_a_halted_search_ends_its_tasks_with_what_they_have(engined: Engined) -> None:
    threading.Timer(1, lambda: engined.work.halt.__setitem__(0, 1)).start()
    started = time.monotonic()
    assert list(engined.engine.run([UntilHalted(), UntilHalted()])) == ["begun", "ended"] * 2
    assert time.monotonic() - started < GRACE


def test_jobs_whose_tasks_do_not_end_are_cancelled(
    engined: Engined, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    monkeypatch.setattr("lawful.engine.spark_jobs.GRACE", 0.1)
    results = engined.engine.run(two_tasks(tmp_path / "never"))
    assert next(results) == "ended at once"
    engined.work.halt[0] = 1
    assert list(results) == []
    assert spark.sparkContext.statusTracker().getActiveJobsIds() == []


def test_an_abandoned_run_is_cancelled(engined: Engined, tmp_path: Path, spark: SparkSession) -> None:
    results = engined.engine.run(two_tasks(tmp_path / "never"))
    assert next(results) == "ended at once"
    results.close()  # type: ignore[attr-defined]
    assert spark.sparkContext.statusTracker().getActiveJobsIds() == []


def test_ctrl_c_keeps_what_spark_found(spark: SparkSession) -> None:
    pressed: list[int] = []

    def press(progress: Progress) -> None:
        if progress.found and not pressed:
            pressed.append(progress.found)
            os.kill(os.getpid(), signal.SIGINT)

    everything = set(complete.discover(TABLES["tax"]))
    laws = complete.discover(TABLES["tax"], engine="spark", session=spark, on_progress=press)
    assert laws.facts.reason == "interrupted"
    assert len(laws) >= pressed[0]
    assert set(laws) < everything


@pytest.mark.parametrize(
    ("limit", "reason"),
    [({"memory_limit": 1}, "memory limit"), ({"time_limit": 1e-9}, "time limit")],
    ids=str,
)
def test_a_limit_ends_a_search_on_spark(spark: SparkSession, limit: dict[str, Any], reason: str) -> None:
    """In the workers or in the driver, whichever reaches it first."""
    laws = complete.discover(TABLES["tax"], engine="spark", session=spark, **limit)
    assert laws.facts.reason == reason
    assert not laws.complete
    assert set(laws) < set(complete.discover(TABLES["tax"]))


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(lawful.LawfulError, match="unknown engine 'fast': choose auto, local or spark"):
        lawful.discover(TABLES["employees"], engine="fast")
