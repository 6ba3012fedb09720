"""How many rows each row breaks a law with, without comparing all pairs.

Order tests are counted: none by the size of a class, one by a sorted list, two by a sweep with a Fenwick tree
(the inversions of a class are of this kind). `!=` is counted by what it excludes: all pairs, less those that
are equal. Whatever has more tests is counted over pairs of blocks, of which the extremes settle most at once.
The tests have none that t and s are different rows: rows that pair with themselves are taken off at the end.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import below
from lawful.kernels import kernel
from lawful.laws.comparisons import IN_FIRST, IN_SECOND, Ints
from lawful.validate.dc_blocks import (
    ALWAYS,
    FIRST_SIDE,
    SECOND_SIDE,
    SOMETIMES,
    begin_points,
    blocks_hold,
    new_points,
    push_halves,
    side_with_halves,
)
from lawful.validate.dc_classes import largest, new_scratch, search_classes
from lawful.validate.dc_literals import DIFFERENCE, FILTERS, JOINS, MISSING, TESTS, place, satisfies
from lawful.validate.dc_sides import class_at, cut_to, joined, passes, room_for, taken_apart

Pairs = npt.NDArray[np.int32]


class CountingSizes(NamedTuple):
    """Sizes on which no result depends."""

    few: int = 32  # pairs of a class that are tested one by one
    orders: int = 2  # order tests up to which nothing is compared in blocks
    differences: int = 3  # and `!=`
    leaf: int = 32  # rows of a block that are compared with those of another one by one


COUNTING_SIZES = CountingSizes()


class CountingRoom(NamedTuple):
    """Scratch space for classes of some size."""

    firsts: Ints
    seconds: Ints
    places: Ints
    tree: Ints


@kernel
def new_counting_room(firsts, seconds):
    return CountingRoom(
        np.empty(firsts, np.int64),
        np.empty(seconds, np.int64),
        np.empty(seconds, np.int64),
        np.empty(3 * seconds + 1, np.int64),
    )


@kernel
def order_tests(literals):
    """The numbers of the first two order tests, -1 for none, and how many there are."""
    first, second, count = -1, -1, 0
    for k in range(literals.sizes[TESTS]):
        if literals.tests[k, 2] != DIFFERENCE:
            if first < 0:
                first = k
            elif second < 0:
                second = k
            count += 1
    return first, second, count


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
def count_few(ranks, literals, firsts, seconds, weight, out):
    for i in range(firsts.shape[0]):
        for j in range(seconds.shape[0]):
            if orders_hold(ranks, literals, firsts[i], seconds[j]):
                out[firsts[i]] += weight


@kernel
def count_by_list(ranks, test, firsts, seconds, weight, room, out):
    """Count the partners of each row t under one order test."""
    known = 0
    for j in range(seconds.shape[0]):
        at = place(ranks, test[1], seconds[j], test[2])
        if at != MISSING:
            room.places[known] = at
            known += 1
    room.places[:known].sort()
    for i in range(firsts.shape[0]):
        at = place(ranks, test[0], firsts[i], test[2])
        if at != MISSING:
            out[firsts[i]] += weight * (known - below(room.places, known, at + test[3]))


@kernel
def in_swept_places(ranks, rows, swept, other, side, keys):
    """Write the places of rows in the test that is swept, each with the row's place in the list, in order."""
    known = 0
    for i in range(rows.shape[0]):
        at, beside = (
            place(ranks, swept[side], rows[i], swept[2]),
            place(ranks, other[side], rows[i], other[2]),
        )
        if at != MISSING and beside != MISSING:
            keys[known] = (np.int64(at) << 32) + i
            known += 1
    keys[:known].sort()
    return known


@kernel
def node_at(places, count, at, shift):
    """The node of a tree for a place: its number among the places of a class, or its rank."""
    return at + shift if shift >= 0 else below(places, count, at)


@kernel
def count_by_sweep(ranks, swept, other, firsts, seconds, highest, weight, room, out):
    """Count the partners of each row t under two order tests."""
    first_count = in_swept_places(ranks, firsts, swept, other, FIRST_SIDE, room.firsts)
    count = in_swept_places(ranks, seconds, swept, other, SECOND_SIDE, room.seconds)
    nodes, shift = count, -1
    if 2 * count > highest:  # no need to sort by what are small numbers
        nodes, shift = highest + 1, highest if other[2] < 0 else 0
    else:
        for j in range(count):
            room.places[j] = place(ranks, other[1], seconds[room.seconds[j] & 0xFFFFFFFF], other[2])
        room.places[:count].sort()
    for node in range(nodes):
        room.tree[node] = 0
    at, added = count - 1, 0
    for k in range(first_count - 1, -1, -1):
        t = firsts[room.firsts[k] & 0xFFFFFFFF]
        least = (room.firsts[k] >> 32) + swept[3]
        while at >= 0 and room.seconds[at] >> 32 >= least:
            s = seconds[room.seconds[at] & 0xFFFFFFFF]
            node = node_at(room.places, count, np.int64(place(ranks, other[1], s, other[2])), shift)
            while node < nodes:
                room.tree[node] += 1
                node |= node + 1
            at, added = at - 1, added + 1
        lower = np.int64(place(ranks, other[0], t, other[2])) + other[3]
        lower, smaller = node_at(room.places, count, lower, shift) - 1, 0
        while lower >= 0:
            smaller += room.tree[lower]
            lower = (lower & (lower + 1)) - 1
        out[t] += weight * (added - smaller)


