"""Violating pairs of a class under at most two order tests and one `!=`, in one run over its rows.

The rows t that pass the first order test with s only get more as s goes through the class in its order. Of
them the one with the best place in the second order test is known, and beside it the best one with another
place in the `!=` test. So every row s meets at most one row t. (Hydra 6.3 has IEJoin for two inequalities,
which finds all pairs; few are enough to refute a law.)
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.validate.dc_literals import DIFFERENCE, MISSING, TESTS, place

NO_PARTNER = -1
SWEPT, RANKED, DIFFERING = np.int64(0), np.int64(1), np.int64(2)


class Sweep(NamedTuple):
    """The tests of a sweep, each a line of the tests' table; their `used` tells which there are."""

    swept: Ints  # the order test that sorts the rows
    ranked: Ints  # the order test whose best place is kept
    differing: Ints  # the `!=`
    used: Ints  # [3]: 1 for each test that there is


@kernel
def new_sweep():
    return Sweep(np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(3, np.int64))


@kernel
def put_test(test, into, used, which):
    copy_items(test, into)
    used[which] = 1


@kernel
def better_swept(test, other):
    """Whether to sort by this test rather than by another: by one column for both sides, the first one."""
    same, other_same = test[0] == test[1], other[0] == other[1]
    return same > other_same or (same == other_same and test[0] < other[0])


@kernel
def choose_sweep(literals, sweep):
    """Deal the tests of a DC out to a sweep; False if there are too many."""
    for which in range(3):
        sweep.used[which] = 0
    for k in range(literals.sizes[TESTS]):
        test = literals.tests[k]
        if test[2] == DIFFERENCE:
            if sweep.used[DIFFERING]:
                return False
            put_test(test, sweep.differing, sweep.used, DIFFERING)
        elif not sweep.used[RANKED]:
            put_test(test, sweep.ranked, sweep.used, RANKED)
        elif sweep.used[SWEPT]:
            return False
        elif better_swept(test, sweep.ranked):
            put_test(test, sweep.swept, sweep.used, SWEPT)
        else:
            put_test(sweep.ranked, sweep.swept, sweep.used, SWEPT)
            put_test(test, sweep.ranked, sweep.used, RANKED)
    return True


class Best(NamedTuple):
    """The best row so far with its places in both tests, and the best with another place in the second."""

    row: int
    place: int
    key: int
    other: int
    other_place: int


@kernel
def no_best():
    return Best(NO_PARTNER, 0, 0, NO_PARTNER, 0)


@kernel
def better(best, row, at, key):
    """The best rows with one more row among them."""
    if best.row == NO_PARTNER or key == best.key:
        if best.row == NO_PARTNER or at < best.place:
            return Best(row, at, key, best.other, best.other_place)
    elif at < best.place:
        return Best(row, at, key, best.row, best.place)
    elif best.other == NO_PARTNER or at < best.other_place:
        return Best(best.row, best.place, best.key, row, at)
    return best


@kernel
def sweep_class(ranks, firsts, seconds, sweep, pairs, found):
    """Write violating pairs of a class behind those found, one for a row s, while there is room.

    Both sides are in the order of their columns in the test that is swept. Returns how many pairs there are.
    """
    has_swept, has_ranked, has_differing = (
        sweep.used[SWEPT] == 1,
        sweep.used[RANKED] == 1,
        sweep.used[DIFFERING] == 1,
    )
    swept, ranked, differing = sweep.swept, sweep.ranked, sweep.differing
    descending = has_swept and swept[2] < 0
    best, at, first_count, second_count = no_best(), 0, firsts.shape[0], seconds.shape[0]
    for i in range(second_count):
        s = np.int64(seconds[second_count - 1 - i if descending else i])
        limit = np.int64(place(ranks, swept[1], s, swept[2])) - swept[3] if has_swept else 0
        if has_swept and limit + swept[3] == MISSING:
            continue
        while at < first_count:
            t = np.int64(firsts[first_count - 1 - at if descending else at])
            if has_swept:
                x = place(ranks, swept[0], t, swept[2])
                if x != MISSING and x > limit:
                    break
                if x == MISSING:
                    at += 1
                    continue
            at += 1
            value = np.int64(place(ranks, ranked[0], t, ranked[2])) if has_ranked else 0
            if value != MISSING:
                key = np.int64(place(ranks, differing[0], t, DIFFERENCE)) if has_differing else t
                best = better(best, t, value, key)
        t, value = best.row, best.place
        if has_differing and t != NO_PARTNER and best.key == place(ranks, differing[1], s, DIFFERENCE):
            t, value = best.other, best.other_place
        if t == NO_PARTNER:
            continue
        if has_ranked:
            y = np.int64(place(ranks, ranked[1], s, ranked[2]))
            if y == MISSING or value + ranked[3] > y:
                continue
        pairs[found, 0], pairs[found, 1] = t, s
        found += 1
        if found == pairs.shape[0]:
            break
    return found
