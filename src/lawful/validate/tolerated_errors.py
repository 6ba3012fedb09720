"""Whether the error of a key, an FD or an OD is larger than one that is tolerated: rows to remove, or pairs.

Counting stops as soon as that is known. Where classes in order are left out, each class adds one at least:
often that is known before anything is counted.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.targets import LEFT, RIGHT
from lawful.validate.exceptions import largest_class, longest_run, sides_in_order
from lawful.validate.scan import direction_of

DIGITS = 33  # that a number of rows has at most, and one


@kernel
def error_of_class(size, of_pairs):
    """How many pairs so many alike rows are, or how many of them must go so that none are alike."""
    return np.int64(size) * (np.int64(size) - 1) // 2 if of_pairs else np.int64(size) - 1


@kernel
def error_of_classes(ends, of_pairs):
    """The same of all classes of a partition."""
    error, start = 0, 0
    for k in range(ends.shape[0]):
        error += error_of_class(ends[k] - start, of_pairs)
        start = ends[k]
    return error


@kernel
def digits_of(number):
    """How many binary digits a number has."""
    count = 0
    while number:
        number >>= 1
        count += 1
    return count


@kernel
def largest_first(ends):
    """The classes of a partition, those whose sizes have the most binary digits first."""
    first, order, start = np.zeros(DIGITS + 1, np.int64), np.empty(ends.shape[0], np.int64), 0
    for k in range(ends.shape[0]):
        first[DIGITS - digits_of(ends[k] - start) + 1] += 1
        start = ends[k]
    for digits in range(DIGITS):
        first[digits + 1] += first[digits]
    start = 0
    for k in range(ends.shape[0]):
        place = DIGITS - digits_of(ends[k] - start)
        order[first[place]] = k
        first[place] += 1
        start = ends[k]
    return order


@kernel
def inversions(values, count, room):
    """How many pairs of some values fall; puts them in order, by merging."""
    found, width = 0, 1
    while width < count:
        for start in range(0, count, 2 * width):
            middle, end = min(start + width, count), min(start + 2 * width, count)
            i, j = start, middle
            for place in range(start, end):
                if i < middle and (j == end or values[i] <= values[j]):
                    room[place] = values[i]
                    i += 1
                else:
                    room[place] = values[j]
                    found += middle - i
                    j += 1
        for place in range(count):
            values[place] = room[place]
        width *= 2
    return found


@kernel
def error_of_values(rows, column, counts, of_pairs, limit):
    """How many pairs of a class differ on a column, or how many rows must go so that none do.

    The first rows alone may have more than a limit: no more is told then.
    """
    most, equal, size, error = 1, 0, 0, 0
    while size < rows.shape[0] and error <= limit:
        rank = column[rows[size]]
        size += 1
        if rank >= 0:
            equal += counts[rank]
            counts[rank] += 1
            most = max(most, counts[rank])
        error = size * (size - 1) // 2 - equal if of_pairs else size - most
    for i in range(size):
        rank = column[rows[i]]
        if rank >= 0:
            counts[rank] = 0
    return error


@kernel
def fd_exceeds(column, rows, ends, order, total, limit, of_pairs, counts):
    """Whether the error of an FD is larger than a limit.

    `order` says which classes come first, `total` is the error of all of them as those of a key.
    """
    error, left = 0, total
    for k in range(ends.shape[0]):
        if error > limit or error + left <= limit:
            break
        start, end = ends[order[k] - 1] if order[k] else 0, ends[order[k]]
        left -= error_of_class(end - start, of_pairs)
        if end - start == 2:
            rank = column[rows[start]]
            error += int(rank < 0 or rank != column[rows[start + 1]])
        else:
            error += error_of_values(rows[start:end], column, counts, of_pairs, limit - error)
    return error + left > limit


@kernel
def error_of_order(rows, left, right, direction, of_pairs, room):
    """How many pairs of a class, sorted by the left side, are out of order, or how many rows must go."""
    known = sides_in_order(rows, left, right, direction, room[0], room[1])
    if of_pairs:
        return inversions(room[1], known, room[2])
    return known - longest_run(room[1], known, room[2], room[3])


@kernel
def exceeds(ranks, rows, ends, target, limit, of_pairs, counts):
    """Whether the error of a law is larger than a limit, on classes each of which has a pair against it."""
    if ends.shape[0] > limit:
        return True
    left, right, error, start = target[LEFT], target[RIGHT], 0, 0
    room = np.empty((4, largest_class(ends) if right >= 0 else 0), np.int64)
    for k in range(ends.shape[0]):
        some, others = rows[start : ends[k]], ends.shape[0] - k - 1
        start, size = ends[k], some.shape[0]
        if size == 2:
            error += 1
        elif left < 0:
            error += size * (size - 1) // 2 if of_pairs else size - 1
        elif right < 0:
            error += error_of_values(some, ranks[left], counts, of_pairs, limit - others - error)
        else:
            error += error_of_order(some, ranks[left], ranks[right], direction_of(target), of_pairs, room)
        if error + others > limit:
            return True
    return False
