"""Checks of 20 laws of all kinds on `tax(1_000_000)`, against reading it, and flags of ten million rows.

    python benchmarks/checks.py

Each case runs in a fresh process. Flags are made by Spark with a small heap, which holds fewer rows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import psutil
import pyarrow.parquet as pq
from pyarrow import csv

import lawful
from lawful.datasets import tax
from lawful.spark import session
from measuring import Search, clocked, measure, peak_memory
from reporting import Record, Sheet, figure, record, save, show, times

NAME = "checks"
ROWS, FLAGGED_ROWS = 1_000_000, 10_000_000
HEAP = "2g"
READ, CHECK, FLAG = "read", "read and check", "flag"
HOLDING = (
    "{zip} -> city",
    "{area_code} -> state",
    "{salary, state} -> rate",
    "{marital_status, state} -> single_exemp",
    "{fname} -> gender",
    "{}: married_exemp asc ~ single_exemp desc",
    "{state}: rate asc ~ salary asc",
    "{marital_status}: married_exemp asc ~ single_exemp asc",
    "area_code = => state =",
    "married_exemp > => single_exemp <=",
    "rate <, state = => salary <",
    "has_child =, state = => child_exemp =",
    "not(t.state = s.state and t.salary < s.salary and t.rate > s.rate)",
    "not(t.marital_status != s.marital_status and t.married_exemp = s.married_exemp)",
)
FAILING = (
    "key {lname, phone}",
    "{city} -> zip",
    "{fname, lname} -> marital_status",
    "{state}: rate asc ~ child_exemp asc",
    "zip = => salary =",
    "not(t.area_code = s.area_code and t.zip < s.zip)",
)


def reading(path: str) -> Search:
    """Read a file and rank it."""
    return clocked(lambda: lawful.read(path).ranks(), lambda ranks: {"rows": ranks.shape[1]})


def checking(path: str) -> Search:
    """Read a file and check the laws on it."""
    lawful.check(tax(1_000), [*HOLDING, *FAILING])  # loads kernels
    return clocked(
        lambda: lawful.check(lawful.read(path), [*HOLDING, *FAILING]),
        lambda verdicts: {"hold": sum(verdict.holds for verdict in verdicts), "laws": len(verdicts)},
    )


def flagging(path: str) -> Search:
    """Flag a file's rows on Spark, every one of them, and write them nowhere."""
    with ExitStack() as stack:
        spark = stack.enter_context(session("local[2]", {"spark.driver.memory": HEAP}))
        stack.pop_all()

    def flagged() -> None:
        frame = lawful.flag(spark.read.parquet(path), [*HOLDING, *FAILING])
        frame.write.format("noop").mode("overwrite").save()

    return clocked(
        flagged,
        lambda _: {},
        lambda _: {"java": max(map(peak_memory, _javas()), default=0)},
    )


def _javas() -> list[int]:
    return [child.pid for child in psutil.Process().children(recursive=True) if child.name() == "java"]


def records_of(folder: Path) -> Iterator[Record]:
    """What each case took."""
    made = tax(ROWS)
    table, shape = folder / "tax.csv", (ROWS, made.num_columns)
    csv.write_csv(made, table)
    pq.write_table(made, table.with_suffix(".parquet"))
    for path in (table, table.with_suffix(".parquet")):
        for program, prepare in ((READ, reading), (CHECK, checking)):
            yield record(path.name, shape, program, [], measure(prepare, str(path)))
    long = folder / "long.parquet"
    with pq.ParquetWriter(long, made.schema) as writer:
        for _ in range(FLAGGED_ROWS // ROWS):
            writer.write_table(made)
    shape = FLAGGED_ROWS, made.num_columns
    yield record("tax.parquet", shape, FLAG, [], measure(flagging, str(long)))


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each case."""
    taken = {(one.table, one.program): one.seconds for one in records}
    return Sheet(
        f"{NAME}-summary",
        ("table", "rows", "what", "seconds", "CPU s", "times reading", "peak MB", "Java's peak MB"),
        tuple(
            (
                one.table,
                f"{one.rows:,}",
                one.program,
                figure(one.seconds),
                figure(one.cpu),
                times(one.seconds, taken[one.table, READ]) if one.rows == ROWS else "",
                figure(one.peak / 1e6),
                figure(one.extra["java"] / 1e6) if "java" in one.extra else "",
            )
            for one in records
        ),
    )


def main() -> None:
    """Measure, show and keep."""
    with tempfile.TemporaryDirectory() as folder:
        records = []
        for one in records_of(Path(folder)):
            print(
                f"{one.table}: {one.program} {figure(one.seconds)} s {one.counts} {one.failure}", flush=True
            )
            records.append(one)
    sheet = summary(records)
    show(sheet)
    save(NAME, records, [sheet])


if __name__ == "__main__":
    main()
