"""Whether any pair of rows breaks a law: as soon as one is met, and FDs and ODs without any sorted class."""

import numpy as np

from lawful.kernels import kernel
from lawful.validate.dc_classes import new_scratch, search_classes
from lawful.validate.dc_literals import DIFFERENCE, FILTERS, JOINS, ROW, TESTS
from lawful.validate.order_counts import order_tests
from lawful.validate.scan import split_in_class

VALUES_A_ROW = 4  # of a column, up to which all are gone through in their order, not those of a class sorted


@kernel
def within_columns(literals):
    """Whether a law has nothing but tests of columns, not of rows, with themselves."""
    same = literals.sizes[FILTERS] == 0 and literals.sizes[JOINS] == 0
    for k in range(literals.sizes[TESTS]):
        same &= literals.tests[k, 0] == literals.tests[k, 1] != ROW
    return same


@kernel
def is_split(literals):
    """Whether a law is that of an FD: one `!=` of a column with itself, and no more."""
    return within_columns(literals) and literals.sizes[TESTS] == 1 and literals.tests[0, 2] == DIFFERENCE


@kernel
def is_swap(literals):
    """Whether a law is like an OD: two order tests of columns with themselves, one of them strict."""
    tests = literals.tests
    if literals.sizes[TESTS] != 2 or not within_columns(literals):
        return False
    return tests[0, 2] != DIFFERENCE and tests[1, 2] != DIFFERENCE and tests[0, 3] + tests[1, 3] > 0


@kernel
def has_split(rows, ends, column):
    """Whether some class has more than one value of a column."""
    start = 0
    for k in range(ends.shape[0]):
        if split_in_class(rows, start, ends[k], column)[0] >= 0:
            return True
        start = ends[k]
    return False


@kernel
def write_extremes(rows, column, direction, values_of, least, most, met):
    """Write the least and the most place that the rows of each value have in another column of a class.

    `least` is above `most` for values that no row has. Returns how many values are met, which are written.
    """
    count = 0
    for i in range(rows.shape[0]):
        value, at = values_of[rows[i]], direction * column[rows[i]]
        if value < 0 or column[rows[i]] < 0:
            continue
        if least[value] > most[value]:
            met[count], least[value], most[value] = value, at, at
            count += 1
        else:
            least[value], most[value] = min(least[value], at), max(most[value], at)
    return count


@kernel
def has_swap(ranks, literals, rows, ends):
    """Whether some class breaks a law like an OD.

    Of the rows of each value of one column only the extremes in the other matter: of those before a value the
    least place of a row t, of its own the most of a row s.
    """
    tests = order_tests(ranks, literals)
    swept, other, values, start = tests.swept, tests.other, tests.highest + 1, 0
    least, most, met = np.full(values, 1, np.int64), np.zeros(values, np.int64), np.empty(values, np.int64)
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start = ends[k]
        count = write_extremes(some, ranks[swept[0]], swept[2], ranks[other[0]], least, most, met)
        every = values <= VALUES_A_ROW * some.shape[0]
        if not every:
            met[:count].sort()
        seen, best = values if every else count, np.iinfo(np.int64).max
        for i in range(seen):
            nth = i if other[2] > 0 else seen - 1 - i
            value = nth if every else met[nth]
            if least[value] > most[value]:
                continue
            first = least[value] if other[3] == 0 else best
            if min(best, first) <= most[value] - swept[3]:
                return True
            best = min(best, least[value])
            least[value], most[value] = 1, 0
    return False


@kernel
def is_broken(ranks, orders, counts, literals, rows, ends, leaf, halt):
    """Whether some pair breaks a law, of whose tests one says that t and s are different rows."""
    scratch, work, pairs = new_scratch(orders, counts), np.zeros(1, np.int64), np.empty((1, 2), np.int32)
    return search_classes(ranks, literals, rows, ends, scratch, leaf, halt, work, pairs) > 0