@kernel
def count_sides(ranks, literals, sides, highest, weight, few, out):
    """Count the partners of each row t under the order tests alone."""
    first, second, count = order_tests(literals)
    room = new_counting_room(
        largest(sides.first_ends) if count > 1 else 0, largest(sides.second_ends) if count else 0
    )
    for k in range(sides.first_ends.shape[0]):
        firsts, seconds = class_at(sides, k)
        if count == 0:
            for i in range(firsts.shape[0]):
                out[firsts[i]] += weight * seconds.shape[0]
        elif firsts.shape[0] * seconds.shape[0] <= few:
            count_few(ranks, literals, firsts, seconds, weight, out)
        elif count == 1:
            count_by_list(ranks, literals.tests[first], firsts, seconds, weight, room, out)
        else:
            swept, other = literals.tests[first], literals.tests[second]
            count_by_sweep(ranks, swept, other, firsts, seconds, highest, weight, room, out)


@kernel
def count_by_exclusion(ranks, literals, sides, counters, differences, few, out):
    """Count under order tests and `!=`: for each set of the `!=` those equal there, in turn + and -."""
    for chosen in range(1 << differences):
        some, weight, seen = sides, 1, 0
        for k in range(literals.sizes[TESTS]):
            if literals.tests[k, 2] == DIFFERENCE:
                if chosen >> seen & 1:
                    some = joined(ranks, some, literals.tests[k, 0], literals.tests[k, 1], counters)
                    weight = -weight
                seen += 1
        count_sides(ranks, literals, some, counters[0].shape[0] - 1, weight, few, out)


@kernel
def count_unlike(rows, ends, column, counts, out):
    """For each row of the classes of a context: how many have another value of a column."""
    start = 0
    for k in range(ends.shape[0]):
        for i in range(start, ends[k]):
            if column[rows[i]] >= 0:
                counts[column[rows[i]]] += 1
        for i in range(start, ends[k]):
            rank = column[rows[i]]
            out[rows[i]] += ends[k] - start - (counts[rank] if rank >= 0 else 1)
        for i in range(start, ends[k]):
            if column[rows[i]] >= 0:
                counts[column[rows[i]]] = 0
        start = ends[k]


@kernel
def is_split(literals):
    """Whether a law is that of an FD: one `!=` of a column with itself, and no more."""
    test = literals.tests
    alone = literals.sizes[TESTS] == 1 and literals.sizes[JOINS] == 0 and literals.sizes[FILTERS] == 0
    return alone and test[0, 0] == test[0, 1] and test[0, 2] == DIFFERENCE


@kernel
def places_meet(literals, first, i, second, j):
    """Whether two points pass all tests."""
    for k in range(literals.sizes[TESTS]):
        x, y = first.places[k, i], second.places[k, j]
        if literals.tests[k, 2] == DIFFERENCE:
            if x == y:
                return False
        elif x + literals.tests[k, 3] > y:
            return False
    return True


@kernel
def note_meeting(literals, first, b, second, c, always, out, pairs, found):
    """Count the violating pairs of two blocks or, where there is room, write them; returns how many are."""
    for i in range(first.start[b], first.end[b]):
        for j in range(second.start[c], second.end[c]):
            if always or places_meet(literals, first, i, second, j):
                if pairs.shape[0] == 0:
                    out[first.rows[i]] += 1
                elif first.rows[i] != second.rows[j]:
                    pairs[found, 0], pairs[found, 1] = first.rows[i], second.rows[j]
                    found += 1
    return found


@kernel
def visit_blocks(literals, first, second, leaf, halt, gained, out, pairs, found):
    """Meet all pairs of blocks; blocks that all violate are counted at once, in `gained`."""
    stack, top = np.zeros((64, 2), np.int64), 1
    while top > 0 and halt[0] == 0:
        top -= 1
        b, c = stack[top, 0], stack[top, 1]
        holds = blocks_hold(literals, first, b, second, c)
        if holds == ALWAYS and pairs.shape[0] == 0:
            gained[b] += second.end[c] - second.start[c]
        elif holds == ALWAYS:
            found = note_meeting(literals, first, b, second, c, True, out, pairs, found)
        elif holds == SOMETIMES:
            side = side_with_halves(literals, first, b, second, c, leaf)
            if side >= 0:
                stack = push_halves(stack, top, first, b, second, c, side)
                top += 2
            else:
                found = note_meeting(literals, first, b, second, c, False, out, pairs, found)
    return found


