"""The command `lawful discover` on a small table, from its start to its end: the first run and the next one.

    python benchmarks/start.py

The first run compiles kernels; the next one finds them in the cache. Each kind has an empty cache of its own.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyarrow.csv import write_csv

from inputs import PROJECT
from lawful.datasets import employees
from reporting import Record, Sheet, figure, last_seconds, save, show, times, without

NAME = "start"
KINDS = ("key,fd,od", "dc", "key,fd,od,dc")
FIRST, NEXT = "first run", "next run"
ROWS = 50  # so few that the search itself takes next to nothing
OPTIONS = ("--cross-columns", "off", "--json")
REPEATS = 5  # the fastest of so many next runs counts


def timed(table: Path, kinds: str, cache: Path) -> tuple[float, float, dict[str, int]]:
    """Seconds and CPU seconds of one run of the command with this cache, and how many laws it found."""
    command = [sys.executable, "-m", "lawful", "discover", str(table), "--kinds", kinds, *OPTIONS]
    path = os.pathsep.join([str(PROJECT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": path}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # which nobody sets who just uses a program
    started, before = time.perf_counter(), _cpu_of_children()
    run = subprocess.run(command, env=environment, capture_output=True, check=True)
    seconds, cpu = time.perf_counter() - started, _cpu_of_children() - before
    return seconds, cpu, json.loads(run.stdout)["counts"]


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def records_of(table: Path, columns: int, kinds: str) -> Iterator[Record]:
    """The first run and the fastest of the next ones."""
    with tempfile.TemporaryDirectory() as cache:
        runs = [timed(table, kinds, Path(cache)) for _ in range(1 + REPEATS)]
    for program, (seconds, cpu, counts) in ((FIRST, runs[0]), (NEXT, min(runs[1:]))):
        print(f"{kinds}: {program} {seconds:.2f} s", flush=True)
        yield Record(table.stem, ROWS, columns, program, kinds, seconds, cpu, 0, counts)


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each choice of kinds."""
    last, taken = last_seconds(NAME), {(one.kinds, one.program): one for one in records}
    rows = []
    for kinds in KINDS:
        first, later = taken[kinds, FIRST], taken[kinds, NEXT]
        seconds = figure(first.seconds), figure(first.cpu), figure(later.seconds), figure(later.cpu)
        rows.append((kinds, *seconds, times(first.seconds, last.get(first.key))))
    columns = ("kinds", "first run s", "its CPU s", "next run s", "CPU s", "last")
    return Sheet(f"{NAME}-summary", columns, tuple(rows))


def main() -> None:
    """Measure, show and keep."""
    made = employees(ROWS)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "employees.csv"
        write_csv(made, table)
        records = [one for kinds in KINDS for one in records_of(table, made.num_columns, kinds)]
    sheet = summary(records)
    show(sheet)
    save(NAME, records, [without(sheet, "last", sheet.name)])


if __name__ == "__main__":
    main()
