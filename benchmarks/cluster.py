"""The same searches in threads and on Spark's executors: speed-up, overhead, and COST.

    python benchmarks/cluster.py [--most N] [--only NAME] [--data FOLDER]

Executors are processes of this machine with one core each (Spark's `local-cluster`). Each search for keys,
FDs and ODs runs in a fresh process, with the table read, Spark started, and the kernels loaded everywhere
before the clock. COST is the least number of executors with which Spark is faster than one thread of ours.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from contest import finish
from inputs import add_options, asked_for
from measuring import Search, clocked, measure
from programs import warm_up
from reporting import NOTHING, Record, Sheet, by_table, figure, record, save, show, times

if TYPE_CHECKING:
    from lawful import Laws, Relation

NAME = "cluster"
KINDS = ("key", "fd", "od")
TABLES = ("od/Letter-20K-17", "od/Adult-32K-15", "od/Plista-1K-35")
FLIGHTS, FLIGHT_ROWS, FLIGHT_SIZE = "flights", 1_000_000, 3  # of flights nobody can list all laws
EXECUTOR_MEMORY = 2048


def relation_of(table: str, data: Path) -> Relation:
    """Read or make a table."""
    from lawful import datasets, read

    return read(datasets.flights(FLIGHT_ROWS) if table == FLIGHTS else data / f"{table}.csv")


def bound_of(table: str) -> int | None:
    return FLIGHT_SIZE if table == FLIGHTS else None


def in_threads(table: str, data: Path, workers: int) -> Search:
    """A search in threads of one process."""
    from lawful import discover

    relation = relation_of(table, data)
    warm_up(KINDS)
    return clocked(
        lambda: discover(relation, KINDS, engine="local", workers=workers, max_size=bound_of(table)), _counts
    )


def on_executors(table: str, data: Path, executors: int) -> Search:
    """A search on executors with one core each."""
    from lawful import datasets, discover
    from lawful.spark import session

    relation = relation_of(table, data)
    with session(f"local-cluster[{executors},1,{EXECUTOR_MEMORY}]") as spark:
        for _ in range(2):  # so that the Python of each executor has loaded the kernels
            discover(datasets.employees(200), KINDS, engine="spark", session=spark)
        most = bound_of(table)
        return clocked(
            lambda: discover(relation, KINDS, engine="spark", session=spark, max_size=most), _counts
        )


def _counts(laws: Laws) -> Mapping[str, int]:
    return laws.counts


WAYS = {"threads": in_threads, "executors": on_executors}


def records_of(table: str, data: Path, most: int) -> Iterator[Record]:
    """Search a table with 1, 2, ... threads, and with as many executors."""
    columns, rows = relation_of(table, data).ranks().shape
    ours: Mapping[str, int] = {}
    for way, prepare in WAYS.items():
        for count in range(1, most + 1):
            outcome = measure(prepare, table, data, count)
            found = outcome.run.counts if outcome.run else {}
            ours = ours or found
            warning = "" if found in ({}, ours) else f"{dict(found)} laws, but {dict(ours)} with one thread"
            one = record(table, (rows, columns), _program(way, count), KINDS, outcome, warning)
            print(f"{table}: {one.program} {one.failure or figure(one.seconds)} {warning}", flush=True)
            yield one


def _program(way: str, count: int) -> str:
    return f"{count} {way}"


def summary(records: Sequence[Record], most: int) -> Sheet:
    """A line for each table: seconds of all ways, speed-ups, the overhead of Spark, and COST."""
    counts = range(1, most + 1)
    columns = (
        *("table", "rows", "columns"),
        *(f"{_program(way, count)} s" for way in WAYS for count in counts),
        *(f"speed-up, {way}" for way in WAYS),
        *(f"{count} executors / threads" for count in counts),
        "COST",
    )
    return Sheet(NAME, columns, tuple(_line(some, most) for some in by_table(records).values()))


def _line(records: Sequence[Record], most: int) -> tuple[str, ...]:
    seconds = {one.program: one.seconds for one in records}
    threads, executors = ([seconds.get(_program(way, count)) for count in range(1, most + 1)] for way in WAYS)
    return (
        records[0].table,
        f"{records[0].rows:,}",
        str(records[0].columns),
        *map(figure, (*threads, *executors)),
        *(times(some[0], some[-1]) for some in (threads, executors)),
        *(times(there, here) for there, here in zip(executors, threads, strict=True)),
        _cost(threads[0], executors),
    )


def _cost(one_thread: float | None, executors: Sequence[float | None]) -> str:
    for count, seconds in enumerate(executors, 1):
        if one_thread is not None and seconds is not None and seconds < one_thread:
            return str(count)
    return f"> {len(executors)}" if one_thread is not None else NOTHING


def main() -> None:
    """Measure, print, and save unless only some tables were asked for."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add_options(parser)
    parser.add_argument("--most", type=int, default=2, help="threads and executors at most")
    options = parser.parse_args()
    warm_up(KINDS)  # so that no measured process compiles
    records: list[Record] = []
    for table in (*TABLES, FLIGHTS):
        if not asked_for(table, options.only):
            continue
        if table != FLIGHTS and not (options.data / f"{table}.csv").exists():
            print(f"{table}: skipped, as its file is not there")
            continue
        records += records_of(table, options.data, options.most)
    sheet = summary(records, options.most)
    show(sheet)
    if not options.only:
        save(NAME, records, [sheet])
    finish(records)


if __name__ == "__main__":
    main()
