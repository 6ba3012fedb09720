"""Exceptions: the rows that break a law in the classes of a context too small for it.

A column that is added to the context must tell every exception from the rows that it conflicts with. How
surely a shuffled column fails in that is what the column is worth (its bits); it only falls when the context
grows.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.targets import LEFT, RIGHT
from lawful.validate.bit_tables import place_of
from lawful.validate.scan import direction_of

COUNTED = 256  # values from which on they are not sorted by comparing them
COMPARED = 128  # rows of a class that are all compared with each other


@kernel
def values_of_class(rows, column, counts, sizes):
    """Write how many rows of a class have each value; returns how many values there are."""
    found = 0
    for i in range(rows.shape[0]):
        if column[rows[i]] >= 0:
            counts[column[rows[i]]] += 1
    for i in range(rows.shape[0]):
        rank = column[rows[i]]
        if rank >= 0 and counts[rank] > 0:
            sizes[found] = counts[rank]
            counts[rank] = 0
            found += 1
    return found


@kernel
def parts_of_class(rows, column, counts, sizes):
    """The same where a NULL that equals nothing is a value of its own."""
    found = values_of_class(rows, column, counts, sizes)
    for i in range(rows.shape[0]):
        if column[rows[i]] < 0:
            sizes[found] = 1
            found += 1
    return found


@kernel
def sides_in_order(rows, left, right, direction, lefts, rights):
    """Write the two sides of a class that is sorted by the left one, with those of one left by their right.

    Returns how many rows have a value on both sides.
    """
    found, start = 0, 0
    for i in range(rows.shape[0]):
        row = rows[i]
        if left[row] < 0 or right[row] < 0:
            continue
        if found > start and left[row] != lefts[found - 1]:
            sort_some(rights, start, found)
            start = found
        lefts[found], rights[found] = left[row], direction * right[row]
        found += 1
    sort_some(rights, start, found)
    return found


@kernel
def sort_some(values, start, end):
    """Sort some of the values: most often there is one, and many are counted."""
    some = values[start:end]
    if some.shape[0] < COUNTED:
        if some.shape[0] > 1:
            some.sort()
        return
    least, most = some.min(), some.max()
    if most - least >= some.shape[0]:
        some.sort()
        return
    counts, place = np.zeros(most - least + 1, np.int64), 0
    for value in some:
        counts[value - least] += 1
    for step in range(counts.shape[0]):
        for _ in range(counts[step]):
            some[place] = least + step
            place += 1


@kernel
def longest_run(values, count, tails, before):
    """The length of the longest run of values that never falls, not of neighbours only.

    `before[i]` is the length of the longest run that ends before value i and can go on with it. It is never
    less than that of a smaller neighbour, and most often not much more.
    """
    length = 0
    for i in range(count):
        low, high = 0, length
        if i > 0 and values[i] < values[i - 1]:
            high = before[i - 1]
        elif i > 0:
            low, step = before[i - 1] + 1, 1
            while low + step <= length and tails[low + step - 1] <= values[i]:
                low, step = low + step, 2 * step
            high = min(low + step - 1, length)
        while low < high:
            middle = (low + high) // 2
            if tails[middle] <= values[i]:
                low = middle + 1
            else:
                high = middle
        tails[low], before[i] = values[i], low
        length = max(length, low + 1)
    return length


@kernel
def most_conflicts(lefts, rights, count):
    """With how many others any row of a class, given by its sorted sides, is out of order at most."""
    if count > COMPARED:
        return count - 1
    most = 0
    for i in range(count):
        found = 0
        for j in range(count):
            found += (lefts[j] < lefts[i] and rights[j] > rights[i]) or (
                lefts[j] > lefts[i] and rights[j] < rights[i]
            )
        most = max(most, found)
    return most


@kernel
def largest_class(ends):
    """How many rows the largest class of a partition has."""
    largest, start = 0, 0
    for k in range(ends.shape[0]):
        largest, start = max(largest, ends[k] - start), ends[k]
    return largest


@kernel
def demand_of_class(ranks, some, target, numbers, counts, room):
    """How many rows of a class a column must tell from others, and at which place of how many others.

    Both are upper bounds, also for every larger context. Of a duplicate they are what the class has beyond
    the number of its place.
    """
    size = some.shape[0]
    if target[RIGHT] >= 0:
        left, right = ranks[target[LEFT]], ranks[target[RIGHT]]
        known = sides_in_order(some, left, right, direction_of(target), room[0], room[1])
        run = longest_run(room[1], known, room[2], room[3])
        return (place_of(most_conflicts(room[0], room[1], known)) if known > run else 0), known - run
    if target[LEFT] >= 0:
        values = parts_of_class(some, ranks[target[LEFT]], counts, room[0])
        most, least = 0, size
        for v in range(values):
            most, least = max(most, room[0, v]), min(least, room[0, v])
        return place_of(size - least), size - most
    return place_of(size), size - numbers[place_of(size)]


@kernel
def fill_demand(ranks, rows, ends, target, numbers, counts, demand):
    """Write of how many rows, by the number of those that they conflict with, a column must tell exceptions.

    demand[0] is by places of classes that must come apart, demand[1] by places of conflicts.
    """
    room, start = np.empty((4, largest_class(ends)), np.int64), 0
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start = ends[k]
        place, exceptions = demand_of_class(ranks, some, target, numbers, counts, room)
        demand[0, place] += target[LEFT] < 0
        demand[1, place] += exceptions
