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
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from contest import finish
from inputs import NYC, OD_CASES, Input, add_options, asked_for, present
from measuring import Search, clocked, measure
from programs import relation_of, warm_up
from reporting import NOTHING, Record, Sheet, by_table, figure, record, save, show, times

if TYPE_CHECKING:
    from lawful import Laws, Relation

NAME = "cluster"
KINDS = ("key", "fd", "od")
CASES = tuple(
    case for case in OD_CASES if case.name.partition("-")[0] in ("od/Letter", "od/Adult", "od/Plista", NYC)
)
MADE = {
    "flights": (1_000_000, 3),
    "tax": (3_000_000, None),
}  # rows, size of laws: nobody can list all of flights
EXECUTOR_MEMORY = 2048


def table_of(name: str, given: Input | None) -> Relation:
    """Read or make a table."""
    from lawful import datasets, read

    if given is None:
        return read(getattr(datasets, name)(MADE[name][0]))
    return relation_of(given.path, given.case.null_markers)


def bound_of(name: str) -> int | None:
    return MADE[name][1] if name in MADE else None


def in_threads(name: str, given: Input | None, workers: int) -> Search:
    """A search in threads of one process."""
    from lawful import discover

    relation = table_of(name, given)
    warm_up(KINDS)
    return clocked(
        lambda: discover(relation, KINDS, all=True, engine="local", workers=workers, max_size=bound_of(name)),
        _counts,
    )


def on_executors(name: str, given: Input | None, executors: int) -> Search:
    """A search on executors with one core each."""
    from lawful import datasets, discover
    from lawful.spark import session

    relation = table_of(name, given)
    with session(f"local-cluster[{executors},1,{EXECUTOR_MEMORY}]") as spark:
        for _ in range(2):  # so that the Python of each executor has loaded the kernels
            discover(datasets.employees(200), KINDS, all=True, engine="spark", session=spark)
        most = bound_of(name)
        return clocked(
            lambda: discover(relation, KINDS, all=True, engine="spark", session=spark, max_size=most), _counts
        )


def _counts(laws: Laws) -> Mapping[str, int]:
    return laws.counts


WAYS = {"threads": in_threads, "executors": on_executors}


def records_of(name: str, given: Input | None, most: int) -> Iterator[Record]:
    """Search a table with 1, 2, ... threads, and with as many executors."""
    columns, rows = table_of(name, given).ranks().shape
    ours: Mapping[str, int] = {}
    for way, prepare in WAYS.items():
        for count in range(1, most + 1):
            outcome = measure(prepare, name, given, count)
            found = outcome.run.counts if outcome.run else {}
            ours = ours or found
            warning = "" if found in ({}, ours) else f"{dict(found)} laws, but {dict(ours)} with one thread"
            one = record(name, (rows, columns), _program(way, count), KINDS, outcome, warning)
            print(f"{name}: {one.program} {one.failure or figure(one.seconds)} {warning}", flush=True)
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
    with TemporaryDirectory() as scratch:
        for given in present(CASES, options.data, options.only, Path(scratch)):
            records += records_of(given.name, given, options.most)
    for name in MADE:
        if asked_for(name, options.only):
            records += records_of(name, None, options.most)
    sheet = summary(records, options.most)
    show(sheet)
    if not options.only:
        save(NAME, records, [sheet])
    finish(records)


if __name__ == "__main__":
    main()
