"""FDs and ODs of public tables together, by lawful, by its first prototype and by Desbordante's FASTOD.

    python benchmarks/od.py [--only NAME] [--fastod NAME] [--time-limit SECONDS] [--data FOLDER]

Each search runs in a fresh process, with the table read and the kernels loaded before the clock.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from contest import OURS, Drawn, Entry, Limits, hold, limits_of, options_of, report
from inputs import NYC, OD_CASES, SHARED, Input
from programs import desbordante_ods, lawful, prototype, warm_up
from reporting import Record, Sheet, by_table, figure, times

KINDS = ("fd", "od")
PROTOTYPE = "prototype"
FASTOD = "FASTOD"
BY_FASTOD = ("Adult", "plista-1k-22", "plista-1k-16", "WP", "Fuel")  # unless asked otherwise


def entries(
    table: Input, ranks: Path, prototypes: Path, fastod: Sequence[str], limits: Limits
) -> Iterable[Entry]:
    """Who searches a table: the prototype is for short ones, and FASTOD for those it is asked for."""
    case = table.case
    yield Entry(OURS, KINDS, lawful, (table.path, case.null_markers, KINDS, case.max_size))
    if case.name != NYC and prototypes.exists():
        yield Entry(PROTOTYPE, KINDS, prototype, (ranks, prototypes), Limits(seconds=600))
    if any(part in case.name for part in fastod):
        yield Entry(FASTOD, KINDS, desbordante_ods, (ranks,), limits)


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each table: the seconds of all programs and how many times ours they are."""
    columns = (
        *("table", "rows", "columns", "FDs", "ODs", "lawful s", "of that bits s", "CPU s", "peak MB"),
        *(f"{program} {what}" for program in (PROTOTYPE, FASTOD) for what in ("s", "peak MB", "/ lawful")),
        f"{FASTOD} / lawful, by CPU",
    )
    lines = []
    for of_table in by_table(records).values():
        by_program = {one.program: one for one in of_table}
        lines.append(_line(by_program[OURS], by_program.get(PROTOTYPE), by_program.get(FASTOD)))
    return Sheet("od-summary", columns, tuple(lines))


def _line(ours: Record, prototyped: Record | None, fastod: Record | None) -> tuple[str, ...]:
    return (
        ours.table,
        f"{ours.rows:,}",
        str(ours.columns),
        *(f"{ours.counts.get(kind, 0):,}" for kind in KINDS),
        figure(ours.seconds),
        figure(ours.extra.get("bits")),
        figure(ours.cpu),
        _megabytes(ours),
        *_compared(ours, prototyped),
        *_compared(ours, fastod),
        times(fastod.cpu, ours.cpu) if fastod else "",
    )


def _compared(ours: Record, other: Record | None) -> tuple[str, str, str]:
    """Another program's seconds, or why there are none, its memory, and how many times ours it takes."""
    if other is None:
        return "", "", ""
    return other.failure or figure(other.seconds), _megabytes(other), times(other.seconds, ours.seconds)


def _megabytes(one: Record) -> str:
    return figure(one.peak / 1e6 if one.peak else None)


def main() -> None:
    """Measure, print, and save unless only some tables were asked for."""
    parser = options_of(__doc__, time_limit=180)
    parser.add_argument("--fastod", nargs="*", default=BY_FASTOD, help="parts of the names of its tables")
    options = parser.parse_args()
    warm_up(KINDS)  # so that no measured process compiles
    with tempfile.TemporaryDirectory() as folder:
        prototypes = Path(folder) / "prototype"
        if (SHARED / "prototype").exists():  # it keeps what it compiles beside its source
            shutil.copytree(SHARED / "prototype", prototypes, copy_function=shutil.copyfile)
        limits = limits_of(options)
        records = hold(
            OD_CASES, options, lambda table, ranks: entries(table, ranks, prototypes, options.fastod, limits)
        )
    drawn = Drawn("+".join(KINDS), "Functional and order dependencies: seconds of the search")
    report("od", records, summary(records), drawn, whole=not options.only)


if __name__ == "__main__":
    main()
