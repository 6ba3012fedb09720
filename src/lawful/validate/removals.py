"""Which rows to remove so that a law holds: as few as are counted (`break_counts`), where that is a count."""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import IN_FIRST, IN_SECOND
from lawful.validate.break_counts import breaks_of_sides
from lawful.validate.dc_literals import DIFFERENCE, MISSING, TESTS, place
from lawful.validate.dc_sides import passes
from lawful.validate.exceptions import largest_class, longest_run


@kernel
def write_keys(ranks, rows, swept, other, keys, owners):
    """Write keys of the rows of a class that have both sides of two order tests, and which rows these are.

    What stays rises in the one test where it falls in the other. Where both are strict, rows equal in one of
    them never break the law; where none is, they always do. A test that is not strict is `other` where one is
    strict. Equal places there count as rising. Returns how many keys there are.
    """
    known = 0
    for i in range(rows.shape[0]):
        x, y = place(ranks, swept[0], rows[i], swept[2]), place(ranks, other[0], rows[i], other[2])
        if x != MISSING and y != MISSING:
            keys[known] = (np.int64(x) << 32) + (y if swept[3] == 0 else -y)
            owners[known] = rows[i]
            known += 1
    return known


@kernel
def value_of_key(key, nth, swept, other):
    """What must not fall from one of the sorted keys, of which it is the nth, to the next that stays."""
    x, never_equal = (key + (1 << 31)) >> 32, swept[3] == 0
    falling = (x << 32) - key if never_equal else key - (x << 32)
    behind = nth if never_equal else (0 if other[3] == 1 else x)
    return (falling << 32) - behind


@kernel
def mark_sides(ranks, literals, rows, removed):
    """Mark rows of a class without tests: the fewer of those that can be t or s, or all of both but one."""
    fewest, firsts, seconds, stays = breaks_of_sides(ranks, literals, rows)[2], 0, 0, True
    for i in range(rows.shape[0]):
        firsts += passes(ranks, literals, IN_FIRST, rows[i])
        seconds += passes(ranks, literals, IN_SECOND, rows[i])
    for i in range(rows.shape[0]):
        first = passes(ranks, literals, IN_FIRST, rows[i])
        second = passes(ranks, literals, IN_SECOND, rows[i])
        if firsts == fewest:
            removed[rows[i]] |= first
        elif seconds == fewest:
            removed[rows[i]] |= second
        elif first or second:
            removed[rows[i]] |= not stays
            stays = False


@kernel
def mark_by_value(rows, column, test, counts, removed):
    """Mark rows of a class with one test of a column with itself: all but one, or but those of one value."""
    best, most, alone = -1, 0, test[2] != DIFFERENCE and test[3] == 0
    for i in range(rows.shape[0]):
        rank = column[rows[i]]
        if rank >= 0:
            counts[rank] += 1
            if counts[rank] > most:
                most, best = counts[rank], i if alone else rank
    for i in range(rows.shape[0]):
        rank = column[rows[i]]
        if rank >= 0:
            counts[rank] = 0
            removed[rows[i]] |= (i if alone else rank) != best
        elif test[2] == DIFFERENCE:  # a NULL that equals nothing; without other values one of them stays
            removed[rows[i]] |= most > 0 or i > 0


@kernel
def mark_outvoted(rows, ends, column, counts, outvoted):
    """Mark the places in classes of rows with another value than the one that most rows there have."""
    start = 0
    for k in range(ends.shape[0]):
        most, winner = 0, -1  # a NULL that equals nothing is none
        for i in range(start, ends[k]):
            rank = column[rows[i]]
            if rank >= 0:
                counts[rank] += 1
                if counts[rank] > most:
                    most, winner = counts[rank], rank
        decided = 2 * most > ends[k] - start
        for i in range(start, ends[k]):
            rank = column[rows[i]]
            outvoted[i] = decided and rank != winner
            if rank >= 0:
                counts[rank] = 0
        start = ends[k]


@kernel
def mark_by_order(ranks, rows, swept, other, room, removed):
    """Mark rows of a class with two order tests: those off a longest run in order."""
    keys, owners, values = room[0], room[1], np.empty(rows.shape[0], np.int64)
    known = write_keys(ranks, rows, swept, other, keys, owners)
    order = np.argsort(keys[:known], kind="mergesort")
    for i in range(known):
        values[i] = value_of_key(keys[order[i]], i, swept, other)
    wanted, last = longest_run(values, known, room[2], room[3]), np.iinfo(np.int64).max
    for i in range(known - 1, -1, -1):
        if room[3, i] + 1 == wanted and values[i] <= last:
            wanted, last = wanted - 1, values[i]
        else:
            removed[owners[order[i]]] = True


@kernel
def mark_removals(ranks, literals, rows, ends, counts, removed):
    """Mark rows to remove from the classes of a context, as few as can be: so many as are counted."""
    room, start, tests = np.empty((4, largest_class(ends)), np.int64), 0, literals.tests
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start = ends[k]
        if literals.sizes[TESTS] == 0:
            mark_sides(ranks, literals, some, removed)
        elif literals.sizes[TESTS] == 1:
            mark_by_value(some, ranks[tests[0, 0]], tests[0], counts, removed)
        else:
            swept = np.argmax(tests[:2, 3])
            mark_by_order(ranks, some, tests[swept], tests[1 - swept], room, removed)


@kernel
def cover_of_pairs(pairs, degrees):
    """How many of some pairs are disjoint, and which rows hit all: at least and at most to remove.

    Of a pair without a chosen row the one with more pairs is chosen.
    """
    matched, chosen = np.zeros(degrees.shape[0], np.bool_), np.zeros(degrees.shape[0], np.bool_)
    disjoint = 0
    for k in range(pairs.shape[0]):
        t, s = pairs[k, 0], pairs[k, 1]
        if not (matched[t] or matched[s]):
            matched[t] = matched[s] = True
            disjoint += 1
        if not (chosen[t] or chosen[s]):
            chosen[t if degrees[t] >= degrees[s] else s] = True
    return disjoint, chosen


@kernel
def saved_in_classes(rows, ends, column, prices, counts):
    """What the rows like most of their class save at these prices of values, and how many rows are not."""
    saved, exceptions, start = 0.0, 0, 0
    for k in range(ends.shape[0]):
        most, value = 0, -1
        for i in range(start, ends[k]):
            rank = column[rows[i]]
            if rank >= 0:
                counts[rank] += 1
                if counts[rank] > most:
                    most, value = counts[rank], rank
        for i in range(start, ends[k]):
            if column[rows[i]] >= 0:
                counts[column[rows[i]]] = 0
        if most > 0:
            saved += (most - 1) * prices[value]
        exceptions += ends[k] - start - max(most, 1)
        start = ends[k]
    return saved, exceptions
