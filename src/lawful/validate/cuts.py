"""Where a search can be cut: what no law below a node can have.

Bits only fall when contexts grow. So upper bounds at a node hold for all laws below it.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.targets import LEFT, RIGHT
from lawful.validate.bit_tables import bits_of_two, place_of
from lawful.validate.exceptions import fill_demand
from lawful.validate.scan import direction_of
from lawful.words import has


@kernel
def conflict_in(ranks, t, s, target):
    """Whether two rows of a class, one after the other in the order of a swap's left side, break a law."""
    left = ranks[target[LEFT]]
    if target[RIGHT] < 0:
        return left[t] != left[s] or left[t] < 0
    right = ranks[target[RIGHT]]
    if left[t] < 0 or left[t] == left[s] or right[t] < 0 or right[s] < 0:
        return False
    return right[t] > right[s] if direction_of(target) > 0 else right[t] < right[s]


@kernel
def has_exceptions(ranks, rows, ends, target, wanted):
    """Whether there are at least so many exceptions, as far as neighbours show: disjoint pairs that break the
    law."""
    found, start = 0.0, 0
    for k in range(ends.shape[0]):
        end, i = ends[k], start + 1
        if target[LEFT] < 0:
            found, i = found + end - start - 1, end
        while i < end and found < wanted:
            if conflict_in(ranks, rows[i - 1], rows[i], target):
                found, i = found + 1, i + 1
            i += 1
        if found >= wanted:
            return True
        start = end
    return False


@kernel
def falls_short(ranks, rows, ends, target, tables, columns, needed, counts):
    """Whether none of some columns could be worth `needed` bits in a law with a larger context.

    `rows` and `ends` are the classes that break the law. Most often a few of their rows show that they have
    exceptions enough.
    """
    surest = 0.0
    for column in range(ranks.shape[0]):
        if has(columns, column):
            surest = max(surest, tables.unlike[column, 1])
    if has_exceptions(ranks, rows, ends, target, max(needed / max(surest, 1e-300), 1.0)):
        return False
    demand = np.zeros((2, tables.numbers.shape[0]), np.float64)
    fill_demand(ranks, rows, ends, target, tables.numbers, counts, demand)
    places, found = np.empty(tables.numbers.shape[0], np.int64), 0
    for place in range(places.shape[0]):
        if demand[0, place] + demand[1, place] > 0.0:
            places[found] = place
            found += 1
    for column in range(ranks.shape[0]):
        if has(columns, column):
            bits = 0.0
            for k in range(found):
                bits += demand[0, places[k]] * tables.apart[column, places[k]]
                bits += demand[1, places[k]] * tables.unlike[column, places[k]]
            if bits >= needed:
                return False
    return True


@kernel
def sides_fall_short(ranks, rows, ends, target, tables, needed):
    """Whether the sides of a law cannot be worth `needed` bits, given all classes of its context or of a part
    of it, each in the order of a swap's left side."""
    bits, start = 0.0, 0
    for k in range(ends.shape[0]):
        size = ends[k] - start
        place = place_of(size)
        place += tables.numbers[place] < size
        if target[RIGHT] < 0:
            bits += tables.alike[target[LEFT], place]
        elif tables.low[target[RIGHT]] > 0.0:
            bits += bits_of_two(rows[start : ends[k]], ranks[target[LEFT]], target, tables)
        else:
            orders = tables.factorials[size] - ties_of_class(
                rows[start : ends[k]], ranks[target[LEFT]], tables
            )
            bits += min(tables.same[target[RIGHT], place], orders)
        start = ends[k]
        if bits >= needed:
            return False
    return True


@kernel
def ties_of_class(rows, column, tables):
    """In how many ways, as a logarithm, the rows of a class sorted by a column can be sorted."""
    ties, alike = 0.0, 1
    for i in range(1, rows.shape[0]):
        if column[rows[i]] == column[rows[i - 1]]:
            alike += 1
        else:
            ties += tables.factorials[alike]
            alike = 1
    return ties + tables.factorials[alike]
