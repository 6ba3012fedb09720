"""Keys and FDs that hold but for a share of the pairs: all sets of columns on which more pairs agree.

If no more pairs agree on a set than are tolerated, it is almost a key, and determines all columns. The other
sets are few, unless there are very many columns, and each of their partitions serves all FDs. Most of the
pairs of a partition lie in its largest classes: they come first, and soon it is known which columns the set
determines almost, and which it does not.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.validate.partition import every_pair, new_loose_path, partition_at, refine_path
from lawful.validate.tolerated_errors import error_of_values
from lawful.words import ONE, Words, bit, has, new_index, place_in, put

DIGITS = 33  # that a number of rows has at most, and one


@kernel
def pairs_of(size):
    """How many pairs so many rows are."""
    return np.int64(size) * (np.int64(size) - 1) // 2


@kernel
def pairs_in_classes(ends):
    """How many pairs of rows share a class."""
    pairs, start = 0, 0
    for k in range(ends.shape[0]):
        pairs += pairs_of(ends[k] - start)
        start = ends[k]
    return pairs


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
def mark_determined(ranks, rows, ends, columns, members, limit, counts, determined):
    """Add to a set the columns that the classes of other columns determine but for so many pairs."""
    order, total = largest_first(ends), pairs_in_classes(ends)
    for at in range(columns.shape[0]):
        column, error, left = columns[at], 0, total
        if has(members, column) or has(determined, column):
            continue
        for k in range(ends.shape[0]):
            if error > limit or error + left <= limit:
                break
            start, end = ends[order[k] - 1] if order[k] else 0, ends[order[k]]
            left -= pairs_of(end - start)
            error += error_of_values(rows[start:end], ranks[column], counts, True)
        if error + left <= limit:
            put(determined, column)


@kernel
def mark_by_pairs(family, used, columns, limit):
    """Add the columns that sets with more than twice the tolerated pairs determine but for so many.

    The pairs that agree on a set and not on a column are those of the set less those of both together. If
    these are not at hand, they are no more than tolerated, and the others are too many.
    """
    sets, pairs, determined, slots = family
    larger = np.empty(sets.shape[1], np.uint64)
    for k in range(used):
        for at in range(columns.shape[0] if pairs[k] > 2 * limit else 0):
            copy_items(sets[k], larger)
            put(larger, columns[at])
            number = slots[place_in(slots, sets, larger)]
            if number and number != k + 1 and pairs[k] - pairs[number - 1] <= limit:
                put(determined[k], columns[at])


@kernel
def without_known(family, used):
    """What each set determines that none with a column less does; nothing where one of these is missing."""
    sets, _, determined, slots = family
    smaller, fresh = np.empty(sets.shape[1], np.uint64), determined[:used].copy()
    for k in range(used):
        for w in range(sets.shape[1]):
            rest = sets[k, w]
            while rest:
                copy_items(sets[k], smaller)
                smaller[w] ^= rest & (~rest + ONE)
                rest &= rest - ONE
                number = slots[place_in(slots, sets, smaller)]
                for v in range(smaller.shape[0]):
                    fresh[k, v] &= ~determined[number - 1, v] if number else np.uint64(0)
    return fresh


@kernel
def may_agree(family, members, limit):
    """Whether more pairs than are tolerated agree on every set with a column less: they have been visited."""
    sets, pairs, _, slots = family
    smaller = np.empty(members.shape[0], np.uint64)
    for w in range(members.shape[0]):
        rest = members[w]
        while rest:
            copy_items(members, smaller)
            smaller[w] ^= rest & (~rest + ONE)
            rest &= rest - ONE
            number = slots[place_in(slots, sets, smaller)]
            if number == 0 or pairs[number - 1] <= limit:
                return False
    return True


class VisitedSets(NamedTuple):
    """Sets of columns, and what is known of them."""

    sets: Words
    pairs: Ints  # that agree on each
    determined: Words  # the columns that each determines almost
    slots: Ints  # where a set stands, behind 0, by its hash


@kernel
def new_family(most_sets, words):
    """Room for so many sets."""
    return VisitedSets(
        np.zeros((most_sets, words), np.uint64),
        np.zeros(most_sets, np.int64),
        np.zeros((most_sets, words), np.uint64),
        new_index(most_sets),
    )


@kernel
def agreeing_sets(ranks, orders, columns, limit, most_sets, counts, halt):
    """Sets of columns on which more pairs agree than a limit, and almost keys beside them.

    The columns should come with those first that tell the most. A set comes after all that are parts of it.
    Returned are the sets, for each which columns it determines but for so many pairs and no smaller set does,
    one behind the last column meaning that it is almost a key, and whether these are all: there may be more
    sets than are wanted.
    """
    words, path = (ranks.shape[0] >> 6) + 1, new_loose_path(orders, columns.shape[0] + 2)
    family = new_family(most_sets, words)
    sets, pairs, determined, slots = family
    chosen, branch = np.zeros(columns.shape[0] + 1, np.int64), np.zeros(columns.shape[0] + 2, np.int64)
    last, members = np.full(columns.shape[0] + 2, -1, np.int64), np.zeros(words, np.uint64)
    used, depth, entering = 0, 0, True
    while depth >= 0 and used < most_sets and halt[0] == 0:
        if entering:
            branch[depth] = last[depth]
            if may_agree(family, members, limit):
                path.made[0] = min(path.made[0], max(depth - 1, 0))
                path = refine_path(path, ranks, chosen, depth, counts, every_pair())
                rows, ends = partition_at(path, depth)
                copy_items(members, sets[used])
                pairs[used] = pairs_in_classes(ends)
                if pairs[used] > limit:
                    branch[depth] = columns.shape[0] - 1
                    if pairs[used] <= 2 * limit:
                        mark_determined(ranks, rows, ends, columns, members, limit, counts, determined[used])
                else:
                    for k in range(columns.shape[0]):
                        if not has(members, columns[k]):
                            put(determined[used], columns[k])
                    put(determined[used], ranks.shape[0])
                slots[place_in(slots, sets, members)] = used + 1
                used += 1
        entering = branch[depth] > last[depth]
        if entering:
            chosen[depth] = columns[branch[depth]]
            last[depth + 1] = branch[depth]
            branch[depth] -= 1
            put(members, chosen[depth])
            depth += 1
        else:
            depth -= 1
            if depth >= 0:
                members[chosen[depth] >> 6] ^= bit(chosen[depth])
    mark_by_pairs(family, used, columns, limit)
    return sets[:used], without_known(family, used), depth < 0
