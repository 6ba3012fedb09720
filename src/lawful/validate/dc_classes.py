"""The violating pairs of one denial constraint in the large classes of its context."""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.validate.dc_blocks import compare_few, new_trees, search_trees
from lawful.validate.dc_literals import FILTERS, JOINS, TESTS
from lawful.validate.dc_sides import Sides, class_at, taken_apart
from lawful.validate.dc_sweep import SWEPT, choose_sweep, new_sweep, sweep_class
from lawful.validate.exceptions import largest_class
from lawful.validate.ordering import Ordering, classes_in_order, forget, new_ordering
from lawful.validate.partition import RowNumbers

FEW_PAIRS = 16  # pairs of a class that are tested one by one


class Scratch(NamedTuple):
    """What all searches of a partition share."""

    orders: RowNumbers  # [column, row]: all rows in each column's order
    first: Ordering  # the classes as the side of t wants them
    second: Ordering  # and that of s, where it wants another column
    counters: tuple[RowNumbers, RowNumbers]  # [rank], zero between calls


@kernel
def new_scratch(orders, counts):
    """Scratch space for any partition."""
    rows = orders.shape[1]
    counters = counts, np.zeros(counts.shape[0], np.int32)
    return Scratch(orders, new_ordering(rows), new_ordering(rows), counters)


@kernel
def change_partition(scratch):
    """Take note that the next search is of another partition."""
    forget(scratch.first)
    forget(scratch.second)


@kernel
def of_one_column(literals):
    """Whether each test compares a column with itself."""
    same = True
    for k in range(literals.sizes[TESTS]):
        same &= literals.tests[k, 0] == literals.tests[k, 1]
    return same


@kernel
def in_swept_order(ranks, rows, ends, swept, scratch):
    """The classes of a partition with each side in the order of its column in the test that is swept."""
    left, right = swept[0], swept[1]
    firsts = classes_in_order(scratch.first, rows, ends, left, ranks, scratch.orders)
    if left == right:
        return Sides(firsts, ends, firsts, ends)
    return Sides(
        firsts, ends, classes_in_order(scratch.second, rows, ends, right, ranks, scratch.orders), ends
    )


@kernel
def trees_for(literals, sides, leaf):
    """Room for the trees of all classes."""
    whole = literals.sizes[FILTERS] == 0 and literals.sizes[JOINS] == 0
    first, second = largest_class(sides.first_ends), largest_class(sides.second_ends)
    return new_trees(first, second, literals.sizes[TESTS], leaf, whole and of_one_column(literals))


@kernel
def search_classes(ranks, literals, rows, ends, scratch, leaf, halt, work, pairs):
    """Write pairs of rows of a partition that violate a DC; returns how many."""
    sweep, sides = new_sweep(), Sides(rows, ends, rows, ends)
    sweeps = choose_sweep(literals, sweep)
    if sweeps and sweep.used[SWEPT]:
        sides = in_swept_order(ranks, rows, ends, sweep.swept, scratch)
    sides = taken_apart(ranks, literals, sides, scratch.counters)
    trees = new_trees(0, 0, 0, leaf, sweeps) if sweeps else trees_for(literals, sides, leaf)
    found, classes = 0, sides.first_ends.shape[0]
    for k in range(classes):
        if halt[0] != 0 or found == pairs.shape[0]:
            break
        firsts, seconds = class_at(sides, k)
        room = pairs[: min(pairs.shape[0], found + max(1, pairs.shape[0] // classes))]
        if firsts.shape[0] * seconds.shape[0] <= FEW_PAIRS:
            found = compare_few(ranks, literals, firsts, seconds, room, found)
        elif sweeps:
            found = sweep_class(ranks, firsts, seconds, sweep, room, found)
        else:
            found = search_trees(ranks, literals, firsts, seconds, trees, leaf, halt, work, room, found)
    return found
