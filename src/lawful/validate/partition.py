"""Stripped partitions, also called position list indexes (PLIs): the classes of rows that agree on a context.

Classes of one row are left out. A partition is flat: `rows` lists the rows class by class, `ends[k]` is where
class k ends. A product keeps the order of rows within a class, so a partition that starts from the rows in
the order of a column has all its classes in that order, and an order dependency needs no sort. Negative ranks
(a NULL that equals nothing) are classes of one row and vanish.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.laws.targets import LEFT
from lawful.validate.scan import violation_in_class

RowNumbers = npt.NDArray[np.int32]

SMALL_CLASS = 8  # rows of a class that are compared with each other instead of counted


class Partition(NamedTuple):
    """One that is not on a path."""

    rows: RowNumbers
    ends: RowNumbers


@kernel
def split_large(rows, column, counts, out, out_ends, size, classes):
    """Split one class by a column; returns how many rows and classes were written to `out` in all.

    A rank's counter first counts its rows; once its class has a place, it is -1 minus the next free one.
    """
    first, first_class = size, classes
    for i in range(rows.shape[0]):
        rank = column[rows[i]]
        if rank >= 0:
            counts[rank] += 1
    for i in range(rows.shape[0]):
        rank = column[rows[i]]
        if rank < 0:
            continue
        count = counts[rank]
        if count > 1:
            count = -1 - size
            size += counts[rank]
            out_ends[classes] = size
            classes += 1
        if count < 0:
            out[-1 - count] = rows[i]
            counts[rank] = count - 1
        else:
            counts[rank] = 0  # a class of one row
    for k in range(first_class, classes):
        counts[column[out[first]]] = 0
        first = out_ends[k]
    return size, classes


@kernel
def split_small(rows, column, out, out_ends, size, classes):
    """The same for a few rows, by comparing them all.

    Most classes are small, and what they cost are mispredicted branches: a row is written before it is known
    whether it stays.
    """
    taken = 0
    for i in range(rows.shape[0] - 1):
        if (taken >> i) & 1:
            continue
        rank, end = column[rows[i]], size + 1
        out[size] = rows[i]
        for j in range(i + 1, rows.shape[0]):
            same = int(column[rows[j]] == rank and rank >= 0)
            out[end] = rows[j]
            end += same
            taken |= same << j
        stays = int(end > size + 1)
        size += (end - size) * stays
        out_ends[classes] = size
        classes += stays
    return size, classes


@kernel
def split_three(rows, column, out, out_ends, size, classes):
    """The same for three rows, of which at most one class stays, without a branch."""
    first, second, third = column[rows[0]], column[rows[1]], column[rows[2]]
    known = int(first >= 0)
    one_two, one_three = known & int(first == second), known & int(first == third)
    two_three = int(second >= 0) & int(second == third)
    out[size] = rows[0]
    size += one_two | one_three
    out[size] = rows[1]
    size += one_two | two_three
    out[size] = rows[2]
    size += one_three | two_three
    out_ends[classes] = size
    return size, classes + (one_two | one_three | two_three)


@kernel
def product(rows, ends, column, counts, out, out_ends):
    """Refine a partition by a column, the product of the two; returns how many rows and classes that has.

    The output needs room for one row and one class more than the result may have.
    """
    size, found, start = 0, 0, 0
    for k in range(ends.shape[0]):
        end = ends[k]
        if end - start == 2:
            t, s = rows[start], rows[start + 1]
            same = int(column[t] == column[s] and column[t] >= 0)
            out[size], out[size + 1] = t, s
            size += 2 * same
            out_ends[found] = size
            found += same
        elif end - start == 3:
            size, found = split_three(rows[start:end], column, out, out_ends, size, found)
        elif end - start <= SMALL_CLASS:
            size, found = split_small(rows[start:end], column, out, out_ends, size, found)
        else:
            size, found = split_large(rows[start:end], column, counts, out, out_ends, size, found)
        start = end
    return size, found


@kernel
def runs(order, column, out, out_ends):
    """Partition all rows, given in the order of a column, by that column; returns as `product` does."""
    size, found, start, total = 0, 0, 0, order.shape[0]
    while start < total and column[order[start]] < 0:
        start += 1
    while start < total:
        rank, end = column[order[start]], start + 1
        while end < total and column[order[end]] == rank:
            end += 1
        if end - start > 1:
            for i in range(start, end):
                out[size + i - start] = order[i]
            size += end - start
            out_ends[found] = size
            found += 1
        start = end
    return size, found


@kernel
def share_of_pairs(pairs, total):
    """A number of ordered pairs of different rows as a share of all."""
    return float(pairs) / (float(total) * (total - 1)) if total > 1 else 1.0


@kernel
def coverage(ends, total):
    """The share of pairs of rows that agree on the context of a partition."""
    pairs, start = 0, 0
    for k in range(ends.shape[0]):
        pairs += (ends[k] - start) * (ends[k] - start - 1)
        start = ends[k]
    return share_of_pairs(pairs, total)


@kernel
def equal_pairs(rows, column, counts):
    """How many ordered pairs of some rows agree on a column."""
    pairs = 0
    for i in range(rows.shape[0]):
        rank = column[rows[i]]
        if rank >= 0:
            pairs += 2 * counts[rank]
            counts[rank] += 1
    for i in range(rows.shape[0]):
        if column[rows[i]] >= 0:
            counts[column[rows[i]]] = 0
    return pairs


@kernel
def coverage_of_product(rows, ends, column, counts, total):
    """The coverage of a partition's product with a column, which need not be made for that."""
    pairs, start = 0, 0
    for k in range(ends.shape[0]):
        end = ends[k]
        if end - start == 2:
            t, s = rows[start], rows[start + 1]
            pairs += 2 * int(column[t] == column[s] and column[t] >= 0)
        else:
            pairs += equal_pairs(rows[start:end], column, counts)
        start = end
    return share_of_pairs(pairs, total)


