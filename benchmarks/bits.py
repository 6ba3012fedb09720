"""Laws found against laws that matter: all minimal FDs and ODs, and those of at least 10 bits.

python benchmarks/bits.py
"""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from inputs import FD_CASES, NYC, OD_CASES, Case, Input, add_options, present
from measuring import Search, measure
from programs import clocked_laws, relation_of
from reporting import NOTHING, Record, Sheet, figure, new_plot, record, save, save_plot, show

NAME = "bits"
KINDS = ("fd", "od")
ALL, SOME = "all", "10 bits"
CASES = (
    *(Case(f"real/{name}") for name in ("wage1", "mpg", "penguins")),
    *(Case(f"real/{name}-{state}") for name in ("beers", "hospital") for state in ("clean", "dirty")),
    *(case for case in (*FD_CASES, *OD_CASES) if case.name not in (NYC, "fd/uniprot")),
    *(Case(f"dc/{name}") for name in ("tax-10k", "hospital-9k", "airport-30k")),
    Case("pod/SPS_origin"),
)
TIME_LIMIT = 40.0  # seconds for each search: the ODs of flight have no end


def lawful_laws(path: Path, null_markers: tuple[str, ...], kinds: Collection[str], every: bool) -> Search:
    """A search by lawful with its ratings, for all laws or for those that are no mere chance."""
    from lawful import datasets, discover

    relation = relation_of(path, null_markers)
    discover(datasets.employees(50), kinds, all=every)  # loads the kernels
    return clocked_laws(lambda: discover(relation, kinds, all=every))


def records_of(table: Input) -> Iterator[Record]:
    """Both searches of each kind."""
    relation = relation_of(table.path, table.case.null_markers)
    shape = relation.n_rows, len(relation.names)
    for kind in KINDS:
        for program, every in ((ALL, True), (SOME, False)):
            arguments = table.path, table.case.null_markers, (kind,), every
            outcome = measure(lawful_laws, *arguments, time_limit=TIME_LIMIT)
            one = record(table.name, shape, program, (kind,), outcome)
            print(
                f"{one.table} {kind} {program}: {one.counts or one.failure} {figure(one.seconds)} s",
                flush=True,
            )
            yield one


def summary(records: Sequence[Record]) -> Sheet:
    """A line for each table and kind."""
    rows, by_key = [], {(one.table, one.kinds, one.program): one for one in records}
    for table, kind in dict.fromkeys((one.table, one.kinds) for one in records):
        every, some = by_key[table, kind, ALL], by_key[table, kind, SOME]
        faster = NOTHING if not every.seconds or not some.seconds else f"{every.seconds / some.seconds:.1f}"
        counts = [_count(one, kind) for one in (every, some)]
        seconds = [figure(one.seconds) for one in (every, some)]
        rows.append((table, str(every.rows), str(every.columns), kind.upper(), *counts, *seconds, faster))
    columns = (
        "table",
        "rows",
        "columns",
        "kind",
        "all laws",
        "of 10 bits",
        "all s",
        "10 bits s",
        "times as fast",
    )
    return Sheet(f"{NAME}-summary", columns, tuple(rows))


def _count(one: Record, kind: str) -> str:
    return f"{one.counts[kind]:,}" if one.counts else NOTHING


def draw(records: Sequence[Record]) -> None:
    """Laws found against laws that matter, table by table."""
    drawn, axes = new_plot(len(KINDS), 11)
    for kind, part in zip(KINDS, axes, strict=True):
        tables = [one for one in records if one.kinds == kind and one.counts]
        names = [*dict.fromkeys(one.table.partition("/")[2] or one.table for one in tables)]
        for program, height in ((ALL, 0.2), (SOME, -0.2)):
            own = [one for one in tables if one.program == program]
            places = [names.index(one.table.partition("/")[2] or one.table) + height for one in own]
            part.barh(places, [one.counts[kind] + 0.5 for one in own], 0.38, label=program)
        part.set(xscale="log", title=f"{kind.upper()}s: all, and of at least 10 bits", xlabel="laws")
        part.set_yticks(range(len(names)), names)
        part.legend()
    save_plot(drawn, NAME)


def main() -> None:
    """Measure, show and, unless only some tables were asked for, keep."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add_options(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tables = present(CASES, options.data, options.only, Path(scratch))
        records = [one for table in tables for one in records_of(table)]
    sheet = summary(records)
    show(sheet)
    if not options.only:
        save(NAME, records, [sheet])
        draw(records)


if __name__ == "__main__":
    main()
