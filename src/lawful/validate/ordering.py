"""Classes in the order of a column.

A partition of many of the rows is dealt out in an order of all rows (a sorted partition, DISTOD 6.1.1, which
meets the context's classes there by their numbers); the classes of a small one are sorted.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.validate.partition import RowNumbers

# Measured on 100,000 random rows: sorting one row in eight takes half as long as dealing them out where
# classes have up to 16 rows, twice as long where they have hundreds. Insertion takes half as long as a sort
# for classes of 32 rows, and as long for 64.
LARGE = 8  # a partition of more than one in so many rows is dealt out in an order instead of sorted
INSERTED = 32  # rows of a class that are sorted by insertion


@kernel
def mark_classes(rows, ends, class_of):
    """Write the class of each row, -1 for rows that are in none."""
    for row in range(class_of.shape[0]):
        class_of[row] = -1
    start = 0
    for k in range(ends.shape[0]):
        for i in range(start, ends[k]):
            class_of[rows[i]] = k
        start = ends[k]


@kernel
def deal_in_order(order, class_of, ends, places, out):
    """Bring the rows of every class into an order of all rows: deal them out to their classes."""
    start = 0
    for k in range(ends.shape[0]):
        places[k] = start
        start = ends[k]
    for i in range(order.shape[0]):
        k = class_of[order[i]]
        if k >= 0:
            out[places[k]] = order[i]
            places[k] += 1


@kernel
def insert_in_order(rows, column, out):
    """Sort the rows of a small class by a column."""
    for i in range(rows.shape[0]):
        row, j = rows[i], i
        while j > 0 and column[out[j - 1]] > column[row]:
            out[j] = out[j - 1]
            j -= 1
        out[j] = row


@kernel
def sort_in_order(rows, column, out):
    """The same for a large class."""
    keys = np.empty(rows.shape[0], np.int64)
    for i in range(rows.shape[0]):
        keys[i] = (np.int64(column[rows[i]]) << 32) | rows[i]
    keys.sort()
    for i in range(rows.shape[0]):
        out[i] = np.int32(keys[i] & 0xFFFFFFFF)


@kernel
def sort_classes(rows, ends, column, out):
    """Sort the rows of every class by a column."""
    start = 0
    for k in range(ends.shape[0]):
        end = ends[k]
        if end - start <= INSERTED:
            insert_in_order(rows[start:end], column, out[start:end])
        else:
            sort_in_order(rows[start:end], column, out[start:end])
        start = end


class Ordering(NamedTuple):
    """The rows of a partition with each class in the order of a column, kept for whoever asks next."""

    rows: RowNumbers
    class_of: RowNumbers  # [row], -1 for rows that are alone
    places: npt.NDArray[np.int64]  # [class]: scratch space
    done: npt.NDArray[np.int64]  # whether class_of is filled, which column the rows are ordered by (or -1)


@kernel
def new_ordering(total):
    """Room for any partition of so many rows."""
    ordering = Ordering(
        np.empty(total, np.int32),
        np.empty(total, np.int32),
        np.empty(total // 2 + 1, np.int64),
        np.empty(2, np.int64),
    )
    forget(ordering)
    return ordering


@kernel
def forget(ordering):
    """Take note that the partition is another one from now on."""
    ordering.done[0], ordering.done[1] = 0, -1


@kernel
def classes_in_order(ordering, rows, ends, column, ranks, orders):
    """The partition's rows, each class in the order of a column; nothing to do if that was asked last."""
    if ordering.done[1] != column:
        ordering.done[1] = column
        if rows.shape[0] * LARGE < ranks.shape[1]:
            sort_classes(rows, ends, ranks[column], ordering.rows)
        else:
            if not ordering.done[0]:
                mark_classes(rows, ends, ordering.class_of)
                ordering.done[0] = 1
            deal_in_order(orders[column], ordering.class_of, ends, ordering.places, ordering.rows)
    return ordering.rows[: rows.shape[0]]
