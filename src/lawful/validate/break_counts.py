"""What breaks a law, class by class, where the fewest rows to remove are a count.

Rows that break a law together must not both stay. Those that may stay are: one row of a class (a key), the
rows of one value (an FD), a run of rows in order (an OD), or the rows that are no t, or no s, of a class. The
pairs (t, s) that break the law and the rows in them are counted on the way.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import IN_FIRST, IN_SECOND
from lawful.validate.dc_literals import DIFFERENCE, FILTERS, JOINS, MISSING, TESTS, place
from lawful.validate.dc_sides import passes
from lawful.validate.exceptions import largest_class, longest_run, parts_of_class, sort_some, values_of_class
from lawful.validate.order_counts import Tree, add_to, highest_rank, sum_before
from lawful.validate.ordering import classes_in_order, new_ordering
from lawful.validate.tolerated_errors import inversions


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
def breaks_of_sides(ranks, literals, rows):
    """Of a class without tests: all rows that can be t go, or all that can be s, or all of both but one."""
    if literals.sizes[FILTERS] == 0:
        return rows.shape[0] * (rows.shape[0] - 1), rows.shape[0], rows.shape[0] - 1
    firsts, seconds, either, both = 0, 0, 0, 0
    for i in range(rows.shape[0]):
        first = passes(ranks, literals, IN_FIRST, rows[i])
        second = passes(ranks, literals, IN_SECOND, rows[i])
        firsts += first
        seconds += second
        either += first or second
        both += first and second
    if firsts * seconds == both:  # a row that meets only itself, if any
        return 0, 0, 0
    fewest = min(firsts, seconds)
    return firsts * seconds - both, either, min(fewest, either - 1) if both else fewest


@kernel
def breaks_by_value(rows, column, test, counts, room):
    """Of a class with one test of a column with itself."""
    differs = test[2] == DIFFERENCE
    parts = (
        parts_of_class(rows, column, counts, room) if differs else values_of_class(rows, column, counts, room)
    )
    known, equal, most = 0, 0, 0
    for k in range(parts):
        known += room[k]
        equal += room[k] * (room[k] - 1)
        most = max(most, room[k])
    unlike = known * (known - 1) - equal
    if not differs and test[3] == 0:  # rows of one value break it, both as t and as s
        return unlike // 2 + equal, known if known > 1 else 0, max(known - 1, 0)
    return unlike if differs else unlike // 2, known if parts > 1 else 0, known - most


@kernel
def write_values(ranks, swept, other, rows, values, places):
    """Write what must not fall from one of the rows of a class that stay to the next; returns how many.

    The rows come in the order of the swept column. What stays rises in that test where it falls in the other.
    Where the swept test is strict, rows equal there never break the law; where it is not, no other one is,
    and they always do. Rows equal in the other test break the law unless that is strict.
    """
    never_equal, known, first, last = swept[3] == 0, 0, 0, MISSING
    for i in range(rows.shape[0]):
        row = rows[i if swept[2] > 0 else rows.shape[0] - 1 - i]
        x, y = place(ranks, swept[0], row, swept[2]), place(ranks, other[0], row, other[2])
        if x == MISSING or y == MISSING:
            continue
        if x != last:
            sort_some(values, first, known)
            first, last = known, x
        values[known], places[known] = y if never_equal else -y, x
        known += 1
    sort_some(values, first, known)
    for i in range(known):
        if never_equal:
            values[i] = (-values[i] << 32) - i
        else:
            values[i] = (values[i] << 32) - (0 if other[3] == 1 else places[i])
    return known


@kernel
def written_first(value):
    """The part of a value that counts first."""
    return (value + (1 << 31)) >> 32


@kernel
def pairs_that_fall(values, known, highest, strict, lowest, room):
    """How many of some values are less than each one before, in all."""
    if 2 * known <= highest:
        for i in range(known):
            room[0, i] = values[i]
        return inversions(room[0], known, room[1])
    tree, found, same = Tree(np.zeros(highest + 1, np.int64), values[:0]), 0, 0
    for i in range(known):
        node = written_first(values[i]) - lowest
        same = same + 1 if i > 0 and values[i] == values[i - 1] else 0
        found += i - (sum_before(tree, node + 1) if strict else sum_before(tree, node) + same)
        add_to(tree, highest + 1, node)
    return found


@kernel
def values_that_fall(values, known, room):
    """How many of some values are less than one before, or more than one behind."""
    most, least, found = np.iinfo(np.int64).min, np.iinfo(np.int64).max, 0
    for i in range(known):
        most = max(most, values[i])
        room[i] = most
    for i in range(known - 1, -1, -1):
        found += room[i] > values[i] or least < values[i]
        least = min(least, values[i])
    return found


@kernel
def equal_rows(values, places, known):
    """How many pairs of rows are equal in both tests; those of one place are sorted by their values."""
    found, same = 0, 0
    for i in range(1, known):
        alike = written_first(values[i]) == written_first(values[i - 1])
        same = same + 1 if alike and places[i] == places[i - 1] else 0
        found += same
    return found


@kernel
def swept_first(ranks, tests):
    """Which of two order tests is swept: a strict one, or else that with more values: trees are small."""
    if tests[0, 3] != tests[1, 3]:
        return int(tests[1, 3])
    return int(highest_rank(ranks, tests[0]) < highest_rank(ranks, tests[1]))


@kernel
def breaks_by_order(ranks, orders, tests, rows, ends):
    """Of the classes of a context: pairs, rows in them and rows to remove, by two order tests."""
    which = swept_first(ranks, tests)
    swept, other = tests[which], tests[1 - which]
    highest, strict = highest_rank(ranks, other), other[3] == 1
    lowest = -highest if other[2] > 0 else 0
    ordered = classes_in_order(new_ordering(ranks.shape[1]), rows, ends, swept[0], ranks, orders)
    room = np.empty((4, largest_class(ends)), np.int64)
    values, places, start, pairs, involved, removed = room[0], room[1], 0, 0, 0, 0
    for k in range(ends.shape[0]):
        known = write_values(ranks, swept, other, ordered[start : ends[k]], values, places)
        pairs += equal_rows(values, places, known) if swept[3] == 0 else 0
        pairs += pairs_that_fall(values, known, highest, strict, lowest, room[2:])
        involved += values_that_fall(values, known, room[2])
        removed += known - longest_run(values, known, room[2], room[3])
        start = ends[k]
    return pairs, involved, removed


@kernel
def count_breaks(ranks, orders, literals, rows, ends, counts):
    """How many pairs (t, s) of the classes of a context break a law of counted literals, how many rows are in
    such pairs, and the fewest rows to remove so that none does; `orders` are those of the tests' columns."""
    if literals.sizes[TESTS] == 2:
        return breaks_by_order(ranks, orders, literals.tests, rows, ends)
    room, start, pairs, involved, removed = np.empty(largest_class(ends), np.int64), 0, 0, 0, 0
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start = ends[k]
        if literals.sizes[TESTS] == 0:
            found = breaks_of_sides(ranks, literals, some)
        else:
            test = literals.tests[0]
            found = breaks_by_value(some, ranks[test[0]], test, counts, room)
        pairs, involved, removed = pairs + found[0], involved + found[1], removed + found[2]
    return pairs, involved, removed
