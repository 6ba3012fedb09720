"""Violating pairs of a class under any number of tests.

Both sides of a class are points: a row's places in all tests. Each side is a k-d tree of blocks with their
extremes, made as far as it is needed: a block is halved at the middle place of one test. For two blocks the
extremes tell whether some test fails for all their pairs, or all tests hold for all of them; if neither, one
of the blocks gives way to its halves, and small blocks are compared row by row.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import with_room
from lawful.kernels import kernel
from lawful.validate.dc_literals import DIFFERENCE, MISSING, ROW, TESTS, place, satisfies

NEVER, SOMETIMES, ALWAYS = -1, 0, 1
FIRST_SIDE, SECOND_SIDE = np.int64(0), np.int64(1)  # of a class, and where a test has their columns


class Points(NamedTuple):
    """One side of a class and its tree of blocks; the halves of block b are `half[b]` and the next one."""

    rows: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]  # [test, row]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    half: npt.NDArray[np.int64]  # 0: not halved yet
    low: npt.NDArray[np.int32]  # [block, test]
    high: npt.NDArray[np.int32]
    used: npt.NDArray[np.int64]  # [0]: how many blocks there are


@kernel
def new_points(rows, tests, leaf):
    """Room for so many rows and tests, and for the blocks of usual trees."""
    blocks = 16 * rows // leaf + 64
    return Points(
        np.empty(rows, np.int32),
        np.empty((tests, rows), np.int32),
        np.empty(blocks, np.int64),
        np.empty(blocks, np.int64),
        np.empty(blocks, np.int64),
        np.empty((blocks, tests), np.int32),
        np.empty((blocks, tests), np.int32),
        np.zeros(1, np.int64),
    )


@kernel
def write_places(ranks, rows, column, direction, line):
    """Write the places of rows in one test; returns how many are missing."""
    missing = 0
    for i in range(rows.shape[0]):
        line[i] = place(ranks, column, rows[i], direction)
        missing += line[i] == MISSING
    return missing


@kernel
def extremes(line):
    low, high = line[0], line[0]
    for i in range(line.shape[0]):
        low, high = min(low, line[i]), max(high, line[i])
    return low, high


@kernel
def drop_missing(points, size):
    """Drop the rows that miss a place; returns how many stay."""
    kept = 0
    for i in range(size):
        known = True
        for k in range(points.places.shape[0]):
            known &= points.places[k, i] != MISSING
        if known:
            points.rows[kept] = points.rows[i]
            for k in range(points.places.shape[0]):
                points.places[k, kept] = points.places[k, i]
            kept += 1
    return kept


@kernel
def add_block(points, start, end):
    block = points.used[0]
    points.start[block], points.end[block], points.half[block] = start, end, 0
    for k in range(points.places.shape[0]):
        points.low[block, k], points.high[block, k] = extremes(points.places[k, start:end])
    points.used[0] += 1


@kernel
def begin_points(ranks, rows, literals, side, points):
    """Make the rows of a side points in one block; returns how many there are."""
    size, missing = rows.shape[0], 0
    for i in range(size):
        points.rows[i] = rows[i]
    for k in range(literals.sizes[TESTS]):
        test = literals.tests[k]
        missing += write_places(ranks, rows, test[side], test[2], points.places[k])
    if missing:
        size = drop_missing(points, size)
    points.used[0] = 0
    if size:
        add_block(points, 0, size)
    return size


@kernel
def constant(column, rows):
    """Whether all rows have one rank, which is not that of a NULL that equals nothing."""
    rank = column[rows[0]]
    for i in range(1, rows.shape[0]):
        if column[rows[i]] != rank:
            return False
    return rank >= 0


@kernel
def lacks_difference(ranks, rows, literals):
    """Whether some test of a column with itself asks for a difference where the rows have none."""
    for k in range(literals.sizes[TESTS]):
        test = literals.tests[k]
        asks = test[0] == test[1] and test[0] != ROW and (test[2] == DIFFERENCE or test[3] == 1)
        if asks and constant(ranks[test[0]], rows):
            return True
    return False


@kernel
def holds_for(direction, strict, low, high, other_low, other_high):
    """For how many of the pairs a test holds whose places are between these extremes."""
    if direction == DIFFERENCE:
        if high < other_low or other_high < low:
            return ALWAYS
        return NEVER if low == high and other_low == other_high else SOMETIMES
    if low + strict > other_high:
        return NEVER
    return ALWAYS if high + strict <= other_low else SOMETIMES


@kernel
def test_holds(literals, k, first, b, second, c):
    """For how many pairs of two blocks one test holds."""
    low, high, other_low, other_high = first.low[b, k], first.high[b, k], second.low[c, k], second.high[c, k]
    return holds_for(literals.tests[k, 2], literals.tests[k, 3], low, high, other_low, other_high)


@kernel
def blocks_hold(literals, first, b, second, c):
    """For how many pairs of two blocks all tests hold."""
    state = ALWAYS
    for k in range(literals.sizes[TESTS]):
        state = min(state, test_holds(literals, k, first, b, second, c))
    return state


@kernel
def gain(direction, low, high, root_low, root_high):
    """How much halving a block in one test promises.

    The wider a block is, the less its extremes tell. `!=` tells nothing before there is but one value.
    """
    if direction == DIFFERENCE:
        return 2.0 / (1.0 + high - low)
    return (0.0 + high - low) / (0.0 + root_high - root_low)


@kernel
def test_to_halve(literals, first, b, second, c, side):
    """The open test of two blocks in which to halve one (0: b, 1: c); -1 if that has one place in all."""
    points, block = (first, b) if side == 0 else (second, c)
    chosen, most = -1, 0.0
    for k in range(literals.sizes[TESTS]):
        low, high = points.low[block, k], points.high[block, k]
        if low < high and test_holds(literals, k, first, b, second, c) == SOMETIMES:
            promised = gain(literals.tests[k, 2], low, high, points.low[0, k], points.high[0, k])
            if promised > most:
                chosen, most = k, promised
    return chosen


@kernel
def middle(a, b, c):
    return max(min(a, b), min(max(a, b), c))


@kernel
def pivot(line):
    """A place in the middle, judged by nine rows."""
    step = line.shape[0] / 9.0
    thirds = (
        middle(line[int(0.5 * step)], line[int(1.5 * step)], line[int(2.5 * step)]),
        middle(line[int(3.5 * step)], line[int(4.5 * step)], line[int(5.5 * step)]),
        middle(line[int(6.5 * step)], line[int(7.5 * step)], line[int(8.5 * step)]),
    )
    return middle(thirds[0], thirds[1], thirds[2])


@kernel
def exchange(points, i, j):
    points.rows[i], points.rows[j] = points.rows[j], points.rows[i]
    for k in range(points.places.shape[0]):
        points.places[k, i], points.places[k, j] = points.places[k, j], points.places[k, i]


@kernel
def halve(points, b, test):
    """Give a block two halves, one with the lower places in a test."""
    start, end, line = points.start[b], points.end[b], points.places[test]
    most = min(pivot(line[start:end]), points.high[b, test] - 1)
    i, j = start, end - 1
    while True:
        while line[i] <= most:
            i += 1
        while line[j] > most:
            j -= 1
        if i > j:
            break
        exchange(points, i, j)
    points.half[b] = points.used[0]
    add_block(points, start, i)
    add_block(points, i, end)


@kernel
def narrow_by_order(alive, line, least):
    """Drop the rows s whose place is lower; returns whether some are left."""
    some = np.int32(0)
    for j in range(line.shape[0]):
        alive[j] &= np.int32(line[j] >= least)
        some |= alive[j]
    return some != 0


@kernel
def narrow_by_difference(alive, line, value):
    """Drop the rows s with this place; returns whether some are left."""
    some = np.int32(0)
    for j in range(line.shape[0]):
        alive[j] &= np.int32(line[j] != value)
        some |= alive[j]
    return some != 0


@kernel
def can_meet(literals, first, i, second, c):
    """Whether row i may pass all tests with some row of block c."""
    for k in range(literals.sizes[TESTS]):
        at, direction, strict = first.places[k, i], literals.tests[k, 2], literals.tests[k, 3]
        if holds_for(direction, strict, at, at, second.low[c, k], second.high[c, k]) == NEVER:
            return False
    return True


@kernel
def partner_in_block(literals, first, i, second, c, alive):
    """A place in block c whose row passes all tests with row i; -1 if there is none."""
    start, end = second.start[c], second.end[c]
    for j in range(end - start):
        alive[j] = 1
    some = True
    for k in range(literals.sizes[TESTS]):
        at, line = first.places[k, i], second.places[k, start:end]
        if literals.tests[k, 2] == DIFFERENCE:
            some = narrow_by_difference(alive, line, at)
        else:
            some = narrow_by_order(alive, line, np.int32(at + literals.tests[k, 3]))
        if not some:
            return -1
    for j in range(end - start):
        if alive[j]:
            return start + j
    return -1


@kernel
def compare_blocks(literals, first, b, second, c, alive, pairs, found):
    """Write violating pairs of two blocks, one for a row t; returns how many pairs there are."""
    for i in range(first.start[b], first.end[b]):
        if found == pairs.shape[0]:
            break
        if can_meet(literals, first, i, second, c):
            j = partner_in_block(literals, first, i, second, c, alive)
            if j >= 0:
                pairs[found, 0], pairs[found, 1] = first.rows[i], second.rows[j]
                found += 1
    return found


@kernel
def has_halves(literals, first, b, second, c, side):
    """Halve one of two blocks (0: b, 1: c) if it is not yet; False where that is of no use or has no room."""
    points, block = (first, b) if side == 0 else (second, c)
    test = test_to_halve(literals, first, b, second, c, side)
    if test >= 0 and points.half[block] == 0 and points.used[0] + 2 <= points.start.shape[0]:
        halve(points, block, test)
    return test >= 0 and points.half[block] > 0


@kernel
def side_with_halves(literals, first, b, second, c, leaf):
    """Which of two blocks (0: b, 1: c) gives way to its halves, the larger one if it can; -1: both stay."""
    size, other_size = first.end[b] - first.start[b], second.end[c] - second.start[c]
    if size * other_size <= leaf * leaf:
        return -1
    larger = int(size < other_size)
    if has_halves(literals, first, b, second, c, larger):
        return larger
    return 1 - larger if has_halves(literals, first, b, second, c, 1 - larger) else -1


@kernel
def push_halves(stack, top, first, b, second, c, side):
    """Put the two pairs of blocks on the stack that follow when one of the blocks gives way to its halves."""
    stack = with_room(stack, top, 2)
    for k in range(2):
        stack[top + k, 0] = first.half[b] + k if side == 0 else b
        stack[top + k, 1] = c if side == 0 else second.half[c] + k
    return stack


@kernel
def search_blocks(literals, first, second, leaf, halt, work, alive, pairs, found):
    """Write violating pairs of two sides behind those found while there is room; returns how many there are.

    `work` counts the pairs of blocks looked at and the pairs of rows compared.
    """
    stack, top = np.zeros((64, 2), np.int64), 1
    while top > 0 and found < pairs.shape[0] and halt[0] == 0:
        top -= 1
        b, c = stack[top, 0], stack[top, 1]
        work[0] += 1
        holds = blocks_hold(literals, first, b, second, c)
        if holds == ALWAYS:
            pairs[found, 0], pairs[found, 1] = first.rows[first.start[b]], second.rows[second.start[c]]
            found += 1
        elif holds == SOMETIMES:
            side = side_with_halves(literals, first, b, second, c, leaf)
            if side >= 0:
                stack = push_halves(stack, top, first, b, second, c, side)
                top += 2
            else:
                work[0] += (first.end[b] - first.start[b]) * (second.end[c] - second.start[c])
                found = compare_blocks(literals, first, b, second, c, alive, pairs, found)
    return found


class Trees(NamedTuple):
    """Room for the trees of both sides of a class."""

    first: Points
    second: Points
    alike: bool  # both sides have the same rows and the same places: there is but one tree
    alive: npt.NDArray[np.int32]  # [row]: scratch space


@kernel
def new_trees(first_rows, second_rows, tests, leaf, alike):
    """Room for classes of so many rows on each side."""
    first = new_points(first_rows, tests, leaf)
    second = first if alike else new_points(second_rows, tests, leaf)
    return Trees(first, second, alike, np.empty(second_rows, np.int32))


@kernel
def search_trees(ranks, literals, firsts, seconds, trees, leaf, halt, work, pairs, found):
    """Write violating pairs of a class behind those found while there is room; returns how many there are."""
    if trees.alike and lacks_difference(ranks, firsts, literals):
        return found
    size = begin_points(ranks, firsts, literals, FIRST_SIDE, trees.first)
    if not trees.alike:
        size = min(size, begin_points(ranks, seconds, literals, SECOND_SIDE, trees.second))
    if size == 0:
        return found
    return search_blocks(literals, trees.first, trees.second, leaf, halt, work, trees.alive, pairs, found)


@kernel
def compare_few(ranks, literals, firsts, seconds, pairs, found):
    """Write violating pairs of two short lists of rows behind those found; returns how many there are."""
    for i in range(firsts.shape[0]):
        for j in range(seconds.shape[0]):
            if found < pairs.shape[0] and satisfies(ranks, literals, firsts[i], seconds[j]):
                pairs[found, 0], pairs[found, 1] = firsts[i], seconds[j]
                found += 1
    return found
