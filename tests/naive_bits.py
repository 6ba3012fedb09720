"""The oracle of bits: shuffle a column and see how often a law still holds.

A law of any kind is a set of conditions that no pair of different rows (t, s) meets all of. Tables are small:
all pairs of rows are compared after every shuffle.
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt

import naive
from lawful.laws import Law

Rows = npt.NDArray[np.int64]

AT_ONCE = 20_000  # shuffles that are looked at together


def shuffled_share(
    law: Law, table: naive.Table, column: str, shuffles: int, rng: np.random.Generator
) -> float:
    """The share of so many shuffles of one column after which the law still holds."""
    rows, kept = np.arange(len(table.rows)), 0
    for first in range(0, shuffles, AT_ONCE):
        count = min(AT_ONCE, shuffles - first)
        kept += _count_holding(law, table, column, rng.permuted(np.tile(rows, (count, 1)), axis=1))
    return kept / shuffles


def exact_share(law: Law, table: naive.Table, column: str, removed: int = 0) -> float:
    """The share of all orders of a column's values in which the law holds: for a handful of rows.

    Or in which it does without some rows, so many.
    """
    orders = np.array([*permutations(range(len(table.rows)))], np.int64)
    return _count_holding(law, table, column, orders, removed) / len(orders)


def _count_holding(law: Law, table: naive.Table, column: str, orders: Rows, removed: int = 0) -> int:
    """In how many of these orders of the rows of one column the law holds, without so many rows."""
    count = len(table.rows)
    broken = np.ones((len(orders), count, count), np.bool_)
    for condition in naive.conditions(law):
        broken &= _met(condition, table, column, orders)
    broken &= ~np.eye(count, dtype=np.bool_)
    kept = [np.array(some, np.int64) for some in combinations(range(count), count - removed)]
    holds = [~broken[:, some[:, None], some].any(axis=(1, 2)) for some in kept]
    return int(np.any(holds, axis=0).sum())


def _met(condition: naive.Condition, table: naive.Table, column: str, orders: Rows) -> npt.NDArray[np.bool_]:
    """[order, t, s]: whether the rows meet a condition."""
    count = len(table.rows)
    compared = naive.signs(table, condition.left.column, condition.right.column)
    meets = np.array([[sign in condition.outcomes for sign in line] for line in compared], np.bool_)
    meets = meets.reshape(count, count)
    as_is = np.broadcast_to(np.arange(count), orders.shape)
    left, right = (orders if cell.column == column else as_is for cell in (condition.left, condition.right))
    if condition.left.row == condition.right.row:
        own = meets[left, right]
        axis = 2 if condition.left.row == "t" else 1
        return np.repeat(np.expand_dims(own, axis), count, axis)
    if condition.left.row == "s":
        return meets[left[:, None, :], right[:, :, None]]
    return meets[left[:, :, None], right[:, None, :]]
