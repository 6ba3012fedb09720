"""Bits of the sides of FDs and ODs: how surely a side, shuffled, breaks the law in some class of its context.

What a class can tell depends on its size and, for an OD, on the ties of the side that stays as it is.
"""

import math

import numpy as np

from lawful.kernels import kernel
from lawful.laws.codec import FD_KIND, OD_KIND
from lawful.table.ranked import RankedRows, Ranks
from lawful.table.workspace import Workspace
from lawful.validate.bit_tables import EXACT, bit_tables, bits_of_two, correction, place_of
from lawful.validate.candidates import log_candidates
from lawful.validate.contexts import partition_of
from lawful.validate.cuts import most_bits_alike
from lawful.validate.exceptions import values_of_class
from lawful.validate.ordering import differ_within

FEW_ROWS, FEW_WAYS = 64, 1 << 15  # of a table and of its values: so many are counted one by one


@kernel
def bits_alike(rows, ends, column, tables, total):
    """How surely a shuffled column has more than one value in some class: the better of two bounds."""
    together, put_back, start, factorials, pairs = 0.0, 0.0, 0, tables.factorials, 0
    for k in range(ends.shape[0]):
        size = ends[k] - start
        start = ends[k]
        if size == 2:  # most often
            pairs += 1
            continue
        place = place_of(size)
        before, after = tables.same[column, place], tables.same[column, place + 1]
        step = tables.numbers[place + 1] - tables.numbers[place]
        put_back += before + (after - before) * (size - tables.numbers[place]) / step
        together += tables.alike[column, place] - (factorials[total] - factorials[total - size])
    if pairs:
        put_back += pairs * tables.same[column, 2]
        together += pairs * (tables.alike[column, 2] - factorials[total] + factorials[total - 2])
    together += factorials[total] - factorials[total - rows.shape[0]]
    return max(put_back - correction(column, rows.shape[0], tables, total) / 2, together, 0.0)


@kernel
def values_to_share(column, counts, sizes):
    """Write how often the values come that more than one row has; returns how many these are."""
    values, found = values_of_class(np.arange(column.shape[0]), column, counts, sizes), 0
    for v in range(values):
        if sizes[v] > 1:
            sizes[found] = sizes[v]
            found += 1
    return found


