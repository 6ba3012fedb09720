"""Let several programs search the same table, and compare their counts with the published ones."""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from inputs import Case, Input, add_options, present
from measuring import Outcome, Search, measure
from programs import write_ranks
from reporting import Record, Sheet, details, draw_bars, record, save, show, without

OURS = "lawful"


class Limits(NamedTuple):
    """What a program may take: seconds, and bytes of address space."""

    seconds: float | None = None
    memory: int | None = None


class Drawn(NamedTuple):
    """Which records a plot shows, and its title."""

    kinds: str
    title: str


class Entry(NamedTuple):
    """A program that takes part: how it prepares its search, and for which kinds of law."""

    program: str
    kinds: tuple[str, ...]
    prepare: Callable[..., Search]
    arguments: tuple[Any, ...]
    limits: Limits = Limits()


def contest(case: Case, shape: tuple[int, int], entries: Iterable[Entry]) -> Iterator[Record]:
    """Run the entries one after the other; lawful comes first for the others to be compared with."""
    ours: dict[str, int] = {}
    for entry in entries:
        outcome = measure(
            entry.prepare,
            *entry.arguments,
            time_limit=entry.limits.seconds,
            memory_limit=entry.limits.memory,
        )
        warning = _warning(outcome, case.published, ours)
        if entry.program == OURS and outcome.run is not None:
            ours.update(outcome.run.counts)
        one = record(case.name, shape, entry.program, entry.kinds, outcome, warning)
        took = one.note if one.seconds is None else f"{one.seconds:.3f} s {one.note}"
        print(f"{one.table}: {one.program} {one.kinds} {took}", flush=True)
        yield one


def _warning(outcome: Outcome, published: Mapping[str, int], ours: Mapping[str, int]) -> str:
    """Which counts are not the published ones or, where none are, not those of lawful."""
    found = {} if outcome.run is None else outcome.run.counts
    wrong = []
    for kind, count in found.items():
        if count != published.get(kind, count):
            wrong.append(f"{count:,} {kind}, published {published[kind]:,}")
        elif kind not in published and count != ours.get(kind, count):
            wrong.append(f"{count:,} {kind}, lawful {ours[kind]:,}")
    return "; ".join(wrong)


def options_of(description: str | None, time_limit: float) -> ArgumentParser:
    """The options that contests share."""
    parser = ArgumentParser(description=description)
    add_options(parser)
    parser.add_argument(
        "--time-limit", type=float, default=time_limit, help="seconds for each search by Desbordante"
    )
    parser.add_argument("--memory-limit", type=float, default=12, help="GB for each search by Desbordante")
    return parser


def limits_of(options: Namespace) -> Limits:
    """What Desbordante may take."""
    return Limits(options.time_limit, int(options.memory_limit * 1e9))


def hold(
    cases: Iterable[Case], options: Namespace, entries: Callable[[Input, Path], Iterable[Entry]]
) -> list[Record]:
    """Hold a contest on each table that is there; `entries` gets the table and the file of its ranks."""
    records: list[Record] = []
    with tempfile.TemporaryDirectory() as folder:
        ranks = Path(folder) / "ranks.csv"
        for table in present(cases, options.data, options.only, Path(folder)):
            shape = write_ranks(table.path, table.case.null_markers, ranks)
            records += contest(table.case, shape, entries(table, ranks))
    return records


def report(
    name: str, records: Sequence[Record], short: Sheet, drawn: Drawn, whole: bool, more: Sequence[Sheet] = ()
) -> None:
    """Show the records, their summary and other sheets; keep those of a whole run."""
    everything = details(name, records)
    for sheet in (everything, short, *more):
        show(sheet)
    if whole:
        save(name, records, [short, without(everything, "last", f"{name}-details"), *more])
        draw_bars(name, records, drawn.kinds, drawn.title)
    finish(records)


def finish(records: Sequence[Record]) -> None:
    """Say loudly which counts are wrong; end with an error where lawful's are, or where it failed."""
    for one in records:
        if one.warning:
            print(f"⚠ WRONG COUNTS: {one.table} by {one.program}: {one.warning}")
    if any(one.note for one in records if one.program == OURS):
        raise SystemExit(1)
