"""Bits of the columns of contexts: how surely one, shuffled, fails to tell the exceptions of a law apart.

The exceptions are those that the context has without the column. Of a table of few rows the ways to give the
rows that conflict values are counted; of a larger one a formula tells how likely each exception is unlike the
rows that it conflicts with.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.laws.targets import LEFT, RIGHT
from lawful.validate.bit_tables import EXACT, correction, place_of
from lawful.validate.cuts import conflict_in, most_bits_of_column
from lawful.validate.exceptions import (
    fill_demand,
    longest_run,
    parts_of_class,
    sides_in_order,
)
from lawful.validate.scan import direction_of, violation_in_class

# What is found, by its place: how many cells are touched, how many rows are in classes with exceptions, how
# many exceptions there are, and at how many of these to look whether they are enough.
TOUCHED, INVOLVED, COUNT, NEXT_LOOK = 0, 1, 2, 3
FIRST_LOOK = 8  # exceptions at which to look first
RUNS = 8  # sorted runs of a class whose rows are told from each other; what is on none of them goes uncounted
FEW_ROWS = 64  # of a table whose values are given to rows in all ways
CONFLICTED = 10  # rows that are given values; the other rows may conflict as they like


class Exceptions(NamedTuple):
    """Exceptions that a context leaves, counted by places."""

    cells: npt.NDArray[np.int64]  # [conflicts, before]: by conflicts, and by exceptions of the class before
    touched: Ints  # [k, 2]: the cells that are not zero
    found: Ints  # as numbered below
    demand: npt.NDArray[np.float64]  # of a key: as `fill_demand` has it


@kernel
def new_exceptions(places, total):
    """Room for those of any partition of so many rows."""
    cells = np.zeros((places, places), np.int64)
    room = min(places * places, total)
    return Exceptions(cells, np.empty((room, 2), np.int64), np.zeros(4, np.int64), np.zeros((2, places)))


@kernel
def clear(exceptions):
    """Forget all."""
    found = exceptions.found
    for k in range(found[TOUCHED]):
        exceptions.cells[exceptions.touched[k, 0], exceptions.touched[k, 1]] = 0
    found[TOUCHED], found[INVOLVED], found[COUNT], found[NEXT_LOOK] = 0, 0, 0, FIRST_LOOK


@kernel
def add_exceptions(exceptions, conflicts, before, times):
    """Count rows that conflict with so many others each, after so many exceptions of their class."""
    at, after = place_of(conflicts), place_of(before)
    if exceptions.cells[at, after] == 0:
        place = exceptions.found[TOUCHED]
        exceptions.touched[place, 0], exceptions.touched[place, 1] = at, after
        exceptions.found[TOUCHED] = place + 1
    exceptions.cells[at, after] += times
    exceptions.found[COUNT] += times


@kernel
def add_splits(exceptions, sizes, count, numbers):
    """Count the exceptions of a class whose values have these sizes: each is to be told from larger ones."""
    some = sizes[:count]
    some.sort()
    conflicts = some[count - 1]
    for v in range(count - 2, -1, -1):
        before = 0
        while before < some[v]:  # all that have one place at once
            after = min(numbers[place_of(before) + 1], some[v])
            add_exceptions(exceptions, conflicts, before, after - before)
            before = after
        conflicts += some[v]


@kernel
def add_conflicts(lefts, rights, first, last, start, end, conflicts):
    """Add with how many rows of one sorted run, from `first` on, each row of another is out of order.

    The runs are given by their sides, and both are gone along.
    """
    less, no_more, lower, no_higher = first, first, first, first  # where rows end that are so in both sides
    for i in range(start, end):
        left, right = lefts[i], rights[i]
        while less < last and lefts[less] < left:
            less += 1
        while no_more < last and lefts[no_more] <= left:
            no_more += 1
        while lower < last and rights[lower] < right:
            lower += 1
        while no_higher < last and rights[no_higher] <= right:
            no_higher += 1
        conflicts[i - start] += max(less - no_higher, 0) + max(lower - no_more, 0)


@kernel
def take_run(lefts, rights, count, tails, before, run_lefts, run_rights):
    """Move the longest sorted run out of a class, given by its sorted sides; returns its length."""
    length, last = longest_run(rights, count, tails, before), np.int64(0)
    wanted, left = length, 0
    for i in range(count - 1, -1, -1):
        if before[i] + 1 == wanted and (wanted == length or rights[i] <= last):
            wanted, last = wanted - 1, rights[i]
            run_lefts[wanted], run_rights[wanted] = lefts[i], rights[i]
            before[i] = -1
    for i in range(count):
        if before[i] >= 0:
            lefts[left], rights[left] = lefts[i], rights[i]
            left += 1
    return length


@kernel
def add_swaps(exceptions, room, count, column, enough, tables, total):
    """Count the exceptions of a class, given by its sorted sides: what is off the longest sorted run is to be
    told from the rows that it is out of order with. The rows of another run need not be told from each other.

    Returns whether they are worth enough; no more are counted then.
    """
    lefts, rights, runs_left, runs_right, conflicts = room[0], room[1], room[4], room[5], room[2]
    ends, runs, taken, left = np.zeros(RUNS + 1, np.int64), 0, 0, count
    while left > 0 and runs < RUNS:
        run = take_run(lefts, rights, left, room[2], room[3], runs_left[taken:], runs_right[taken:])
        for i in range(run):
            conflicts[i] = 0
        for k in range(runs):
            add_conflicts(runs_left, runs_right, ends[k], ends[k + 1], taken, taken + run, conflicts)
        for i in range(run if runs else 0):
            add_exceptions(exceptions, conflicts[i], i, 1)
        taken, left, runs = taken + run, left - run, runs + 1
        ends[runs] = taken
        if are_enough(exceptions, column, enough, tables, total):
            return True
    if ends[1] < count:
        exceptions.found[INVOLVED] += count
    return False


@kernel
def count_exceptions(exceptions, ranks, rows, ends, target, column, enough, tables, counts, room):
    """Count the exceptions of a partition, whose classes are in the order of a swap's left side.

    Returns whether those that were counted are worth enough, if a column must tell them; else it is all.
    """
    clear(exceptions)
    start, pairs, total = 0, 0, ranks.shape[1]
    if target[LEFT] < 0:
        for place in range(exceptions.demand.shape[1]):
            exceptions.demand[0, place] = exceptions.demand[1, place] = 0.0
        fill_demand(ranks, rows, ends, target, tables.numbers, counts, exceptions.demand)
        exceptions.found[INVOLVED] = rows.shape[0]
        return False
    left = ranks[target[LEFT]]
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start = ends[k]
        if some.shape[0] == 2:  # most often
            pairs += conflict_in(ranks, some[0], some[1], target)
            if pairs + exceptions.found[COUNT] < exceptions.found[NEXT_LOOK]:
                continue
            add_pairs(exceptions, pairs)
            pairs = 0
        elif violation_in_class(ranks, some, 0, some.shape[0], target)[0] < 0:
            continue  # as in most classes
        elif target[RIGHT] >= 0:
            right = ranks[target[RIGHT]]
            known = sides_in_order(some, left, right, direction_of(target), room[0], room[1])
            if known > 1 and add_swaps(exceptions, room, known, column, enough, tables, total):
                return True
        else:
            values = parts_of_class(some, left, counts, room[0])
            if values > 1:
                add_splits(exceptions, room[0], values, tables.numbers)
                exceptions.found[INVOLVED] += some.shape[0]
        if are_enough(exceptions, column, enough, tables, total):
            return True
    add_pairs(exceptions, pairs)
    return False


@kernel
def add_pairs(exceptions, pairs):
    """Count classes of two rows that conflict."""
    if pairs:
        add_exceptions(exceptions, 1, 0, pairs)
        exceptions.found[INVOLVED] += 2 * pairs


@kernel
def are_enough(exceptions, column, enough, tables, total):
    """Whether the exceptions counted so far are worth enough, whatever others there are.

    To look takes time: only when there are twice as many as the last time.
    """
    if exceptions.found[COUNT] < exceptions.found[NEXT_LOOK]:
        return False
    exceptions.found[NEXT_LOOK] = 2 * exceptions.found[COUNT]
    return bits_at_least(exceptions, column, tables, total) > enough


@kernel
def bits_at_least(exceptions, column, tables, total):
    """What a column is worth that must tell the exceptions counted so far, and perhaps others."""
    return bits_of_exceptions(exceptions, column, tables) - correction(column, total, tables, total)


@kernel
def bits_of_exceptions(exceptions, column, tables):
    """How surely a shuffled column fails to tell exceptions from what they conflict with if it does not run
    out of values.

    Exceptions of one class share their luck: what the rows that they conflict with leave free is free for all
    of them.
    """
    bits = 0.0
    for k in range(exceptions.found[TOUCHED]):
        at, after = exceptions.touched[k, 0], exceptions.touched[k, 1]
        unlike = tables.unlike[column, at]
        if after > 0:
            before = tables.numbers[after] if after < EXACT else tables.numbers[after + 1] - 1
            weight = tables.weight[column, at]
            unlike = -math.log2((2.0**-unlike * weight + before) / (weight + before))
        bits += exceptions.cells[at, after] * unlike
    return bits


@kernel
def bits_by_formula(exceptions, column, key, floor, tables, total):
    """How surely a shuffled column fails to tell the exceptions from what they conflict with.

    If they had luck each of their own, and still no more than the floor, that is no matter.
    """
    bits = 0.0
    for k in range(exceptions.found[TOUCHED]):
        at, after = exceptions.touched[k, 0], exceptions.touched[k, 1]
        bits += exceptions.cells[at, after] * tables.unlike[column, at]
    if bits <= floor and not key:
        return bits
    bits = bits_of_exceptions(exceptions, column, tables)
    for place in range(exceptions.demand.shape[1] if key else 0):
        bits += exceptions.demand[0, place] * tables.apart[column, place]
        bits += exceptions.demand[1, place] * tables.unlike[column, place]
    return max(bits - correction(column, exceptions.found[INVOLVED], tables, total), 0.0)


@kernel
def conflict_of(ranks, t, s, target):
    """Whether two rows of a class, one after the other in the order of a swap's left side, conflict."""
    return target[LEFT] < 0 or conflict_in(ranks, t, s, target)


