"""The pairs of rows that break laws, one of them new: a new row's candidates by an index, then all literals.

Laws that fetch the same candidates are probed for together, as IncPOD shares its indexes. A new row is the
first of a pair and then the second.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import with_room
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, GREATER, LESS, Flags, Ints
from lawful.validate.chains import (
    BOUNDS_OF_ROW,
    CHAINS,
    fetch,
    fetch_others,
    has_context,
    has_places,
    write_bounds,
)
from lawful.words import ONE, Words, lowest_bit

# How candidates are fetched: by two order literals and chains; the same value, or another one, by value
# lists; or all rows.
BY_ORDER, BY_VALUE, BY_DIFFERENCE, BY_SCAN = 0, 1, 2, 3
WAY, RIGHT_RISES, LEFT_STRICT, RIGHT_STRICT = 0, 1, 2, 3  # where a group has what
FIRST_ROW, SECOND_ROW, NUMBER = 0, 1, 2  # columns of what is found
OUTCOMES_IN_ORDER = (LESS, EQUAL, GREATER, LESS | GREATER)  # the last one is a difference without order
FOUND, SATED = 0, 1  # so many pairs are found, and enough of so many laws
SEARCHES, LOOKS = 0, 1  # what is counted as work: in a chain, at a candidate
BLOCK = 1024  # rows that are judged at once


class LawGroup(NamedTuple):
    """Laws that fetch the same candidates."""

    path: Ints  # the way and, by order, whether the right column rises with the left one, which are strict
    numbers: Ints  # [law]
    turned: Flags  # [law]: t and s are exchanged, so that the left column rises
    common: Ints  # lines of column, excluded outcomes: literals of all these laws, those first that say most
    columns: Ints  # on which they have other literals than these
    allowing: Words  # [column, outcome, word]: the laws that do not exclude an outcome; last, all laws


@kernel
def keep_passing(column, excluded, t, rows, count):
    """Keep the rows s for which no outcome of (t, s) on a column is excluded; returns how many."""
    kept, x = 0, column[t]
    equal, less, greater = excluded & EQUAL == 0, excluded & LESS == 0, excluded & GREATER == 0
    for k in range(count):
        y = column[rows[k]]
        rows[kept] = rows[k]
        if (x | y) < 0:
            kept += less and greater
        else:
            kept += equal if x == y else less if x < y else greater
    return kept


@kernel
def partners(ranks, group, t, second, is_new, alive, candidates, count, rows):
    """Write the candidates that pass what all laws of a group ask of t as the first or `second` row."""
    kept = 0
    for k in range(count):
        s = candidates[k]
        rows[kept] = s
        kept += alive[s] and s != t and not (second and is_new[s])  # of two new rows each is the first once
    for k in range(group.common.shape[0]):
        excluded = group.common[k, 1]
        if second:
            excluded = (excluded & LESS) << 2 | excluded & EQUAL | excluded >> 2
        kept = keep_passing(ranks[group.common[k, 0]], excluded, t, rows, kept)
    return kept


@kernel
def code_of(x, y):
    """Where OUTCOMES_IN_ORDER has the outcome of two ranks."""
    return 3 if (x | y) < 0 else 1 + np.int64(x > y) - np.int64(x < y)


@kernel
def keep_breaking(column, allowing, t, second, rows, broken, count):
    """Take from the laws that each row may break with t those that exclude the outcome on a column.

    Keeps the rows for which some are left; returns how many.
    """
    kept, words = 0, broken.shape[1]
    for k in range(count):
        s = rows[k]
        code = code_of(column[s], column[t]) if second else code_of(column[t], column[s])
        some = np.uint64(0)
        for w in range(words):
            broken[kept, w] = broken[k, w] & allowing[code, w]
            some |= broken[kept, w]
        rows[kept] = s
        kept += some != 0
    return kept


@kernel
def note(group, law, t, second, s, left, found, used):
    """Write a pair that breaks a law behind those found; returns these, perhaps with more room."""
    left[law] -= 1
    used[SATED] += left[law] == 0
    found = with_room(found, used[FOUND], 1)
    exchanged = group.turned[law] != second
    found[used[FOUND], FIRST_ROW] = s if exchanged else t
    found[used[FOUND], SECOND_ROW] = t if exchanged else s
    found[used[FOUND], NUMBER] = group.numbers[law]
    used[FOUND] += 1
    return found


@kernel
def judge(ranks, group, t, second, rows, broken, left, found, used, work):
    """Note what pairs of t and some rows break, while `left` tells that more pairs of a law are wanted."""
    count, columns, words = rows.shape[0], group.columns.shape[0], broken.shape[1]
    for k in range(count):
        for w in range(words):
            broken[k, w] = group.allowing[columns, 0, w]
    for c in range(columns):
        work[LOOKS] += count
        count = keep_breaking(ranks[group.columns[c]], group.allowing[c], t, second, rows, broken, count)
    for k in range(count):
        for w in range(words):
            rest = broken[k, w]
            while rest:
                law = w * 64 + lowest_bit(rest)
                rest &= rest - ONE
                if left[law] > 0:
                    found = note(group, law, t, second, rows[k], left, found, used)
    return found


@kernel
def candidates_of(ranks, rows, chains, path, t, second, bounds, candidates):
    """Write the rows that t may break laws with, as the first or `second` row; returns how many."""
    way = path[WAY]
    if way == BY_SCAN:
        for s in range(rows):
            candidates[s] = s
        return rows
    if not (has_context(ranks, chains, t) if way == BY_DIFFERENCE else has_places(ranks, chains, t)):
        return 0
    if not second:
        write_bounds(ranks, chains, t, bounds)
    if way == BY_DIFFERENCE:
        return fetch_others(chains, bounds, candidates)
    if way == BY_VALUE:
        return fetch(chains, bounds, (True, False), (False, False), candidates)
    ups = (not second, (path[RIGHT_RISES] == 1) != second)
    return fetch(chains, bounds, ups, (path[LEFT_STRICT] == 1, path[RIGHT_STRICT] == 1), candidates)


@kernel
def probe(ranks, chains, group, new_rows, is_new, alive, most, work):
    """Lines of first row, second row, law: pairs with a new row that break a law, at most so many of each."""
    rows, laws = alive.shape[0], group.numbers.shape[0]
    found, used = np.empty((16, 3), np.int64), np.zeros(2, np.int64)
    candidates, passing = np.empty(rows, np.int32), np.empty(rows, np.int32)
    broken, left = np.empty((BLOCK, group.allowing.shape[2]), np.uint64), np.full(laws, most)
    bounds, count = np.zeros((chains.used[CHAINS], BOUNDS_OF_ROW), np.int64), np.int64(0)
    for i in range(new_rows.shape[0]):
        t = new_rows[i]
        work[SEARCHES] += chains.used[CHAINS]
        for turn in range(2):
            second = turn == 1
            if not alive[t] or used[SATED] == laws:
                break
            if not second or group.path[WAY] == BY_ORDER:
                count = candidates_of(ranks, rows, chains, group.path, t, second, bounds, candidates)
            work[LOOKS] += count
            kept = partners(ranks, group, t, second, is_new, alive, candidates, count, passing)
            for k in range(0, kept, BLOCK):
                block = passing[k : min(k + BLOCK, kept)]
                found = judge(ranks, group, t, second, block, broken, left, found, used, work)
    return found[: used[FOUND]]
