"""The fewest rows to remove so that a law holds, class by class, where that is a count.

Rows that break a law together must not both stay. Those that may stay are: one row of a class (a key), the
rows of one value (an FD), a run of rows in order (an OD), or the rows that are no t, or no s, of a class.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import IN_FIRST, IN_SECOND
from lawful.validate.dc_literals import DIFFERENCE, FILTERS, JOINS, MISSING, TESTS, place
from lawful.validate.dc_sides import passes
from lawful.validate.exceptions import largest_class, longest_run, parts_of_class, values_of_class


@kernel
def is_counted(literals):
    """Whether the fewest rows to remove are a count for a law of these literals."""
    tests, filters = literals.sizes[TESTS], literals.sizes[FILTERS]
    if literals.sizes[JOINS] > 0 or (filters > 0 and tests > 0):
        return False
    orders = 0
    for k in range(tests):
        if literals.tests[k, 0] != literals.tests[k, 1]:
            return False
        orders += literals.tests[k, 2] != DIFFERENCE
    return tests <= 1 or (tests == 2 and orders == 2)


@kernel
def removals_of_sides(ranks, literals, rows):
    """Of a class without tests: all rows that can be t, or all that can be s, or all of both but one."""
    firsts, seconds, either, both = 0, 0, 0, 0
    for i in range(rows.shape[0]):
        first = passes(ranks, literals, IN_FIRST, rows[i])
        second = passes(ranks, literals, IN_SECOND, rows[i])
        firsts += first
        seconds += second
        either += first or second
        both += first and second
    fewest = min(firsts, seconds)
    return min(fewest, either - 1) if both else fewest


@kernel
def largest_part(sizes, count):
    most = 0
    for k in range(count):
        most = max(most, sizes[k])
    return most


@kernel
def removals_by_value(rows, column, test, counts, room):
    """Of a class with one test of a column with itself."""
    if test[2] == DIFFERENCE:
        return rows.shape[0] - largest_part(room, parts_of_class(rows, column, counts, room))
    parts, known = values_of_class(rows, column, counts, room), 0
    for k in range(parts):
        known += room[k]
    if test[3] == 1:
        return known - largest_part(room, parts)
    return max(known - 1, 0)


@kernel
def removals_by_order(ranks, rows, swept, other, room):
    """Of a class with two order tests: what stays rises in the one where it falls in the other.

    Where both tests are strict, rows equal in one of them never break the law; where none is, they always do.
    A test that is not strict is `other` where one is strict. Equal places there count as rising.
    """
    keys, values = room[0], room[1]
    never_equal = swept[3] == 0
    known = 0
    for i in range(rows.shape[0]):
        x, y = place(ranks, swept[0], rows[i], swept[2]), place(ranks, other[0], rows[i], other[2])
        if x != MISSING and y != MISSING:
            keys[known] = (np.int64(x) << 32) + (y if never_equal else -y)
            known += 1
    keys[:known].sort()
    for i in range(known):
        x = (keys[i] + (1 << 31)) >> 32
        falling = (x << 32) - keys[i] if never_equal else keys[i] - (x << 32)
        behind = i if never_equal else (0 if other[3] == 1 else x)
        values[i] = (falling << 32) - behind
    return known - longest_run(values, known, room[2], room[3])


@kernel
def count_removals(ranks, literals, rows, ends, counts):
    """The fewest rows to remove from the classes of a context so that a law of counted literals holds."""
    room, removed, start = np.empty((4, largest_class(ends)), np.int64), 0, 0
    tests = literals.tests
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start = ends[k]
        if literals.sizes[TESTS] == 0:
            removed += removals_of_sides(ranks, literals, some)
        elif literals.sizes[TESTS] == 1:
            removed += removals_by_value(some, ranks[tests[0, 0]], tests[0], counts, room[0])
        elif tests[0, 3] >= tests[1, 3]:
            removed += removals_by_order(ranks, some, tests[0], tests[1], room)
        else:
            removed += removals_by_order(ranks, some, tests[1], tests[0], room)
    return removed


@kernel
def cover_of_pairs(pairs, degrees):
    """How many of some pairs are disjoint, and how many rows hit all: at least and at most to remove.

    Of a pair without a chosen row the one with more pairs is chosen.
    """
    matched, chosen = np.zeros(degrees.shape[0], np.bool_), np.zeros(degrees.shape[0], np.bool_)
    disjoint, covering = 0, 0
    for k in range(pairs.shape[0]):
        t, s = pairs[k, 0], pairs[k, 1]
        if not (matched[t] or matched[s]):
            matched[t] = matched[s] = True
            disjoint += 1
        if not (chosen[t] or chosen[s]):
            chosen[t if degrees[t] >= degrees[s] else s] = True
            covering += 1
    return disjoint, covering
