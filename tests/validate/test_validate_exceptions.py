"""Sorted runs, and what is out of order with them, against all runs and pairs."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.validate.column_bits import add_conflicts
from lawful.validate.exceptions import COUNTED, longest_run, sort_some

# Of few values and of many, as they come and with long stretches in order.
VALUES = [(5, False), (5, True), (1000, False), (1000, True), (10**9, True)]


def values_of(seed: int, most: int, rising: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    by = np.random.default_rng(seed)
    values = by.integers(-most, most, int(by.integers(0, 3 * COUNTED)))
    for part in np.array_split(values, int(by.integers(1, 9))) if rising else ():
        part.sort()
    return values


@pytest.mark.parametrize(("most", "rising"), VALUES)
@examples(40)
@given(seed=st.integers(0, 2**32))
def test_the_longest_run_that_never_falls(seed: int, most: int, rising: bool) -> None:
    values = values_of(seed, most, rising)
    tails, before = list[int](), list[int]()
    for value in values.tolist():
        before.append(bisect_right(tails, value))
        tails[before[-1] : before[-1] + 1] = [value]
    room = np.empty((2, len(values)), np.int64)
    assert longest_run(values, len(values), *room) == len(tails)
    assert room[1].tolist() == before


@pytest.mark.parametrize(("most", "rising"), VALUES)
@examples(20)
@given(seed=st.integers(0, 2**32))
def test_some_values_are_sorted(seed: int, most: int, rising: bool) -> None:
    values = values_of(seed, most, rising)
    start, end = len(values) // 20, len(values) - len(values) // 20
    expected = [*values[:start].tolist(), *sorted(values[start:end].tolist()), *values[end:].tolist()]
    sort_some(values, start, end)
    assert values.tolist() == expected


@examples(100)
@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(0, 15), st.integers(0, 15))
def test_conflicts_of_sorted_runs(seed: int, most: int, one: int, another: int) -> None:
    by = np.random.default_rng(seed)
    runs = [np.sort(by.integers(0, most, (2, size)), axis=1) for size in (one, another)]
    lefts, rights = np.hstack(runs)
    conflicts = np.zeros(another, np.int64)
    add_conflicts(lefts, rights, 0, one, one, one + another, conflicts)
    first, second = runs
    swapped = (first[0][:, None] - second[0]) * (first[1][:, None] - second[1]) < 0
    assert conflicts.tolist() == swapped.sum(axis=0).tolist()