@kernel
def visit_sides(ranks, literals, sides, leaf, halt, out, pairs):
    """Count by pairs of blocks, or list pairs of different rows where there is room for them."""
    tests = literals.sizes[TESTS]
    first = new_points(largest(sides.first_ends), tests, leaf)
    second = new_points(largest(sides.second_ends), tests, leaf)
    gained, found = np.zeros(first.start.shape[0], np.int64), 0
    for k in range(sides.first_ends.shape[0]):
        firsts, seconds = class_at(sides, k)
        size = begin_points(ranks, firsts, literals, FIRST_SIDE, first)
        if size == 0 or begin_points(ranks, seconds, literals, SECOND_SIDE, second) == 0:
            continue
        found = visit_blocks(literals, first, second, leaf, halt, gained, out, pairs, found)
        for b in range(first.used[0]):
            for i in range(first.start[b], first.end[b]):
                out[first.rows[i]] += gained[b]
            gained[b] = 0
    return found


@kernel
def same_in_row(ranks, row, left, right):
    """Whether a row has the same value in two columns."""
    return ranks[left, row] >= 0 and ranks[left, row] == ranks[right, row]


@kernel
def differs_from_itself(ranks, literals, row):
    """Whether a row passes the `!=` tests with itself, where a NULL that equals nothing does."""
    for k in range(literals.sizes[TESTS]):
        test = literals.tests[k]
        if test[2] == DIFFERENCE and same_in_row(ranks, row, test[0], test[1]):
            return False
    return True


@kernel
def meets_itself(ranks, literals, row, by_places):
    """Whether a row was counted as its own partner."""
    if not (passes(ranks, literals, IN_FIRST, row) and passes(ranks, literals, IN_SECOND, row)):
        return False
    for k in range(literals.sizes[JOINS]):
        if not same_in_row(ranks, row, literals.joins[k, 0], literals.joins[k, 1]):
            return False
    if by_places:
        return satisfies(ranks, literals, row, row)
    return differs_from_itself(ranks, literals, row) and orders_hold(ranks, literals, row, row)


@kernel
def count_partners(ranks, literals, sides, counters, sizes, halt, out):
    """For each row t of the classes of a context: with how many rows s it breaks a law."""
    if is_split(literals) and sizes.differences > 0:
        column = ranks[literals.tests[0, 0]]
        count_unlike(sides.firsts, sides.first_ends, column, counters[0], out)
        return
    apart = taken_apart(ranks, literals, sides, counters)
    orders = order_tests(literals)[2]
    differences = literals.sizes[TESTS] - orders
    by_places = orders > sizes.orders or differences > sizes.differences
    if by_places:
        visit_sides(ranks, literals, apart, sizes.leaf, halt, out, np.empty((0, 2), np.int32))
    else:
        count_by_exclusion(ranks, literals, apart, counters, differences, sizes.few, out)
    for i in range(sides.firsts.shape[0]):
        out[sides.firsts[i]] -= meets_itself(ranks, literals, sides.firsts[i], by_places)


@kernel
def is_broken(ranks, orders, counts, literals, rows, ends, leaf, halt):
    """Whether some pair breaks a law, of whose tests one says that t and s are different rows."""
    scratch, work, pairs = new_scratch(orders, counts), np.zeros(1, np.int64), np.empty((1, 2), np.int32)
    return search_classes(ranks, literals, rows, ends, scratch, leaf, halt, work, pairs) > 0


@kernel
def chosen_firsts(sides, wanted):
    """The classes with only the wanted rows t, without those where there is none."""
    out = room_for(max(sides.firsts.shape[0], sides.seconds.shape[0]), sides.first_ends.shape[0])
    first_size, second_size, classes = 0, 0, 0
    for k in range(sides.first_ends.shape[0]):
        firsts, seconds = class_at(sides, k)
        first = first_size
        for i in range(firsts.shape[0]):
            out.firsts[first_size] = firsts[i]
            first_size += wanted[firsts[i]]
        if first_size > first:
            for j in range(seconds.shape[0]):
                out.seconds[second_size + j] = seconds[j]
            second_size += seconds.shape[0]
            out.first_ends[classes], out.second_ends[classes] = first_size, second_size
            classes += 1
    return cut_to(out, first_size, second_size, classes)


@kernel
def list_partners(ranks, literals, sides, counters, wanted, leaf, halt, pairs):
    """Write the violating pairs (t, s) whose t is wanted, for which there is room."""
    apart = taken_apart(ranks, literals, sides, counters)
    some = chosen_firsts(apart, wanted)
    return visit_sides(ranks, literals, some, leaf, halt, np.empty(0, np.int64), pairs)
