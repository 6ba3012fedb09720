"""Which classes break a law, and whether any does: of FDs and ODs without any sorted class."""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
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


class Extremes(NamedTuple):
    """Of the rows of each value of one column the least and the most place in another, within a class."""

    least: Ints  # [value]: above `most` for values that no row has, and between classes
    most: Ints
    met: Ints  # the values of a class


@kernel
def write_extremes(rows, column, direction, values_of, extremes):
    """Write the extremes of a class; returns how many values it has."""
    least, most, count = extremes.least, extremes.most, 0
    for i in range(rows.shape[0]):
        value, at = values_of[rows[i]], direction * column[rows[i]]
        if value < 0 or column[rows[i]] < 0:
            continue
        if least[value] > most[value]:
            extremes.met[count], least[value], most[value] = value, at, at
            count += 1
        else:
            least[value], most[value] = min(least[value], at), max(most[value], at)
    return count


@kernel
def breaks_order(ranks, tests, rows, extremes):
    """Whether a class breaks a law like an OD.

    Of the rows of each value of one column only the extremes in the other matter: of those before a value the
    least place of a row t, of its own the most of a row s.
    """
    swept, other, least, most = tests.swept, tests.other, extremes.least, extremes.most
    values = write_extremes(rows, ranks[swept[0]], swept[2], ranks[other[0]], extremes)
    every = least.shape[0] <= VALUES_A_ROW * rows.shape[0]
    if not every:
        extremes.met[:values].sort()
    seen, best, found = least.shape[0] if every else values, np.iinfo(np.int64).max, False
    for i in range(seen):
        nth = i if other[2] > 0 else seen - 1 - i
        value = nth if every else extremes.met[nth]
        if least[value] > most[value]:
            continue
        first = min(best, least[value]) if other[3] == 0 else best
        found |= first <= most[value] - swept[3]
        best = min(best, least[value])
        least[value], most[value] = 1, 0
    return found


@kernel
def keep_broken(ranks, literals, rows, ends, most_classes, out, out_ends):
    """Write the classes that break a law like an FD or an OD, at most so many; returns how many rows and
    classes they have."""
    tests, split = order_tests(ranks, literals), is_split(literals)
    values = 0 if split else tests.highest + 1
    extremes = Extremes(np.full(values, 1, np.int64), np.zeros(values, np.int64), np.empty(values, np.int64))
    start, size, found = 0, 0, 0
    for k in range(ends.shape[0]):
        if split:
            broken = split_in_class(rows, start, ends[k], ranks[literals.tests[0, 0]])[0] >= 0
        else:
            broken = breaks_order(ranks, tests, rows[start : ends[k]], extremes)
        if broken:
            for i in range(start, ends[k]):
                out[size + i - start] = rows[i]
            size += ends[k] - start
            out_ends[found] = size
            found += 1
            if found == most_classes:
                break
        start = ends[k]
    return size, found


@kernel
def is_broken(ranks, orders, counts, literals, rows, ends, leaf, halt):
    """Whether some pair breaks a law, of whose tests one says that t and s are different rows."""
    scratch, work, pairs = new_scratch(orders, counts), np.zeros(1, np.int64), np.empty((1, 2), np.int32)
    return search_classes(ranks, literals, rows, ends, scratch, leaf, halt, work, pairs) > 0
