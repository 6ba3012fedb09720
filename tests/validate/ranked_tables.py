"""Random tables of ranks, candidates on them, and what is true of both by definition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

import naive
from lawful.laws import FD, OD, Key, Law
from lawful.laws.comparisons import GREATER
from lawful.laws.targets import DUPLICATE, NO_COMPARISON, as_targets, splits, swaps
from lawful.table.ranked import RankedRows, Ranks
from lawful.words import Words, bit_set, words_for

Target = tuple[int, int, int, int]
Candidate = tuple[frozenset[int], Target]
Classes = list[tuple[int, ...]]


@st.composite
def ranked(
    draw: st.DrawFn, max_rows: int = 14, min_columns: int = 1, max_columns: int = 5, min_rows: int = 0
) -> RankedRows:
    """Constants, few and many values, ties, rows that are there twice, NULLs that equal nothing or none."""
    columns, rows = draw(st.integers(min_columns, max_columns)), draw(st.integers(min_rows, max_rows))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    least = draw(st.sampled_from([-1, 0]))
    most = random.choice(draw(st.sampled_from([[0, 1, 2, 6], [1, 2, 8, 100], [60, 600]])), columns)
    ranks = random.integers(least, most[:, None] + 1, (columns, rows)).astype(np.int32)
    for column in range(1, columns):
        follows = draw(st.sampled_from(["nothing", "nothing", "up", "down"])) if columns < 9 else "nothing"
        if follows != "nothing":  # so that some laws hold
            other = ranks[draw(st.integers(0, column - 1))]
            ranks[column] = np.where(other < 0, -1, other // 2 if follows == "up" else 600 - other)
    if rows > 1 and draw(st.booleans()):
        ranks[:, random.integers(0, rows, rows // 3)] = ranks[:, random.integers(0, rows, rows // 3)]
    ordered = random.random(columns) < draw(st.sampled_from([0.6, 1.0]))
    return RankedRows(ranks, ordered)


def wide(max_rows: int = 14) -> st.SearchStrategy[RankedRows]:
    """Tables whose contexts take two words."""
    return ranked(max_rows, 65, 80)


def oracle_of(rows: RankedRows, nulls: naive.Nulls = "distinct") -> naive.Table:
    """The same table for the oracle; where NULLs are equal, the lowest rank stands for them."""
    null = 0 if nulls == "equal" else -1
    values = [tuple(None if rank <= null else int(rank) for rank in row) for row in rows.ranks.T]
    return naive.Table([str(column) for column in range(rows.columns)], values, rows.ordered.tolist(), nulls)


def law_of(candidate: Candidate) -> Law:
    context, (left, _, right, outcome) = candidate
    names = frozenset(map(str, context))
    if left == NO_COMPARISON:
        return Key(names)
    return (
        FD(names, str(left))
        if right == NO_COMPARISON
        else OD(names, str(left), str(right), outcome != GREATER)
    )


def all_targets(rows: RankedRows) -> list[Target]:
    every = as_targets([DUPLICATE]), splits(np.arange(rows.columns)), swaps(np.flatnonzero(rows.ordered))
    return [(a, b, c, d) for a, b, c, d in np.concatenate(every).tolist()]


def all_candidates(rows: RankedRows) -> list[Candidate]:
    return [
        (frozenset(context), target)
        for target in all_targets(rows)
        for size in range(rows.columns + 1)
        for context in combinations([c for c in range(rows.columns) if c not in (target[0], target[2])], size)
    ]


def sets_of(contexts: Sequence[frozenset[int]], columns: int) -> Words:
    sets = [bit_set(np.array([*context], np.int64), words_for(columns)) for context in contexts]
    return np.array(sets, np.uint64).reshape(-1, words_for(columns))


def violations(rows: RankedRows, candidate: Candidate) -> npt.NDArray[np.bool_]:
    """The pairs that break a law as a matrix, for tables that are too long for the oracle."""
    context, (left, _, right, outcome) = candidate
    ranks = rows.ranks

    def same(column: int) -> npt.NDArray[np.bool_]:
        values = ranks[column]
        equal: npt.NDArray[np.bool_] = (values[:, None] == values) & (values[:, None] >= 0)
        return equal

    broken = ~np.eye(rows.count, dtype=np.bool_)
    for column in context:
        broken &= same(column)
    if left != NO_COMPARISON and right == NO_COMPARISON:
        broken &= ~same(left)
    if right != NO_COMPARISON:
        signs = [np.sign(ranks[side][:, None] - ranks[side]) for side in (left, right)]
        known = [(ranks[side][:, None] >= 0) & (ranks[side] >= 0) for side in (left, right)]
        broken &= known[0] & known[1] & (signs[0] * signs[1] == (-1 if outcome == GREATER else 1))
    return broken


def classes_by_hand(ranks: Ranks, order: Sequence[int], columns: Sequence[int]) -> Classes:
    """The rows that agree on the columns, in the given order, without those that are alone."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row in order:
        values = tuple(ranks[list(columns), row].tolist())
        if min(values, default=0) >= 0:
            groups[values].append(int(row))
    return sorted(tuple(group) for group in groups.values() if len(group) > 1)


def classes_of(rows: Ranks, ends: Ranks) -> Classes:
    """The classes of a partition, each with its rows in the order in which it has them."""
    starts = [0, *ends[:-1].tolist()]
    assert len(rows) == (ends[-1] if len(ends) else 0)
    return sorted(
        tuple(rows[start:end].tolist()) for start, end in zip(starts, ends.tolist(), strict=len(ends) > 0)
    )


def in_any_order(classes: Classes) -> Classes:
    return sorted(tuple(sorted(group)) for group in classes)
