"""Keys and FDs of public tables by lawful and by Desbordante.

    python benchmarks/fd.py [--only NAME] [--time-limit SECONDS] [--data FOLDER]

Each search runs in a fresh process, with the table read and the kernels loaded before the clock.
"""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path

from contest import OURS, Entry, Limits, contest, finish
from inputs import FD_CASES, OD_CASES, Input, add_options, present
from programs import (
    FD_ALGORITHMS,
    KEY_ALGORITHM,
    desbordante_fds,
    desbordante_keys,
    lawful,
    warm_up,
    write_ranks,
)
from reporting import NOTHING, Record, Sheet, details, draw_bars, figure, save, show, times, without

NAME = "fd"


def entries(table: Input, ranks: Path, limits: Limits) -> Iterable[Entry]:
    """Who searches a table: HPIValid cannot bound its keys, so that it is left out where laws are bounded."""
    bound = table.case.max_size
    for kind in ("key", "fd"):
        read = (table.path, table.case.null_markers, (kind,), bound)
        yield Entry(OURS, (kind,), lawful, read)
    for algorithm in FD_ALGORITHMS:
        yield Entry(algorithm, ("fd",), desbordante_fds, (ranks, algorithm, bound), limits)
    if bound is None:
        yield Entry(KEY_ALGORITHM, ("key",), desbordante_keys, (ranks, KEY_ALGORITHM), limits)


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each table: ours against the fastest of the others that found the right laws."""
    columns = (
        *("table", "rows", "columns", "FDs", "lawful s", "fastest other s", "its name", "times as fast"),
        *("times by CPU", "keys", "lawful ms", f"{KEY_ALGORITHM} ms"),
    )
    by_table: dict[str, list[Record]] = {}
    for one in records:
        by_table.setdefault(one.table, []).append(one)
    return Sheet("fd-summary", columns, tuple(_line(of_table) for of_table in by_table.values()))


def _line(records: Sequence[Record]) -> tuple[str, ...]:
    fds, other = _ours_and_best(records, "fd")
    keys, other_keys = _ours_and_best(records, "key")
    return (
        fds.table,
        f"{fds.rows:,}",
        str(fds.columns),
        f"{fds.counts.get('fd', 0):,}",
        figure(fds.seconds),
        figure(other.seconds) if other else "none finished",
        other.program if other else NOTHING,
        times(other.seconds, fds.seconds) if other else NOTHING,
        times(other.cpu, fds.cpu) if other else NOTHING,
        f"{keys.counts.get('key', 0):,}",
        _milliseconds(keys),
        _milliseconds(other_keys),
    )


def _milliseconds(one: Record | None) -> str:
    return figure(None if one is None or one.seconds is None else 1000 * one.seconds)


def _ours_and_best(records: Sequence[Record], kind: str) -> tuple[Record, Record | None]:
    """Our record of a kind of law, and that of the fastest other program that found the same number."""
    ours = next(one for one in records if one.program == OURS and one.kinds == kind)
    others = [one for one in records if one.program != OURS and one.kinds == kind and not one.note]
    return ours, min(others, key=lambda one: one.seconds or 0.0, default=None)


def main() -> None:
    """Measure, print, and save unless only some tables were asked for."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add_options(parser)
    parser.add_argument("--time-limit", type=float, default=120, help="seconds for each search by others")
    parser.add_argument("--memory-limit", type=float, default=12, help="GB for each search by others")
    options = parser.parse_args()
    limits = Limits(options.time_limit, int(options.memory_limit * 1e9))
    records: list[Record] = []
    warm_up(("key", "fd"))  # so that no measured process compiles
    with tempfile.TemporaryDirectory() as folder:
        ranks = Path(folder) / "ranks.csv"
        for table in present((*FD_CASES, *OD_CASES), options.data, options.only, Path(folder)):
            shape = write_ranks(table.path, table.case.null_markers, ranks)
            records += contest(table.case, shape, list(entries(table, ranks, limits)))
    if records:
        report(records, whole=not options.only)


def report(records: Sequence[Record], whole: bool) -> None:
    """Show the records; keep those of a whole run."""
    everything, short = details(NAME, records), summary(records)
    show(everything)
    show(short)
    if whole:
        save(NAME, records, [short, without(everything, "last", "fd-details")])
        draw_bars(NAME, records, "fd", "Functional dependencies: seconds of the search")
    finish(records)


if __name__ == "__main__":
    main()