class Path(NamedTuple):
    """A stack of partitions: that of the empty context, then each refined by one more column."""

    rows: RowNumbers  # the rows of all partitions, one after the other
    ends: RowNumbers  # the ends of all classes, counted from their partition's first row
    first_row: npt.NDArray[np.int64]  # [depth]: where a partition's rows start, and the one's before end
    first_class: npt.NDArray[np.int64]
    made: npt.NDArray[np.int64]  # [0]: depth of the last partition on the stack
    orders: RowNumbers  # [column, row]: all rows in each column's order, where no order of rows is to be kept


@kernel
def new_path(order, depth_capacity):
    """The path of the empty context: one class of all rows in the given order, which its products keep."""
    return path_from(order, one_class(order.shape[0]), depth_capacity)


@kernel
def new_loose_path(orders, depth_capacity):
    """The same where the order of rows is of no interest: the first product is a column's order, cut."""
    order = orders[0] if orders.shape[0] else np.empty(0, np.int32)
    return _path(order, one_class(order.shape[0]), orders, depth_capacity)


@kernel
def path_from(rows, ends, depth_capacity):
    """A path that starts from a given partition."""
    return _path(rows, ends, np.empty((0, 0), np.int32), depth_capacity)


@kernel
def one_class(total):
    """The ends of the only class of so many rows; there is none of a single row."""
    ends = np.empty(1 if total > 1 else 0, np.int32)
    for k in range(ends.shape[0]):
        ends[k] = total
    return ends


@kernel
def _path(rows, ends, orders, depth_capacity):
    total, classes = rows.shape[0] if ends.shape[0] else 0, ends.shape[0]
    path = Path(
        np.empty(2 * total + 64, np.int32),
        np.empty(classes + total // 2 + 64, np.int32),
        np.zeros(depth_capacity + 2, np.int64),
        np.zeros(depth_capacity + 2, np.int64),
        np.zeros(1, np.int64),
        orders,
    )
    copy_items(rows[:total], path.rows)
    copy_items(ends, path.ends)
    path.first_row[1], path.first_class[1] = total, classes
    return path


@kernel
def longer_path(path, rows, classes, depths):
    """The same stack with room for at least so many rows, classes and depths."""
    used = path.first_row.shape[0]
    longer = Path(
        np.empty(max(2 * rows, path.rows.shape[0]), np.int32),
        np.empty(max(2 * classes, path.ends.shape[0]), np.int32),
        np.zeros(max(2 * depths, used), np.int64),
        np.zeros(max(2 * depths, used), np.int64),
        path.made,
        path.orders,
    )
    copy_items(path.rows, longer.rows)
    copy_items(path.ends, longer.ends)
    copy_items(path.first_row, longer.first_row)
    copy_items(path.first_class, longer.first_class)
    return longer


@kernel
def partition_at(path, depth):
    """The partition at a depth of the path: its rows and the ends of its classes."""
    rows = path.rows[path.first_row[depth] : path.first_row[depth + 1]]
    return rows, path.ends[path.first_class[depth] : path.first_class[depth + 1]]


@kernel
def keep_class(rows, ends, start, end, size, classes):
    """Move a class, in place, behind those that stay; returns how many rows and classes stay then."""
    if size < start:
        for i in range(start, end):
            rows[size + i - start] = rows[i]
    ends[classes] = size + end - start
    return size + end - start, classes + 1


@kernel
def keep_violating(ranks, rows, ends, target):
    """Drop, in place, the classes that no pair violates a target in: no refinement of them has one either.

    Returns the number of rows and of classes left.
    """
    size, classes, start = 0, 0, 0
    for k in range(ends.shape[0]):
        end = ends[k]
        if violation_in_class(ranks, rows, start, end, target)[0] >= 0:
            size, classes = keep_class(rows, ends, start, end, size, classes)
        start = end
    return size, classes


@kernel
def cut_partition(path, depth, size, classes):
    """Say how many rows and classes the last partition of a path, at this depth, has."""
    path.first_row[depth + 1] = path.first_row[depth] + size
    path.first_class[depth + 1] = path.first_class[depth] + classes
    path.made[0] = depth


@kernel
def every_pair():
    """The target that no class can be dropped for: a duplicate."""
    target = np.empty(4, np.int64)
    for k in range(4):
        target[k] = -1
    return target


@kernel
def refine_path(path, ranks, columns, depth, counts, target):
    """Make the partitions still missing down to `depth`; columns[d] refines depth d to d + 1.

    They lack the classes in which no pair violates the target (every pair violates a duplicate).
    """
    while path.made[0] < depth:
        at = path.made[0]
        next_row, next_class = path.first_row[at + 1], path.first_class[at + 1]
        rows_needed = 2 * next_row - path.first_row[at] + 1
        classes_needed = next_class + (next_row - path.first_row[at]) // 2 + 1
        if (
            rows_needed > path.rows.shape[0]
            or classes_needed > path.ends.shape[0]
            or at + 3 > path.first_row.shape[0]
        ):
            path = longer_path(path, rows_needed, classes_needed, at + 3)
        rows, ends = partition_at(path, at)
        column, out, out_ends = ranks[columns[at]], path.rows[next_row:], path.ends[next_class:]
        if at == 0 and path.orders.shape[0] > 0:
            size, found = runs(path.orders[columns[0]], column, out, out_ends)
        else:
            size, found = product(rows, ends, column, counts, out, out_ends)
        if target[LEFT] >= 0:
            size, found = keep_violating(ranks, out[:size], out_ends[:found], target)
        cut_partition(path, at + 1, size, found)
    return path
