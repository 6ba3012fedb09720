"""How many rows each row meets under at most two order tests and some `!=`, without comparing all pairs.

The rows of a class are swept in the order of one test. Of the rows s that pass it with a row t, which only
get more, a Fenwick tree knows how many pass the other test, too (the inversions of a class are of this kind).
`!=` is counted by what it excludes: all pairs, less those that are equal.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import below, copy_items
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.validate.dc_literals import DIFFERENCE, MISSING, TESTS, place
from lawful.validate.dc_sides import class_at, joined
from lawful.validate.exceptions import largest_class


class OrderTests(NamedTuple):
    """The first two order tests of a law, each a line of the tests' table."""

    swept: Ints  # in whose order the rows of classes are
    other: Ints
    used: int  # how many there are
    highest: int  # rank that the other test meets


@kernel
def highest_rank(ranks, test):
    """The highest rank in the columns of a test."""
    highest = 0
    for side in range(2):
        column = ranks[test[side]]
        for row in range(column.shape[0]):
            highest = max(highest, column[row])
    return highest


@kernel
def order_tests(ranks, literals):
    """The order tests of a law; of two the one with more values is swept, which makes trees small."""
    lines, count, swept = np.zeros((2, 4), np.int64), 0, 0
    for k in range(literals.sizes[TESTS]):
        if literals.tests[k, 2] != DIFFERENCE:
            if count < 2:
                copy_items(literals.tests[k], lines[count])
            count += 1
    highest = 0
    if count > 1:
        first, second = highest_rank(ranks, lines[0]), highest_rank(ranks, lines[1])
        swept, highest = int(first < second), min(first, second)
    return OrderTests(lines[swept], lines[1 - swept], count, highest)


class Tree(NamedTuple):
    """Counts of the rows of a class by their places in a test, as sums (Fenwick)."""

    sums: Ints
    places: Ints  # of the class in order, where its nodes are not ranks


@kernel
def new_tree(rows):
    """Room for classes of so many rows."""
    return Tree(np.empty(2 * rows + 1, np.int64), np.empty(rows, np.int64))


@kernel
def orders_hold(ranks, literals, t, s):
    """Whether a pair of rows passes the order tests."""
    for k in range(literals.sizes[TESTS]):
        test = literals.tests[k]
        if test[2] != DIFFERENCE:
            x, y = place(ranks, test[0], t, test[2]), place(ranks, test[1], s, test[2])
            if x == MISSING or y == MISSING or x + test[3] > y:
                return False
    return True


@kernel
def plant(tree, ranks, test, highest, seconds):
    """Clear a tree for the rows s of a class; returns how many nodes it has, and the node of place 0.

    A node is a rank, or, where the class has few rows beside that, -1: the number of a place among its own.
    """
    nodes, zero = seconds.shape[0], -1
    if 2 * nodes > highest:  # no need to sort by what are small numbers
        nodes, zero = highest + 1, highest if test[2] < 0 else 0
    else:
        for j in range(nodes):
            tree.places[j] = place(ranks, test[1], seconds[j], test[2])
        tree.places[:nodes].sort()
    for node in range(nodes):
        tree.sums[node] = 0
    return nodes, zero


@kernel
def node_at(tree, nodes, zero, at):
    """The first node for places from one on."""
    return at + zero if zero >= 0 else below(tree.places, nodes, at)


@kernel
def add_to(tree, nodes, node):
    """Count a row at a node."""
    while node < nodes:
        tree.sums[node] += 1
        node |= node + 1


@kernel
def sum_before(tree, node):
    """How many rows are counted at the nodes before one."""
    node, found = node - 1, 0
    while node >= 0:
        found += tree.sums[node]
        node = (node & (node + 1)) - 1
    return found


@kernel
def write_places(ranks, test, side, rows, places):
    """Write the places of rows in a test as t (side 0) or s; looked up at once, they wait for memory once."""
    for i in range(rows.shape[0]):
        places[i] = place(ranks, test[side], rows[i], test[2])


@kernel
def count_by_sweep(ranks, tests, firsts, seconds, weight, tree, room, out):
    """Count the partners of each row t under one or two order tests; both sides are in the swept order."""
    swept, other, two = tests.swept, tests.other, tests.used > 1
    nodes, zero = plant(tree, ranks, other, tests.highest, seconds) if two else (0, 0)
    first_count, second_count, upwards = firsts.shape[0], seconds.shape[0], swept[2] < 0
    met, added = 0, 0
    write_places(ranks, swept, 0, firsts, room[0])
    write_places(ranks, swept, 1, seconds, room[1])
    if two:
        write_places(ranks, other, 0, firsts, room[2])
        write_places(ranks, other, 1, seconds, room[3])
    for k in range(first_count):  # the highest places come first
        i = k if upwards else first_count - 1 - k
        at, beside = room[0, i], np.int64(room[2, i]) if two else 0
        if at == MISSING or beside == MISSING:
            continue
        while met < second_count:
            j = met if upwards else second_count - 1 - met
            reached = room[1, j]
            if reached != MISSING and reached < at + swept[3]:
                break
            met += 1
            value = np.int64(room[3, j]) if two else 0
            if reached != MISSING and value != MISSING:
                added += 1
                if two:
                    add_to(tree, nodes, node_at(tree, nodes, zero, value))
        found = added
        if two:
            found -= sum_before(tree, node_at(tree, nodes, zero, beside + other[3]))
        out[firsts[i]] += weight * found


@kernel
def count_sides(ranks, literals, tests, sides, weight, out):
    """Count the partners of each row t under the order tests alone."""
    tree = new_tree(largest_class(sides.second_ends) if tests.used > 1 else 0)
    room = np.empty((4, max(largest_class(sides.first_ends), largest_class(sides.second_ends))), np.int32)
    for k in range(sides.first_ends.shape[0]):
        firsts, seconds = class_at(sides, k)
        if tests.used == 0:
            for i in range(firsts.shape[0]):
                out[firsts[i]] += weight * seconds.shape[0]
        else:
            count_by_sweep(ranks, tests, firsts, seconds, weight, tree, room, out)


@kernel
def count_by_exclusion(ranks, literals, tests, sides, counters, out):
    """Count under order tests and `!=`: for each set of the `!=` those equal there, in turn + and -."""
    for chosen in range(1 << (literals.sizes[TESTS] - tests.used)):
        some, weight, seen = sides, 1, 0
        for k in range(literals.sizes[TESTS]):
            if literals.tests[k, 2] == DIFFERENCE:
                if chosen >> seen & 1:
                    some = joined(ranks, some, literals.tests[k, 0], literals.tests[k, 1], counters)
                    weight = -weight
                seen += 1
        count_sides(ranks, literals, tests, some, weight, out)
