"""How seconds and memory grow with the rows of `flights` and `tax`, and with the columns of Plista.

    python benchmarks/growth.py [--rows N ...] [--columns N ...] [--max-size N] [--only NAME] [--data FOLDER]

Each search for keys, FDs and ODs runs in a fresh process, with the table read and the kernels loaded before
the clock. Memory is what the process holds at its peak beyond what it holds with the kernels loaded.
"""

from __future__ import annotations

import math
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from contest import OURS, finish
from inputs import add_options, asked_for
from measuring import Run, Search, forget_peak, measure, peak_memory
from programs import search_of, warm_up
from reporting import (
    NOTHING,
    Record,
    Sheet,
    by_table,
    figure,
    last_seconds,
    new_plot,
    record,
    save,
    save_plot,
    show,
    times,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes

NAME = "growth"
KINDS = ("key", "fd", "od")
PLISTA = "od/Plista-1K-35"
MAX_SIZES = {"flights": 3, "tax": None}  # of flights nobody can list all laws
ROWS = (100_000, 300_000, 1_000_000, 3_000_000)
COLUMNS = tuple(range(8, 31, 2))


def generated(name: str, rows: int, max_size: int | None) -> Search:
    """A search in a generated table."""
    from lawful import datasets

    table = getattr(datasets, name)
    return _search(lambda: table(rows), max_size)


def first_columns(path: Path, columns: int, max_size: int | None) -> Search:
    """A search in the first columns of a file."""
    from pyarrow import csv

    return _search(lambda: csv.read_csv(path).select(range(columns)), max_size)


def _search(make: Callable[[], pa.Table], max_size: int | None) -> Search:
    """A search in a table, with the bytes that reading it and searching it take."""
    import pyarrow as pa

    from lawful import read

    warm_up(KINDS)
    before = psutil.Process().memory_info().rss
    table = make()
    forget_peak()
    relation = read(table)
    reading = peak_memory() - before
    del table
    pa.default_memory_pool().release_unused()  # what was ours alone
    search = search_of(relation, KINDS, max_size)

    def measured() -> Run:
        forget_peak()
        run = search()
        return replace(run, extra={**run.extra, "reading": reading, "searching": peak_memory() - before})

    return measured


def records_of_rows(name: str, sizes: Sequence[int], max_size: int | None) -> Iterator[Record]:
    """Search tables of a generator."""
    from lawful import datasets

    columns = getattr(datasets, name)(1).num_columns
    for rows in sizes:
        outcome = measure(generated, name, rows, max_size)
        yield _told(record(name, (rows, columns), OURS, KINDS, outcome))


def records_of_columns(path: Path, widths: Sequence[int], max_size: int | None) -> Iterator[Record]:
    """Search the first columns of Plista."""
    if not path.exists():
        print(f"{PLISTA}: skipped, as its file is not there")
        return
    with path.open() as lines:
        rows = sum(1 for _ in lines) - 1
    for columns in widths:
        outcome = measure(first_columns, path, columns, max_size)
        yield _told(record(PLISTA, (rows, columns), OURS, KINDS, outcome))


def _told(one: Record) -> Record:
    print(f"{one.table}: {one.rows:,} x {one.columns} {one.failure or figure(one.seconds)}", flush=True)
    return one


def laws_of(one: Record) -> int:
    return sum(one.counts.values())


def n_log_n(rows: int) -> float:
    return rows * math.log2(rows)


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The exponent b of the least-squares fit of `seconds` by c * sizes ** b."""
    from numpy import log, polyfit

    return float(polyfit(log(sizes), log(seconds), 1)[0])


def fitted(records: Sequence[Record], sizes: Sequence[float]) -> str:
    """The exponent with which seconds grow with the sizes, where there are enough of them."""
    seconds = [one.seconds for one in records if one.seconds]
    whole = len(seconds) == len(records) > 1 and min(sizes) > 0
    return figure(exponent(sizes, seconds)) if whole else NOTHING


def sizes_of(records: Sequence[Record]) -> list[float]:
    """What the seconds of a table's records are expected to follow: n log n, or the number of laws."""
    return [laws_of(one) if one.table == PLISTA else n_log_n(one.rows) for one in records]


def rows_sheet(records: Sequence[Record]) -> Sheet:
    """A line for each generated table."""
    columns = (
        *("table", "rows", "columns", "laws", "seconds", "CPU s", "of the seconds bits", "ns / (n log n)"),
        *("searching: bytes a cell", "reading: bytes a cell"),
    )
    lines = tuple(
        (
            *_beginning(one),
            figure(one.extra.get("bits")),
            figure(one.seconds and one.seconds / n_log_n(one.rows) * 1e9),
            *(figure(_bytes_a_cell(one, what)) for what in ("searching", "reading")),
        )
        for one in records
        if one.table != PLISTA
    )
    return Sheet("growth-rows", columns, lines)


def columns_sheet(records: Sequence[Record]) -> Sheet:
    """A line for each number of columns of Plista."""
    columns = ("table", "rows", "columns", "laws", "seconds", "CPU s", "µs / law")
    lines = tuple(
        (*_beginning(one), figure(one.seconds and one.seconds / max(laws_of(one), 1) * 1e6))
        for one in records
        if one.table == PLISTA
    )
    return Sheet("growth-columns", columns, lines)


def _beginning(one: Record) -> tuple[str, ...]:
    shape = (f"{one.rows:,}", str(one.columns), f"{laws_of(one):,}")
    return (one.table, *shape, one.failure or figure(one.seconds), figure(one.cpu))


def _bytes_a_cell(one: Record, what: str) -> float | None:
    taken = one.extra.get(what)
    return None if taken is None else max(taken, 0.0) / (one.rows * one.columns)


def fit_sheet(records: Sequence[Record]) -> Sheet:
    """The exponents of growth: 1 is as expected, less is better."""
    lines = tuple(
        (name, "laws" if name == PLISTA else "n log n", fitted(of_table, sizes_of(of_table)))
        for name, of_table in by_table(records).items()
    )
    return Sheet("growth-fit", ("table", "seconds grow with", "to the power of"), lines)


def last_sheet(records: Sequence[Record]) -> Sheet:
    """How the seconds compare with the last saved ones."""
    last = last_seconds(NAME)
    lines = tuple(
        (one.table, f"{one.rows:,}", str(one.columns), times(one.seconds, last.get(one.key)))
        for one in records
    )
    return Sheet("last", ("table", "rows", "columns", "last"), lines)


def draw(records: Sequence[Record]) -> None:
    """Seconds against rows with lines of n log n, and seconds and laws against columns."""
    drawn, (by_rows, by_columns) = new_plot(2, 11)
    for name, of_table in by_table(records).items():
        if name == PLISTA:
            _draw_columns(by_columns, of_table)
        else:
            _draw_rows(by_rows, name, of_table)
    by_rows.legend()
    by_columns.legend()
    save_plot(drawn, NAME)


def _draw_rows(axes: Axes, name: str, records: Sequence[Record]) -> None:
    rows = [one.rows for one in records if one.seconds]
    seconds = [one.seconds for one in records if one.seconds]
    points = axes.loglog(rows, seconds, "o-", label=name)
    expected = [seconds[0] * n_log_n(count) / n_log_n(rows[0]) for count in rows]
    axes.loglog(rows, expected, ":", color=points[0].get_color(), label=f"{name}: n log n from the first")
    axes.set(xlabel="rows", ylabel="seconds", title="Keys, FDs and ODs")


def _draw_columns(axes: Axes, records: Sequence[Record]) -> None:
    columns = [one.columns for one in records if one.seconds]
    axes.semilogy(columns, [one.seconds for one in records if one.seconds], "o-", label="seconds")
    laws = [laws_of(one) / 1000 for one in records if one.seconds]
    axes.semilogy(columns, laws, "s--", label="thousands of laws")
    axes.set(xlabel="columns of Plista", title="Seconds and laws")


def main() -> None:
    """Measure, print, and save unless only some tables or laws were asked for."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add_options(parser)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS, help="rows of the generated tables")
    parser.add_argument("--columns", type=int, nargs="+", default=COLUMNS, help="columns of Plista")
    parser.add_argument("--max-size", type=int, help="attributes in a law (default: 3 for flights)")
    options = parser.parse_args()
    warm_up(KINDS)  # so that no measured process compiles
    records: list[Record] = []
    for name, bound in MAX_SIZES.items():
        if asked_for(name, options.only):
            records += records_of_rows(name, options.rows, options.max_size or bound)
    if asked_for(PLISTA, options.only):
        path = options.data / f"{PLISTA}.csv"
        records += records_of_columns(path, options.columns, options.max_size)
    report(records, whole=not options.only and options.max_size is None)


def report(records: Sequence[Record], whole: bool) -> None:
    """Show the records; keep those of a whole run."""
    sheets = [rows_sheet(records), columns_sheet(records), fit_sheet(records)]
    for sheet in (*sheets, last_sheet(records)):
        show(sheet)
    if whole:
        save(NAME, records, sheets)
        draw(records)
    finish(records)


if __name__ == "__main__":
    main()
