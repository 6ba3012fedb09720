"""Scans of a partition's classes for pairs of rows that violate a law: splits and swaps (HyOD, algorithm 4).

Targets are those of `lawful.laws.targets`, on columns. At most one pair a class is taken, and at most as
many pairs as fit the output: an early stop.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import GREATER
from lawful.laws.targets import LEFT, RIGHT, RIGHT_OUTCOMES

PAIRS_SCANNED = 200  # of that many violating pairs, each of another class, the closest are kept


@kernel
def split_in_class(rows, start, end, column):
    """Two rows of a class that differ on a column, the first one of them; (-1, -1) where none do."""
    rank = column[rows[start]]
    for i in range(start + 1, end):
        if column[rows[i]] != rank or rank < 0:
            return rows[start], rows[i]
    return np.int32(-1), np.int32(-1)


@kernel
def swap_in_class(rows, start, end, left, right, direction):
    """Two rows of a class, sorted by `left`, that `right` orders the other way; (-1, -1) where none are.

    Runs along with the largest `right` (smallest, for the other direction) of the rows strictly before.
    """
    if end - start == 2:
        t, s = rows[start], rows[start + 1]
        known = left[t] >= 0 and right[t] >= 0 and right[s] >= 0
        if known and left[t] < left[s] and direction * right[t] > direction * right[s]:
            return t, s
        return np.int32(-1), np.int32(-1)
    before, here, rank = np.int32(-1), np.int32(-1), -1
    for i in range(start, end):
        row = rows[i]
        if left[row] < 0 or right[row] < 0:
            continue
        if left[row] != rank:
            if here >= 0 and (before < 0 or direction * right[here] > direction * right[before]):
                before = here
            rank, here = left[row], row
        elif direction * right[row] > direction * right[here]:
            here = row
        if before >= 0 and direction * right[before] > direction * right[row]:
            return before, row
    return np.int32(-1), np.int32(-1)


@kernel
def direction_of(target):
    """1 where the right side of a swap is to rise, -1 where it is to fall."""
    return 1 if target[RIGHT_OUTCOMES] == GREATER else -1


@kernel
def violation_in_class(ranks, rows, start, end, target):
    """Two rows of a class that violate a target; (-1, -1) where none do."""
    left, right = target[LEFT], target[RIGHT]
    if right >= 0:
        return swap_in_class(rows, start, end, ranks[left], ranks[right], direction_of(target))
    if left >= 0:
        return split_in_class(rows, start, end, ranks[left])
    return rows[start], rows[start + 1]


@kernel
def violating_pairs(ranks, rows, ends, targets, pairs, found):
    """Write pairs[k], pairs of rows that violate target k, one a class, until all are full.

    One scan for all targets: the rows of a class and their ranks are at hand for the second one.
    `found[k]` is how many pairs target k got.
    """
    wanted, start = targets.shape[0], 0
    for k in range(targets.shape[0]):
        found[k] = 0
    for number in range(ends.shape[0]):
        end = ends[number]
        for k in range(targets.shape[0]):
            if found[k] == pairs.shape[1]:
                continue
            t, s = violation_in_class(ranks, rows, start, end, targets[k])
            if t >= 0:
                pairs[k, found[k], 0], pairs[k, found[k], 1] = t, s
                found[k] += 1
                wanted -= int(found[k] == pairs.shape[1])
        if wanted == 0:
            break
        start = end


@kernel
def columns_agreeing(ranks, t, s):
    """On how many columns two rows agree."""
    equal = 0
    for column in range(ranks.shape[0]):
        if ranks[column, t] == ranks[column, s] and ranks[column, t] >= 0:
            equal += 1
    return equal


@kernel
def keep_closest(ranks, pairs, found, keep):
    """Bring the `keep` pairs that agree on the most columns to the front (HyOD's top n); returns how many."""
    scores = np.empty(found, np.int64)
    for k in range(found):
        scores[k] = columns_agreeing(ranks, pairs[k, 0], pairs[k, 1])
    keep = min(keep, found)
    for place in range(keep):
        best = place
        for k in range(place + 1, found):
            if scores[k] > scores[best]:
                best = k
        scores[place], scores[best] = scores[best], scores[place]
        for side in range(2):
            pairs[place, side], pairs[best, side] = pairs[best, side], pairs[place, side]
    return keep
