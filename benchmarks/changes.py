"""Laws kept true while rows come and go, beside a search from scratch of the same table.

    python benchmarks/changes.py [--only NAME] [--data FOLDER] [--grow ROWS ...]

A state is made of all but the last rows of a table. Batches of several sizes are inserted, deleted again, and
put in the place of as many other rows (both). The clock runs inside the process, after the kernels are loaded
and a row has made the indexes, but for the largest tables. "laws" is the part of an insertion in which the
laws are found: the rest is to read the rows as the state's types and to write the state to its folder, which
is not forced to the disk here. A search from scratch is timed in the same process, but for the largest
tables. Other programs, on such a machine: IncPOD's own, which has all in memory, and DynFD (FDs only; both: a
batch of inserts and deletes).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

import lawful
from lawful.table import SourceOptions
from reporting import NOTHING, Sheet, figure, save, times

BATCHES = (1, 10, 100, 1_000)
GROWTH = (100_000, 1_000_000, 3_000_000)
HUGE = 2_000_000  # rows from which on there are one batch, no indexes and no search from scratch
MANY_LAWS = 100_000  # for which there are no indexes
STOCK_BATCHES = (100, 1_000, 5_000, 20_000)
KINDS = {
    "fd/abalone": ("key,fd,od", "pod"),
    "fd/adult": ("key,fd,od", "pod"),
    "fd/flight": ("key,fd",),
    "od/NCV-100k-9": ("key,fd,od", "pod"),
}
# What other programs need, in milliseconds; DynFD on the first rows of tables, of which a batch comes.
DYNFD = {
    "fd/abalone": (2_000, 100, "DynFD 64, both 106"),
    "fd/adult": (20_000, 1_000, "DynFD 1,500, both 5,900"),
}
INCPOD = dict(zip(STOCK_BATCHES, ("IncPOD 32", "IncPOD 93", "IncPOD 358", "IncPOD 1,602"), strict=True))
MOST_OF_BOTH = 1_000  # rows that are replaced
COLUMNS = (
    "table",
    "kinds",
    "rows",
    "batch",
    "insert ms",
    "laws ms",
    "way",
    "delete ms",
    "both ms",
    "others ms",
    "fresh s",
    "fresh / insert",
)


class Split(NamedTuple):
    """The first rows of a table, those that come, and in which batches."""

    first: pa.Table
    coming: pa.Table
    batches: Sequence[int]


@dataclass(frozen=True)
class Case:
    """A table, the laws that are kept, and what other programs need, by batch."""

    name: str
    kinds: str
    split: Callable[[], Split]
    others: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Timed:
    """Seconds of one batch: None where they were not taken."""

    case: Case
    rows: int
    batch: int
    change: lawful.LawChange
    insert: float
    delete: float
    both: float | None
    fresh: float | None

    def cells(self) -> tuple[str, ...]:
        """A line of the table."""
        return (
            self.case.name,
            self.case.kinds,
            f"{self.rows:,}",
            f"{self.batch:,}",
            _milliseconds(self.insert),
            _milliseconds(self.change.seconds["laws"]),
            self.change.way,
            _milliseconds(self.delete),
            NOTHING if self.both is None else _milliseconds(self.both),
            self.case.others.get(self.batch, ""),
            figure(self.fresh),
            times(self.fresh, self.insert),
        )


def table_of(path: Path, options: SourceOptions) -> pa.Table:
    """A file as typed values."""
    relation = lawful.read(str(path), options)
    return relation.rows(relation.row_ids)


def held_out(table: pa.Table, batches: Sequence[int]) -> Split:
    """A table whose last rows come later."""
    first = table.num_rows - max(batches) - 1
    return Split(table.slice(0, first), table.slice(first), batches)


def cases(data: Path, grow: Sequence[int] = GROWTH) -> Iterator[Case]:
    """Public tables, and made ones of more and more rows."""
    for name, kinds in KINDS.items():
        for some in kinds:
            yield Case(name, some, partial(_of_file, data / f"{name}.csv"))
    yield Case("pod/SPS", "pod", partial(_of_stock_prices, data), INCPOD)
    for name, (rows, batch, theirs) in DYNFD.items():
        yield Case(
            name, "fd", partial(_first_rows, data / f"{name}.csv", rows, batch), others={batch: theirs}
        )
    for rows in grow:
        for some in ("key,fd,od", "pod", "dc"):
            yield Case(f"tax({rows:,})", some, partial(_of_tax, rows))


def _with_shares(rows: int) -> tuple[int, ...]:
    """The sizes of batches of a table, 1% and 10% of it among them."""
    return tuple(sorted({*(size for size in BATCHES if size <= rows // 4), rows // 100, rows // 10}))


def _of_file(path: Path) -> Split:
    table = table_of(path, SourceOptions())
    return held_out(table, _with_shares(table.num_rows))


def _of_stock_prices(data: Path) -> Split:
    texts = SourceOptions(types={"Date(String)": "string"})
    first, coming = (table_of(data / "pod" / f"SPS_{part}.csv", texts) for part in ("origin", "inc"))
    return Split(first, coming, STOCK_BATCHES)


def _first_rows(path: Path, rows: int, batch: int) -> Split:
    return held_out(table_of(path, SourceOptions()).slice(0, rows + batch + 1), (batch,))


@lru_cache(1)
def _of_tax(rows: int) -> Split:
    batches = (100,) if rows > HUGE else _with_shares(rows)
    return held_out(lawful.datasets.tax(rows + max(batches) + 1), batches)


def measure(case: Case) -> Iterator[Timed]:
    """Time each size of batch on one state."""
    first, coming, batches = case.split()
    fresh = None
    if first.num_rows <= HUGE:
        began = time.perf_counter()
        lawful.discover(first, case.kinds, all=True, cross_columns="off")
        fresh = time.perf_counter() - began
    state = lawful.keep(first, case.kinds, cross_columns="off")
    indexed = first.num_rows <= HUGE and sum(state.counts.values()) <= MANY_LAWS
    for _ in range(2):  # the second one comes into indexes that are there
        change = state.insert(coming.slice(0, 1), way="probes" if indexed else "auto")
        state.delete(change.inserted)
    for batch in batches:
        rows = coming.slice(1, batch)
        insert, change = _seconds(partial(state.insert, rows))
        delete, _ = _seconds(partial(state.delete, change.inserted))
        both = _both(state, rows) if batch <= MOST_OF_BOTH and fresh is not None else None
        yield Timed(case, first.num_rows, batch, change, insert, delete, both, fresh)


def _both(state: lawful.State, rows: pa.Table) -> float:
    """Seconds to put rows in the place of as many others; these come back."""
    gone = state.relation.row_ids[: rows.num_rows]
    others = state.relation.rows(gone)
    seconds, change = _seconds(partial(state.update, rows, ids=gone))
    state.update(others, ids=change.inserted)
    return seconds


def _seconds(action: Callable[[], lawful.LawChange]) -> tuple[float, lawful.LawChange]:
    began = time.perf_counter()
    change = action()
    return time.perf_counter() - began, change


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f}"


def load_kernels() -> None:
    """Let rows come and go in each way."""
    first, coming, _ = held_out(lawful.datasets.tax(11_001), (1_000,))
    for kinds in ("key,fd,od", "pod", "dc"):
        state = lawful.keep(first, kinds, cross_columns="off")
        for way in ("auto", "tiles", "probes", "probes", "anew"):
            change = state.insert(coming, way=way)
            state.update(first.slice(0, 10), ids=change.inserted)


def main() -> None:
    """Run, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="tables and kinds whose name has this in it")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--grow", type=int, nargs="*", default=GROWTH, help="rows of made tables")
    given = parser.parse_args()
    load_kernels()
    lines = []
    for case in cases(given.data, given.grow):
        if given.only in f"{case.name} {case.kinds}":
            for timed in measure(case):
                lines.append(timed.cells())
                print(*lines[-1], sep=" | ", flush=True)
    if not given.only and tuple(given.grow) == GROWTH:
        save("changes", [], [Sheet("changes-summary", COLUMNS, tuple(lines))])


if __name__ == "__main__":
    main()
