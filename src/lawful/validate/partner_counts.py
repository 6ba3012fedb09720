"""How many rows each row breaks a law with, without comparing all pairs.

What has few tests is swept. Whatever has more is counted over pairs of blocks, of which the extremes settle
most at once. The tests have none that t and s are different rows: rows that pair with themselves are taken
off at the end.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import IN_FIRST, IN_SECOND
from lawful.validate.breaking import is_split
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
from lawful.validate.dc_classes import in_swept_order, new_scratch
from lawful.validate.dc_literals import DIFFERENCE, JOINS, TESTS, satisfies
from lawful.validate.dc_sides import Sides, class_at, cut_to, passes, room_for, taken_apart
from lawful.validate.exceptions import largest_class
from lawful.validate.order_counts import count_by_exclusion, order_tests, orders_hold

Pairs = npt.NDArray[np.int32]


class CountingSizes(NamedTuple):
    """Sizes on which no result depends."""

    orders: int = 2  # order tests up to which nothing is compared in blocks
    differences: int = 3  # and `!=`
    leaf: int = 32  # rows of a block that are compared with those of another one by one


COUNTING_SIZES = CountingSizes()
FEW_FIRSTS = 4  # rows t of a class whose partners are looked for without blocks


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
def list_few(ranks, literals, firsts, seconds, pairs, found):
    """Write the violating pairs of a few rows t; returns how many there are."""
    for i in range(firsts.shape[0]):
        for j in range(seconds.shape[0]):
            if firsts[i] != seconds[j] and satisfies(ranks, literals, firsts[i], seconds[j]):
                pairs[found, 0], pairs[found, 1] = firsts[i], seconds[j]
                found += 1
    return found


@kernel
def visit_sides(ranks, literals, sides, leaf, halt, out, pairs):
    """Count by pairs of blocks, or list pairs of different rows where there is room for them."""
    tests = literals.sizes[TESTS]
    first = new_points(largest_class(sides.first_ends), tests, leaf)
    second = new_points(largest_class(sides.second_ends), tests, leaf)
    gained, found = np.zeros(first.start.shape[0], np.int64), 0
    for k in range(sides.first_ends.shape[0]):
        firsts, seconds = class_at(sides, k)
        if pairs.shape[0] > 0 and firsts.shape[0] <= FEW_FIRSTS:
            found = list_few(ranks, literals, firsts, seconds, pairs, found)
            continue
        size = begin_points(ranks, firsts, literals, FIRST_SIDE, first)
        if size == 0 or begin_points(ranks, seconds, literals, SECOND_SIDE, second) == 0:
            continue
        found = visit_blocks(literals, first, second, leaf, halt, gained, out, pairs, found)
        for b in range(0 if pairs.shape[0] else first.used[0]):  # a list counts nothing
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
def says_less(literals):
    """Whether a test says that t is less than s in a column, or greater: no row is so with itself."""
    found = False
    for k in range(literals.sizes[TESTS]):
        found |= literals.tests[k, 0] == literals.tests[k, 1] and literals.tests[k, 3] == 1
    return found


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
def count_partners(ranks, orders, counts, literals, rows, ends, sizes, halt, out):
    """For each row t of the classes of a context: with how many rows s it breaks a law."""
    if is_split(literals) and sizes.differences > 0:
        count_unlike(rows, ends, ranks[literals.tests[0, 0]], counts, out)
        return
    scratch, tests = new_scratch(orders, counts), order_tests(ranks, literals)
    by_places = tests.used > sizes.orders or literals.sizes[TESTS] - tests.used > sizes.differences
    sides = Sides(rows, ends, rows, ends)
    if tests.used > 0 and not by_places:
        sides = in_swept_order(ranks, rows, ends, tests.swept, scratch)
    apart = taken_apart(ranks, literals, sides, scratch.counters)
    if by_places:
        visit_sides(ranks, literals, apart, sizes.leaf, halt, out, np.empty((0, 2), np.int32))
    else:
        count_by_exclusion(ranks, literals, tests, apart, scratch.counters, out)
    for i in range(0 if says_less(literals) else rows.shape[0]):
        out[rows[i]] -= meets_itself(ranks, literals, rows[i], by_places)


@kernel
def breaks_with(ranks, context, literals, t, s):
    """Whether a pair of different rows breaks a law."""
    for k in range(context.shape[0]):
        if ranks[context[k], t] < 0 or ranks[context[k], t] != ranks[context[k], s]:
            return False
    for k in range(literals.sizes[JOINS]):
        rank = ranks[literals.joins[k, 0], t]
        if rank < 0 or rank != ranks[literals.joins[k, 1], s]:
            return False
    own = passes(ranks, literals, IN_FIRST, t) and passes(ranks, literals, IN_SECOND, s)
    return own and satisfies(ranks, literals, t, s)


@kernel
def worst_partner(ranks, context, literals, row, is_first, degrees):
    """Of the rows with which a row breaks a law as t, or as s, the first of the largest degree; -1: none."""
    best = -1
    for other in range(ranks.shape[1]):
        if other == row or (best >= 0 and degrees[other] <= degrees[best]):
            continue
        t, s = (row, other) if is_first else (other, row)
        if breaks_with(ranks, context, literals, t, s):
            best = other
    return best


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
def list_partners(ranks, counts, literals, rows, ends, wanted, leaf, halt, pairs):
    """Write the violating pairs (t, s) whose t is wanted, for which there is room."""
    counters = counts, np.zeros_like(counts)
    apart = taken_apart(ranks, literals, Sides(rows, ends, rows, ends), counters)
    some = chosen_firsts(apart, wanted)
    return visit_sides(ranks, literals, some, leaf, halt, np.empty(0, np.int64), pairs)
