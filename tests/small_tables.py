"""Made tables, and searches on them that are compared with the oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import complete
import naive
from lawful import costs
from lawful.discovery import DEFAULT_KINDS, PredicateSpace, Progress, Search
from lawful.engine import Threads
from lawful.laws import FD, OD, Key, Law
from lawful.laws.codec import LawArrays, joined
from lawful.laws.comparisons import Comparisons, Ints, comparisons_of
from lawful.report.collection import Facts, Laws
from lawful.report.ratings import Ratings
from lawful.table.ranked import RankedRows, Ranks
from lawful.table.workspace import Workspace
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
    """Tables of few distinct values with NULLs, constants, columns that follow from others, repeated rows.

    Values are drawn as bytes: hypothesis takes longer to draw many numbers than a search takes.
    """
    rows = draw(st.integers(0, max_rows))
    columns: list[Values] = []
    for _ in range(draw(st.integers(min_columns, max_columns))):
        columns.append(draw(_columns(columns, rows)))
    lines = list(zip(*columns, strict=True)) if rows else []
    repeated = [lines[byte % rows] for byte in draw(st.binary(max_size=max_rows - rows))] if lines else []
    ordered = [byte % 6 < 5 for byte in draw(st.binary(min_size=len(columns), max_size=len(columns)))]
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
        values = [byte % distinct for byte in draw(st.binary(min_size=rows, max_size=rows))]
    if rows and draw(st.integers(0, 2)) == 0:
        lacking = {byte % rows for byte in draw(st.binary(max_size=rows))}
        values = [None if at in lacking else value for at, value in enumerate(values)]
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


def space_with(
    names: Sequence[str], rows: RankedRows, predicates: Comparisons | None = None
) -> PredicateSpace:
    """All columns, each compared with itself, and the comparisons that denial constraints may use."""
    signs = comparisons_of(list(range(len(names))), rows.ordered, [])
    none = comparisons_of([], rows.ordered, [])
    columns = np.arange(len(names))
    return PredicateSpace(
        tuple(names), columns, signs, none if predicates is None else predicates, rows.ordered, {}
    )


@dataclass(frozen=True)
class Found:
    """What a search brought, and its state at the end."""

    laws: Laws
    progress: Progress
    sizes: Sequence[Ints]  # of the laws of each batch, as they came


def found(
    names: Sequence[str],
    rows: RankedRows,
    workers: int = 1,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    long: int = costs.LONG_TABLE,
    small: int = 0,
    sample: int = costs.FIRST_SAMPLE,
    worth_keeping: int = WORTH_KEEPING,
    **options: Any,
) -> Found:
    """Search a table to the end.

    It counts as long from `long` rows on; then at least `sample` of them are searched first. Up to `small`
    rows all pairs are compared. From `worth_keeping` rows on partitions are kept.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
        patch.setattr(costs, "LONG_TABLE", long)
        patch.setattr(costs, "SMALL_ROWS", small)
        patch.setattr(costs, "FIRST_SAMPLE", sample)
        return searched(space_with(names, rows), rows, workers, on_progress, **options)


def searched(
    space: PredicateSpace,
    rows: RankedRows,
    workers: int = 1,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    **options: Any,
) -> Found:
    """The same in a given space."""
    search = Search(Threads(Workspace(rows), workers), space, complete.options(**options), on_progress)
    batches = list(search.laws())
    kinds = tuple(options.get("kinds", DEFAULT_KINDS))
    facts = Facts(search.progress.reason is None, search.progress.reason, kinds)
    laws = joined(batches, space.codec.words)
    scores = search.scores(laws)
    ratings = Ratings(scores, search.bits(laws, scores))
    rated = Laws.best_first(space.codec, laws, ratings, facts)
    return Found(rated, search.progress, [space.codec.sizes(batch) for batch in batches])


def lines_of(laws: Iterable[LawArrays]) -> list[tuple[int, ...]]:
    """Laws as plain numbers, sorted: making law objects of many takes its time."""
    return sorted(
        (kind, *target, *words)
        for batch in laws
        for kind, target, words in zip(*(part.tolist() for part in batch), strict=True)
    )


def minimal_laws(table: naive.Table, kinds: Sequence[str] = DEFAULT_KINDS) -> set[Law]:
    """What the oracle says."""
    laws: set[Law] = set()
    if "key" in kinds:
        laws |= naive.minimal_keys(table)
    if "fd" in kinds:
        laws |= naive.minimal_fds(table)
    if "od" in kinds:
        laws |= naive.minimal_ods(table)
    return laws


def context_of(law: Law) -> Set[str]:
    match law:
        case Key():
            return law.columns
        case FD():
            return law.lhs
        case OD():
            return law.context
    raise TypeError(law)


def score_of(law: Law, table: naive.Table) -> float:
    """The share of pairs of rows that agree on the law's context: that break it as a key."""
    return naive.error(Key(context_of(law)), table) if len(table.rows) > 1 else 1.0
