"""Identical rows, and the keys that a table would have without them, by the obvious way."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given

import naive
from examples import examples
from lawful.discovery.duplicates import SHOWN_KEYS, duplicates_of
from small_tables import rows_of, space_with, tables


def agree(table: naive.Table, columns: tuple[str, ...], t: int, s: int) -> bool:
    return all(naive.sign(table, column, t, s) == "=" for column in columns)


@examples(150)
@given(tables())
def test_identical_rows_and_the_nearest_keys(table: naive.Table) -> None:
    rows, everything = rows_of(table), tuple(table.columns)
    found = duplicates_of(rows, space_with(table.columns, rows))
    pairs = [pair for pair in combinations(range(len(table.rows)), 2) if agree(table, everything, *pair)]
    if not pairs:
        assert found is None
        return
    assert found is not None
    assert found.example == (pairs[0][0] + 1, pairs[0][1] + 1)
    repeats = {s for _, s in pairs}
    assert found.rows == len(repeats)
    distinct = [row for row in range(len(table.rows)) if row not in repeats]
    keys = [
        columns
        for size in range(len(everything) + 1)
        for columns in combinations(sorted(everything), size)
        if not any(agree(table, columns, t, s) for t, s in combinations(distinct, 2))
    ]
    smallest = [set(key) for key in keys if len(key) == len(keys[0])]
    assert all(set(names) in smallest for names in found.nearest)
    assert len(found.nearest) == min(SHOWN_KEYS, len(smallest))
    assert not np.isin([row + 1 for row in repeats], found.example[:1]).any()