@kernel
def write_conflicts(ranks, rows, ends, target, partners):
    """Choose the rows with the most conflicts within their classes, as many as there is room for.

    partners[k] are those of the k-th as bits. Returns how many were chosen.
    """
    conflicts, class_of = np.zeros(rows.shape[0], np.int64), np.empty(rows.shape[0], np.int64)
    chosen, count, start = np.empty(partners.shape[0], np.int64), 0, 0
    for k in range(ends.shape[0]):
        for i in range(start, ends[k]):
            class_of[i] = k
            for j in range(i + 1, ends[k]):
                found = int(conflict_of(ranks, rows[i], rows[j], target))
                conflicts[i], conflicts[j] = conflicts[i] + found, conflicts[j] + found
        start = ends[k]
    while count < partners.shape[0] and rows.shape[0] > 0:
        most = 0
        for i in range(rows.shape[0]):
            most = i if conflicts[i] > conflicts[most] else most
        if conflicts[most] == 0:
            break
        chosen[count], conflicts[most] = most, 0
        count += 1
    for k in range(count):
        partners[k] = 0
        for other in range(count):
            i, j = min(chosen[k], chosen[other]), max(chosen[k], chosen[other])
            if i < j and class_of[i] == class_of[j] and conflict_of(ranks, rows[i], rows[j], target):
                partners[k] |= 1 << other
    return count


