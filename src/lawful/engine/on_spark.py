"""The engine of a cluster: one Spark task for each task, on executors that map the ranks from a file.

A batch of tasks becomes a few Spark jobs that run at the same time. Spark starts the tasks of a job when
those of the jobs before leave cores free, so that all cores are busy until the end, and the results of a job
come when its tasks are over: laws reach the driver while others are searched for. Spark runs the tasks of an
executor that dies again, elsewhere, and of each task one result counts.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lawful.engine.protocol import Engine, Result, Task
from lawful.engine.shipping import RanksFile
from lawful.engine.spark_jobs import Jobs, jobs_of
from lawful.engine.threads import Threads
from lawful.engine.watch import Limits, Watch
from lawful.table import Relation
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASKS_A_CORE = 4  # fewer than threads get: each costs tens of milliseconds
LEAST_TASKS = 32  # also on a small cluster: it may grow
JOBS = 4  # of a batch: each costs a tenth of a second
MANY_OBJECTS = 20_000  # in a worker: the garbage collector takes a tenth of a millisecond for a thousand
MISSED = -1  # in place of a halt flag: the worker does not see the ranks
LINE = "task long, halt long, result binary"  # what workers send


class OnSpark(Engine):
    """Runs tasks as Spark tasks.

    A limit of time or memory travels with a task, which then ends with what it has. For other reasons
    (Ctrl-C) tasks end when a file in the driver's folder is gone, where they see it. The jobs of those that
    do not end are cancelled, and with them goes what the tasks had found but not told yet.
    """

    def __init__(self, relation: Relation, work: Workspace, session: SparkSession) -> None:
        super().__init__(work)
        self._session = session
        self._ranks = RanksFile.of(relation)

    def close(self) -> None:
        """Remove the file of the ranks; no task may be running."""
        self._ranks.path.unlink(missing_ok=True)

    @property
    def nearby(self) -> Threads:
        """Threads of the driver."""
        return Threads(self.work, limits=self.limits)

    @cached_property
    def tasks(self) -> int:
        """Some for each core."""
        from lawful.spark import parallelism

        return max(TASKS_A_CORE * parallelism(self._session), LEAST_TASKS)

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; the results of a job's tasks come when it ends."""
        with jobs_of(self._session, self._ranks.path.parent, self.limits, JOBS) as jobs:
            for first in range(min(JOBS, len(tasks))):
                self._start(jobs, tasks[first::JOBS])
            for tried, lines in jobs.ended(self.work):
                missed = []
                for number, halt, result in zip(*(column.to_pylist() for column in lines), strict=True):
                    if result is not None:
                        yield pickle.loads(result)
                    elif halt == MISSED:
                        missed.append(tried[number])
                    elif halt and not self.work.halted:
                        self.work.halt[0] = halt
                if missed:
                    if not self._ranks.shipped:
                        self._ranks = self._ranks.ship(self._session)
                    self._start(jobs, missed)

    def _start(self, jobs: Jobs, tasks: Sequence[Task[Result]]) -> None:
        """Run tasks as one job."""
        numbers = self._session.range(0, len(tasks), 1, len(tasks))
        runner = _Runner(self._ranks, tasks, jobs.limits)
        jobs.start(tasks, numbers.mapInArrow(runner, LINE).toArrow)


@dataclass(frozen=True)
class _Runner:
    """What a Spark task does: run the tasks of the given numbers."""

    ranks: RanksFile
    tasks: Sequence[Task[Any]]  # all of the job: what they share travels once
    limits: Limits

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        work = self.ranks.mapped()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self._run(number, work)
        spare_the_collector()

    def _run(self, number: int, work: Workspace | None) -> Iterator[pa.RecordBatch]:
        if work is None:
            yield result_line(number, MISSED)
            return
        limits = self.limits if self.ranks.is_seen else self.limits._replace(wanted=None)
        with Watch(work, limits):
            for result in self.tasks[number](work):
                yield result_line(number, 0, pickle.dumps(result))
            yield result_line(number, int(work.halt[0]))


def spare_the_collector() -> None:
    """Hide what compiled kernels brought along from the garbage collector.

    A Python worker of Spark runs it after every task, and would walk through all that each time.
    """
    if len(gc.get_objects()) > MANY_OBJECTS:
        gc.collect()
        gc.freeze()


def result_line(task: int, halt: int, result: bytes | None = None) -> pa.RecordBatch:
    """A result of a task or, without one, that the task is over, and with which halt flag."""
    return pa.record_batch(
        {
            "task": pa.array([task], pa.int64()),
            "halt": pa.array([halt], pa.int64()),
            "result": pa.array([result], pa.binary()),
        }
    )
