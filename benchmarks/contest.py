"""Let several programs search the same table, and compare their counts with the published ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inputs import Case
from measuring import Outcome, Search, measure
from reporting import Record, record

OURS = "lawful"


class Limits(NamedTuple):
    """What a program may take: seconds, and bytes of address space."""

    seconds: float | None = None
    memory: int | None = None


class Entry(NamedTuple):
    """A program that takes part: how it prepares its search, and for which kinds of law."""

    program: str
    kinds: tuple[str, ...]
    prepare: Callable[..., Search]
    arguments: tuple[Any, ...]
    limits: Limits = Limits()


def contest(case: Case, shape: tuple[int, int], entries: Sequence[Entry]) -> Iterator[Record]:
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


def finish(records: Sequence[Record]) -> None:
    """Say loudly which counts are wrong; end with an error where lawful's are, or where it failed."""
    for one in records:
        if one.warning:
            print(f"⚠ WRONG COUNTS: {one.table} by {one.program}: {one.warning}")
    if any(one.note for one in records if one.program == OURS):
        raise SystemExit(1)
