"""The engine of a cluster: one Spark task for each task, on executors that map the ranks from a file.

A batch of tasks becomes a few Spark jobs that run at the same time. Spark starts the tasks of a job when
those of the jobs before leave cores free, so that all cores are busy until the end, and the results of a job
come when its tasks are over: laws reach the driver while others are searched for. Spark runs the tasks of an
executor that dies again, elsewhere, and of each task one result counts.
"""

from __future__ import annotations

import pickle
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lawful.engine.protocol import Result, Task
from lawful.engine.shipping import RanksFile
from lawful.engine.threads import Threads
from lawful.engine.watch import TICK, Limits, Watch
from lawful.table import Relation
from lawful.table.ranked import RankedRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASKS_A_CORE = 4  # fewer than threads get: each costs tens of milliseconds
LEAST_TASKS = 32  # also on a small cluster: it may grow
JOBS = 4  # of a batch: each costs a tenth of a second
GRACE = 5.0  # seconds that tasks have to end by themselves before their jobs are cancelled
MISSED = -1  # in place of a halt flag: the worker does not see the ranks
_PROBES = 1 << 16


class OnSpark:
    """Runs tasks as Spark tasks.

    A limit of time or memory travels with a task, which then ends with what it has. For other reasons
    (Ctrl-C) tasks end when a file in the driver's folder is gone, where they see it. The jobs of those that
    do not end are cancelled, and with them goes what the tasks had found but not told yet.
    """

    whole = True

    def __init__(self, relation: Relation, rows: RankedRows, session: SparkSession) -> None:
        self._rows, self._session = rows, session
        self._ranks = RanksFile.of(relation)
        self.limits = Limits()

    def close(self) -> None:
        """Remove the file of the ranks; no task may be running."""
        self._ranks.path.unlink(missing_ok=True)

    @property
    def nearby(self) -> Threads:
        """Threads of the driver."""
        threads = Threads(self._rows)
        threads.limits = self.limits
        return threads

    def parted(self, column: int) -> OnSpark:
        """Itself: every worker sees all rows."""
        return self

    @cached_property
    def tasks(self) -> int:
        """Some for each of the parts into which Spark cuts a table if it is left to it."""
        from pyspark.sql.functions import spark_partition_id

        self._session.range(1).collect()  # before its first job a new session may know of no executor
        parts = self._session.range(_PROBES).select(spark_partition_id()).distinct().count()
        return max(TASKS_A_CORE * parts, LEAST_TASKS)

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; the results of a job's tasks come when it ends."""
        with ThreadPoolExecutor(JOBS, "lawful-job") as pool:
            jobs = _Jobs(self._session, self._ranks.path.parent, self.limits, pool)
            for first in range(min(JOBS, len(tasks))):
                jobs.start(tasks[first::JOBS], self._ranks)
            try:
                for tried, lines in jobs.ended(self._rows):
                    missed = []
                    for number, halt, result in zip(*(column.to_pylist() for column in lines), strict=True):
                        if result is not None:
                            yield pickle.loads(result)
                        elif halt == MISSED:
                            missed.append(tried[number])
                        elif halt and not self._rows.halt[0]:
                            self._rows.halt[0] = halt
                    if missed:
                        if not self._ranks.shipped:
                            self._ranks = self._ranks.ship(self._session)
                        jobs.start(missed, self._ranks)
            finally:  # also after an error, or where the caller wants no more: no task must run on
                jobs.cancel()


class _Jobs:
    """The jobs of one batch, each in a thread of its own that waits for it."""

    def __init__(self, session: SparkSession, folder: Path, limits: Limits, pool: ThreadPoolExecutor) -> None:
        self._session, self._pool = session, pool
        self._running: set[Future[tuple[Sequence[Task[Any]], pa.Table]]] = set()
        self._tag = f"lawful_{uuid.uuid4().hex}"
        self._wanted = folder / self._tag
        self._wanted.touch()
        self._limits = limits._replace(wanted=str(self._wanted))

    def start(self, tasks: Sequence[Task[Any]], ranks: RanksFile) -> None:
        """Run tasks as one job."""
        self._running.add(self._pool.submit(self._run, tasks, ranks))

    def ended(self, rows: RankedRows) -> Iterator[tuple[Sequence[Task[Any]], pa.Table]]:
        """The tasks of each job that ends with what they brought, until the rows' halt flag is up."""
        patience: float | None = None
        while self._running and (patience is None or time.monotonic() < patience):
            over, self._running = wait(self._running, TICK, FIRST_COMPLETED)
            for job in over:
                yield job.result()
            if rows.halt[0] and patience is None:
                self._wanted.unlink()
                patience = time.monotonic() + GRACE

    def cancel(self) -> None:
        """End the jobs that still run; returns when they are over."""
        self._wanted.unlink(missing_ok=True)
        from lawful.spark import cancel_jobs

        while self._running:  # a job that has just been started may not have been known at first
            cancel_jobs(self._session, self._tag)
            self._running = wait(self._running, 10 * TICK).not_done

    def _run(self, tasks: Sequence[Task[Any]], ranks: RanksFile) -> tuple[Sequence[Task[Any]], pa.Table]:
        from lawful.spark import tag_jobs

        tag_jobs(self._session, self._tag)
        numbers = self._session.range(0, len(tasks), 1, len(tasks))
        runner = _Runner(ranks, tasks, self._limits)
        return tasks, numbers.mapInArrow(runner, "task long, halt long, result binary").toArrow()


@dataclass(frozen=True)
class _Runner:
    """What a Spark task does: run the tasks of the given numbers."""

    ranks: RanksFile
    tasks: Sequence[Task[Any]]  # all of the job: what they share travels once
    limits: Limits

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = self.ranks.mapped()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self._run(number, rows)

    def _run(self, number: int, rows: RankedRows | None) -> Iterator[pa.RecordBatch]:
        if rows is None:
            yield _line(number, MISSED)
            return
        limits = self.limits if self.ranks.is_seen else self.limits._replace(wanted=None)
        with Watch(rows, limits):
            for result in self.tasks[number](rows):
                yield _line(number, 0, pickle.dumps(result))
            yield _line(number, int(rows.halt[0]))


def _line(task: int, halt: int, result: bytes | None = None) -> pa.RecordBatch:
    """A result of a task or, without one, that the task is over, and with which halt flag."""
    return pa.record_batch(
        {
            "task": pa.array([task], pa.int64()),
            "halt": pa.array([halt], pa.int64()),
            "result": pa.array([result], pa.binary()),
        }
    )
