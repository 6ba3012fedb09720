"""Laws kept true while rows come and go, beside a search from scratch of the same table.

    python benchmarks/changes.py [--only NAME] [--data FOLDER] [--grow ROWS ...]

A state is made of all but the last rows of a table. Batches of several sizes are inserted and deleted again.
The clock runs inside the process, after the kernels are loaded and an insertion of one row has made the
indexes. A search from scratch is timed in the same process. For the stock prices IncPOD's own program needs
32, 93, 358 and 1,602 ms for 100, 1,000, 5,000 and 20,000 rows on such a machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

import lawful
from lawful.table import SourceOptions
from reporting import Sheet, figure, save, times

BATCHES = (1, 10, 100, 1_000)
GROWTH = (100_000, 1_000_000)
STOCK_BATCHES = (100, 1_000, 5_000, 20_000)


@dataclass(frozen=True)
class Case:
    """A table, the rows that come, and the laws that are kept."""

    name: str
    kinds: str
    first: Callable[[], pa.Table]
    coming: Callable[[int], pa.Table]
    batches: Sequence[int] = BATCHES


@dataclass(frozen=True)
class Timed:
    """Seconds of one batch."""

    table: str
    kinds: str
    rows: int
    batch: int
    what: str
    way: str
    seconds: float
    fresh: float
    removed: int
    added: int


def table_of(path: Path, options: SourceOptions) -> pa.Table:
    """A file as typed values."""
    relation = lawful.read(str(path), options)
    return relation.rows(relation.row_ids)


def held_out(name: str, kinds: str, table: Callable[[], pa.Table]) -> Case:
    """A table whose last rows come later."""
    most = max(BATCHES)
    return Case(
        name,
        kinds,
        lambda: table().slice(0, table().num_rows - most - 1),
        lambda rows: table().slice(table().num_rows - most - 1, rows),
    )


def cases(data: Path, grow: Sequence[int] = GROWTH) -> Iterator[Case]:
    """Public tables, and made ones of more and more rows."""
    texts = SourceOptions(types={"Date(String)": "string"})
    origin, coming = data / "pod/SPS_origin.csv", data / "pod/SPS_inc.csv"
    if origin.exists():
        yield Case(
            "pod/SPS",
            "pod",
            lambda: table_of(origin, texts),
            lambda rows: table_of(coming, texts).slice(0, rows),
            STOCK_BATCHES,
        )
    for name in ("fd/abalone", "fd/adult", "od/NCV-100k-9"):
        path = data / f"{name}.csv"
        if path.exists():
            whole = table_of(path, SourceOptions())
            for kinds in ("key,fd,od", "pod"):
                yield held_out(name, kinds, lambda whole=whole: whole)  # type: ignore[misc]
    for rows in grow:
        whole = lawful.datasets.tax(rows + max(BATCHES) + 1)
        for kinds in ("key,fd,od", "pod", "dc"):
            yield held_out(f"tax({rows:,})", kinds, lambda whole=whole: whole)  # type: ignore[misc]


def measure(case: Case) -> Iterator[Timed]:
    """Time each size of batch on a state of its own making."""
    first = case.first()
    began = time.perf_counter()
    lawful.discover(first, case.kinds, all=True, cross_columns="off")
    fresh = time.perf_counter() - began
    state = lawful.keep(first, case.kinds, cross_columns="off")
    coming = case.coming(max(case.batches) + 1)
    state.delete(state.insert(coming.slice(0, 1), way="probes").inserted)
    for batch in case.batches:
        began = time.perf_counter()
        change = state.insert(coming.slice(1, batch))
        inserted = time.perf_counter() - began
        yield _timed(case, state.n_rows, batch, "insert", change, inserted, fresh)
        began = time.perf_counter()
        change = state.delete(change.inserted)
        yield _timed(case, state.n_rows, batch, "delete", change, time.perf_counter() - began, fresh)


def _timed(
    case: Case, rows: int, batch: int, what: str, change: lawful.LawChange, seconds: float, fresh: float
) -> Timed:
    gone, new = len(change.removed_laws.kinds), len(change.added_laws.kinds)
    return Timed(case.name, case.kinds, rows, batch, what, change.way, seconds, fresh, gone, new)


def told(line: Timed) -> str:
    """One line of output."""
    what = f"{line.table:16} {line.kinds:10} {line.what} {line.batch:>6,}: {line.seconds * 1000:8.1f} ms"
    ratio = f"fresh {line.fresh:6.2f} s, {line.fresh / line.seconds:7.1f} x"
    return f"{what} ({line.way or '-'}), {ratio}, -{line.removed} +{line.added}"


def main() -> None:
    """Run, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="tables and kinds whose name has this in it")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--grow", type=int, nargs="*", default=GROWTH, help="rows of made tables")
    given = parser.parse_args()
    done = []
    for case in cases(given.data, given.grow):
        if given.only in f"{case.name} {case.kinds}":
            for line in measure(case):
                done.append(line)
                print(told(line), flush=True)
    if not given.only:
        save("changes", [], [summary(done)])


def summary(done: Sequence[Timed]) -> Sheet:
    """Milliseconds of each batch, and how many times as long a search from scratch takes."""
    columns = (
        "table",
        "kinds",
        "rows",
        "batch",
        "insert ms",
        "way",
        "delete ms",
        "fresh s",
        "fresh / insert",
    )
    inserts, deletes = ([one for one in done if one.what == what] for what in ("insert", "delete"))
    lines = [
        (
            one.table,
            one.kinds,
            f"{one.rows - one.batch:,}",
            f"{one.batch:,}",
            f"{one.seconds * 1000:.1f}",
            one.way,
            f"{other.seconds * 1000:.1f}",
            figure(one.fresh),
            times(one.fresh, one.seconds),
        )
        for one, other in zip(inserts, deletes, strict=True)
    ]
    return Sheet("changes-summary", columns, tuple(lines))


if __name__ == "__main__":
    main()
