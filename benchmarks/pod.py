"""PODs of public tables by lawful, beside its own search for the DCs of the same tables; growth.

    python benchmarks/pod.py [--only NAME] [--data FOLDER] [--grow ROWS ...]

Each search runs in a fresh process, with the table read and the kernels loaded before the clock. DCs compare
columns with themselves only. The growth is that of tables made by `tax`. For the PODs of their stock prices,
90,000 rows of which are pod/SPS_origin, IncPOD's authors report 8.6 s by a batch program made of Hydra.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contest import OURS, Drawn, Entry, hold, options_of, report
from inputs import POD_CASES, Input
from measuring import measure
from programs import lawful_denials, lawful_denials_of_tax
from reporting import Record, Sheet, by_table, figure, record, times

KINDS = ("pod",)
DENIALS = "lawful, DCs"
TEXTS = {"pod/SPS_origin": ("Date(String)",)}
GROWTH = (100_000, 300_000, 1_000_000)


def entries(table: Input) -> Iterable[Entry]:
    """Both searches of a table."""
    case, texts = table.case, TEXTS.get(table.name, ())
    for program, kind in ((OURS, "pod"), (DENIALS, "dc")):
        arguments = (table.path, case.null_markers, case.rows, texts, kind)
        yield Entry(program, (kind,), lawful_denials, arguments)


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each table."""
    lines = []
    for of_table in by_table(records).values():
        by_program = {one.program: one for one in of_table}
        ours, denials = by_program[OURS], by_program[DENIALS]
        lines.append(
            (
                ours.table,
                f"{ours.rows:,}",
                str(ours.columns),
                f"{ours.counts.get('pod', 0):,}",
                figure(ours.seconds),
                figure(ours.cpu),
                f"{denials.counts.get('dc', 0):,}",
                figure(denials.seconds),
                times(denials.seconds, ours.seconds),
            )
        )
    columns = ("table", "rows", "columns", "PODs", "s", "CPU s", "DCs", "DCs s", "DCs s / PODs s")
    return Sheet("pod-summary", columns, tuple(lines))


def growth(rows: Sequence[int]) -> Sheet:
    """Made tables of more and more rows."""
    lines = []
    for count in rows:
        one = record("tax", (count, 15), OURS, KINDS, measure(lawful_denials_of_tax, count, "pod"), "")
        lines.append(
            (
                f"{one.rows:,}",
                f"{one.counts.get('pod', 0):,}",
                figure(one.seconds),
                figure(one.cpu),
                one.failure,
            )
        )
    return Sheet("pod-growth", ("rows", "PODs", "s", "CPU s", "failure"), tuple(lines))


def main() -> None:
    """Measure, print, and save unless only some tables were asked for."""
    parser = options_of(__doc__, time_limit=180)
    parser.add_argument("--grow", type=int, nargs="*", default=GROWTH, help="rows of made tables")
    options = parser.parse_args()
    records = hold(POD_CASES, options, lambda table, _: entries(table))
    drawn = Drawn("pod", "Pointwise order dependencies: seconds of the search")
    report("pod", records, summary(records), drawn, whole=not options.only, more=[growth(options.grow)])


if __name__ == "__main__":
    main()
