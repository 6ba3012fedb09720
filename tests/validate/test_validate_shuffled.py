"""What pairs of rows are worth if a column is shuffled, asked for piece by piece."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.laws.comparisons import EQUAL, GREATER, LESS, UNEQUAL
from lawful.validate.shuffled import ShuffledColumn

EXCLUDED = (LESS, GREATER, LESS | EQUAL, GREATER | EQUAL, UNEQUAL)
columns = st.lists(st.integers(-1, 4), min_size=2, max_size=40).map(lambda some: np.array(some, np.int32))


@examples(100)
@given(columns, st.lists(st.integers(0, 20), max_size=4))
def test_few_equal_pairs_are_worth_the_same_as_among_many(ranks: np.ndarray, asked: list[int]) -> None:
    column, whole = ShuffledColumn(ranks, True), ShuffledColumn(ranks, True)
    everything = whole.equality(whole.pairs)
    for pairs in asked:
        most = min(pairs, column.pairs)
        np.testing.assert_array_equal(column.equality(most), everything[: most + 1])


@examples(200)
@given(columns, st.sampled_from(EXCLUDED), st.floats(0, 30))
def test_so_many_pairs_are_worth_the_bits_they_are_for(ranks: np.ndarray, excluded: int, bits: float) -> None:
    column = ShuffledColumn(ranks, True)
    pairs = column.pairs_for(excluded, bits)
    assert pairs <= column.pairs
    for both in range(pairs + 1 if pairs < column.pairs else 0):
        assert column.alone(excluded, pairs - both, both) >= bits - 1e-9
    assert column.pairs_for(excluded, np.inf) == column.pairs
