"""Reading and ranking `tax(rows)` from CSV and Parquet: here by Arrow, and by Spark.

    python benchmarks/ranks.py [rows ...]

Each case runs in a fresh process, whose Spark session has started before the clock. It reads several times,
because Java is quicker later, and the fastest after the first counts. What Arrow alone takes to read the file
is the measure; the peak of memory is that of this process, without Java's.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from pyarrow import csv

from lawful.datasets import tax
from lawful.spark import session
from lawful.table import read
from measuring import peak_memory
from reporting import Record, Sheet, figure, save, show, times

NAME, ALONE = "ranks", "Arrow alone"
ROWS = (100_000, 1_000_000, 3_000_000)
AGAIN = 3


class Cost(NamedTuple):
    """What one way of reading costs: seconds the first time and at best later, and bytes."""

    first: float
    again: float
    peak: int


def seconds(action: Callable[[], Any]) -> float:
    """How long an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def arrow_alone(path: Path) -> None:
    """Read a file and do nothing with it."""
    csv.read_csv(path) if path.suffix == ".csv" else pq.read_table(path)


def here(path: Path) -> None:
    """Rank a file without Spark."""
    read(path, way="driver").ranks()


def by_workers(path: Path) -> None:
    """Rank a file that Spark's workers read."""
    with session() as spark:
        read(path, session=spark, way="workers").ranks()


def as_frame(path: Path) -> None:
    """Rank the DataFrame that a user's local session reads from a file."""
    with session() as spark:
        read(spark.read.parquet(str(path))).ranks()


CASES = {
    "csv": {ALONE: arrow_alone, "here": here, "Spark's workers": by_workers},
    "parquet": {
        ALONE: arrow_alone,
        "here": here,
        "Spark's workers": by_workers,
        "a DataFrame": as_frame,
    },
}


def measure(path: Path, action: Callable[[Path], None], answer: Connection) -> None:
    """Read a file several times and send what it cost."""
    if action in (by_workers, as_frame):
        with session() as spark:
            spark.range(1).count()
    first, *later = (seconds(lambda: action(path)) for _ in range(1 + AGAIN))
    answer.send(Cost(first, min(later), peak_memory()))


def run(path: Path, action: Callable[[Path], None]) -> Cost:
    """The cost of one case, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=measure, args=(path, action, sender))
    process.start()
    sender.close()
    cost: Cost = receiver.recv()
    process.join()
    return cost


def records_of(rows: int, folder: Path) -> Iterator[Record]:
    """What each way takes for a table of so many rows."""
    made = tax(rows)
    for ending, cases in CASES.items():
        path = folder / f"tax.{ending}"
        csv.write_csv(made, path) if ending == "csv" else pq.write_table(made, path)
        for name, action in cases.items():
            cost = run(path, action)
            extra = {"first": cost.first, "bytes": path.stat().st_size}
            about = path.name, rows, made.num_columns, name, ending
            yield Record(*about, cost.again, None, cost.peak, {}, extra)


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each way to read a table."""
    alone = {(one.table, one.rows): one.seconds for one in records if one.program == ALONE}
    return Sheet(
        f"{NAME}-summary",
        ("table", "rows", "MB", "read by", "first s", "later s", "times Arrow alone", "peak MB"),
        tuple(
            (
                one.table,
                f"{one.rows:,}",
                figure(one.extra["bytes"] / 1e6),
                one.program,
                figure(one.extra["first"]),
                figure(one.seconds),
                times(one.seconds, alone[one.table, one.rows]),
                figure(one.peak / 1e6),
            )
            for one in records
        ),
    )


def main() -> None:
    """Measure, show, and keep what was measured with all sizes."""
    sizes = [*map(int, sys.argv[1:])] or ROWS
    with tempfile.TemporaryDirectory() as folder:
        records = [one for rows in sizes for one in records_of(rows, Path(folder))]
    sheet = summary(records)
    show(sheet)
    if sizes == ROWS:
        save(NAME, records, [sheet])


if __name__ == "__main__":
    main()
