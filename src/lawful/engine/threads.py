"""The engine of one process: threads, since the kernels release the GIL."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from lawful.engine.protocol import Result, Task
from lawful.errors import LawfulError
from lawful.table.ranked import RankedRows

TASKS_A_WORKER = 32


class Threads:
    """Runs tasks in threads of this process, on all cores that it may use."""

    def __init__(self, rows: RankedRows, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise LawfulError(f"there must be at least 1 worker, not {workers}")
        self._rows = rows
        self.workers = workers or len(os.sched_getaffinity(0))
        self.tasks = TASKS_A_WORKER * self.workers

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; their results as they come."""
        if self.workers == 1 or len(tasks) <= 1:
            for task in tasks:
                yield from task(self._rows)
            return
        came: SimpleQueue[list[Result] | Future[None]] = SimpleQueue()  # results, and tasks that are over
        with ThreadPoolExecutor(self.workers) as pool:
            for task in tasks:
                pool.submit(self._run, task, came).add_done_callback(came.put)
            try:
                yield from self._until_over(len(tasks), came)
            except BaseException:  # an error, or the caller wants no more: no task must run on
                self._rows.halt[0] = 1
                raise

    def _run(self, task: Task[Result], came: "SimpleQueue[list[Result] | Future[None]]") -> None:
        for result in task(self._rows):
            came.put([result])

    def _until_over(self, running: int, came: "SimpleQueue[list[Result] | Future[None]]") -> Iterator[Result]:
        while running:
            item = came.get()
            if isinstance(item, Future):
                item.result()
                running -= 1
            else:
                yield from item
