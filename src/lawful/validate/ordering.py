"""Classes in the order of a column.

A partition of many of the rows is dealt out in an order of all rows (a sorted partition, DISTOD 6.1.1, which
meets the context's classes there by their numbers); the classes of a small one are sorted. Where swaps are
looked for, only the classes that may have one are.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.laws.targets import LEFT, RIGHT
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
    some: RowNumbers  # scratch space for the rows of some classes,
    some_ends: RowNumbers  # and where these end


@kernel
def new_ordering(total):
    """Room for any partition of so many rows."""
    ordering = Ordering(
        np.empty(total, np.int32),
        np.empty(total, np.int32),
        np.empty(total // 2 + 1, np.int64),
        np.empty(2, np.int64),
        np.empty(total + 1, np.int32),
        np.empty(total // 2 + 1, np.int32),
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
        elif ends.shape[0] == 1 and rows.shape[0] == ranks.shape[1]:  # all rows
            copy_items(orders[column], ordering.rows)
        else:
            if not ordering.done[0]:
                mark_classes(rows, ends, ordering.class_of)
                ordering.done[0] = 1
            deal_in_order(orders[column], ordering.class_of, ends, ordering.places, ordering.rows)
    return ordering.rows[: rows.shape[0]]


@kernel
def differ_within(rows, start, end, column):
    """Whether a class has more than one value of a column."""
    first = column[rows[start]]
    for i in range(start + 1, end):
        if column[rows[i]] != first:
            return True
    return False


@kernel
def write_unlike_classes(rows, ends, left, right, out, out_ends):
    """Write the classes with more than one value of both columns; returns how many rows and classes."""
    size, found, end = 0, 0, 0
    for k in range(ends.shape[0]):
        start, end = end, ends[k]
        if end - start == 2:  # most often: written before it is known whether it stays
            t, s = rows[start], rows[start + 1]
            stays = int(left[t] != left[s]) & int(right[t] != right[s])
            out[size], out[size + 1], out_ends[found] = t, s, size + 2
            size, found = size + 2 * stays, found + stays
        elif differ_within(rows, start, end, left) and differ_within(rows, start, end, right):
            for i in range(start, end):
                out[size + i - start] = rows[i]
            size += end - start
            out_ends[found] = size
            found += 1
    return size, found


@kernel
def swaps_in_order(ordering, rows, ends, target, ranks, orders):
    """All classes of the partition that may have a swap, each in the order of the left side.

    The classes of chance are alike on one side or the other, nearly all of them.
    """
    left, right = target[LEFT], target[RIGHT]
    if ordering.done[1] != left:
        some, some_ends = ordering.some, ordering.some_ends
        size, found = write_unlike_classes(rows, ends, ranks[left], ranks[right], some, some_ends)
        if size * LARGE < ranks.shape[1]:
            sort_classes(some[:size], some_ends[:found], ranks[left], ordering.rows)
            ordering.done[1] = -1
            return ordering.rows[:size], some_ends[:found]
    return classes_in_order(ordering, rows, ends, left, ranks, orders), ends
