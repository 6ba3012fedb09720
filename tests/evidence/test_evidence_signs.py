"""Signs against the oracle's comparisons, and evidence as a sorted set of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

import naive
from examples import examples
from lawful.evidence.evidence_set import EvidenceSet
from lawful.evidence.sampling import sample
from lawful.laws.comparisons import comparisons_of
from lawful.table.ranked import RankedRows

MIRRORED = {"<": ">", ">": "<", "=": "=", "!=": "!="}


@st.composite
def ranked_tables(draw: st.DrawFn, max_rows: int = 8) -> RankedRows:
    """Tables of up to 130 columns, few of which vary (the evidence of the others is one word of zeros)."""
    width = draw(st.sampled_from([1, 2, 4, 64, 65, 130]))
    count = draw(st.integers(1, max_rows))
    ranks = np.zeros((width, count), np.int32)
    for column in draw(st.sets(st.integers(0, width - 1), max_size=6)):
        ranks[column] = draw(st.lists(st.integers(-1, 2), min_size=count, max_size=count))
    ordered = np.ones(width, np.bool_)
    ordered[[*draw(st.sets(st.integers(0, width - 1), max_size=3))]] = False
    return RankedRows(ranks, ordered)


def oracle_of(rows: RankedRows) -> naive.Table:
    values = [tuple(None if rank < 0 else int(rank) for rank in row) for row in rows.ranks.T]
    names = [f"c{number}" for number in range(rows.columns)]
    return naive.Table(names, values, rows.ordered.tolist(), "distinct")


def all_pairs(count: int) -> npt.NDArray[np.int32]:
    return np.array([*combinations(range(count), 2)], np.int32).reshape(-1, 2)


def outcomes(line: npt.NDArray[np.uint64], columns: int) -> list[str]:
    bits = [int(line[column >> 5]) >> 2 * (column & 31) & 3 for column in range(columns)]
    return [("=", "<", ">", "!=")[two] for two in bits]


def signs_of(rows: RankedRows) -> EvidenceSet:
    """The signs of no pairs yet."""
    return EvidenceSet(rows, comparisons_of(list(range(rows.columns)), rows.ordered, []))


def signs_of_pairs(rows: RankedRows, pairs: npt.NDArray[np.int32]) -> list[npt.NDArray[np.uint64]]:
    """The signs of each pair."""
    lines = []
    for pair in pairs:
        one = signs_of(rows)
        one.add_pairs(pair[None])
        lines += [*one.lines]
    return lines


@examples(150)
@given(ranked_tables())
def test_signs_are_those_of_the_oracle(rows: RankedRows) -> None:
    """A pair and its mirror image are one: the form that starts with less."""
    table, pairs = oracle_of(rows), all_pairs(rows.count)
    signs = signs_of_pairs(rows, pairs)
    for line, (t, s) in zip(signs, pairs.tolist(), strict=True):
        expected: list[str] = [naive.sign(table, column, t, s) for column in table.columns]
        if next((outcome for outcome in expected if outcome in "<>"), "<") == ">":
            expected = [MIRRORED[outcome] for outcome in expected]
        assert outcomes(line, rows.columns) == expected
    np.testing.assert_array_equal(signs, signs_of_pairs(rows, pairs[:, ::-1]))


@examples(150)
@given(ranked_tables(), st.data())
def test_evidence_is_distinct_and_sorted_however_it_came(rows: RankedRows, data: st.DataObject) -> None:
    pairs = all_pairs(rows.count)
    if len(pairs):
        pairs = pairs[data.draw(st.lists(st.integers(0, len(pairs) - 1), max_size=30))]
    cut = data.draw(st.integers(0, len(pairs)))
    evidence, at_once = signs_of(rows), signs_of(rows)
    added = evidence.add_pairs(pairs[:cut]) + evidence.add_pairs(pairs[cut:])
    at_once.add_pairs(pairs)
    expected = {tuple(line.tolist()) for line in signs_of_pairs(rows, pairs)}
    assert {tuple(line) for line in evidence.table.lines.tolist()} == expected
    assert added == len(evidence) == len(expected)
    differing = [
        sum(outcome != "=" for outcome in outcomes(line, rows.columns)) for line in evidence.table.lines
    ]
    assert differing == sorted(differing)
    np.testing.assert_array_equal(evidence.table.lines, at_once.table.lines)
    assert evidence.add_pairs(pairs) == 0


@examples(80)
@given(ranked_tables(max_rows=12), st.integers(0, 5), st.integers(0, 12))
def test_a_sample_is_evidence_of_the_table(rows: RankedRows, seed: int, sample_rows: int) -> None:
    everything, some, again = signs_of(rows), signs_of(rows), signs_of(rows)
    everything.add_pairs(all_pairs(rows.count))
    sample(rows, some, sample_rows, seed)
    sample(rows, again, sample_rows, seed)
    np.testing.assert_array_equal(some.table.lines, again.table.lines)
    true = {tuple(line) for line in everything.table.lines.tolist()}
    assert {tuple(line) for line in some.table.lines.tolist()} <= true
    if sample_rows >= rows.count:
        assert len(some) == len(everything)


def test_a_sample_takes_neighbours_in_the_order_of_each_column() -> None:
    """Rows that are neighbours in one column's order only are compared, though no random row is taken."""
    ranks = np.array([[0, 1, 2, 3, 4, 5], [0, 2, 4, 1, 3, 5]], np.int32)
    rows = RankedRows(ranks, [True, True])
    evidence = signs_of(rows)
    sample(rows, evidence, 0, 0)
    assert sorted(outcomes(line, 2) for line in evidence.table.lines) == [["<", "<"], ["<", ">"]]
