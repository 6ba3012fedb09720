"""Spark jobs that run at the same time, and end when nobody wants their results any more."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lawful.engine.protocol import Task
from lawful.engine.watch import Limits
from lawful.kernels import TICK
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GRACE = 5.0  # seconds that tasks have to end by themselves before their jobs are cancelled

Tasks = Sequence[Task[Any]]


class Jobs:
    """The jobs of one batch, each in a thread of its own that waits for it.

    Tasks that see the driver's folder end when a file there is gone; of the others the jobs are cancelled.
    """

    def __init__(self, session: SparkSession, folder: Path, limits: Limits, pool: ThreadPoolExecutor) -> None:
        self._session, self._pool = session, pool
        self._running: set[Future[tuple[Tasks, pa.Table]]] = set()
        self._tag = f"lawful_{uuid.uuid4().hex}"
        self._wanted = folder / self._tag
        self._wanted.touch()
        self.limits = limits._replace(wanted=str(self._wanted))

    def start(self, tasks: Tasks, job: Callable[[], pa.Table]) -> None:
        """Run a job, which is to run some tasks."""
        self._running.add(self._pool.submit(self._run, tasks, job))

    def ended(self, work: Workspace) -> Iterator[tuple[Tasks, pa.Table]]:
        """The tasks of each job that ends, with its result, until the halt flag is up."""
        patience: float | None = None
        while self._running and (patience is None or time.monotonic() < patience):
            over, self._running = wait(self._running, TICK, FIRST_COMPLETED)
            for job in over:
                yield job.result()
            if work.halted and patience is None:
                self._wanted.unlink()
                patience = time.monotonic() + GRACE

    def cancel(self) -> None:
        """End the jobs that still run; returns when they are over."""
        self._wanted.unlink(missing_ok=True)
        from lawful.spark import cancel_jobs

        while self._running:  # a job that has just been started may not have been known at first
            cancel_jobs(self._session, self._tag)
            self._running = wait(self._running, 10 * TICK).not_done

    def _run(self, tasks: Tasks, job: Callable[[], pa.Table]) -> tuple[Tasks, pa.Table]:
        from lawful.spark import tag_jobs

        tag_jobs(self._session, self._tag)
        return tasks, job()


@contextmanager
def jobs_of(session: SparkSession, folder: Path, limits: Limits, at_once: int) -> Iterator[Jobs]:
    """A batch of jobs. Also after an error, or where the caller wants no more, none runs on."""
    with ThreadPoolExecutor(at_once, "lawful-job") as pool:
        jobs = Jobs(session, folder, limits, pool)
        try:
            yield jobs
        finally:
            jobs.cancel()
