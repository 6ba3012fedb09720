"""Made tables, and searches on them that are compared with the oracle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import naive
from lawful.discovery import KINDS, Options, Progress, Proven, Search
from lawful.discovery.by_context import SAMPLE
from lawful.discovery.loop import LONG
from lawful.engine import Threads
from lawful.laws import FD, OD, Key, Law
from lawful.report.collection import Facts, Laws
from lawful.table.ranked import RankedRows, Ranks
from lawful.validate.contexts import WORTH_KEEPING

Values = list[int | None]

# How a column can follow from another one, so that FDs (all), ODs (the first three) and keys exist.
DERIVED: dict[str, Callable[[int], int]] = {
    "same": lambda value: value,
    "coarser": lambda value: value // 2,
    "reversed": lambda value: -value,
    "mixed up": lambda value: (value * value + value) % 3,
}


@st.composite
def tables(
    draw: st.DrawFn, min_columns: int = 1, max_columns: int = 5, max_rows: int = 12, nulls: str | None = None
) -> naive.Table:
    """Tables of few distinct values with NULLs, constants, columns that follow from others, repeated rows."""
    rows = draw(st.integers(0, max_rows))
    columns: list[Values] = []
    for _ in range(draw(st.integers(min_columns, max_columns))):
        columns.append(draw(_columns(columns, rows)))
    lines = list(zip(*columns, strict=True)) if rows else []
    repeated = draw(st.lists(st.sampled_from(lines), max_size=max_rows - rows)) if lines else []
    ordered = draw(
        st.lists(st.sampled_from([True] * 5 + [False]), min_size=len(columns), max_size=len(columns))
    )
    meaning = nulls or draw(st.sampled_from(["equal", "distinct"]))
    names = [f"c{number}" for number in range(len(columns))]
    return naive.Table(names, lines + repeated, ordered, "equal" if meaning == "equal" else "distinct")


@st.composite
def _columns(draw: st.DrawFn, before: Sequence[Values], rows: int) -> Values:
    values: Values
    if len(before) > 0 and draw(st.booleans()):
        follow = DERIVED[draw(st.sampled_from(sorted(DERIVED)))]
        earlier = before[draw(st.integers(0, len(before) - 1))]
        values = [None if value is None else follow(value) for value in earlier]
    else:
        distinct = draw(st.sampled_from([1, 2, 3, 5, 50]))
        values = [*draw(st.lists(st.integers(0, distinct - 1), min_size=rows, max_size=rows))]
    if rows and draw(st.integers(0, 2)) == 0:
        for place in draw(st.lists(st.integers(0, rows - 1), max_size=rows)):
            values = [None if at == place else value for at, value in enumerate(values)]
    return values


def ranks_of(table: naive.Table) -> Ranks:
    """The dense ranks of a table's values: NULL first, or -1 where it equals nothing."""
    ranks = np.empty((len(table.columns), len(table.rows)), np.int32)
    for number in range(len(table.columns)):
        values: list[Any] = [row[number] for row in table.rows]
        some: dict[Any, int] = {value: rank for rank, value in enumerate(sorted({*values} - {None}))}
        missing = -1 if table.nulls == "distinct" else 0
        shift = 1 if table.nulls == "equal" and None in values else 0
        ranks[number] = [missing if value is None else some[value] + shift for value in values]
    return ranks


def random_rows(columns: int, rows: int, distinct: int, seed: int = 0) -> RankedRows:
    """Values by chance: many large laws, and much evidence before they are known."""
    ranks = np.random.default_rng(seed).integers(0, distinct, (columns, rows), np.int32)
    return RankedRows(ranks, [True] * columns)


def rows_of(table: naive.Table) -> RankedRows:
    return RankedRows(ranks_of(table), [table.is_ordered(column) for column in table.columns])


@dataclass(frozen=True)
class Found:
    """What a search brought, and its state at the end."""

    laws: Laws
    progress: Progress
    batches: Sequence[Laws]  # as they came


def found(
    names: Sequence[str],
    rows: RankedRows,
    workers: int = 1,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    long: int = LONG,
    sample: int = SAMPLE,
    worth_keeping: int = WORTH_KEEPING,
    **options: Any,
) -> Found:
    """Search a table to the end.

    It counts as long from `long` rows on; then at least `sample` of them are searched first. From
    `worth_keeping` rows on partitions are kept.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
        return _found(names, rows, workers, on_progress, long, sample, Options(**options))


def _found(
    names: Sequence[str],
    rows: RankedRows,
    workers: int,
    on_progress: Callable[[Progress], None],
    long: int,
    sample: int,
    options: Options,
) -> Found:
    search = Search(rows, Threads(rows, workers), options, on_progress)
    search.long, search.sample = long, sample
    batches = list(search.laws())
    facts = Facts(complete=search.progress.reason is None, reason=search.progress.reason)
    everything = joined(batches, rows.columns)
    scores = search.scores(everything)
    laws = Laws(names, everything.targets, everything.sets, scores, facts)
    parts = [Laws(names, batch.targets, batch.sets, search.scores(batch), facts) for batch in batches]
    return Found(laws, search.progress, parts)


def joined(batches: Sequence[Proven], columns: int) -> Proven:
    words = max(-(-columns // 64), 1)
    return Proven(
        np.concatenate([np.empty((0, 3), np.int64), *(batch.targets for batch in batches)]),
        np.concatenate([np.empty((0, words), np.uint64), *(batch.sets for batch in batches)]),
    )


def minimal_laws(table: naive.Table, kinds: Sequence[str] = KINDS) -> set[Law]:
    """What the oracle says."""
    laws: set[Law] = set()
    if "key" in kinds:
        laws |= naive.minimal_keys(table)
    if "fd" in kinds:
        laws |= naive.minimal_fds(table)
    if "od" in kinds:
        laws |= naive.minimal_ods(table)
    return laws


def context_of(law: Law) -> set[str]:
    match law:
        case Key():
            return set(law.columns)
        case FD():
            return set(law.lhs)
        case OD():
            return set(law.context)
    raise TypeError(law)


def score_of(law: Law, table: naive.Table) -> float:
    """The share of ordered pairs of rows, each row with itself included, that agree on the law's context."""
    count = len(table.rows)
    agreeing = sum(
        t == s or all(naive.sign(table, column, t, s) == "=" for column in context_of(law))
        for t in range(count)
        for s in range(count)
    )
    return agreeing / count**2 if count else 1.0
