"""Reading and ranking `tax(rows)` from CSV and Parquet, encoded in the driver and in Spark's workers.

    python benchmarks/ranks.py [rows]

Each case runs in a fresh process, whose Spark session was started before the clock. CPU seconds are those
of the driver, of Java and of the Python workers; the peak of memory is the driver's own.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import psutil
import pyarrow.parquet as pq
from pyarrow import csv
from rich.console import Console
from rich.table import Table

from lawful.datasets import tax
from lawful.spark import session
from lawful.table import read
from lawful.table.sources import Way

WAYS: tuple[Way, ...] = ("driver", "workers")


class Cost(NamedTuple):
    """What one reading cost."""

    seconds: float
    driver: float
    java: float
    workers: float
    peak: float


def cpu_seconds() -> tuple[float, float, float]:
    """CPU seconds so far of this process, of Java, and of the Python workers, alive or not."""
    own = sum(psutil.Process().cpu_times()[:2])
    java = workers = 0.0
    for child in psutil.Process().children(recursive=True):
        if "java" in child.name():
            java += sum(child.cpu_times()[:2])
        else:
            workers += sum(child.cpu_times())
    return own, java, workers


def measure(path: Path, way: Way, answer: Connection) -> None:
    """Read a file and send what it cost."""
    with session() as spark:
        spark.range(1).count()
        before, start = cpu_seconds(), time.perf_counter()
        relation = read(path, session=spark, way=way)
        relation.ranks()
        seconds = time.perf_counter() - start
        after = cpu_seconds()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    driver, java, workers = (late - early for early, late in zip(before, after, strict=True))
    answer.send(Cost(seconds, driver, java, workers, peak))


def run(path: Path, way: Way) -> Cost:
    """The cost of one case, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=measure, args=(path, way, sender))
    process.start()
    sender.close()
    cost: Cost = receiver.recv()
    process.join()
    return cost


def main() -> None:
    """Make the files, measure all cases, print a table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    table = Table(
        "source", "MB", "encoded in", "seconds", "driver CPU", "Java CPU", "worker CPU", "driver's peak MB"
    )
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"tax.{ending}" for ending in ("csv", "parquet")]
        made = tax(rows)
        csv.write_csv(made, paths[0])
        pq.write_table(made, paths[1])
        for path in paths:
            for way in WAYS:
                cost = run(path, way)
                size = path.stat().st_size / 1e6
                table.add_row(path.suffix[1:], f"{size:.0f}", way, *(f"{figure:.1f}" for figure in cost))
    Console().print(f"tax({rows:,}), {made.num_columns} columns", table)


if __name__ == "__main__":
    main()
