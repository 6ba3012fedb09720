"""Keys and FDs of public tables by lawful and by Desbordante.

    python benchmarks/fd.py [--only NAME] [--time-limit SECONDS] [--data FOLDER]

Each search runs in a fresh process, with the table read and the kernels loaded before the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from contest import OURS, Drawn, Entry, Limits, hold, limits_of, options_of, report
from inputs import FD_CASES, OD_CASES, Input
from programs import FD_ALGORITHMS, KEY_ALGORITHM, desbordante_fds, desbordante_keys, lawful, warm_up
from reporting import NOTHING, Record, Sheet, by_table, figure, times


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
        *("table", "rows", "columns", "FDs", "lawful s", "of that bits s", "fastest other s", "its name"),
        *("times as fast", "times by CPU", "keys", "lawful ms", f"{KEY_ALGORITHM} ms"),
    )
    return Sheet("fd-summary", columns, tuple(_line(of_table) for of_table in by_table(records).values()))


def _line(records: Sequence[Record]) -> tuple[str, ...]:
    fds, other = _ours_and_best(records, "fd")
    keys, other_keys = _ours_and_best(records, "key")
    return (
        fds.table,
        f"{fds.rows:,}",
        str(fds.columns),
        f"{fds.counts.get('fd', 0):,}",
        figure(fds.seconds),
        figure(fds.extra.get("bits")),
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
    options = options_of(__doc__, time_limit=120).parse_args()
    limits = limits_of(options)
    warm_up(("key", "fd"))  # so that no measured process compiles
    records = hold((*FD_CASES, *OD_CASES), options, lambda table, ranks: entries(table, ranks, limits))
    drawn = Drawn("fd", "Functional dependencies: seconds of the search")
    report("fd", records, summary(records), drawn, whole=not options.only)


if __name__ == "__main__":
    main()
