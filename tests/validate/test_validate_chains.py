"""Chains against scans and antichains, and IncPOD's examples 8 to 13."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import papers
from examples import examples
from lawful.table.ranked import Ranks
from lawful.validate.chain_inserts import inserted
from lawful.validate.chains import (
    BOUNDS_OF_ROW,
    CHAINS,
    LOOSE,
    NO_ROW,
    Chains,
    chains_of,
    fetch,
    write_bounds,
)

Of = tuple[int, ...]
Both = tuple[bool, ...]
Rows = npt.NDArray[np.int32]

DATE, NUM, SAL, TXA = range(4)


def tax_ranks() -> Ranks:
    """Tables I and II of the paper: t0 to t9, as ranks of Date, NUM, SAL and TXA."""
    table = pa.concat_tables([papers.incpod_tax(), papers.incpod_tax_increment()])
    columns = (table[name].to_numpy() for name in ("Date", "NUM", "SAL", "TXA"))
    return frozen(np.array([np.unique(column, return_inverse=True)[1] for column in columns], np.int32))


def frozen(ranks: Ranks) -> Ranks:
    """As searches have them: of one type for the compiler."""
    ranks.flags.writeable = False
    return ranks


def lists(chains: Chains) -> list[list[int]]:
    """The rows of each chain, without those linked to them."""
    used = chains.used[CHAINS]
    spans = zip(chains.starts[:used].tolist(), chains.sizes[:used].tolist(), strict=True)
    return [chains.rows[start : start + size].tolist() for start, size in spans]


def linked(chains: Chains, row: int) -> list[int]:
    """A row and those linked to it."""
    found = []
    while row != NO_ROW:
        found.append(row)
        row = int(chains.linked[row])
    return found


def fetched(ranks: Ranks, chains: Chains, row: int, ups: Both, strict: Both) -> set[int]:
    """The rows above (up) or below a row with values in both columns."""
    found, bounds = (
        np.empty(ranks.shape[1], np.int32),
        np.zeros((chains.used[CHAINS], BOUNDS_OF_ROW), np.int64),
    )
    write_bounds(ranks, chains, row, bounds)
    rows = found[: fetch(chains, bounds, ups, strict, found)].tolist()
    assert len(rows) == len(set(rows))
    return set(rows)


def first(rows: int) -> Rows:
    return np.arange(rows, dtype=np.int32)


def test_example_8_two_chains() -> None:
    """The paper's chains begin at their end: its TXA rises and SAL falls."""
    chains = chains_of(tax_ranks(), (TXA, SAL, -1), first(7), 7)
    assert sorted(lists(chains)) == [[4, 5], [6, 3, 1, 0, 2]]


def test_example_9_fetch() -> None:
    ranks = tax_ranks()
    chains = chains_of(ranks, (TXA, SAL, -1), first(7), 7)
    assert fetched(ranks, chains, 8, (False, False), (True, True)) == {3, 6}
    assert fetched(ranks, chains, 8, (True, True), (True, True)) == {0, 2}


def test_example_10_and_13_insertion() -> None:
    """With `<` the paper has t3, whose NUM is that of t5, in a chain of its own; `<=` needs but one chain."""
    ranks = tax_ranks()
    chains = chains_of(ranks, (DATE, NUM, 1), first(7), 7)
    assert lists(chains) == [[3, 5, 1, 4, 0, 2, 6]]
    grown = inserted(ranks, chains, np.array([9], np.int32))
    assert lists(grown) == [[3, 5, 1, 4, 0, 2, 9, 6]]


def test_example_11_reversed_operators() -> None:
    """Date < and NUM > by chains in which both rise."""
    ranks = tax_ranks()
    chains = chains_of(ranks, (DATE, NUM, 1), first(7), 7)
    assert fetched(ranks, chains, 8, (True, False), (True, True)) == {0, 1, 4}
    assert fetched(ranks, chains, 8, (False, True), (True, True)) == set()


def test_rows_join_the_longest_chain_that_they_fit() -> None:
    ranks = frozen(np.array([[0, 1, 2, 1, 3, 5, 0], [4, 5, 6, 1, 2, 7, 0]], np.int32))
    chains = chains_of(ranks, (0, 1, 1), first(5), 7)
    assert lists(chains) == [[0, 1, 2], [3, 4]]
    grown = inserted(ranks, chains, np.array([5, 6], np.int32))
    assert lists(grown) == [[6, 0, 1, 2, 5], [3, 4]]


