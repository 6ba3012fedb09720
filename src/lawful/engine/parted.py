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

from lawful.engine.on_spark import LINE, result_line, spare_the_collector
from lawful.engine.protocol import Engine, Result, Task
from lawful.engine.shipping import RanksFile
from lawful.engine.spark_jobs import jobs_of
from lawful.engine.threads import Threads
from lawful.engine.watch import Limits, Watch
from lawful.table import Relation
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOOKING_TASKS = 32  # tasks that look for the ranks, so that most workers do
TASKS = 4  # of a batch: each part of the table runs them all


class Parted(Threads):
    """Runs tasks in threads of the driver and, parted by a column, on Spark."""

    sees_all_rows = False

    def __init__(self, relation: Relation, work: Workspace, session: SparkSession, rows_a_part: int) -> None:
        from lawful.spark import parallelism

        super().__init__(work)
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
        return Threads(self.work, limits=self.limits)

    def parted(self, column: int) -> ByColumn:
        """An engine that runs each task on all parts; rows equal in the column share a part."""
        return ByColumn(self, column)

    def shuffled(self, column: int) -> DataFrame:
        """The rows, each with its number, so that those which agree on the column are in one partition.

        Rows with a NULL there that equals nothing agree with none: they are left out.
        """
        rows = self.work.rows
        blocks = max(-(-rows.count // self._rows_a_part), self._cores)
        names = ", ".join(f"c{number} int" for number in range(rows.columns))
        read = self._session.range(0, blocks, 1, blocks).mapInArrow(
            _ReadBlocks(self._ranks, -(-rows.count // blocks)), f"row int, {names}"
        )
        return read.where(f"c{column} >= 0").repartition(blocks, f"c{column}")

    def run_on_parts(self, column: int, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run each task on all parts of the table; the results when all are over."""
        with jobs_of(self._session, self._ranks.path.parent, self.limits, 1) as jobs:
            limits = jobs.limits._replace(wanted=None) if self._ranks.shipped else jobs.limits
            runner = _OnPart(tasks, self._ranks.ordered, limits)
            jobs.start(tasks, self.shuffled(column).mapInArrow(runner, LINE).toArrow)
            for _, lines in jobs.ended(self.work):
                for _, halt, result in zip(*(line.to_pylist() for line in lines), strict=True):
                    if halt and not self.work.halted:
                        self.work.halt[0] = halt
                    if result is not None:
                        yield pickle.loads(result)

    def _is_seen_by_workers(self) -> bool:
        probes = self._session.range(0, LOOKING_TASKS, 1, LOOKING_TASKS).mapInArrow(
            _Probe(self._ranks), "seen boolean"
        )
        return all(probes.toArrow()["seen"].to_pylist())


class ByColumn(Engine):
    """The engine of a table that is parted by one column."""

    def __init__(self, table: Parted, column: int) -> None:
        super().__init__(table.work, table.limits)
        self._table, self._column = table, column

    @property
    def tasks(self) -> int:
        """Few."""
        return TASKS

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
                ranks = table.rows.ranks[:, first : first + self.rows]
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
        work = Workspace(RankedRows(np.stack(columns[1:]), self.ordered, numbers=columns[0]))
        with Watch(work, self.limits):
            for number, task in enumerate(self.tasks):
                for result in task(work):
                    yield result_line(number, 0, pickle.dumps(result))
            yield result_line(len(self.tasks), int(work.halt[0]))
        spare_the_collector()
