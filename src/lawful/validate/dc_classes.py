"""The violating pairs of one denial constraint in the large classes of its context."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.validate.dc_blocks import (
    LEFT,
    RIGHT,
    begin_points,
    compare_few,
    lacks_difference,
    new_points,
    search_blocks,
)
from lawful.validate.dc_literals import FILTERS, JOINS, TESTS
from lawful.validate.dc_sides import Sides, class_at, taken_apart
from lawful.validate.dc_sweep import SWEPT, choose_sweep, new_sweep, sweep_class
from lawful.validate.ordering import deal_in_order, mark_classes

RowNumbers = npt.NDArray[np.int32]

FEW = 16  # pairs of a class that are tested one by one


class Sorted(NamedTuple):
    """The rows of a partition, each class in the order of a column, kept for the next DC that wants them."""

    rows: RowNumbers
    tag: Ints  # of which partition, and of which column


class Orders(NamedTuple):
    """The rows by each column, and the partitions that were sorted by them last, one for each side."""

    orders: RowNumbers
    first: Sorted
    second: Sorted
    class_of: RowNumbers  # scratch space: -1 for each row


@kernel
def new_sorted(rows):
    return Sorted(np.empty(rows, np.int32), np.zeros(2, np.int64) - 1)


@kernel
def new_orders(orders):
    rows = orders.shape[1]
    class_of = np.empty(rows, np.int32)
    for row in range(rows):
        class_of[row] = -1
    return Orders(orders, new_sorted(rows), new_sorted(rows), class_of)


@kernel
def deal_out(order, rows, ends, class_of, out):
    """Write the rows of a partition, each class in a given order of all rows."""
    mark_classes(rows, ends, class_of)
    deal_in_order(order, class_of, ends, np.empty(ends.shape[0], np.int64), out)
    for i in range(rows.shape[0]):
        class_of[rows[i]] = -1


@kernel
def in_order_of(column, orders, rows, ends, partition, ordered):
    """The rows of a partition, which has a number, with each class in the order of a column."""
    if ordered.tag[0] != partition or ordered.tag[1] != column:
        deal_out(orders.orders[column], rows, ends, orders.class_of, ordered.rows)
        ordered.tag[0], ordered.tag[1] = partition, column
    return ordered.rows[: rows.shape[0]]


@kernel
def largest(ends):
    """The number of rows of the largest class."""
    most, start = 0, 0
    for k in range(ends.shape[0]):
        most, start = max(most, ends[k] - start), ends[k]
    return most


@kernel
def of_one_column(literals):
    """Whether each test compares a column with itself."""
    same = True
    for k in range(literals.sizes[TESTS]):
        same &= literals.tests[k, 0] == literals.tests[k, 1]
    return same


@kernel
def search_sweeping(ranks, literals, sides, sweep, halt, pairs):
    """Write violating pairs of classes that are sorted for a sweep; returns how many."""
    found, classes = np.int64(0), sides.first_ends.shape[0]
    for k in range(classes):
        if halt[0] != 0 or found == pairs.shape[0]:
            break
        firsts, seconds = class_at(sides, k)
        room = pairs[: min(pairs.shape[0], found + max(1, pairs.shape[0] // classes))]
        if firsts.shape[0] * seconds.shape[0] <= FEW:
            found = compare_few(ranks, literals, firsts, seconds, room, found)
        else:
            found = sweep_class(ranks, firsts, seconds, sweep, room, found)
    return found


@kernel
def search_splitting(ranks, literals, sides, alike, leaf, halt, work, pairs):
    """Write violating pairs of classes by their blocks; returns how many.

    `alike` tells that both sides have the same rows and the same places.
    """
    tests, most = literals.sizes[TESTS], largest(sides.second_ends)
    points, alive = new_points(largest(sides.first_ends), tests, leaf), np.empty(most, np.int32)
    others = points if alike else new_points(most, tests, leaf)
    found, classes = np.int64(0), sides.first_ends.shape[0]
    for k in range(classes):
        if halt[0] != 0 or found == pairs.shape[0]:
            break
        firsts, seconds = class_at(sides, k)
        room = pairs[: min(pairs.shape[0], found + max(1, pairs.shape[0] // classes))]
        if firsts.shape[0] * seconds.shape[0] <= FEW:
            found = compare_few(ranks, literals, firsts, seconds, room, found)
            continue
        if alike and lacks_difference(ranks, firsts, literals):
            continue
        size = begin_points(ranks, firsts, literals, LEFT, points)
        other_size = size if alike else begin_points(ranks, seconds, literals, RIGHT, others)
        if size > 0 and other_size > 0:
            found = search_blocks(literals, points, others, leaf, halt, work, alive, room, found)
    return found


@kernel
def search_classes(ranks, orders, literals, rows, ends, partition, leaf, counters, halt, work, pairs):
    """Write pairs of rows of a partition, which has a number, that violate a DC; returns how many."""
    sweep, firsts, seconds = new_sweep(), rows, rows
    sweeps = choose_sweep(literals, sweep)
    if sweeps and sweep.used[SWEPT]:
        left, right = sweep.swept[0], sweep.swept[1]
        firsts = in_order_of(left, orders, rows, ends, partition, orders.first)
        seconds = firsts
        if left != right:
            seconds = in_order_of(right, orders, rows, ends, partition, orders.second)
    sides = taken_apart(ranks, literals, Sides(firsts, ends, seconds, ends), counters)
    if sweeps:
        return search_sweeping(ranks, literals, sides, sweep, halt, pairs)
    whole = literals.sizes[FILTERS] == 0 and literals.sizes[JOINS] == 0
    alike = whole and of_one_column(literals)
    return search_splitting(ranks, literals, sides, alike, leaf, halt, work, pairs)
