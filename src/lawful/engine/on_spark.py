"""The engine of a cluster: one Spark task for each task, on executors that map the ranks from a file."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa

from lawful.engine.protocol import Result, Task
from lawful.table import Relation
from lawful.table.ranked import RankedRows, ranked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASKS_A_CORE = 4  # fewer than threads get: each costs tens of milliseconds
_PROBES = 1 << 16


class OnSpark:
    """Runs tasks as Spark tasks. Executors must see the relation's folder under the same path."""

    def __init__(self, relation: Relation, session: SparkSession) -> None:
        self._folder = str(relation.folder)
        self._session = session

    @cached_property
    def tasks(self) -> int:
        """Some for each of the parts into which Spark cuts a table if it is left to it."""
        from pyspark.sql.functions import spark_partition_id

        return TASKS_A_CORE * self._session.range(_PROBES).select(spark_partition_id()).distinct().count()

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks in one job; their results when it ends."""
        if tasks:
            numbers = self._session.range(0, len(tasks), 1, len(tasks))
            packed = [pickle.dumps(task) for task in tasks]
            done = numbers.mapInArrow(_Runner(self._folder, packed), "result binary")
            yield from (pickle.loads(result.as_py()) for result in done.toArrow()["result"])


class _Runner:
    """What a Spark task does: run the tasks of the given numbers."""

    def __init__(self, folder: str, packed: Sequence[bytes]) -> None:
        self._folder, self._packed = folder, packed

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = ranked_rows(self._folder)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for result in self._task(number)(rows):
                    yield pa.record_batch([pa.array([pickle.dumps(result)], pa.binary())], ["result"])

    def _task(self, number: int) -> Task[object]:
        task: Task[object] = pickle.loads(self._packed[number])
        return task


@lru_cache(maxsize=1)
def ranked_rows(folder: str) -> RankedRows:
    """The rows of a relation, opened once in a worker."""
    return ranked(Relation.open(folder))
