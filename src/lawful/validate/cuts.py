"""Where a search can be cut: what no law below a node can have.

Bits only fall when contexts grow. So upper bounds at a node hold for all laws below it.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.targets import LEFT, RIGHT
from lawful.validate.bit_tables import bits_of_two, place_of
from lawful.validate.exceptions import demand_of_class, fill_demand, largest_class
from lawful.validate.scan import direction_of
from lawful.words import bit, has

MOST_ASKED = 256.0  # exceptions that neighbours are asked for at most


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
def exceptions_shown(ranks, rows, ends, target, enough):
    """How many exceptions neighbours show, until it is enough: disjoint pairs that break the law."""
    found, start = 0.0, 0
    for k in range(ends.shape[0]):
        end, i = ends[k], start + 1
        if target[LEFT] < 0:
            found, i = found + end - start - 1, end
        while i < end and found < enough:
            if conflict_in(ranks, rows[i - 1], rows[i], target):
                found, i = found + 1, i + 1
            i += 1
        if found >= enough:
            break
        start = end
    return found


@kernel
def keep_worthwhile(ranks, rows, ends, target, tables, columns, needed, counts):
    """Take out of a set the columns that cannot be worth `needed` bits in a law with a larger context.

    `rows` and `ends` are the classes that break the law. Returns whether a column is left.
    """
    least, doubted = needed, False
    for column in range(ranks.shape[0]):
        if has(columns, column):
            least = min(least, tables.unlike[column, 1])
    shown = exceptions_shown(
        ranks, rows, ends, target, min(needed / max(least, needed / MOST_ASKED), MOST_ASKED)
    )
    for column in range(ranks.shape[0]):
        doubted |= has(columns, column) and shown * tables.unlike[column, 1] < needed
    demand = np.zeros((2, tables.numbers.shape[0] if doubted else 0), np.float64)
    places, found = np.empty(demand.shape[1], np.int64), 0
    if doubted:
        fill_demand(ranks, rows, ends, target, tables.numbers, counts, demand)
        for place in range(places.shape[0]):
            if demand[0, place] + demand[1, place] > 0.0:
                places[found] = place
                found += 1
    some = False
    for column in range(ranks.shape[0]):
        if has(columns, column):
            bits, sure = 0.0, shown * tables.unlike[column, 1]
            for k in range(found if sure < needed else 0):
                bits += demand[0, places[k]] * tables.apart[column, places[k]]
                bits += demand[1, places[k]] * tables.unlike[column, places[k]]
            if max(bits, sure) < needed:
                columns[column >> 6] &= ~bit(column)
            else:
                some = True
    return some


@kernel
def most_bits_of_column(ranks, rows, ends, column, target, enough, tables, counts):
    """What cuts suppose that a column can be worth, which falls when contexts grow; perhaps not all of it
    where that is more than enough."""
    room, start, bits = np.empty((4, largest_class(ends)), np.int64), 0, 0.0
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start = ends[k]
        place, exceptions = demand_of_class(ranks, some, target, tables.numbers, counts, room)
        bits += exceptions * tables.unlike[column, place]
        if target[LEFT] < 0:
            bits += tables.apart[column, place]
        if bits > enough:
            break
    return bits


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
            left, right, direction = ranks[target[LEFT]], target[RIGHT], direction_of(target)
            bits += bits_of_two(rows[start : ends[k]], left, right, direction, tables)
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
def most_bits_alike(ends, column, tables):
    """The bits of a right side if classes knew nothing of each other; they fall when contexts grow."""
    bits, start = 0.0, 0
    for k in range(ends.shape[0]):
        place = place_of(ends[k] - start)
        place += tables.numbers[place] < ends[k] - start
        bits, start = bits + tables.alike[column, place], ends[k]
    return bits


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