@kernel
def write_at_peace(partners, count, peaceful, members):
    """Write the sets of rows, as bits, that may have one value, and how many rows each has.

    Returns how many sets there are.
    """
    found, known = 0, np.zeros(1 << count, np.bool_)
    known[0] = True
    for some in range(1, 1 << count):
        last = 0
        while some >> (last + 1):
            last += 1
        rest = some ^ (1 << last)
        if known[rest] and not partners[last] & rest:
            known[some], peaceful[found] = True, some
            size = 0
            for k in range(count):
                size += (some >> k) & 1
            members[found] = size
            found += 1
    return found


@kernel
def bits_of_values(ranks, rows, ends, column, target, counts):
    """How surely a shuffled column gives some rows that conflict the same value: all ways to give values to a
    few of them, those with the most conflicts, are counted. So it is exact where these are all."""
    partners = np.empty(CONFLICTED, np.int64)
    count, total = write_conflicts(ranks, rows, ends, target, partners), ranks.shape[1]
    sizes, peaceful = np.empty(total, np.int64), np.empty(1 << count, np.int64)
    values = parts_of_class(np.arange(total), ranks[column], counts, sizes)
    members = np.empty(1 << count, np.int64)
    sets = write_at_peace(partners, count, peaceful, members)
    everyone = (1 << count) - 1
    ways = np.zeros(1 << count)  # to give the rows of each set values, as far as values have had their turn
    ways[0] = 1.0
    for v in range(values):
        after = ways.copy()
        for k in range(sets):
            if members[k] <= sizes[v]:
                orders = 1.0
                for taken in range(members[k]):
                    orders *= sizes[v] - taken
                others = everyone ^ peaceful[k]
                rest = others
                while True:
                    if ways[rest] > 0.0:
                        after[peaceful[k] | rest] += ways[rest] * orders
                    if rest == 0:
                        break
                    rest = (rest - 1) & others
        ways = after
    chance = ways[everyone]
    for taken in range(count):
        chance /= total - taken
    return max(-math.log2(max(chance, 2.0**-1000.0)), 0.0)


@kernel
def bits_of_column(exceptions, ranks, rows, ends, column, target, floor, tables, counts):
    """How surely a shuffled column fails to tell the exceptions of a partition apart, as exactly as it can be
    told where that is more than the `floor`."""
    total = ranks.shape[1]
    bits = bits_by_formula(exceptions, column, target[LEFT] < 0, floor, tables, total)
    if total > FEW_ROWS:
        return bits
    most = most_bits_of_column(ranks, rows, ends, column, target, np.inf, tables, counts)
    if most <= max(bits, floor):
        return bits
    return max(bits, min(most, bits_of_values(ranks, rows, ends, column, target, counts)))
