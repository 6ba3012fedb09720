"""Reading and ranking `tax(rows)` from CSV and Parquet: here by Arrow, and by Spark.

    python benchmarks/ranks.py [rows ...]

Each case runs in a fresh process, whose Spark session has started before the clock. It reads several times,
because Java is quicker later, and the fastest after the first counts. What Arrow alone takes to read the file
is the measure; the peak of memory is that of this process, without Java's.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from pyarrow import csv
from rich.console import Console
from rich.table import Table

from lawful.datasets import tax
from lawful.spark import session
from lawful.table import read

ROWS = (100_000, 1_000_000, 3_000_000)
AGAIN = 3


class Cost(NamedTuple):
    """What one way of reading costs: seconds the first time and at best later, and MB."""

    first: float
    again: float
    peak: float


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
    "csv": {"Arrow alone": arrow_alone, "here": here, "Spark's workers": by_workers},
    "parquet": {
        "Arrow alone": arrow_alone,
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
    answer.send(Cost(first, min(later), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


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


def lines(rows: int, folder: Path) -> Iterator[tuple[str, ...]]:
    """The lines of the report for a table of so many rows."""
    made = tax(rows)
    for ending, cases in CASES.items():
        path = folder / f"tax.{ending}"
        csv.write_csv(made, path) if ending == "csv" else pq.write_table(made, path)
        alone = 0.0
        for name, action in cases.items():
            cost = run(path, action)
            alone = alone or cost.again
            times = f"{cost.first:.2f}", f"{cost.again:.2f}", f"{cost.again / alone:.1f}", f"{cost.peak:.0f}"
            yield f"{rows:,}", ending, f"{path.stat().st_size / 1e6:.0f}", name, *times


def main() -> None:
    """Measure all cases, print a table."""
    table = Table("rows", "source", "MB", "read by", "seconds", "again", "times Arrow alone", "peak MB")
    with tempfile.TemporaryDirectory() as folder:
        for rows in map(int, sys.argv[1:] or ROWS):
            for line in lines(rows, Path(folder)):
                table.add_row(*line)
    Console().print(table)


if __name__ == "__main__":
    main()