def test_a_small_batch_moves_nothing() -> None:
    ranks = frozen(np.arange(1000, dtype=np.int32)[None] % 997)
    chains = chains_of(ranks, (0, 0, 1), first(990), 1000)
    grown = inserted(ranks, chains, np.arange(990, 1000, dtype=np.int32))
    assert all(np.shares_memory(before, after) for before, after in zip(chains, grown, strict=True))
    assert lists(grown) == [list(range(997))]
    assert linked(grown, 1) == [1, 998]


def longest_antichain(points: set[tuple[int, int]]) -> int:
    """The most points of which no two are in order: by the longest such run that ends at each."""
    longest: dict[tuple[int, int], int] = {}
    for x, y in sorted(points):
        longest[x, y] = 1 + max((size for (a, b), size in longest.items() if a < x and b > y), default=0)
    return max(longest.values(), default=0)


@st.composite
def three_columns(draw: st.DrawFn) -> Ranks:
    """Two that go along with each other more or less, and a context; NULLs, ties, the same row twice."""
    rows, values = draw(st.integers(0, 40)), draw(st.sampled_from([1, 3, 20, 1000]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    left, noise = random.integers(0, values, rows), random.integers(0, draw(st.integers(1, values)), rows)
    right = draw(st.sampled_from([-1, 0, 1])) * left + noise + values
    missing = random.random((3, rows)) < draw(st.sampled_from([0.0, 0.2]))
    return frozen(np.where(missing, -1, [left, right, random.integers(0, 4, rows)]).astype(np.int32))


@examples(60)
@given(three_columns(), st.sampled_from([1, -1]))
def test_there_are_as_many_chains_as_the_longest_antichain_has_rows(ranks: Ranks, sign: int) -> None:
    chains = chains_of(ranks, (0, 1, sign), first(ranks.shape[1]), ranks.shape[1])
    points = {(x, sign * y) for x, y, _ in ranks.T.tolist() if min(x, y) >= 0}
    assert chains.used[CHAINS] == longest_antichain(points)
    assert sum(map(len, lists(chains))) == len(points)


def check_chains(ranks: Ranks, chains: Chains, rows: int) -> None:
    """All rows are there once: in chains that rise, with those of the same values, or in none."""
    left, right, sign, *context = chains.of.tolist()
    columns = [*context, left, right]
    found = linked(chains, int(chains.used[LOOSE]))
    assert all(ranks[columns, row].min() < 0 for row in found)
    for chain in lists(chains):
        assert chain
        lefts = [(*ranks[context, row], ranks[left, row]) for row in chain]
        rights = [(*ranks[context, row], sign * ranks[right, row]) for row in chain]
        assert (lefts, rights) == (sorted(lefts), sorted(rights))
        for head in chain:
            same = linked(chains, head)
            assert (ranks[columns][:, same] == ranks[columns, head][:, None]).all()
            found += same
    assert sorted(found) == list(range(rows))


@pytest.mark.parametrize("of", [(0, 1, 1), (0, 1, -1), (0, 0, 1), (0, 1, 1, 2), (1, 1, 1, 2, 0)])
@examples(30)
@given(ranks=three_columns(), data=st.data())
def test_fetch_is_a_scan(of: Of, ranks: Ranks, data: st.DataObject) -> None:
    """Also after batches of rows came, and after ranks were renumbered."""
    total = ranks.shape[1]
    count = data.draw(st.integers(0, total))
    chains = chains_of(ranks, of, first(count), count)
    while count < total:
        more = data.draw(st.integers(1, total - count))
        if ranks.max() < 1 << 29:  # which doubled is still a number of 32 bits
            ranks = frozen(np.where(ranks < 0, -1, 2 * ranks + 1).astype(np.int32))
        chains = inserted(ranks, chains, np.arange(count, count + more, dtype=np.int32))
        count += more
    check_chains(ranks, chains, total)
    left, right, sign, *context = of
    x, y = ranks[left].astype(int), sign * ranks[right].astype(int)
    known = (ranks[[left, right, *context]] >= 0).all(axis=0)
    for row in np.flatnonzero(known)[:5].tolist():
        alike = known & (ranks[context] == ranks[context, row][:, None]).all(axis=0)
        for ups, strict in product(product([True, False], repeat=2), repeat=2):
            in_x = x > x[row] if ups[0] else x < x[row]
            in_y = y > y[row] if ups[1] else y < y[row]
            in_x, in_y = in_x | (not strict[0]) & (x == x[row]), in_y | (not strict[1]) & (y == y[row])
            wanted = set(np.flatnonzero(alike & in_x & in_y).tolist())
            assert fetched(ranks, chains, row, ups, strict) == wanted
