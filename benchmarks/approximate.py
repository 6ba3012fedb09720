"""FDs and DCs that hold but for 1% of the pairs of rows, or FDs of the rows, by lawful and by Desbordante.

    python benchmarks/approximate.py [--only NAME] [--time-limit SECONDS] [--data FOLDER]

Each search runs in a fresh process, with the table read and the kernels loaded before the clock.
Desbordante's Pyro and Tane count pairs, its PFDTane counts rows; its FastADC finds DCs and counts pairs. They
do not tell the errors of the laws, so that to measure these is no part of our time either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from contest import OURS, Drawn, Entry, Limits, hold, limits_of, options_of, report
from inputs import Case, Input
from programs import almost_denials, almost_fds, desbordante_almost_fds, desbordante_dcs
from reporting import NOTHING, Record, Sheet, by_table, figure, times

ERROR = 0.01
MEASURES = {"pairs": ("Pyro", "Tane"), "rows": ("PFDTane",)}
DENIALS = ("fd/abalone", "dc/tax-10k")  # whose DCs are looked for
CASES = (
    Case("fd/abalone"),
    Case("dc/tax-10k"),
    Case("od/Letter-20K-17"),
    Case("od/Adult-32K-15"),
    Case("od/Plista-1K-35"),
)


def entries(table: Input, ranks: Path, limits: Limits) -> Iterable[Entry]:
    """Who searches a table, by which measure."""
    for measure, algorithms in MEASURES.items():
        ours = (table.path, table.case.null_markers, ERROR, measure)
        yield Entry(OURS, (measure,), almost_fds, ours, limits)
        for algorithm in algorithms:
            others = (ranks, algorithm, ERROR, measure)
            yield Entry(algorithm, (measure,), desbordante_almost_fds, others, limits)
    if table.case.name in DENIALS:
        yield Entry(OURS, ("dc",), almost_denials, (table.path, table.case.null_markers, ERROR), limits)
        yield Entry("FastADC", ("dc",), desbordante_dcs, (table.path, None, ERROR), limits)


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each table and measure: ours against the fastest of the others."""
    columns = (
        "table",
        "rows",
        "columns",
        "error of",
        "laws",
        "lawful CPU s",
        "fastest other",
        "its CPU s",
        "times",
    )
    lines = [
        _line(some, measure)
        for of_table in by_table(records).values()
        for measure in (*MEASURES, "dc")
        if (some := [one for one in of_table if one.kinds == measure])
    ]
    return Sheet("approximate-summary", columns, tuple(lines))


def _line(records: Sequence[Record], measure: str) -> tuple[str, ...]:
    ours = next(one for one in records if one.program == OURS)
    others = [one for one in records if one.program != OURS and one.seconds is not None]
    best = min(others, key=lambda one: one.cpu or 0.0, default=None)
    return (
        ours.table,
        f"{ours.rows:,}",
        str(ours.columns),
        "pairs, DCs" if measure == "dc" else f"{measure}, FDs",
        f"{ours.counts[measure]:,}" if measure in ours.counts else NOTHING,
        figure(ours.cpu),
        best.program if best else "none finished",
        figure(best.cpu) if best else NOTHING,
        times(best.cpu, ours.cpu) if best else NOTHING,
    )


def main() -> None:
    """Measure, print, and save unless only some tables were asked for."""
    options = options_of(__doc__, time_limit=120).parse_args()
    limits = limits_of(options)
    records = hold(CASES, options, lambda table, ranks: entries(table, ranks, limits))
    drawn = Drawn("pairs", "FDs that hold but for 1% of pairs: seconds of the search")
    report("approximate", records, summary(records), drawn, whole=not options.only)


if __name__ == "__main__":
    main()
