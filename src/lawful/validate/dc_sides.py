"""Classes with two sides, Hydra's cluster pairs: the rows that can be t and those that can be s.

Filters and equi-joins take a partition apart into such classes (Hydra 6.3). The order of rows is kept within
each side.
"""

from typing import NamedTuple

import numpy as np

from lawful.evidence.outcomes import excludes
from lawful.kernels import kernel
from lawful.laws.comparisons import IN_FIRST, IN_SECOND
from lawful.validate.dc_literals import FILTERS, JOINS
from lawful.validate.partition import RowNumbers


class Sides(NamedTuple):
    """Class k has the rows t of `firsts` and the rows s of `seconds` between the ends k - 1 and k of each."""

    firsts: RowNumbers
    first_ends: RowNumbers
    seconds: RowNumbers
    second_ends: RowNumbers


@kernel
def class_at(sides, k):
    """Both sides of class k."""
    first = sides.first_ends[k - 1] if k else 0
    second = sides.second_ends[k - 1] if k else 0
    return sides.firsts[first : sides.first_ends[k]], sides.seconds[second : sides.second_ends[k]]


@kernel
def passes(ranks, literals, kind, row):
    """Whether a row can be t (kind IN_FIRST) or s (kind IN_SECOND)."""
    for k in range(literals.sizes[FILTERS]):
        line = literals.filters[k]
        if line[0] == kind and excludes(line[3], ranks[line[1], row], ranks[line[2], row]):
            return False
    return True


@kernel
def copy_passing(ranks, literals, kind, rows, out, size):
    """Append the rows that pass the filters to the first `size` ones; returns their number."""
    for i in range(rows.shape[0]):
        out[size] = rows[i]
        size += passes(ranks, literals, kind, rows[i])
    return size


@kernel
def room_for(rows, classes):
    """Sides to be written, with room for one row more on each."""
    return Sides(
        np.empty(rows + 1, np.int32),
        np.empty(classes + 1, np.int32),
        np.empty(rows + 1, np.int32),
        np.empty(classes + 1, np.int32),
    )


@kernel
def cut_to(sides, first_size, second_size, classes):
    return Sides(
        sides.firsts[:first_size],
        sides.first_ends[:classes],
        sides.seconds[:second_size],
        sides.second_ends[:classes],
    )


@kernel
def filtered(ranks, literals, sides):
    """The classes with only the rows that pass the filters, without those where one side has none."""
    out = room_for(max(sides.firsts.shape[0], sides.seconds.shape[0]), sides.first_ends.shape[0])
    first_size, second_size, classes = 0, 0, 0
    for k in range(sides.first_ends.shape[0]):
        firsts, seconds = class_at(sides, k)
        first_end = copy_passing(ranks, literals, IN_FIRST, firsts, out.firsts, first_size)
        second_end = copy_passing(ranks, literals, IN_SECOND, seconds, out.seconds, second_size)
        if first_end > first_size and second_end > second_size:
            first_size, second_size = first_end, second_end
            out.first_ends[classes], out.second_ends[classes] = first_end, second_end
            classes += 1
    return cut_to(out, first_size, second_size, classes)


@kernel
def count_common(firsts, seconds, left, right, counts, other_counts):
    """Count the rows of each rank on both sides, on the second one only ranks that the first one has."""
    for i in range(firsts.shape[0]):
        rank = left[firsts[i]]
        if rank >= 0:
            counts[rank] += 1
    for i in range(seconds.shape[0]):
        rank = right[seconds[i]]
        if rank >= 0 and counts[rank] > 0:
            other_counts[rank] += 1


@kernel
def join_class(firsts, seconds, left, right, counters, out, sizes):
    """Split one class by t.left = s.right; `sizes` tells how many rows of both sides and classes are written.

    A counter becomes -1 minus the next free place once its rank's class has places.
    """
    counts, other_counts = counters
    count_common(firsts, seconds, left, right, counts, other_counts)
    first_size, second_size, classes = sizes
    for i in range(firsts.shape[0]):
        rank = left[firsts[i]]
        if rank < 0 or other_counts[rank] == 0:
            continue
        if counts[rank] > 0:
            count, other_count = counts[rank], other_counts[rank]
            counts[rank], other_counts[rank] = -1 - first_size, -1 - second_size
            first_size, second_size = first_size + count, second_size + other_count
            out.first_ends[classes], out.second_ends[classes] = first_size, second_size
            classes += 1
        out.firsts[-1 - counts[rank]] = firsts[i]
        counts[rank] -= 1
    for i in range(seconds.shape[0]):
        rank = right[seconds[i]]
        if rank >= 0 and other_counts[rank] < 0:
            out.seconds[-1 - other_counts[rank]] = seconds[i]
            other_counts[rank] -= 1
    for i in range(firsts.shape[0]):
        if left[firsts[i]] >= 0:
            counts[left[firsts[i]]] = 0
    for i in range(seconds.shape[0]):
        if right[seconds[i]] >= 0:
            other_counts[right[seconds[i]]] = 0
    return first_size, second_size, classes


@kernel
def joined(ranks, sides, left, right, counters):
    """The classes split by t.left = s.right, without those where one side has no rows."""
    rows = max(sides.firsts.shape[0], sides.seconds.shape[0])
    out = room_for(rows, rows)
    sizes = (np.int64(0), np.int64(0), np.int64(0))
    for k in range(sides.first_ends.shape[0]):
        firsts, seconds = class_at(sides, k)
        sizes = join_class(firsts, seconds, ranks[left], ranks[right], counters, out, sizes)
    return cut_to(out, sizes[0], sizes[1], sizes[2])


@kernel
def taken_apart(ranks, literals, sides, counters):
    """The classes after all filters and joins of a DC."""
    if literals.sizes[FILTERS] > 0:
        sides = filtered(ranks, literals, sides)
    for k in range(literals.sizes[JOINS]):
        sides = joined(ranks, sides, literals.joins[k, 0], literals.joins[k, 1], counters)
    return sides
