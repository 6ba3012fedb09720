"""The engine for tables too large for one worker: no worker holds more than some of the rows.

Spark reads the ranks block by block, shuffles the rows so that those which agree on a column come together,
and the tasks run on each part as if it were a table. What needs all rows (a few candidates whose columns
hardly spread the rows) runs in threads of the driver, which maps the ranks from their file.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lawful.engine.on_spark import spare_the_collector
from lawful.engine.protocol import Result, Task
from lawful.engine.shipping import RanksFile
from lawful.engine.spark_jobs import jobs_of
from lawful.engine.threads import Threads
from lawful.engine.watch import Limits, Watch
from lawful.table import Relation
from lawful.table.ranked import RankedRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PROBES = 32  # tasks that look for the ranks, so that most workers do
TASKS = 4  # of a batch: each part of the table runs them all
RESULT = "halt long, result binary"


class Parted(Threads):
    """Runs tasks in threads of the driver and, parted by a column, on Spark."""

    whole = False

    def __init__(self, relation: Relation, rows: RankedRows, session: SparkSession, rows_a_part: int) -> None:
        from lawful.spark import parallelism

        super().__init__(rows)
        self._ranks = RanksFile.of(relation)
        self._session, self._rows_a_part = session, rows_a_part
        self._cores = parallelism(session)
        if not self._is_seen_by_workers():
            self._ranks = self._ranks.ship(session)

    def close(self) -> None:
        """Remove the file of the ranks; no task may be running."""
        self._ranks.path.unlink(missing_ok=True)

    @property
    def nearby(self) -> Threads:
        """Threads of the driver, which sees all rows."""
        return Threads(self._rows, limits=self.limits)

    def parted(self, column: int) -> ByColumn:
        """An engine that runs each task on all parts; rows equal in the column share a part."""
        return ByColumn(self, column)

    def shuffled(self, column: int) -> DataFrame:
        """The rows, each with its number, so that those which agree on the column are in one partition.

        Rows with a NULL there that equals nothing agree with none: they are left out.
        """
        blocks = max(-(-self._rows.count // self._rows_a_part), self._cores)
        names = ", ".join(f"c{number} int" for number in range(self._rows.columns))
        read = self._session.range(0, blocks, 1, blocks).mapInArrow(
            _ReadBlocks(self._ranks, -(-self._rows.count // blocks)), f"row int, {names}"
        )
        return read.where(f"c{column} >= 0").repartition(blocks, f"c{column}")

    def run_on_parts(self, column: int, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run each task on all parts of the table; the results when all are over."""
        with jobs_of(self._session, self._ranks.path.parent, self.limits, 1) as jobs:
            limits = jobs.limits._replace(wanted=None) if self._ranks.shipped else jobs.limits
            runner = _OnPart(tasks, self._ranks.ordered, limits)
            jobs.start(tasks, self.shuffled(column).mapInArrow(runner, RESULT).toArrow)
            for _, lines in jobs.ended(self._rows):
                for halt, result in zip(*(line.to_pylist() for line in lines), strict=True):
                    if halt and not self._rows.halt[0]:
                        self._rows.halt[0] = halt
                    if result is not None:
                        yield pickle.loads(result)

    def _is_seen_by_workers(self) -> bool:
        probes = self._session.range(0, PROBES, 1, PROBES).mapInArrow(_Probe(self._ranks), "seen boolean")
        return all(probes.toArrow()["seen"].to_pylist())


class ByColumn:
    """The engine of a table that is parted by one column."""

    whole = True

    def __init__(self, table: Parted, column: int) -> None:
        self._table, self._column = table, column
        self.limits, self.tasks = table.limits, TASKS

    @property
    def nearby(self) -> Threads:
        """Threads of the driver, which sees all rows."""
        return self._table.nearby

    def parted(self, column: int) -> ByColumn:
        """The same table, parted by another column."""
        return ByColumn(self._table, column)

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run each task on all parts."""
        return self._table.run_on_parts(self._column, tasks)


@dataclass(frozen=True)
class _Probe:
    """Tells whether a worker sees the ranks."""

    ranks: RanksFile

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch({"seen": pa.array([self.ranks.is_seen] * batch.num_rows, pa.bool_())})


@dataclass(frozen=True)
class _ReadBlocks:
    """Reads blocks of rows: their numbers and their ranks."""

    ranks: RanksFile
    rows: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        table = self.ranks.mapped()
        if table is None:
            raise FileNotFoundError(self.ranks.path.name)
        for batch in batches:
            for block in batch.column(0).to_pylist():
                first = block * self.rows
                ranks = table.ranks[:, first : first + self.rows]
                numbers = np.arange(first, first + ranks.shape[1], dtype=np.int32)
                names = ["row", *(f"c{number}" for number in range(len(ranks)))]
                yield pa.record_batch([pa.array(line) for line in (numbers, *ranks)], names)


@dataclass(frozen=True)
class _OnPart:
    """Runs tasks on the rows of a part."""

    tasks: Sequence[Task[Any]]
    ordered: tuple[bool, ...]
    limits: Limits

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        came = list(batches)
        if not came:
            return
        columns = [column.to_numpy() for column in pa.Table.from_batches(came).columns]
        rows = RankedRows(np.stack(columns[1:]), self.ordered)
        rows.numbers = columns[0]
        with Watch(rows, self.limits):
            for task in self.tasks:
                for result in task(rows):
                    yield _line(0, pickle.dumps(result))
            yield _line(int(rows.halt[0]), None)
        spare_the_collector()


def _line(halt: int, result: bytes | None) -> pa.RecordBatch:
    return pa.record_batch({"halt": pa.array([halt], pa.int64()), "result": pa.array([result], pa.binary())})