@kernel
def ways_to_share(ends, sizes, states):
    """In how many ways each class can be given a value, by how many rows that takes of each value.

    A state is a number with a digit for each value. A value has so many rows as `sizes` says.
    """
    ways, start = np.zeros(states), 0
    ways[0] = 1.0
    for k in range(ends.shape[0]):
        size, after, stride = ends[k] - start, np.zeros(states), 1
        start = ends[k]
        for v in range(sizes.shape[0]):
            base = sizes[v] + 1
            for state in range(states):
                if ways[state] > 0.0 and (state // stride) % base + size <= sizes[v]:
                    after[state + size * stride] += ways[state]
            stride *= base
        ways = after
    return ways


@kernel
def bits_shared_out(rows, ends, column, tables, counts):
    """How surely a shuffled column has more than one value in some class: exactly, for a few rows.

    Returns -1 where there are too many ways to share its values out to the classes.
    """
    total, factorials = column.shape[0], tables.factorials
    if total > FEW_ROWS or ends.shape[0] == 0:
        return -1.0
    sizes, states = np.empty(total, np.int64), 1
    values = values_to_share(column, counts, sizes)
    for v in range(values):
        states *= sizes[v] + 1
        if states * values * ends.shape[0] > FEW_WAYS:
            return -1.0
    ways, chance = ways_to_share(ends, sizes[:values], states), 0.0
    for state in range(states):
        if ways[state] > 0.0:
            rest, orders = state, 0.0
            for v in range(values):
                taken = rest % (sizes[v] + 1)
                rest //= sizes[v] + 1
                orders += factorials[sizes[v]] - factorials[sizes[v] - taken]
            chance += ways[state] * 2.0 ** (orders - factorials[total] + factorials[total - rows.shape[0]])
    return max(-math.log2(max(chance, 2.0**-1000.0)), 0.0)


@kernel
def bits_of_right_side(ranks, rows, ends, column, tables, counts):
    """How surely a shuffled column has more than one value in some class, as exactly as it can be told."""
    exactly = bits_shared_out(rows, ends, ranks[column], tables, counts)
    if exactly < 0.0:
        return bits_alike(rows, ends, column, tables, ranks.shape[1])
    # No more than cuts suppose, which do not know that what one class takes is not left for another.
    return min(exactly, most_bits_alike(ends, column, tables))


@kernel
def bits_in_order(rows, ends, fixed, shuffled, enough, tables, counts, sizes):
    """How surely a shuffled column, by its number, is out of order with a fixed one in some class.

    Either all rows of a class are sorted, or so are pairs of them: the better of two bounds. Where the bits
    are more than enough they need not be all.
    """
    bits, pairs, end = 0.0, 0, 0
    of_pair = max(tables.rising[shuffled, 2], tables.swap[shuffled])
    for k in range(ends.shape[0]):
        start, end = end, ends[k]
        if not differ_within(rows, start, end, fixed):  # as in many classes
            continue
        if end - start == 2:  # most often
            pairs += int(fixed[rows[start]] >= 0 and fixed[rows[start + 1]] >= 0)
        else:
            bits += bits_of_sorted(rows[start:end], fixed, shuffled, tables, counts, sizes)
        if bits + pairs * of_pair > enough:
            break
    return bits + pairs * of_pair


@kernel
def bits_of_sorted(rows, fixed, shuffled, tables, counts, sizes):
    """The same of one class."""
    values = values_of_class(rows, fixed, counts, sizes)
    known, most, ties = 0, 0, 0.0
    for v in range(values):
        known, most = known + sizes[v], max(most, sizes[v])
        ties += tables.factorials[sizes[v]]
    place = place_of(known)
    sorted_bits = tables.rising[shuffled, place] - ties
    sorted_bits += (known - tables.numbers[place]) * tables.slope[shuffled, place]
    return max(sorted_bits, min(known // 2, known - most) * tables.swap[shuffled], 0.0)


@kernel
def most_bits_in_order(rows, ends, fixed, shuffled, floor, tables):
    """What a side of an OD, by its number, can be worth in classes of these sizes whose rows differ on the
    fixed one; perhaps not all if it is more than the floor.

    Where that is no more, as for most ODs, no class need be looked at closer.
    """
    bits, pairs, end = 0.0, 0, 0
    low, swap = tables.low[shuffled], tables.swap[shuffled]
    for k in range(ends.shape[0]):
        start, end = end, ends[k]
        size = end - start
        if size == 2:  # most often
            pairs += int(fixed[rows[start]] != fixed[rows[start + 1]])
        elif differ_within(rows, start, end, fixed):  # as in few classes
            place = place_of(size)
            most = tables.rising[shuffled, place]
            most += (size - tables.numbers[place]) * tables.slope[shuffled, place]
            if low > 0.0 and size >= EXACT:  # told exactly: it may be as if all had the frequent value
                most = max(most, -size * math.log2(max(low, 1.0 - low)))
            bits += max(most, size // 2 * swap)
            if bits > floor:
                break
    return bits + pairs * max(tables.rising[shuffled, 2], swap)


@kernel
def bits_of_margins(rows, fixed, shuffled, counts, sizes):
    """How surely a shuffled column is out of order with a fixed one in all rows, given in its order: of all
    tables with the same values on both sides only one has no swap. -1 where a side lacks a value."""
    bits, known, end = math.lgamma(rows.shape[0] + 1.0), 0, 0
    for v in range(values_of_class(rows, shuffled, counts, sizes)):
        bits, known = bits - math.lgamma(sizes[v] + 1.0), known + sizes[v]
    if known < rows.shape[0] or fixed[rows[0]] < 0:
        return -1.0
    while end < rows.shape[0]:
        start = end
        while end < rows.shape[0] and fixed[rows[end]] == fixed[rows[start]]:
            end += 1
        bits -= math.lgamma(end - start + 1.0)
        for v in range(values_of_class(rows[start:end], shuffled, counts, sizes)):
            bits += math.lgamma(sizes[v] + 1.0)
    return max(bits / math.log(2.0), 0.0)


@kernel
def bits_of_side(ranks, rows, ends, fixed, shuffled, direction, enough, tables, counts, room):
    """How surely one side of an OD, shuffled, is out of order with the other in some class, each in the order
    of that one; perhaps not all bits where they are more than enough."""
    if ends.shape[0] == 1 and rows.shape[0] == ranks.shape[1]:
        together = bits_of_margins(rows, ranks[fixed], ranks[shuffled], counts, room[0])
        if together >= 0.0:
            return together
    if tables.low[shuffled] == 0.0:
        return bits_in_order(rows, ends, ranks[fixed], shuffled, enough, tables, counts, room[0])
    bits, start = 0.0, 0
    for k in range(ends.shape[0]):
        if bits > enough:
            break
        bits += bits_of_two(rows[start : ends[k]], ranks[fixed], shuffled, direction, tables)
        start = ends[k]
    return bits


def bits_between(ranks: Ranks, columns: int) -> tuple[float, float]:
    """The bits of the FD and of the OD between two columns that have the same classes, as these ranks tell.

    They depend on the sizes of the classes alone, and there are only sides to shuffle: the formulas of sides
    without what contexts need, whose kernels take long to compile.
    """
    rows = RankedRows(np.stack([ranks, ranks]), [True, True])
    classes, total = partition_of((0,), Workspace(rows)), rows.count
    fd = bits_of_right_side(rows.ranks, *classes, 1, bit_tables(rows), rows.counts)
    fd -= log_candidates(FD_KIND, 1, columns)
    if ranks.min() >= 0:
        sizes, times = np.unique(np.bincount(ranks), return_counts=True)
        alike = sum(count * math.lgamma(size + 1) for size, count in zip(sizes, times, strict=True))
        od = max(math.lgamma(total + 1) - alike, 0.0) / math.log(2)  # of all orders one has no swap
    else:
        everything, room = np.array([total], np.int32), np.empty(total, np.int64)
        order, tables = rows.orders[0], bit_tables(rows)
        od = bits_in_order(order, everything, rows.ranks[1], 0, np.inf, tables, rows.counts, room)
    return max(float(fd), 0.0), max(float(od) - log_candidates(OD_KIND, 0, columns), 0.0)
