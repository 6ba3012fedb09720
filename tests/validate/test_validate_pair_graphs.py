"""Pairs of rows that satisfy literals, matched, connected and chained: each beside its plain definition."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.laws.comparisons import ACROSS, EQUAL, GREATER, IN_FIRST, IN_SECOND, LESS, Ints
from lawful.validate.dc_matching import BACK, FORTH, are_twins, match_rows, satisfied, ways_of
from lawful.validate.pair_graphs import chains_of, conflicts_of, connected

NO_HALT = np.zeros(1, np.int64)
COLUMNS = 3
OPERATORS = (EQUAL, GREATER, LESS, LESS | GREATER, GREATER | EQUAL, LESS | EQUAL)

literals_of_one = st.tuples(
    st.sampled_from([ACROSS, ACROSS, IN_FIRST, IN_SECOND]),
    st.integers(0, COLUMNS - 1),
    st.integers(0, COLUMNS - 1),
    st.sampled_from(OPERATORS),
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, Ints, Any, Ints]:
    """Ranks, some NULLs that equal nothing; literals; rows in an order in which twins follow each other;
    where classes end."""
    count = draw(st.integers(0, 14))
    values = st.lists(st.integers(-1, 2), min_size=count, max_size=count)
    ranks = np.array([draw(values) for _ in range(COLUMNS)], np.int32).reshape(COLUMNS, count)
    literals = np.array(draw(st.lists(literals_of_one, min_size=1, max_size=3)), np.int64)
    rows = np.lexsort(ranks)
    cuts = draw(st.sets(st.integers(1, count - 1))) if count > 1 else set()
    return ranks, literals, rows, np.array(sorted({*cuts, *([count] if count else [])}), np.int64)


def classes(rows: Any, ends: Ints) -> list[list[int]]:
    """The rows of each class."""
    return [rows[start:end].tolist() for start, end in pairwise([0, *ends.tolist()])]


def ways(ranks: Any, literals: Ints, t: int, s: int) -> int:
    """The ways in which two rows satisfy literals, each by itself."""
    found: int = FORTH * satisfied(ranks, literals, t, s) | BACK * satisfied(ranks, literals, s, t)
    return found


@examples(200)
@given(cases())
def test_ways_and_twins(case: tuple[Any, Ints, Any, Ints]) -> None:
    ranks, literals, rows, _ = case
    for t in rows:
        for s in rows:
            assert ways_of(ranks, literals, t, s) == ways(ranks, literals, t, s)
            if are_twins(ranks, literals, t, s):
                for other in set(rows) - {t, s}:
                    assert ways(ranks, literals, t, other) == ways(ranks, literals, s, other)


@examples(300)
@given(cases(), st.integers(1, 6))
def test_each_row_is_matched_with_the_first_that_is_left(
    case: tuple[Any, Ints, Any, Ints], reach: int
) -> None:
    ranks, literals, rows, ends = case
    expected, taken, start = [], set[int](), 0
    for end in ends.tolist():
        for i in range(start, end):
            for j in range(i + 1, min(end, i + 1 + reach)):
                if not taken & {i, j} and (found := ways(ranks, literals, rows[i], rows[j])):
                    expected.append([rows[i], rows[j], found])
                    taken |= {i, j}
        start = end
    assert match_rows(ranks, literals, rows, ends, reach, NO_HALT).tolist() == expected


@examples(300)
@given(cases())
def test_connected_rows_are_components(case: tuple[Any, Ints, Any, Ints]) -> None:
    ranks, literals, rows, ends = case
    expected = []
    for some in classes(rows, ends):
        parts = [{row} for row in some]
        for t in some:
            for s in some:
                if t != s and ways(ranks, literals, t, s):
                    joined = set[int]().union(*(part for part in parts if part & {t, s}))
                    parts = [*(part for part in parts if not part & {t, s}), joined]
        expected += [sorted(part) for part in parts if len(part) > 1]
    found = classes(*connected(ranks, literals, rows, ends, NO_HALT))
    assert sorted(sorted(part) for part in found) == sorted(expected)


@examples(300)
@given(cases(), st.booleans())
def test_each_row_goes_on_with_the_chain_that_grew_last(
    case: tuple[Any, Ints, Any, Ints], last: bool
) -> None:
    ranks, literals, rows, ends = case
    expected = []
    for some in classes(rows, ends):
        chains = list[list[int]]()
        for row in some:
            fits = [
                chain
                for chain in chains
                if all(satisfied(ranks, literals, one, row) for one in (chain[-1:] if last else chain))
            ]
            grown = fits[-1] if fits else []
            chains = [*(chain for chain in chains if chain is not grown), [*grown, row]]
        expected += [blocks(ranks, literals, chain) for chain in chains if len(chain) > 1]
    found = chains_of(ranks, literals, rows, ends, last, NO_HALT)
    assert classes(found.blocks, found.ends) == expected


def blocks(ranks: Any, literals: Ints, chain: list[int]) -> list[int]:
    """The sizes of the parts of a chain whose neighbours satisfy literals both ways."""
    sizes = [1]
    for row, after in pairwise(chain):
        if satisfied(ranks, literals, after, row):
            sizes[-1] += 1
        else:
            sizes.append(1)
    return sizes


@examples(300)
@given(cases())
def test_conflicts_are_those_with_larger_sets(case: tuple[Any, Ints, Any, Ints]) -> None:
    ranks, literals, rows, ends = case
    conflicts, involved = conflicts_of(ranks, literals, rows, ends, NO_HALT)
    paired = [
        [any(ways(ranks, literals, t, s) for s in some if s != t) for t in some]
        for some in classes(rows, ends)
    ]
    assert involved == sum(len(some) for some in paired if any(some))
    # Whoever is not told from others is in no pair with another such row: one at least of each pair is told.
    told = sum(sum(some) for some in paired)
    assert (len(conflicts) > 0) == (told > 0)
    assert len(conflicts) < max(told, 1)
    assert (conflicts[:, 0] >= 1).all()
