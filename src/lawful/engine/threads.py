"""The engine of one process: threads, since the kernels release the GIL."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue

from lawful.engine.protocol import Engine, Result, Task
from lawful.engine.watch import NO_LIMITS, Limits
from lawful.errors import LawfulError
from lawful.halting import UNWANTED, heeding, until_halted
from lawful.machine import usable_cores
from lawful.table.workspace import Workspace

TASKS_A_WORKER = 32


class Threads(Engine):
    """Runs tasks in threads of this process, on all cores that it may use.

    When memory runs short, threads wait for the tasks of others to end: the search slows down before the
    limit must end it.
    """

    def __init__(self, work: Workspace, workers: int | None = None, limits: Limits = NO_LIMITS) -> None:
        if workers is not None and workers < 1:
            raise LawfulError(f"there must be at least 1 worker, not {workers}")
        super().__init__(work, limits)
        self._busy, self._ended = 0, threading.Condition()
        self.workers = workers or usable_cores()

    @property
    def tasks(self) -> int:
        """Some for each worker."""
        return TASKS_A_WORKER * self.workers

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; their results as they come."""
        if self.workers == 1 or len(tasks) <= 1:
            for task in tasks:
                yield from until_halted(task(self.work), self.work.halt)
            return
        came: SimpleQueue[list[Result] | Future[None]] = SimpleQueue()  # results, and tasks that are over
        with ThreadPoolExecutor(self.workers) as pool:
            for task in tasks:
                pool.submit(self._run, task, came).add_done_callback(came.put)
            try:
                yield from self._until_over(len(tasks), came)
            except BaseException:  # an error, or the caller wants no more: no task must run on
                self.work.halt[0] = UNWANTED
                raise

    def _run(self, task: Task[Result], came: "SimpleQueue[list[Result] | Future[None]]") -> None:
        with self._room_for_a_task(), heeding(self.work.halt):
            for result in task(self.work):
                came.put([result])

    @contextmanager
    def _room_for_a_task(self) -> Iterator[None]:
        with self._ended:
            while self._busy and self.work.short[0]:
                self._ended.wait()
            self._busy += 1
        try:
            yield
        finally:
            with self._ended:
                self._busy -= 1
                self._ended.notify_all()

    def _until_over(self, running: int, came: "SimpleQueue[list[Result] | Future[None]]") -> Iterator[Result]:
        while running:
            item = came.get()
            if isinstance(item, Future):
                item.result()
                running -= 1
            else:
                yield from item
