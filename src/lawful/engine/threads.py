"""The engine of one process: threads, since the kernels release the GIL."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from lawful.engine.protocol import Result, Task
from lawful.table.ranked import RankedRows


class Threads:
    """Runs tasks in threads of this process, on all cores that it may use."""

    def __init__(self, rows: RankedRows, workers: int | None = None) -> None:
        self._rows = rows
        self.workers = workers or len(os.sched_getaffinity(0))

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; their results as they come."""
        if self.workers == 1 or len(tasks) <= 1:
            yield from (task(self._rows) for task in tasks)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            running = [pool.submit(task, self._rows) for task in tasks]
            yield from (future.result() for future in as_completed(running))
