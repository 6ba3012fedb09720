"""Pairs of rows that satisfy literals, matched, connected, chained, drawn: beside their plain definitions."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.laws.comparisons import ACROSS, EQUAL, GREATER, IN_FIRST, IN_SECOND, LESS, Ints
from lawful.table.ranked import RankedRows
from lawful.validate.dc_matching import are_twins, match_rows, rows_of_pairs, satisfied, ways_of
from lawful.validate.drawn_shares import shares_of_pairs
from lawful.validate.pair_blocks import BACK, FORTH, PARTNERS_A_BLOCK
from lawful.validate.pair_graphs import (
    chains_of,
    conflicts_of,
    conflicts_of_keys,
    connected,
    shares_of_cells,
)

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
    rows, ranks = np.lexsort(ranks), RankedRows(ranks, [True] * COLUMNS).ranks
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
    for enough in (ranks.shape[1], 1, 2):
        found = match_rows(ranks, literals, rows, ends, reach, enough, NO_HALT)
        assert found.tolist() == expected[:enough]


@examples(300)
@given(cases())
def test_disjoint_pairs_lead_to_all_rows_that_have_a_partner(case: tuple[Any, Ints, Any, Ints]) -> None:
    ranks, literals, rows, ends = case
    pairs = match_rows(ranks, literals, rows, ends, len(rows), len(rows), NO_HALT)
    found = rows_of_pairs(ranks, literals, rows, ends, pairs)
    for some in classes(rows, ends):
        for t in some:
            assert found[t] == any(ways(ranks, literals, t, s) for s in some if s != t)


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


@examples(100)
@given(cases())
def test_without_literals_all_rows_of_a_class_conflict(case: tuple[Any, Ints, Any, Ints]) -> None:
    ranks, literals, rows, ends = case
    conflicts, involved = conflicts_of(ranks, literals[:0], rows, ends, NO_HALT)
    of_keys, of_classes = conflicts_of_keys(ends)
    assert sorted(of_keys.tolist()) == sorted(conflicts.tolist())
    assert of_classes == involved


@st.composite
def long_cases(draw: st.DrawFn) -> tuple[Any, Ints, Any, Ints]:
    """The same with rows enough that whole blocks of them are passed over."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, values = draw(st.integers(1, 5 * PARTNERS_A_BLOCK)), draw(st.integers(1, 60))
    ranks = rng.integers(-1 if draw(st.booleans()) else 0, values, (COLUMNS, count)).astype(np.int32)
    ranks[:2] = np.sort(ranks[:2]) if draw(st.booleans()) else ranks[:2]
    literals = np.array(draw(st.lists(literals_of_one, min_size=1, max_size=3)), np.int64)
    cuts = rng.integers(0, count, draw(st.integers(0, 2)))
    return ranks, literals, np.lexsort(ranks), np.unique([*cuts[cuts > 0], count])


@examples(300)
@given(long_cases(), st.integers(1, 5 * PARTNERS_A_BLOCK))
def test_no_partner_is_passed_over_with_its_block(case: tuple[Any, Ints, Any, Ints], reach: int) -> None:
    test_each_row_is_matched_with_the_first_that_is_left.hypothesis.inner_test(case, reach)  # type: ignore[attr-defined]


@examples(300)
@given(long_cases(), st.sampled_from([ACROSS, IN_FIRST, IN_SECOND]), st.booleans(), st.integers(0, 2**32))
def test_cells_have_the_share_of_their_first_partner(
    case: tuple[Any, Ints, Any, Ints], kind: int, left: bool, seed: int
) -> None:
    ranks, rest, rows, ends = case
    shares = np.random.default_rng(seed).choice([0.0, 0.25, 0.5, 0.75], len(rows))
    ordered = np.concatenate([sorted(some, key=lambda row: -shares[row]) for some in classes(rows, ends)])
    literal, expected = np.array([kind, 0, 1, LESS]), []
    for some in classes(ordered, ends):
        for row in some:
            for other in some:
                t, s = (row, other) if kind == IN_FIRST or (kind == ACROSS and left) else (other, row)
                share = shares[other if kind == ACROSS else row]
                if row != other and share and satisfied(ranks, rest, t, s):
                    expected.append(share)
                    break
    column = 0 if left else 1
    assert shares_of_cells(ranks, rest, literal, column, shares, ordered, ends, NO_HALT).tolist() == expected


@examples(300)
@given(cases(), st.lists(literals_of_one, max_size=3), st.sampled_from([0, *OPERATORS]), st.integers(0, 2))
def test_shares_are_those_of_all_draws(
    case: tuple[Any, Ints, Any, Ints], beside: list[tuple[int, ...]], own: int, column: int
) -> None:
    ranks, literals, rows, _ = case
    crossing = [line for line in [*beside, *literals.tolist()] if line[1] != line[2] and column in line[1:3]]
    own_literal = [(ACROSS, column, column, own)] if own else []
    lines = np.array([*crossing, *own_literal], np.int64).reshape(-1, 4)
    some = [(t, s, 1 + (t + s) % 3) for t, s in zip(rows, rows[::-1], strict=True) if t != s]
    pairs = np.array(some, np.int64).reshape(-1, 3)
    drawn, counts = np.unique(ranks[column], return_counts=True)
    missing = int((drawn < 0).any())
    values, shares = np.roll(drawn, -missing).astype(np.int64), np.roll(counts / counts.sum(), -missing)
    found = shares_of_pairs(ranks, lines, column, pairs, values, shares, missing)
    for (t, s, which), share in zip(pairs.tolist(), found, strict=True):
        totals = {FORTH: 0.0, BACK: 0.0}
        for (x, of_x), (y, of_y) in product(zip(values, shares, strict=True), repeat=2):
            redrawn = ranks.copy()
            redrawn[column, t], redrawn[column, s] = x, y
            totals[FORTH] += of_x * of_y * satisfied(redrawn, lines, t, s)
            totals[BACK] += of_x * of_y * satisfied(redrawn, lines, s, t)
        assert abs(share - max(totals[way] for way in totals if which & way)) < 1e-12
