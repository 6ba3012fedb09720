"""Keys and FDs that hold but for some pairs: all sets of columns that are not almost keys, smallest first.

The error of a set is that of its key: the pairs that agree on it. If that is tolerated, the set determines
all columns. The other sets are few, unless there are many columns, and each of their partitions serves all
FDs. Most of the error of a partition lies in its largest classes: they come first, and soon it is known which
columns the set determines almost, and which it does not.

Some sets need no partition. A set with the error of one of its parts has the same classes, and so do both
with any further columns (the free sets of FUN, Novelli and Cicchetti). And where two columns have the same
classes, one stands for the other in all larger sets.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.validate.partition import every_pair, new_loose_path, partition_at, refine_path
from lawful.validate.tolerated_errors import error_of_classes, fd_exceeds, largest_first
from lawful.words import ONE, Words, bit, has, new_index, place_in, put


@kernel
def mark_determined(ranks, rows, ends, columns, members, limit, counts, determined):
    """Add to a set the columns that the classes of other columns determine but for a tolerated error."""
    order, total = largest_first(ends), error_of_classes(ends, True)
    for at in range(columns.shape[0]):
        column = columns[at]
        if has(members, column) or has(determined, column):
            continue
        if not fd_exceeds(ranks[column], rows, ends, order, total, limit, True, counts):
            put(determined, column)


@kernel
def mark_by_pairs(family, used, columns, limit):
    """Add the columns that sets with more than twice the tolerated pairs determine but for so many.

    The pairs that agree on a set and not on a column are those of the set less those of both together. If
    these are not at hand, they are no more than tolerated, and the others are too many.
    """
    sets, pairs, determined, _, slots = family
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
    sets, _, determined, _, slots = family
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
def look_at_parts(family, members, limit, known):
    """What the sets with a column less, which have been visited, tell of a set.

    Returned are the least of their errors, or -1 where one of them is almost a key or has such a part, and
    whether the set has the same. The columns that they determine are added to `known`.
    """
    sets, errors, determined, bound, slots = family
    least, has_same, smaller = np.iinfo(np.int64).max, False, np.empty(members.shape[0], np.uint64)
    for w in range(members.shape[0]):
        rest = members[w]
        while rest:
            copy_items(members, smaller)
            smaller[w] ^= rest & (~rest + ONE)
            rest &= rest - ONE
            number = slots[place_in(slots, sets, smaller)]
            if number == 0 or errors[number - 1] <= limit:
                return -1, False
            least, has_same = min(least, errors[number - 1]), has_same or bound[number - 1]
            for v in range(members.shape[0]):
                known[v] |= determined[number - 1, v] & ~members[v]
    return least, has_same


@kernel
def same_set(family, members, stands, known):
    """The number, behind 0, of a set that has the same classes; what it determines is added to `known`.

    It has in place of a column the one that stands for it. There is none where all stand for themselves.
    """
    sets, _, determined, _, slots = family
    other, number = np.zeros(members.shape[0], np.uint64), 0
    for column in range(stands.shape[0]):
        if has(members, column):
            put(other, stands[column])
            number = number or stands[column] != column
    if number:
        number = slots[place_in(slots, sets, other)]
    for w in range(members.shape[0] if number else 0):
        known[w] |= (determined[number - 1, w] | other[w]) & ~members[w]
    return number


@kernel
def determines(ranks, rows, ends, column):
    """Whether the rows of each class have the same value in a column."""
    start = 0
    for k in range(ends.shape[0]):
        rank = ranks[column, rows[start]]
        for i in range(start, ends[k]):
            if rank < 0 or ranks[column, rows[i]] != rank:
                return False
        start = ends[k]
    return True


@kernel
def stand_in(ranks, rows, ends, columns, alone, error):
    """The last column, of those whose errors are known, that has the given classes and their error."""
    last = -1
    for k in range(columns.shape[0]):
        if alone[columns[k]] == error and determines(ranks, rows, ends, columns[k]):
            last = columns[k]
    return last


class VisitedSets(NamedTuple):
    """Sets of columns, and what is known of them."""

    sets: Words
    errors: Ints  # of each as a key
    determined: Words  # the columns that each determines almost
    bound: npt.NDArray[np.bool_]  # whether a set has the classes of one of its parts
    slots: Ints  # where a set stands, behind 0, by its hash


@kernel
def new_family(most_sets, words):
    """Room for so many sets."""
    return VisitedSets(
        np.zeros((most_sets, words), np.uint64),
        np.zeros(most_sets, np.int64),
        np.zeros((most_sets, words), np.uint64),
        np.zeros(most_sets, np.bool_),
        new_index(most_sets),
    )


@kernel
def agreeing_sets(ranks, orders, columns, limit, most_sets, counts, halt):
    """Sets of columns with a larger error than is tolerated, and almost keys beside them.

    The columns should come with those first that tell the most. A set comes after all that are parts of it.
    Returned are the sets, for each which columns it determines almost and no smaller set does, one behind the
    last column meaning that it is almost a key, and whether these are all: there may be more sets than are
    wanted.
    """
    words, path = (ranks.shape[0] >> 6) + 1, new_loose_path(orders, columns.shape[0] + 2)
    most_sets = min(most_sets, 1 << min(columns.shape[0], 30))
    family = new_family(most_sets, words)
    sets, errors, determined, bound, slots = family
    chosen, branch = np.zeros(columns.shape[0] + 1, np.int64), np.zeros(columns.shape[0] + 2, np.int64)
    last, members = np.full(columns.shape[0] + 2, -1, np.int64), np.zeros(words, np.uint64)
    stands, alone = np.arange(ranks.shape[0]), np.full(ranks.shape[0], -1, np.int64)  # errors of one column
    used, depth, entering = 0, 0, True
    while depth >= 0 and used < most_sets and halt[0] == 0:
        if entering:
            branch[depth] = last[depth]
            determined[used] = np.uint64(0)
            least, bound[used] = look_at_parts(family, members, limit, determined[used])
            if least >= 0:
                copy_items(members, sets[used])
                errors[used] = least
                same = 0 if bound[used] else same_set(family, members, stands, determined[used])
                parted = not bound[used] and same == 0
                if same:
                    errors[used] = errors[same - 1]
                elif parted:
                    path.made[0] = min(path.made[0], max(depth - 1, 0))
                    path = refine_path(path, ranks, chosen, depth, counts, every_pair())
                    rows, ends = partition_at(path, depth)
                    errors[used] = error_of_classes(ends, True)
                    if depth == 1:
                        alone[chosen[0]] = errors[used]
                        stands[chosen[0]] = stand_in(ranks, rows, ends, columns, alone, errors[used])
                bound[used] = errors[used] == least
                if errors[used] <= limit:
                    for k in range(columns.shape[0]):
                        if not has(members, columns[k]):
                            put(determined[used], columns[k])
                    put(determined[used], ranks.shape[0])
                else:
                    branch[depth] = columns.shape[0] - 1
                    if parted and errors[used] <= 2 * limit:
                        mark_determined(ranks, rows, ends, columns, members, limit, counts, determined[used])
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
