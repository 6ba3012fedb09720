"""Denial constraints of public tables, by lawful, its first prototype and Desbordante's FastADC; growth.

    python benchmarks/dc.py [--only NAME] [--time-limit SECONDS] [--data FOLDER] [--grow ROWS ...]

Each search runs in a fresh process, with the table read and the kernels loaded before the clock. All compare
columns with themselves only. The prototype looks at all pairs, on one core; FastADC is asked for exact laws.
The growth is that of tables made by `tax`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from contest import OURS, Drawn, Entry, Limits, hold, limits_of, options_of, report
from inputs import DC_CASES, SHARED, Input
from measuring import measure
from programs import denial_prototype, desbordante_dcs, lawful_denials, lawful_denials_of_tax
from reporting import Record, Sheet, by_table, figure, record, times

KINDS = ("dc",)
PROTOTYPE = "prototype"
FASTADC = "FastADC"
GROWTH = (100_000, 300_000, 1_000_000)


def entries(table: Input, prototypes: Path, limits: Limits) -> Iterable[Entry]:
    """Who searches a table."""
    case = table.case
    yield Entry(OURS, KINDS, lawful_denials, (table.path, case.null_markers, case.rows, (), "dc"))
    if prototypes.exists():
        yield Entry(
            PROTOTYPE, KINDS, denial_prototype, (table.path, case.rows, prototypes), Limits(seconds=600)
        )
    yield Entry(FASTADC, KINDS, desbordante_dcs, (table.path, case.rows), limits)


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each table: the seconds of all programs and how many times ours they are."""
    columns = (
        *("table", "rows", "columns", "DCs", "lawful s", "of that bits s", "CPU s", "peak MB"),
        *(f"{program} {what}" for program in (PROTOTYPE, FASTADC) for what in ("DCs", "s", "/ lawful")),
    )
    lines = []
    for of_table in by_table(records).values():
        by_program = {one.program: one for one in of_table}
        lines.append(_line(by_program[OURS], by_program.get(PROTOTYPE), by_program.get(FASTADC)))
    return Sheet("dc-summary", columns, tuple(lines))


def _line(ours: Record, *others: Record | None) -> tuple[str, ...]:
    return (
        ours.table,
        f"{ours.rows:,}",
        str(ours.columns),
        f"{ours.counts.get('dc', 0):,}",
        figure(ours.seconds),
        figure(ours.extra.get("bits")),
        figure(ours.cpu),
        figure(ours.peak / 1e6 if ours.peak else None),
        *(text for other in others for text in _compared(ours, other)),
    )


def _compared(ours: Record, other: Record | None) -> tuple[str, str, str]:
    """What another program found, its seconds, or why there are none, and how many times ours it takes."""
    if other is None:
        return "", "", ""
    found = f"{other.counts['dc']:,}" if "dc" in other.counts else ""
    return found, other.failure or figure(other.seconds), times(other.seconds, ours.seconds)


def grown(rows: Sequence[int]) -> Iterable[Record]:
    """Made tables of more and more rows, searched by lawful."""
    for count in rows:
        outcome = measure(lawful_denials_of_tax, count, "dc")
        one = record("tax", (count, 15), OURS, KINDS, outcome, "")
        print(
            f"tax: {count:,} rows {one.note if one.seconds is None else f'{one.seconds:.2f} s'}", flush=True
        )
        yield one


def growth(records: Sequence[Record]) -> Sheet:
    """A line for each number of rows."""
    lines = tuple(
        (f"{one.rows:,}", f"{one.counts.get('dc', 0):,}", figure(one.seconds), figure(one.cpu), one.failure)
        for one in records
    )
    return Sheet("dc-growth", ("rows", "DCs", "s", "CPU s", "failure"), lines)


def main() -> None:
    """Measure, print, and save unless only some tables were asked for."""
    parser = options_of(__doc__, time_limit=180)
    parser.add_argument("--grow", type=int, nargs="*", default=GROWTH, help="rows of made tables")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prototypes = Path(folder) / "prototype"
        if (SHARED / "prototype").exists():  # it keeps what it compiles beside its source
            shutil.copytree(SHARED / "prototype", prototypes, copy_function=shutil.copyfile)
        limits = limits_of(options)
        records = hold(DC_CASES, options, lambda table, _: entries(table, prototypes, limits))
    drawn = Drawn("dc", "Denial constraints: seconds of the search")
    more = [growth(list(grown(options.grow)))]
    report("dc", records, summary(records), drawn, whole=not options.only, more=more)


if __name__ == "__main__":
    main()
